package tensor_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// normals returns numbers with a normal distribution.
func normals(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(float32(rng.NormFloat64()))
	}
	return v
}

// dft is the discrete Fourier transform of a shape along axes, by its definition.
func dft(x []complex128, shape, axes []int, inverse bool) []complex128 {
	turn := -2 * math.Pi
	if inverse {
		turn = -turn
	}
	for _, axis := range axes {
		n, inner := shape[axis], 1
		for _, d := range shape[axis+1:] {
			inner *= d
		}
		y := make([]complex128, len(x))
		for i := range y {
			k, base := i/inner%n, i-i/inner%n*inner
			for j := range n {
				y[i] += x[base+j*inner] * cmplx.Rect(1, turn*float64(j*k%n)/float64(n))
			}
			if inverse {
				y[i] /= complex(float64(n), 0)
			}
		}
		x = y
	}
	return x
}

// TestFFT compares transforms with their definition, along one and several axes, forward and back,
// of complex and real numbers, of dense tensors and of views.
func TestFFT(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	rng := rand.New(rand.NewPCG(15, 5))
	for _, c := range []struct{ shape, axes []int }{
		{[]int{8}, nil}, {[]int{1}, []int{0}}, {[]int{3, 15}, []int{1}}, {[]int{4, 7, 3}, []int{0}},
		{[]int{6, 10}, []int{0, 1}}, {[]int{2, 5, 4}, []int{-1, 0}},
	} {
		n := 1
		for _, d := range c.shape {
			n *= d
		}
		data := normals(rng, 2*n)
		want := make([]complex128, n)
		for i := range want {
			want[i] = complex(data[2*i], data[2*i+1])
		}
		axes := slices.Clone(c.axes)
		if axes == nil {
			axes = []int{-1}
		}
		for i, a := range axes {
			axes[i] = (a + len(c.shape)) % len(c.shape)
		}
		slices.Sort(axes)
		pairs := append(slices.Clone(c.shape), 2)
		x := tensor.FromFloat64(s, tensor.Float32, data, pairs...)
		// The same numbers with gaps between the parts, so that they are no complex numbers in
		// memory.
		wide := s.Stack(-1, x, x).Index(-1, 1)
		for _, x := range []*tensor.Tensor{x, wide} {
			y := s.FFT(x, c.axes...)
			require.Equal(t, pairs, y.Shape())
			checkPairs(t, dft(want, c.shape, axes, false), values(t, y), fmt.Sprint("fft of ", c))
			checkPairs(t, dft(want, c.shape, axes, true), values(t, s.IFFT(x, c.axes...)), fmt.Sprint("ifft of ", c))
			checkPairs(t, want, values(t, s.IFFT(y, c.axes...)), fmt.Sprint("there and back of ", c))
		}
		// In reverse order, with negative strides, they still are.
		back := s.Copy(x.Flip(0)).Flip(0)
		checkPairs(t, dft(want, c.shape, axes, false), values(t, s.FFT(back, c.axes...)), fmt.Sprint("flipped ", c))

		signal := x.Index(-1, 0) // every second element
		for i := range want {
			want[i] = complex(data[2*i], 0)
		}
		y := s.RFFT(signal, c.axes...)
		last := axes[len(axes)-1]
		half := slices.Clone(c.shape)
		half[last] = half[last]/2 + 1
		require.Equal(t, append(slices.Clone(half), 2), y.Shape())
		checkPairs(t, dft(want, c.shape, axes, false), values(t, s.Pad(y, make([]int, len(half)+1),
			missing(c.shape, half), tensor.PadConstant, 0)), fmt.Sprint("rfft of ", c), half[last], c.shape[last],
			inner(c.shape, last))
		again := s.IRFFT(y, c.shape[last]%2 == 1, c.axes...)
		require.NoError(t, s.Err())
		require.Equal(t, c.shape, again.Shape())
		got := values(t, again)
		for i, w := range want {
			require.InDelta(t, real(w), got[i], 1e-5, "irfft of %v, element %d", c, i)
		}
	}
	half := s.FFT(tensor.FromFloat64(s, tensor.Float16, []float64{1, 0, 2, 0, 3, 0, 4, 0}, 4, 2))
	assert.Equal(t, tensor.Float16, half.Type())
	assert.InDeltaSlice(t, []float64{10, 0, -2, 2, -2, 0, -2, -2}, values(t, half), 1e-2)
	require.NoError(t, s.Err())
}

