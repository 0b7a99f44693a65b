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

// normSource is a data source for all normalizations.
type normSource struct {
	gamma, beta, mean, variance []float32
	groups                      uint
	loads, purges               int
	refuse                      bool
}

func (n *normSource) NumberOfFeatureChannels() uint { return uint(len(n.gamma)) }
func (n *normSource) Gamma() uintptr                { return objc.Slice(n.gamma) }
func (n *normSource) Beta() uintptr                 { return objc.Slice(n.beta) }
func (n *normSource) Mean() uintptr                 { return objc.Slice(n.mean) }
func (n *normSource) Variance() uintptr             { return objc.Slice(n.variance) }
func (n *normSource) Load() bool                    { n.loads++; return !n.refuse }
func (n *normSource) Purge()                        { n.purges++ }
func (n *normSource) Label() string                 { return "a normalization" }
func (n *normSource) Epsilon() float32              { return 0.25 }
func (n *normSource) NumberOfGroups() uint          { return n.groups }
func (n *normSource) SetNumberOfGroups(groups uint) { n.groups = groups }

func randomNormSource(rng *rand.Rand, channels int) *normSource {
	n := &normSource{groups: 1}
	for range channels {
		n.gamma = append(n.gamma, float32(rng.NormFloat64()))
		n.beta = append(n.beta, float32(rng.NormFloat64()))
		n.mean = append(n.mean, float32(rng.NormFloat64()))
		n.variance = append(n.variance, float32(0.5+rng.Float64()))
	}
	return n
}

// normalized is the formula of all normalizations.
func (n *normSource) normalized(x, mean, variance float64, c int) float64 {
	return (x-mean)/math.Sqrt(variance+0.25)*float64(n.gamma[c]) + float64(n.beta[c])
}

// statisticsOf returns mean and variance of some feature channels of a batch.
func statisticsOf(src []mpstest.Picture, channels func(c int) bool) (mean, variance float64) {
	count := 0.0
	each := func(f func(v float64)) {
		for _, p := range src {
			for k, v := range p.V {
				if channels(k % p.C) {
					f(v)
				}
			}
		}
	}
	each(func(v float64) { mean += v; count++ })
	mean /= count
	each(func(v float64) { variance += (v - mean) * (v - mean) / count })
	return mean, variance
}

// assertBuffer compares a buffer's floats with a reference.
func assertBuffer(t *testing.T, want []float64, b mtl.Buffer, tolerance float64, what string) {
	t.Helper()
	require.False(t, b.IsNil(), what)
	got := mpstest.FloatsOf(t, b)
	for i, w := range want {
		require.InDelta(t, w, got[i], tolerance*(1+math.Abs(w)), "%s %d", what, i)
	}
}

func float64sOf(list []float32) (out []float64) {
	for _, v := range list {
		out = append(out, float64(v))
	}
	return out
}

// numericParameters returns the gradients of gamma and beta by differences.
func (n *normSource) numericParameters(g []mpstest.Picture, f func() []mpstest.Picture) (gamma, beta []float64) {
	total := func() (sum float64) {
		for i, p := range f() {
			for k, v := range p.V {
				sum += v * g[i].V[k]
			}
		}
		return sum
	}
	const step = 1.0 / 256
	for p, list := range [][]float32{n.gamma, n.beta} {
		for c, v := range list {
			list[c] = v + step
			high, above := float64(list[c]), total()
			list[c] = v - step
			d := (above - total()) / (high - float64(list[c]))
			if list[c] = v; p == 0 {
				gamma = append(gamma, d)
			} else {
				beta = append(beta, d)
			}
		}
	}
	return gamma, beta
}

// batchKernels are a batch normalization and the kernels for its training.
type batchKernels struct {
	k          cnn.BatchNormalization
	statistics cnn.BatchNormalizationStatistics
	sums       cnn.BatchNormalizationStatisticsGradient
	backward   cnn.BatchNormalizationGradient
}

func newBatchKernels(t *testing.T, d mtl.Device, impl *normSource, neuron mps.NNNeuronDescriptor) (b batchKernels) {
	t.Helper()
	source, err := cnn.NewBatchNormalizationDataSource(impl)
	require.NoError(t, err)
	t.Cleanup(source.Release)
	b.k, err = cnn.NewBatchNormalizationWithDeviceDataSourceFusedNeuronDescriptor(d, source, neuron)
	require.NoError(t, err)
	t.Cleanup(b.k.Release)
	b.statistics, err = cnn.NewBatchNormalizationStatisticsWithDevice(d)
	require.NoError(t, err)
	t.Cleanup(b.statistics.Release)
	b.sums, err = cnn.NewBatchNormalizationStatisticsGradientWithDeviceFusedNeuronDescriptor(d, neuron)
	require.NoError(t, err)
	t.Cleanup(b.sums.Release)
	b.backward, err = cnn.NewBatchNormalizationGradientWithDeviceFusedNeuronDescriptor(d, neuron)
	require.NoError(t, err)
	t.Cleanup(b.backward.Release)
	assert.Equal(t, []int{2, 2}, []int{impl.loads, impl.purges})
	assert.EqualValues(t, len(impl.gamma), b.k.NumberOfFeatureChannels())
	assert.EqualValues(t, 0.25, b.k.Epsilon())
	assert.Equal(t, "a normalization", b.k.Label())
	assert.Equal(t, source.ID(), b.k.DataSource().ID())
	return b
}

