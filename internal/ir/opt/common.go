package opt

import "github.com/puremetal/puremetal/internal/ir"

// exprKey tells apart what instructions give.
type exprKey struct {
	op    ir.Op
	flags ir.Flags
	imm   int64
	t     ir.Type
	args  [4]int32
	bits  [4]uint64
	epoch int32 // of the memory that is read
}

// known are the expressions that have been worked out on every way to here.
type known struct {
	w      *rewriter
	values map[exprKey]*ir.Instr
	undo   []exprKey
	marks  []int
	epochs [8]int32 // by space: changes with each write
	next   int32
	writes map[*ir.Instr][8]bool // of constructs: the spaces that are written inside
}

// common replaces what has been worked out before, in this region or one around: pure operations, loads from the constant space, and loads from others between which nothing is
// written.
func common(f *ir.Func) {
	w := newRewriter(f)
	k := &known{w: w, values: map[exprKey]*ir.Instr{}, writes: map[*ir.Instr][8]bool{}}
	k.scan(f.Body)
	w.visit = k.visit
	w.after = func(in *ir.Instr) { k.forget(k.writes[in]) }
	w.leave = func(*ir.Region) { k.close() }
	k.open()
	w.run()
}

func (k *known) open() { k.marks = append(k.marks, len(k.undo)) }

// close forgets what a region has worked out.
func (k *known) close() {
	n := len(k.marks) - 1
	for _, key := range k.undo[k.marks[n]:] {
		delete(k.values, key)
	}
	k.undo, k.marks = k.undo[:k.marks[n]], k.marks[:n]
}

func (k *known) forget(spaces [8]bool) {
	for s, written := range spaces {
		if written {
			k.next++
			k.epochs[s] = k.next
		}
	}
}

// written returns the spaces whose memory an instruction may change, or let others be seen to change.
func written(in *ir.Instr) (s [8]bool) {
	info := in.Op.Info()
	if !info.Has(ir.WritesMemory) && !info.Has(ir.Atomic) {
		return s
	}
	switch in.Op {
	case ir.OpStore, ir.OpCopy, ir.OpClear:
		s[in.Args[0].Type.Space] = true
		return s
	}
	s[ir.Device], s[ir.Threadgroup] = true, true
	return s
}

// scan notes what constructs write.
func (k *known) scan(r *ir.Region) (all [8]bool) {
	for _, in := range r.Instrs {
		s := written(in)
		for _, sub := range in.Regions {
			for i, x := range k.scan(sub) {
				s[i] = s[i] || x
			}
		}
		if len(in.Regions) > 0 {
			k.writes[in] = s
		}
		for i, x := range s {
			all[i] = all[i] || x
		}
	}
	return all
}

func (k *known) visit(in *ir.Instr) bool {
	if len(in.Regions) > 0 {
		if in.Op == ir.OpLoop {
			s := k.writes[in]
			s[ir.Device], s[ir.Threadgroup] = true, true // a loop may wait for what others write
			k.forget(s)
		}
		if in.Op == ir.OpIf {
			k.open() // the second region's, which is closed last
		}
		k.open()
		return false
	}
	key, ok := k.key(in)
	if !ok {
		k.forget(written(in))
		return false
	}
	if old := k.values[key]; old != nil {
		for i, r := range in.Results {
			k.w.replace(r, old.Results[i])
		}
		return true
	}
	k.values[key] = in
	k.undo = append(k.undo, key)
	return false
}

// key returns what an instruction gives, if that may be shared.
func (k *known) key(in *ir.Instr) (key exprKey, ok bool) {
	if len(in.Results) == 0 || len(in.Args) > 4 || len(in.Bits) > 4 {
		return key, false
	}
	key = exprKey{op: in.Op, flags: in.Flags, imm: in.Imm, t: in.Results[0].Type, args: [4]int32{-1, -1, -1, -1}}
	switch {
	case movable(in):
	case in.Op == ir.OpLoad && in.Flags&ir.Volatile == 0:
		key.epoch = k.epochs[in.Args[0].Type.Space] + 1
	default:
		return key, false
	}
	for i, a := range in.Args {
		key.args[i] = a.ID
	}
	copy(key.bits[:], in.Bits)
	if commutes(in.Op) && key.args[0] > key.args[1] {
		key.args[0], key.args[1] = key.args[1], key.args[0]
	}
	return key, true
}

// commutes reports whether the first two operands may change places.
func commutes(op ir.Op) bool {
	switch op {
	case ir.OpAdd, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpEq, ir.OpNe, ir.OpSMulHi, ir.OpUMulHi, ir.OpSMin, ir.OpSMax, ir.OpUMin, ir.OpUMax, ir.OpUAddSat, ir.OpSAddSat,
		ir.OpFAdd, ir.OpFMul, ir.OpFEq, ir.OpFNe:
		return true
	}
	return false
}
