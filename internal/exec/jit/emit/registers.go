package emit

import (
	"maps"
	"math"
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// tooFewRegisters is why an operation that needs many, such as a power, cannot be compiled.
const tooFewRegisters = "too few registers"

// compileRange compiles the range in blocks of u vectors, and returns the compiler that did. If an
// operation needs more registers than values that live across segments leave, those have none.
func (c *compiler) compileRange(u int) (by *compiler, out Code, err error) {
	err = plan.Attempt(func() {
		c.UseBlocks(u)
		out = c.compile()
	})
	if err == error(plan.Unable{Why: tooFewRegisters}) && !c.Spill {
		return newCompiler(plan.New(c.Facts, c.From, c.To, true, c.Usage), c.forced).compileRange(u)
	}
	return c, out, err
}

// release frees the register of a value that the segment does not use any more.
func (l *lanes) release(r lir.Ref) {
	if x, ok := l.regs.get(r); ok {
		l.free = append(l.free, x)
		l.regs.remove(r)
	}
	l.evicted.remove(r)
	if k, ok := l.truths.get(r); ok {
		l.c.DropMask(k)
		l.freeK = append(l.freeK, k)
		l.truths.remove(r)
	}
}

// def returns the register for a result. done must follow.
func (l *lanes) def(r lir.Ref) uint8 {
	if _, ok := l.memory(r); ok {
		return valueScratch
	}
	if h, ok := l.c.HomeOf(r); ok {
		return uint8(h.Reg + l.jj)
	}
	if x, ok := l.regs.get(r); ok {
		return x
	}
	x := l.take()
	l.regs.set(r, x)
	return x
}

// evict frees a register whose value the current instruction does not read, or one that is not due
// yet.
func (l *lanes) evict() { l.evictBut(l.c.Reads(l.pc)) }

// evictBut is evict with a list of the values that must stay in their registers.
func (l *lanes) evictBut(pinned []lir.Ref) {
	c := l.c
	victim, latest := lir.Ref(0), -1
	for _, r := range slices.Sorted(l.regs.all) {
		if next := l.nextRead(r); !slices.Contains(pinned, r) && next > latest {
			victim, latest = r, next
		}
	}
	if victim == 0 {
		l.evictPending()
		return
	}
	at := &c.Spots[victim].Evicted
	if *at == 0 {
		*at = c.Alloc(4*c.Width, 32)
	}
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: l.regs.at(victim), Y: ctx(*at)})
	l.evicted.set(victim, *at)
	l.free = append(l.free, l.regs.at(victim))
	l.regs.remove(victim)
}

// evictPending frees the register of the value that is due last.
func (l *lanes) evictPending() {
	if len(l.pending) == 0 {
		plan.Fail(tooFewRegisters)
	}
	c, pc := l.c, slices.Max(slices.Collect(maps.Keys(l.pending)))
	at, ok := c.waitSlots[pc]
	if !ok {
		if c.waitSlots == nil {
			c.waitSlots = map[int]int32{}
		}
		at = c.Alloc(4*c.Width, 64)
		c.waitSlots[pc] = at
	}
	x := l.pending[pc]
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: x, Y: ctx(at)})
	if l.waiting == nil {
		l.waiting = map[int]int32{}
	}
	l.waiting[pc] = at
	l.free = append(l.free, x)
	delete(l.pending, pc)
}

// nextRead returns the next instruction of the segment that reads a variable.
func (l *lanes) nextRead(r lir.Ref) int {
	if !l.inSegment {
		return math.MaxInt
	}
	list := l.c.readers.at(r)
	if i, _ := slices.BinarySearch(list, l.pc+1); i < len(list) {
		return list[i]
	}
	return math.MaxInt
}

// set makes a register the value of a variable.
func (l *lanes) set(r lir.Ref, x uint8) {
	d := l.def(r)
	if d != x {
		l.c.Emit(amd64.VMOVAPS, amd64.Args{D: d, Y: amd64.V(amd64.Vec(x))})
	}
	l.done(r, d)
}

// take returns a register. If there is none, another value moves to memory: the one that the
// segment needs last.
func (l *lanes) take() uint8 {
	if len(l.free) == 0 {
		l.evict()
	}
	x := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	return x
}

// done stores a result whose home is in memory.
func (l *lanes) done(r lir.Ref, x uint8) {
	if at, ok := l.memory(r); ok {
		l.c.Emit(amd64.VMOVUPSStore, amd64.Args{X: x, Y: at})
	}
}

// memory returns where the vector of a variable is that has no register; ok is false if it has one.
func (l *lanes) memory(r lir.Ref) (at amd64.Operand, ok bool) {
	if h, ok := l.c.HomeOf(r); ok {
		if h.Reg >= 0 {
			return at, false
		}
		return l.column(h), true
	}
	off, ok := l.evicted.get(r)
	return ctx(off), ok
}