// missing are the numbers of elements that a shape lacks to another one, and none of the pairs.
func missing(full, part []int) []int {
	n := make([]int, len(full)+1)
	for i := range full {
		n[i] = full[i] - part[i]
	}
	return n
}

func inner(shape []int, axis int) int {
	n := 1
	for _, d := range shape[axis+1:] {
		n *= d
	}
	return n
}

// checkPairs compares complex numbers with pairs. With half, n and inner, it skips the elements of
// an axis from half on, of n that are inner apart.
func checkPairs(t *testing.T, want []complex128, got []float64, what string, half ...int) {
	t.Helper()
	require.Len(t, got, 2*len(want), what)
	for i, w := range want {
		if len(half) > 0 && i/half[2]%half[1] >= half[0] {
			continue
		}
		bound := 1e-5 * (1 + cmplx.Abs(w))
		require.InDelta(t, real(w), got[2*i], bound, "%s, real part %d", what, i)
		require.InDelta(t, imag(w), got[2*i+1], bound, "%s, imaginary part %d", what, i)
	}
}

func TestSignalsWrong(t *testing.T) {
	e, s := open(t)
	x, ints := s.Full(tensor.Float32, 1, 4, 3), s.Full(tensor.Int32, 1, 4, 2)
	w := s.Full(tensor.Float32, 1, 8, 2)
	for want, c := range map[string]struct {
		do   func(*tensor.Scope) *tensor.Tensor
		kind error
	}{
		"fft of float32[4 3]": {func(s *tensor.Scope) *tensor.Tensor { return s.FFT(x) }, tensor.ErrShape},
		"shape [4 3]; complex numbers need a last dimension of 2": {
			func(s *tensor.Scope) *tensor.Tensor { return s.IRFFT(x, false) }, tensor.ErrShape},
		"takes float32 and float16": {func(s *tensor.Scope) *tensor.Tensor { return s.FFT(ints) }, tensor.ErrType},
		"dimension 1; there are 1": {func(s *tensor.Scope) *tensor.Tensor { return s.IFFT(x.Slice(1, 0, 2), 1) },
			tensor.ErrShape},
		"no elements along axis 1": {func(s *tensor.Scope) *tensor.Tensor { return s.RFFT(x.Slice(1, 0, 0)) },
			tensor.ErrShape},
		"takes tensors and no scalars": {
			func(s *tensor.Scope) *tensor.Tensor { return s.RFFT(tensor.Scalar(1)) }, tensor.ErrType},
		"1 elements along axis 0 of shape [1] give no real ones": {
			func(s *tensor.Scope) *tensor.Tensor { return s.IRFFT(x.Slice(0, 0, 1).Slice(1, 0, 2), false) },
			tensor.ErrShape},
		"size 0 along axes [0]": {
			func(s *tensor.Scope) *tensor.Tensor { return s.LocalResponseNorm(x, 0, 1, 1, 1, 0) }, tensor.ErrShape},
		"axes []; want": {
			func(s *tensor.Scope) *tensor.Tensor { return s.LocalResponseNorm(x, 1, 1, 1, 1) }, tensor.ErrShape},
		"has more than 1048576 elements": {
			func(s *tensor.Scope) *tensor.Tensor { return s.LocalResponseNorm(x, 1<<40, 1, 1, 1, 0, 1) },
			tensor.ErrShape},
		"float32 to int64; takes": {
			func(s *tensor.Scope) *tensor.Tensor { return s.Quantize(x, tensor.Scalar(1), nil, tensor.Int64) },
			tensor.ErrType},
		"int32 to int8; takes": {
			func(s *tensor.Scope) *tensor.Tensor { return s.Dequantize(ints, tensor.Scalar(1), nil, tensor.Int8) },
			tensor.ErrType},
		"the scale is int32": {
			func(s *tensor.Scope) *tensor.Tensor { return s.Quantize(x, ints, nil, tensor.Int8) }, tensor.ErrType},
		"the zero point is float32": {
			func(s *tensor.Scope) *tensor.Tensor { return s.Quantize(x, x, x, tensor.Int8) }, tensor.ErrType},
		"the zero point 0.5 is not": {
			func(s *tensor.Scope) *tensor.Tensor { return s.Quantize(x, x, tensor.Scalar(0.5), tensor.Int8) },
			tensor.ErrType},
		"shape [4 2] cannot be broadcast to [4 3]": {
			func(s *tensor.Scope) *tensor.Tensor {
				return s.Quantize(x, tensor.Scalar(1), ints, tensor.Int8)
			}, tensor.ErrShape},
		"shape [3]; want at least two": {
			func(s *tensor.Scope) *tensor.Tensor { return s.BandPart(x.Index(0, 0), 0, 0) }, tensor.ErrShape},
		"x of shape [4 3] and weights of shape [8 2]": {func(s *tensor.Scope) *tensor.Tensor {
			return s.RNN(x, tensor.RNN{Recurrence: tensor.Recurrence{Weights: w}})
		}, tensor.ErrShape},
		"no tensor: nil or zero argument": {func(s *tensor.Scope) *tensor.Tensor { return s.GRU(x, tensor.GRU{}) }, nil},
		"activation 9": {func(s *tensor.Scope) *tensor.Tensor { return s.RNN(x, tensor.RNN{Activation: 9}) },
			tensor.ErrType},
		"the shape of the recurrent weights is [8 2]; it must be [6 2]": {func(s *tensor.Scope) *tensor.Tensor {
			return s.GRU(x.Unsqueeze(0), tensor.GRU{Recurrence: tensor.Recurrence{Weights: w}})
		}, tensor.ErrShape},
		"the shape of the input weights is [8 2]; it must be [8 3]": {func(s *tensor.Scope) *tensor.Tensor {
			a, b := s.LSTM(x.Unsqueeze(0), tensor.LSTM{Recurrence: tensor.Recurrence{Weights: w, InputWeights: w}})
			assert.Equal(t, a, b)
			return a
		}, tensor.ErrShape},
		"takes floating-point numbers of one type": {func(s *tensor.Scope) *tensor.Tensor {
			return s.RNN(x, tensor.RNN{Recurrence: tensor.Recurrence{Weights: ints}})
		}, tensor.ErrType},
	} {
		s := e.Scope(t.Context())
		err := c.do(s).Err()
		assert.ErrorContains(t, err, want)
		assert.Equal(t, err, s.Err())
		if c.kind != nil {
			assert.ErrorIs(t, err, c.kind, want)
		}
		s.Close()
	}
}

