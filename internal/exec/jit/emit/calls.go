package emit

import (
	"math/bits"
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// The code of functions is there once for each vector of a strip. If that does not fit into the
// processor's cache of code, each function is a subroutine. Its arguments are in the registers of
// intermediate values from the first one on, its results in the last ones.

// maxInline bounds the steps of functions that a range has inline, for all of its vectors.
const maxInline = 1500

// findCalls decides whether the functions of the range are subroutines.
func (c *compiler) findCalls() {
	steps, vectors := 0, c.Vectors
	if c.Loop {
		vectors = c.Block
	}
	for pc := c.From; pc < c.To; pc++ {
		if in := &c.Program.Code[pc]; in.D != 0 && c.Class(in.D) == lir.Lane {
			if p := plan.FunctionOf(in); p != nil {
				steps += len(p.Steps)
			}
		}
	}
	c.calls = c.forced.Calls || steps*vectors > maxInline && vectors > 1
}

// callFunction calls the subroutine of a function, and leaves the results in valueScratch and
// placeScratch. ok is false if functions are inline, or the range has too few registers.
func (l *lanes) callFunction(in *lir.Inst, p *fast.Program, results []int) (ok bool) {
	c := l.c
	if !c.calls {
		return false
	}
	n, _ := p.Registers(results, true)
	if n = max(0, n-scratchRegs); n > c.Locals { // of the segment
		return false
	}
	args := [2]uint8{indexScratch, startScratch}
	f := l.newFunction(p)
	for i, r := range []lir.Ref{in.A, in.B}[:p.Args] {
		if x := f.argument(in, r); x != args[i] {
			c.Emit(amd64.VMOVAPS, amd64.Args{D: args[i], Y: vec(x)})
			f.free = slices.DeleteFunc(f.free, func(r uint8) bool { return r == args[i] })
		}
	}
	for len(l.free) < n { // also those of the arguments
		l.evictBut(nil)
	}
	more := slices.Sorted(slices.Values(l.free)) // the segment takes the last ones last
	more = more[len(more)-n:]
	set := uint32(0)
	for _, r := range more {
		set |= 1 << r
	}
	c.callLeaf(routine{p.Name, [7]int64{int64(set)}}, l.pc, func() { c.emitFunction(p, results, set, args) })
	return true
}

// emitFunction emits the subroutine of a function, which may change a set of registers.
func (c *compiler) emitFunction(p *fast.Program, results []int, set uint32, args [2]uint8) {
	c.within.clear()
	l := &lanes{c: c, laneOps: &noOps, values: c.within}
	for ; set != 0; set &= set - 1 {
		l.free = append(l.free, uint8(bits.TrailingZeros32(set)))
	}
	f := l.newFunction(p)
	f.args, f.owned = args, true
	f.free = slices.DeleteFunc(f.free, func(r uint8) bool { return slices.Contains(args[:p.Args], r) })
	f.steps(results)
	first, second := f.regs[results[0]][0], f.regs[results[len(results)-1]][0]
	move := func(d, x uint8) {
		if d != x {
			c.Emit(amd64.VMOVAPS, amd64.Args{D: d, Y: vec(x)})
		}
	}
	if len(results) > 1 && second == valueScratch {
		free := uint8(placeScratch)
		if first == free {
			free = startScratch
		}
		move(free, second)
		second = free
	}
	move(valueScratch, first)
	if len(results) > 1 {
		move(placeScratch, second)
	}
}
