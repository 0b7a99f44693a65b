package cnn_test

import (
	"encoding/binary"
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

// TestConvolutionNeuron: a batch normalization and then a neuron follow the sum.
func TestConvolutionNeuron(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(31, 15))
	list := func(low, high float32) (v []float32) {
		for range 5 {
			v = append(v, low+(high-low)*rng.Float32())
		}
		return v
	}
	mean, variance, gamma, beta, slope := list(-1, 1), list(0.5, 2), list(-2, 2), list(-1, 1), list(-1, 1)
	const epsilon = 0.125
	filter, err := cnn.NewNeuronReLUWithDevice(d, 0.25)
	require.NoError(t, err)
	defer filter.Release()
	for _, c := range []struct {
		name   string
		set    func(d cnn.ConvolutionDescriptor)
		neuron func(v float64, c int) float64
	}{
		{"none", func(cnn.ConvolutionDescriptor) {}, func(v float64, _ int) float64 { return v }},
		{"relu", func(d cnn.ConvolutionDescriptor) { d.SetNeuronType(mps.CNNNeuronTypeReLU, 0.25, 0) },
			func(v float64, _ int) float64 { return max(v, 0) + 0.25*min(v, 0) }},
		{"filter", func(d cnn.ConvolutionDescriptor) { d.SetNeuron(filter) },
			func(v float64, _ int) float64 { return max(v, 0) + 0.25*min(v, 0) }},
		{"tanh", func(d cnn.ConvolutionDescriptor) {
			n, err := mps.CnnNeuronDescriptorWithTypeAB(mps.CNNNeuronTypeTanH, 1.5, 0.5)
			require.NoError(t, err)
			d.SetFusedNeuronDescriptor(n)
		}, func(v float64, _ int) float64 { return 1.5 * math.Tanh(0.5*v) }},
		{"prelu", func(d cnn.ConvolutionDescriptor) {
			var b []byte
			for _, v := range slope {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
			}
			d.SetNeuronToPReLUWithParametersA(b)
		}, func(v float64, c int) float64 { return max(v, 0) + float64(slope[c])*min(v, 0) }},
	} {
		for _, normalized := range []bool{false, true} {
			data := randomWeights(t, rng, plainShape(2, 1, 3, 5))
			c.set(data.describe)
			if normalized {
				data.describe.SetBatchNormalizationParametersForInferenceWithMean(mean, variance, gamma, beta, epsilon)
			}
			k := data.convolution(t, d)
			assert.Equal(t, c.name == "filter", k.Neuron().ID() == filter.ID())
			src := mpstest.RandomPicture(rng, 4, 3, 3)
			in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
			out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 3, 5, 1)
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
			want := data.convolved(src, [2]int{-1, 0}, 4, 3, mps.ImageEdgeModeZero)
			for i, v := range want.V {
				ch := i % 5
				if normalized {
					v = (v-float64(mean[ch]))/math.Sqrt(float64(variance[ch])+epsilon)*float64(gamma[ch]) +
						float64(beta[ch])
				}
				want.V[i] = c.neuron(v, ch)
			}
			mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 3e-6, c.name)
		}
	}
}

// TestFullyConnectedImages: the window is the source, and the gradients are those of a convolution.
func TestFullyConnectedImages(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(32, 15))
	s := plainShape(4, 3, 5, 7)
	data := randomWeights(t, rng, s)
	k, err := cnn.NewFullyConnectedWithDevice(d, data.source(t))
	require.NoError(t, err)
	defer k.Release()
	lasting(t, k.Kernel)
	back, err := cnn.NewFullyConnectedGradientWithDevice(d, data.source(t))
	require.NoError(t, err)
	defer back.Release()
	lasting(t, back)
	src, e := mpstest.RandomPicture(rng, 4, 3, 5), mpstest.RandomPicture(rng, 1, 1, 7)
	in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	var out, gradient mps.Image
	var state mps.State
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		out, state = k.EncodeToCommandBufferDestinationStateDestinationStateIsTemporary(cb, in, false)
		out.Retain()
		gradient = back.EncodeToCommandBufferSourceGradient(cb, e.Image(t, d, mps.ImageFeatureChannelFormatFloat32), in,
			state)
		gradient.Retain()
	})
	defer out.Release()
	defer gradient.Release()
	defer state.Release()
	weights, biases := float64s(data.weights), float64s(data.biases)
	forward := func() mpstest.Picture {
		return s.convolved(src, weights, biases, [2]int{}, 1, 1, mps.ImageEdgeModeZero)
	}
	mpstest.AssertPicture(t, forward(), mpstest.PictureOf(out, 0), 3e-6, "result")
	loss := func() float64 { return dot(e, forward()) }
	gradients := cnn.ConvolutionGradientStateFrom(state.ID())
	assertFloats(t, slopes(weights, loss), mpstest.FloatsOf(t, gradients.GradientForWeights()), 1e-5, "weights")
	want := mpstest.NewPicture(4, 3, 5)
	want.V = slopes(src.V, loss)
	mpstest.AssertPicture(t, want, mpstest.PictureOf(gradient, 0), 1e-5, "source")
	wide := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 5, 3, 5, 1)
	assert.Contains(t, mpstest.FaultsOf(t, func() {
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, wide, out) })
	}), "the source must be as large as the window")
}