// TestLocalResponseNorm compares with the definition, across channels and within them, of a view.
func TestLocalResponseNorm(t *testing.T) {
	_, s := open(t)
	rng := rand.New(rand.NewPCG(15, 6))
	shape := []int{2, 5, 4, 3}
	x := array{shape: shape, data: normals(rng, 120)}
	for _, c := range []struct {
		size int
		axes []int
	}{{3, []int{1}}, {2, []int{-3}}, {3, []int{3, 2}}, {1, []int{0}}, {9, []int{0, 1, 2, 3}}} {
		// The same elements from transposed memory.
		order := []int{3, 1, 0, 2}
		v := x.of(s, tensor.Float32).Transpose(order...)
		v = s.Copy(v).Transpose(2, 1, 3, 0)
		require.Equal(t, shape, v.Shape())
		y := s.LocalResponseNorm(v, c.size, 0.7, 0.75, 1.5, c.axes...)
		require.NoError(t, s.Err())
		got, at := values(t, y), 0
		each(shape, func(index []int) {
			sum, n := 0.0, 1.0
			var window func(i int, index []int)
			window = func(i int, index []int) {
				if i == len(c.axes) {
					v := x.at(index)
					sum += v * v
					return
				}
				d := (c.axes[i] + 4) % 4
				for k := index[d] - (c.size-1)/2; k <= index[d]+c.size/2; k++ {
					if k >= 0 && k < shape[d] {
						moved := slices.Clone(index)
						moved[d] = k
						window(i+1, moved)
					}
				}
			}
			window(0, index)
			for range c.axes {
				n *= float64(c.size)
			}
			require.InDelta(t, x.at(index)/math.Pow(1.5+0.7/n*sum, 0.75), got[at], 1e-5, "%v at %v", c, index)
			at++
		})
	}
}