func TestCNNBatchNormalization(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(25, 1))
	for round := range 6 {
		l := randomLayer(rng)
		l.images = 1 + round%3
		impl := randomNormSource(rng, l.c)
		neuron, err := mps.CnnNeuronDescriptorWithTypeAB(mps.CNNNeuronTypeTanH, 1.5, 0.5)
		require.NoError(t, err)
		activate := func(v float64) float64 { return 1.5 * math.Tanh(0.5*v) }
		if round%2 == 0 {
			neuron, activate = mps.NNNeuronDescriptor{}, func(v float64) float64 { return v }
		}
		b := newBatchKernels(t, d, impl, neuron)
		src := l.pictures(rng, nil)
		inference := func(x []mpstest.Picture, l layerCase) []mpstest.Picture {
			return l.expected(l.c, func(i, u, v, c int) float64 {
				value := x[i].Beyond(mps.ImageEdgeModeZero, u+l.offset[0], v+l.offset[1], c)
				return activate(impl.normalized(value, float64(impl.mean[c]), float64(impl.variance[c]), c))
			})
		}
		assertBatch(t, inference(src, l), l.run(t, d, b.k.Kernel, src), 2*l.tolerance(), "inference")

		w := l.whole()
		from, to := w.imagesOf(t, d, src), w.destinations(t, d, l.images, l.c)
		state := b.k.ResultStateForSourceImage(from[0], nil, to[0])
		assert.Equal(t, b.k.ID(), state.BatchNormalization().ID())
		assertBuffer(t, float64sOf(impl.gamma), state.Gamma(), 0, "gamma")
		assertBuffer(t, float64sOf(impl.mean), state.Mean(), 0, "mean of the kernel")
		assert.True(t, state.GradientForGamma().IsNil())
		gradients := w.pictures(rng, nil)
		g, result := w.imagesOf(t, d, gradients), w.destinations(t, d, l.images, l.c)
		b.k.SetOffset(mps.Offset{})
		b.k.SetClipRect(w.region())
		b.k.SetDestinationFeatureChannelOffset(0)

		// The mean and the variance of the kernel are constants for the gradient.
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			b.sums.EncodeBatchToCommandBufferSourceGradientsSourceImagesBatchNormalizationState(cb, g, from, state)
			b.backward.EncodeBatchToCommandBufferSourceGradientsSourceImagesBatchNormalizationStateDestinationGradients(
				cb, g, from, state, result)
		})
		want := numericGradient(gradients, src, func(x []mpstest.Picture) []mpstest.Picture { return inference(x, w) })
		assertBatch(t, want, w.written(t, result), 5*l.tolerance(), "gradient with constants")
		state.Reset()

		// Training: the statistics come in parts of the batch.
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			for i := range from {
				b.statistics.EncodeBatchToCommandBufferBatchNormalizationState(cb, from[i:i+1], state)
			}
			b.k.EncodeBatchToCommandBufferBatchNormalizationState(cb, from, state, to)
			for i := range from {
				b.sums.EncodeBatchToCommandBufferSourceGradientsSourceImagesBatchNormalizationState(cb, g[i:i+1],
					from[i:i+1], state)
			}
			b.backward.EncodeBatchToCommandBufferSourceGradientsSourceImagesBatchNormalizationStateDestinationGradients(
				cb, g, from, state, result)
		})
		training := func(x []mpstest.Picture) []mpstest.Picture {
			var mean, variance []float64
			for c := range l.c {
				m, v := statisticsOf(x, func(k int) bool { return k == c })
				mean, variance = append(mean, m), append(variance, v)
			}
			return w.expected(l.c, func(i, u, v, c int) float64 {
				return activate(impl.normalized(*x[i].At(u, v, c), mean[c], variance[c], c))
			})
		}
		for c := range l.c {
			m, v := statisticsOf(src, func(k int) bool { return k == c })
			require.InDelta(t, m, mpstest.FloatsOf(t, state.Mean())[c], 1e-5, "mean")
			require.InDelta(t, v, mpstest.FloatsOf(t, state.Variance())[c], 1e-5*(1+v), "variance")
		}
		assertBatch(t, training(src), w.written(t, to), 2*l.tolerance(), "training")
		want = numericGradient(gradients, src, training)
		assertBatch(t, want, w.written(t, result), 5*l.tolerance(), "gradient")
		dgamma, dbeta := impl.numericParameters(gradients, func() []mpstest.Picture { return training(src) })
		assertBuffer(t, dgamma, state.GradientForGamma(), 1e-3, "gradient of gamma")
		assertBuffer(t, dbeta, state.GradientForBeta(), 1e-3, "gradient of beta")
	}
}

