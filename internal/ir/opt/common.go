package opt

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir"
)

// exprKey identifies the value that an instruction computes.
type exprKey struct {
	op    ir.Op
	flags ir.Flags
	imm   int64
	t     ir.Type
	args  [4]int32
	epoch int32  // of the memory read, or the number of the active lanes
	lanes uint32 // the places of a Swizzle, a byte each
}

// known holds the expressions that have been computed on every path to here.
type known struct {
	w      *rewriter
	values map[exprKey]*ir.Instr
	undo   []exprKey
	marks  []int
	epochs [8]int32 // by space: changes with each write
	next   int32
	writes map[*ir.Instr]spaces // of constructs: what is written inside

	// Places with the same number of active lanes have the same ones whenever control goes from one to
	// the other.
	active  int32
	actives []int32            // after each open region
	lanes   int32              // the last number given
	departs map[*ir.Instr]bool // constructs that lanes may leave for elsewhere than the place after them
}

// spaces is a set of memory spaces.
type spaces uint8

// common eliminates expressions already computed in this region or an enclosing one: pure
// operations, loads from the constant space, loads from other spaces with no write in between, and
// operations among the active lanes where those are still the same.
func common(s *session) {
	w := newRewriter(s)
	if s.exprs == nil {
		s.exprs = make(map[exprKey]*ir.Instr, s.f.NumValues()/2)
	}
	k := &known{w: w, values: s.exprs, writes: map[*ir.Instr]spaces{}, departs: map[*ir.Instr]bool{}}
	k.scan(s.f.Body)
	w.visit = k.visit
	w.after = func(in *ir.Instr) {
		k.forget(k.writes[in])
		if k.departs[in] {
			k.active = k.otherLanes()
		}
	}
	w.leave = func(*ir.Region) { k.close() }
	k.open(0)
	w.rewrite()
}

// open begins a region, after which the active lanes have the given number.
func (k *known) open(after int32) {
	k.marks, k.actives = append(k.marks, len(k.undo)), append(k.actives, after)
}

// otherLanes returns a number for active lanes that may be others than any so far.
func (k *known) otherLanes() int32 {
	k.lanes++
	return k.lanes
}

// close forgets the expressions computed in a region.
func (k *known) close() {
	n := len(k.marks) - 1
	for _, key := range k.undo[k.marks[n]:] {
		delete(k.values, key)
	}
	k.undo, k.marks = k.undo[:k.marks[n]], k.marks[:n]
	k.active, k.actives = k.actives[n], k.actives[:n]
}

func (k *known) forget(written spaces) {
	for ; written != 0; written &= written - 1 {
		k.next++
		k.epochs[bits.TrailingZeros8(uint8(written))] = k.next
	}
}

// written returns the spaces that an instruction may write, or in which it may make writes by
// others visible.
func written(in *ir.Instr) spaces {
	info := in.Op.Info()
	if !info.Has(ir.WritesMemory) && !info.Has(ir.Atomic) {
		return 0
	}
	switch in.Op {
	case ir.OpStore, ir.OpCopy, ir.OpClear:
		return 1 << in.Args[0].Type.Space
	}
	return 1<<ir.Device | 1<<ir.Threadgroup
}

// scan records what constructs write, and which of them lanes may leave for good.
func (k *known) scan(r *ir.Region) (all spaces) {
	for _, in := range r.Instrs {
		s := written(in)
		switch in.Op {
		case ir.OpBreak, ir.OpContinue, ir.OpReturn, ir.OpUnreachable:
			for at := r.Owner; at != nil && at != in.Target; at = at.Parent.Owner {
				k.departs[at] = true
			}
		}
		for _, sub := range in.Regions {
			s |= k.scan(sub)
		}
		if len(in.Regions) > 0 {
			k.writes[in] = s
		}
		all |= s
	}
	return all
}

func (k *known) visit(in *ir.Instr) bool {
	if len(in.Regions) > 0 {
		if in.Op == ir.OpLoop {
			k.forget(k.writes[in] | 1<<ir.Device | 1<<ir.Threadgroup) // a loop may be waiting for another thread's write
		}
		here := k.active
		switch in.Op {
		case ir.OpIf:
			k.open(here) // the second region's, which is closed last
			here = k.otherLanes()
			k.active = k.otherLanes()
		case ir.OpLoop:
			k.active = k.otherLanes()
		}
		k.open(here)
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

// key returns the key of an instruction's result, if it may be shared.
func (k *known) key(in *ir.Instr) (key exprKey, ok bool) {
	if len(in.Results) == 0 || len(in.Args) > 4 || len(in.Bits) > 4 {
		return key, false
	}
	key = exprKey{op: in.Op, flags: in.Flags, imm: in.Imm, t: in.Results[0].Type, args: [4]int32{-1, -1, -1, -1}}
	switch {
	case movable(in):
	case in.Op == ir.OpLoad && in.Flags&ir.Volatile == 0:
		key.epoch = k.epochs[in.Args[0].Type.Space] + 1
	case in.Op == ir.OpSimdHold: // what another lane reads may have changed since
		return key, false
	case in.Op.AmongLanes():
		key.epoch = k.active + 1
	default:
		return key, false
	}
	for i, a := range in.Args {
		key.args[i] = a.ID
	}
	for i, place := range in.Bits {
		key.lanes |= uint32(place) << (8 * i)
	}
	if commutes(in.Op) && key.args[0] > key.args[1] {
		key.args[0], key.args[1] = key.args[1], key.args[0]
	}
	return key, true
}

// commutes reports whether the first two operands may be swapped.
func commutes(op ir.Op) bool {
	switch op {
	case ir.OpAdd, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpEq, ir.OpNe, ir.OpSMulHi, ir.OpUMulHi, ir.OpSMin, ir.OpSMax,
		ir.OpUMin, ir.OpUMax, ir.OpUAddSat, ir.OpSAddSat,
		ir.OpFAdd, ir.OpFMul, ir.OpFEq, ir.OpFNe:
		return true
	}
	return false
}
