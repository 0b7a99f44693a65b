package exec_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestSeries: the launches of a series have the results, errors and fuel of single launches, and
// their memory is returned at the end.
func TestSeries(t *testing.T) {
	ks := kernelsOf(t, engineKernels+`
kernel void tally(device atomic_uint *counts [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  for (uint n = 0; n < 10; n++) atomic_fetch_add_explicit(&counts[(i + n) % 4], 1, memory_order_relaxed);
}
kernel void variables(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint a[1 << 8]; a[out[i] % 256] = i + 1; out[i] = a[out[i] % 256];
}`)
	const n, buffers = 64, 3
	for _, workers := range []int{1, 2} {
		e := exec.NewEngine(workers)
		sp, out := &exec.Space{}, [buffers][]byte{}
		for i := range out {
			out[i] = make([]byte, 4*n)
			sp.Set(uint32(i+1), exec.Object{Data: out[i]})
		}
		memory := &account{limit: 1 << 30}
		l := &exec.Launch{Space: sp, Scratch: memory}
		var s exec.Series
		run := func(name string, buffer int, fuel int64) error {
			l.Grid, l.Group, l.Fuel = [3]int{n}, [3]int{n}, fuel
			l.Buffers = []uint64{exec.Address(uint32(buffer+1), 0)}
			return s.Run(e, context.Background(), ks[name], l)
		}
		word := func(buffer, i int) uint32 { return binary.LittleEndian.Uint32(out[buffer][4*i:]) }

		for round := range 3 {
			for b := range buffers {
				require.NoError(t, run("tally", b, 0))
				require.EqualValues(t, (round+1)*n*10/4, word(b, 3), "when the launch has ended")
			}
		}
		fuel := int64(1 << 13) // enough for one launch, not for two
		for b := range buffers {
			require.NoError(t, run("square", b, fuel))
			require.EqualValues(t, 63*63, word(b, 63))
		}
		clear(out[1])
		require.NoError(t, run("variables", 1, 0))
		require.EqualValues(t, n, word(1, n-1))
		require.Positive(t, memory.used.Load(), "for the next launch")

		copy(out[2], words(0))
		require.ErrorIs(t, run("spin", 2, fuel), exec.ErrFuel)
		copy(out[2], words(1))
		require.NoError(t, run("spin", 2, fuel), "after a failure")
		require.EqualValues(t, 7, word(2, 1))

		s.End()
		s.End()
		assert.Zero(t, memory.used.Load())
		e.Close()
	}
}
