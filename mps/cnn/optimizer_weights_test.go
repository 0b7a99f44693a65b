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

// floatVector makes a vector of floats, which the test releases.
func floatVector(t *testing.T, d mtl.Device, values []float32) mps.Vector {
	t.Helper()
	desc, err := mps.VectorDescriptorWithLength(uint(len(values)), mps.DataTypeFloat32)
	require.NoError(t, err)
	v, err := mps.NewVectorWithBuffer(bufferOf(t, d, values), desc)
	require.NoError(t, err)
	t.Cleanup(v.Release)
	return v
}

// learner is a reference of an optimizer in float64: a step changes v and what it remembers.
type learner struct {
	rate, rescale, low, high float64
	clip                     bool
	regularization           cnn.NNRegularizationType
	scale                    float64
	step                     func(t int, v, g float64, slots []float64) float64
}

func (l *learner) update(t int, v, g float64, slots []float64) float64 {
	if l.clip {
		g = min(max(g, l.low), l.high)
	}
	g *= l.rescale
	switch l.regularization {
	case cnn.NNRegularizationTypeL1:
		g += l.scale * math.Copysign(1, v)
	case cnn.NNRegularizationTypeL2:
		g += l.scale * v
	}
	return v - l.step(t, v, g, slots)
}

// sgd, rms and adam are the documented updates.
func (l *learner) sgd(momentum float64, nesterov bool) func(t int, v, g float64, s []float64) float64 {
	return func(_ int, _, g float64, s []float64) float64 {
		switch {
		case s == nil:
			return l.rate * g
		case nesterov:
			s[0] = momentum*s[0] + g
			return l.rate * (g + momentum*s[0])
		}
		s[0] = momentum*s[0] + l.rate*g
		return s[0]
	}
}

func (l *learner) rms(decay, epsilon float64) func(t int, v, g float64, s []float64) float64 {
	return func(_ int, _, g float64, s []float64) float64 {
		s[0] = decay*s[0] + (1-decay)*g*g
		return l.rate * g / (math.Sqrt(s[0]) + epsilon)
	}
}

func (l *learner) adam(beta1, beta2, epsilon float64) func(t int, v, g float64, s []float64) float64 {
	return func(t int, _, g float64, s []float64) float64 {
		rate := l.rate * math.Sqrt(1-math.Pow(beta2, float64(t))) / (1 - math.Pow(beta1, float64(t)))
		s[0] = beta1*s[0] + (1-beta1)*g
		s[1] = beta2*s[1] + (1-beta2)*g*g
		velocity := s[1]
		if len(s) > 2 {
			s[2] = max(s[2], s[1])
			velocity = s[2]
		}
		return rate * s[0] / (math.Sqrt(velocity) + epsilon)
	}
}

// optimized is an optimizer with its reference. state updates values of a convolution in place,
// norm the parameters of a batch normalization into a state; v is the state of the gradients, or
// another.
type optimized struct {
	name  string
	l     *learner
	slots int
	state func(cb mtl.CommandBuffer, g cnn.ConvolutionGradientState, v cnn.ConvolutionWeightsAndBiasesState,
		slots [][]mps.Vector)
	norm func(cb mtl.CommandBuffer, g, v cnn.BatchNormalizationState, slots [][]mps.Vector,
		result cnn.NormalizationGammaAndBetaState)
}

