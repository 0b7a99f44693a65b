package bench

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
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
	assert.Equal(t, Result{Name: "c", Runs: 11, MedianUS: 60, LowUS: 30, HighUS: 90, MinUS: 10,
		P10US: 20, P90US: 100, GFLOPs: 100, GBs: 20, Fraction: 0.5, Of: "memory"}, r)
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

// TestWarnings: what could not be measured is not shown as a figure, and a warning says so.
func TestWarnings(t *testing.T) {
	good := Result{Name: "good", MedianUS: 10, P10US: 9, P90US: 12, Fraction: 0.999, Of: "memory"}
	assert.Equal(t, [2]string{"30 %", "99.9 % memory"}, [2]string{good.SpreadText(), good.Share()})
	assert.Empty(t, (&Result{}).Share())
	bad := Result{Name: "bad", MedianUS: 10, P10US: 9, P90US: 2444, Fraction: 16.09, Of: "memory"}
	assert.Equal(t, [2]string{"> 100 %", "> 100 % memory"}, [2]string{bad.SpreadText(), bad.Share()})
	assert.Empty(t, (&Report{Results: []Result{good}}).Warnings())
	all := (&Report{Peak: Peak{Unsteady: true}, Results: []Result{good, bad}}).Warnings()
	require.Len(t, all, 3)
	assert.Contains(t, all[0], "busy")
	assert.Contains(t, all[1], "times vary by more than their median: bad;")
	assert.Contains(t, all[2], "faster than the measured peak: bad;")

	assert.Equal(t, Peak{GBs: 12, GFLOPs: 100}, Peak{GBs: 10, GFLOPs: 100}.best(Peak{GBs: 12, GFLOPs: 90}))
	assert.Equal(t, Peak{GBs: 10, GFLOPs: 100, Unsteady: true}, Peak{GBs: 1, GFLOPs: 100}.best(Peak{GBs: 10}))
}

func TestCompare(t *testing.T) {
	at := func(low, median, high float64) *Result { return &Result{LowUS: low, MedianUS: median, HighUS: high} }
	verdict := func(old, now *Result) Verdict { return Compare(old, now).Verdict() }
	assert.Equal(t, Same, verdict(at(9, 10, 11), at(9, 10, 11)))
	assert.Equal(t, Slower, verdict(at(9, 10, 11), at(12, 13, 14)))
	assert.Equal(t, Faster, verdict(at(12, 13, 14), at(9, 10, 11)))
	assert.Equal(t, Same, verdict(at(9, 10, 15), at(10, 14, 16)), "the ratio may be 1")
	assert.Equal(t, Same, verdict(at(9.9, 10, 10.1), at(10.4, 10.5, 10.6)), "less than a tenth")
	assert.Equal(t, Same, verdict(at(0, 0, 0), at(1, 1, 1)), "nothing is divided by nothing")

	c := Compare(at(8, 10, 20), at(10, 20, 22))
	assert.InDelta(t, 2, c.Ratio, 1e-12)
	assert.InDelta(t, 2/math.Exp(math.Ln2*math.Sqrt2), c.Low, 1e-12, "both may be wrong by the factor 2")
	assert.InDelta(t, 2*math.Exp(math.Hypot(math.Log(1.1), math.Log(1.25))), c.High, 1e-12)
}

// TestMedianInterval: of samples whose true median is known, about 95 % have it in their interval.
func TestMedianInterval(t *testing.T) {
	low, high := medianInterval([]time.Duration{1, 2, 3})
	assert.Equal(t, [2]time.Duration{1, 3}, [2]time.Duration{low, high})
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{10, 101, 1000} {
		const samples = 2000
		hits := 0
		for range samples {
			times := make([]time.Duration, n)
			for i := range times {
				times[i] = time.Duration(1e6 * r.ExpFloat64())
			}
			slices.Sort(times)
			low, high := medianInterval(times)
			const median = 693_147 // ln 2
			if low <= median && median <= high {
				hits++
			}
		}
		assert.Greater(t, hits, samples*94/100, "%d times", n)
		assert.Less(t, hits, samples*99/100, "%d times", n)
	}
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
	f, err := hostArithmetic(t.Context(), 32)
	require.NoError(t, err)
	assert.Positive(t, f)
	_, err = hostArithmetic(t.Context(), -1)
	assert.Error(t, err, "no matrix")
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
	_, _, err := new(rig).measure(t.Context(), &c, time.Hour)
	assert.ErrorIs(t, err, wrong)
	assert.Equal(t, 1, runs)
}
