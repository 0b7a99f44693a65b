package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// assign gives registers to values that live across segments, or leaves them in the frame.
func (c *Plan) assign() {
	c.Homes = slices.Grow(c.Homes[:0], len(c.Clash))[:len(c.Clash)]
	clear(c.Homes)
	for _, r := range c.truths {
		c.setHome(r, Home{Reg: -1, Mask: true, Offset: c.Alloc(int(c.Bits(0, max(c.Vectors, 32))), 8)})
	}
	for _, r := range c.wides {
		c.setHome(r, Home{Reg: -1, Wide: true, Offset: c.WideSlot(r)})
	}
	for _, r := range c.matrices {
		c.setHome(r, Home{Reg: -1, Matrix: true, Offset: c.MatrixSlot(r)})
	}
	groups := min((c.FirstScratch-c.MinLocals)/c.Block, len(c.order))
	if c.Spill {
		groups = 0
	}
	spilled := 0
	used := 0
	inRegs := newSets(groups, len(c.Clash)) // numbers of variables, by the group of registers that they have
	for _, r := range c.order {
		clash := c.Clash[c.Index[r]]
		free := func(g int) bool { return !inRegs[g].meets(clash) }
		g := 0
		for g < groups && !free(g) {
			g++
		}
		// A copy is free if both have the same registers.
		for _, o := range c.copies[c.Index[r]] {
			if h, ok := c.HomeOf(o); ok && h.Reg >= 0 && free(h.Reg/c.Block) {
				g = h.Reg / c.Block
			}
		}
		if g == groups {
			spilled += c.uses[c.Index[r]]
			h := Home{Reg: -1, Offset: c.Program.Var(r).Off}
			if Narrow(c.Program.Var(r).Kind) {
				h = Home{Reg: -1, Apart: true, Offset: c.Alloc(int(c.Column(0, 4, c.Block)), 64)}
			}
			c.setHome(r, h)
			continue
		}
		inRegs[g].Add(lir.Ref(c.Index[r]))
		used = max(used, (g+1)*c.Block)
		c.setHome(r, Home{Reg: g * c.Block})
	}
	c.Locals, c.spilled = c.FirstScratch-used, spilled
}

// Home is where a variable of lanes is that lives across segments.
type Home struct {
	Reg    int  // the first of u registers; negative if it is in memory
	Mask   bool // a truth value: a bit for each lane, in the context
	Apart  bool // a narrow number that has no register: 32 bits for each lane of a block, in the context
	Wide   bool // 64 bits for each lane of a block, in the context
	Matrix bool // the matrices of a block's simdgroups, in the context
	Offset int32
	Known  bool
}

// inFrame reports whether a variable's home is its place in the frame.
func (h Home) inFrame() bool { return h.Reg < 0 && !h.Mask && !h.Apart && !h.Wide && !h.Matrix }

// HomeOf returns where a variable is that lives across segments; ok is false for others.
func (c *Plan) HomeOf(r lir.Ref) (h *Home, ok bool) {
	h = &c.Homes[c.Index[r]]
	return h, h.Known && !c.Homeless
}

func (c *Plan) setHome(r lir.Ref, h Home) {
	h.Known = true
	c.Homes[c.Index[r]] = h
}
