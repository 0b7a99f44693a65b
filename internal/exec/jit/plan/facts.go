package plan

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Facts are what is known of a program, whatever its ranges are.
type Facts struct {
	Target
	Program *lir.Program
	Live    *liveness
	*operands
	places  []int32   // see findPlaces
	Keeps   []bool    // see lir.Program.Roots
	roots   []lir.Ref // by variable, as far as RootOf has found them; manyRoots for several
	Strides strides
	most    []int64          // see findBounded; by the same numbers, -1 for others
	Defs    [][]int          // the instructions that write each variable
	Loops   [][2]int         // first and last instructions
	known   []bool           // whether the compiler knows each instruction
	Kinds   []LaneKind       // of operations on lanes, as far as they have been compiled
	lifted  map[lir.Ref]bool // see lift
	Row     bool             // the range is all of the program, and given numbers are part of it
	adds    bool             // the program adds to device memory by atomic operations
}

// NewFacts finds the facts of a program.
func NewFacts(p *lir.Program, t Target) *Facts {
	ops := findOperands(p)
	f := &Facts{Target: t, operands: ops, Live: findLive(p, ops), Keeps: p.Roots(), roots: make([]lir.Ref, len(p.Vars)),
		Defs: ops.definitions(len(p.Vars)), places: findPlaces(p)}
	f.Program, f.lifted = lift(p, t, f.Defs)
	f.Strides = findStrides(f.Program)
	f.findBounded()
	for pc := range p.Code {
		in := &p.Code[pc]
		if in.Op == lir.OpBack {
			f.Loops = append(f.Loops, [2]int{int(in.Target), pc})
		}
		f.adds = f.adds || in.Op.IR() == ir.OpAtomicAdd && in.Space == ir.Device
	}
	f.known, f.Kinds = make([]bool, len(p.Code)), make([]LaneKind, len(p.Code))
	for pc := range p.Code {
		f.known[pc] = f.IsUsable(&f.Program.Code[pc])
	}
	return f
}

// findPlaces returns for each variable which is the first that has its place in the frame.
func findPlaces(p *lir.Program) []int32 {
	const unit = 8                                           // bytes: no places are closer
	first := make([]int32, 1<<bits.Len(2*uint(len(p.Vars)))) // a hash table by place
	places := make([]int32, len(p.Vars))
	for r := 1; r < len(p.Vars); r++ {
		off := p.Vars[r].Off
		at := int(off/unit) & (len(first) - 1)
		for first[at] != 0 && p.Vars[first[at]].Off != off {
			at = (at + 1) & (len(first) - 1)
		}
		if first[at] == 0 {
			first[at] = int32(r)
		}
		places[r] = first[at]
	}
	return places
}
