package mps

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

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
func imageNeurons() map[CNNNeuronType]neuronFunction {
	return map[CNNNeuronType]neuronFunction{
		CNNNeuronTypeNone:        {f: func(x, _, _, _ float64) float64 { return x }},
		CNNNeuronTypeReLU:        {f: leaky},
		CNNNeuronTypeLinear:      {f: func(x, a, b, _ float64) float64 { return a*x + b }},
		CNNNeuronTypeSigmoid:     {f: func(x, _, _, _ float64) float64 { return 1 / (1 + math.Exp(-x)) }},
		CNNNeuronTypeHardSigmoid: {f: func(x, a, b, _ float64) float64 { return min(max(a*x+b, 0), 1) }},
		CNNNeuronTypeTanH:        {f: func(x, a, b, _ float64) float64 { return a * math.Tanh(b*x) }},
		CNNNeuronTypeAbsolute:    {f: func(x, _, _, _ float64) float64 { return math.Abs(x) }},
		CNNNeuronTypeSoftPlus:    {f: func(x, a, b, _ float64) float64 { return a * math.Log1p(math.Exp(b*x)) }},
		CNNNeuronTypeSoftSign:    {f: func(x, _, _, _ float64) float64 { return x / (1 + math.Abs(x)) }},
		CNNNeuronTypeELU: {f: func(x, a, _, _ float64) float64 {
			if x >= 0 {
				return x
			}
			return a * math.Expm1(x)
		}},
		CNNNeuronTypeReLUN: {f: func(x, a, b, c float64) float64 { return min(leaky(x, a, b, c), b) }},
		CNNNeuronTypePower: {f: func(x, a, b, c float64) float64 { return math.Pow(a*x+b, c) }, positive: true},
		CNNNeuronTypeExponential: {f: func(x, a, b, c float64) float64 {
			if c == -1 {
				return math.Exp(a*x + b)
			}
			return math.Pow(c, a*x+b)
		}},
		CNNNeuronTypeLogarithm: {f: func(x, a, b, c float64) float64 {
			if c == -1 {
				return math.Log(a*x + b)
			}
			return math.Log(a*x+b) / math.Log(c)
		}, positive: true},
		CNNNeuronTypeGeLU: {f: func(x, _, _, _ float64) float64 { return 0.5 * x * (1 + math.Erf(x*math.Sqrt(0.5))) }},
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
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(21, 1))
	functions := imageNeurons()
	for kind := CNNNeuronTypeNone; kind < CNNNeuronTypeCount; kind++ {
		n, ok := functions[kind]
		if !ok {
			require.Equal(t, CNNNeuronTypePReLU, kind)
			continue
		}
		for round := range 2 {
			l := randomLayer(rng)
			a, b, c := quarters(rng, 1, 6), quarters(rng, 1, 6), quarters(rng, 5, 12)
			if round == 1 && kind != CNNNeuronTypePower {
				c = -1
			}
			f := func(x float64) float64 { return n.f(x, a, b, c) }
			desc, err := CnnNeuronDescriptorWithTypeABC(kind, float32(a), float32(b), float32(c))
			require.NoError(t, err)
			k, err := NewCNNNeuronWithDevice(d, desc)
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
				return f(src[i].beyond(ImageEdgeModeZero, x+l.offset[0], y+l.offset[1], c))
			})
			assertBatch(t, want, l.run(t, d, k.CNNKernel, src), l.tolerance(), kind.String())

			backward, err := NewCNNNeuronGradientWithDevice(d, desc)
			require.NoError(t, err)
			t.Cleanup(backward.Release)
			assert.Equal(t, kind, backward.NeuronType())
			w := l.whole()
			g := w.pictures(rng, nil)
			want = w.expected(w.c, func(i, x, y, c int) float64 {
				const step = 1e-6
				v := *src[i].at(x, y, c)
				return *g[i].at(x, y, c) * (f(v+step) - f(v-step)) / (2 * step)
			})
			assertBatch(t, want, w.runGradient(t, d, backward.CNNGradientKernel, g, src), 2*l.tolerance(),
				kind.String()+" gradient")
		}
	}
}

// TestCNNPReLU: a slope for each feature channel.
func TestCNNPReLU(t *testing.T) {
	d := imageFramework(t)
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
			return leaky(src[i].beyond(ImageEdgeModeZero, x+l.offset[0], y+l.offset[1], c), float64(slopes[c]), 0, 0)
		})
		old, err := NewCNNNeuronPReLUWithDeviceA(d, slopes)
		require.NoError(t, err)
		t.Cleanup(old.Release)
		assertBatch(t, want, l.run(t, d, old.CNNKernel, src), l.tolerance(), "PReLU of an array")
		assert.Equal(t, data, old.Data())
		desc, err := CnnNeuronDescriptorWithType(CNNNeuronTypePReLU)
		require.NoError(t, err)
		desc.SetData(data)
		k, err := NewCNNNeuronWithDevice(d, desc)
		require.NoError(t, err)
		t.Cleanup(k.Release)
		assertBatch(t, want, l.run(t, d, k.CNNKernel, src), l.tolerance(), "PReLU of a descriptor")

		backward, err := NewCNNNeuronGradientWithDevice(d, desc)
		require.NoError(t, err)
		t.Cleanup(backward.Release)
		w := l.whole()
		g := w.pictures(rng, nil)
		want = w.expected(w.c, func(i, x, y, c int) float64 {
			slope := 1.0
			if *src[i].at(x, y, c) < 0 {
				slope = float64(slopes[c])
			}
			return slope * *g[i].at(x, y, c)
		})
		assertBatch(t, want, w.runGradient(t, d, backward.CNNGradientKernel, g, src), w.tolerance(), "PReLU gradient")
	}
}

