package ir

// Builder appends instructions to a function, at the end of a region. Instructions after a
// terminator are dropped, so that a front end need not treat statements after a return specially.
//
// Result types come from the operation's signature; if it leaves them open, they are the type
// passed to OpAs. The builder checks nothing; Verify does.
type Builder struct {
	Func *Func

	region *Region
	depth  int // number of enclosing regions
	loc    Loc
	flags  Flags
	dead   bool // the region has its terminator: later instructions are dropped

	consts map[constKey]*Value // when constants are shared
	shared []*Instr            // their instructions
}

// NewBuilder returns a builder that appends to the function's body.
func NewBuilder(f *Func) *Builder { return &Builder{Func: f, region: f.Body} }

// SetLoc sets the source location of the instructions that follow.
func (b *Builder) SetLoc(l Loc) { b.loc = l }

// Loc returns the current source location.
func (b *Builder) Loc() Loc { return b.loc }

// SetFlags sets the flags of the instructions that follow, and returns the previous ones.
func (b *Builder) SetFlags(f Flags) Flags {
	old := b.flags
	b.flags = f
	return old
}

// Region returns the region that is being built.
func (b *Builder) Region() *Region { return b.region }

// In makes r the region being built, calls build, and returns to the previous region.
func (b *Builder) In(r *Region, build func()) {
	old := b.Enter(r)
	build()
	b.Leave(old)
}

// Place is a builder's insertion point.
type Place struct {
	region *Region
	dead   bool
	depth  int
}

// Enter makes r the region being built. Pass the result to Leave to go back.
func (b *Builder) Enter(r *Region) Place {
	old := Place{b.region, b.dead, b.depth}
	b.depth++
	b.region, b.dead = r, r.Terminator() != nil
	return old
}

// Leave goes back to a Place returned by Enter.
func (b *Builder) Leave(p Place) { b.region, b.dead, b.depth = p.region, p.dead, p.depth }

// Insert puts what build emits before instruction i of the function's body, and returns to the
// current insertion point. It returns the number of instructions inserted.
func (b *Builder) Insert(i int, build func()) int {
	body := b.Func.Body
	rest := body.Instrs[i:]
	body.Instrs = body.Instrs[:i:i]
	b.In(body, build)
	n := len(body.Instrs) - i
	body.Instrs = append(body.Instrs, rest...)
	return n
}

// Depth returns the number of regions that enclose the insertion point.
func (b *Builder) Depth() int { return b.depth }

// Terminated reports whether the region being built has its terminator, so that further
// instructions are dropped.
func (b *Builder) Terminated() bool { return b.dead }

// Emit appends an instruction with the given operands and results of the given types, and returns
// it. The caller may set its other fields.
func (b *Builder) Emit(op Op, results []Type, args ...*Value) *Instr {
	f := b.Func
	in := f.slab.instr()
	in.Op, in.Loc, in.Parent, in.Args = op, b.loc, b.region, f.slab.list(args...)
	switch op {
	case OpLoad, OpStore, OpCopy, OpClear:
		in.Flags = b.flags & Volatile
	default:
		if op.Info().Has(Approx) || op == OpFDiv || op == OpSqrt {
			in.Flags = b.flags & Fast
		}
	}
	for _, t := range results {
		f.AddResult(in, t)
	}
	if !b.dead {
		b.region.Instrs = append(b.region.Instrs, in)
		b.dead = op.Info().Has(Terminator)
	}
	return in
}

// Op appends an operation whose signature determines its result, and returns that result (the first
// of several, nil if there is none).
func (b *Builder) Op(op Op, args ...*Value) *Value { return b.OpAs(op, TVoid, args...) }

// OpAs appends an operation with a result of the given type, where the signature leaves it open.
func (b *Builder) OpAs(op Op, t Type, args ...*Value) *Value {
	if v := b.fold(op, t, args); v != nil {
		return v
	}
	return b.one(op, t, args).first()
}

