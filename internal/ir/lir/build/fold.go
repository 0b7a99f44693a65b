package build

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Package build is the first to know the size of the threadgroup, so it folds what a kernel
// computes from it. Only integers are folded: checks such as whether all simdgroups are whole.

// fold makes constants of the results of an operation on constants, and reports whether it did.
// Hooks see every operation, so nothing is folded for them.
func (b *builder) fold(in *ir.Instr) bool {
	if b.watched || len(in.Results) != 1 || len(in.Args) > 2 {
		return false
	}
	r := in.Results[0]
	var folded [4]uint64
	for comp := range r.Type.Lanes() {
		var x [2]uint64
		for i, a := range in.Args {
			if a.Type.Kind != ir.I1 && (a.Type.Kind < ir.I8 || a.Type.Kind > ir.I64) {
				return false
			}
			v := b.p.Var(b.get(a, min(comp, a.Type.Lanes()-1)))
			if !v.Const {
				return false
			}
			x[i] = v.Bits
		}
		var ok bool
		if folded[comp], ok = folds(in.Op, in.Args[0].Type.Kind.Bits(), x[0], x[1]); !ok || b.of[r.ID][comp] != lir.Once {
			return false
		}
	}
	for comp := range r.Type.Lanes() {
		b.vals[r.ID][comp] = b.constant(r.Type.Kind, folded[comp])
	}
	return true
}

// folds returns the result of an operation on integers of a width, whose other bits are 0, and
// whether it is one of those that are folded. Bits above the result's width are not cleared.
func folds(op ir.Op, width int, x, y uint64) (uint64, bool) {
	truth := func(is bool) (uint64, bool) {
		if is {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case ir.OpAdd:
		return x + y, true
	case ir.OpSub:
		return x - y, true
	case ir.OpMul:
		return x * y, true
	case ir.OpAnd:
		return x & y, true
	case ir.OpOr:
		return x | y, true
	case ir.OpXor:
		return x ^ y, true
	case ir.OpLShr:
		return x >> (y & uint64(width-1)), true
	case ir.OpUMin:
		return min(x, y), true
	case ir.OpUMax:
		return max(x, y), true
	case ir.OpZExt, ir.OpTrunc:
		return x, true
	case ir.OpEq:
		return truth(x == y)
	case ir.OpNe:
		return truth(x != y)
	case ir.OpULT:
		return truth(x < y)
	case ir.OpULE:
		return truth(x <= y)
	}
	return 0, false
}

// known returns the region of an If that is taken if its condition is a constant, or nil. It must
// go on after the If or after the block that the If is in, as an early return of a function does:
// other constructs around the If would be lowered as if they went on where nothing does.
func (b *builder) known(in *ir.Instr, cond lir.Ref) *ir.Region {
	v := b.p.Var(cond)
	if !v.Const || b.watched || b.divergent[in] {
		return nil
	}
	r := in.Regions[1-v.Bits&1]
	end, around := r.Terminator(), in.Parent.Owner
	if end.Op == ir.OpYield || end.Op == ir.OpBreak && end.Target == around && around.Op == ir.OpBlock {
		return r
	}
	return nil
}
