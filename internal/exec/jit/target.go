package jit

import "github.com/puremetal/puremetal/internal/ir/lir"

// target describes the processor that code is for.
type target struct {
	name         string
	width        int // of a vector, in elements of 4 bytes
	firstScratch int // vector registers from here on hold intermediate values of one operation
	minLocals    int // vector registers that are left for values within a segment
	vectors      int // registers
	maxCode      int // the most bytes of code for a range
}

// maxWidth is the width of the widest vectors.
const maxWidth = 16

var (
	avx512 = target{name: Fastest, width: 16, firstScratch: 28, minLocals: 10, vectors: 32, maxCode: 256 << 10}
	avx2   = target{name: "AVX2", width: 8, firstScratch: maskFirst, minLocals: 4, vectors: 16, maxCode: 512 << 10}
)

// vectorsOf returns the number of vectors of a strip.
func (t target) vectorsOf(p *lir.Program) int { return (p.Lanes + t.width - 1) / t.width }

// column returns where vector j of a variable is that has an element of size bytes for each lane.
func (t target) column(off int32, size, j int) int32 { return off + int32(t.width*size*j) }

// bits returns where vector j of a variable is that has a bit for each lane.
func (t target) bits(off int32, j int) int32 { return off + int32(t.width/8*j) }

// simdgroupOf returns the simdgroup of vector j.
func (t target) simdgroupOf(j int) int { return j * t.width / lir.SimdWidth }