// first returns the first of the results, or nil.
func (in *Instr) first() *Value {
	if len(in.Results) == 0 {
		return nil
	}
	return in.Results[0]
}

// one appends an operation with at most one result.
func (b *Builder) one(op Op, t Type, args []*Value) *Instr {
	sig := &signatures()[op]
	if len(sig.results) == 0 {
		return b.Emit(op, nil, args...)
	}
	if ty, ok := sig.results[0].settled(args); ok {
		t = ty
	}
	if len(sig.results) > 1 {
		return b.Emit(op, resultTypes(op, args, t), args...)
	}
	in := b.Emit(op, nil, args...)
	b.Func.AddResult(in, t)
	return in
}

// OpImm appends an operation with the constant Imm.
func (b *Builder) OpImm(op Op, t Type, imm int64, args ...*Value) *Value {
	in := b.one(op, t, args)
	in.Imm = imm
	return in.first()
}

// Op2 appends an operation with two results and returns them.
func (b *Builder) Op2(op Op, args ...*Value) (first, second *Value) {
	in := b.Emit(op, resultTypes(op, args, TVoid), args...)
	return in.Results[0], in.Results[1]
}

// Const appends a constant given by the bits of its lanes, or of one lane that applies to all. Bits
// above the kind's width are cleared.
func (b *Builder) Const(t Type, lanes ...uint64) *Value {
	mask := ^uint64(0)
	if w := t.Kind.Bits(); w < 64 {
		mask = 1<<w - 1
	}
	if b.consts != nil {
		return b.sharedConst(t, mask, lanes)
	}
	in := b.Emit(OpConst, []Type{t})
	if t.N <= 1 {
		in.Imm = int64(lanes[0] & mask)
		return in.Results[0]
	}
	in.Bits = make([]uint64, t.N)
	for i := range in.Bits {
		in.Bits[i] = lanes[min(i, len(lanes)-1)] & mask
	}
	return in.Results[0]
}

// Int appends an integer or truth value, in every lane of t.
func (b *Builder) Int(t Type, v int64) *Value { return b.Const(t, uint64(v)) }

// Float appends a number, in every lane of t, rounded to its kind.
func (b *Builder) Float(t Type, v float64) *Value { return b.Const(t, FloatBits(t.Kind, v)) }

// Bool appends a truth value.
func (b *Builder) Bool(v bool) *Value {
	if v {
		return b.Const(TI1, 1)
	}
	return b.Const(TI1, 0)
}

// Arg appends the value of argument i, of type t.
func (b *Builder) Arg(i int, t Type) *Value { return b.OpImm(OpArg, t, int64(i)) }

// Input appends an input.
func (b *Builder) Input(i Input) *Value { return b.OpImm(OpIn, i.Type(), int64(i)) }

// Alloca appends a thread variable. Wherever it is appended, it has a single address and lives as
// long as the thread.
func (b *Builder) Alloca(size int64, name string) *Value {
	in := b.Emit(OpAlloca, []Type{PointerTo(Thread)})
	in.Imm, in.Name = size, name
	return in.Results[0]
}

// Load appends a load.
func (b *Builder) Load(t Type, addr *Value) *Value { return b.OpAs(OpLoad, t, addr) }

// Store appends a store.
func (b *Builder) Store(addr, v *Value) { b.Op(OpStore, addr, v) }

// Field appends addr plus a constant number of bytes; for 0, it returns addr itself.
func (b *Builder) Field(addr *Value, bytes int64) *Value {
	if bytes == 0 {
		return addr
	}
	return b.OpImm(OpField, TVoid, bytes, addr)
}

// Offset appends addr plus index times stride bytes; index is an i64.
func (b *Builder) Offset(addr, index *Value, stride int64) *Value {
	if n, ok := intConst(index); ok && b.consts != nil {
		return b.Field(addr, n*stride)
	}
	return b.OpImm(OpOffset, TVoid, stride, addr, index)
}

