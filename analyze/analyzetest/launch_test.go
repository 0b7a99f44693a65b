package analyzetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze/analyzetest"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
)

const source = `#include <metal_stdlib>
using namespace metal;
kernel void scale(device const float *in [[buffer(0)]], device float *out [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
	out[i] = in[i] * 2;
}
kernel void gappy(device const float *in [[buffer(0)]], device float *out [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
	if (i % 4 == 0) out[i] = in[i];
}
`

// recorder is a testing.TB that keeps failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...) }

// launcher returns a function that launches a kernel over 1024 threads.
func launcher(t testing.TB, acc *compute.Accelerator, kernel string) func(context.Context) error {
	p, err := acc.Compile(t.Context(), source, compute.CompileOptions{Name: "k.metal"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	k, err := p.Kernel(kernel)
	require.NoError(t, err)
	var b [2]*compute.Buffer[float32]
	for i := range b {
		b[i], err = compute.NewBuffer[float32](acc, 1024, compute.BufferOptions{})
		require.NoError(t, err)
		t.Cleanup(b[i].Close)
	}
	l, err := k.Bind(compute.Threads1D(1024), b[0], b[1])
	require.NoError(t, err)
	return func(ctx context.Context) error {
		s, err := acc.NextStream()
		if err != nil {
			return err
		}
		return s.Run(ctx, l)
	}
}

func ExampleLaunches() {
	// The body of a test, such as TestScale.
	test := func(t *testing.T) {
		acc := computetest.Open(t)
		run := launcher(t, acc, "scale") // launches the kernel on a stream of acc
		analyzetest.Launches(t, acc, analyzetest.Bounds{Efficiency: 0.9, SimdEfficiency: 0.9}, run)
	}
	_ = test
}

// TestLaunches: an efficient kernel passes; one below its bounds fails, with figures and place.
func TestLaunches(t *testing.T) {
	acc := computetest.Open(t)
	good := analyzetest.Launches(t, acc, analyzetest.Bounds{Efficiency: 1, SiteEfficiency: 1, SimdEfficiency: 1},
		launcher(t, acc, "scale"))
	require.Len(t, good, 1)
	for _, c := range []struct {
		bounds analyzetest.Bounds
		want   []string
	}{
		{analyzetest.Bounds{Efficiency: 0.5}, []string{"kernel gappy over [1024 1 1] threads",
			"efficiency 0.25 with lines of 128"}},
		{analyzetest.Bounds{SiteEfficiency: 0.5, Line: 32}, []string{"k.metal:9:30: load of in: efficiency 0.25",
			"k.metal:9:25: store of out: efficiency 0.25"}},
		{analyzetest.Bounds{SimdEfficiency: 0.99}, []string{"of the lanes are active, want at least 0.99"}},
		{analyzetest.Bounds{Efficiency: 0.2, SiteEfficiency: 0.2, SimdEfficiency: 0.2}, nil},
		{analyzetest.Bounds{Efficiency: 1, Kernels: []string{"scale"}}, []string{"no launches of scale"}},
		{analyzetest.Bounds{Line: 48}, []string{"lines of 48 bytes, want one of [32 64 128]"}},
	} {
		r := &recorder{TB: t}
		analyzetest.Launches(r, acc, c.bounds, launcher(t, acc, "gappy"))
		all := strings.Join(r.failures, "\n")
		for _, want := range c.want {
			assert.Contains(t, all, want)
		}
		assert.Equal(t, len(c.want) > 0, len(r.failures) > 0, all)
	}
	r := &recorder{TB: t}
	analyzetest.Launches(r, acc, analyzetest.Bounds{}, func(context.Context) error { return context.DeadlineExceeded })
	assert.Len(t, r.failures, 1)
}
