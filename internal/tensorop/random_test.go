package tensorop_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// philox is the generator in Go, with the multiplications of math/bits.
func philox(c [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		high0, low0 := bits.Mul32(c[0], 0xD2511F53)
		high1, low1 := bits.Mul32(c[2], 0xCD9E8D57)
		c = [4]uint32{high1 ^ c[1] ^ key[0], low1, high0 ^ c[3] ^ key[1], low0}
		key[0] += 0x9E3779B9
		key[1] += 0xBB67AE85
	}
	return c
}

// words returns so many words of the generator from a state.
func words(state [tensorop.RandomState]uint32, n int) []uint32 {
	var out []uint32
	c := [4]uint32(state[:4])
	for len(out) < n {
		x := philox(c, [2]uint32(state[4:6]))
		out = append(out, x[:]...)
		for i := range c {
			if c[i]++; c[i] != 0 {
				break
			}
		}
	}
	return out[:n]
}

func stateTensor(state [tensorop.RandomState]uint32) optest.Tensor {
	v := make([]float64, len(state))
	for i, x := range state {
		v[i] = float64(x)
	}
	return optest.Of(tensorop.Uint32, v, len(v))
}

func generate(d *optest.Device, out tensorop.View, state [tensorop.RandomState]uint32, r tensorop.Random) []float64 {
	return d.Do(out, func(b *builder, o operand, in []operand) { b.Random(o, in[0], r) }, stateTensor(state))
}

// TestPhilox: the known answers of the library Random123 for philox4x32 with 10 rounds.
func TestPhilox(t *testing.T) {
	d := optest.Open(t)
	for _, c := range []struct {
		state [tensorop.RandomState]uint32
		want  [4]uint32
	}{
		{[7]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[7]uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32, math.MaxUint32, math.MaxUint32, math.MaxUint32},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[7]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		got := generate(d, tensorop.Dense(tensorop.Uint32, 4), c.state, tensorop.Random{})
		for i, w := range c.want {
			assert.EqualValues(t, w, got[i])
		}
	}
}

// TestRandomState: the counter carries, and after NextState the same numbers go on.
func TestRandomState(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(25, 1))
	state := [tensorop.RandomState]uint32{math.MaxUint32 - 1, math.MaxUint32, math.MaxUint32, 7, 1, 2, 3}
	want := words(state, 30)
	for i, x := range generate(d, scatteredView(rng, tensorop.Uint32, 5, 2, 3), state, tensorop.Random{}) {
		assert.EqualValues(t, want[i], x)
	}
	got := d.Do(tensorop.Dense(tensorop.Uint32, 22), func(b *builder, o operand, in []operand) {
		next := b.Temp(tensorop.Int32, tensorop.RandomState)
		b.NextState(next, in[0], 5)
		b.Random(o, next, tensorop.Random{})
	}, stateTensor(state))
	for i, x := range got {
		assert.EqualValues(t, want[8+i], x)
	}
	next := d.Do(tensorop.Dense(tensorop.Uint32, 7), func(b *builder, o operand, in []operand) {
		b.NextState(o, in[0], 8)
	}, stateTensor(state))
	assert.Equal(t, []float64{0, 0, 0, 8, 1, 2, 3}, next)
	assert.Equal(t, [7]uint32{4: 0x89abcdef, 5: 0x01234567}, tensorop.State(0x0123456789abcdef))
}

func TestUniform(t *testing.T) {
	d := optest.Open(t)
	const n = 4000
	state := tensorop.State(99)
	w := words(state, n)
	for _, typ := range floatTypes {
		for _, r := range []tensorop.Random{{Low: 0, High: 1}, {Low: -3, High: 5}, {Low: 1, High: 2}, {Low: -2,
			High: -1},
			{Low: -1, High: 0}} {
			r.Kind = tensorop.RandomUniform
			got := generate(d, tensorop.Dense(typ, n), state, r)
			sum := 0.0
			for i, x := range got {
				require.True(t, x >= r.Low && x < r.High, "%v from %g to %g: %g", typ, r.Low, r.High, x)
				exact := optest.Round(typ, r.Low+float64(w[i]>>8)*0x1p-24*(r.High-r.Low))
				if exact < r.High {
					require.InDelta(t, exact, x, 1e-6, "%v", typ)
				}
				sum += x
			}
			assert.InDelta(t, (r.Low+r.High)/2, sum/n, 0.03*(r.High-r.Low))
		}
	}
	for _, c := range []struct {
		typ       tensorop.Type
		low, high float64
	}{
		{tensorop.Int8, -128, 128}, {tensorop.Uint8, 3, 9}, {tensorop.Int32, math.MinInt32, math.MaxInt32 + 1},
		{tensorop.Uint16, 0, 65536}, {tensorop.Int64, -1 << 40, 5 - 1<<40}, {tensorop.Uint64, 1 << 63, 1<<63 + 1<<20},
		{tensorop.Int16, -3, 3}, {tensorop.Uint32, 0, 1 << 32},
	} {
		got := generate(d, tensorop.Dense(c.typ, n), state,
			tensorop.Random{Kind: tensorop.RandomUniform, Low: c.low, High: c.high})
		for i, x := range got {
			high, _ := bits.Mul64(uint64(w[i])<<32, uint64(c.high-c.low))
			require.Equal(t, c.low+float64(high), x, "%v from %g", c.typ, c.low)
		}
	}
}