// TestCNNNormalizationReload: new parameters from the data source, and from states on the device.
func TestCNNNormalizationReload(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(25, 2))
	l := layerCase{format: mps.ImageFeatureChannelFormatFloat32, images: 2, w: 4, h: 3, c: 5}.whole()
	src := l.pictures(rng, nil)
	impl := randomNormSource(rng, l.c)
	source, err := cnn.NewBatchNormalizationDataSource(impl)
	require.NoError(t, err)
	defer source.Release()
	k, err := cnn.NewBatchNormalizationWithDevice(d, source)
	require.NoError(t, err)
	defer k.Release()
	check := func(what string) {
		want := l.expected(l.c, func(i, x, y, c int) float64 {
			return impl.normalized(*src[i].At(x, y, c), float64(impl.mean[c]), float64(impl.variance[c]), c)
		})
		assertBatch(t, want, l.run(t, d, k.Kernel, src), l.tolerance(), what)
	}
	check("first")
	*impl = *randomNormSource(rng, l.c)
	k.ReloadGammaAndBetaFromDataSource()
	k.ReloadMeanAndVarianceFromDataSource()
	check("from the data source")
	*impl = *randomNormSource(rng, l.c)
	k.ReloadDataSource(source)
	check("whole data source")
	next := randomNormSource(rng, l.c)
	gamma, err := cnn.NewNormalizationGammaAndBetaStateWithGamma(bufferOf(t, d, next.gamma), bufferOf(t, d, next.beta))
	require.NoError(t, err)
	defer gamma.Release()
	mean, err := cnn.NewNormalizationMeanAndVarianceStateWithMean(bufferOf(t, d, next.mean),
		bufferOf(t, d, next.variance))
	require.NoError(t, err)
	defer mean.Release()
	assertBuffer(t, float64sOf(next.beta), gamma.Beta(), 0, "beta of the state")
	assertBuffer(t, float64sOf(next.variance), mean.Variance(), 0, "variance of the state")
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		k.ReloadGammaAndBetaWithCommandBuffer(cb, gamma)
		k.ReloadMeanAndVarianceWithCommandBuffer(cb, mean)
	})
	impl.gamma, impl.beta, impl.mean, impl.variance = next.gamma, next.beta, next.mean, next.variance
	check("from states")

	// A temporary state is read once; its buffers hold the channels.
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		s, err := cnn.NormalizationGammaAndBetaStateTemporaryStateWithCommandBuffer(cb, 5)
		require.NoError(t, err)
		assert.True(t, s.IsTemporary())
		assert.EqualValues(t, 20, s.BufferSizeAtIndex(0))
		k.ReloadGammaAndBetaWithCommandBuffer(cb, s)
		assert.Contains(t, mpstest.FaultsOf(t, func() { k.ReloadGammaAndBetaWithCommandBuffer(cb, s) }), "readCount")
	})
}

// groupKernels returns a group normalization and its gradient, or with as many groups as channels
// an instance normalization.
func groupKernels(t *testing.T, d mtl.Device, impl *normSource) (cnn.Kernel, cnn.GradientKernel) {
	t.Helper()
	if impl.groups < uint(len(impl.gamma)) {
		source, err := cnn.NewGroupNormalizationDataSource(impl)
		require.NoError(t, err)
		t.Cleanup(source.Release)
		f, err := cnn.NewGroupNormalizationWithDevice(d, source)
		require.NoError(t, err)
		b, err := cnn.NewGroupNormalizationGradientWithDevice(d)
		require.NoError(t, err)
		assert.Equal(t, source.ID(), f.DataSource().ID())
		return f.Kernel, b
	}
	source, err := cnn.NewInstanceNormalizationDataSource(impl)
	require.NoError(t, err)
	t.Cleanup(source.Release)
	f, err := cnn.NewInstanceNormalizationWithDevice(d, source)
	require.NoError(t, err)
	b, err := cnn.NewInstanceNormalizationGradientWithDevice(d)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1}, []int{impl.loads, impl.purges})
	assert.EqualValues(t, 0.25, f.Epsilon())
	return f.Kernel, b
}

