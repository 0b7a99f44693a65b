package compute

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The launches of TestCommandBuffers and BenchmarkCommandBuffers.
const manyLaunches = 3200

// TestCommandBuffers: launches share command buffers, 32 of them each, so that a command buffer is
// made once in 32 launches. RATIONALE.md says why there is no pool of them.
func TestCommandBuffers(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{Delay: time.Hour})) // a batch goes when it is complete
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	before := a.Stats()
	for range manyLaunches {
		require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x, y, float32(1)))
	}
	require.NoError(t, s.Sync(t.Context()))
	now := a.Stats()
	require.EqualValues(t, manyLaunches, now.Launches-before.Launches)
	require.EqualValues(t, manyLaunches/defaultCommands, now.CommandBuffers-before.CommandBuffers)
}

// BenchmarkCommandBuffers measures what a pool of command buffers could save: the time to make one
// and to release it, as a share of the time of the launches that it takes part in. The figures are
// medians over turns.
func BenchmarkCommandBuffers(b *testing.B) {
	a := accelerator(b)
	k, s := kernels(b, a, saxpy)("saxpy"), newStream(b, a)
	const n = 4096
	x, y := bufferOf(b, a, make([]float32, n)...), bufferOf(b, a, make([]float32, n)...)
	l, err := k.Bind(Threads1D(n), x, y, float32(1))
	require.NoError(b, err)
	queue, err := a.device.NewCommandQueue()
	require.NoError(b, err)
	defer queue.Release()
	before := a.Stats()
	var launches, made []float64
	for b.Loop() {
		began := time.Now()
		for range manyLaunches {
			require.NoError(b, s.Run(b.Context(), l))
		}
		require.NoError(b, s.Sync(b.Context()))
		launches = append(launches, float64(time.Since(began).Nanoseconds()))
		began = time.Now()
		for range 100 {
			commands, err := queue.CommandBuffer()
			require.NoError(b, err)
			commands.Release()
		}
		made = append(made, float64(time.Since(began).Nanoseconds())/100)
	}
	buffers := float64(a.Stats().CommandBuffers-before.CommandBuffers) / float64(len(launches))
	slices.Sort(launches)
	slices.Sort(made)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(buffers, "buffers/3200-launches")
	b.ReportMetric(middle(launches)/manyLaunches, "launch-ns")
	b.ReportMetric(middle(made), "make-ns")
	b.ReportMetric(100*middle(made)*buffers/middle(launches), "percent-of-time")
}