func optimizers(t *testing.T, d mtl.Device) (list []optimized) {
	t.Helper()
	for i := range 3 {
		l := &learner{rate: 0.125, rescale: 0.5, low: -0.75, high: 1, clip: i > 0,
			regularization: cnn.NNRegularizationType(i),
			scale:          0.25}
		if i == 0 {
			l.scale = 0
		}
		desc, err := cnn.NNOptimizerDescriptorWithLearningRateGradientRescaleApplyGradientClipping(float32(l.rate),
			float32(l.rescale), l.clip, float32(l.high), float32(l.low), l.regularization, float32(l.scale))
		require.NoError(t, err)
		assert.Equal(t, l.clip, desc.ApplyGradientClipping())
		for _, nesterov := range []bool{false, true} {
			k, err := cnn.NewNNOptimizerStochasticGradientDescentWithDeviceMomentumScaleUseNesterovMomentum(d, 0.75, nesterov,
				desc)
			require.NoError(t, err)
			t.Cleanup(k.Release)
			assert.Equal(t, nesterov, k.UseNesterovMomentum())
			assert.EqualValues(t, 0.75, k.MomentumScale())
			of := *l
			of.step = of.sgd(0.75, nesterov)
			list = append(list, optimized{fmt.Sprintf("sgd %d, %v", i, nesterov), &of, 1,
				func(cb mtl.CommandBuffer, g cnn.ConvolutionGradientState, v cnn.ConvolutionWeightsAndBiasesState,
					s [][]mps.Vector) {
					k.EncodeToCommandBufferConvolutionGradientState(cb, g, v, s[0], v)
				}, func(cb mtl.CommandBuffer, g, v cnn.BatchNormalizationState, s [][]mps.Vector,
					result cnn.NormalizationGammaAndBetaState) {
					if g.ID() == v.ID() {
						k.EncodeToCommandBuffer(cb, g, s[0], result)
						return
					}
					k.EncodeToCommandBufferBatchNormalizationGradientState(cb, g, v, s[0], result)
				}})
		}
		r, err := cnn.NewNNOptimizerRMSPropWithDeviceDecay(d, 0.8, 1e-4, desc)
		require.NoError(t, err)
		t.Cleanup(r.Release)
		rms := *l
		rms.step = rms.rms(0.8, 1e-4)
		list = append(list, optimized{fmt.Sprintf("rms %d", i), &rms, 1,
			func(cb mtl.CommandBuffer, g cnn.ConvolutionGradientState, v cnn.ConvolutionWeightsAndBiasesState,
				s [][]mps.Vector) {
				r.EncodeToCommandBufferConvolutionGradientState(cb, g, v, s[0], v)
			}, func(cb mtl.CommandBuffer, g, v cnn.BatchNormalizationState, s [][]mps.Vector,
				result cnn.NormalizationGammaAndBetaState) {
				if g.ID() == v.ID() {
					r.EncodeToCommandBuffer(cb, g, s[0], result)
					return
				}
				r.EncodeToCommandBufferBatchNormalizationGradientState(cb, g, v, s[0], result)
			}})
		for slots := 2; slots <= 3; slots++ {
			a, err := cnn.NewNNOptimizerAdamWithDeviceBeta1(d, 0.7, 0.9, 1e-4, 0, desc)
			require.NoError(t, err)
			t.Cleanup(a.Release)
			adam := *l
			adam.step = adam.adam(0.7, 0.9, 1e-4)
			list = append(list, optimized{fmt.Sprintf("adam %d, %d", i, slots), &adam, slots,
				func(cb mtl.CommandBuffer, g cnn.ConvolutionGradientState, v cnn.ConvolutionWeightsAndBiasesState,
					s [][]mps.Vector) {
					if len(s) == 2 {
						a.EncodeToCommandBufferConvolutionGradientState(cb, g, v, s[0], s[1], v)
						return
					}
					a.EncodeToCommandBufferConvolutionGradientStateConvolutionSourceState(cb, g, v, s[0], s[1], s[2], v)
				}, func(cb mtl.CommandBuffer, g, v cnn.BatchNormalizationState, s [][]mps.Vector,
					result cnn.NormalizationGammaAndBetaState) {
					switch same := g.ID() == v.ID(); {
					case same && len(s) == 2:
						a.EncodeToCommandBuffer(cb, g, s[0], s[1], result)
					case same:
						a.EncodeToCommandBufferMaximumVelocityVectors(cb, g, s[0], s[1], s[2], result)
					case len(s) == 2:
						a.EncodeToCommandBufferBatchNormalizationGradientState(cb, g, v, s[0], s[1], result)
					default:
						a.EncodeToCommandBufferBatchNormalizationGradientStateBatchNormalizationSourceState(cb, g, v, s[0], s[1],
							s[2], result)
					}
				}})
		}
	}
	return list
}

