package mps

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// softmaxOf returns the softmax of the feature channels of a batch, or its logarithm.
func softmaxOf(src []picture, log bool) (list []picture) {
	for _, p := range src {
		q := newPicture(p.w, p.h, p.c)
		for i := range p.w * p.h {
			sum := 0.0
			for _, v := range p.v[i*p.c:][:p.c] {
				sum += math.Exp(v)
			}
			for c, v := range p.v[i*p.c:][:p.c] {
				if q.v[i*p.c+c] = v - math.Log(sum); !log {
					q.v[i*p.c+c] = math.Exp(v) / sum
				}
			}
		}
		list = append(list, q)
	}
	return list
}

func TestCNNSoftMax(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(24, 1))
	plain, err := NewCNNSoftMaxWithDevice(d)
	require.NoError(t, err)
	defer plain.Release()
	plainGradient, err := NewCNNSoftMaxGradientWithDevice(d)
	require.NoError(t, err)
	defer plainGradient.Release()
	log, err := NewCNNLogSoftMaxWithDevice(d)
	require.NoError(t, err)
	defer log.Release()
	logGradient, err := NewCNNLogSoftMaxGradientWithDevice(d)
	require.NoError(t, err)
	defer logGradient.Release()
	for _, isLog := range []bool{false, true} {
		k, g := plain.CNNKernel, plainGradient.CNNGradientKernel
		if isLog {
			k, g = log.CNNKernel, logGradient.CNNGradientKernel
		}
		for range 4 {
			l := randomLayer(rng)
			src := l.pictures(rng, nil)
			// What is read beyond the source is 0 in all channels.
			moved := l.expected(l.c, func(i, x, y, c int) float64 {
				return src[i].beyond(ImageEdgeModeZero, x+l.offset[0], y+l.offset[1], c)
			})
			assertBatch(t, softmaxOf(moved, isLog), l.run(t, d, k, src), l.tolerance(), "softmax")

			w := l.whole()
			w.format = ImageFeatureChannelFormatFloat32
			gradients := w.pictures(rng, nil)
			want := numericGradient(gradients, src, func(x []picture) []picture { return softmaxOf(x, isLog) })
			got := w.runGradient(t, d, g, gradients, softmaxOf(src, isLog))
			assertBatch(t, want, got, w.tolerance(), "softmax gradient")
		}
	}
}

// upsampled is the reference of the upsamplings.
func upsampled(src []picture, scale [2]int, linear, align bool) (list []picture) {
	position := func(i, n, s int) float64 {
		switch {
		case !linear:
			return float64(i / s)
		case align:
			return float64(i*(n-1)) / float64(max(n*s-1, 1))
		}
		return (float64(i)+0.5)/float64(s) - 0.5
	}
	for _, p := range src {
		q := newPicture(p.w*scale[0], p.h*scale[1], p.c)
		for k := range q.v {
			x, y := position(k/q.c%q.w, p.w, scale[0]), position(k/q.c/q.w, p.h, scale[1])
			left, top := math.Floor(x), math.Floor(y)
			for j, w := range []float64{(1 - x + left) * (1 - y + top), (x - left) * (1 - y + top),
				(1 - x + left) * (y - top), (x - left) * (y - top)} {
				q.v[k] += w * p.beyond(ImageEdgeModeClamp, int(left)+j%2, int(top)+j/2, k%q.c)
			}
		}
		list = append(list, q)
	}
	return list
}

// upsamplingKernels returns an upsampling and its gradient.
func upsamplingKernels(t *testing.T, d mtl.Device, x, y uint, linear, align bool) (CNNUpsampling,
	CNNUpsamplingGradient) {
	t.Helper()
	if !linear {
		f, err := NewCNNUpsamplingNearestWithDevice(d, x, y)
		require.NoError(t, err)
		b, err := NewCNNUpsamplingNearestGradientWithDevice(d, x, y)
		require.NoError(t, err)
		return f.CNNUpsampling, b.CNNUpsamplingGradient
	}
	f, err := NewCNNUpsamplingBilinearWithDeviceIntegerScaleFactorXIntegerScaleFactorYAlignCorners(d, x, y, align)
	require.NoError(t, err)
	b, err := NewCNNUpsamplingBilinearGradientWithDevice(d, x, y)
	require.NoError(t, err)
	return f.CNNUpsampling, b.CNNUpsamplingGradient
}

func TestCNNUpsampling(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(24, 2))
	for round := range 9 {
		l := randomLayer(rng)
		l.w, l.h = min(l.w, 4), min(l.h, 4)
		scale := [2]int{1 + rng.IntN(3), 1 + rng.IntN(3)}
		x, y := uint(scale[0]), uint(scale[1])
		linear, align := round%3 > 0, round%3 == 2
		k, g := upsamplingKernels(t, d, x, y, linear, align)
		t.Cleanup(k.Release)
		t.Cleanup(g.Release)
		assert.Equal(t, []float64{float64(x), float64(y)}, []float64{k.ScaleFactorX(), k.ScaleFactorY()})
		assert.Equal(t, align, k.AlignCorners())
		assert.Equal(t, float64(x), g.ScaleFactorX())
		src := l.pictures(rng, nil)
		all := upsampled(src, scale, linear, align)
		what := fmt.Sprintf("scale %v linear %v align %v", scale, linear, align)
		w := l
		w.offset = [2]int{}
		w.clip = [4]int{0, 0, all[0].w, all[0].h}
		assertBatch(t, all, w.run(t, d, k.CNNKernel, src), l.tolerance(), what)
		// Without a destination the result has the scaled size.
		from := l.imagesOf(t, d, src[:1])
		k.SetDestinationFeatureChannelOffset(0)
		encoded(t, d, func(cb mtl.CommandBuffer) {
			m := k.EncodeToCommandBuffer(cb, from[0])
			assert.Equal(t, [2]int{all[0].w, all[0].h}, [2]int{int(m.Width()), int(m.Height())}, what)
		})
		if align {
			continue // the gradient has no aligned corners
		}
		gradients := l.gradients(rng, all[0].w, all[0].h, l.c)
		numeric := numericGradient(gradients, src, func(x []picture) []picture {
			return upsampled(x, scale, linear, false)
		})
		want := l.expected(l.c, func(i, x, y, c int) float64 {
			return numeric[i].beyond(ImageEdgeModeZero, x+l.offset[0], y+l.offset[1], c)
		})
		assertBatch(t, want, l.runGradient(t, d, g.CNNGradientKernel, gradients, src), 2*l.tolerance(), what)
	}
}

