package mps

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dot returns the sum of the products of two pictures' values.
func dot(a, b picture) float64 {
	sum := 0.0
	for i, v := range a.v {
		sum += v * b.v[i]
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
	d := imageFramework(t)
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
			size := []NNPaddingMethod{NNPaddingMethodSizeSame, NNPaddingMethodSizeFull}[i%2]
			p, err := NNDefaultPaddingWithMethod(size)
			require.NoError(t, err)
			k.SetPadding(NNPaddingFrom(p.ID()))
			back, err := NewCNNConvolutionGradientWithDevice(d, data.source(t))
			require.NoError(t, err)
			defer back.Release()
			lasting(t, back)
			assert.EqualValues(t, [2]uint{uint(s.out), uint(s.in)},
				[2]uint{back.SourceGradientFeatureChannels(), back.SourceImageFeatureChannels()})
			images := 1 + i%2
			var src, gradient []picture
			var in, results, backwards []Image
			for range images {
				src = append(src, randomPicture(rng, 4, 5, s.in))
				in = append(in, src[len(src)-1].image(t, d, ImageFeatureChannelFormatFloat32))
			}
			var states []State
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				results, states = k.EncodeBatchToCommandBufferDestinationStatesDestinationStateIsTemporary(cb, in, false)
				require.Len(t, states, images)
				assert.Equal(t, states[0].ID(), states[images-1].ID(), "one state for the batch")
				var e []Image
				for _, m := range results {
					g := randomPicture(rng, int(m.Width()), int(m.Height()), s.out)
					gradient = append(gradient, g)
					e = append(e, g.image(t, d, ImageFeatureChannelFormatFloat32))
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
					sum += dot(gradient[n], s.convolved(p, weights, biases, first, gradient[n].w, gradient[n].h,
						ImageEdgeModeZero))
				}
				return sum
			}
			state := CNNConvolutionGradientStateFrom(states[0].ID())
			assert.Equal(t, k.ID(), state.Convolution().ID())
			assertFloats(t, slopes(weights, loss), floatsOf(t, state.GradientForWeights()), 1e-5, "weights")
			assertFloats(t, slopes(biases, loss), floatsOf(t, state.GradientForBiases()), 1e-5, "biases")
			for n := range src {
				want := newPicture(4, 5, s.in)
				want.v = slopes(src[n].v, loss)
				assertPicture(t, want, pictureOf(backwards[n], 0), 1e-5, "source")
			}
		})
	}
}

// TestConvolutionTranspose: results by padding policies and by offsets, and the gradients.
func TestConvolutionTranspose(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(22, 15))
	for i := range 8 {
		s := randomShape(rng, i%2)
		s.in, s.out = min(s.in, 6), min(s.out, 6)
		data := randomWeights(t, rng, s)
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			k, err := NewCNNConvolutionTransposeWithDevice(d, data.source(t))
			require.NoError(t, err)
			defer k.Release()
			lasting(t, k.CNNKernel)
			back, err := NewCNNConvolutionTransposeGradientWithDevice(d, data.source(t))
			require.NoError(t, err)
			defer back.Release()
			lasting(t, back)
			style := i % 3 // valid only, same, full
			p, err := NNDefaultPaddingWithMethod(NNPaddingMethod(style) << 4)
			require.NoError(t, err)
			k.SetPadding(NNPaddingFrom(p.ID()))
			src := randomPicture(rng, 5, 6, s.in)
			in := src.image(t, d, ImageFeatureChannelFormatFloat32)
			var n, first [2]int
			for axis, pixels := range [2]int{src.w, src.h} {
				reach := s.span(axis, 1)
				n[axis] = (pixels-1)*s.stride[axis] + 1 + (style-1)*(reach-1)
				missing := n[axis] + reach - 1 - ((pixels-1)*s.stride[axis] + 1)
				first[axis] = -(missing + 1) / 2
			}
			if n[0] < 1 || n[1] < 1 {
				t.Skip("nothing is valid")
			}
			weights, biases := float64s(data.weights), float64s(data.biases)
			forward := func() picture { return s.transposed(src, weights, biases, first, n[0], n[1]) }
			var m, backward Image
			var state State
			g := randomPicture(rng, n[0], n[1], s.out)
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				m, state = k.EncodeToCommandBufferDestinationStateDestinationStateIsTemporary(cb, in, false)
				m.Retain()
				backward = back.EncodeToCommandBufferSourceGradient(cb, g.image(t, d, ImageFeatureChannelFormatFloat32), in,
					state)
				backward.Retain()
			})
			defer m.Release()
			defer backward.Release()
			defer state.Release()
			assertPicture(t, forward(), pictureOf(m, 0), 5e-6, "result")
			loss := func() float64 { return dot(g, forward()) }
			gradients := CNNConvolutionGradientStateFrom(state.ID())
			assertFloats(t, slopes(weights, loss), floatsOf(t, gradients.GradientForWeights()), 1e-5, "weights")
			assertFloats(t, slopes(biases, loss), floatsOf(t, gradients.GradientForBiases()), 1e-5, "biases")
			want := newPicture(src.w, src.h, s.in)
			want.v = slopes(src.v, loss)
			assertPicture(t, want, pictureOf(backward, 0), 1e-5, "source")

			// Offsets of the program's, far enough for results that nothing reaches.
			o := Offset{X: between(rng, -2, 1), Y: between(rng, -4, 9)}
			k.SetOffset(o)
			k.SetKernelOffsetX(between(rng, -3, 3))
			out := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 7, 6, s.out, 1)
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
			first = [2]int{o.X*s.stride[0] + k.KernelOffsetX() - s.center(0),
				o.Y*s.stride[1] + k.KernelOffsetY() - s.center(1)}
			assertPicture(t, s.transposed(src, weights, biases, first, 7, 6), pictureOf(out, 0), 5e-6, "offset")
		})
	}
}