// TestSubPixelConvolution: the channels of each pixel become a block of pixels.
func TestSubPixelConvolution(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(33, 15))
	s := plainShape(3, 3, 2, 27)
	desc, err := cnn.SubPixelConvolutionDescriptorWithKernelWidth(3, 3, 2, 27)
	require.NoError(t, err)
	desc.SetSubPixelScaleFactor(3)
	data := randomWeights(t, rng, s)
	data.describe = desc.ConvolutionDescriptor
	k := data.convolution(t, d)
	assert.EqualValues(t, 3, k.SubPixelScaleFactor())
	src := mpstest.RandomPicture(rng, 4, 3, 2)
	in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	var out mps.Image
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		out = k.EncodeToCommandBuffer(cb, in)
		out.Retain()
	})
	defer out.Release()
	small := data.convolved(src, [2]int{-1, -1}, 4, 3, mps.ImageEdgeModeZero)
	want := mpstest.NewPicture(12, 9, 3)
	for i := range want.V {
		x, y, c := i/3%12, i/36, i%3
		want.V[i] = *small.At(x/3, y/3, 3*(3*(y%3)+x%3)+c)
	}
	mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 3e-6, "blocks")
}

// TestKernelWeights: weights in an initializer; a depthwise convolution has one input for each
// output, so fewer weights.
func TestKernelWeights(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(34, 15))
	for kind := range 3 {
		s := randomShape(rng, kind)
		data := randomWeights(t, rng, s)
		k, err := cnn.NewConvolutionWithDeviceConvolutionDescriptor(d, data.describe, data.weights, data.biases,
			cnn.ConvolutionFlagsNone)
		require.NoError(t, err)
		defer k.Release()
		_, err = cnn.NewConvolutionWithDeviceConvolutionDescriptor(d, data.describe, data.weights[1:], nil,
			cnn.ConvolutionFlagsNone)
		require.ErrorContains(t, err, "kernelWeights")
		multiplier := 0
		if s.depthwise {
			multiplier = s.out / s.in
		}
		assert.EqualValues(t, multiplier, k.ChannelMultiplier())
		src := mpstest.RandomPicture(rng, 5, 5, s.in)
		in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
		out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 3, 3, s.out, 1)
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
		want := data.convolved(src, [2]int{-s.center(0), -s.center(1)}, 3, 3, mps.ImageEdgeModeZero)
		mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 3e-6, "result")
	}
}

func TestConvolutionMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(35, 15))
	data := randomWeights(t, rng, plainShape(3, 3, 5, 6))
	k := data.convolution(t, d)
	const f = mps.ImageFeatureChannelFormatFloat32
	in, out := mpstest.NewTestImage(t, d, f, 4, 4, 5, 1), mpstest.NewTestImage(t, d, f, 4, 4, 6, 1)
	encode := func(in, out mps.Image) func() {
		return func() {
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
		}
	}
	made := func(change func(d cnn.ConvolutionDescriptor)) func() {
		return func() {
			w := randomWeights(t, rng, plainShape(3, 3, 5, 6))
			change(w.describe)
			_, _ = cnn.NewConvolutionWithDevice(d, w.source(t))
		}
	}
	for _, test := range []struct {
		want string
		call func()
	}{
		{"source 0 has 4 feature channels; the convolution reads 5", encode(mpstest.NewTestImage(t, d, f, 4, 4, 4, 1), out)},
		{"the result has 6 feature channels; the destination takes 3", encode(in, mpstest.NewTestImage(t, d, f, 4, 4, 3, 1))},
		{"the same image", encode(in, in)},
		{"5 input and 6 output channels", made(func(d cnn.ConvolutionDescriptor) { d.SetGroups(2) })},
		{"strideInPixelsX is 0", made(func(d cnn.ConvolutionDescriptor) { d.SetStrideInPixelsX(0) })},
		{"could not load", func() {
			w := randomWeights(t, rng, plainShape(1, 1, 1, 1))
			w.fails = true
			_, _ = cnn.NewConvolutionWithDevice(d, w.source(t))
		}},
		{"the data source's weights are nil", func() {
			w := randomWeights(t, rng, plainShape(1, 1, 1, 1))
			w.weights = nil
			_, _ = cnn.NewConvolutionWithDevice(d, w.source(t))
		}},
		{"sourceFeatureChannelOffset 3", func() {
			k.SetSourceFeatureChannelOffset(3)
			encode(in, out)()
			k.SetSourceFeatureChannelOffset(0)
		}},
		{"destinationFeatureChannelOffset 8 of a destination with 6", func() {
			k.SetDestinationFeatureChannelOffset(8)
			encode(in, out)()
			k.SetDestinationFeatureChannelOffset(0)
		}},
		{"offset.z is 1", func() {
			k.SetOffset(mps.Offset{Z: 1})
			encode(in, out)()
			k.SetOffset(mps.Offset{})
		}},
		{"a window of 3 pixels does not fit", func() {
			p, err := cnn.NNDefaultPaddingWithMethod(cnn.NNPaddingMethodSizeValidOnly)
			require.NoError(t, err)
			k.SetPadding(cnn.NNPaddingFrom(p.ID()))
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, mpstest.NewTestImage(t, d, f, 2, 4, 5, 1)) })
		}},
		{"a PReLU neuron has a parameter for each channel", func() {
			data.describe.SetNeuronType(mps.CNNNeuronTypePReLU, 0, 0)
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, mpstest.FaultsOf(t, test.call), test.want) })
	}
	_, err := cnn.NewBinaryConvolutionWithDevice(d, data.source(t), 1, cnn.BinaryConvolutionTypeXNOR,
		cnn.BinaryConvolutionFlagsNone)
	require.ErrorIs(t, err, objc.ErrNotFound)
}
