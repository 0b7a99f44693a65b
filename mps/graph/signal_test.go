package graph

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/mps"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dft is the transform of n rows of m numbers along both dimensions, in complex128.
func dft(x []complex128, n, m int, inverse bool) []complex128 {
	sign := -2 * math.Pi
	if inverse {
		sign = -sign
	}
	out := make([]complex128, n*m)
	for a := range n {
		for b := range m {
			for i := range n {
				for j := range m {
					turn := float64(a*i)/float64(n) + float64(b*j)/float64(m)
					out[a*m+b] += x[i*m+j] * cmplx.Rect(1, sign*turn)
				}
			}
		}
	}
	return out
}

func pairs(x []complex128) []float64 {
	var out []float64
	for _, v := range x {
		out = append(out, real(v), imag(v))
	}
	return out
}

func TestFourierTransform(t *testing.T) {
	r := newRig(t)
	g := r.graph
	const n, m = 3, 5
	re, im := numbers(1, n*m), numbers(2, n*m)
	x, y := make([]complex128, n*m), make([]complex128, n*m)
	for i := range x {
		x[i], y[i] = complex(float64(re[i]), float64(im[i])), complex(float64(re[i]), 0)
	}
	z := got(g.ComplexTensorWithRealTensor(r.floats(re, n, m), r.floats(im, n, m), ""))(t)
	r.check("complex", z, []int{n, m}, pairs(x), 0)
	r.check("real part", got(g.RealPartOfTensor(z, ""))(t), []int{n, m}, wide(re), 0)
	turned := got(g.ImaginaryPartOfTensor(got(g.ConjugateWithTensor(g.TransposeTensor(z, 0, 1, ""), ""))(t), ""))(t)
	var back []float64
	for j := range m {
		for i := range n {
			back = append(back, -float64(im[i*m+j]))
		}
	}
	r.check("conjugate", turned, []int{m, n}, back, 0)

	for _, inverse := range []bool{false, true} {
		for mode, factor := range map[FFTScalingMode]float64{FFTScalingModeNone: 1, FFTScalingModeSize: 1.0 / (n * m),
			FFTScalingModeUnitary: 1 / math.Sqrt(n*m)} {
			d := got(NewFFTDescriptor())(t)
			d.SetInverse(inverse)
			d.SetScalingMode(mode)
			d.SetRoundToOddHermitean(true)
			scaled := func(v []complex128) []complex128 {
				for i := range v {
					v[i] *= complex(factor, 0)
				}
				return v
			}
			want := scaled(dft(x, n, m, inverse))
			r.check("transform", got(g.FastFourierTransformWithTensor(z, []int{0, 1}, d, ""))(t), []int{n, m},
				pairs(want), 1e-4)
			half := got(g.RealToHermiteanFFTWithTensorAxesTensor(r.floats(re, n, m), r.integers([]int32{0, -1}, 2), d,
				""))(t)
			var kept []complex128
			for i, v := range scaled(dft(y, n, m, inverse)) {
				if i%m <= m/2 {
					kept = append(kept, v)
				}
			}
			r.check("of real numbers", half, []int{n, m/2 + 1}, pairs(kept), 1e-4)
			d.SetInverse(!inverse)
			round := got(g.HermiteanToRealFFTWithTensor(half, []int{0, 1}, d, ""))(t)
			var want2 []float64
			for _, v := range re {
				want2 = append(want2, float64(v)*factor*factor*n*m)
			}
			r.check("to real numbers", round, []int{n, m}, want2, 1e-4)
			d.Release()
		}
	}
}

// TestRandomState: a seed gives the same numbers as a state made of it, and the state after them
// continues the sequence.
func TestRandomState(t *testing.T) {
	r := newRig(t)
	g := r.graph
	state := g.RandomPhiloxStateTensorWithSeed(42, "")
	all := g.RandomUniformTensorWithShapeSeed([]int{24}, 42, "")
	first := g.RandomUniformTensorWithShapeStateTensor([]int{2, 8}, state, "")
	require.Len(t, first, 2)
	second := g.RandomUniformTensorWithShapeTensorStateTensor(r.integers([]int32{8}, 1), first[1], "")
	out := r.eval(all, first[0], second[0], first[1])
	assert.Equal(t, out[0], slices.Concat(out[1], out[2]))
	assert.Equal(t, []float64{4, 0, 0, 0, 42, 0, 0}, out[3])
	counter := g.RandomPhiloxStateTensorWithCounterLow(4, 0, 42, "")
	assert.Equal(t, out[2], r.eval(g.RandomUniformTensorWithShapeStateTensor([]int{8}, counter, "")[0])[0])

	// Without a seed the numbers differ from run to run and from operation to operation.
	a, b := g.RandomUniformTensorWithShape([]int{8}, ""), g.RandomUniformTensorWithShape([]int{8}, "")
	one, two := r.eval(a, b), r.eval(a, b)
	assert.NotEqual(t, one[0], one[1])
	assert.NotEqual(t, one[0], two[0])
}

