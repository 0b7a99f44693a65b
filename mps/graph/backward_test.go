package graph

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/mps"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLinearGradients: gradients of linear operations are their transposes.
func TestLinearGradients(t *testing.T) {
	r := newRig(t)
	g := r.graph
	shape := []int{4, 6}
	dims := r.integers([]int32{4, 6}, 2)
	for _, mode := range []PaddingMode{PaddingModeZero, PaddingModeReflect, PaddingModeSymmetric,
		PaddingModeClampToEdge, PaddingModePeriodic} {
		before, after := []int{1, 3}, []int{2, 0}
		r.adjoint("pad", shape, func(x Tensor) Tensor { return g.PadTensor(x, mode, before, after, 0, "") },
			func(dy, x Tensor) Tensor {
				return g.PadGradientWithIncomingGradientTensor(dy, x, mode, before, after, "")
			})
	}
	r.adjoint("tile", shape, func(x Tensor) Tensor { return g.TileTensor(x, []int{2, 3}, "") },
		func(dy, x Tensor) Tensor { return g.TileGradientWithIncomingGradientTensor(dy, x, []int{2, 3}, "") })
	starts, ends, strides := []int{1, -1}, []int{4, 0}, []int{2, -2}
	r.adjoint("slice", shape, func(x Tensor) Tensor { return g.SliceTensorStarts(x, starts, ends, strides, "") },
		func(dy, _ Tensor) Tensor { return g.SliceGradientTensor(dy, dims, starts, ends, strides, "") })
	r.adjoint("squeezed slice", shape,
		func(x Tensor) Tensor { return g.SliceTensorStartsEnds(x, starts, ends, strides, 2, 1, 1, "") },
		func(dy, _ Tensor) Tensor {
			return g.SliceGradientTensorStartMask(dy, dims, starts, ends, strides, 2, 1, 1, "")
		})
	start, size := r.integers([]int32{1, 2}, 2), r.integers([]int32{2, -1}, 2)
	r.adjoint("sized slice", shape, func(x Tensor) Tensor {
		return got(g.SliceTensorStartTensor(x, start, size, 0, ""))(t)
	}, func(dy, _ Tensor) Tensor {
		return got(g.SliceGradientTensorStartTensor(dy, dims, start, size, 0, ""))(t)
	})
	r.adjoint("top", shape, func(x Tensor) Tensor { return g.TopKWithSourceTensor(x, 2, "")[0] },
		func(dy, x Tensor) Tensor { return g.TopKWithGradientTensor(dy, x, 2, "") })
	zero, two := r.integers([]int32{0}), r.integers([]int32{2})
	r.adjoint("bottom", shape, func(x Tensor) Tensor {
		return got(g.BottomKWithSourceTensorAxisTensor(x, zero, two, ""))(t)[0]
	}, func(dy, x Tensor) Tensor { return got(g.BottomKWithGradientTensorAxisTensor(dy, x, zero, two, ""))(t) })

	d := r.convolution2D(2, 1)
	weights := r.floats(numbers(9, 3*2*3*3), 3, 2, 3, 3)
	r.adjoint("transpose convolution", []int{1, 3, 3, 4}, func(x Tensor) Tensor {
		return g.ConvolutionTranspose2DWithSourceTensor(x, weights, []int{1, 2, 7, 9}, d, "")
	}, func(dy, _ Tensor) Tensor {
		return g.ConvolutionTranspose2DDataGradientWithIncomingGradientTensor(dy, weights, []int{1, 3, 3, 4}, d, "")
	})
	source := r.floats(numbers(9, 3*3*4), 1, 3, 3, 4)
	r.adjoint("its weights", []int{3, 2, 3, 3}, func(w Tensor) Tensor {
		return g.ConvolutionTranspose2DWithSourceTensor(source, w, []int{1, 2, 7, 9}, d, "")
	}, func(dy, _ Tensor) Tensor {
		return g.ConvolutionTranspose2DWeightsGradientWithIncomingGradientTensor(dy, source, []int{3, 2, 3, 3}, d, "")
	})
}

