package tensor

import (
	"fmt"
	"math"
	"slices"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// Fourier transforms. Complex numbers are pairs: the last dimension has two elements, the real and
// the imaginary part. Elements are Float32 or Float16, which is computed in float32. Axes are
// dimensions of the numbers, so that -1 is the one before the pairs; none stand for that one.
// Lengths may be any number; those with small prime factors are fast.

// fourier is a kind of Fourier transform. Shapes are those of numbers, without the dimension of the
// pairs.
type fourier struct {
	op      string
	complex [2]bool // whether operand and result are pairs
	inverse bool
	shape   func(in []int, f tensorop.FFT) ([]int, error)
	build   func(b *tensorop.Builder, out, in tensorop.Operand, f tensorop.FFT)
}

func sameShape(in []int, _ tensorop.FFT) ([]int, error) { return in, nil }

// FFT computes the discrete Fourier transform of pairs along axes: element k is the sum over j of
// x[j] exp(-2πi jk/n).
func (s *Scope) FFT(x *Tensor, axes ...int) *Tensor {
	return s.fourier(x, axes, fourier{"fft", [2]bool{true, true}, false, sameShape, (*tensorop.Builder).FFT})
}

// IFFT undoes FFT: element j is the sum over k of x[k] exp(2πi jk/n), divided by n.
func (s *Scope) IFFT(x *Tensor, axes ...int) *Tensor {
	return s.fourier(x, axes, fourier{"ifft", [2]bool{true, true}, true, sameShape, (*tensorop.Builder).FFT})
}

// RFFT computes FFT of real numbers. The result is pairs. It has n/2+1 of the n elements along the
// last of the axes; the others would be conjugates of those.
func (s *Scope) RFFT(x *Tensor, axes ...int) *Tensor {
	return s.fourier(x, axes, fourier{"rfft", [2]bool{false, true}, false, tensorop.RealFFTShape,
		(*tensorop.Builder).RealFFT})
}

// IRFFT undoes RFFT: it takes pairs and gives real numbers. Along the last of the axes, m elements
// become 2m-2, or 2m-1 if odd is set.
func (s *Scope) IRFFT(x *Tensor, odd bool, axes ...int) *Tensor {
	return s.fourier(x, axes, fourier{"irfft", [2]bool{true, false}, true,
		func(in []int, f tensorop.FFT) ([]int, error) { return tensorop.FFTToRealShape(in, f, odd) },
		(*tensorop.Builder).FFTToReal})
}

func (s *Scope) fourier(x *Tensor, axes []int, k fourier) *Tensor {
	in := []*Tensor{x}
	if f, ok := s.tensors(k.op, in...); !ok {
		return f
	}
	if x.Type() != Float32 && x.Type() != Float16 {
		return s.fail(k.op, in, fmt.Errorf("takes float32 and float16: %w", ErrType))
	}
	shape := x.Shape()
	if k.complex[0] {
		last := len(shape) - 1
		if last < 0 || shape[last] != 2 {
			return s.fail(k.op, in, fmt.Errorf("shape %v; complex numbers need a last dimension of 2: %w", shape,
				ErrShape))
		}
		if _, ok := pairs(x.view); !ok {
			x = s.Contiguous(x)
			if x.err != nil {
				return x
			}
			in[0] = x
		}
		shape = shape[:last]
	}
	if len(axes) == 0 {
		axes = []int{-1}
	}
	axes, err := dims(axes, len(shape))
	if err != nil {
		return s.fail(k.op, in, err)
	}
	f := tensorop.FFT{Axes: axes, Inverse: k.inverse}
	if k.inverse {
		f.Scaling = tensorop.FFTSize
	}
	result, err := k.shape(shape, f)
	if err != nil {
		return s.fail(k.op, in, shapeError(err))
	}
	// The usual count of a transform of n complex numbers is 5 n log2(n), and half of it for real
	// ones.
	long := shape
	if !k.complex[1] {
		long = result
	}
	flops := 0.0
	for _, a := range axes {
		flops += 5 * float64(tensorop.Elements(long)) * math.Log2(float64(long[a]))
	}
	if !k.complex[0] || !k.complex[1] {
		flops /= 2
	}
	if k.complex[1] {
		result = append(slices.Clone(result), 2)
	}
	return s.one(k.op, flops, x.Type(), result, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			from := in[0]
			if k.complex[0] {
				v, _ := pairs(from.View)
				from = from.With(v)
			}
			if k.complex[1] {
				v, _ := pairs(out.View) // the result is dense
				out = out.With(v)
			}
			k.build(b, out, from, f)
		})
}

// pairs returns a view whose last dimension is 2 as one of complex numbers, false if its memory
// does not have them as such.
func pairs(v tensorop.View) (tensorop.View, bool) {
	last := len(v.Shape) - 1
	out := tensorop.View{Type: tensorop.Complex64, Shape: v.Shape[:last], Offset: v.Offset / 2}
	if v.Type == tensorop.Float16 {
		out.Type = tensorop.Complex32
	}
	ok := v.Strides[last] == 1 && v.Offset%2 == 0
	for _, n := range v.Strides[:last] {
		out.Strides = append(out.Strides, n/2)
		ok = ok && n%2 == 0
	}
	return out, ok
}
