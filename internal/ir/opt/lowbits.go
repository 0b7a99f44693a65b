package opt

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/ir"
)

// Numbers that end with zeros: a constant that is less than the lowest other bit can be added to
// them in any width, since nothing is carried.

// zeros finds how many of the lowest bits of a number are zero for certain. What it has found of
// the parameters of loops it remembers.
type zeros struct {
	known map[*ir.Value]int
	way   map[*ir.Value]bool // parameters whose number is being found
	left  int                // values that it may still look at
}

// mostZeros is the number of bits that are zero at most, and mostLooks how many values are looked
// at to find out.
const (
	mostZeros = 64
	mostLooks = 64
)

// of returns the number of lowest bits of an integer that are zero.
func (z *zeros) of(v *ir.Value) int {
	z.left = mostLooks
	z.way = map[*ir.Value]bool{}
	return z.find(v)
}

func (z *zeros) find(v *ir.Value) int {
	if z.left--; z.left < 0 || v.Type.Lanes() != 1 {
		return 0
	}
	if c, ok := allLanes(v); ok {
		return bits.TrailingZeros64(c)
	}
	if v.Def == nil {
		return z.parameter(v)
	}
	args := v.Def.Args
	switch v.Def.Op {
	case ir.OpAdd, ir.OpSub, ir.OpOr, ir.OpXor:
		return min(z.find(args[0]), z.find(args[1]))
	case ir.OpMul:
		return min(z.find(args[0])+z.find(args[1]), mostZeros)
	case ir.OpAnd:
		return max(z.find(args[0]), z.find(args[1]))
	case ir.OpShl:
		if c, ok := allLanes(args[1]); ok && c < uint64(v.Type.Kind.Bits()) {
			return min(z.find(args[0])+int(c), mostZeros)
		}
		return z.find(args[0])
	case ir.OpZExt, ir.OpSExt, ir.OpTrunc:
		return z.find(args[0])
	}
	return 0
}

// parameter finds the zeros of a loop's parameter. Operations keep zeros or add some, so those of
// what it was in the iteration before need not be known.
func (z *zeros) parameter(v *ir.Value) int {
	if n, ok := z.known[v]; ok {
		return n
	}
	if v.Region == nil || v.Region.Owner == nil || v.Region.Owner.Op != ir.OpLoop {
		return 0
	}
	if z.way[v] {
		return mostZeros
	}
	loop, first := v.Region.Owner, len(z.way) == 0
	z.way[v] = true
	n := z.find(loop.Args[v.Index])
	v.Region.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpContinue && in.Target == loop {
			n = min(n, z.find(in.Args[v.Index]))
		}
		return true
	})
	delete(z.way, v)
	if first { // otherwise it depends on those on the way
		z.known[v] = n
	}
	return n
}

// addend returns what is added to a number of 32 bits before it is extended, if that is a constant
// that changes only bits that are zero; otherwise nil.
func (z *zeros) addend(extension *ir.Instr) (x *ir.Value, c uint64) {
	if extension.Op != ir.OpZExt && extension.Op != ir.OpSExt || extension.Args[0].Type.Lanes() != 1 {
		return nil, 0
	}
	sum := extension.Args[0].Def
	if sum == nil || sum.Op != ir.OpAdd {
		return nil, 0
	}
	for i, v := range sum.Args {
		if c, ok := allLanes(v); ok && c < 1<<z.of(sum.Args[1-i]) {
			return sum.Args[1-i], c
		}
	}
	return nil, 0
}