// convolution2D makes a descriptor without padding.
func (r *rig) convolution2D(stride, dilation uint) Convolution2DOpDescriptor {
	r.t.Helper()
	d, err := Convolution2DOpDescriptorWithStrideInX(stride, stride, dilation, dilation, 1, PaddingStyleExplicit,
		TensorNamedDataLayoutNCHW, TensorNamedDataLayoutOIHW)
	require.NoError(r.t, err)
	return d
}

// TestNormalizationGradients compares with differences in float64.
func TestNormalizationGradients(t *testing.T) {
	r := newRig(t)
	g := r.graph
	const n, c, epsilon = 5, 3, 0.01
	xv, dyv, gv := numbers(1, n*c), numbers(2, n*c), numbers(3, c)
	x, dy, gamma := r.floats(xv, n, c), r.floats(dyv, n, c), r.floats(gv, 1, c)
	mean, variance := g.MeanOfTensor(x, []int{0}, ""), g.VarianceOfTensor(x, []int{0}, "")
	// loss is the sum of dy times the normalization.
	loss := func(x, gamma, beta []float64) float64 {
		sum := 0.0
		for k := range c {
			mean, variance := 0.0, 0.0
			for i := range n {
				mean += x[i*c+k] / n
			}
			for i := range n {
				variance += (x[i*c+k] - mean) * (x[i*c+k] - mean) / n
			}
			for i := range n {
				y := (x[i*c+k]-mean)/math.Sqrt(variance+epsilon)*gamma[k] + beta[k]
				sum += y * float64(dyv[i*c+k])
			}
		}
		return sum
	}
	slope := func(of []float64, f func(v []float64) float64) []float64 {
		out := make([]float64, len(of))
		const h = 1e-5
		for i, v := range of {
			of[i] = v + h
			up := f(of)
			of[i] = v - h
			out[i] = (up - f(of)) / (2 * h)
			of[i] = v
		}
		return out
	}
	zero := make([]float64, c)
	dgamma := g.NormalizationGammaGradientWithIncomingGradientTensor(dy, x, mean, variance, []int{0}, epsilon, "")
	dbeta := g.NormalizationBetaGradientWithIncomingGradientTensor(dy, x, []int{0}, "")
	r.check("gamma", dgamma, []int{1, c}, slope(wide(gv), func(v []float64) float64 { return loss(wide(xv), v, zero) }),
		1e-3)
	r.check("beta", dbeta, []int{1, c}, slope(zero, func(v []float64) float64 { return loss(wide(xv), wide(gv), v) }),
		1e-4)
	r.check("input", g.NormalizationGradientWithIncomingGradientTensor(dy, x, mean, variance, gamma, dgamma, dbeta,
		[]int{0}, epsilon, ""), []int{n, c},
		slope(wide(xv), func(v []float64) float64 { return loss(v, wide(gv), zero) }), 1e-3)
}

func TestCrossEntropyGradient(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.floats(numbers(1, 12), 3, 4)
	labels := g.SoftMaxWithTensor(r.floats(numbers(2, 12), 3, 4), 1, "")
	for _, reduction := range []LossReductionType{LossReductionTypeNone, LossReductionTypeSum, LossReductionTypeMean} {
		loss := g.SoftMaxCrossEntropyWithSourceTensor(x, labels, 1, reduction, "")
		want := r.eval(g.GradientForPrimaryTensor(loss, []Tensor{x}, "")[x])[0]
		one := g.ConstantWithScalarShape(1, loss.Shape(), mps.DataTypeFloat32)
		r.check("gradient", g.SoftMaxCrossEntropyGradientWithIncomingGradientTensor(one, x, labels, 1, reduction, ""),
			[]int{3, 4}, want, 1e-6)
	}
	alpha := r.floats([]float32{0.25})
	v := r.floats([]float32{-2, 3}, 2)
	r.check("leaky", g.LeakyReLUGradientWithIncomingGradient(r.floats([]float32{8, 5}, 2), v, alpha, ""), []int{2},
		[]float64{2, 5}, 0)
}

