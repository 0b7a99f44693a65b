package plan

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// How far the elements of neighboring lanes are apart often depends on an argument, which has the
// same value as a rule: with a stride of 1, the elements are in a row, and four loads whose
// addresses are a stride apart are a group. So a segment's code is for that, behind comparisons
// with the numbers that it is for. Other code, which is compiled when it is first needed, is for
// all others.

// Assumed is what the code of a segment assumes.
type Assumed struct {
	Steps map[lir.Ref]int64   // of indices along x
	Apart map[*lir.Inst]int64 // how far the address of a group's load is behind that of the first
	First map[*lir.Inst]*lir.Inst
	Order []*lir.Inst // with the conditions, in the order of execution
}

// alike is what loads of a group by assumption have in common.
type alike struct {
	b     lir.Ref
	ext   lir.Ext
	scale int64
	mask  lir.Ref
	kind  ir.Kind
	space ir.Space
}

// assumable reports whether the lanes' elements of an access may be in a row, or those of a group,
// if the step of its index is a certain one, and returns that for elements in a row.
func (c *Plan) assumable(in *lir.Inst) (step int64, ok bool) {
	if !AccessesMemory(in) || OwnAddresses(c.Program, in) || in.B == 0 || c.Class(in.B) != lir.Affine ||
		c.Class(in.A) != lir.Once || in.Scale <= 0 || c.firstStep(in.B).Constant {
		return 0, false
	}
	size := int64(in.Kind.Size())
	return size / in.Scale, size%in.Scale == 0
}

// firstStep returns by how much an affine variable grows along x.
func (c *Plan) firstStep(r lir.Ref) Step {
	steps, _ := c.Strides.Of(r)
	return steps[0]
}

// findAssumed returns what the code of a segment assumes, or nil.
func (c *Plan) findAssumed(s *Segment) *Assumed {
	if !c.Straight() {
		return nil
	}
	var g *Assumed
	var loads map[alike][]*lir.Inst
	for _, pc := range s.Lanes {
		in := &c.Program.Code[pc]
		step, ok := c.assumable(in)
		if !ok {
			continue
		}
		if g == nil {
			g = &Assumed{Steps: map[lir.Ref]int64{}, Apart: map[*lir.Inst]int64{}, First: map[*lir.Inst]*lir.Inst{}}
			loads = map[alike][]*lir.Inst{}
		}
		if _, known := g.Steps[in.B]; !known {
			g.Steps[in.B] = step
			g.Order = append(g.Order, in)
		}
		size := int64(in.Kind.Size())
		if WritesMemory(in) || size != 4 && size != 2 {
			continue
		}
		key := alike{in.B, in.Ext, in.Scale, in.Mask, in.Kind, in.Space}
		loads[key] = append(loads[key], in)
		four := loads[key]
		if len(four) < 4 {
			continue
		}
		delete(loads, key)
		if g.group(four) {
			g.Steps[in.B] = 4 * step
		}
	}
	return g
}

// group makes four loads a group; ok is false if they cannot be.
func (g *Assumed) group(four []*lir.Inst) (ok bool) {
	first, size := four[0], int64(four[0].Kind.Size())
	apart := [4]int64{}
	for i, in := range four {
		apart[i] = int64(i)*size - (in.Disp - first.Disp)
		if in.A == first.A && apart[i] != 0 {
			return false
		}
	}
	for i, in := range four[1:] {
		if in.A != first.A {
			g.Apart[in], g.First[in] = apart[i+1], first
			g.Order = append(g.Order, in)
		}
	}
	return true
}
