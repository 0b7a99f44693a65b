package tensor

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
)

// OpStats counts the calls of one operation since the engine was made.
type OpStats struct {
	Op    string // such as "matmul"
	Calls uint64
	// FLOPs is the number of floating-point or integer operations by formula, not counted on the
	// device: 2 m n k for a matrix product, one for each element of an elementwise operation,
	// whatever its function takes.
	FLOPs float64
	// Bytes is the size of operands and results, each counted once. A kernel may read them more
	// often.
	Bytes uint64
	// Time is the time on the device, by its clock, of the calls that have ended; Timed is their
	// number. Both are zero without [WithTiming]. Host reports that the device gave no time for
	// some, for which the host's clock was used.
	Time  time.Duration
	Timed uint64
	Host  bool

	timedFLOPs float64
	timedBytes uint64
	peak       Peak
}

// GFLOPS returns the timed calls' 10^9 operations per second, or 0 if none were timed.
func (o OpStats) GFLOPS() float64 { return rate(o.timedFLOPs, o.Time) }

// GBs returns the timed calls' 10^9 bytes per second, or 0 if none were timed.
func (o OpStats) GBs() float64 { return rate(float64(o.timedBytes), o.Time) }

// Share returns how close the timed calls came to the device's peak, as a share of 1: the larger of
// GFLOPS and GBs as shares of those of [Peak], because an operation is limited by one of the two.
// It is 0 if no calls were timed or the peak is unknown; see [Engine.MeasurePeak]. It exceeds 1
// where an operation is faster than those that the peak is measured with, as on 16-bit numbers.
func (o OpStats) Share() float64 {
	share := 0.0
	if o.peak.GFLOPS > 0 {
		share = o.GFLOPS() / o.peak.GFLOPS
	}
	if o.peak.GBs > 0 {
		share = max(share, o.GBs()/o.peak.GBs)
	}
	return share
}

func rate(n float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return n / float64(d.Nanoseconds())
}

// String returns one line.
func (o OpStats) String() string {
	s := fmt.Sprintf("%s: %d calls, %.3g GFLOP, %.3g MB", o.Op, o.Calls, o.FLOPs/1e9, float64(o.Bytes)/1e6)
	if o.Timed > 0 {
		s += fmt.Sprintf(", %v, %.3g GFLOPS, %.3g GB/s", o.Time, o.GFLOPS(), o.GBs())
	}
	if share := o.Share(); share > 0 {
		s += fmt.Sprintf(", %.3g%% of the peak", 100*share)
	}
	return s
}

// LogValue returns the figures as a group.
func (o OpStats) LogValue() slog.Value {
	a := []slog.Attr{slog.Uint64("calls", o.Calls), slog.Float64("flops", o.FLOPs), slog.Uint64("bytes", o.Bytes)}
	if o.Timed > 0 {
		a = append(a, slog.Uint64("timed", o.Timed), slog.Duration("time", o.Time), slog.Float64("gflops", o.GFLOPS()),
			slog.Float64("gb_per_s", o.GBs()), slog.Bool("host_clock", o.Host))
	}
	if share := o.Share(); share > 0 {
		a = append(a, slog.Float64("peak_share", share))
	}
	return slog.GroupValue(a...)
}

// Stats are the statistics of an engine, with an entry for each operation that was called.
type Stats []OpStats

// LogValue returns a group with a group for each operation.
func (s Stats) LogValue() slog.Value {
	var a []slog.Attr
	for _, o := range s {
		a = append(a, slog.Any(o.Op, o))
	}
	return slog.GroupValue(a...)
}

// Stats returns the engine's statistics so far, sorted by the names of the operations. After
// [Engine.Sync] they have the times of all operations before it.
func (e *Engine) Stats() Stats {
	if e.missing() {
		return nil
	}
	e.stats.settle()
	return e.stats.list(e.peak.get())
}

type statistics struct {
	mu  sync.Mutex
	ops map[string]*OpStats

	timedMu sync.Mutex
	timed   map[*timedRun]struct{} // whose times are not in ops
}

