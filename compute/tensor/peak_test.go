package tensor_test

import (
	"bytes"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestShare: with a known peak, the share is that of the figure which is closer to its limit.
func TestShare(t *testing.T) {
	for _, peak := range []tensor.Peak{{GFLOPS: 1e6, GBs: 1e-3}, {GFLOPS: 1e-3, GBs: 1e6}} {
		e, s := open(t, tensor.WithTiming(), tensor.WithPeak(peak))
		x := s.Full(tensor.Float32, 1, 20, 30)
		s.MatMul(x, x.T())
		require.NoError(t, e.Sync(t.Context()))
		product := e.Stats()[1]
		require.EqualValues(t, 1, product.Timed)
		require.Equal(t, "matmul", product.Op)
		assert.EqualValues(t, 2*20*20*30, product.FLOPs)
		assert.EqualValues(t, 4*(2*20*30+20*20), product.Bytes)
		want := max(product.GFLOPS()/peak.GFLOPS, product.GBs()/peak.GBs)
		assert.Positive(t, want)
		assert.Equal(t, want, product.Share())
		assert.Contains(t, product.String(), "% of the peak")
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("done", "op", product, "peak", peak)
		assert.Contains(t, log.String(), " op.peak_share=")
		assert.Contains(t, log.String(), " peak.gflops=")

		again, err := e.MeasurePeak(t.Context())
		require.NoError(t, err)
		assert.Equal(t, peak, again, "nothing is measured")
	}
}

func TestPeakOption(t *testing.T) {
	acc := computetest.Open(t)
	for _, p := range []tensor.Peak{{}, {GFLOPS: 1}, {1, -1}, {math.NaN(), 1}, {math.Inf(1), 1}} {
		_, err := tensor.New(acc, tensor.WithPeak(p))
		require.ErrorIs(t, err, compute.ErrOption, "%v", p)
		assert.ErrorContains(t, err, "want two finite numbers above 0")
	}
	var none *tensor.Engine
	_, err := none.MeasurePeak(t.Context())
	assert.ErrorIs(t, err, compute.ErrNil)
}

// TestMeasurePeak: without a known peak there is no share; measuring gives figures that a machine
// can have, and is not counted.
func TestMeasurePeak(t *testing.T) {
	e, s := open(t, tensor.WithTiming())
	s.Exp(tensor.Of(s, []float32{1}))
	require.NoError(t, e.Sync(t.Context()))
	require.EqualValues(t, 1, e.Stats()[0].Timed)
	before := e.Stats()
	assert.Zero(t, before[0].Share())
	assert.NotContains(t, before[0].String(), "peak")

	began := time.Now()
	p, err := tensor.MeasurePeakOf(t.Context(), e, 64, 1<<12)
	require.NoError(t, err)
	took := time.Since(began)
	// Of both, four runs took less time than measuring all.
	assert.Greater(t, p.GFLOPS, 2*64*64*64/float64(took.Nanoseconds()))
	assert.Greater(t, p.GBs, 8*(1<<12)/float64(took.Nanoseconds()))
	assert.Less(t, p.GFLOPS, 1e6)
	assert.Equal(t, before, e.Stats())
	assert.NoError(t, s.Err())
}

// TestFLOPs: the numbers of operations are those of the usual formulas.
func TestFLOPs(t *testing.T) {
	manyKernels(t)
	e, s := open(t)
	x := func(shape ...int) *tensor.Tensor { return s.Full(tensor.Float32, 1, shape...) }
	s.MatMul(x(3, 4, 5), x(5, 6))
	s.Conv(x(2, 4, 9, 8), x(6, 2, 3, 3), tensor.Window{}, 2)
	s.ConvTranspose(x(2, 6, 7, 6), x(6, 2, 3, 3), tensor.Window{}, 2)
	s.AvgPool(x(2, 3, 8, 8), tensor.Window{Size: []int{2, 2}, Strides: []int{2, 2}})
	s.Attention(x(2, 5, 8), x(2, 7, 8), x(2, 7, 3), nil, 1)
	s.Softmax(x(4, 5), -1)
	s.Sum(x(4, 5), 0)
	s.Exp(x(4, 5))
	s.Add(x(4, 1), x(5))
	s.FFT(x(3, 16, 2))
	s.RFFT(x(3, 16))
	s.IRFFT(x(3, 9, 2), false)
	s.RNN(x(4, 2, 3), tensor.RNN{Recurrence: tensor.Recurrence{Weights: x(5, 5), InputWeights: x(5, 3)}})
	s.GRU(x(4, 2, 30), tensor.GRU{Recurrence: tensor.Recurrence{Weights: x(2, 15, 5), Bidirectional: true}})
	s.LocalResponseNorm(x(2, 5, 4), 3, 1, 1, 1, 1)
	s.Quantize(x(4, 5), tensor.Scalar(1), nil, tensor.Int8)
	require.NoError(t, s.Err())
	want := map[string]float64{
		"matmul":              2 * 3 * 4 * 5 * 6,
		"conv":                2 * (2 * 6 * 7 * 6) * (2 * 3 * 3),
		"conv transpose":      2 * (2 * 6 * 7 * 6) * (2 * 3 * 3),
		"avg pool":            2 * 3 * 4 * 4 * 4,
		"attention":           2*2*5*7*8 + 2*2*5*7*3,
		"softmax":             5 * 20,
		"sum":                 20,
		"exp":                 20,
		"add":                 20,
		"fft":                 5 * 3 * 16 * 4,
		"rfft":                5 * 3 * 16 * 4 / 2,
		"irfft":               5 * 3 * 16 * 4 / 2,
		"rnn":                 4 * 2 * 2 * 5 * (5 + 3),
		"gru":                 2 * 4 * 2 * 2 * 15 * 5, // without input weights
		"local response norm": 40 * (2*3 + 4),
		"quantize":            2 * 20,
	}
	for _, o := range e.Stats() {
		if o.Op != "full" {
			assert.Equal(t, want[o.Op], o.FLOPs, o.Op)
			delete(want, o.Op)
		}
	}
	assert.Empty(t, want)
}

// TestStatsAfterSync: the times of all operations before Sync are there, although a callback of the
// program holds up those by which the engine would learn of them.
func TestStatsAfterSync(t *testing.T) {
	acc := computetest.Open(t)
	stream, err := acc.NextStream()
	require.NoError(t, err)
	release := make(chan struct{})
	require.NoError(t, stream.Callback(t.Context(), func(error) { <-release }))
	e, err := tensor.New(acc, tensor.WithStream(stream), tensor.WithTiming())
	require.NoError(t, err)
	s := e.Scope(t.Context())
	x := s.Full(tensor.Float32, 1, 20, 30)
	s.MatMul(x, x.T())
	require.NoError(t, e.Sync(t.Context()))
	stats := e.Stats()
	close(release)
	require.Len(t, stats, 2)
	for _, o := range stats {
		assert.Equal(t, o.Calls, o.Timed, o.Op)
	}
	s.Close()
	require.NoError(t, e.Close(t.Context()))
}
