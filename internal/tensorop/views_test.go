package tensorop_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/require"
)

// scattered stores values as a view whose dimensions are in a random order in memory, at an offset.
func scattered(rng *rand.Rand, typ tensorop.Type, values []float64, shape ...int) optest.Tensor {
	dense := optest.Of(typ, values, shape...)
	v := scatteredView(rng, typ, shape...)
	_, end := v.Span()
	out := optest.Tensor{View: v, Bytes: make([]byte, max(end, 1)*typ.Size())}
	n, index := typ.Size(), make([]int, len(shape))
	for i := range values {
		at := v.Offset
		for d, x := range index {
			at += x * v.Strides[d]
		}
		copy(out.Bytes[at*n:], dense.Bytes[i*n:][:n])
		next(index, shape)
	}
	return out
}

func scatteredView(rng *rand.Rand, typ tensorop.Type, shape ...int) tensorop.View {
	order := rng.Perm(len(shape))
	memory, back := make([]int, len(shape)), make([]int, len(shape))
	for i, d := range order {
		memory[i], back[d] = shape[d], i
	}
	v := tensorop.Dense(typ, memory...).Transpose(back...)
	v.Offset = rng.IntN(3)
	return v
}

// next advances an index in row-major order.
func next(index, shape []int) {
	for d := len(shape) - 1; d >= 0; d-- {
		if index[d]++; index[d] < shape[d] {
			return
		}
		index[d] = 0
	}
}

// each calls f for all indices of a shape in row-major order, with their number.
func each(shape []int, f func(i int, index []int)) {
	index := make([]int, len(shape))
	for i := range tensorop.Elements(shape) {
		f(i, index)
		next(index, shape)
	}
}

// flat returns the number of an index in row-major order, and -1 if it is outside of the shape.
func flat(index, shape []int) int {
	n := 0
	for d, i := range index {
		if i < 0 || i >= shape[d] {
			return -1
		}
		n = n*shape[d] + i
	}
	return n
}

// normal returns random values that a type can have.
func normal(rng *rand.Rand, typ tensorop.Type, shape ...int) []float64 {
	v := make([]float64, tensorop.Elements(shape))
	for i := range v {
		v[i] = optest.Round(typ, rng.NormFloat64())
	}
	return v
}

// near compares values with a tolerance relative to the larger of a value and scale.
func near(t *testing.T, typ tensorop.Type, want, got []float64, scale float64, message ...any) {
	t.Helper()
	require.Len(t, got, len(want))
	eps := map[tensorop.Type]float64{
		tensorop.Float32: 0x1p-19, tensorop.Float16: 0x1p-10, tensorop.BFloat16: 0x1p-7}[typ]
	for i, w := range want {
		if math.IsNaN(w) && math.IsNaN(got[i]) || w == got[i] {
			continue
		}
		if !(math.Abs(w-got[i]) <= eps*math.Max(math.Abs(w), scale)) {
			require.Failf(t, "values differ", "element %d: got %g, want %g; %v", i, got[i], w, message)
		}
	}
}

var floatTypes = []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.BFloat16}

func between(rng *rand.Rand, low, high int) int { return low + rng.IntN(high-low+1) }

func many(count int, f func() int) []int {
	out := make([]int, count)
	for i := range out {
		out[i] = f()
	}
	return out
}