// timedRun is an operation between two marks on the stream.
type timedRun struct {
	marks [2]*compute.Event
	add   func(d time.Duration, host bool)
	once  sync.Once
}

// begin keeps a run until its time is known.
func (s *statistics) begin(t *timedRun) {
	s.timedMu.Lock()
	defer s.timedMu.Unlock()
	if s.timed == nil {
		s.timed = map[*timedRun]struct{}{}
	}
	s.timed[t] = struct{}{}
}

// end adds the time of a run whose marks have been reached, once; a failed one has none.
func (s *statistics) end(t *timedRun) {
	t.once.Do(func() {
		if d, host, err := compute.Elapsed(context.Background(), t.marks[0], t.marks[1]); err == nil {
			t.add(d, host)
		}
		t.close()
	})
	s.timedMu.Lock()
	defer s.timedMu.Unlock()
	delete(s.timed, t)
}

// drop forgets a run that cannot be waited for.
func (s *statistics) drop(t *timedRun) {
	t.once.Do(t.close)
	s.timedMu.Lock()
	defer s.timedMu.Unlock()
	delete(s.timed, t)
}

func (t *timedRun) close() {
	for _, m := range t.marks {
		m.Close()
	}
}

// settle adds the times of all runs that have ended. The stream's callback of a run may come later.
func (s *statistics) settle() {
	s.timedMu.Lock()
	all := slices.Collect(maps.Keys(s.timed))
	s.timedMu.Unlock()
	for _, t := range all {
		if t.marks[1].Reached() {
			s.end(t)
		}
	}
}

func (s *statistics) list(peak Peak) Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out Stats
	for _, o := range s.ops {
		o := *o
		o.peak = peak
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b OpStats) int { return cmp.Compare(a.Op, b.Op) })
	return out
}

// change calls do for the entry of an operation.
func (s *statistics) change(op string, do func(*OpStats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ops == nil {
		s.ops = map[string]*OpStats{}
	}
	if s.ops[op] == nil {
		s.ops[op] = &OpStats{Op: op}
	}
	do(s.ops[op])
}

// bytes returns the size of an operation's operands and results.
func (o *operation) bytes() (n uint64) {
	for _, list := range [2][]*Tensor{o.inputs, o.outputs} {
		for _, t := range list {
			elements := 1
			for d, size := range t.view.Shape {
				if t.view.Strides[d] != 0 || size == 0 {
					elements *= size
				}
			}
			n += uint64(elements * t.view.Type.Size())
		}
	}
	return n
}

// run enqueues an operation and counts it.
func (e *Engine) run(ctx context.Context, o *operation) error {
	if o.trial != nil {
		return e.try(ctx, o)
	}
	bytes := o.bytes()
	count := func() {
		e.stats.change(o.name, func(s *OpStats) {
			s.Calls++
			s.FLOPs += o.flops
			s.Bytes += bytes
		})
	}
	if !e.timing {
		err := e.execute(ctx, o)
		if err == nil {
			count()
		}
		return err
	}
	t := &timedRun{add: func(d time.Duration, host bool) {
		e.stats.change(o.name, func(s *OpStats) {
			s.Time += d
			s.Timed++
			s.Host = s.Host || host
			s.timedFLOPs += o.flops
			s.timedBytes += bytes
		})
	}}
	for i := range t.marks {
		m, err := e.acc.NewEvent(compute.EventOptions{Label: o.name, Timing: true})
		if err != nil {
			t.close()
			return err
		}
		t.marks[i] = m
	}
	err := e.stream.Record(ctx, t.marks[0])
	if err == nil {
		err = e.execute(ctx, o)
	}
	if err != nil {
		t.close()
		return err
	}
	count()
	if err := e.stream.Record(ctx, t.marks[1]); err != nil {
		t.close()
		return err
	}
	e.stats.begin(t)
	if err := e.stream.Callback(ctx, func(error) { e.stats.end(t) }); err != nil {
		e.stats.drop(t)
		return err
	}
	return nil
}
