package build

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// classes determines, for each component of each value, which lanes of a strip share it. Only the
// active lanes count: since all lanes of a strip execute the code together, a value that differs
// only between iterations of a loop is still the same in all of them.
type classes struct {
	*flow
	f      *ir.Func
	shape  [3]int
	simds  int // simdgroups of a strip
	of     [][4]lir.Class
	column []bool // by Value.ID: an affine value that is also used as a column
}

func classify(f *ir.Func, p *lir.Program) *classes {
	c := &classes{flow: newFlow(f), f: f, shape: p.Shape, simds: (p.Lanes + lir.SimdWidth - 1) / lir.SimdWidth,
		of: make([][4]lir.Class, f.NumValues()), column: make([]bool, f.NumValues())}
	for c.changed = true; c.changed; {
		c.changed = false
		c.region(f.Body, nil)
	}
	return c
}

// join returns the class of a value that is one or the other, or is computed from both.
func join(a, b lir.Class) lir.Class {
	switch {
	case a == b || b == lir.Once:
		return a
	case a == lir.Once:
		return b
	}
	return lir.Lane
}

// flat returns the class of the result of an operation that has no affine form, on a value of class
// a.
func flat(a lir.Class) lir.Class {
	if a == lir.Affine {
		return lir.Lane
	}
	return a
}

// simd is the class of values that a simdgroup shares: Once if it is the strip's only simdgroup.
func (c *classes) simd() lir.Class {
	if c.simds == 1 {
		return lir.Once
	}
	return lir.Simd
}

// raise records that a component is shared no more widely than by.
func (c *classes) raise(v *ir.Value, comp int, by lir.Class) {
	if to := join(c.of[v.ID][comp], by); to != c.of[v.ID][comp] {
		c.of[v.ID][comp], c.changed = to, true
	}
}

func (c *classes) raiseAll(v *ir.Value, by lir.Class) {
	for i := range v.Type.Lanes() {
		c.raise(v, i, by)
	}
}

// give records that values are passed to results or parameters; merged means that other lanes may
// get theirs from elsewhere.
func (c *classes) give(to, from []*ir.Value, merged bool) {
	for i, v := range to {
		for comp := range v.Type.Lanes() {
			by := c.of[from[i].ID][comp]
			if merged || v.Type.Kind == ir.Matrix {
				by = lir.Lane
			}
			c.raise(v, comp, by)
		}
	}
}

func (c *classes) region(r *ir.Region, path []*ir.Instr) {
	for _, in := range r.Instrs {
		inside := append(path[:len(path):len(path)], in)
		switch in.Op {
		case ir.OpIf:
			if c.of[in.Args[0].ID][0] != lir.Once {
				c.set(c.divergent, in)
			}
			yields := 0
			for _, sub := range in.Regions {
				c.region(sub, inside)
				if sub.Terminator().Op == ir.OpYield {
					yields++
				}
			}
			for _, sub := range in.Regions {
				if end := sub.Terminator(); end.Op == ir.OpYield {
					c.give(in.Results, end.Args, c.divergent[in] && yields > 1)
				}
			}
		case ir.OpLoop:
			c.give(in.Regions[0].Params, in.Args, false)
			c.region(in.Regions[0], inside)
		case ir.OpBlock:
			c.region(in.Regions[0], inside)
			if end := in.Regions[0].Terminator(); end.Op == ir.OpYield {
				c.give(in.Results, end.Args, c.mergesResults(in, end))
			}
		case ir.OpBreak:
			c.branch(in, path)
			c.give(in.Target.Results, in.Args, c.mergesResults(in.Target, in))
		case ir.OpContinue:
			c.branch(in, path)
			c.give(in.Target.Regions[0].Params, in.Args, c.mergesParams(in.Target, in))
		case ir.OpReturn, ir.OpUnreachable:
			c.branch(in, path)
		case ir.OpYield:
		default:
			c.instr(in)
		}
	}
}

