package plan

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// estimate returns what a way to compile a range costs relative to others: uses of variables in
// memory, and what each block computes for all lanes, unless that hides behind other work.
func (c *Plan) estimate() int {
	shared, own, bytes := c.work.shared, c.work.own, c.work.bytes
	perBlock := c.Loop || c.Block == c.Vectors && c.Row // blocks have the same code
	lanes, copies := c.Block*c.Width, c.Vectors
	if c.Loop {
		copies = c.Block
	}
	switch {
	case perBlock && c.work.thread > own/4:
		// Measured with an insertion sort: vectors wait for the thread memory, and two at a time
		// are as fast as more.
		return max(2-c.Block, c.Block-2)
	case perBlock && c.straightLine():
		// Measured: more lanes than these gain less than 2 %, and their code takes longer to
		// compile.
		const least, most, perShared = 32, 128, 133
		enough := least
		for enough < most && enough*own < perShared*shared {
			enough *= 2
		}
		return c.spilled + max(enough-lanes, lanes-enough)/c.Width
	case perBlock && c.Width == MaxWidth:
		// In a loop, the operations of one vector often wait for each other: a Mandelbrot set takes
		// 1.2 times as long with 32 lanes, although more have no registers for all variables.
		const enough, spillCost = 64, 0.75
		waiting := 0.0
		if lanes < enough {
			waiting = 0.2
		}
		if lanes < enough/2 {
			waiting = 0.3
		}
		return int(float64(own)/float64(c.Bytes.Operation)*waiting+float64(c.spilled)*spillCost) + max(0, lanes-mostLanes)
	}
	cost := c.spilled*c.Vectors + shared*c.Vectors/c.Block + int(float64(own*c.Vectors)*tooMuchCode(bytes*copies))
	if perBlock && lanes > mostLanes {
		cost *= 2
	}
	return cost
}

func (c *Plan) estimateWork() (w work) {
	const sharedCost, accessCost = 4, 16 // instructions
	for pc := c.From; pc < c.To; pc++ {
		in := &c.Program.Code[pc]
		weight := 1 << (3 * min(c.depth[pc], 5))
		switch {
		case AccessesMemory(in):
			w.shared += accessCost * weight
		case !onLanes(c.Program, in):
			w.shared += sharedCost * weight
			continue
		}
		n := c.codeOf(in)
		w.own, w.bytes = w.own+n*weight, w.bytes+n
		if OnThread(in) {
			w.thread += n * weight
		}
	}
	return w
}

// codeOf estimates how many bytes of code an operation on lanes takes for a vector.
func (c *Plan) codeOf(in *lir.Inst) int {
	switch f := FunctionOf(in); {
	case f != nil:
		return c.Bytes.Step * len(f.Steps)
	case IsTexture(in):
		return c.Bytes.Texture
	case AccessesMemory(in) && OwnAddresses(c.Program, in):
		return c.Bytes.Gather
	}
	return c.Bytes.Operation
}

// work estimates the range's work for all lanes, in instructions, and the bytes of code for
// a vector: executed, those of them that access thread memory, and in all.
type work struct{ shared, own, thread, bytes int }

// tooMuchCode estimates what a byte of executed code costs, in instructions, if there is so much of
// it that the processor's caches of code are too small. SHA-256 and a blur of 25 texels, in blocks
// of all vectors, took 1.4 and 1.7 times as long as in the best ones.
func tooMuchCode(bytes int) float64 {
	const enough, perDoubling, instruction = 24 << 10, 0.2, 8
	return max(0, math.Log2(float64(bytes)/enough)) * perDoubling / instruction
}

// mostLanes is the most lanes of a block in a loop. Rows of memory a power of two apart, one for
// each vector, compete for 8 places in a cache: a product of matrices takes 1.6 times as long in
// blocks of 256 lanes.
const mostLanes = 128
