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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// neuronFunction is a type of neuron. Some are defined for positive a*x + b, which it is for
// positive parameters and x.
type neuronFunction struct {
	f        func(x, a, b, c float64) float64
	positive bool
}

// imageNeurons are the functions of all types of neurons but PReLU.
func imageNeurons() map[mps.CNNNeuronType]neuronFunction {
	return map[mps.CNNNeuronType]neuronFunction{
		mps.CNNNeuronTypeNone:        {f: func(x, _, _, _ float64) float64 { return x }},
		mps.CNNNeuronTypeReLU:        {f: leaky},
		mps.CNNNeuronTypeLinear:      {f: func(x, a, b, _ float64) float64 { return a*x + b }},
		mps.CNNNeuronTypeSigmoid:     {f: func(x, _, _, _ float64) float64 { return 1 / (1 + math.Exp(-x)) }},
		mps.CNNNeuronTypeHardSigmoid: {f: func(x, a, b, _ float64) float64 { return min(max(a*x+b, 0), 1) }},
		mps.CNNNeuronTypeTanH:        {f: func(x, a, b, _ float64) float64 { return a * math.Tanh(b*x) }},
		mps.CNNNeuronTypeAbsolute:    {f: func(x, _, _, _ float64) float64 { return math.Abs(x) }},
		mps.CNNNeuronTypeSoftPlus:    {f: func(x, a, b, _ float64) float64 { return a * math.Log1p(math.Exp(b*x)) }},
		mps.CNNNeuronTypeSoftSign:    {f: func(x, _, _, _ float64) float64 { return x / (1 + math.Abs(x)) }},
		mps.CNNNeuronTypeELU: {f: func(x, a, _, _ float64) float64 {
			if x >= 0 {
				return x
			}
			return a * math.Expm1(x)
		}},
		mps.CNNNeuronTypeReLUN: {f: func(x, a, b, c float64) float64 { return min(leaky(x, a, b, c), b) }},
		mps.CNNNeuronTypePower: {f: func(x, a, b, c float64) float64 { return math.Pow(a*x+b, c) }, positive: true},
		mps.CNNNeuronTypeExponential: {f: func(x, a, b, c float64) float64 {
			if c == -1 {
				return math.Exp(a*x + b)
			}
			return math.Pow(c, a*x+b)
		}},
		mps.CNNNeuronTypeLogarithm: {f: func(x, a, b, c float64) float64 {
			if c == -1 {
				return math.Log(a*x + b)
			}
			return math.Log(a*x+b) / math.Log(c)
		}, positive: true},
		mps.CNNNeuronTypeGeLU: {f: func(x, _, _, _ float64) float64 { return 0.5 * x * (1 + math.Erf(x*math.Sqrt(0.5))) }},
	}
}

func leaky(x, a, _, _ float64) float64 {
	if x >= 0 {
		return x
	}
	return a * x
}

// quarters returns a random number of so many quarters, which all formats have.
func quarters(rng *rand.Rand, low, high int) float64 { return float64(low+rng.IntN(high-low+1)) / 4 }

func TestCNNNeuron(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(21, 1))
	functions := imageNeurons()
	for kind := mps.CNNNeuronTypeNone; kind < mps.CNNNeuronTypeCount; kind++ {
		n, ok := functions[kind]
		if !ok {
			require.Equal(t, mps.CNNNeuronTypePReLU, kind)
			continue
		}
		for round := range 2 {
			l := randomLayer(rng)
			a, b, c := quarters(rng, 1, 6), quarters(rng, 1, 6), quarters(rng, 5, 12)
			if round == 1 && kind != mps.CNNNeuronTypePower {
				c = -1
			}
			f := func(x float64) float64 { return n.f(x, a, b, c) }
			desc, err := mps.CnnNeuronDescriptorWithTypeABC(kind, float32(a), float32(b), float32(c))
			require.NoError(t, err)
			k, err := cnn.NewNeuronWithDevice(d, desc)
			require.NoError(t, err)
			t.Cleanup(k.Release)
			assert.Equal(t, kind, k.NeuronType())
			assert.Equal(t, []float32{float32(a), float32(b), float32(c)}, []float32{k.A(), k.B(), k.C()})
			value := rng.NormFloat64
			if n.positive {
				value = func() float64 { return 0.1 + rng.Float64() }
			}
			src := l.pictures(rng, value)
			want := l.expected(l.c, func(i, x, y, c int) float64 {
				return f(src[i].Beyond(mps.ImageEdgeModeZero, x+l.offset[0], y+l.offset[1], c))
			})
			assertBatch(t, want, l.run(t, d, k.Kernel, src), l.tolerance(), kind.String())

			backward, err := cnn.NewNeuronGradientWithDevice(d, desc)
			require.NoError(t, err)
			t.Cleanup(backward.Release)
			assert.Equal(t, kind, backward.NeuronType())
			w := l.whole()
			g := w.pictures(rng, nil)
			want = w.expected(w.c, func(i, x, y, c int) float64 {
				const step = 1e-6
				v := *src[i].At(x, y, c)
				return *g[i].At(x, y, c) * (f(v+step) - f(v-step)) / (2 * step)
			})
			assertBatch(t, want, w.runGradient(t, d, backward.GradientKernel, g, src), 2*l.tolerance(),
				kind.String()+" gradient")
		}
	}
}

