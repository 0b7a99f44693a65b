package mps

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConvolutionNeuron: a batch normalization and then a neuron follow the sum.
func TestConvolutionNeuron(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(31, 15))
	list := func(low, high float32) (v []float32) {
		for range 5 {
			v = append(v, low+(high-low)*rng.Float32())
		}
		return v
	}
	mean, variance, gamma, beta, slope := list(-1, 1), list(0.5, 2), list(-2, 2), list(-1, 1), list(-1, 1)
	const epsilon = 0.125
	filter, err := NewCNNNeuronReLUWithDevice(d, 0.25)
	require.NoError(t, err)
	defer filter.Release()
	for _, c := range []struct {
		name   string
		set    func(d CNNConvolutionDescriptor)
		neuron func(v float64, c int) float64
	}{
		{"none", func(CNNConvolutionDescriptor) {}, func(v float64, _ int) float64 { return v }},
		{"relu", func(d CNNConvolutionDescriptor) { d.SetNeuronType(CNNNeuronTypeReLU, 0.25, 0) },
			func(v float64, _ int) float64 { return max(v, 0) + 0.25*min(v, 0) }},
		{"filter", func(d CNNConvolutionDescriptor) { d.SetNeuron(filter.CNNNeuron) },
			func(v float64, _ int) float64 { return max(v, 0) + 0.25*min(v, 0) }},
		{"tanh", func(d CNNConvolutionDescriptor) {
			n, err := CnnNeuronDescriptorWithTypeAB(CNNNeuronTypeTanH, 1.5, 0.5)
			require.NoError(t, err)
			d.SetFusedNeuronDescriptor(n)
		}, func(v float64, _ int) float64 { return 1.5 * math.Tanh(0.5*v) }},
		{"prelu", func(d CNNConvolutionDescriptor) {
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
			src := randomPicture(rng, 4, 3, 3)
			in := src.image(t, d, ImageFeatureChannelFormatFloat32)
			out := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 4, 3, 5, 1)
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
			want := data.convolved(src, [2]int{-1, 0}, 4, 3, ImageEdgeModeZero)
			for i, v := range want.v {
				ch := i % 5
				if normalized {
					v = (v-float64(mean[ch]))/math.Sqrt(float64(variance[ch])+epsilon)*float64(gamma[ch]) +
						float64(beta[ch])
				}
				want.v[i] = c.neuron(v, ch)
			}
			assertPicture(t, want, pictureOf(out, 0), 3e-6, c.name)
		}
	}
}

// TestFullyConnectedImages: the window is the source, and the gradients are those of a convolution.
func TestFullyConnectedImages(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(32, 15))
	s := plainShape(4, 3, 5, 7)
	data := randomWeights(t, rng, s)
	k, err := NewCNNFullyConnectedWithDevice(d, data.source(t))
	require.NoError(t, err)
	defer k.Release()
	lasting(t, k.CNNKernel)
	back, err := NewCNNFullyConnectedGradientWithDevice(d, data.source(t))
	require.NoError(t, err)
	defer back.Release()
	lasting(t, back)
	src, e := randomPicture(rng, 4, 3, 5), randomPicture(rng, 1, 1, 7)
	in := src.image(t, d, ImageFeatureChannelFormatFloat32)
	var out, gradient Image
	var state State
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		out, state = k.EncodeToCommandBufferDestinationStateDestinationStateIsTemporary(cb, in, false)
		out.Retain()
		gradient = back.EncodeToCommandBufferSourceGradient(cb, e.image(t, d, ImageFeatureChannelFormatFloat32), in, state)
		gradient.Retain()
	})
	defer out.Release()
	defer gradient.Release()
	defer state.Release()
	weights, biases := float64s(data.weights), float64s(data.biases)
	forward := func() picture { return s.convolved(src, weights, biases, [2]int{}, 1, 1, ImageEdgeModeZero) }
	assertPicture(t, forward(), pictureOf(out, 0), 3e-6, "result")
	loss := func() float64 { return dot(e, forward()) }
	gradients := CNNConvolutionGradientStateFrom(state.ID())
	assertFloats(t, slopes(weights, loss), floatsOf(t, gradients.GradientForWeights()), 1e-5, "weights")
	want := newPicture(4, 3, 5)
	want.v = slopes(src.v, loss)
	assertPicture(t, want, pictureOf(gradient, 0), 1e-5, "source")
	wide := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 5, 3, 5, 1)
	assert.Contains(t, faultsOf(t, func() {
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, wide, out) })
	}), "the source must be as large as the window")
}

