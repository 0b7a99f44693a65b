package bench

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
)

func TestResult(t *testing.T) {
	times := []time.Duration{50, 10, 20, 40, 30, 60, 70, 80, 90, 100, 110}
	for i := range times {
		times[i] *= time.Microsecond
	}
	c := Case{Name: "c", FLOP: 6e6, Bytes: 1.2e6}
	r := resultOf(&c, times, Peak{GBs: 40, GFLOPs: 200})
	assert.Equal(t, Result{Name: "c", Runs: 11, MedianUS: 60, MinUS: 10, P10US: 20, P90US: 100, GFLOPs: 100, GBs: 20,
		Fraction: 0.5, Of: "memory"}, r)
	assert.InDelta(t, 80.0/60, r.Spread(), 1e-9)
	c.Arithmetic = true
	r = resultOf(&c, times[:1], Peak{GBs: 40, GFLOPs: 1200})
	assert.Equal(t, 1, r.Runs)
	assert.Equal(t, "arithmetic", r.Of)
	assert.InDelta(t, 0.5, r.Fraction, 1e-9)
	assert.Zero(t, r.Spread())
	r = resultOf(&Case{}, []time.Duration{0}, Peak{})
	assert.Equal(t, Result{Runs: 1}, r, "nothing is divided by nothing")
}

func TestCompare(t *testing.T) {
	at := func(p10, median, p90 float64) *Result { return &Result{P10US: p10, MedianUS: median, P90US: p90} }
	assert.Equal(t, Same, Compare(at(9, 10, 11), at(9, 10, 11)))
	assert.Equal(t, Slower, Compare(at(9, 10, 11), at(12, 13, 14)))
	assert.Equal(t, Faster, Compare(at(12, 13, 14), at(9, 10, 11)))
	assert.Equal(t, Same, Compare(at(9, 10, 13), at(12, 14, 16)), "the spreads meet")
	assert.Equal(t, Same, Compare(at(9.9, 10, 10.1), at(10.4, 10.5, 10.6)), "less than a tenth")
}

// TestKernelPeak measures with kernels what a GPU is measured by: more than nothing, and buffers
// are given back.
func TestKernelPeak(t *testing.T) {
	acc, err := compute.Open()
	require.NoError(t, err)
	r, err := newRig(t.Context(), acc)
	require.NoError(t, err)
	p, err := kernelPeak(t.Context(), r, 1<<16)
	require.NoError(t, err)
	assert.Positive(t, p.GBs)
	assert.Positive(t, p.GFLOPs)
	require.NoError(t, r.close(t.Context()))
	require.NoError(t, acc.Close(t.Context()), "nothing is left open")
}

func TestHostPeak(t *testing.T) {
	assert.Positive(t, hostCopy(t.Context(), 1<<16))
	assert.Positive(t, hostArithmetic(t.Context(), 1000))
	assert.InDelta(t, 8.0, multiplyAdds(20000, 1), 0.01, "the chains meet at 1")
}

// TestWrongResult: a case whose result is wrong is not measured.
func TestWrongResult(t *testing.T) {
	assert.Error(t, near("x", 1.1, 1))
	assert.Error(t, near("x", 0, 1e-3))
	assert.NoError(t, near("x", 1.0001, 1))
	nan := 0.0
	nan /= nan
	assert.Error(t, near("x", nan, 1))

	runs, wrong := 0, errors.New("wrong")
	c := Case{prepare: func(context.Context, *rig) (measured, error) {
		return measured{batch: 1, host: func(context.Context, int) error { runs++; return nil },
			check: func(context.Context) error { return wrong }}, nil
	}}
	_, err := new(rig).measure(t.Context(), &c, time.Hour)
	assert.ErrorIs(t, err, wrong)
	assert.Equal(t, 1, runs)
}