func TestQuantization(t *testing.T) {
	_, s := open(t)
	data := []float64{-3, -1.25, -0.5, 0.5, 1.5, 2.5, 1000, -1000, math.NaN(), math.Inf(1), math.Inf(-1), 0}
	x := tensor.FromFloat64(s, tensor.Float32, data, 2, 6)
	clamp := func(v float64, low, high float64) float64 {
		if v != v {
			v = 0
		}
		return min(max(v, low), high)
	}
	scales := []float64{0.5, 2}
	scale := tensor.FromFloat64(s, tensor.Float16, scales, 2, 1)
	zero := tensor.Of(s, []int8{3, -7}, 2, 1)
	y := s.Quantize(x, scale, zero, tensor.Int8)
	plain := s.Quantize(x.T(), tensor.Scalar(0.25), tensor.Scalar(100), tensor.Uint8)
	for i, v := range data {
		zero := []float64{3, -7}[i/6]
		q := v / scales[i/6]
		if q != q {
			q = 0
		}
		assert.Equal(t, clamp(math.RoundToEven(q)+zero, -128, 127), values(t, y)[i], "element %d", i)
		if v == v {
			assert.Equal(t, clamp(math.RoundToEven(v/0.25)+100, 0, 255), values(t, plain.T())[i], "element %d", i)
		}
	}
	back := values(t, s.Dequantize(y, scale, zero, tensor.Float32))
	for i, q := range values(t, y) {
		assert.Equal(t, (q-[]float64{3, -7}[i/6])*scales[i/6], back[i])
	}
	half := s.Dequantize(tensor.Of(s, []int32{5, -6}), tensor.Scalar(0.125), nil, tensor.BFloat16)
	assert.Equal(t, tensor.BFloat16, half.Type())
	assert.Equal(t, []float64{0.625, -0.75}, values(t, half))
	require.NoError(t, s.Err())
}

func TestBandPart(t *testing.T) {
	_, s := open(t)
	a := random(rand.New(rand.NewPCG(15, 7)), 3, 4, 5)
	for _, typ := range []tensor.Type{tensor.Float32, tensor.Int64} {
		x := s.Copy(a.of(s, typ).T()).T()
		for _, band := range [][2]int{{0, 0}, {-1, 0}, {0, -1}, {1, 2}, {-5, -1}, {1 << 40, 1}} {
			got, i := values(t, s.BandPart(x, band[0], band[1])), 0
			each(a.shape, func(index []int) {
				below, want := index[1]-index[2], a.at(index)
				if band[0] >= 0 && below > band[0] || band[1] >= 0 && -below > band[1] {
					want = 0
				}
				require.Equal(t, want, got[i], "band %v at %v", band, index)
				i++
			})
		}
	}
	require.NoError(t, s.Err())
}