// Extract appends lane i of a vector; it returns a scalar unchanged.
func (b *Builder) Extract(v *Value, i int) *Value {
	if !v.Type.IsVector() {
		return v
	}
	return b.OpImm(OpExtract, TVoid, int64(i), v)
}

// Splat appends a vector with v in n lanes. For n = 1, it returns v.
func (b *Builder) Splat(v *Value, n int) *Value {
	if n <= 1 {
		return v
	}
	return b.OpAs(OpSplat, v.Type.Widen(n), v)
}

// Swizzle appends a vector of the given lanes of x and y, concatenated; for a single lane, a
// scalar. y may be x.
func (b *Builder) Swizzle(x, y *Value, places ...int) *Value {
	in := b.Emit(OpSwizzle, []Type{x.Type.Widen(len(places))}, x, y)
	if len(places) == 1 {
		in.Imm = int64(places[0])
		return in.Results[0]
	}
	in.Bits = make([]uint64, len(places))
	for i, p := range places {
		in.Bits[i] = uint64(p)
	}
	return in.Results[0]
}

// Atomic appends an atomic operation with a memory order.
func (b *Builder) Atomic(op Op, t Type, order Order, args ...*Value) *Instr {
	in := b.Emit(op, resultTypes(op, args, t), args...)
	in.Order = order
	return in
}

// Barrier appends OpBarrier, OpGridBarrier, OpSimdBarrier or OpFence.
func (b *Builder) Barrier(op Op, mem MemMask, order Order) *Instr {
	in := b.Emit(op, nil)
	in.Mem, in.Order = mem, order
	return in
}

// Print emits a log message: a format, followed by the log's handle and the values to format.
func (b *Builder) Print(level LogLevel, format string, args ...*Value) *Instr {
	in := b.Emit(OpLogMessage, nil, args...)
	in.Imm, in.Name = int64(level), format
	return in
}

// newRegions gives the instruction n empty regions.
func (b *Builder) newRegions(in *Instr, n int) {
	rs := make([]Region, n)
	in.Regions = make([]*Region, n)
	b.Func.slab.bytes += int64(n) * regionBytes
	for i := range rs {
		rs[i].Owner = in
		in.Regions[i] = &rs[i]
	}
}

// If appends an if with two empty regions and results of the given types; AddResult adds more
// later. Both regions must end with a terminator; build them with In.
func (b *Builder) If(cond *Value, results ...Type) *Instr {
	in := b.Emit(OpIf, results, cond)
	b.newRegions(in, 2)
	return in
}

// Loop appends a loop with an empty region that has a parameter for each initial value, and results
// of the given types.
func (b *Builder) Loop(init []*Value, results ...Type) *Instr {
	in := b.Emit(OpLoop, results, init...)
	b.newRegions(in, 1)
	for _, v := range init {
		b.Func.AddParam(in.Regions[0], v.Type)
	}
	return in
}

// Block appends a block with an empty region and results of the given types.
func (b *Builder) Block(results ...Type) *Instr {
	in := b.Emit(OpBlock, results)
	b.newRegions(in, 1)
	return in
}

// AddResult adds a result to an if, loop or block. Every yield to it and every break from it then
// needs another operand.
func (b *Builder) AddResult(in *Instr, t Type) *Value { return b.Func.AddResult(in, t) }

// Yield ends the region of an if or block.
func (b *Builder) Yield(vs ...*Value) { b.Emit(OpYield, nil, vs...) }

// Break exits an enclosing loop or block with its results.
func (b *Builder) Break(target *Instr, vs ...*Value) {
	b.Emit(OpBreak, nil, vs...).Target = target
}

// Continue starts the next iteration of an enclosing loop, with its parameters.
func (b *Builder) Continue(loop *Instr, vs ...*Value) {
	b.Emit(OpContinue, nil, vs...).Target = loop
}

// Return ends the thread.
func (b *Builder) Return() *Instr { return b.Emit(OpReturn, nil) }

// Unreachable terminates a region whose end is never reached.
func (b *Builder) Unreachable() { b.Emit(OpUnreachable, nil) }
