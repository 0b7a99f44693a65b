package affine

import (
	"math/bits"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// Kernel has the addresses of a kernel's accesses.
type Kernel struct {
	Func       *ir.Func
	Uniformity *ir.Uniformity
	// Accesses are in text order, without those to a thread's own memory.
	Accesses []*Access
	values   map[lane]*Poly
	bases    map[*ir.Value]*ir.Value // of pointers
	atoms    map[Atom]*Atom          // by the atom without its number and argument
	funcs    map[Atom][]*Atom        // functions of different arguments
	count    int
}

// Access is an instruction that accesses memory which threads share.
type Access struct {
	Instr *ir.Instr
	Space ir.Space
	Kind  ir.Kind // of an element
	Size  int     // bytes of a thread's access
	// Address is nil if the address depends on data, that is on values which the lanes of a simdgroup
	// do not share and which are no polynomial.
	Address *Address
	// Pointer is the operand with the address.
	Pointer *ir.Value
}

// Address is a base and an offset in bytes.
type Address struct {
	Base   *ir.Value // the same in all active lanes of a simdgroup: an argument, a variable, or another pointer
	Offset *Poly
}

// lane is a lane of a value.
type lane struct {
	v *ir.Value
	i int
}

// Of analyzes a kernel, which must be valid.
func Of(f *ir.Func) *Kernel {
	k := &Kernel{Func: f, Uniformity: f.Uniformity(), values: map[lane]*Poly{}, bases: map[*ir.Value]*ir.Value{},
		atoms: map[Atom]*Atom{}, funcs: map[Atom][]*Atom{}}
	k.region(f.Body)
	return k
}

// atom returns the one atom that is equal to a.
func (k *Kernel) atom(a Atom) *Atom {
	key := a
	key.Arg = nil
	if a.Kind == Function {
		for _, b := range k.funcs[key] {
			if a.Arg.equal(b.Arg) {
				return b
			}
		}
	} else if b := k.atoms[key]; b != nil {
		return b
	}
	k.count++
	a.id = k.count
	if a.Kind == Function {
		for i := range a.Arg.Terms {
			for _, b := range a.Arg.Terms[i].Atoms() {
				a.depth = max(a.depth, b.depth)
			}
		}
		a.depth++
	}
	if a.Kind == Function {
		k.funcs[key] = append(k.funcs[key], &a)
	} else {
		k.atoms[key] = &a
	}
	return &a
}

// of returns the polynomial of a lane of a value, nil if it has none.
func (k *Kernel) of(v *ir.Value, i int) *Poly { return k.values[lane{v, i}] }

// set keeps the polynomial of a lane. Without one, a value that lanes share becomes an atom.
func (k *Kernel) set(v *ir.Value, i int, p *Poly) {
	if p == nil && v.Type.Kind.IsInt() && k.Uniformity.Values[v.ID] <= ir.SharedBySimdgroup {
		p = k.atom(Atom{Kind: Shared, Value: v, Lane: i}).poly()
	}
	if p != nil {
		k.values[lane{v, i}] = p
	}
}

// point keeps the base and the offset of a pointer. Without them, a pointer that lanes share
// becomes a base.
func (k *Kernel) point(v, base *ir.Value, offset *Poly) {
	if base == nil || offset == nil {
		if k.Uniformity.Values[v.ID] > ir.SharedBySimdgroup {
			return
		}
		base, offset = v, &Poly{}
	}
	k.bases[v], k.values[lane{v, 0}] = base, offset
}

// unknown sets values of which nothing is known but whether lanes share them.
func (k *Kernel) unknown(list []*ir.Value) {
	for _, v := range list {
		if v.Type.Kind == ir.Pointer {
			k.point(v, nil, nil)
			continue
		}
		for i := range v.Type.Lanes() {
			k.set(v, i, nil)
		}
	}
}

func (k *Kernel) region(r *ir.Region) {
	for _, in := range r.Instrs {
		switch in.Op {
		case ir.OpLoop:
			k.loop(in)
		case ir.OpIf, ir.OpBlock:
			for _, sub := range in.Regions {
				k.region(sub)
			}
			for _, v := range in.Results {
				k.join(v)
			}
		default:
			k.instr(in)
		}
	}
}

// loop sets the parameters of a loop's region: those that grow by the same amount in each iteration
// are polynomials in the loop's counter.
func (k *Kernel) loop(in *ir.Instr) {
	body := in.Regions[0]
	var again []*ir.Instr
	body.Walk(func(x *ir.Instr) bool {
		if x.Op == ir.OpContinue && x.Target == in {
			again = append(again, x)
		}
		return true
	})
	counter := k.atom(Atom{Kind: Counter, Loop: in})
	for i, v := range body.Params {
		var step *Poly
		for n, c := range again {
			s := k.step(v, c.Args[i])
			if s == nil || n > 0 && !s.equal(step) {
				step = nil
				break
			}
			step = s
		}
		var p *Poly
		if init := k.of(in.Args[i], 0); step != nil && init != nil {
			if p = step.times(counter.poly()); p != nil {
				p = p.plus(init, 1)
			}
		}
		switch {
		case v.Type.Kind == ir.Pointer:
			k.point(v, k.bases[in.Args[i]], p)
		case p != nil && v.Type.Kind.IsInt() && v.Type.Lanes() == 1:
			k.set(v, 0, p)
		default:
			k.unknown([]*ir.Value{v})
		}
	}
	k.region(body)
	k.unknown(in.Results)
}

// join sets a result of an if or block, which is what all its ends give if they give the same.
func (k *Kernel) join(v *ir.Value) {
	if from := origin(v, 0); from != v {
		for i := range v.Type.Lanes() {
			if p := k.of(from, i); p != nil {
				k.values[lane{v, i}] = p
			}
		}
		if base := k.bases[from]; base != nil {
			k.bases[v] = base
		}
		return
	}
	k.unknown([]*ir.Value{v})
}

// origin returns the value that a result of ifs and blocks always has, v if that is no other value.
func origin(v *ir.Value, depth int) *ir.Value {
	in := v.Def
	if in == nil || in.Op != ir.OpIf && in.Op != ir.OpBlock || depth > 8 {
		return v
	}
	var from *ir.Value
	several := false
	give := func(x *ir.Value) {
		x = origin(x, depth+1)
		several = several || from != nil && x != from
		from = x
	}
	for _, r := range in.Regions {
		if t := r.Terminator(); t.Op == ir.OpYield {
			give(t.Args[v.Index])
		}
		r.Walk(func(x *ir.Instr) bool {
			if x.Op == ir.OpBreak && x.Target == in {
				give(x.Args[v.Index])
			}
			return !several
		})
	}
	switch {
	case several || from == nil, from.Def != nil && within(from.Def, in), from.Region != nil && inside(from.Region, in):
		return v
	}
	return from
}

// inside reports whether a region is within an instruction.
func inside(r *ir.Region, in *ir.Instr) bool {
	return r.Owner != nil && (r.Owner == in || within(r.Owner, in))
}

// step returns by how much a loop's next value exceeds its parameter, nil if that is not known
// before the loop.
func (k *Kernel) step(param, next *ir.Value) *Poly {
	next = origin(next, 0)
	in := next.Def
	switch {
	case next == param:
		return &Poly{}
	case in == nil || len(in.Args) == 0:
		return nil
	}
	other := func() *Poly { return k.of(in.Args[1], 0) } // known only if it is from outside the loop
	first := origin(in.Args[0], 0) == param
	switch {
	case in.Op == ir.OpAdd && first:
		return other()
	case in.Op == ir.OpAdd && origin(in.Args[1], 0) == param:
		return k.of(in.Args[0], 0)
	case in.Op == ir.OpSub && first:
		if p := other(); p != nil {
			return (&Poly{}).plus(p, -1)
		}
	case in.Op == ir.OpField && first:
		return constant(in.Imm)
	case in.Op == ir.OpOffset && first:
		if p := other(); p != nil {
			return (&Poly{}).plus(p, in.Imm)
		}
	}
	return nil
}

func (k *Kernel) instr(in *ir.Instr) {
	k.access(in)
	switch in.Op {
	case ir.OpField:
		k.move(in, constant(in.Imm))
		return
	case ir.OpOffset:
		var by *Poly
		if p := k.of(in.Args[1], 0); p != nil {
			by = (&Poly{}).plus(p, in.Imm)
		}
		k.move(in, by)
		return
	}
	for _, v := range in.Results {
		if v.Type.Kind == ir.Pointer {
			k.point(v, nil, nil)
			continue
		}
		if !v.Type.Kind.IsInt() {
			continue
		}
		for i := range v.Type.Lanes() {
			k.set(v, i, k.result(in, v, i))
		}
	}
}

// move sets the result of an instruction that adds to a pointer.
func (k *Kernel) move(in *ir.Instr, by *Poly) {
	var p *Poly
	if from := k.of(in.Args[0], 0); from != nil && by != nil {
		p = from.plus(by, 1)
	}
	k.point(in.Results[0], k.bases[in.Args[0]], p)
}

// result returns the polynomial of a lane of an instruction's result.
func (k *Kernel) result(in *ir.Instr, v *ir.Value, i int) *Poly {
	arg := func(n int) *Poly { return k.of(in.Args[n], i) }
	switch in.Op {
	case ir.OpConst:
		shift := 64 - v.Type.Kind.Bits()
		return constant(int64(in.Lane(i)) << shift >> shift)
	case ir.OpIn:
		return k.atom(Atom{Kind: Input, Input: ir.Input(in.Imm), Lane: i}).poly()
	case ir.OpSplat:
		return k.of(in.Args[0], 0)
	case ir.OpBuild:
		return k.of(in.Args[i], 0)
	case ir.OpExtract:
		return k.of(in.Args[0], int(in.Imm))
	case ir.OpExtractDyn:
		if p := k.of(in.Args[1], 0); p != nil {
			if c, ok := p.Constant(); ok && c >= 0 && c < int64(in.Args[0].Type.Lanes()) {
				return k.of(in.Args[0], int(c))
			}
		}
		return nil
	case ir.OpInsert:
		if i == int(in.Imm) {
			return k.of(in.Args[1], 0)
		}
		return arg(0)
	case ir.OpSwizzle:
		n := int(in.Lane(i))
		if first := in.Args[0].Type.Lanes(); n >= first {
			return k.of(in.Args[1], n-first)
		}
		return k.of(in.Args[0], n)
	case ir.OpZExt, ir.OpSExt:
		return k.extend(in, i)
	case ir.OpTrunc:
		p := arg(0)
		if p != nil && v.Type.Kind == ir.I8 {
			return k.function(Remainder, p, 256)
		}
		return p
	case ir.OpBitcast:
		if in.Args[0].Type.Lanes() == v.Type.Lanes() && in.Args[0].Type.Kind == v.Type.Kind {
			return arg(0)
		}
		return nil
	case ir.OpNeg:
		if p := arg(0); p != nil {
			return (&Poly{}).plus(p, -1)
		}
		return nil
	case ir.OpSelect:
		if a, b := arg(1), arg(2); a != nil && b != nil && a.equal(b) {
			return a
		}
		return nil
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl, ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem, ir.OpLShr, ir.OpAShr,
		ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpSMin, ir.OpUMin, ir.OpSMax, ir.OpUMax:
		if p, q := arg(0), arg(1); p != nil && q != nil {
			return k.binary(in.Op, p, q, v.Type.Kind.Bits())
		}
	}
	return nil
}

// extend returns an extended value. That of a polynomial is taken to have the same value, except
// for a constant: its bits are known.
func (k *Kernel) extend(in *ir.Instr, i int) *Poly {
	from := in.Args[0].Type.Kind
	p := k.of(in.Args[0], i)
	if p == nil || from == ir.I1 {
		return nil
	}
	if c, ok := p.Constant(); ok {
		shift := 64 - from.Bits()
		if in.Op == ir.OpSExt {
			return constant(c << shift >> shift)
		}
		return constant(int64(uint64(c) << shift >> shift))
	}
	return p
}

func (k *Kernel) function(f Func, p *Poly, by int64) *Poly {
	if c, ok := p.Constant(); ok && (c >= 0 || f == Min || f == Max) {
		return constant(f.of(c, by))
	}
	for i := range p.Terms {
		for _, a := range p.Terms[i].Atoms() {
			if a.depth == nesting {
				return nil
			}
		}
	}
	return k.atom(Atom{Kind: Function, Func: f, Arg: p, By: by}).poly()
}

// binary returns the polynomial of an operation on two integers of a width, nil if it is none.
func (k *Kernel) binary(op ir.Op, p, q *Poly, width int) *Poly {
	switch op {
	case ir.OpAdd:
		return p.plus(q, 1)
	case ir.OpSub:
		return p.plus(q, -1)
	case ir.OpMul:
		return p.times(q)
	case ir.OpOr:
		if disjoint(p, q) || disjoint(q, p) {
			return p.plus(q, 1)
		}
	}
	c, ok := q.Constant()
	if !ok {
		switch op {
		case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpSMin, ir.OpUMin, ir.OpSMax, ir.OpUMax:
			p, q = q, p
		default:
			return nil
		}
		if c, ok = q.Constant(); !ok {
			return nil
		}
	}
	low, _ := p.bounds()
	switch op {
	case ir.OpUMin, ir.OpUMax:
		if low < 0 || c < 0 { // as an unsigned number, a negative one is large
			return nil
		}
		fallthrough
	case ir.OpSMin, ir.OpSMax:
		if op == ir.OpSMin || op == ir.OpUMin {
			return k.function(Min, p, c)
		}
		return k.function(Max, p, c)
	case ir.OpShl:
		if c >= 0 && c < int64(min(width, 62)) {
			return (&Poly{}).plus(p, 1<<c)
		}
	case ir.OpLShr, ir.OpAShr:
		if c >= 0 && c < int64(min(width, 62)) && (op == ir.OpLShr || low >= 0) {
			return k.function(Quotient, p, 1<<c)
		}
	case ir.OpUDiv, ir.OpURem, ir.OpSDiv, ir.OpSRem:
		if c <= 0 || (op == ir.OpSDiv || op == ir.OpSRem) && low < 0 {
			return nil
		}
		if op == ir.OpUDiv || op == ir.OpSDiv {
			return k.function(Quotient, p, c)
		}
		return k.function(Remainder, p, c)
	case ir.OpAnd:
		switch {
		case c == 0:
			return &Poly{}
		case c > 0 && c&(c+1) == 0:
			return k.function(Remainder, p, c+1)
		case c > 0:
			return k.function(And, p, c)
		case -c&(-c-1) == 0 && -c > 0: // clears low bits
			if c == -1 {
				return p
			}
			if r := k.function(Remainder, p, -c); r != nil {
				return p.plus(r, -1)
			}
		}
	case ir.OpOr, ir.OpXor:
		switch {
		case c == 0:
			return p
		case c > 0 && op == ir.OpOr:
			return k.function(Or, p, c)
		case c > 0:
			return k.function(Xor, p, c)
		}
	}
	return nil
}

// disjoint reports whether p is a multiple of a power of 2 that exceeds q, which is not negative.
func disjoint(p, q *Poly) bool {
	low, high := q.bounds()
	if low < 0 || high >= unbounded {
		return false
	}
	unit := int64(1) << bits.Len64(uint64(high))
	return !slices.ContainsFunc(p.Terms, func(t Term) bool { return t.Factor%unit != 0 })
}

// access adds an instruction to the accesses if it is one.
func (k *Kernel) access(in *ir.Instr) {
	switch in.Op {
	case ir.OpLoad:
		k.add(in, in.Args[0], in.Results[0].Type)
	case ir.OpStore:
		k.add(in, in.Args[0], in.Args[1].Type)
	case ir.OpCopy:
		k.addBytes(in, in.Args[0])
		k.addBytes(in, in.Args[1])
	case ir.OpClear:
		k.addBytes(in, in.Args[0])
	case ir.OpMatLoad, ir.OpMatStore:
		at := 0
		if in.Op == ir.OpMatStore {
			at = 1
		}
		m := in.Args[0].Type
		if in.Op == ir.OpMatLoad {
			m = in.Results[0].Type
		}
		if p := in.Args[at]; shares(p) { // two elements of each lane, whose addresses are not described
			k.Accesses = append(k.Accesses, &Access{Instr: in, Space: p.Type.Space, Kind: m.Elem, Size: 2 * m.Elem.Size(),
				Pointer: p})
		}
	default:
		if in.Op.Group() == ir.AtomicOps && in.Op != ir.OpFence {
			t := ir.TI32
			if len(in.Results) > 0 {
				t = in.Results[0].Type
			} else if len(in.Args) > 1 {
				t = in.Args[1].Type
			}
			k.add(in, in.Args[0], t)
		}
	}
}

func shares(p *ir.Value) bool { return p.Type.Space != ir.Thread }

func (k *Kernel) add(in *ir.Instr, p *ir.Value, t ir.Type) {
	if shares(p) {
		k.Accesses = append(k.Accesses, &Access{Instr: in, Space: p.Type.Space, Kind: t.Kind, Size: t.Size(), Pointer: p,
			Address: k.address(p)})
	}
}

func (k *Kernel) addBytes(in *ir.Instr, p *ir.Value) {
	if shares(p) {
		k.Accesses = append(k.Accesses, &Access{Instr: in, Space: p.Type.Space, Size: int(in.Imm), Pointer: p,
			Address: k.address(p)})
	}
}

func (k *Kernel) address(p *ir.Value) *Address {
	if offset := k.of(p, 0); offset != nil && k.bases[p] != nil {
		return &Address{k.bases[p], offset}
	}
	return nil
}
