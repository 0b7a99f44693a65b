package cnn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dot returns the sum of the products of two pictures' values.
func dot(a, b mpstest.Picture) float64 {
	sum := 0.0
	for i, v := range a.V {
		sum += v * b.V[i]
	}
	return sum
}

// slopes returns the derivative of loss by each of the values. The loss is linear in each of them.
func slopes(values []float64, loss func() float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		values[i] = v + 1
		high := loss()
		values[i] = v - 1
		out[i] = (high - loss()) / 2
		values[i] = v
	}
	return out
}

func assertFloats(t *testing.T, want []float64, got []float32, tolerance float64, what string) {
	t.Helper()
	for i, w := range want {
		require.InDelta(t, w, float64(got[i]), tolerance*(1+max(w, -w)), "%s: element %d", what, i)
	}
}

// TestConvolutionGradient: gradients by the source, the weights and the biases of a forward pass
// with a state are the slopes of a reference, over a batch.
func TestConvolutionGradient(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(21, 15))
	for i := range 9 {
		s := randomShape(rng, i)
		s.in, s.out = min(s.in, 6), min(s.out, 6)
		if s.depthwise {
			s.out = s.in * (1 + i%2)
		}
		data := randomWeights(t, rng, s)
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			k := data.convolution(t, d)
			size := []cnn.NNPaddingMethod{cnn.NNPaddingMethodSizeSame, cnn.NNPaddingMethodSizeFull}[i%2]
			p, err := cnn.NNDefaultPaddingWithMethod(size)
			require.NoError(t, err)
			k.SetPadding(cnn.NNPaddingFrom(p.ID()))
			back, err := cnn.NewConvolutionGradientWithDevice(d, data.source(t))
			require.NoError(t, err)
			defer back.Release()
			lasting(t, back)
			assert.EqualValues(t, [2]uint{uint(s.out), uint(s.in)},
				[2]uint{back.SourceGradientFeatureChannels(), back.SourceImageFeatureChannels()})
			images := 1 + i%2
			var src, gradient []mpstest.Picture
			var in, results, backwards []mps.Image
			for range images {
				src = append(src, mpstest.RandomPicture(rng, 4, 5, s.in))
				in = append(in, src[len(src)-1].Image(t, d, mps.ImageFeatureChannelFormatFloat32))
			}
			var states []mps.State
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				results, states = k.EncodeBatchToCommandBufferDestinationStatesDestinationStateIsTemporary(cb, in, false)
				require.Len(t, states, images)
				assert.Equal(t, states[0].ID(), states[images-1].ID(), "one state for the batch")
				var e []mps.Image
				for _, m := range results {
					g := mpstest.RandomPicture(rng, int(m.Width()), int(m.Height()), s.out)
					gradient = append(gradient, g)
					e = append(e, g.Image(t, d, mps.ImageFeatureChannelFormatFloat32))
				}
				backwards = back.EncodeBatchToCommandBufferSourceGradients(cb, e, in, states)
				for _, m := range backwards {
					m.Retain()
					t.Cleanup(m.Release)
				}
			})
			defer func() {
				for _, s := range states {
					s.Release()
				}
			}()
			weights, biases := float64s(data.weights), float64s(data.biases)
			o := k.Offset()
			first := [2]int{o.X - s.center(0), o.Y - s.center(1)}
			loss := func() (sum float64) {
				for n, p := range src {
					sum += dot(gradient[n], s.convolved(p, weights, biases, first, gradient[n].W, gradient[n].H,
						mps.ImageEdgeModeZero))
				}
				return sum
			}
			state := cnn.ConvolutionGradientStateFrom(states[0].ID())
			assert.Equal(t, k.ID(), state.Convolution().ID())
			assertFloats(t, slopes(weights, loss), mpstest.FloatsOf(t, state.GradientForWeights()), 1e-5, "weights")
			assertFloats(t, slopes(biases, loss), mpstest.FloatsOf(t, state.GradientForBiases()), 1e-5, "biases")
			for n := range src {
				want := mpstest.NewPicture(4, 5, s.in)
				want.V = slopes(src[n].V, loss)
				mpstest.AssertPicture(t, want, mpstest.PictureOf(backwards[n], 0), 1e-5, "source")
			}
		})
	}
}