// TestTransposeUndoes: with the state of a convolution, the result is as large as its source, and
// with rotated weights it is its gradient.
func TestTransposeUndoes(t *testing.T) {
	d := imageFramework(t)
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
	undo, err := NewCNNConvolutionTransposeWithDevice(d, rotated.source(t))
	require.NoError(t, err)
	defer undo.Release()
	lasting(t, undo.CNNKernel)
	src := randomPicture(rng, 8, 9, s.in)
	in := src.image(t, d, ImageFeatureChannelFormatFloat32)
	var out Image
	var g picture
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		m, state := k.EncodeToCommandBufferDestinationStateDestinationStateIsTemporary(cb, in, true)
		defer state.Release()
		g = randomPicture(rng, int(m.Width()), int(m.Height()), s.out)
		e := g.image(t, d, ImageFeatureChannelFormatFloat32)
		out = undo.EncodeToCommandBufferConvolutionGradientState(cb, e, CNNConvolutionGradientStateFrom(state.ID()))
		out.Retain()
		assert.Zero(t, state.ReadCount())
	})
	defer out.Release()
	o := k.Offset()
	first := [2]int{o.X - s.center(0), o.Y - s.center(1)}
	want := newPicture(8, 9, s.in)
	want.v = slopes(src.v, func() float64 { return dot(g, data.convolved(src, first, g.w, g.h, ImageEdgeModeZero)) })
	assertPicture(t, want, pictureOf(out, 0), 1e-5, "gradient")
}

