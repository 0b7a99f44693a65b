package gokernels

import (
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

// Scan replaces the numbers by their running sums over the whole grid, which waits in between. It
// needs a cooperative launch.
//
//puremetal:kernel group=32
func Scan(t *kernel.Thread, x, totals []uint32) {
	i, g := int(t.Global.X), int(t.Group.X)
	if i >= len(x) || g >= len(totals) {
		return
	}
	sum := kernel.SimdPrefixInclusiveSum(t, x[i])
	if t.Lane+1 == t.Lanes {
		totals[g] = sum
	}
	t.GridBarrier()
	for k := range g {
		sum += totals[k]
	}
	x[i] = sum
	wait(t)
	totals[g] = x[len(x)-1-i]
}

func wait(t *kernel.Thread) { t.GridBarrier() }

// Prints prints numbers of all kinds.
//
//puremetal:kernel
func Prints(t *kernel.Thread, x []int64, f []float32) {
	i := int(t.Global.X)
	if i >= len(x) || i >= len(f) {
		return
	}
	n := x[i]
	kernel.Printf(t, "%d %i %u|%5d|%-6u|%+d|% d|%05d\n", n, int32(n), uint32(n), int8(n), uint16(n), int16(n), n, int32(n))
	kernel.Printf(t, "%x %X %o %#x|%08X|%u %u %x\n", n, uint8(n), int16(n), uint64(n), int32(n), int8(n), n, int8(n))
	kernel.Printf(t, "%f %e %g|%8.3f|%-10.2e|%+g|%F %E %G|%.0f %.1g\n", f[i], f[i], f[i], f[i], f[i], f[i], f[i], f[i],
		f[i], f[i], f[i])
	if n&1 == 0 {
		kernel.Printf(t, "100%% \"of\" \\ ü\t%c%c%3c\n", 'A'+n&15, uint8(66), 'x')
		kernel.Printf(t, "%d %u %g %x", 5, len(x), float32(0.1), simd.HalfOf(f[i]))
	}
	kernel.Printf(t, "no number")
}
