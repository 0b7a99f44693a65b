package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Groups of numbers of 16 bits: two vectors have those of all lanes, 64 bits for each.

// interleaved returns an index of alternating elements of two vectors, from one of each on.
func (c *compiler) interleaved(from int) int32 {
	var index [plan.MaxWidth]int32
	for i := range index {
		index[i] = int32(from + i/2 + i%2*c.Width)
	}
	return c.vector(index)
}

// transposeNarrow is transpose for numbers of 16 bits.
func (l *lanes) transposeNarrow(g *group) {
	c := l.c
	at := c.at(g.base, l.jj)
	c.Emit(amd64.VMOVUPS, amd64.Args{D: indexScratch, Y: at})
	var r [4]uint8
	for i := range r {
		r[i] = l.take()
	}
	for half := range 2 { // elements 0 and 1, then 2 and 3
		var index [plan.MaxWidth]int32
		for i := range index {
			index[i] = int32(2*i + half)
		}
		lo, hi := r[2*half], r[2*half+1]
		c.Emit(amd64.VMOVUPS, amd64.Args{D: lo, Y: ctx(c.vector(index))})
		c.Emit(amd64.VPERMI2D, amd64.Args{D: lo, X: indexScratch, Y: at.Plus(64)})
		c.Emit(amd64.VPSRLDImm, amd64.Args{D: hi, Y: vec(lo), Imm: 16})
		c.Emit(amd64.VPANDD, amd64.Args{D: lo, X: lo, Y: c.constant32(0xffff)})
	}
	l.allot(g, r)
}

// storeNarrowGroup stores the values of a group of numbers of 16 bits.
func (l *lanes) storeNarrowGroup(g *group, in *lir.Inst) {
	c := l.c
	var value [4]uint8
	for i, pc := range g.members {
		value[i] = l.reg(c.Program.Code[pc].C, indexScratch+uint8(i))
	}
	pairs := [2]uint8{l.take(), l.take()}
	for i, d := range pairs {
		c.Emit(amd64.VPSLLDImm, amd64.Args{D: d, Y: vec(value[2*i+1]), Imm: 16})
		c.Emit(amd64.VPORD, amd64.Args{D: d, X: d, Y: vec(value[2*i])})
	}
	at := c.at(g.base, l.jj)
	k := amd64.Mask(0)
	if in.Mask != 0 || c.Partial() {
		k = 1
		l.mask(1, in.Mask)
		c.Emit(amd64.KMOVW, amd64.Args{D: 2, Y: amd64.K(1)})
	}
	for i := range 2 { // half of the lanes each
		const s = uint8(valueScratch)
		c.Emit(amd64.VMOVUPS, amd64.Args{D: s, Y: ctx(c.interleaved(i * c.Width / 2))})
		c.Emit(amd64.VPERMI2D, amd64.Args{D: s, X: pairs[0], Y: vec(pairs[1])})
		c.Emit(amd64.VMOVUPDStore, amd64.Args{X: s, Y: at.Plus(64 * int32(i)), K: k})
		if k != 0 {
			k = 2
			c.Emit(amd64.KSHIFTRW, amd64.Args{D: 2, Y: amd64.K(2), Imm: 8})
		}
	}
	l.free = append(l.free, pairs[:]...)
}