// TestSubPixelConvolution: the channels of each pixel become a block of pixels.
func TestSubPixelConvolution(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(33, 15))
	s := plainShape(3, 3, 2, 27)
	desc, err := CNNSubPixelConvolutionDescriptorCnnConvolutionDescriptorWithKernelWidth(3, 3, 2, 27)
	require.NoError(t, err)
	desc.SetSubPixelScaleFactor(3)
	data := randomWeights(t, rng, s)
	data.describe = desc.CNNConvolutionDescriptor
	k := data.convolution(t, d)
	assert.EqualValues(t, 3, k.SubPixelScaleFactor())
	src := randomPicture(rng, 4, 3, 2)
	in := src.image(t, d, ImageFeatureChannelFormatFloat32)
	var out Image
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		out = k.EncodeToCommandBuffer(cb, in)
		out.Retain()
	})
	defer out.Release()
	small := data.convolved(src, [2]int{-1, -1}, 4, 3, ImageEdgeModeZero)
	want := newPicture(12, 9, 3)
	for i := range want.v {
		x, y, c := i/3%12, i/36, i%3
		want.v[i] = *small.at(x/3, y/3, 3*(3*(y%3)+x%3)+c)
	}
	assertPicture(t, want, pictureOf(out, 0), 3e-6, "blocks")
}

// TestKernelWeights: weights in an initializer; a depthwise convolution has one input for each
// output, so fewer weights.
func TestKernelWeights(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(34, 15))
	for kind := range 3 {
		s := randomShape(rng, kind)
		data := randomWeights(t, rng, s)
		assert.EqualValues(t, s.count(), weightCount(data.describe))
		k, err := NewCNNConvolutionWithDeviceConvolutionDescriptor(d, data.describe, data.weights, data.biases,
			CNNConvolutionFlagsNone)
		require.NoError(t, err)
		defer k.Release()
		_, err = NewCNNConvolutionWithDeviceConvolutionDescriptor(d, data.describe, data.weights[1:], nil,
			CNNConvolutionFlagsNone)
		require.ErrorContains(t, err, "kernelWeights")
		multiplier := 0
		if s.depthwise {
			multiplier = s.out / s.in
		}
		assert.EqualValues(t, multiplier, k.ChannelMultiplier())
		src := randomPicture(rng, 5, 5, s.in)
		in := src.image(t, d, ImageFeatureChannelFormatFloat32)
		out := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 3, 3, s.out, 1)
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
		want := data.convolved(src, [2]int{-s.center(0), -s.center(1)}, 3, 3, ImageEdgeModeZero)
		assertPicture(t, want, pictureOf(out, 0), 3e-6, "result")
	}
}

func TestConvolutionMisuse(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(35, 15))
	data := randomWeights(t, rng, plainShape(3, 3, 5, 6))
	k := data.convolution(t, d)
	const f = ImageFeatureChannelFormatFloat32
	in, out := newTestImage(t, d, f, 4, 4, 5, 1), newTestImage(t, d, f, 4, 4, 6, 1)
	encode := func(in, out Image) func() {
		return func() {
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
		}
	}
	made := func(change func(d CNNConvolutionDescriptor)) func() {
		return func() {
			w := randomWeights(t, rng, plainShape(3, 3, 5, 6))
			change(w.describe)
			_, _ = NewCNNConvolutionWithDevice(d, w.source(t))
		}
	}
	for _, test := range []struct {
		want string
		call func()
	}{
		{"source 0 has 4 feature channels; the convolution reads 5", encode(newTestImage(t, d, f, 4, 4, 4, 1), out)},
		{"the result has 6 feature channels; the destination takes 3", encode(in, newTestImage(t, d, f, 4, 4, 3, 1))},
		{"the same image", encode(in, in)},
		{"5 input and 6 output channels", made(func(d CNNConvolutionDescriptor) { d.SetGroups(2) })},
		{"strideInPixelsX is 0", made(func(d CNNConvolutionDescriptor) { d.SetStrideInPixelsX(0) })},
		{"could not load", func() {
			w := randomWeights(t, rng, plainShape(1, 1, 1, 1))
			w.fails = true
			_, _ = NewCNNConvolutionWithDevice(d, w.source(t))
		}},
		{"the data source's weights are nil", func() {
			w := randomWeights(t, rng, plainShape(1, 1, 1, 1))
			w.weights = nil
			_, _ = NewCNNConvolutionWithDevice(d, w.source(t))
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
			k.SetOffset(Offset{Z: 1})
			encode(in, out)()
			k.SetOffset(Offset{})
		}},
		{"a window of 3 pixels does not fit", func() {
			p, err := NNDefaultPaddingWithMethod(NNPaddingMethodSizeValidOnly)
			require.NoError(t, err)
			k.SetPadding(NNPaddingFrom(p.ID()))
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, newTestImage(t, d, f, 2, 4, 5, 1)) })
		}},
		{"a PReLU neuron has a parameter for each channel", func() {
			data.describe.SetNeuronType(CNNNeuronTypePReLU, 0, 0)
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, faultsOf(t, test.call), test.want) })
	}
	_, err := NewCNNBinaryConvolutionWithDevice(d, data.source(t), 1, CNNBinaryConvolutionTypeXNOR,
		CNNBinaryConvolutionFlagsNone)
	require.ErrorIs(t, err, objc.ErrNotFound)
}