// instr records the classes of an instruction's results.
func (c *classes) instr(in *ir.Instr) {
	info := in.Op.Info()
	all := lir.Once
	for _, a := range in.Args {
		for i := range a.Type.Lanes() {
			all = join(all, c.of[a.ID][i])
		}
	}
	set := func(by lir.Class) {
		for _, r := range in.Results {
			c.raiseAll(r, by)
		}
	}
	switch op := in.Op; {
	case len(in.Results) == 0:
	case in.Result() != nil && in.Result().Type.Kind == ir.Matrix:
		set(lir.Lane)
	case op == ir.OpIn:
		for i := range in.Results[0].Type.Lanes() {
			c.raise(in.Results[0], i, c.input(ir.Input(in.Imm), i))
		}
	case op == ir.OpArg, op == ir.OpTexQuery:
		set(flat(all))
	case info.Has(ir.UniformResult), op == ir.OpAlloca:
		set(lir.Once)
	case op == ir.OpLoad, op == ir.OpAtomicLoad:
		if in.Args[0].Type.Space == ir.Thread {
			all = lir.Lane
		}
		set(flat(all))
	case op == ir.OpOffset, op == ir.OpField, op == ir.OpPtrToInt, op == ir.OpIntToPtr:
		set(all)
	case op == ir.OpBuild:
		for i, a := range in.Args {
			c.raise(in.Results[0], i, c.of[a.ID][0])
		}
	case op == ir.OpSplat:
		set(all)
	case op == ir.OpExtract:
		c.raise(in.Results[0], 0, c.of[in.Args[0].ID][in.Imm])
	case op == ir.OpInsert:
		for i := range in.Results[0].Type.Lanes() {
			by := c.of[in.Args[0].ID][i]
			if int64(i) == in.Imm {
				by = c.of[in.Args[1].ID][0]
			}
			c.raise(in.Results[0], i, by)
		}
	case op == ir.OpSwizzle:
		for i := range in.Results[0].Type.Lanes() {
			a, lane := swizzled(in, i)
			c.raise(in.Results[0], i, c.of[a.ID][lane])
		}
	case op == ir.OpSimdHold:
		for i := range in.Results[0].Type.Lanes() {
			c.raise(in.Results[0], i, c.of[in.Args[0].ID][i])
		}
	case info.Has(ir.SimdUniform):
		set(c.simd())
	case !info.Has(ir.Pure):
		set(lir.Lane)
	case info.Has(ir.Lanewise):
		for i := range in.Results[0].Type.Lanes() {
			by := lir.Once
			for _, a := range in.Args {
				by = join(by, c.of[a.ID][min(i, a.Type.Lanes()-1)])
			}
			if by == lir.Affine && !c.affine(in, i) {
				by = lir.Lane
			}
			for _, r := range in.Results {
				c.raise(r, i, by)
			}
		}
	case op == ir.OpSelect:
		for i := range in.Results[0].Type.Lanes() {
			by := flat(c.of[in.Args[0].ID][min(i, in.Args[0].Type.Lanes()-1)])
			c.raise(in.Results[0], i, flat(join(by, join(c.of[in.Args[1].ID][i], c.of[in.Args[2].ID][i]))))
		}
	default:
		set(flat(all))
	}
}

// swizzled returns the operand and its lane that become lane i of a Swizzle's result.
func swizzled(in *ir.Instr, i int) (*ir.Value, int) {
	place := int(in.Lane(i))
	if n := in.Args[0].Type.Lanes(); place >= n {
		return in.Args[1], place - n
	}
	return in.Args[0], place
}

// affine reports whether an operation on affine operands gives an affine result.
func (c *classes) affine(in *ir.Instr, comp int) bool {
	wide := func(k ir.Kind) bool { return k == ir.I32 || k == ir.I64 }
	if !wide(in.Args[0].Type.Kind) || !wide(in.Results[0].Type.Kind) {
		return false
	}
	class := func(i int) lir.Class { return c.of[in.Args[i].ID][comp] }
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpNeg, ir.OpZExt, ir.OpSExt, ir.OpTrunc:
		return true
	case ir.OpMul:
		return class(0) == lir.Once || class(1) == lir.Once
	case ir.OpShl:
		return class(1) == lir.Once
	}
	return false
}

// input returns the class of a component of an input.
func (c *classes) input(in ir.Input, comp int) lir.Class {
	switch in {
	case ir.ThreadPositionInGrid, ir.ThreadPositionInThreadgroup:
		if c.shape[comp] == 1 {
			return lir.Once
		}
		return lir.Affine
	case ir.ThreadIndexInThreadgroup:
		if c.shape == [3]int{1, 1, 1} {
			return lir.Once
		}
		return lir.Affine
	case ir.ThreadIndexInSimdgroup:
		if c.shape[0] == lir.SimdWidth {
			return lir.Affine
		}
		return lir.Lane
	case ir.ThreadIndexInQuadgroup, ir.QuadgroupIndexInThreadgroup:
		return lir.Lane
	case ir.SimdgroupIndexInThreadgroup:
		return c.simd()
	}
	return lir.Once
}