// TestCNNPReLU: a slope for each feature channel.
func TestCNNPReLU(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(21, 2))
	for range 3 {
		l := randomLayer(rng)
		slopes, data := make([]float32, l.c), []byte(nil)
		for i := range slopes {
			slopes[i] = float32(rng.NormFloat64())
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(slopes[i]))
		}
		src := l.pictures(rng, nil)
		want := l.expected(l.c, func(i, x, y, c int) float64 {
			return leaky(src[i].Beyond(mps.ImageEdgeModeZero, x+l.offset[0], y+l.offset[1], c), float64(slopes[c]), 0, 0)
		})
		old, err := cnn.NewNeuronPReLUWithDeviceA(d, slopes)
		require.NoError(t, err)
		t.Cleanup(old.Release)
		assertBatch(t, want, l.run(t, d, old.Kernel, src), l.tolerance(), "PReLU of an array")
		assert.Equal(t, data, old.Data())
		desc, err := mps.CnnNeuronDescriptorWithType(mps.CNNNeuronTypePReLU)
		require.NoError(t, err)
		desc.SetData(data)
		k, err := cnn.NewNeuronWithDevice(d, desc)
		require.NoError(t, err)
		t.Cleanup(k.Release)
		assertBatch(t, want, l.run(t, d, k.Kernel, src), l.tolerance(), "PReLU of a descriptor")

		backward, err := cnn.NewNeuronGradientWithDevice(d, desc)
		require.NoError(t, err)
		t.Cleanup(backward.Release)
		w := l.whole()
		g := w.pictures(rng, nil)
		want = w.expected(w.c, func(i, x, y, c int) float64 {
			slope := 1.0
			if *src[i].At(x, y, c) < 0 {
				slope = float64(slopes[c])
			}
			return slope * *g[i].At(x, y, c)
		})
		assertBatch(t, want, w.runGradient(t, d, backward.GradientKernel, g, src), w.tolerance(), "PReLU gradient")
	}
}

// TestCNNOldNeurons: the classes for each type, with their own init methods.
func TestCNNOldNeurons(t *testing.T) {
	d := mpstest.ImageFramework(t)
	const a, b, c = 0.5, 0.75, 2
	k := func(n cnn.Neuron, err error) cnn.Neuron {
		t.Helper()
		require.NoError(t, err)
		t.Cleanup(n.Release)
		return n
	}
	of := map[mps.CNNNeuronType]cnn.Neuron{}
	relu, err := cnn.NewNeuronReLUWithDevice(d, a)
	of[mps.CNNNeuronTypeReLU] = k(relu, err)
	linear, err := cnn.NewNeuronLinearWithDeviceA(d, a, b)
	of[mps.CNNNeuronTypeLinear] = k(linear, err)
	sigmoid, err := cnn.NewNeuronSigmoidWithDevice(d)
	of[mps.CNNNeuronTypeSigmoid] = k(sigmoid, err)
	hard, err := cnn.NewNeuronHardSigmoidWithDeviceA(d, a, b)
	of[mps.CNNNeuronTypeHardSigmoid] = k(hard, err)
	tanh, err := cnn.NewNeuronTanHWithDeviceA(d, a, b)
	of[mps.CNNNeuronTypeTanH] = k(tanh, err)
	absolute, err := cnn.NewNeuronAbsoluteWithDevice(d)
	of[mps.CNNNeuronTypeAbsolute] = k(absolute, err)
	plus, err := cnn.NewNeuronSoftPlusWithDeviceA(d, a, b)
	of[mps.CNNNeuronTypeSoftPlus] = k(plus, err)
	sign, err := cnn.NewNeuronSoftSignWithDevice(d)
	of[mps.CNNNeuronTypeSoftSign] = k(sign, err)
	elu, err := cnn.NewNeuronELUWithDevice(d, a)
	of[mps.CNNNeuronTypeELU] = k(elu, err)
	relun, err := cnn.NewNeuronReLUNWithDeviceA(d, a, b)
	of[mps.CNNNeuronTypeReLUN] = k(relun, err)
	power, err := cnn.NewNeuronPowerWithDeviceA(d, a, b, c)
	of[mps.CNNNeuronTypePower] = k(power, err)
	exponential, err := cnn.NewNeuronExponentialWithDeviceA(d, a, b, c)
	of[mps.CNNNeuronTypeExponential] = k(exponential, err)
	logarithm, err := cnn.NewNeuronLogarithmWithDeviceA(d, a, b, c)
	of[mps.CNNNeuronTypeLogarithm] = k(logarithm, err)

	rng := rand.New(rand.NewPCG(21, 3))
	l := layerCase{format: mps.ImageFeatureChannelFormatFloat32, images: 1, w: 4, h: 2, c: 3}.whole()
	src := l.pictures(rng, func() float64 { return rng.Float64() - 0.5 })
	functions := imageNeurons()
	for kind, n := range of {
		require.Equal(t, kind, n.NeuronType())
		want := l.expected(l.c, func(i, x, y, ch int) float64 { return functions[kind].f(*src[i].At(x, y, ch), a, b, c) })
		assertBatch(t, want, l.run(t, d, n.Kernel, src), l.tolerance(), kind.String())
	}
}

func TestCNNNeuronMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	made := func(kind mps.CNNNeuronType) func() {
		return func() {
			desc, err := mps.CnnNeuronDescriptorWithType(kind)
			require.NoError(t, err)
			_, _ = cnn.NewNeuronWithDevice(d, desc)
		}
	}
	short, err := cnn.NewNeuronPReLUWithDeviceA(d, []float32{1, 2})
	require.NoError(t, err)
	defer short.Release()
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	n := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSCNNNeuron: a neuron of type 16; the types are 0 to 15", made(mps.CNNNeuronTypeCount)},
		{"MPSCNNNeuron: a PReLU neuron needs data", made(mps.CNNNeuronTypePReLU)},
		{"a PReLU neuron with 2 slopes for 3 feature channels", func() {
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { short.EncodeToCommandBufferDestinationImage(cb, m, n) })
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, mpstest.FaultsOf(t, test.call), test.want) })
	}
}