// TestOptimizeConvolution: weights and biases of a convolution by its gradient state.
func TestOptimizeConvolution(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(42, 15))
	for _, o := range optimizers(t, d) {
		t.Run(o.name, func(t *testing.T) {
			data := randomWeights(t, rng, plainShape(2, 2, 2, 3))
			k := data.convolution(t, d)
			back, err := cnn.NewConvolutionGradientWithDevice(d, data.source(t))
			require.NoError(t, err)
			defer back.Release()
			in := mpstest.RandomPicture(rng, 3, 3, 2).Image(t, d, mps.ImageFeatureChannelFormatFloat32)
			e := mpstest.RandomPicture(rng, 3, 3, 3).Image(t, d, mps.ImageFeatureChannelFormatFloat32)
			state := k.ResultStateForSourceImage(in, nil, e)
			var slots [][]mps.Vector
			for range o.slots {
				slots = append(slots, []mps.Vector{floatVector(t, d, make([]float32, 24)), floatVector(t, d, make([]float32, 3))})
			}
			var after cnn.ConvolutionWeightsAndBiasesState
			onQueue(t, d, func(cb mtl.CommandBuffer) {
				back.EncodeToCommandBufferSourceGradient(cb, e, in, state.State)
				weights := k.ExportWeightsAndBiasesWithCommandBuffer(cb, false)
				o.state(cb, state, weights, slots)
				k.ReloadWeightsAndBiasesWithCommandBuffer(cb, weights)
				after = k.ExportWeightsAndBiasesWithCommandBuffer(cb, false)
				after.Retain()
			})
			defer after.Release()
			check := func(what string, before []float32, gradient, got mtl.Buffer) {
				g, want := mpstest.FloatsOf(t, gradient), make([]float64, len(before))
				for i, v := range before {
					want[i] = o.l.update(1, float64(v), float64(g[i]), make([]float64, o.slots))
				}
				assertFloats(t, want, mpstest.FloatsOf(t, got), 2e-5, what)
			}
			check("weights", data.weights, state.GradientForWeights(), after.Weights())
			check("biases", data.biases, state.GradientForBiases(), after.Biases())
		})
	}
}

// TestOptimizeNormalization: gamma and beta of a batch normalization by the state with their
// gradients, which may also be the one with the parameters.
func TestOptimizeNormalization(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(42, 16))
	const channels = 5
	for i, o := range optimizers(t, d) {
		t.Run(o.name, func(t *testing.T) {
			impl := randomNormSource(rng, channels)
			b := newBatchKernels(t, d, impl, mps.NNNeuronDescriptor{})
			in := mpstest.RandomPicture(rng, 3, 3, channels).Image(t, d, mps.ImageFeatureChannelFormatFloat32)
			e := mpstest.RandomPicture(rng, 3, 3, channels).Image(t, d, mps.ImageFeatureChannelFormatFloat32)
			gradients := b.k.ResultStateForSourceImage(in, nil, e)
			values := gradients
			if i%2 > 0 {
				values = b.k.ResultStateForSourceImage(in, nil, e)
			}
			result, err := cnn.NewNormalizationGammaAndBetaStateWithGamma(bufferOf(t, d, make([]float32, channels)),
				bufferOf(t, d, make([]float32, channels)))
			require.NoError(t, err)
			defer result.Release()
			var slots [][]mps.Vector
			for range o.slots {
				slots = append(slots, []mps.Vector{floatVector(t, d, make([]float32, channels)),
					floatVector(t, d, make([]float32, channels))})
			}
			early := mpstest.FaultsOf(t, func() {
				mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { o.norm(cb, gradients, values, slots, result) })
			})
			assert.Contains(t, early, "no gradients of gamma and beta yet")
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
				b.sums.EncodeBatchToCommandBufferSourceGradientsSourceImagesBatchNormalizationState(cb, []mps.Image{e},
					[]mps.Image{in},
					gradients)
				o.norm(cb, gradients, values, slots, result)
			})
			check := func(what string, before []float32, gradient, got mtl.Buffer) {
				g, want := mpstest.FloatsOf(t, gradient), make([]float64, channels)
				for i, v := range before {
					want[i] = o.l.update(1, float64(v), float64(g[i]), make([]float64, o.slots))
				}
				assertBuffer(t, want, got, 2e-5, what)
			}
			check("gamma", impl.gamma, gradients.GradientForGamma(), result.Gamma())
			check("beta", impl.beta, gradients.GradientForBeta(), result.Beta())

			short, err := cnn.NewNormalizationGammaAndBetaStateWithGamma(bufferOf(t, d, []float32{1}), result.Beta())
			require.NoError(t, err)
			defer short.Release()
			wrong := mpstest.FaultsOf(t, func() {
				mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { o.norm(cb, gradients, values, slots, short) })
			})
			assert.Contains(t, wrong, "a buffer of 4 bytes for the parameters of 5 feature channels")
		})
	}
}
