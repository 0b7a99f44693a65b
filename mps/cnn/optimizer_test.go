package cnn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOptimizers compares three updates of matrices or vectors with the formulas of the framework's
// documentation in float64.
func TestOptimizers(t *testing.T) {
	d := mpstest.Kernels(t)
	const rate, rescale, low, high, decay, epsilon = 0.1, 2, -0.25, 0.3, 0.05, 1e-3
	const momentum, beta1, beta2 = 0.75, 0.8, 0.9
	desc, err := cnn.NNOptimizerDescriptorWithLearningRateGradientRescaleApplyGradientClipping(rate, rescale, true, high,
		low,
		cnn.NNRegularizationTypeL2, decay)
	require.NoError(t, err)
	lasso, err := cnn.NewNNOptimizerDescriptorWithLearningRate(rate, rescale, cnn.NNRegularizationTypeL1, decay)
	require.NoError(t, err)
	defer lasso.Release()
	assert.EqualValues(t, float32(high), desc.GradientClipMax())
	assert.False(t, lasso.ApplyGradientClipping())
	type state struct{ value, first, second, most float64 }
	l2 := func(g, v float64) float64 { return min(max(g, low), high)*rescale + decay*v }
	l1 := func(g, v float64) float64 { return g*rescale + decay*math.Copysign(1, v) }
	plain := func(g, _ float64) float64 { return g }
	s := mpstest.Tables{T: t, D: d, Rng: rand.New(rand.NewPCG(31, 2))}
	made := func(err error, k interface{ Release() }) {
		require.NoError(t, err)
		t.Cleanup(k.Release)
	}
	sgd, err := cnn.NewNNOptimizerStochasticGradientDescentWithDevice(d, rate)
	made(err, sgd)
	heavy, err := cnn.NewNNOptimizerStochasticGradientDescentWithDeviceMomentumScaleUseNesterovMomentum(d, momentum, false,
		desc)
	made(err, heavy)
	nesterov, err := cnn.NewNNOptimizerStochasticGradientDescentWithDeviceMomentumScale(d, momentum, true, lasso)
	made(err, nesterov)
	square, err := cnn.NewNNOptimizerRMSPropWithDeviceDecay(d, beta2, epsilon, desc)
	made(err, square)
	adam, err := cnn.NewNNOptimizerAdamWithDeviceBeta1(d, beta1, beta2, epsilon, 0, desc)
	made(err, adam)
	most, err := cnn.NewNNOptimizerAdamWithDeviceBeta1(d, beta1, beta2, epsilon, 0, lasso)
	made(err, most)
	assert.EqualValues(t, float32(rate), sgd.LearningRate())
	assert.EqualValues(t, 1, sgd.GradientRescale())
	assert.True(t, heavy.ApplyGradientClipping())
	assert.False(t, heavy.UseNesterovMomentum())
	assert.True(t, nesterov.UseNesterovMomentum())
	assert.EqualValues(t, float32(momentum), heavy.MomentumScale())
	assert.Equal(t, beta2, square.Decay())
	byAdam := func(x *state, g float64, n int, amsgrad bool) {
		x.first = beta1*x.first + (1-beta1)*g
		x.second = beta2*x.second + (1-beta2)*g*g
		velocity := x.second
		if amsgrad {
			x.most = max(x.most, x.second)
			velocity = x.most
		}
		r := rate * math.Sqrt(1-math.Pow(beta2, float64(n))) / (1 - math.Pow(beta1, float64(n)))
		x.value -= r * x.first / (math.Sqrt(velocity) + epsilon)
	}
	for _, c := range []struct {
		name   string
		encode func(cb mtl.CommandBuffer, g, v, a, b, m mps.Matrix)
		scaled func(g, v float64) float64
		update func(x *state, g float64, n int)
	}{
		{"gradient descent", func(cb mtl.CommandBuffer, g, v, _, _, _ mps.Matrix) {
			sgd.EncodeToCommandBufferInputGradientMatrix(cb, g, v, mps.Matrix{}, v)
		}, plain, func(x *state, g float64, _ int) { x.value -= rate * g }},
		{"momentum", func(cb mtl.CommandBuffer, g, v, a, _, _ mps.Matrix) {
			heavy.EncodeToCommandBufferInputGradientMatrix(cb, g, v, a, v)
		}, l2, func(x *state, g float64, _ int) {
			x.first = momentum*x.first + rate*g
			x.value -= x.first
		}},
		{"Nesterov", func(cb mtl.CommandBuffer, g, v, a, _, _ mps.Matrix) {
			nesterov.EncodeToCommandBufferInputGradientMatrix(cb, g, v, a, v)
		}, l1, func(x *state, g float64, _ int) {
			x.first = momentum*x.first + g
			x.value -= rate * (g + momentum*x.first)
		}},
		{"RMSProp", func(cb mtl.CommandBuffer, g, v, a, _, _ mps.Matrix) {
			square.EncodeToCommandBufferInputGradientMatrix(cb, g, v, a, v)
		}, l2, func(x *state, g float64, _ int) {
			x.first = beta2*x.first + (1-beta2)*g*g
			x.value -= rate * g / (math.Sqrt(x.first) + epsilon)
		}},
		{"Adam", func(cb mtl.CommandBuffer, g, v, a, b, _ mps.Matrix) {
			adam.EncodeToCommandBufferInputGradientMatrix(cb, g, v, a, b, v)
		}, l2, func(x *state, g float64, n int) { byAdam(x, g, n, false) }},
		{"AMSGrad", func(cb mtl.CommandBuffer, g, v, a, b, m mps.Matrix) {
			most.EncodeToCommandBufferInputGradientMatrixInputValuesMatrix(cb, g, v, a, b, m, v)
		}, l1, func(x *state, g float64, n int) { byAdam(x, g, n, true) }},
	} {
		const rows, columns = 2, 3
		var m [5]*mpstest.Table // gradient, values, and three states
		for i := range m {
			m[i] = s.Matrix(mps.DataTypeFloat32, 1, rows, columns)
			for r := range rows {
				for k := range columns {
					if i > 1 {
						m[i].Set(0, r, k, math.Abs(m[i].At(0, r, k))/8)
					}
				}
			}
		}
		want := map[[2]int]*state{}
		for r := range rows {
			for k := range columns {
				at := func(i int) float64 { return m[i].At(0, r, k) }
				want[[2]int{r, k}] = &state{at(1), at(2), at(3), at(4)}
			}
		}
		for n := 1; n <= 3; n++ {
			balanced := func(cb mtl.CommandBuffer) {
				c.encode(cb, m[0].Matrix, m[1].Matrix, m[2].Matrix, m[3].Matrix, m[4].Matrix)
			}
			mpstest.Encoded(t, d, balanced)
			for at, x := range want {
				c.update(x, c.scaled(m[0].At(0, at[0], at[1]), x.value), n)
				assert.InDelta(t, x.value, m[1].At(0, at[0], at[1]), 2e-5, "%s: step %d", c.name, n)
			}
		}
	}
	assert.EqualValues(t, 3, adam.TimeStep())

	// Vectors, and out of place.
	g, gv := s.Vector(1, 4)
	v, vv := s.Vector(1, 4)
	out, ov := s.Vector(1, 4)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		sgd.EncodeToCommandBufferInputGradientVector(cb, g, v, mps.Vector{}, out)
	})
	ov.Expect(t, nil, 0, 0, 1, 4, func(_, _, c int) float64 { return vv.At(0, 0, c) - rate*gv.At(0, 0, c) }, 1e-6)
	short, _ := s.Vector(1, 3)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		mpstest.Refused(t, func() { sgd.EncodeToCommandBufferInputGradientVector(cb, g, short, mps.Vector{}, out) },
			"argument 2 has the shape [1 1 3]")
		mpstest.Refused(t, func() { square.EncodeToCommandBufferInputGradientVector(cb, g, v, mps.Vector{}, out) })
	})
}
