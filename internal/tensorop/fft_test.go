package tensorop_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dft transforms along an axis.
func dft(x []complex128, shape []int, axis int, inverse bool) []complex128 {
	out := make([]complex128, len(x))
	n, sign := shape[axis], -2*math.Pi
	if inverse {
		sign = -sign
	}
	each(shape, func(o int, index []int) {
		at := slices.Clone(index)
		for j := range n {
			at[axis] = j
			out[o] += x[flat(at, shape)] * cmplx.Rect(1, sign*float64(j*index[axis]%n)/float64(n))
		}
	})
	return out
}

// pairs returns complex numbers as real ones, and joined does the reverse.
func pairs(x []complex128) []float64 {
	var out []float64
	for _, v := range x {
		out = append(out, real(v), imag(v))
	}
	return out
}

func joined(x []float64) []complex128 {
	var out []complex128
	for i := 0; i < len(x); i += 2 {
		out = append(out, complex(x[i], x[i+1]))
	}
	return out
}

// asComplex returns an operand of pairs of numbers as complex numbers.
func asComplex(t *testing.T, o operand) operand {
	typ := map[tensorop.Type]tensorop.Type{
		tensorop.Float32: tensorop.Complex64, tensorop.Float16: tensorop.Complex32}[o.Type]
	v, err := o.Reinterpret(typ)
	require.NoError(t, err)
	v.Shape = slices.Clone(v.Shape[:len(v.Shape)-1]) // pairs are the last dimension
	v.Strides = v.Strides[:len(v.Strides)-1]
	return o.With(v)
}

// scatteredPairs is scatteredView for pairs of numbers.
func scatteredPairs(rng *rand.Rand, typ tensorop.Type, shape []int) tensorop.View {
	v := scatteredView(rng, typ, shape...)
	v.Offset *= 2
	for d := range v.Strides {
		v.Strides[d] *= 2
	}
	v.Shape, v.Strides = append(v.Shape, 2), append(v.Strides, 1)
	return v
}

func randomFFT(rng *rand.Rand) (tensorop.FFT, []int) {
	rank := between(rng, 1, 3)
	lengths := [][]int{{1, 2, 3, 5, 7, 8, 12, 15, 16, 31, 60, 64, 97, 128},
		{1, 2, 3, 4, 6, 9, 10}, {1, 2, 3, 4, 5}}[rank-1]
	shape := many(rank, func() int { return lengths[rng.IntN(len(lengths))] })
	f := tensorop.FFT{Axes: rng.Perm(rank)[:between(rng, 1, rank)], Inverse: rng.IntN(2) == 0,
		Scaling: tensorop.FFTScaling(rng.IntN(3))}
	return f, shape
}

// transformed is the float64 transform with its scaling.
func transformed(f tensorop.FFT, x []complex128, shape []int) []complex128 {
	n := 1.0
	for _, a := range f.Axes {
		x = dft(x, shape, a, f.Inverse)
		n *= float64(shape[a])
	}
	scale := []float64{1, 1 / n, 1 / math.Sqrt(n)}[f.Scaling]
	out := make([]complex128, len(x))
	for i, v := range x {
		out[i] = v * complex(scale, 0)
	}
	return out
}

func TestFFT(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(15, 1))
	for n := range 40 {
		typ := floatTypes[n%2]
		f, shape := randomFFT(rng)
		x := normal(rng, typ, append(slices.Clone(shape), 2)...)
		want := pairs(transformed(f, joined(x), shape))
		got := d.Do(scatteredPairs(rng, typ, shape), func(b *builder, o operand, in []operand) {
			b.FFT(asComplex(t, o), asComplex(t, in[0]), f)
		}, optest.Of(typ, x, append(slices.Clone(shape), 2)...))
		near(t, typ, want, got, scaleOf(want), f, shape)
	}
}

func TestRealFFT(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(15, 2))
	for n := range 40 {
		typ := floatTypes[n%2]
		f, shape := randomFFT(rng)
		half, err := tensorop.RealFFTShape(shape, f)
		require.NoError(t, err)
		odd := shape[f.Axes[len(f.Axes)-1]]%2 == 1
		if odd || shape[f.Axes[len(f.Axes)-1]] > 1 {
			back, err := tensorop.FFTToRealShape(half, f, odd)
			require.NoError(t, err)
			require.Equal(t, shape, back)
		}
		x := normal(rng, typ, shape...)
		full := make([]complex128, len(x))
		for i, v := range x {
			full[i] = complex(v, 0)
		}
		y := transformed(f, full, shape)
		want := make([]complex128, tensorop.Elements(half))
		each(half, func(i int, index []int) { want[i] = y[flat(index, shape)] })
		got := d.Do(scatteredPairs(rng, typ, half), func(b *builder, o operand, in []operand) {
			b.RealFFT(asComplex(t, o), in[0], f)
		}, scattered(rng, typ, x, shape...))
		near(t, typ, pairs(want), got, scaleOf(pairs(want)), f, shape)

		// The way back gives the numbers again, times what the scaling leaves.
		back := f
		back.Inverse = !f.Inverse
		count := 1.0
		for _, a := range f.Axes {
			count *= float64(shape[a])
		}
		left := []float64{count, 1 / count, 1}[f.Scaling]
		stored := optest.Of(typ, pairs(want), append(slices.Clone(half), 2)...)
		result := d.Do(scatteredView(rng, typ, shape...), func(b *builder, o operand, in []operand) {
			b.FFTToReal(o, asComplex(t, in[0]), back)
		}, stored)
		for i := range x {
			x[i] *= left
		}
		near(t, typ, x, result, 4*scaleOf(x), back, shape)
	}
}

// scaleOf is the root mean square, for errors of sums.
func scaleOf(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return 2 * math.Sqrt(s/float64(len(x)))
}

func TestFFTErrors(t *testing.T) {
	_, err := tensorop.RealFFTShape([]int{4}, tensorop.FFT{Axes: []int{1}})
	assert.ErrorContains(t, err, "fft: axes [1] of shape [4]")
	_, err = tensorop.RealFFTShape([]int{4}, tensorop.FFT{})
	assert.ErrorContains(t, err, "fft: no axes of shape [4]")
	_, err = tensorop.RealFFTShape([]int{0}, tensorop.FFT{Axes: []int{0}})
	assert.ErrorContains(t, err, "fft: no elements along axis 0 of shape [0]")
	_, err = tensorop.FFTToRealShape([]int{1}, tensorop.FFT{Axes: []int{0}}, false)
	assert.ErrorContains(t, err, "fft: 1 elements along axis 0 of shape [1] give no real ones")
	b, in, out := tensorop.NewBuilder([]tensorop.View{tensorop.Dense(tensorop.Float32, 4)},
		[]tensorop.View{tensorop.Dense(tensorop.Complex64, 4)})
	b.FFT(out[0], in[0], tensorop.FFT{Axes: []int{0}})
	_, err = b.Plan()
	assert.ErrorContains(t, err, "fft: float32 to complex64; both must be complex")
}

// BenchmarkFFT is 256 transforms of 1024 numbers.
func BenchmarkFFT(b *testing.B) {
	d := optest.Open(b)
	v := tensorop.Dense(tensorop.Complex64, 256, 1024)
	pb, in, out := tensorop.NewBuilder([]tensorop.View{v}, []tensorop.View{v})
	pb.FFT(out[0], in[0], tensorop.FFT{Axes: []int{1}})
	p, err := pb.Plan()
	require.NoError(b, err)
	for b.Loop() {
		d.Run(p, make([]byte, v.Elements()*8), make([]byte, v.Elements()*8))
	}
}
