package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
)

// pairAt returns the pair that is due, if there are registers for it, or it needs no more of them
// than one of its functions.
func (l *lanes) pairAt() (p plan.Pair, ok bool) {
	p, ok = l.pairs[l.pc]
	n := len(l.free)
	return p, ok && n > 0 && (p.Both.Room < n+scratchRegs || p.Both.Room == p.Both.Alone)
}

// wait keeps a value in a register until an instruction of the segment is due.
func (l *lanes) wait(pc int, x uint8) {
	if l.pending == nil {
		l.pending = map[int]uint8{}
	}
	l.pending[pc] = x
}

// keep brings a function's second result into a register that the function does not free. The first
// result stays where it is.
func (f *function) keep(second, first uint8) uint8 {
	i := slices.Index(f.taken, second)
	if i < 0 {
		i = slices.IndexFunc(f.taken, func(x uint8) bool { return x != first })
	}
	x := second
	if i < 0 {
		x = f.lanes.take()
	} else {
		x = f.taken[i]
		f.taken = slices.Delete(f.taken, i, i+1)
	}
	if x != second {
		f.c.Emit(amd64.VMOVAPS, amd64.Args{D: x, Y: vec(second)})
	}
	return x
}