// TestGradientParts: only the gradients that are asked for, the offset and clip rectangle of a
// gradient, and mistakes.
func TestGradientParts(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(24, 15))
	s := plainShape(3, 3, 2, 2)
	data := randomWeights(t, rng, s)
	k := data.convolution(t, d)
	back, err := NewCNNConvolutionGradientWithDevice(d, data.source(t))
	require.NoError(t, err)
	defer back.Release()
	src := randomPicture(rng, 5, 4, 2)
	e := randomPicture(rng, 5, 4, 2)
	in, gradient := src.image(t, d, ImageFeatureChannelFormatFloat32), e.image(t, d, ImageFeatureChannelFormatFloat32)
	result := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 5, 4, 2, 1)
	out := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 5, 4, 2, 1)
	state := k.ResultStateForSourceImage(in, nil, result)
	encode := func(state State) {
		onQueue(t, d, func(cb mtl.CommandBuffer) {
			back.EncodeToCommandBufferSourceGradientSourceImage(cb, gradient, in, state, out)
		})
	}
	weights, biases := float64s(data.weights), float64s(data.biases)
	loss := func() float64 {
		return dot(e, s.convolved(src, weights, biases, [2]int{-1, -1}, 5, 4, ImageEdgeModeZero))
	}
	back.SetGradientOption(CNNConvolutionGradientOptionGradientWithWeightsAndBias)
	encode(state.State)
	assertFloats(t, slopes(weights, loss), floatsOf(t, state.GradientForWeights()), 1e-5, "weights")
	assert.Equal(t, make([]float64, 40), pictureOf(out, 0).v, "the source's gradient was not asked for")
	state = k.ResultStateForSourceImage(in, nil, result)
	back.SetGradientOption(CNNConvolutionGradientOptionGradientWithData)
	back.SetClipRect(mtl.Region{Origin: mtl.Origin{X: 1, Y: 2}, Size: mtl.Size{Width: 3, Height: 9, Depth: 1}})
	encode(state.State)
	assert.Equal(t, make([]float32, 36), floatsOf(t, state.GradientForWeights())[:36])
	want := newPicture(5, 4, 2)
	for i, v := range slopes(src.v, loss) {
		if x, y := i/2%5, i/10; x >= 1 && x < 4 && y >= 2 {
			want.v[i] = v
		}
	}
	assertPicture(t, want, pictureOf(out, 0), 1e-5, "clip rectangle")

	other := randomWeights(t, rng, plainShape(1, 3, 2, 2)).convolution(t, d)
	wrong := other.ResultStateForSourceImage(in, nil, result)
	assert.Contains(t, faultsOf(t, func() { encode(wrong.State) }), "with other sizes")
	k.SetEdgeMode(ImageEdgeModeClamp)
	clamped := k.ResultStateForSourceImage(in, nil, result)
	assert.Contains(t, faultsOf(t, func() { encode(clamped.State) }), "only a gradient for zero")
	assert.Contains(t, faultsOf(t, func() { back.SetGradientOption(0) }), "gradient option 0")
	neuron := data.describe
	neuron.SetNeuronType(CNNNeuronTypeSigmoid, 0, 0)
	assert.Contains(t, faultsOf(t, func() { _, _ = NewCNNConvolutionGradientWithDevice(d, data.source(t)) }),
		"a fused neuron")
}

// TestConvolutionTraining: a step against the gradients makes the loss smaller, by a reload from
// the data source and then by a state.
func TestConvolutionTraining(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(25, 15))
	data := randomWeights(t, rng, plainShape(3, 3, 3, 4))
	k := data.convolution(t, d)
	back, err := NewCNNConvolutionGradientWithDevice(d, data.source(t))
	require.NoError(t, err)
	defer back.Release()
	src, target := randomPicture(rng, 6, 6, 3), randomPicture(rng, 6, 6, 4)
	in := src.image(t, d, ImageFeatureChannelFormatFloat32)
	out := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 6, 6, 4, 1)
	scrap := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 6, 6, 3, 1)
	e := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 6, 6, 4, 1)
	var losses []float64
	for step := range 12 {
		objc.Pool(func() {
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
			difference := pictureOf(out, 0)
			for i, v := range target.v {
				difference.v[i] -= v
			}
			losses = append(losses, dot(difference, difference))
			difference.write(e, 0)
			state := k.ResultStateForSourceImage(in, nil, out)
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				back.EncodeToCommandBufferSourceGradientSourceImage(cb, e, in, state.State, scrap)
			})
			for i, g := range floatsOf(t, state.GradientForWeights())[:len(data.weights)] {
				data.weights[i] -= 0.004 * g
			}
			for i, g := range floatsOf(t, state.GradientForBiases())[:len(data.biases)] {
				data.biases[i] -= 0.004 * g
			}
			if step%2 == 0 {
				k.ReloadWeightsAndBiasesFromDataSource()
				return
			}
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				w, err := NewCNNConvolutionWeightsAndBiasesStateWithWeights(bufferOf(t, d, data.weights),
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
			d := imageFramework(t)
			rng := rand.New(rand.NewPCG(26, 15))
			data := randomWeights(t, rng, plainShape(3, 3, 3, 4))
			k := data.convolution(t, d)
			back, err := NewCNNConvolutionGradientWithDevice(d, data.source(t))
			require.NoError(t, err)
			defer back.Release()
			in := randomPicture(rng, 6, 6, 3).image(t, d, ImageFeatureChannelFormatFloat32)
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				out, states := k.EncodeBatchToCommandBufferDestinationStatesDestinationStateIsTemporary(cb, []Image{in}, true)
				back.EncodeBatchToCommandBufferSourceGradients(cb, out, []Image{in}, states)
				states[0].Release()
				k.ExportWeightsAndBiasesWithCommandBuffer(cb, true)
				data.describe.SetNeuronType(CNNNeuronTypeReLU, 0, 0)
				k.ReloadWeightsAndBiasesFromDataSource()
			})
		})
	}
	round() // singletons and pipelines
	before := objc.LiveObjects()
	round()
	settle.Equal(t, "live objects", before, objc.LiveObjects)
}
