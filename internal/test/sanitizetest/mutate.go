package sanitizetest

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// Mutant is a kernel with one change that may be a mistake.
type Mutant struct {
	Change string // what was done
	Place  sanitizer.Place
	Func   *ir.Func
}

// String describes the change.
func (m *Mutant) String() string { return fmt.Sprintf("%s: %s at %v", m.Func.Name, m.Change, m.Place) }

// change is a way to change an instruction.
type change struct {
	name string
	can  func(in *ir.Instr) bool
	do   func(f *ir.Func, in *ir.Instr)
}

// changes returns all ways.
func changes() []change {
	return []change{
		{"barrier deleted", isBarrier, remove},
		{"barrier without device memory", orders(ir.MemDevice), func(_ *ir.Func, in *ir.Instr) { in.Mem &^= ir.MemDevice }},
		{"barrier without threadgroup memory", orders(ir.MemThreadgroup),
			func(_ *ir.Func, in *ir.Instr) { in.Mem &^= ir.MemThreadgroup }},
		{"barrier not reached by a thread", func(in *ir.Instr) bool { return in.Op == ir.OpBarrier }, skip},
		{"fence deleted", func(in *ir.Instr) bool { return in.Op == ir.OpFence }, remove},
		{"order dropped", func(in *ir.Instr) bool { return in.Order != ir.Relaxed },
			func(_ *ir.Func, in *ir.Instr) { in.Order = ir.Relaxed }},
		{"index plus 1", isOp(ir.OpOffset), index(ir.OpAdd, 1)},
		{"index times 2", isOp(ir.OpOffset), index(ir.OpMul, 2)},
		{"index minus 1", isOp(ir.OpOffset), index(ir.OpSub, 1)},
		{"address plus 1", isWide, misplace},
		{"less to less or equal", isOp(ir.OpSLT, ir.OpULT, ir.OpFLT), swap(1)},
		{"less or equal to less", isOp(ir.OpSLE, ir.OpULE, ir.OpFLE), swap(-1)},
		{"condition flipped", isOp(ir.OpIf), flip},
		{"atomic operation made plain", isPlain, plain},
		{"initialization deleted", isInitialization, remove},
		{"other lane", isOp(ir.OpSimdShuffle, ir.OpSimdBroadcast, ir.OpSimdShuffleXor, ir.OpSimdRotateUp), lane},
	}
}

// swap returns a change to the operation some rows further in the table of operations.
func swap(by int) func(*ir.Func, *ir.Instr) {
	return func(_ *ir.Func, in *ir.Instr) { in.Op = ir.Op(int(in.Op) + by) }
}

func isOp(ops ...ir.Op) func(*ir.Instr) bool {
	return func(in *ir.Instr) bool { return slices.Contains(ops, in.Op) }
}

func isBarrier(in *ir.Instr) bool { return in.Op == ir.OpBarrier || in.Op == ir.OpSimdBarrier }

func orders(m ir.MemMask) func(*ir.Instr) bool {
	return func(in *ir.Instr) bool { return (isBarrier(in) || in.Op == ir.OpFence) && in.Mem&m != 0 }
}

// isWide reports whether an instruction accesses an element of several bytes outside of the
// thread's variables.
func isWide(in *ir.Instr) bool {
	return (in.Op == ir.OpLoad && in.Results[0].Type.Kind.Size() > 1 ||
		in.Op == ir.OpStore && in.Args[1].Type.Kind.Size() > 1) && in.Args[0].Type.Space != ir.Thread
}

// isInitialization reports whether an instruction writes memory that begins without contents.
func isInitialization(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpStore, ir.OpClear, ir.OpCopy:
		s := in.Args[0].Type.Space
		return s == ir.Thread || s == ir.Threadgroup
	}
	return false
}

// Mutants returns the kernels that differ from one in one place.
func Mutants(f *ir.Func) (list []*Mutant) {
	n, all := 0, changes()
	f.Body.Walk(func(in *ir.Instr) bool {
		for _, c := range all {
			if !c.can(in) {
				continue
			}
			m := &Mutant{Change: c.name, Func: f.Clone(), Place: (&oracle{f: f}).place(in)}
			c.do(m.Func, nth(m.Func, n))
			list = append(list, m)
		}
		n++
		return true
	})
	return list
}

// nth returns an instruction by its number in the order of the text.
func nth(f *ir.Func, n int) (found *ir.Instr) {
	f.Body.Walk(func(in *ir.Instr) bool {
		if n == 0 {
			found = in
		}
		n--
		return found == nil
	})
	return found
}

func remove(_ *ir.Func, in *ir.Instr) {
	in.Parent.Instrs = slices.DeleteFunc(in.Parent.Instrs, func(x *ir.Instr) bool { return x == in })
}

