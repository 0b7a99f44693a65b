package compute

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkPriority measures how long a launch and the wait for it take, alone and beside eight
// streams of normal priority that always have work, for a high and a normal stream: launches of one
// threadgroup at once after each other and with pauses, and some that are worth all workers. For
// the median and the mean it reports the ratio loaded/alone. "load-share" is how much of their work
// the eight streams get done beside the launches. The rounds of each case alternate, so that what
// else the machine does affects all alike.
func BenchmarkPriority(b *testing.B) {
	for _, c := range []struct {
		name           string
		groups, rounds int
		pause          time.Duration
	}{{"small", 1, 100, 0}, {"small-now-and-then", 1, 30, time.Millisecond}, {"large", 64, 20, 0}} {
		b.Run(c.name, func(b *testing.B) {
			a := accelerator(b, WithBatching(Batching{Commands: 2})) // what has ended counts at once
			k := kernels(b, a, spinning)("spin")
			priorities := []Priority{HighPriority, NormalPriority}
			var probes [2]*probe
			for i, p := range priorities {
				probes[i] = newProbe(b, a, k, p, c.groups)
				probes[i].pause = c.pause
			}
			l := newLoad(b, a, k, 8)
			var done [3]float64 // launches of the load a second: beside high, beside normal, by itself
			for b.Loop() {
				for range 3 {
					for i, p := range probes {
						p.measure(b, &p.alone, c.rounds)
						done[i] += l.during(b, func() { p.measure(b, &p.loaded, c.rounds) })
					}
					done[2] += l.during(b, func() { time.Sleep(100 * time.Millisecond) })
				}
			}
			for i, name := range []string{"high", "normal"} {
				p := probes[i]
				b.ReportMetric(float64(median(p.alone).Microseconds()), name+"-alone-µs")
				b.ReportMetric(float64(median(p.loaded))/float64(median(p.alone)), name+"-median-ratio")
				b.ReportMetric(float64(mean(p.loaded))/float64(mean(p.alone)), name+"-mean-ratio")
				b.ReportMetric(done[i]/done[2], name+"-load-share")
			}
			b.ReportMetric(0, "ns/op") // says nothing
		})
	}
}

// probe is a stream whose small launches are timed.
type probe struct {
	s             *Stream
	l             *Launch
	pause         time.Duration // before each launch
	alone, loaded []time.Duration
}

func newProbe(b *testing.B, a *Accelerator, k *Kernel, p Priority, groups int) *probe {
	s, err := a.NewStream(StreamOptions{Label: "probe", Priority: p})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close(context.Background())) })
	y := bufferOf(b, a, make([]float32, 256*groups)...)
	l, err := k.Bind(Threads{Grid: Extent{X: 256 * groups}, Group: Extent{X: 256}}, y, int32(200))
	require.NoError(b, err)
	return &probe{s: s, l: l}
}

// measure appends the latencies of n launches.
func (p *probe) measure(b *testing.B, to *[]time.Duration, n int) {
	for range n {
		if p.pause > 0 {
			time.Sleep(p.pause)
		}
		began := time.Now()
		require.NoError(b, p.s.Run(b.Context(), p.l))
		require.NoError(b, p.s.Sync(b.Context()))
		*to = append(*to, time.Since(began))
	}
}

// load is a number of streams of normal priority, to be kept busy.
type load struct {
	streams  []*Stream
	launches []*Launch
}

func newLoad(b *testing.B, a *Accelerator, k *Kernel, n int) *load {
	var l load
	for range n {
		y := bufferOf(b, a, make([]float32, 1<<14)...)
		launch, err := k.Bind(Threads{Grid: Extent{X: y.Len()}, Group: Extent{X: 256}}, y, int32(200))
		require.NoError(b, err)
		l.streams, l.launches = append(l.streams, newStream(b, a)), append(l.launches, launch)
	}
	return &l
}

// during keeps the streams busy while fn runs, and returns how many of their launches ended a
// second.
func (l *load) during(b *testing.B, fn func()) float64 {
	stop := make(chan struct{})
	var all, warm sync.WaitGroup
	for i, s := range l.streams {
		warm.Add(1)
		all.Go(func() {
			for n := 0; ; n++ {
				if n == 8 {
					warm.Done()
				}
				select {
				case <-stop:
					if n >= 8 {
						require.NoError(b, s.Sync(b.Context()))
						return
					}
				default:
				}
				if err := s.Run(b.Context(), l.launches[i]); err != nil {
					b.Error(err)
				}
				for s.Stats().Waiting > 64 {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	warm.Wait()
	completed := func() (n uint64) {
		for _, s := range l.streams {
			s.mu.Lock()
			n += s.submission.completed
			s.mu.Unlock()
		}
		return n
	}
	began, before := time.Now(), completed()
	fn()
	rate := float64(completed()-before) / time.Since(began).Seconds()
	close(stop)
	all.Wait()
	return rate
}

func median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

func mean(times []time.Duration) (m time.Duration) {
	for _, t := range times {
		m += t
	}
	return m / time.Duration(len(times))
}