// TestConvolutionTranspose: results by padding policies and by offsets, and the gradients.
func TestConvolutionTranspose(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(22, 15))
	for i := range 8 {
		s := randomShape(rng, i%2)
		s.in, s.out = min(s.in, 6), min(s.out, 6)
		data := randomWeights(t, rng, s)
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			k, err := cnn.NewConvolutionTransposeWithDevice(d, data.source(t))
			require.NoError(t, err)
			defer k.Release()
			lasting(t, k.Kernel)
			back, err := cnn.NewConvolutionTransposeGradientWithDevice(d, data.source(t))
			require.NoError(t, err)
			defer back.Release()
			lasting(t, back)
			style := i % 3 // valid only, same, full
			p, err := cnn.NNDefaultPaddingWithMethod(cnn.NNPaddingMethod(style) << 4)
			require.NoError(t, err)
			k.SetPadding(cnn.NNPaddingFrom(p.ID()))
			src := mpstest.RandomPicture(rng, 5, 6, s.in)
			in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
			var n, first [2]int
			for axis, pixels := range [2]int{src.W, src.H} {
				reach := s.span(axis, 1)
				n[axis] = (pixels-1)*s.stride[axis] + 1 + (style-1)*(reach-1)
				missing := n[axis] + reach - 1 - ((pixels-1)*s.stride[axis] + 1)
				first[axis] = -(missing + 1) / 2
			}
			if n[0] < 1 || n[1] < 1 {
				t.Skip("nothing is valid")
			}
			weights, biases := float64s(data.weights), float64s(data.biases)
			forward := func() mpstest.Picture { return s.transposed(src, weights, biases, first, n[0], n[1]) }
			var m, backward mps.Image
			var state mps.State
			g := mpstest.RandomPicture(rng, n[0], n[1], s.out)
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				m, state = k.EncodeToCommandBufferDestinationStateDestinationStateIsTemporary(cb, in, false)
				m.Retain()
				backward = back.EncodeToCommandBufferSourceGradient(cb, g.Image(t, d, mps.ImageFeatureChannelFormatFloat32), in,
					state)
				backward.Retain()
			})
			defer m.Release()
			defer backward.Release()
			defer state.Release()
			mpstest.AssertPicture(t, forward(), mpstest.PictureOf(m, 0), 5e-6, "result")
			loss := func() float64 { return dot(g, forward()) }
			gradients := cnn.ConvolutionGradientStateFrom(state.ID())
			assertFloats(t, slopes(weights, loss), mpstest.FloatsOf(t, gradients.GradientForWeights()), 1e-5, "weights")
			assertFloats(t, slopes(biases, loss), mpstest.FloatsOf(t, gradients.GradientForBiases()), 1e-5, "biases")
			want := mpstest.NewPicture(src.W, src.H, s.in)
			want.V = slopes(src.V, loss)
			mpstest.AssertPicture(t, want, mpstest.PictureOf(backward, 0), 1e-5, "source")

			// Offsets of the program's, far enough for results that nothing reaches.
			o := mps.Offset{X: between(rng, -2, 1), Y: between(rng, -4, 9)}
			k.SetOffset(o)
			k.SetKernelOffsetX(between(rng, -3, 3))
			out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 7, 6, s.out, 1)
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
			first = [2]int{o.X*s.stride[0] + k.KernelOffsetX() - s.center(0),
				o.Y*s.stride[1] + k.KernelOffsetY() - s.center(1)}
			mpstest.AssertPicture(t, s.transposed(src, weights, biases, first, 7, 6), mpstest.PictureOf(out, 0), 5e-6, "offset")
		})
	}
}

