package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
)

// If a range is all of its program, nothing is in the frame before it and behind it. So all blocks
// can have the same places there, and the same code: a loop executes it for one block after
// another, each as if it were the first one of a strip that begins elsewhere.

// beginBlocks begins with the first block. A block begins at a label.
func (c *compiler) beginBlocks(block amd64.Label) {
	c.number = c.Alloc(8, 8)
	c.MovImm64(amd64.RAX, 0)
	c.store64(ctx(c.number), amd64.RAX)
	c.Bind(block) // with its number in RAX
	c.moveThread()
	n := c.Vectors / c.Block
	for axis := range 3 {
		first := func(b int) uint64 { return uint64(c.lane(b * c.Block * c.Width)[axis]) }
		moves := false
		for b := range n {
			moves = moves || first(b) != 0
		}
		if !moves {
			continue
		}
		at := c.Alloc(8*n, 8)
		for b, words := 0, c.addConstants(at, n); b < n; b++ {
			words[b] = first(b)
		}
		c.load64(amd64.RCX, amd64.Index(ctxReg, amd64.RAX, 8, at))
		c.store64(ctx(CtxFirst+8*int32(axis)), amd64.RCX)
	}
}

// nextBlock begins the next block, if there is one.
func (c *compiler) nextBlock(block amd64.Label) {
	c.load64(amd64.RAX, ctx(c.number))
	c.scalarImm(amd64.ADD64Imm, amd64.RAX, 1)
	c.store64(ctx(c.number), amd64.RAX)
	c.compare(amd64.CMP64, amd64.RAX, ctx(c.word(uint64(c.Vectors/c.Block))))
	c.Jcc(amd64.B, block)
}