func TestCNNUpsamplingMisuse(t *testing.T) {
	d := imageFramework(t)
	assert.Contains(t, faultsOf(t, func() { _, _ = NewCNNUpsamplingNearestWithDevice(d, 0, 2) }),
		"MPSCNNUpsamplingNearest: scale factors 0 and 2; the limits are 1 and 16384")
}

// TestCNNDropout: the share of elements that stay, the mask in the state, and the gradient by it.
func TestCNNDropout(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(24, 3))
	for _, stride := range []mtl.Size{{Width: 1, Height: 1, Depth: 1}, {Width: 0, Height: 0, Depth: 1},
		{Width: 1, Height: 1, Depth: 0}} {
		const keep = 0.75
		l := layerCase{format: ImageFeatureChannelFormatFloat32, images: 2, w: 16, h: 12, c: 9}.whole()
		k, err := NewCNNDropoutWithDevice(d, keep, 5, stride)
		require.NoError(t, err)
		t.Cleanup(k.Release)
		g, err := NewCNNDropoutGradientWithDevice(d, keep, 5, stride)
		require.NoError(t, err)
		t.Cleanup(g.Release)
		assert.EqualValues(t, keep, k.KeepProbability())
		assert.Equal(t, stride, k.MaskStrideInPixels())
		src := l.pictures(rng, func() float64 { return 1 + rng.Float64() })
		from, to := l.imagesOf(t, d, src), l.destinations(t, d, 2, l.c)
		states := k.CNNKernel.ResultStateBatchForSourceImage(from, nil, to)
		require.Len(t, states, 2)
		require.Equal(t, states[0], states[1], "one state for the batch")
		encoded(t, d, func(cb mtl.CommandBuffer) {
			k.EncodeBatchToCommandBufferDestinationStates(cb, from, states, to)
		})
		mask := decodedChannels(CNNDropoutGradientStateFrom(states[0].ID()).MaskData(), l.format)
		columns, rows := 1+(l.w-1)*int(stride.Width), 1+(l.h-1)*int(stride.Height)
		channels := 1 + (l.c-1)*int(stride.Depth)
		require.Len(t, mask, 2*columns*rows*channels)
		at := func(i, x, y, c int) float64 {
			return mask[((i*rows+y*int(stride.Height))*columns+x*int(stride.Width))*channels+c*int(stride.Depth)]
		}
		ones := 0.0
		for _, v := range mask {
			require.True(t, v == 0 || v == 1)
			ones += v
		}
		n := float64(len(mask))
		require.InDelta(t, keep, ones/n, 4*math.Sqrt(keep*(1-keep)/n))
		want := l.expected(l.c, func(i, x, y, c int) float64 { return *src[i].at(x, y, c) * at(i, x, y, c) / keep })
		assertBatch(t, want, l.written(t, to), l.tolerance(), "dropout")

		gradients := l.pictures(rng, nil)
		want = l.expected(l.c, func(i, x, y, c int) float64 {
			return *gradients[i].at(x, y, c) * at(i, x, y, c) / keep
		})
		got := l.runGradient(t, d, g.CNNGradientKernel, gradients, src, states...)
		assertBatch(t, want, got, l.tolerance(), "dropout gradient")

		// The next encoding has another mask; another kernel with the seed has the same ones.
		second := l.run(t, d, k.CNNKernel, src)
		require.NotEqual(t, l.written(t, to), second)
		again, err := NewCNNDropoutWithDevice(d, keep, 5, stride)
		require.NoError(t, err)
		t.Cleanup(again.Release)
		require.Equal(t, l.written(t, to), l.run(t, d, again.CNNKernel, src))
		require.Equal(t, second, l.run(t, d, again.CNNKernel, src))
	}
}

func TestCNNDropoutMisuse(t *testing.T) {
	d := imageFramework(t)
	one := mtl.Size{Width: 1, Height: 1, Depth: 1}
	g, err := NewCNNDropoutGradientWithDevice(d, 0.5, 1, one)
	require.NoError(t, err)
	defer g.Release()
	m := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	n := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSCNNDropout: keepProbability 1; it must be above 0 and below 1", func() {
			_, _ = NewCNNDropoutWithDevice(d, 1, 1, one)
		}},
		{"MPSCNNDropout: maskStrideInPixels [1 2 1]; each must be 0 or 1", func() {
			_, _ = NewCNNDropoutWithDevice(d, 0.5, 1, mtl.Size{Width: 1, Height: 2, Depth: 1})
		}},
		{"MPSCNNDropoutGradient: the gradient state is nil", func() {
			encoded(t, d, func(cb mtl.CommandBuffer) {
				g.CNNBinaryKernel.EncodeToCommandBufferDestinationImage(cb, m, m, n)
			})
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, faultsOf(t, test.call), test.want) })
	}
}