// before inserts what build appends in front of an instruction.
func before(f *ir.Func, in *ir.Instr, build func(b *ir.Builder)) {
	part := &ir.Region{Owner: in.Parent.Owner}
	b := ir.NewBuilder(f)
	b.SetLoc(in.Loc)
	b.In(part, func() { build(b) })
	for _, x := range part.Instrs {
		x.Parent = in.Parent
	}
	at := slices.Index(in.Parent.Instrs, in)
	in.Parent.Instrs = slices.Insert(in.Parent.Instrs, at, part.Instrs...)
}

// index returns a change of the index of an element.
func index(op ir.Op, by int64) func(*ir.Func, *ir.Instr) {
	return func(f *ir.Func, in *ir.Instr) {
		before(f, in, func(b *ir.Builder) { in.Args[1] = b.Op(op, in.Args[1], b.Int(in.Args[1].Type, by)) })
	}
}

func misplace(f *ir.Func, in *ir.Instr) {
	before(f, in, func(b *ir.Builder) { in.Args[0] = b.Field(in.Args[0], 1) })
}

func flip(f *ir.Func, in *ir.Instr) {
	before(f, in, func(b *ir.Builder) { in.Args[0] = b.Op(ir.OpNot, in.Args[0]) })
}

func lane(f *ir.Func, in *ir.Instr) {
	before(f, in, func(b *ir.Builder) { in.Args[1] = b.Op(ir.OpAdd, in.Args[1], b.Int(in.Args[1].Type, 1)) })
}

// skip lets the first thread of each threadgroup pass a barrier by.
func skip(f *ir.Func, in *ir.Instr) {
	before(f, in, func(b *ir.Builder) {
		first := b.Op(ir.OpEq, b.Input(ir.ThreadIndexInThreadgroup), b.Int(ir.TI32, 0))
		choice := b.Emit(ir.OpIf, nil, first)
		none, waits := &ir.Region{Owner: choice}, &ir.Region{Owner: choice}
		choice.Regions = []*ir.Region{none, waits}
		b.In(none, func() { b.Emit(ir.OpYield, nil) })
		b.In(waits, func() {
			b.Emit(in.Op, nil).Mem = in.Mem
			b.Emit(ir.OpYield, nil)
		})
	})
	remove(f, in)
}

// plainOp returns the operation of which an atomic one consists; 0 for a replacement.
func plainOp(op ir.Op) (plain ir.Op, ok bool) {
	switch op {
	case ir.OpAtomicXchg:
		return 0, true
	case ir.OpAtomicAdd:
		return ir.OpAdd, true
	case ir.OpAtomicSub:
		return ir.OpSub, true
	case ir.OpAtomicSMin:
		return ir.OpSMin, true
	case ir.OpAtomicUMin:
		return ir.OpUMin, true
	case ir.OpAtomicSMax:
		return ir.OpSMax, true
	case ir.OpAtomicUMax:
		return ir.OpUMax, true
	case ir.OpAtomicAnd:
		return ir.OpAnd, true
	case ir.OpAtomicOr:
		return ir.OpOr, true
	case ir.OpAtomicXor:
		return ir.OpXor, true
	case ir.OpAtomicFAdd:
		return ir.OpFAdd, true
	case ir.OpAtomicFSub:
		return ir.OpFSub, true
	case ir.OpAtomicFMin:
		return ir.OpFMin, true
	case ir.OpAtomicFMax:
		return ir.OpFMax, true
	}
	return 0, false
}

func isPlain(in *ir.Instr) bool {
	_, ok := plainOp(in.Op)
	return ok || in.Op == ir.OpAtomicLoad || in.Op == ir.OpAtomicStore
}

// plain replaces an atomic operation by a load and a store.
func plain(f *ir.Func, in *ir.Instr) {
	switch in.Op {
	case ir.OpAtomicLoad:
		in.Op, in.Order, in.Imm = ir.OpLoad, ir.Relaxed, 0
		return
	case ir.OpAtomicStore:
		in.Op, in.Order, in.Imm = ir.OpStore, ir.Relaxed, 0
		return
	}
	before(f, in, func(b *ir.Builder) {
		old, next := b.Load(in.Args[1].Type, in.Args[0]), in.Args[1]
		if op, _ := plainOp(in.Op); op != 0 {
			next = b.Op(op, old, next)
		}
		b.Store(in.Args[0], next)
		replace(f, in.Results[0], old)
	})
	remove(f, in)
}

// replace makes instructions use another value.
func replace(f *ir.Func, from, to *ir.Value) {
	f.Body.Walk(func(in *ir.Instr) bool {
		for i, a := range in.Args {
			if a == from {
				in.Args[i] = to
			}
		}
		return true
	})
}
