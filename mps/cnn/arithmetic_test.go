package cnn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCNNArithmetic: two images with scales, bias, limits, and sources that are repeated.
func TestCNNArithmetic(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(51, 15))
	add, err := cnn.NewAddWithDevice(d)
	require.NoError(t, err)
	defer add.Release()
	sub, err := cnn.NewSubtractWithDevice(d)
	require.NoError(t, err)
	defer sub.Release()
	mul, err := cnn.NewMultiplyWithDevice(d)
	require.NoError(t, err)
	defer mul.Release()
	div, err := cnn.NewDivideWithDevice(d)
	require.NoError(t, err)
	defer div.Release()
	for i, c := range []struct {
		k cnn.Arithmetic
		f func(x, y float64) float64
	}{
		{add, func(x, y float64) float64 { return x + y }},
		{sub, func(x, y float64) float64 { return x - y }},
		{mul, func(x, y float64) float64 { return x * y }},
		{div, func(x, y float64) float64 { return x / y }},
	} {
		k := c.k
		lasting(t, k)
		assert.EqualValues(t, [3]float32{1, 1, 0}, [3]float32{k.PrimaryScale(), k.SecondaryScale(), k.Bias()})
		assert.EqualValues(t, -math.MaxFloat32, k.MinimumValue())
		assert.EqualValues(t, math.MaxFloat32, k.MaximumValue())
		for _, repeat := range [][3]bool{{}, {true, false, false}, {true, true, true}, {false, false, true}} {
			first := i%2 == 0 // that source is repeated
			sizes := [2][3]int{{5, 4, 6}, {5, 4, 6}}
			at := map[bool]int{true: 0, false: 1}[first]
			for axis, r := range repeat {
				if r {
					sizes[at][axis] = 1
				}
				stride := uint(1)
				if r {
					stride = 0
				}
				if first {
					[]func(uint){k.SetPrimaryStrideInPixelsX, k.SetPrimaryStrideInPixelsY,
						k.SetPrimaryStrideInFeatureChannels}[axis](stride)
				} else {
					[]func(uint){k.SetSecondaryStrideInPixelsX, k.SetSecondaryStrideInPixelsY,
						k.SetSecondaryStrideInFeatureChannels}[axis](stride)
				}
			}
			k.SetPrimaryScale(0.5)
			k.SetSecondaryScale(1.5)
			k.SetBias(0.25)
			k.SetMinimumValue(0.3)
			k.SetMaximumValue(1)
			var p [2]mpstest.Picture
			var m [2]mps.Image
			for i, s := range sizes {
				p[i] = mpstest.RandomPicture(rng, s[0], s[1], s[2])
				for j := range p[i].V {
					p[i].V[j] = max(p[i].V[j], 0.125)
				}
				m[i] = p[i].Image(t, d, mps.ImageFeatureChannelFormatFloat32)
			}
			var out mps.Image
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				out = k.EncodeToCommandBuffer(cb, m[0], m[1])
				out.Retain()
			})
			defer out.Release()
			want := mpstest.NewPicture(5, 4, 6)
			value := func(p mpstest.Picture, x, y, c int) float64 {
				return *p.At(min(x, p.W-1), min(y, p.H-1), min(c, p.C-1))
			}
			for i := range want.V {
				x, y, ch := i/6%5, i/30, i%6
				v := c.f(0.5*value(p[0], x, y, ch), 1.5*value(p[1], x, y, ch)) + 0.25
				want.V[i] = min(max(v, 0.3), 1)
			}
			mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 2e-6, fmt.Sprint(i, repeat))
		}
	}
	add.SetPrimaryStrideInPixelsX(2)
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 2, 2, 1, 1)
	assert.Contains(t, mpstest.FaultsOf(t, func() {
		onQueue(t, d, func(cb mtl.CommandBuffer) { add.EncodeToCommandBuffer(cb, m, m) })
	}), "primaryStrideInPixelsX is 2")
}

// TestCNNArithmeticGradient: the gradients of both images.
func TestCNNArithmeticGradient(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(52, 15))
	e, other := mpstest.RandomPicture(rng, 3, 2, 5), mpstest.RandomPicture(rng, 3, 2, 5)
	const f = mps.ImageFeatureChannelFormatFloat32
	images := [2]mps.Image{e.Image(t, d, f), other.Image(t, d, f)}
	state, err := mps.NewStateWithDevice(d, 16)
	require.NoError(t, err)
	defer state.Release()
	out := mpstest.NewTestImage(t, d, f, 3, 2, 5, 1)
	for _, second := range []bool{false, true} {
		add, err := cnn.NewAddGradientWithDevice(d, second)
		require.NoError(t, err)
		defer add.Release()
		sub, err := cnn.NewSubtractGradientWithDevice(d, second)
		require.NoError(t, err)
		defer sub.Release()
		mul, err := cnn.NewMultiplyGradientWithDevice(d, second)
		require.NoError(t, err)
		defer mul.Release()
		scale := 2.0
		sign := 1.0
		if second {
			scale, sign = 3, -1
		}
		for _, c := range []struct {
			k cnn.ArithmeticGradient
			f func(e, other float64) float64
		}{
			{add, func(e, _ float64) float64 { return scale * e }},
			{sub, func(e, _ float64) float64 { return sign * scale * e }},
			{mul, func(e, other float64) float64 { return 6 * e * other }},
		} {
			assert.Equal(t, second, c.k.IsSecondarySourceFilter())
			c.k.SetPrimaryScale(2)
			c.k.SetSecondaryScale(3)
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				c.k.EncodeToCommandBufferSourceGradientSourceImage(cb, images[0], images[1], state, out)
			})
			want := mpstest.NewPicture(3, 2, 5)
			for i := range want.V {
				want.V[i] = c.f(e.V[i], other.V[i])
			}
			mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 2e-6, "gradient")
		}
		add.SetMinimumValue(0)
		assert.Contains(t, mpstest.FaultsOf(t, func() {
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				add.EncodeToCommandBufferSourceGradientSourceImage(cb, images[0], images[1], state, out)
			})
		}), "no gradient of clamped values")
	}
}

