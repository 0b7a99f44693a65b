package tensorop_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fold is a reduction in float64, and what it gives for no elements.
func fold(op string, x []float64) float64 {
	r := 0.0
	switch op {
	case "product", "all":
		r = 1
	case "min", "max", "min_number", "max_number":
		r = x[0]
	}
	best := 0
	for i, v := range x {
		switch op {
		case "sum", "mean":
			r += v
		case "product":
			r *= v
		case "sum_squares":
			r += v * v
		case "sum_abs":
			r += math.Abs(v)
		case "min", "min_number":
			r = min(r, v)
		case "max", "max_number":
			r = max(r, v)
		case "all":
			if v == 0 {
				r = 0
			}
		case "any":
			if v != 0 {
				r = 1
			}
		case "argmin":
			if v < x[best] {
				best = i
			}
		case "argmax":
			if v > x[best] {
				best = i
			}
		}
	}
	switch op {
	case "argmin", "argmax":
		return float64(best)
	case "mean":
		return r / float64(len(x))
	}
	return r
}

// rowsOf returns, for each element of the result, the elements that make it.
func rowsOf(v tensorop.View, values []float64, axes []int) [][]float64 {
	shape, _ := tensorop.ReduceShape("", v.Shape, axes)
	out := make([][]float64, tensorop.Elements(shape))
	dense := tensorop.Dense(tensorop.Float32, shape...)
	wide := dense
	for _, a := range axes {
		wide.Strides[a] = 0
	}
	wide.Shape = v.Shape
	index := make([]int, v.Rank())
	for _, x := range values {
		at := 0
		for d, i := range index {
			at += i * wide.Strides[d]
		}
		out[at] = append(out[at], x)
		for d := v.Rank() - 1; d >= 0; d-- {
			if index[d]++; index[d] < v.Shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}

func TestReduce(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(4, 4))
	ops := []string{"sum", "mean", "product", "sum_squares", "sum_abs", "min", "max", "min_number", "max_number", "all",
		"any", "argmin", "argmax"}
	types := []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.BFloat16, tensorop.Int8, tensorop.Int32,
		tensorop.Uint32, tensorop.Int64, tensorop.Bool}
	shapes := [][]int{{5}, {300}, {4, 70}, {70, 4}, {3, 4, 5}, {2, 1, 66}, {2, 3, 4, 5}}
	for _, typ := range types {
		for _, op := range ops {
			result, err := tensorop.Reduction(op, typ)
			if err != nil {
				continue
			}
			for _, shape := range shapes {
				var axes []int
				for i := range shape {
					if rng.IntN(2) == 0 {
						axes = append(axes, i)
					}
				}
				x := make([]float64, tensorop.Elements(shape))
				for i := range x {
					x[i] = float64(rng.IntN(3))
					if typ.Float() && op != "product" {
						x[i] = optest.Round(typ, rng.NormFloat64())
					}
				}
				if op == "all" || op == "product" {
					for i := range x {
						x[i] = float64(1 + rng.IntN(200)/199)
					}
				}
				in := optest.Of(typ, x, shape...)
				if len(shape) > 1 && rng.IntN(2) == 0 {
					in.View, err = in.Slice(0, shape[0]-1, -1, -1)
					require.NoError(t, err)
					x = optest.Values(in.View, in.Bytes)
				}
				outShape, err := tensorop.ReduceShape(op, shape, axes)
				require.NoError(t, err)
				out := tensorop.Dense(result, outShape...)
				got := d.Do(out, func(b *builder, o operand, in []operand) { b.Reduce(op, o, in[0], axes...) }, in)
				for i, row := range rowsOf(in.View, x, axes) {
					want := optest.Round(result, fold(op, row))
					tolerance := 0.0
					if typ.Float() && !result.Integer() {
						tolerance = map[int]float64{4: 1e-5, 2: 1e-2}[typ.Size()] * (1 + math.Abs(want))
					}
					assert.InDelta(t, want, got[i], tolerance, "%s of %v %v along %v", op, typ, shape, axes)
				}
			}
		}
	}
}

