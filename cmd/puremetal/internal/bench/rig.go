package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/ops"
)

//go:embed kernels.metal
var source string

// rig holds the device, stream and kernels that cases run with.
type rig struct {
	acc      *compute.Accelerator
	ops      *ops.Ops
	program  *compute.Program
	stream   *compute.Stream
	from, to *compute.Event
	opened   []interface{ Close() } // buffers of the current case
}

func newRig(ctx context.Context, acc *compute.Accelerator) (r *rig, err error) {
	r = &rig{acc: acc, ops: ops.New(acc)}
	if r.program, err = acc.Compile(ctx, source, compute.CompileOptions{Name: "bench"}); err != nil {
		return nil, err
	}
	if r.stream, err = acc.NewStream(compute.StreamOptions{Label: "bench"}); err != nil {
		return nil, err
	}
	for _, e := range []**compute.Event{&r.from, &r.to} {
		if *e, err = acc.NewEvent(compute.EventOptions{Label: "bench", Timing: true}); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *rig) close(ctx context.Context) error {
	r.clear()
	r.from.Close()
	r.to.Close()
	r.program.Close()
	r.ops.Close()
	return r.stream.Close(ctx)
}

// clear closes the buffers of a case.
func (r *rig) clear() {
	for _, b := range r.opened {
		b.Close()
	}
	r.opened = nil
}

// values makes a buffer of n numbers: fn's, or zeros without one. The caller closes it.
func values[T any](r *rig, n int, fn func(i int) T) (*compute.Buffer[T], error) {
	b, err := compute.NewBuffer[T](r.acc, n, compute.BufferOptions{})
	if err != nil {
		return nil, err
	}
	data := make([]T, n)
	if fn != nil {
		for i := range data {
			data[i] = fn(i)
		}
	}
	if err := b.Upload(context.Background(), data); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// keep is values for a case: the rig closes the buffer when the case is over.
func keep[T any](r *rig, n int, fn func(i int) T) (*compute.Buffer[T], error) {
	b, err := values(r, n, fn)
	if err == nil {
		r.opened = append(r.opened, b)
	}
	return b, err
}

// random returns a reproducible sequence of numbers from [0, 1).
func random() func(int) float32 {
	r := rand.New(rand.NewPCG(1, 2))
	return func(int) float32 { return r.Float32() }
}

func (r *rig) bind(kernel string, grid compute.Grid, args ...any) (*compute.Launch, error) {
	k, err := r.program.Kernel(kernel)
	if err != nil {
		return nil, err
	}
	return k.Bind(grid, args...)
}

// timed runs work on the stream and returns how long it took on the device.
func (r *rig) timed(ctx context.Context, work func(context.Context, *compute.Stream) error) (time.Duration, error) {
	err := r.stream.Record(ctx, r.from)
	if err == nil {
		err = work(ctx, r.stream)
	}
	if err == nil {
		err = r.stream.Record(ctx, r.to)
	}
	if err = errors.Join(err, r.stream.Sync(ctx)); err != nil {
		return 0, err
	}
	d, _, err := compute.Elapsed(ctx, r.from, r.to)
	return d, err
}

// near checks that got is within 0.1 percent of want.
func near(what string, got, want float64) error {
	if d := got - want; d > 1e-3*abs(want)+1e-6 || -d > 1e-3*abs(want)+1e-6 || got != got {
		return fmt.Errorf("%s is %v; want %v", what, got, want)
	}
	return nil
}

func abs(f float64) float64 {
	if f < 0 {
		return -f
	}
	return f
}
