package compute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// Measurement is the distribution of the times of a number of runs. Percentiles use the nearest
// rank.
type Measurement struct {
	Runs                    int
	Host                    bool // timed by the host's clock, because the device gave no time
	Mean, StdDev            time.Duration
	Min, P50, P90, P95, P99 time.Duration
	Max                     time.Duration
	Throughput              float64 // runs per second of device time
}

// String returns one line.
func (p Measurement) String() string {
	clock := "device"
	if p.Host {
		clock = "host"
	}
	return fmt.Sprintf("%d runs, %s clock: median %v, mean %v ± %v, min %v, p90 %v, p95 %v, p99 %v, max %v, %.1f/s",
		p.Runs, clock, p.P50, p.Mean, p.StdDev, p.Min, p.P90, p.P95, p.P99, p.Max, p.Throughput)
}

// Measure measures how long the work that fn records takes on the device. It calls fn once to warm
// up and then iterations times; each run is measured from the end of the preceding work to its own
// end. Nothing else should use the stream meanwhile.
func (s *Stream) Measure(ctx context.Context, iterations int, fn func(context.Context, *Stream) error) (p Measurement,
	err error) {
	if err := stream.CheckCall(ctx, "stream: Measure", s.missing()); err != nil {
		return p, err
	}
	if fn == nil {
		return p, fmt.Errorf("compute: Measure: no function: %w", ErrNil)
	}
	if iterations < 1 {
		return p, fmt.Errorf("compute: Measure: %d runs, want at least 1: %w", iterations, ErrRange)
	}
	var events [2]*Event
	for i := range events {
		if events[i], err = s.acc.NewEvent(EventOptions{Label: "measure", Timing: true}); err != nil {
			return p, err
		}
		defer events[i].Close()
	}
	run := func() (time.Duration, bool, error) {
		err := s.Record(ctx, events[0])
		if err == nil {
			err = fn(ctx, s)
		}
		if err == nil {
			err = s.Record(ctx, events[1])
		}
		if err = errors.Join(err, s.Sync(ctx)); err != nil {
			return 0, false, err
		}
		return Elapsed(ctx, events[0], events[1])
	}
	if _, _, err := run(); err != nil {
		return p, err
	}
	times := make([]time.Duration, iterations)
	for i := range times {
		if times[i], p.Host, err = run(); err != nil {
			return p, err
		}
	}
	p.summarize(times)
	return p, nil
}

// summarize computes the figures from the times of all runs.
func (p *Measurement) summarize(times []time.Duration) {
	slices.Sort(times)
	n := len(times)
	var sum, squares float64
	for _, t := range times {
		sum += float64(t)
	}
	mean := sum / float64(n)
	for _, t := range times {
		squares += (float64(t) - mean) * (float64(t) - mean)
	}
	if n > 1 {
		p.StdDev = time.Duration(math.Sqrt(squares / float64(n-1)))
	}
	rank := func(q float64) time.Duration { return times[int(math.Ceil(q*float64(n)))-1] }
	p.Runs, p.Mean, p.Min, p.Max = n, time.Duration(mean), times[0], times[n-1]
	p.P50, p.P90, p.P95, p.P99 = rank(0.5), rank(0.9), rank(0.95), rank(0.99)
	if sum > 0 {
		p.Throughput = float64(n) / (sum / 1e9)
	}
}
