package passes

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/irtest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// fuel is the work after which a rewritten kernel counts as endless.
const fuel = 1 << 33

// launch is a launch of a kernel of irtest.
type launch struct {
	grid, group [3]int
	in          []byte
	constants   map[int][]byte
	known       []opt.FConst // the function constants that passes know
}

// newLaunch creates memory and function constants for a kernel. Some constants have no value, and
// some are unknown to the passes.
func newLaunch(m *ir.Module, rng *rand.Rand, grid, group [3]int) *launch {
	l := &launch{grid: grid, group: group, in: make([]byte, irtest.Inputs), constants: map[int][]byte{}}
	for i := range l.in {
		l.in[i] = byte(rng.Uint32())
	}
	for i, c := range m.Funcs[0].Constants {
		t, _ := ir.ParseType(c.Type)
		var data []byte
		k := opt.FConst{Given: rng.IntN(4) != 0, Defined: rng.IntN(4) != 0}
		for lane := range t.Lanes() {
			x := rng.Uint64() >> (64 - t.Kind.Bits())
			if rng.IntN(2) == 0 {
				x &= 3
			}
			if t.Kind == ir.I1 {
				x &= 1
			}
			k.Lanes[lane] = x
			data = append(data, binary.LittleEndian.AppendUint64(nil, x)[:t.Kind.Size()]...)
		}
		if k.Defined {
			l.constants[i] = data
		}
		l.known = append(l.known, k)
	}
	return l
}

func (l *launch) threads() int { return max(l.grid[0], 1) * max(l.grid[1], 1) * max(l.grid[2], 1) }

// output is the memory that a kernel writes: the threads' parts, and the counters.
func (l *launch) output() (all, out, counters []byte) {
	n := l.threads() * irtest.OutStride
	all = make([]byte, n+irtest.CounterBytes)
	return all, all[:n], all[n:]
}

// oracle returns what the scalar oracle writes.
func (l *launch) oracle(f *ir.Func) ([]byte, error) {
	all, out, counters := l.output()
	return all, testlaunch.Launch{Grid: l.grid, Group: l.group, Fuel: fuel, Constants: l.constants,
		Buffers: map[int]testlaunch.Buffer{0: {Data: l.in, ReadOnly: true}, 1: {Data: out},
			2: {Data: counters}}}.Run(context.Background(), f, ref.Run)
}

// vm returns what the vector engine writes.
func (l *launch) vm(e *exec.Engine, k *exec.Kernel) ([]byte, error) {
	all, out, counters := l.output()
	space := &exec.Space{}
	for i, o := range []exec.Object{{Data: l.in, ReadOnly: true}, {Data: out}, {Data: counters}} {
		space.Set(uint32(i+1), o)
	}
	return all, e.Run(context.Background(), k,
		&exec.Launch{Grid: l.grid, Group: l.group, Fuel: fuel, Space: space, Constants: l.constants,
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}})
}

// same checks that a kernel writes the expected output, and shows texts if it does not.
func same(t *testing.T, what string, want, got []byte, err error, texts ...fmt.Stringer) {
	t.Helper()
	show := func() (s string) {
		for _, x := range texts {
			s += "\n" + x.String()
		}
		return s
	}
	if err != nil {
		t.Fatalf("%s: %v%s", what, err, show())
	}
	require.Len(t, got, len(want))
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("%s: byte %d of thread %d is %x, want %x%s", what, i%irtest.OutStride, i/irtest.OutStride, got[i], want[i],
				show())
		}
	}
}