// TestTransposeUndoes: with the state of a convolution, the result is as large as its source, and
// with rotated weights it is its gradient.
func TestTransposeUndoes(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(23, 15))
	s := plainShape(3, 4, 2, 3)
	s.stride, s.dilation = [2]int{2, 3}, [2]int{2, 1}
	data := randomWeights(t, rng, s)
	k := data.convolution(t, d)
	turned := s
	turned.in, turned.out = s.out, s.in
	rotated := randomWeights(t, rng, turned)
	rotated.biases = make([]float32, turned.out)
	for o := range s.out {
		for y := range 4 {
			for x := range 3 {
				for i := range s.in {
					rotated.weights[((i*4+3-y)*3+2-x)*s.out+o] = data.weights[((o*4+y)*3+x)*s.in+i]
				}
			}
		}
	}
	undo, err := cnn.NewConvolutionTransposeWithDevice(d, rotated.source(t))
	require.NoError(t, err)
	defer undo.Release()
	lasting(t, undo.Kernel)
	src := mpstest.RandomPicture(rng, 8, 9, s.in)
	in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	var out mps.Image
	var g mpstest.Picture
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		m, state := k.EncodeToCommandBufferDestinationStateDestinationStateIsTemporary(cb, in, true)
		defer state.Release()
		g = mpstest.RandomPicture(rng, int(m.Width()), int(m.Height()), s.out)
		e := g.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
		out = undo.EncodeToCommandBufferConvolutionGradientState(cb, e, cnn.ConvolutionGradientStateFrom(state.ID()))
		out.Retain()
		assert.Zero(t, state.ReadCount())
	})
	defer out.Release()
	o := k.Offset()
	first := [2]int{o.X - s.center(0), o.Y - s.center(1)}
	want := mpstest.NewPicture(8, 9, s.in)
	want.V = slopes(src.V, func() float64 { return dot(g, data.convolved(src, first, g.W, g.H, mps.ImageEdgeModeZero)) })
	mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 1e-5, "gradient")
}

// TestGradientParts: only the gradients that are asked for, the offset and clip rectangle of a
// gradient, and mistakes.
func TestGradientParts(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(24, 15))
	s := plainShape(3, 3, 2, 2)
	data := randomWeights(t, rng, s)
	k := data.convolution(t, d)
	back, err := cnn.NewConvolutionGradientWithDevice(d, data.source(t))
	require.NoError(t, err)
	defer back.Release()
	src := mpstest.RandomPicture(rng, 5, 4, 2)
	e := mpstest.RandomPicture(rng, 5, 4, 2)
	in, gradient := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32), e.Image(t, d,
		mps.ImageFeatureChannelFormatFloat32)
	result := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 5, 4, 2, 1)
	out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 5, 4, 2, 1)
	state := k.ResultStateForSourceImage(in, nil, result)
	encode := func(state mps.State) {
		onQueue(t, d, func(cb mtl.CommandBuffer) {
			back.EncodeToCommandBufferSourceGradientSourceImage(cb, gradient, in, state, out)
		})
	}
	weights, biases := float64s(data.weights), float64s(data.biases)
	loss := func() float64 {
		return dot(e, s.convolved(src, weights, biases, [2]int{-1, -1}, 5, 4, mps.ImageEdgeModeZero))
	}
	back.SetGradientOption(cnn.ConvolutionGradientOptionGradientWithWeightsAndBias)
	encode(state.State)
	assertFloats(t, slopes(weights, loss), mpstest.FloatsOf(t, state.GradientForWeights()), 1e-5, "weights")
	assert.Equal(t, make([]float64, 40), mpstest.PictureOf(out, 0).V, "the source's gradient was not asked for")
	state = k.ResultStateForSourceImage(in, nil, result)
	back.SetGradientOption(cnn.ConvolutionGradientOptionGradientWithData)
	back.SetClipRect(mtl.Region{Origin: mtl.Origin{X: 1, Y: 2}, Size: mtl.Size{Width: 3, Height: 9, Depth: 1}})
	encode(state.State)
	assert.Equal(t, make([]float32, 36), mpstest.FloatsOf(t, state.GradientForWeights())[:36])
	want := mpstest.NewPicture(5, 4, 2)
	for i, v := range slopes(src.V, loss) {
		if x, y := i/2%5, i/10; x >= 1 && x < 4 && y >= 2 {
			want.V[i] = v
		}
	}
	mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 1e-5, "clip rectangle")

	other := randomWeights(t, rng, plainShape(1, 3, 2, 2)).convolution(t, d)
	wrong := other.ResultStateForSourceImage(in, nil, result)
	assert.Contains(t, mpstest.FaultsOf(t, func() { encode(wrong.State) }), "with other sizes")
	k.SetEdgeMode(mps.ImageEdgeModeClamp)
	clamped := k.ResultStateForSourceImage(in, nil, result)
	assert.Contains(t, mpstest.FaultsOf(t, func() { encode(clamped.State) }), "only a gradient for zero")
	assert.Contains(t, mpstest.FaultsOf(t, func() { back.SetGradientOption(0) }), "gradient option 0")
	neuron := data.describe
	neuron.SetNeuronType(mps.CNNNeuronTypeSigmoid, 0, 0)
	assert.Contains(t, mpstest.FaultsOf(t, func() { _, _ = cnn.NewConvolutionGradientWithDevice(d, data.source(t)) }),
		"a fused neuron")
}

