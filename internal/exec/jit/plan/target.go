package plan

import "github.com/puremetal/puremetal/internal/ir/lir"

// Target describes the processor that code is for.
type Target struct {
	Name         string
	Width        int // of a vector, in elements of 4 bytes
	FirstScratch int // vector registers from here on hold intermediate values of one operation
	ScratchMasks int // mask registers that hold those of one operation
	MinLocals    int // vector registers that are left for values within a segment
	Registers    int // registers
	MaxCode      int // the most bytes of code for a range
	Gather       int // about how many operations on vectors take as long as loads of own addresses
	Fixed        int // bytes of the context that every range has
	Bytes        CodeBytes
}

// CodeBytes are about how many bytes of code operations take for a vector.
type CodeBytes struct {
	Operation int // on lanes
	Step      int // of a function
	Gather    int // an access in which each lane has an address of its own
	Texture   int
}

// MaxWidth is the width of the widest vectors.
const MaxWidth = 16

// vectorsOf returns the number of vectors of a strip.
func (t Target) vectorsOf(p *lir.Program) int { return (p.Lanes + t.Width - 1) / t.Width }

// Column returns where vector j of a variable is that has an element of size bytes for each lane.
func (t Target) Column(off int32, size, j int) int32 { return off + int32(t.Width*size*j) }

// Bits returns where vector j of a variable is that has a bit for each lane.
func (t Target) Bits(off int32, j int) int32 { return off + int32(t.Width/8*j) }

// SimdgroupOf returns the simdgroup of vector j.
func (t Target) SimdgroupOf(j int) int { return j * t.Width / lir.SimdWidth }

// VectorsOfSimdgroup returns the number of vectors of a simdgroup.
func (t Target) VectorsOfSimdgroup() int { return lir.SimdWidth / t.Width }