// TestCNNOldNeurons: the classes for each type, with their own init methods.
func TestCNNOldNeurons(t *testing.T) {
	d := imageFramework(t)
	const a, b, c = 0.5, 0.75, 2
	k := func(n CNNNeuron, err error) CNNNeuron {
		t.Helper()
		require.NoError(t, err)
		t.Cleanup(n.Release)
		return n
	}
	of := map[CNNNeuronType]CNNNeuron{}
	relu, err := NewCNNNeuronReLUWithDevice(d, a)
	of[CNNNeuronTypeReLU] = k(relu.CNNNeuron, err)
	linear, err := NewCNNNeuronLinearWithDeviceA(d, a, b)
	of[CNNNeuronTypeLinear] = k(linear.CNNNeuron, err)
	sigmoid, err := NewCNNNeuronSigmoidWithDevice(d)
	of[CNNNeuronTypeSigmoid] = k(sigmoid.CNNNeuron, err)
	hard, err := NewCNNNeuronHardSigmoidWithDeviceA(d, a, b)
	of[CNNNeuronTypeHardSigmoid] = k(hard.CNNNeuron, err)
	tanh, err := NewCNNNeuronTanHWithDeviceA(d, a, b)
	of[CNNNeuronTypeTanH] = k(tanh.CNNNeuron, err)
	absolute, err := NewCNNNeuronAbsoluteWithDevice(d)
	of[CNNNeuronTypeAbsolute] = k(absolute.CNNNeuron, err)
	plus, err := NewCNNNeuronSoftPlusWithDeviceA(d, a, b)
	of[CNNNeuronTypeSoftPlus] = k(plus.CNNNeuron, err)
	sign, err := NewCNNNeuronSoftSignWithDevice(d)
	of[CNNNeuronTypeSoftSign] = k(sign.CNNNeuron, err)
	elu, err := NewCNNNeuronELUWithDevice(d, a)
	of[CNNNeuronTypeELU] = k(elu.CNNNeuron, err)
	relun, err := NewCNNNeuronReLUNWithDeviceA(d, a, b)
	of[CNNNeuronTypeReLUN] = k(relun.CNNNeuron, err)
	power, err := NewCNNNeuronPowerWithDeviceA(d, a, b, c)
	of[CNNNeuronTypePower] = k(power.CNNNeuron, err)
	exponential, err := NewCNNNeuronExponentialWithDeviceA(d, a, b, c)
	of[CNNNeuronTypeExponential] = k(exponential.CNNNeuron, err)
	logarithm, err := NewCNNNeuronLogarithmWithDeviceA(d, a, b, c)
	of[CNNNeuronTypeLogarithm] = k(logarithm.CNNNeuron, err)

	rng := rand.New(rand.NewPCG(21, 3))
	l := layerCase{format: ImageFeatureChannelFormatFloat32, images: 1, w: 4, h: 2, c: 3}.whole()
	src := l.pictures(rng, func() float64 { return rng.Float64() - 0.5 })
	functions := imageNeurons()
	for kind, n := range of {
		require.Equal(t, kind, n.NeuronType())
		want := l.expected(l.c, func(i, x, y, ch int) float64 { return functions[kind].f(*src[i].at(x, y, ch), a, b, c) })
		assertBatch(t, want, l.run(t, d, n.CNNKernel, src), l.tolerance(), kind.String())
	}
}

func TestCNNNeuronMisuse(t *testing.T) {
	d := imageFramework(t)
	made := func(kind CNNNeuronType) func() {
		return func() {
			desc, err := CnnNeuronDescriptorWithType(kind)
			require.NoError(t, err)
			_, _ = NewCNNNeuronWithDevice(d, desc)
		}
	}
	short, err := NewCNNNeuronPReLUWithDeviceA(d, []float32{1, 2})
	require.NoError(t, err)
	defer short.Release()
	m := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	n := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSCNNNeuron: a neuron of type 16; the types are 0 to 15", made(CNNNeuronTypeCount)},
		{"MPSCNNNeuron: a PReLU neuron needs data", made(CNNNeuronTypePReLU)},
		{"a PReLU neuron with 2 slopes for 3 feature channels", func() {
			encoded(t, d, func(cb mtl.CommandBuffer) { short.EncodeToCommandBufferDestinationImage(cb, m, n) })
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, faultsOf(t, test.call), test.want) })
	}
}