// TestConvolutionTraining: a step against the gradients makes the loss smaller, by a reload from
// the data source and then by a state.
func TestConvolutionTraining(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(25, 15))
	data := randomWeights(t, rng, plainShape(3, 3, 3, 4))
	k := data.convolution(t, d)
	back, err := cnn.NewConvolutionGradientWithDevice(d, data.source(t))
	require.NoError(t, err)
	defer back.Release()
	src, target := mpstest.RandomPicture(rng, 6, 6, 3), mpstest.RandomPicture(rng, 6, 6, 4)
	in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 6, 6, 4, 1)
	scrap := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 6, 6, 3, 1)
	e := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 6, 6, 4, 1)
	var losses []float64
	for step := range 12 {
		objc.Pool(func() {
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
			difference := mpstest.PictureOf(out, 0)
			for i, v := range target.V {
				difference.V[i] -= v
			}
			losses = append(losses, dot(difference, difference))
			difference.Write(e, 0)
			state := k.ResultStateForSourceImage(in, nil, out)
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				back.EncodeToCommandBufferSourceGradientSourceImage(cb, e, in, state.State, scrap)
			})
			for i, g := range mpstest.FloatsOf(t, state.GradientForWeights())[:len(data.weights)] {
				data.weights[i] -= 0.004 * g
			}
			for i, g := range mpstest.FloatsOf(t, state.GradientForBiases())[:len(data.biases)] {
				data.biases[i] -= 0.004 * g
			}
			if step%2 == 0 {
				k.ReloadWeightsAndBiasesFromDataSource()
				return
			}
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				w, err := cnn.NewConvolutionWeightsAndBiasesStateWithWeights(bufferOf(t, d, data.weights),
					bufferOf(t, d, data.biases))
				require.NoError(t, err)
				defer w.Release()
				k.ReloadWeightsAndBiasesWithCommandBuffer(cb, w)
			})
		})
	}
	for i := 1; i < len(losses); i++ {
		assert.Less(t, losses[i], losses[i-1], "step %d", i)
	}
	assert.Less(t, losses[len(losses)-1], losses[0]/2)
}

// TestConvolutionLeaks: a forward and a backward pass with everything that the kernels make leave
// no objects behind.
func TestConvolutionLeaks(t *testing.T) {
	round := func() {
		t.Run("round", func(t *testing.T) {
			d := mpstest.ImageFramework(t)
			rng := rand.New(rand.NewPCG(26, 15))
			data := randomWeights(t, rng, plainShape(3, 3, 3, 4))
			k := data.convolution(t, d)
			back, err := cnn.NewConvolutionGradientWithDevice(d, data.source(t))
			require.NoError(t, err)
			defer back.Release()
			in := mpstest.RandomPicture(rng, 6, 6, 3).Image(t, d, mps.ImageFeatureChannelFormatFloat32)
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				out, states := k.EncodeBatchToCommandBufferDestinationStatesDestinationStateIsTemporary(cb, []mps.Image{in}, true)
				back.EncodeBatchToCommandBufferSourceGradients(cb, out, []mps.Image{in}, states)
				states[0].Release()
				k.ExportWeightsAndBiasesWithCommandBuffer(cb, true)
				data.describe.SetNeuronType(mps.CNNNeuronTypeReLU, 0, 0)
				k.ReloadWeightsAndBiasesFromDataSource()
			})
		})
	}
	round() // singletons and pipelines
	before := objc.LiveObjects()
	round()
	settle.Equal(t, "live objects", before, objc.LiveObjects)
}