func TestNormal(t *testing.T) {
	d := optest.Open(t)
	const n = 4001
	state := tensorop.State(5)
	w := words(state, n+3)
	for _, typ := range floatTypes {
		got := generate(d, tensorop.Dense(typ, n), state,
			tensorop.Random{Kind: tensorop.RandomNormal, Mean: 2, Deviation: 3})
		want := make([]float64, n)
		sum, squares := 0.0, 0.0
		for i := range want {
			radius := math.Sqrt(-2 * math.Log((float64(w[i&^1])+0.5)*0x1p-32))
			sin, cos := math.Sincos(2 * math.Pi * float64(w[i|1]>>8) * 0x1p-24)
			want[i] = 2 + 3*radius*[]float64{cos, sin}[i%2]
			sum += got[i]
			squares += got[i] * got[i]
		}
		near(t, typ, want, got, 4)
		assert.InDelta(t, 2, sum/n, 0.15)
		assert.InDelta(t, 3, math.Sqrt(squares/n-sum/n*sum/n), 0.12)
	}
}

// TestTruncatedNormal compares with the distribution: the numbers' places in it are those of the
// words among all words.
func TestTruncatedNormal(t *testing.T) {
	d := optest.Open(t)
	const n = 2000
	state := tensorop.State(6)
	w := words(state, n)
	for _, c := range [][4]float64{{0, 1, -2, 2}, {1, 2, -3, 2}, {0, 1, 3, 4}, {0, 1, -1, 9}, {5, 0.5, 4, 4.5}} {
		r := tensorop.Random{Kind: tensorop.RandomTruncatedNormal, Mean: c[0], Deviation: c[1], Low: c[2], High: c[3]}
		cdf := func(x float64) float64 { return math.Erfc(-(x-r.Mean)/r.Deviation/math.Sqrt2) / 2 }
		for i, x := range generate(d, tensorop.Dense(tensorop.Float32, n), state, r) {
			require.True(t, x >= r.Low && x <= r.High)
			place := (cdf(x) - cdf(r.Low)) / (cdf(r.High) - cdf(r.Low))
			word := float64(w[i]) * 0x1p-32
			if r.Low > r.Mean {
				word = 1 - word
			}
			require.InDelta(t, word, place, 1e-5, "%v: %g", c, x)
		}
	}
}

func TestRandomErrors(t *testing.T) {
	for _, c := range []struct {
		typ   tensorop.Type
		state int
		r     tensorop.Random
		want  string
	}{
		{tensorop.Float32, 7, tensorop.Random{}, "random: bits are uint32 or int32 and not float32"},
		{tensorop.Bool, 7, tensorop.Random{Kind: tensorop.RandomUniform, High: 1},
			"random: takes numbers and not bool"},
		{tensorop.Int32, 7, tensorop.Random{Kind: tensorop.RandomNormal}, "random: a normal distribution"},
		{tensorop.Float32, 7, tensorop.Random{Kind: tensorop.RandomUniform},
			"numbers from 0 to 0; the first must be less"},
		{tensorop.Int8, 7, tensorop.Random{Kind: tensorop.RandomUniform, High: 300}, "int8 from 0 to 300"},
		{tensorop.Float32, 7, tensorop.Random{Kind: tensorop.RandomUniform, High: 1e39}, "must be finite in float32"},
		{tensorop.Float32, 7, tensorop.Random{Kind: 9}, "random: there is no distribution 9"},
		{tensorop.Uint32, 6, tensorop.Random{}, "must be [7]"},
		{tensorop.Float32, 7, tensorop.Random{Kind: tensorop.RandomNormal, Deviation: -1}, "mean 0 and deviation -1"},
	} {
		b, in, out := tensorop.NewBuilder([]tensorop.View{tensorop.Dense(tensorop.Int32, c.state)},
			[]tensorop.View{tensorop.Dense(c.typ, 4)})
		b.Random(out[0], in[0], c.r)
		_, err := b.Plan()
		assert.ErrorContains(t, err, c.want)
	}
}
