package computetest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
)

// TestDeviceTime: the metric is the device time of the stream's statistics, by the iterations.
func TestDeviceTime(t *testing.T) {
	acc := Open(t)
	program, err := acc.Compile(t.Context(),
		"kernel void one(device uint* x, uint i [[thread_position_in_grid]]) { x[i] += 1; }", compute.CompileOptions{})
	require.NoError(t, err)
	defer program.Close()
	k, err := program.Kernel("one")
	require.NoError(t, err)
	x, err := compute.NewBuffer[uint32](acc, 1024, compute.BufferOptions{})
	require.NoError(t, err)
	defer x.Close()
	s, err := acc.NewStream(compute.StreamOptions{})
	require.NoError(t, err)
	require.NoError(t, s.Launch(t.Context(), k, compute.Threads1D(1024), x))
	require.NoError(t, s.Sync(t.Context()))
	var want float64
	result := testing.Benchmark(func(b *testing.B) {
		before := s.Stats().DeviceTime
		report := DeviceTime(b, acc)
		for range b.N {
			if err := s.Launch(b.Context(), k, compute.Threads1D(1024), x); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
		report()
		want = float64(s.Stats().DeviceTime-before) / float64(b.N)
	})
	require.NoError(t, s.Close(t.Context()))
	assert.Positive(t, want)
	assert.InDelta(t, want, result.Extra["device-ns/op"], 5, "rounding")
}
