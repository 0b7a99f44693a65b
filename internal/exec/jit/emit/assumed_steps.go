package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// How far the elements of neighboring lanes are apart often depends on an argument, which has the
// same value as a rule: with a stride of 1, the elements are in a row, and four loads whose
// addresses are a stride apart are a group. So a segment's code is for that, behind comparisons
// with the numbers that it is for. Other code, which is compiled when it is first needed, is for
// all others.

// guess is what the code of a segment assumes.
type guess struct {
	steps map[lir.Ref]int64   // of indices along x
	apart map[*lir.Inst]int64 // how far the address of a group's load is behind that of the first
	first map[*lir.Inst]*lir.Inst
	order []*lir.Inst // with the conditions, in the order of execution
}

// alike is what loads of a guessed group have in common.
type alike struct {
	b     lir.Ref
	ext   lir.Ext
	scale int64
	mask  lir.Ref
	kind  ir.Kind
	space ir.Space
}

// guessable reports whether the lanes' elements of an access may be in a row, or those of a group,
// if the step of its index is a certain one, and returns that for elements in a row.
func (c *compiler) guessable(in *lir.Inst) (step int64, ok bool) {
	if !plan.AccessesMemory(in) || plan.OwnAddresses(c.Program, in) || in.B == 0 || c.Class(in.B) != lir.Affine ||
		c.Class(in.A) != lir.Once || in.Scale <= 0 || c.affine(in.B).steps[0].Constant {
		return 0, false
	}
	size := int64(in.Kind.Size())
	return size / in.Scale, size%in.Scale == 0
}

// guess returns what the code of a segment assumes, or nil.
func (c *compiler) guess(s *plan.Segment) *guess {
	if !c.straight() || c.forced.Cold {
		return nil
	}
	var g *guess
	var loads map[alike][]*lir.Inst
	for _, pc := range s.Lanes {
		in := &c.Program.Code[pc]
		step, ok := c.guessable(in)
		if !ok {
			continue
		}
		if g == nil {
			g = &guess{steps: map[lir.Ref]int64{}, apart: map[*lir.Inst]int64{}, first: map[*lir.Inst]*lir.Inst{}}
			loads = map[alike][]*lir.Inst{}
		}
		if _, known := g.steps[in.B]; !known {
			g.steps[in.B] = step
			g.order = append(g.order, in)
		}
		size := int64(in.Kind.Size())
		if plan.WritesMemory(in) || size != 4 && size != 2 {
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
			g.steps[in.B] = 4 * step
		}
	}
	return g
}

// group makes four loads a group; ok is false if they cannot be.
func (g *guess) group(four []*lir.Inst) (ok bool) {
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
			g.apart[in], g.first[in] = apart[i+1], first
			g.order = append(g.order, in)
		}
	}
	return true
}

// behind returns how far an instruction's address is behind that of the first of its group.
func (c *compiler) behind(in *lir.Inst) int64 {
	if c.guessed == nil {
		return 0
	}
	return c.guessed.apart[in]
}

// sameBase reports whether two accesses have the same address, or ones at a guessed distance.
func (c *compiler) sameBase(a, b *lir.Inst) bool {
	if a.A == b.A {
		return true
	}
	lead := func(in *lir.Inst) *lir.Inst {
		if x := c.guessed.first[in]; x != nil {
			return x
		}
		return in
	}
	return c.guessed != nil && lead(a).A == lead(b).A
}

// check jumps to other unless what the code of a segment assumes is so.
func (c *compiler) checkGuess(g *guess, other amd64.Label) {
	done := map[lir.Ref]bool{}
	compare := func(x int64) {
		c.Emit(amd64.CMP64Imm, amd64.Args{Y: amd64.G(amd64.RAX), Imm: x})
		c.Jcc(amd64.NE, other)
	}
	for _, in := range g.order {
		if first := g.first[in]; first != nil {
			c.load64(amd64.RAX, c.place(in.A))
			c.scalar(amd64.SUB64, amd64.RAX, c.place(first.A))
			compare(g.apart[in])
		}
		if !done[in.B] {
			done[in.B] = true
			c.load64(amd64.RAX, c.affine(in.B).steps[0].at)
			compare(g.steps[in.B])
		}
	}
}
