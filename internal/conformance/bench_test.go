package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// benchDispatches measures a command buffer with n empty dispatches, from its creation until it is
// known to have completed.
func benchDispatches(b *testing.B, n int) {
	d, err := mtl.DefaultDevice()
	if err != nil {
		b.Skipf("no metal device: %v", err)
	}
	defer d.Release()
	q, err := d.NewCommandQueue()
	require.NoError(b, err)
	defer q.Release()
	l, err := d.NewLibrary("kernel void nothing() {}", mtl.CompileOptions{})
	require.NoError(b, err)
	defer l.Release()
	f, err := l.NewFunction("nothing")
	require.NoError(b, err)
	defer f.Release()
	p, err := d.NewComputePipelineState(f)
	require.NoError(b, err)
	defer p.Release()
	one := mtl.Size{Width: 1, Height: 1, Depth: 1}
	commands := func() error {
		pool, err := objc.NewAutoreleasePool()
		if err != nil {
			return err
		}
		c, err := q.CommandBuffer()
		if err != nil {
			return err
		}
		e, err := c.ComputeCommandEncoder()
		if err != nil {
			return err
		}
		if err := e.SetComputePipelineState(p); err != nil {
			return err
		}
		for range n {
			if err := e.DispatchThreadgroups(one, one); err != nil {
				return err
			}
		}
		if err := e.EndEncoding(); err != nil {
			return err
		}
		if err := c.Commit(); err != nil {
			return err
		}
		if err := c.Wait(b.Context()); err != nil {
			return err
		}
		return pool.Drain()
	}
	require.NoError(b, commands())
	b.ReportAllocs()
	var each []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := commands(); err != nil {
			b.Fatal(err)
		}
		each = append(each, time.Since(start))
	}
	slices.Sort(each) // other work on the machine disturbs the mean
	b.ReportMetric(float64(each[len(each)/2].Nanoseconds()), "median-ns")
	b.ReportMetric(float64(each[0].Nanoseconds()), "least-ns")
}

// BenchmarkEmptyDispatch measures one dispatch that does nothing, and the wait for it.
func BenchmarkEmptyDispatch(b *testing.B) { benchDispatches(b, 1) }

// BenchmarkThousandDispatches measures a thousand of them in one command buffer.
func BenchmarkThousandDispatches(b *testing.B) { benchDispatches(b, 1000) }
