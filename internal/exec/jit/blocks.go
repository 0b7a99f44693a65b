package jit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
)

// If a range is all of its program, nothing is in the frame before it and behind it. So all blocks
// can have the same places there, and the same code: a loop executes it for one block after
// another, each as if it were the first one of a strip that begins elsewhere.

// canLoop reports whether the blocks can be iterations of a loop: each must have all of its lanes,
// and the same places relative to the first.
func (c *compiler) canLoop() bool {
	n := c.u * c.width
	return c.r.Row && !c.partial() && c.vecs*c.width == c.p.Lanes && translates(c.p.Shape, n) &&
		c.p.Shape[0]*c.p.Shape[1]*c.p.Shape[2] == c.p.Lanes
}

// straightLine reports whether the range has no loops.
func (c *compiler) straightLine() bool {
	return !slices.ContainsFunc(c.loops, func(l [2]int) bool { return c.from <= l[1] && l[1] < c.to })
}

// beginBlocks begins with the first block. A block begins at a label.
func (c *compiler) beginBlocks(block amd64.Label) {
	c.number = c.alloc(8, 8)
	c.MovImm64(amd64.RAX, 0)
	c.store64(ctx(c.number), amd64.RAX)
	c.Bind(block) // with its number in RAX
	c.moveThread()
	n := c.vecs / c.u
	for axis := range 3 {
		first := func(b int) uint64 { return uint64(c.lane(b * c.u * c.width)[axis]) }
		moves := false
		for b := range n {
			moves = moves || first(b) != 0
		}
		if !moves {
			continue
		}
		at := c.alloc(8*n, 8)
		for b, words := 0, c.addConstants(at, n); b < n; b++ {
			words[b] = first(b)
		}
		c.load64(amd64.RCX, amd64.Index(ctxReg, amd64.RAX, 8, at))
		c.store64(ctx(ctxFirst+8*int32(axis)), amd64.RCX)
	}
}

// nextBlock begins the next block, if there is one.
func (c *compiler) nextBlock(block amd64.Label) {
	c.load64(amd64.RAX, ctx(c.number))
	c.scalarImm(amd64.ADD64Imm, amd64.RAX, 1)
	c.store64(ctx(c.number), amd64.RAX)
	c.compare(amd64.CMP64, amd64.RAX, ctx(c.word(uint64(c.vecs/c.u))))
	c.Jcc(amd64.B, block)
}
