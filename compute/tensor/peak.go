package tensor

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// Peak is the most that a device reaches in practice: 10^9 operations per second in a product of
// Float32 matrices, and 10^9 bytes per second in a copy, where a byte that is read and written
// counts twice.
type Peak struct {
	GFLOPS, GBs float64
}

// String returns both figures.
func (p Peak) String() string { return fmt.Sprintf("%.3g GFLOPS, %.3g GB/s", p.GFLOPS, p.GBs) }

// LogValue returns the figures as a group.
func (p Peak) LogValue() slog.Value {
	return slog.GroupValue(slog.Float64("gflops", p.GFLOPS), slog.Float64("gb_per_s", p.GBs))
}

func (p Peak) check() error {
	for _, x := range []float64{p.GFLOPS, p.GBs} {
		if !(x > 0) || math.IsInf(x, 0) {
			return fmt.Errorf("tensor: the peak %v; want two finite numbers above 0: %w", p, compute.ErrOption)
		}
	}
	return nil
}

// WithPeak gives the engine the peak of its device, from data sheets or from an earlier
// [Engine.MeasurePeak], which then measures nothing.
func WithPeak(p Peak) Option {
	return func(e *Engine) error {
		if err := p.check(); err != nil {
			return err
		}
		e.peak.value = p
		return nil
	}
}

// knownPeak is a peak that is measured once. It is zero before.
type knownPeak struct {
	measuring sync.Mutex

	mu    sync.Mutex
	value Peak
}

func (k *knownPeak) get() Peak {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.value
}

// The work that a peak is measured with, which takes a GPU a few milliseconds.
const (
	peakSize  = 1024    // of the square matrices
	peakCopy  = 4 << 20 // elements of Float32
	peakTimes = 3       // of which the fastest counts
)

// MeasurePeak returns the peak of the engine's device, for [OpStats.Share]. The first call measures
// it, by products of matrices of 1,024 rows and copies of 16 MiB on the engine's stream, waits for
// them and needs 40 MiB of memory on the device. The measurement is no part of [Engine.Stats].
// Other work of the machine meanwhile makes the result smaller.
func (e *Engine) MeasurePeak(ctx context.Context) (Peak, error) {
	if e.missing() {
		return Peak{}, fmt.Errorf("tensor: MeasurePeak: the engine: %w", compute.ErrNil)
	}
	e.peak.measuring.Lock()
	defer e.peak.measuring.Unlock()
	if p := e.peak.get(); p != (Peak{}) {
		return p, nil
	}
	p, err := e.measurePeak(ctx, peakSize, peakCopy)
	if err != nil {
		return Peak{}, fmt.Errorf("tensor: MeasurePeak: %w", err)
	}
	e.peak.mu.Lock()
	defer e.peak.mu.Unlock()
	e.peak.value = p
	return p, nil
}

// measurePeak measures with square matrices of a size and a copy of elements.
func (e *Engine) measurePeak(ctx context.Context, size, elements int) (p Peak, err error) {
	s := e.Scope(ctx)
	defer s.Close()
	data := make([]float32, max(size*size, elements))
	for i := range data {
		data[i] = float32(i%255)/128 - 1
	}
	a, from := Of(s, data[:size*size], size, size), Of(s, data[:elements])
	if err := s.Err(); err != nil {
		return p, err
	}
	product, err := s.fastest(&operation{name: "matmul", spec: backend.MatMul{},
		build: func(b *tensorop.Builder, out, in []tensorop.Operand) {
			b.MatMul(out[0], in[0], in[1], 1, 0)
		}}, []int{size, size}, a, a)
	if err != nil {
		return p, err
	}
	copied, err := s.fastest(&operation{name: "copy", build: func(b *tensorop.Builder, out, in []tensorop.Operand) {
		b.Copy(out[0], in[0])
	}}, []int{elements}, from)
	if err != nil {
		return p, err
	}
	n := float64(size)
	p = Peak{GFLOPS: rate(2*n*n*n, product), GBs: rate(8*float64(elements), copied)}
	return p, p.check()
}

// fastest runs an operation on Float32 tensors several times on each backend, without counting it,
// and returns the least time on the device.
func (s *Scope) fastest(o *operation, shape []int, in ...*Tensor) (least time.Duration, err error) {
	out, err := s.make(Float32, shape)
	if err == nil {
		err = s.own(out)
	}
	for _, b := range append([]*other{nil}, s.engine.others...) {
		t := &trial{backend: b}
		for i := 0; err == nil && !t.refused && i <= peakTimes; i++ {
			run := *o // whose buffers are those of one call
			run.trial = t
			var d time.Duration
			if d, err = s.timed(&run, out, in); err == nil && i > 0 && !t.refused { // the first one compiles
				least = min(cmp.Or(least, d), d)
			}
		}
	}
	return least, err
}

// timed runs an operation, waits for it and returns its time.
func (s *Scope) timed(o *operation, out *Tensor, in []*Tensor) (d time.Duration, err error) {
	var marks [2]*compute.Event
	for i := range marks {
		if marks[i], err = s.engine.acc.NewEvent(compute.EventOptions{Timing: true}); err != nil {
			return 0, err
		}
		defer marks[i].Close()
	}
	if err := s.engine.stream.Record(s.ctx, marks[0]); err != nil {
		return 0, err
	}
	if err := s.enqueue(o, []*Tensor{out}, in); err != nil {
		return 0, err
	}
	if err := s.engine.stream.Record(s.ctx, marks[1]); err != nil {
		return 0, err
	}
	d, _, err = compute.Elapsed(s.ctx, marks[0], marks[1])
	return d, err
}