// TestCNNGroupNormalization: instance and group normalization, whose statistics are an image's.
func TestCNNGroupNormalization(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(25, 3))
	for round := range 6 {
		l := randomLayer(rng)
		groups := l.c
		if round%2 == 0 {
			l.c, groups = 6, []int{1, 2, 3}[round/2]
		}
		impl := randomNormSource(rng, l.c)
		impl.groups = uint(groups)
		k, g := groupKernels(t, d, impl)
		t.Cleanup(k.Release)
		t.Cleanup(g.Release)
		what := fmt.Sprintf("%d groups of %d channels", groups, l.c)
		each := l.c / groups
		src := l.pictures(rng, nil)
		forward := func(x []mpstest.Picture, l layerCase) []mpstest.Picture {
			var mean, variance []float64
			for _, p := range x {
				for c := range l.c {
					m, v := statisticsOf([]mpstest.Picture{p}, func(k int) bool { return k/each == c/each })
					mean, variance = append(mean, m), append(variance, v)
				}
			}
			return l.expected(l.c, func(i, u, v, c int) float64 {
				value := x[i].Beyond(mps.ImageEdgeModeZero, u+l.offset[0], v+l.offset[1], c)
				return impl.normalized(value, mean[i*l.c+c], variance[i*l.c+c], c)
			})
		}
		assertBatch(t, forward(src, l), l.run(t, d, k, src), 2*l.tolerance(), what)

		w := l.whole()
		from, to := w.imagesOf(t, d, src), w.destinations(t, d, l.images, l.c)
		states := k.ResultStateBatchForSourceImage(from, nil, to)
		require.Len(t, states, l.images)
		gradients := w.pictures(rng, nil)
		want := numericGradient(gradients, src, func(x []mpstest.Picture) []mpstest.Picture { return forward(x, w) })
		got := w.runGradient(t, d, g, gradients, src, states...)
		assertBatch(t, want, got, 5*l.tolerance(), what+" gradient")
		for i, s := range states {
			dgamma, dbeta := impl.numericParameters(gradients[i:i+1], func() []mpstest.Picture {
				w := w
				w.images = 1
				return forward(src[i:i+1], w)
			})
			state := cnn.InstanceNormalizationGradientStateFrom(s.ID())
			assertBuffer(t, float64sOf(impl.gamma), state.Gamma(), 0, "gamma")
			assertBuffer(t, dgamma, state.GradientForGamma(), 1e-3, what+" gradient of gamma")
			assertBuffer(t, dbeta, state.GradientForBeta(), 1e-3, what+" gradient of beta")
		}
	}
}

func TestCNNNormalizationMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(25, 4))
	made := func(impl *normSource) cnn.BatchNormalization {
		source, err := cnn.NewBatchNormalizationDataSource(impl)
		require.NoError(t, err)
		defer source.Release()
		k, _ := cnn.NewBatchNormalizationWithDevice(d, source)
		return k
	}
	b := newBatchKernels(t, d, randomNormSource(rng, 2), mps.NNNeuronDescriptor{})
	g, err := cnn.NewGroupNormalizationGradientWithDevice(d)
	require.NoError(t, err)
	defer g.Release()
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	n := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	two := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 2, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"a source with 3 feature channels; the data source has parameters for 2", func() {
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { b.k.EncodeToCommandBufferDestinationImage(cb, m, n) })
		}},
		{"MPSCNNBatchNormalization: the data source did not load", func() {
			made(&normSource{gamma: make([]float32, 2), refuse: true})
		}},
		{"the data source has 0 feature channels", func() { made(&normSource{}) }},
		{"the state has no gradients of gamma and beta", func() {
			state := b.k.ResultStateForSourceImage(two, nil, two)
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
				b.statistics.EncodeBatchToCommandBufferBatchNormalizationState(cb, []mps.Image{two}, state)
				b.backward.EncodeToCommandBufferSourceGradientSourceImageBatchNormalizationState(cb, two, two, state)
			})
		}},
		{"MPSCNNGroupNormalizationGradient: the gradient state is nil", func() {
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
				g.BinaryKernel.EncodeToCommandBufferDestinationImage(cb, m, m, n)
			})
		}},
		{"the data source has 2 groups for 3 feature channels", func() {
			impl := randomNormSource(rng, 3)
			impl.groups = 2
			source, err := cnn.NewGroupNormalizationDataSource(impl)
			require.NoError(t, err)
			defer source.Release()
			_, _ = cnn.NewGroupNormalizationWithDevice(d, source)
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, mpstest.FaultsOf(t, test.call), test.want) })
	}
}
