package compute

import (
	"fmt"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/stretchr/testify/require"
)

// BenchmarkRun is what a prepared launch costs the caller: checks of lifetimes, and the stream's
// list. The device's own work runs beside it.
func BenchmarkRun(b *testing.B) {
	a := accelerator(b)
	k, s := kernels(b, a, saxpy)("saxpy"), newStream(b, a)
	x, y := bufferOf(b, a, make([]float32, 64)...), bufferOf(b, a, make([]float32, 64)...)
	l, err := k.Bind(Threads1D(64), x, y, float32(1))
	require.NoError(b, err)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%1000 == 999 { // not the time to wait for room
			b.StopTimer()
			require.NoError(b, s.Sync(b.Context()))
			b.StartTimer()
		}
		if err := s.Run(b.Context(), l); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, s.Sync(b.Context()))
}

// BenchmarkHazards is the tracking of one launch with eight arguments, with accesses of 32 launches
// before it.
func BenchmarkHazards(b *testing.B) {
	memories := make([]*stream.Memory, 64)
	for i := range memories {
		memories[i] = &stream.Memory{Id: uint64(i + 1)}
	}
	var launches [32][]stream.Span
	for i := range launches {
		for j := range 7 { // reads are shared between launches, and each writes a range of its own: no barrier is due
			launches[i] = append(launches[i], stream.SpanOf(stream.ViewOf(memories[j], 0, 1<<20), false))
		}
		launches[i] = append(launches[i], stream.SpanOf(stream.ViewOf(memories[8+i], 0, 1<<20), true))
	}
	var h stream.Hazards
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%len(launches) == 0 {
			h.Clear()
		}
		if h.Track(launches[n%len(launches)]) {
			b.Fatal("a barrier where nothing overlaps")
		}
	}
}

// BenchmarkCores is plain Go on one goroutine and on four: what two cores are worth on this machine
// at this moment, to which [BenchmarkStreams] compares.
func BenchmarkCores(b *testing.B) {
	for _, n := range []int{1, 4} {
		b.Run(fmt.Sprintf("goroutines=%d", n), func(b *testing.B) {
			for b.Loop() {
				var all sync.WaitGroup
				for range n {
					all.Go(func() {
						var x [256]float32
						for range 40_000 / n {
							for i := range x {
								x[i] = x[i]*0.999 + 1
							}
						}
					})
				}
				all.Wait()
			}
		})
	}
}

// BenchmarkStreams runs the same number of small independent kernels, one after the other on one
// stream, and on four streams.
func BenchmarkStreams(b *testing.B) {
	const launches = 512
	for _, n := range []int{1, 4} {
		b.Run(fmt.Sprintf("streams=%d", n), func(b *testing.B) {
			a := accelerator(b)
			k := kernels(b, a, spinning)("spin")
			type lane struct {
				s *Stream
				l *Launch
			}
			lanes := make([]lane, n)
			for i := range lanes {
				y := bufferOf(b, a, make([]float32, 256)...)
				l, err := k.Bind(Threads1D(256), y, int32(200))
				require.NoError(b, err)
				lanes[i] = lane{newStream(b, a), l}
			}
			for b.Loop() {
				var all sync.WaitGroup
				for _, x := range lanes {
					all.Go(func() {
						for range launches / n {
							if err := x.s.Run(b.Context(), x.l); err != nil {
								b.Error(err)
							}
						}
						if err := x.s.Sync(b.Context()); err != nil {
							b.Error(err)
						}
					})
				}
				all.Wait()
			}
			b.ReportMetric(float64(a.Stats().CommandBuffers)/float64(b.N), "buffers/op")
		})
	}
}

// spinning is a kernel that one threadgroup is busy with for a while.
const spinning = `
kernel void spin(device float *y [[buffer(0)]], constant int &n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    float v = y[i];
    for (int k = 0; k < n; k++) {
        v = v * 0.999f + 1.0f;
    }
    y[i] = v;
}`

// BenchmarkNewStream is what a stream costs that launches one kernel, waits for it and is closed.
func BenchmarkNewStream(b *testing.B) {
	a := accelerator(b)
	k := kernels(b, a, saxpy)("saxpy")
	x, y := bufferOf[float32](b, a, 1), bufferOf[float32](b, a, 0)
	launch := func(s *Stream) {
		require.NoError(b, s.Launch(b.Context(), k, Threads1D(1), x, y, float32(1)))
		require.NoError(b, s.Sync(b.Context()))
	}
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := a.NewStream(StreamOptions{})
			require.NoError(b, err)
			launch(s)
			require.NoError(b, s.Close(b.Context()))
		}
	})
	b.Run("kept", func(b *testing.B) {
		b.ReportAllocs()
		s := newStream(b, a)
		for b.Loop() {
			launch(s)
		}
	})
}
