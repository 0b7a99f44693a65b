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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// softmaxOf returns the softmax of the feature channels of a batch, or its logarithm.
func softmaxOf(src []mpstest.Picture, log bool) (list []mpstest.Picture) {
	for _, p := range src {
		q := mpstest.NewPicture(p.W, p.H, p.C)
		for i := range p.W * p.H {
			sum := 0.0
			for _, v := range p.V[i*p.C:][:p.C] {
				sum += math.Exp(v)
			}
			for c, v := range p.V[i*p.C:][:p.C] {
				if q.V[i*p.C+c] = v - math.Log(sum); !log {
					q.V[i*p.C+c] = math.Exp(v) / sum
				}
			}
		}
		list = append(list, q)
	}
	return list
}

func TestCNNSoftMax(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(24, 1))
	plain, err := cnn.NewSoftMaxWithDevice(d)
	require.NoError(t, err)
	defer plain.Release()
	plainGradient, err := cnn.NewSoftMaxGradientWithDevice(d)
	require.NoError(t, err)
	defer plainGradient.Release()
	log, err := cnn.NewLogSoftMaxWithDevice(d)
	require.NoError(t, err)
	defer log.Release()
	logGradient, err := cnn.NewLogSoftMaxGradientWithDevice(d)
	require.NoError(t, err)
	defer logGradient.Release()
	for _, isLog := range []bool{false, true} {
		k, g := plain, plainGradient
		if isLog {
			k, g = log, logGradient
		}
		for range 4 {
			l := randomLayer(rng)
			src := l.pictures(rng, nil)
			// What is read beyond the source is 0 in all channels.
			moved := l.expected(l.c, func(i, x, y, c int) float64 {
				return src[i].Beyond(mps.ImageEdgeModeZero, x+l.offset[0], y+l.offset[1], c)
			})
			assertBatch(t, softmaxOf(moved, isLog), l.run(t, d, k, src), l.tolerance(), "softmax")

			w := l.whole()
			w.format = mps.ImageFeatureChannelFormatFloat32
			gradients := w.pictures(rng, nil)
			want := numericGradient(gradients, src, func(x []mpstest.Picture) []mpstest.Picture { return softmaxOf(x, isLog) })
			got := w.runGradient(t, d, g, gradients, softmaxOf(src, isLog))
			assertBatch(t, want, got, w.tolerance(), "softmax gradient")
		}
	}
}

// upsampled is the reference of the upsamplings.
func upsampled(src []mpstest.Picture, scale [2]int, linear, align bool) (list []mpstest.Picture) {
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
		q := mpstest.NewPicture(p.W*scale[0], p.H*scale[1], p.C)
		for k := range q.V {
			x, y := position(k/q.C%q.W, p.W, scale[0]), position(k/q.C/q.W, p.H, scale[1])
			left, top := math.Floor(x), math.Floor(y)
			for j, w := range []float64{(1 - x + left) * (1 - y + top), (x - left) * (1 - y + top),
				(1 - x + left) * (y - top), (x - left) * (y - top)} {
				q.V[k] += w * p.Beyond(mps.ImageEdgeModeClamp, int(left)+j%2, int(top)+j/2, k%q.C)
			}
		}
		list = append(list, q)
	}
	return list
}

// upsamplingKernels returns an upsampling and its gradient.
func upsamplingKernels(t *testing.T, d mtl.Device, x, y uint, linear, align bool) (cnn.Upsampling,
	cnn.UpsamplingGradient) {
	t.Helper()
	if !linear {
		f, err := cnn.NewUpsamplingNearestWithDevice(d, x, y)
		require.NoError(t, err)
		b, err := cnn.NewUpsamplingNearestGradientWithDevice(d, x, y)
		require.NoError(t, err)
		return f, b
	}
	f, err := cnn.NewUpsamplingBilinearWithDeviceIntegerScaleFactorXIntegerScaleFactorYAlignCorners(d, x, y, align)
	require.NoError(t, err)
	b, err := cnn.NewUpsamplingBilinearGradientWithDevice(d, x, y)
	require.NoError(t, err)
	return f, b
}