// TestReduceLong: few long rows are reduced in parts.
func TestReduceLong(t *testing.T) {
	d := optest.Open(t)
	const n = 1 << 17
	x := make([]float64, 2*n)
	for i := range x {
		x[i] = float64(i % 7)
	}
	for _, typ := range []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.Int32} {
		in := optest.Of(typ, x, 2, n)
		got := d.Do(tensorop.Dense(typ, 2, 1), func(b *builder, o operand, in []operand) {
			b.Reduce("max", o, in[0],
				1)
		}, in)
		assert.Equal(t, []float64{6, 6}, got)
		if typ != tensorop.Float16 {
			got = d.Do(tensorop.Dense(typ, 2, 1), func(b *builder, o operand, in []operand) {
				b.Reduce("sum", o,
					in[0], 1)
			}, in)
			assert.Equal(t, []float64{fold("sum", x[:n]), fold("sum", x[n:])}, got)
		}
	}
}

// TestReduceOrder: the bits of a sum are those of 32 lanes that take every 32nd element, in order,
// and are then added pair by pair, whatever the length.
func TestReduceOrder(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(39, 7))
	for _, n := range []int{64, 65, 127, 128, 129, 159, 160, 161, 255, 256, 257, 1000, 4099} {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(40)-20))))
		}
		var lanes [32]float32
		for i, v := range x {
			lanes[i%32] += float32(v)
		}
		for step := 16; step > 0; step /= 2 {
			for i := range step {
				lanes[i] += lanes[i+step]
			}
		}
		got := d.Do(tensorop.Dense(tensorop.Float32, 1), func(b *builder, o operand, in []operand) {
			b.Reduce("sum", o, in[0], 0)
		}, optest.Of(tensorop.Float32, x, n))
		assert.Equal(t, float64(lanes[0]), got[0], "%d elements", n)
	}
}

// TestReduceNaN: minima and maxima of rows with NaN, long and short.
func TestReduceNaN(t *testing.T) {
	d := optest.Open(t)
	for _, n := range []int{5, 100} {
		x := make([]float64, n)
		x[3] = math.NaN()
		x[1] = -1
		in := optest.Of(tensorop.Float32, x, n)
		reduce := func(op string, typ tensorop.Type) float64 {
			return d.Do(tensorop.Dense(typ, 1), func(b *builder, o operand, in []operand) {
				b.Reduce(op, o, in[0],
					0)
			}, in)[0]
		}
		assert.True(t, math.IsNaN(reduce("min", tensorop.Float32)))
		assert.True(t, math.IsNaN(reduce("max", tensorop.Float32)))
		assert.Equal(t, -1.0, reduce("min_number", tensorop.Float32))
		assert.Equal(t, 3.0, reduce("argmin", tensorop.Int32))
	}
}

func TestReduceErrors(t *testing.T) {
	v := tensorop.Dense(tensorop.Float32, 2, 0)
	b, in, out := tensorop.NewBuilder([]tensorop.View{v}, []tensorop.View{tensorop.Dense(tensorop.Float32, 2, 1)})
	b.Reduce("max", out[0], in[0], 1)
	_, err := b.Plan()
	require.ErrorContains(t, err, "max: shape [2 0] has no elements")
	_, err = tensorop.ReduceShape("sum", []int{2, 3}, []int{2})
	require.ErrorContains(t, err, "sum: axis 2 of shape [2 3]")
	_, err = tensorop.ReduceShape("sum", []int{2, 3}, []int{1, 1})
	require.ErrorContains(t, err, "axis 1 is there twice")
	_, err = tensorop.Reduction("mean", tensorop.Int32)
	require.ErrorContains(t, err, "mean: takes floating-point numbers and not int32")
}
