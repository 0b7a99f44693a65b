package affine

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// maxTrips limits the search for the end of a loop.
const maxTrips = 1 << 40

// Trips returns how often a loop runs what follows its condition, or what precedes it if the
// condition is at the end. exact is false if the loop may end earlier, by another break or a
// return. ok is false if it is not constant.
func (k *Kernel) Trips(loop *ir.Instr) (n int64, exact, ok bool) {
	body := loop.Regions[0]
	exits := 0
	body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpReturn || in.Op == ir.OpBreak && !within(in.Target, loop) || in.Op == ir.OpContinue &&
			in.Target != loop && !within(in.Target, loop) {
			exits++
		}
		return true
	})
	for i, in := range body.Instrs {
		if in.Op != ir.OpIf {
			continue
		}
		stays, leaves := in.Regions[0], in.Regions[1]
		negated := exitOf(stays, loop)
		if negated {
			stays, leaves = leaves, stays
		}
		if !exitOf(leaves, loop) || exitOf(stays, loop) {
			continue
		}
		n, ok := k.first(in.Args[0], loop, negated)
		if !ok {
			return 0, false, false
		}
		if slices.ContainsFunc(body.Instrs[:i], effects) || in.Regions[0].Terminator().Op == ir.OpContinue ||
			in.Regions[1].Terminator().Op == ir.OpContinue {
			n++ // the part before the condition runs once more
		}
		return n, exits == 1, true
	}
	return 0, false, false
}

// effects reports whether an instruction is more than a part of a condition.
func effects(in *ir.Instr) bool {
	i := in.Op.Info()
	return len(in.Regions) > 0 || i.Has(ir.WritesMemory) || i.Has(ir.ReadsMemory)
}

// within reports whether an instruction is in a region of another one.
func within(in, of *ir.Instr) bool {
	for in != nil && in.Parent != nil {
		if in = in.Parent.Owner; in == of {
			return true
		}
	}
	return false
}

// exitOf reports whether a region does nothing but leave a loop.
func exitOf(r *ir.Region, loop *ir.Instr) bool {
	t := r.Terminator()
	return t != nil && t.Op == ir.OpBreak && t.Target == loop
}

// first returns the first iteration in which a condition is false, or true if negated.
func (k *Kernel) first(cond *ir.Value, loop *ir.Instr, negated bool) (int64, bool) {
	in := cond.Def
	for in != nil && in.Op == ir.OpNot {
		in, negated = in.Args[0].Def, !negated
	}
	if in == nil || len(in.Args) != 2 {
		return 0, false
	}
	a0, a1, ok := k.linear(in.Args[0], loop)
	b0, b1, ok2 := k.linear(in.Args[1], loop)
	if !ok || !ok2 {
		return 0, false
	}
	holds := func(n int64) bool {
		x, y := a0+n*a1, b0+n*b1
		switch in.Op {
		case ir.OpEq:
			return (x == y) != negated
		case ir.OpNe:
			return (x != y) != negated
		case ir.OpSLT, ir.OpULT:
			return (x < y) != negated
		}
		return (x <= y) != negated
	}
	d, step := a0-b0, a1-b1
	var n int64 // about where the two are equal
	switch in.Op {
	case ir.OpEq, ir.OpNe, ir.OpSLT, ir.OpULT, ir.OpSLE, ir.OpULE:
	default:
		return 0, false
	}
	if !holds(0) {
		return 0, true
	}
	if step == 0 {
		return 0, false // it never ends
	}
	if n = -d / step; n < 0 || n > maxTrips {
		return 0, false
	}
	if in.Op == ir.OpEq || in.Op == ir.OpNe {
		if n = max(n, 1); in.Op == ir.OpNe == negated {
			n = 1 // equal only once
		}
		if holds(n) {
			return 0, false // the two never meet
		}
	} else {
		for n = max(n-1, 0); holds(n); n++ {
			if n > -d/step+2 {
				return 0, false
			}
		}
	}
	if in.Op == ir.OpULT || in.Op == ir.OpULE { // numbers must not have wrapped
		for _, x := range []int64{a0, b0, a0 + n*a1, b0 + n*b1} {
			if x < 0 {
				return 0, false
			}
		}
	}
	return n, true
}

// linear returns a value as base + step × the loop's counter.
func (k *Kernel) linear(v *ir.Value, loop *ir.Instr) (base, step int64, ok bool) {
	p := k.of(v, 0)
	if p == nil || v.Type.Lanes() != 1 {
		return 0, 0, false
	}
	for i := range p.Terms {
		switch a := p.Terms[i].Atoms(); {
		case len(a) == 0:
			base = p.Terms[i].Factor
		case len(a) == 1 && a[0].Kind == Counter && a[0].Loop == loop:
			step = p.Terms[i].Factor
		default:
			return 0, 0, false
		}
	}
	return base, step, true
}