func TestCNNUpsampling(t *testing.T) {
	d := mpstest.ImageFramework(t)
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
		w.clip = [4]int{0, 0, all[0].W, all[0].H}
		assertBatch(t, all, w.run(t, d, k.Kernel, src), l.tolerance(), what)
		// Without a destination the result has the scaled size.
		from := l.imagesOf(t, d, src[:1])
		k.SetDestinationFeatureChannelOffset(0)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			m := k.EncodeToCommandBuffer(cb, from[0])
			assert.Equal(t, [2]int{all[0].W, all[0].H}, [2]int{int(m.Width()), int(m.Height())}, what)
		})
		if align {
			continue // the gradient has no aligned corners
		}
		gradients := l.gradients(rng, all[0].W, all[0].H, l.c)
		numeric := numericGradient(gradients, src, func(x []mpstest.Picture) []mpstest.Picture {
			return upsampled(x, scale, linear, false)
		})
		want := l.expected(l.c, func(i, x, y, c int) float64 {
			return numeric[i].Beyond(mps.ImageEdgeModeZero, x+l.offset[0], y+l.offset[1], c)
		})
		assertBatch(t, want, l.runGradient(t, d, g.GradientKernel, gradients, src), 2*l.tolerance(), what)
	}
}

func TestCNNUpsamplingMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	assert.Contains(t, mpstest.FaultsOf(t, func() { _, _ = cnn.NewUpsamplingNearestWithDevice(d, 0, 2) }),
		"MPSCNNUpsamplingNearest: scale factors 0 and 2; the limits are 1 and 16384")
}

// TestCNNDropout: the share of elements that stay, the mask in the state, and the gradient by it.
func TestCNNDropout(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(24, 3))
	for _, stride := range []mtl.Size{{Width: 1, Height: 1, Depth: 1}, {Width: 0, Height: 0, Depth: 1},
		{Width: 1, Height: 1, Depth: 0}} {
		const keep = 0.75
		l := layerCase{format: mps.ImageFeatureChannelFormatFloat32, images: 2, w: 16, h: 12, c: 9}.whole()
		k, err := cnn.NewDropoutWithDevice(d, keep, 5, stride)
		require.NoError(t, err)
		t.Cleanup(k.Release)
		g, err := cnn.NewDropoutGradientWithDevice(d, keep, 5, stride)
		require.NoError(t, err)
		t.Cleanup(g.Release)
		assert.EqualValues(t, keep, k.KeepProbability())
		assert.Equal(t, stride, k.MaskStrideInPixels())
		src := l.pictures(rng, func() float64 { return 1 + rng.Float64() })
		from, to := l.imagesOf(t, d, src), l.destinations(t, d, 2, l.c)
		states := k.Kernel.ResultStateBatchForSourceImage(from, nil, to)
		require.Len(t, states, 2)
		require.Equal(t, states[0], states[1], "one state for the batch")
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			k.EncodeBatchToCommandBufferDestinationStates(cb, from, states, to)
		})
		mask := mpstest.DecodedChannels(cnn.DropoutGradientStateFrom(states[0].ID()).MaskData(), l.format)
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
		want := l.expected(l.c, func(i, x, y, c int) float64 { return *src[i].At(x, y, c) * at(i, x, y, c) / keep })
		assertBatch(t, want, l.written(t, to), l.tolerance(), "dropout")

		gradients := l.pictures(rng, nil)
		want = l.expected(l.c, func(i, x, y, c int) float64 {
			return *gradients[i].At(x, y, c) * at(i, x, y, c) / keep
		})
		got := l.runGradient(t, d, g.GradientKernel, gradients, src, states...)
		assertBatch(t, want, got, l.tolerance(), "dropout gradient")

		// The next encoding has another mask; another kernel with the seed has the same ones.
		second := l.run(t, d, k.Kernel, src)
		require.NotEqual(t, l.written(t, to), second)
		again, err := cnn.NewDropoutWithDevice(d, keep, 5, stride)
		require.NoError(t, err)
		t.Cleanup(again.Release)
		require.Equal(t, l.written(t, to), l.run(t, d, again.Kernel, src))
		require.Equal(t, second, l.run(t, d, again.Kernel, src))
	}
}

func TestCNNDropoutMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	one := mtl.Size{Width: 1, Height: 1, Depth: 1}
	g, err := cnn.NewDropoutGradientWithDevice(d, 0.5, 1, one)
	require.NoError(t, err)
	defer g.Release()
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	n := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSCNNDropout: keepProbability 1; it must be above 0 and below 1", func() {
			_, _ = cnn.NewDropoutWithDevice(d, 1, 1, one)
		}},
		{"MPSCNNDropout: maskStrideInPixels [1 2 1]; each must be 0 or 1", func() {
			_, _ = cnn.NewDropoutWithDevice(d, 0.5, 1, mtl.Size{Width: 1, Height: 2, Depth: 1})
		}},
		{"MPSCNNDropoutGradient: the gradient state is nil", func() {
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
				g.BinaryKernel.EncodeToCommandBufferDestinationImage(cb, m, m, n)
			})
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, mpstest.FaultsOf(t, test.call), test.want) })
	}
}