func TestRandomDistributions(t *testing.T) {
	r := newRig(t)
	g := r.graph
	const n = 4000
	for _, c := range []struct {
		distribution          RandomDistribution
		typ                   mps.DataType
		set                   func(d RandomOpDescriptor)
		mean, sd, least, most float64
	}{
		{RandomDistributionUniform, mps.DataTypeFloat32, func(d RandomOpDescriptor) { d.SetMin(-1); d.SetMax(3) },
			1, 4 / math.Sqrt(12), -1, 3},
		{RandomDistributionUniform, mps.DataTypeInt32,
			func(d RandomOpDescriptor) { d.SetMinInteger(-3); d.SetMaxInteger(7) }, 1.5, 10 / math.Sqrt(12), -3, 6},
		{RandomDistributionNormal, mps.DataTypeFloat32,
			func(d RandomOpDescriptor) { d.SetMean(2); d.SetStandardDeviation(0.5) }, 2, 0.5, -2, 6},
		{RandomDistributionTruncatedNormal, mps.DataTypeFloat32,
			func(d RandomOpDescriptor) { d.SetMin(-1); d.SetMax(1) }, 0, 0.54, -1, 1},
	} {
		d := got(RandomOpDescriptorWithDistribution(c.distribution, c.typ))(t)
		assert.Equal(t, float32(1), d.Max())
		c.set(d)
		x := g.RandomTensorWithShapeSeed([]int{n}, d, 7, "")
		assert.Equal(t, c.typ, x.DataType())
		v := r.eval(x)[0]
		var sum, squares float64
		for _, x := range v {
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / n
		assert.InDelta(t, c.mean, mean, 4*c.sd/math.Sqrt(n), "%v", c.distribution)
		assert.InDelta(t, c.sd, math.Sqrt(squares/n-mean*mean), 0.05*c.sd, "%v", c.distribution)
		assert.GreaterOrEqual(t, slices.Min(v), c.least)
		assert.LessOrEqual(t, slices.Max(v), c.most)
	}
}

func TestDropout(t *testing.T) {
	r := newRig(t)
	g := r.graph
	xv := make([]float32, 4000)
	for i := range xv {
		xv[i] = 3
	}
	y := g.DropoutTensor(r.floats(xv, 4000), 0.25, "")
	out, again := r.eval(y)[0], r.eval(y)[0]
	dropped := 0
	for _, v := range out {
		if v == 0 {
			dropped++
			continue
		}
		assert.InDelta(t, 4, v, 1e-5)
	}
	assert.InDelta(t, 1000, dropped, 110) // four standard deviations
	assert.NotEqual(t, out, again)
}

func TestQuantize(t *testing.T) {
	r := newRig(t)
	g := r.graph
	xv := []float32{-1000, -1.26, -0.125, 0, 0.125, 0.375, 1.3, 1000}
	x := r.floats(xv, 2, 4)
	quantized := func(v, scale float64, zero float64) float64 {
		return math.Min(math.Max(math.RoundToEven(v/scale)+zero, -128), 127)
	}
	var one, along, block []float64
	scales, zeros := []float64{0.25, 0.5, 1, 0.125}, []float64{1, -2, 3, 0}
	for i, v := range xv {
		one = append(one, quantized(float64(v), 0.25, 3))
		along = append(along, quantized(float64(v), scales[i%4], zeros[i%4]))
		block = append(block, float64(v)*scales[i/2%2+2*(i/4)])
	}
	q := got(g.QuantizeTensor(x, 0.25, 3, mps.DataTypeInt8, ""))(t)
	r.check("quantize", q, []int{2, 4}, one, 0)
	var back []float64
	for _, v := range one {
		back = append(back, (v-3)*0.25)
	}
	r.check("dequantize", got(g.DequantizeTensor(q, 0.25, 3, mps.DataTypeFloat32, ""))(t), []int{2, 4}, back, 0)
	st := r.floats([]float32{0.25, 0.5, 1, 0.125}, 4)
	zt := r.integers([]int32{1, -2, 3, 0}, 4)
	q = got(g.QuantizeTensorScaleTensorZeroPointTensor(x, st, zt, mps.DataTypeInt8, -1, ""))(t)
	r.check("along an axis", q, []int{2, 4}, along, 0)
	for i, v := range along {
		back[i] = (v - zeros[i%4]) * scales[i%4]
	}
	r.check("back", got(g.DequantizeTensorScaleTensorZeroPointTensor(q, st, zt, mps.DataTypeFloat32, 1, ""))(t),
		[]int{2, 4}, back, 0)
	// A scale with as many dimensions has one element for a block.
	small := g.ConstantWithData([]byte{1, 2, 3, 4, 5, 6, 7, 8}, []int{2, 4}, mps.DataTypeInt8)
	for i := range block {
		block[i] = float64(i+1) * scales[i/2%2+2*(i/4)]
	}
	r.check("blocks", got(g.DequantizeTensorScaleTensorDataType(small, r.floats([]float32{0.25, 0.5, 1, 0.125}, 2, 2),
		mps.DataTypeFloat32, ""))(t), []int{2, 4}, block, 0)
	index := g.ConstantWithData([]byte{3, 0, 1, 2}, []int{4}, mps.DataTypeUInt8)
	r.check("table", got(g.DequantizeTensorLUTTensor(index, st, ""))(t), []int{4}, []float64{0.125, 0.25, 0.5, 1}, 0)
	_, err := r.try(func() Tensor {
		return got(g.QuantizeTensorScaleTensor(x, r.floats([]float32{1, 2, 3}, 3), 0, mps.DataTypeInt8, 1, ""))(t)
	})
	assert.ErrorContains(t, err, "shape [3] for axis 1 of shape [2 4]")
}