func TestUpdates(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.floats([]float32{0, 1, 2, 3, 4, 5}, 2, 3)
	u := r.floats([]float32{7, 8}, 1, 2)
	want := []float64{0, 1, 2, 8, 4, 7}
	r.check("update", got(g.SliceUpdateDataTensorName(x, u, []int{1, -1}, []int{2, -4}, []int{1, -2}, ""))(t),
		[]int{2, 3}, want, 0)
	r.check("masks", got(g.SliceUpdateDataTensorStartsTensor(x, u, r.integers([]int32{1, 9}, 2),
		r.integers([]int32{2, 9}, 2), r.integers([]int32{1, -2}, 2), 2, 2, 0, ""))(t), []int{2, 3}, want, 0)
	r.check("interleaved", g.ConcatTensorsInterleave([]Tensor{x, g.NegativeWithTensor(x, "")}, 1, true, ""),
		[]int{2, 6}, []float64{0, 0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5}, 0)
	r.check("joined", g.ConcatTensorsInterleave([]Tensor{x, x}, 0, false, ""), []int{4, 3},
		[]float64{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}, 0)
	r.check("coordinate", g.CoordinateAlongAxis(-1, []int{2, 3}, ""), []int{2, 3}, []float64{0, 1, 2, 0, 1, 2}, 0)
	r.check("band", g.BandPartWithTensorNumLowerTensor(x, r.integers([]int32{0}), r.integers([]int32{-1}), ""),
		[]int{2, 3}, []float64{0, 1, 2, 0, 4, 5}, 0)
	r.check("bits", got(g.ReinterpretCastTensor(r.floats([]float32{1, -2}, 2), mps.DataTypeInt32, ""))(t), []int{2},
		[]float64{0x3f800000, -0x40000000}, 0)
}

// TestOptimizers: two steps of Adam with corrected averages and one of gradient descent.
func TestOptimizers(t *testing.T) {
	r := newRig(t)
	g := r.graph
	scalar := func(v float32) Tensor { return r.floats([]float32{v}) }
	const rate, beta1, beta2, epsilon = 0.1, 0.9, 0.99, 1e-3
	x, m, v, top := []float64{1, -2}, []float64{0.5, 0.25}, []float64{0.04, 0.5}, []float64{1, 0.01}
	dx := []float64{0.3, -0.7}
	tensor := func(v []float64) Tensor { return r.floats([]float32{float32(v[0]), float32(v[1])}, 2) }
	out := g.AdamWithLearningRateTensor(scalar(rate), scalar(beta1), scalar(beta2), scalar(epsilon),
		scalar(beta1*beta1), scalar(beta2*beta2), tensor(x), tensor(m), tensor(v), tensor(top), tensor(dx), "")
	require.Len(t, out, 4)
	var want [4][]float64
	for i := range x {
		mi, vi := beta1*m[i]+(1-beta1)*dx[i], beta2*v[i]+(1-beta2)*dx[i]*dx[i]
		most := math.Max(top[i], vi)
		step := rate * math.Sqrt(1-beta2*beta2) / (1 - beta1*beta1)
		want[0] = append(want[0], x[i]-step*mi/(math.Sqrt(most)+epsilon))
		want[1], want[2], want[3] = append(want[1], mi), append(want[2], vi), append(want[3], most)
	}
	for i := range want {
		r.check("adam", out[i], []int{2}, want[i], 1e-6)
	}
	plain := g.AdamWithCurrentLearningRateTensor(scalar(rate), scalar(beta1), scalar(beta2), scalar(epsilon), tensor(x),
		tensor(m), tensor(v), Tensor{}, tensor(dx), "")
	require.Len(t, plain, 3)
	for i := range x {
		want[0][i] = x[i] - rate*want[1][i]/(math.Sqrt(want[2][i])+epsilon)
	}
	r.check("without a maximum", plain[0], []int{2}, want[0], 1e-6)

	variable := got(g.VariableFromTensorWithTensor(r.floats([]float32{1, -2}, 2), ""))(t)
	op := g.ApplyStochasticGradientDescentWithLearningRateTensor(scalar(rate),
		VariableOpFrom(variable.Operation().ID()), tensor(dx), "")
	require.False(t, op.IsNil())
	for step := range 3 {
		results := got(g.RunWithMTLCommandQueueTargetTensors(r.queue, nil, []Tensor{variable}, []Operation{op}))(t)
		require.Len(t, results, 1)
		for i, v := range r.decode(results[variable]) {
			assert.InDelta(t, x[i]-rate*float64(step)*dx[i], v, 1e-6)
		}
	}
}
