package analyze_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/sanitizer"
)

const source = `#include <metal_stdlib>
using namespace metal;
kernel void copy(device const float *from [[buffer(0)]], device float *to [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
	to[i] = from[i];
}
kernel void column(device const float *from [[buffer(0)]], device float *to [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
	to[i] = from[i % 64 * 64 + i / 64];
}
`

// openCounting opens the software device; GPUs do not count what kernels do.
func openCounting(t *testing.T, options ...compute.Option) *compute.Accelerator {
	t.Helper()
	acc := computetest.Open(t, options...)
	if !acc.Info().Software {
		t.Skip("only the software device counts")
	}
	return acc
}

// rig has two kernels and two buffers of 4096 floats.
type rig struct {
	acc          *compute.Accelerator
	copy, column *compute.Kernel
	from, to     *compute.Buffer[float32]
}

func newRig(t *testing.T, options ...compute.Option) *rig {
	acc := openCounting(t, options...)
	r := &rig{acc: acc}
	p, err := acc.Compile(context.Background(), source, compute.CompileOptions{Name: "k.metal"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	r.copy, err = p.Kernel("copy")
	require.NoError(t, err)
	r.column, err = p.Kernel("column")
	require.NoError(t, err)
	for _, b := range []**compute.Buffer[float32]{&r.from, &r.to} {
		*b, err = compute.NewBuffer[float32](acc, 4096, compute.BufferOptions{})
		require.NoError(t, err)
		t.Cleanup((*b).Close)
	}
	return r
}

// run launches a kernel over 4096 threads in threadgroups of 64.
func (r *rig) run(ctx context.Context, k *compute.Kernel) error {
	s, err := r.acc.NextStream()
	if err != nil {
		return err
	}
	l, err := k.Bind(compute.Threads{Grid: compute.Extent{X: 4096}, Group: compute.Extent{X: 64}}, r.from, r.to)
	if err != nil {
		return err
	}
	return s.Run(ctx, l)
}

// TestObserve: each launch of the function is there, in order, with its figures, and none of those
// before and after.
func TestObserve(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	require.NoError(t, r.run(ctx, r.copy))
	launches, err := analyze.Observe(ctx, r.acc, analyze.ObserveOptions{}, func(ctx context.Context) error {
		return errors.Join(r.run(ctx, r.column), r.acc.Sync(ctx), r.run(ctx, r.copy))
	})
	require.NoError(t, err)
	require.NoError(t, r.run(ctx, r.copy))
	require.NoError(t, r.acc.Sync(ctx))
	require.Len(t, launches, 2)
	column, plain := launches[0], launches[1]
	assert.Equal(t, "column", column.Kernel)
	assert.Equal(t, "copy", plain.Kernel)
	assert.False(t, plain.Start.Before(column.End))
	assert.True(t, plain.Whole())
	assert.Equal(t, [3]int{4096, 1, 1}, plain.Grid)
	assert.Equal(t, [3]int{64, 1, 1}, plain.Threadgroup)
	for _, c := range []struct {
		l    *event.Launch
		want float64
	}{{plain, 1}, {column, (1 + 1.0) / (32 + 1)}} { // 128 bytes of one line, or of 32
		totals := c.l.Totals()
		e, ok := totals.Efficiency(128)
		require.True(t, ok)
		assert.InDelta(t, c.want, e, 1e-9, c.l.Kernel)
	}
	require.Len(t, column.Memories, 2)
	assert.Equal(t, "from", column.Memories[0].Name)
	assert.EqualValues(t, 16384, column.Memories[0].Footprint)
	assert.GreaterOrEqual(t, column.Memories[0].Size, int64(16384))
}

// TestObserveSample: a sample has the number of threadgroups that the options say.
func TestObserveSample(t *testing.T) {
	r := newRig(t)
	launches, err := analyze.Observe(t.Context(), r.acc, analyze.ObserveOptions{Threadgroups: 8, Seed: 5},
		func(ctx context.Context) error { return r.run(ctx, r.copy) })
	require.NoError(t, err)
	require.Len(t, launches, 1)
	assert.EqualValues(t, 8, launches[0].Observed)
	assert.False(t, launches[0].Whole())
	assert.EqualValues(t, 2*8*64, launches[0].Totals().Accesses)
}

// TestObserveErrors: bad options, the function's error, a context that has ended, and too many
// launches.
func TestObserveErrors(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	none := func(context.Context) error { return nil }
	_, err := analyze.Observe(ctx, nil, analyze.ObserveOptions{}, none)
	require.ErrorIs(t, err, analyze.ErrOptions)
	_, err = analyze.Observe(ctx, r.acc, analyze.ObserveOptions{Threadgroups: -1}, none)
	require.ErrorIs(t, err, analyze.ErrOptions)
	require.ErrorContains(t, err, "-1 threadgroups")

	own := errors.New("own")
	launches, err := analyze.Observe(ctx, r.acc, analyze.ObserveOptions{}, func(ctx context.Context) error {
		return errors.Join(r.run(ctx, r.copy), own)
	})
	require.ErrorIs(t, err, own)
	assert.Len(t, launches, 1)

	ended, cancel := context.WithCancel(ctx)
	_, err = analyze.Observe(ended, r.acc, analyze.ObserveOptions{}, func(context.Context) error {
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)

	launches, err = analyze.Observe(ctx, r.acc, analyze.ObserveOptions{Launches: 2}, func(ctx context.Context) error {
		for range 5 {
			if err := r.run(ctx, r.copy); err != nil {
				return err
			}
		}
		return nil
	})
	require.ErrorIs(t, err, analyze.ErrLaunches)
	require.ErrorContains(t, err, "3 of 5 launches are missing")
	assert.Len(t, launches, 2)

	assert.PanicsWithValue(t, "p", func() {
		_, _ = analyze.Observe(ctx, r.acc, analyze.ObserveOptions{}, func(context.Context) error { panic("p") })
	})
	launches, err = analyze.Observe(ctx, r.acc, analyze.ObserveOptions{},
		func(ctx context.Context) error { return r.run(ctx, r.copy) })
	require.NoError(t, err, "nothing is left of the panic")
	assert.Len(t, launches, 1)
}

// TestObserveNested: two observers of the same launches get the same figures, beside the sanitizer.
func TestObserveNested(t *testing.T) {
	var found []*sanitizer.Finding
	r := newRig(t, compute.WithSanitizer(sanitizer.All, func(f *sanitizer.Finding) { found = append(found, f) }))
	var inner []*event.Launch
	outer, err := analyze.Observe(t.Context(), r.acc, analyze.ObserveOptions{}, func(ctx context.Context) (err error) {
		inner, err = analyze.Observe(ctx, r.acc, analyze.ObserveOptions{Threadgroups: 4},
			func(ctx context.Context) error { return r.run(ctx, r.copy) })
		return err
	})
	require.NoError(t, err)
	require.Len(t, inner, 1)
	require.Len(t, outer, 1)
	assert.EqualValues(t, 2*4*64, inner[0].Totals().Accesses)
	assert.EqualValues(t, 2*4096, outer[0].Totals().Accesses)
	for _, f := range found {
		assert.NotEqual(t, sanitizer.Race, f.Kind, fmt.Sprint(f))
	}
}

// TestObserveFailed: a launch that fails is there, with its error.
func TestObserveFailed(t *testing.T) {
	r := newRig(t)
	p, err := r.acc.Compile(t.Context(), `#include <metal_stdlib>
		using namespace metal;
		kernel void diverges(device float *from [[buffer(0)]], device float *to [[buffer(1)]],
				uint i [[thread_index_in_threadgroup]]) {
			to[i] = from[i];
			if (i < 32) threadgroup_barrier(mem_flags::mem_none);
			else threadgroup_barrier(mem_flags::mem_device);
		}`, compute.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	k, err := p.Kernel("diverges")
	require.NoError(t, err)
	launches, err := analyze.Observe(t.Context(), r.acc, analyze.ObserveOptions{},
		func(ctx context.Context) error { return r.run(ctx, k) })
	require.Error(t, err)
	require.Len(t, launches, 1)
	assert.Contains(t, launches[0].Error, "barrier")
	assert.False(t, launches[0].Whole())
}

// TestObserveCanceled: when the context ends during a kernel that would never end, Observe returns,
// and the device can be observed again.
func TestObserveCanceled(t *testing.T) {
	r := newRig(t)
	p, err := r.acc.Compile(t.Context(), `#include <metal_stdlib>
		using namespace metal;
		kernel void spins(device float *from [[buffer(0)]], device float *to [[buffer(1)]],
				uint i [[thread_position_in_grid]]) {
			while (from[i] == 0) to[i] += 1;
		}`, compute.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	k, err := p.Kernel("spins")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := r.acc.NewStream(compute.StreamOptions{Context: ctx})
	require.NoError(t, err)
	l, err := k.Bind(compute.Threads1D(64), r.from, r.to)
	require.NoError(t, err)
	_, err = analyze.Observe(ctx, r.acc, analyze.ObserveOptions{}, func(ctx context.Context) error {
		if err := s.Run(ctx, l); err != nil {
			return err
		}
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	_ = s.Close(t.Context()) // waits for the kernel's end, and has the error of the launch
	launches, err := analyze.Observe(t.Context(), r.acc, analyze.ObserveOptions{},
		func(ctx context.Context) error { return r.run(ctx, r.copy) })
	require.NoError(t, err)
	require.Len(t, launches, 1)
	assert.Equal(t, "copy", launches[0].Kernel)
}