// TestCNNReduce: rows, columns and channels of a part of the source.
func TestCNNReduce(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(53, 15))
	src := mpstest.RandomPicture(rng, 6, 5, 7)
	in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	ops := map[string]func(v []float64) float64{
		"Min": func(v []float64) float64 { return v[best(v, -1)] },
		"Max": func(v []float64) float64 { return v[best(v, 1)] },
		"Sum": func(v []float64) (s float64) {
			for _, x := range v {
				s += x
			}
			return s
		},
		"Mean": func(v []float64) (s float64) {
			for _, x := range v {
				s += x / float64(len(v))
			}
			return s
		},
		"ArgumentMax": func(v []float64) float64 { return float64(best(v, 1)) },
		"ArgumentMin": func(v []float64) float64 { return float64(best(v, -1)) },
	}
	const x0, y0, w, h = 1, 2, 4, 3
	unary := func(k interface{ ID() objc.ID }, err error) cnn.NNReduceUnary {
		require.NoError(t, err)
		return cnn.NNReduceUnaryFrom(k.ID())
	}
	for axis, kernels := range []map[string]cnn.NNReduceUnary{
		{"Min": unary(cnn.NewNNReduceRowMinWithDevice(d)), "Max": unary(cnn.NewNNReduceRowMaxWithDevice(d)),
			"Sum": unary(cnn.NewNNReduceRowSumWithDevice(d)), "Mean": unary(cnn.NewNNReduceRowMeanWithDevice(d))},
		{"Min": unary(cnn.NewNNReduceColumnMinWithDevice(d)), "Max": unary(cnn.NewNNReduceColumnMaxWithDevice(d)),
			"Sum": unary(cnn.NewNNReduceColumnSumWithDevice(d)), "Mean": unary(cnn.NewNNReduceColumnMeanWithDevice(d))},
		{"Min": unary(cnn.NewNNReduceFeatureChannelsMinWithDevice(d)),
			"Max":         unary(cnn.NewNNReduceFeatureChannelsMaxWithDevice(d)),
			"Sum":         unary(cnn.NewNNReduceFeatureChannelsSumWithDevice(d)),
			"Mean":        unary(cnn.NewNNReduceFeatureChannelsMeanWithDevice(d)),
			"ArgumentMax": unary(cnn.NewNNReduceFeatureChannelsArgumentMaxWithDevice(d)),
			"ArgumentMin": unary(cnn.NewNNReduceFeatureChannelsArgumentMinWithDevice(d))},
	} {
		for name, k := range kernels {
			f := ops[name]
			lasting(t, k)
			k.SetClipRectSource(mtl.Region{Origin: mtl.Origin{X: x0, Y: y0}, Size: mtl.Size{Width: w, Height: h, Depth: 1}})
			var out mps.Image
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				out = k.EncodeToCommandBuffer(cb, in)
				out.Retain()
			})
			n := [3]int{w, h, 7}
			n[axis] = 1
			want := mpstest.NewPicture(n[0], n[1], n[2])
			for i := range want.V {
				x, y, c := i/n[2]%n[0], i/n[2]/n[0], i%n[2]
				var list []float64
				for j := range [3]int{w, h, 7}[axis] {
					at := [3]int{x, y, c}
					at[axis] = j
					list = append(list, *src.At(x0+at[0], y0+at[1], at[2]))
				}
				want.V[i] = f(list)
			}
			mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 2e-6, fmt.Sprint(axis, name))
			out.Release()
			k.Release()
		}
	}
	s, err := cnn.NewNNSliceWithDevice(d)
	require.NoError(t, err)
	defer s.Release()
	s.SetOffset(mps.Offset{X: 2, Y: 1})
	s.SetSourceFeatureChannelOffset(4)
	out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 3, 2, 3, 1)
	onQueue(t, d, func(cb mtl.CommandBuffer) { s.EncodeToCommandBufferDestinationImage(cb, in, out) })
	for i, v := range mpstest.PictureOf(out, 0).V {
		require.InDelta(t, *src.At(2+i/3%3, 1+i/9, 4+i%3), v, 1e-6)
	}
}

// best returns the index of the first largest value, or with sign -1 of the first smallest.
func best(v []float64, sign float64) int {
	at := 0
	for i, x := range v {
		if sign*x > sign*v[at] {
			at = i
		}
	}
	return at
}
