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

// product multiplies matrices in float64, with vectors as rows and columns. broadcast repeats the
// batch.
func product(t *testing.T, a, b optest.Tensor) []float64 {
	shape, err := tensorop.MatMulShape(a.Shape, b.Shape)
	require.NoError(t, err)
	matrix := func(x optest.Tensor, row bool) tensorop.View {
		if x.Rank() > 1 {
			return x.View
		}
		if row {
			return tensorop.View{Type: x.Type, Shape: []int{1, x.Shape[0]}, Strides: []int{0, x.Strides[0]},
				Offset: x.Offset}
		}
		return tensorop.View{Type: x.Type, Shape: []int{x.Shape[0], 1}, Strides: []int{x.Strides[0], 0},
			Offset: x.Offset}
	}
	x, y := matrix(a, true), matrix(b, false)
	m, k, n := x.Shape[x.Rank()-2], x.Shape[x.Rank()-1], y.Shape[y.Rank()-1]
	batch := shape[:len(shape)-min(1, a.Rank()-1)-min(1, b.Rank()-1)]
	x, err = x.Broadcast(append(append([]int{}, batch...), m, k)...)
	require.NoError(t, err)
	y, err = y.Broadcast(append(append([]int{}, batch...), k, n)...)
	require.NoError(t, err)
	xv, yv := optest.Values(x, a.Bytes), optest.Values(y, b.Bytes)
	var out []float64
	for i := range tensorop.Elements(batch) {
		for r := range m {
			for c := range n {
				sum := 0.0
				for l := range k {
					sum += xv[(i*m+r)*k+l] * yv[(i*k+l)*n+c]
				}
				out = append(out, sum)
			}
		}
	}
	return out
}

func TestMatMul(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(5, 5))
	cases := [][2][]int{
		{{3, 4}, {4, 5}}, {{70, 33}, {33, 65}}, {{1, 1}, {1, 1}}, {{4}, {4}}, {{4}, {4, 5}}, {{3, 4}, {4}},
		{{2, 3, 4}, {4, 5}}, {{2, 1, 3, 4}, {3, 4, 5}}, {{3, 0}, {0, 2}}, {{2, 3, 4}, {4}}, {{4}, {2, 4, 3}},
	}
	for _, typ := range []tensorop.Type{tensorop.Float32, tensorop.Float16, tensorop.BFloat16, tensorop.Int8,
		tensorop.Int32, tensorop.Int64} {
		for _, c := range cases {
			var in [2]optest.Tensor
			for i, shape := range c {
				x := make([]float64, tensorop.Elements(shape))
				for k := range x {
					x[k] = float64(rng.IntN(5) - 2)
					if typ.Float() {
						x[k] = optest.Round(typ, rng.NormFloat64())
					}
				}
				if r := len(shape); r > 1 && rng.IntN(2) == 0 { // stored transposed
					stored := append([]int{}, shape...)
					stored[r-1], stored[r-2] = shape[r-2], shape[r-1]
					in[i] = optest.Of(typ, x, stored...)
					order := make([]int, r)
					for k := range order {
						order[k] = k
					}
					order[r-1], order[r-2] = r-2, r-1
					in[i].View = in[i].Transpose(order...)
				} else {
					in[i] = optest.Of(typ, x, shape...)
				}
			}
			shape, err := tensorop.MatMulShape(c[0], c[1])
			require.NoError(t, err)
			got := d.Do(tensorop.Dense(typ, shape...), func(b *builder, out operand, in []operand) {
				b.MatMul(out, in[0], in[1], 1, 0)
			}, in[0], in[1])
			tolerance := map[tensorop.Type]float64{tensorop.Float32: 1e-5, tensorop.Float16: 2e-3,
				tensorop.BFloat16: 1e-2}[typ]
			for i, want := range product(t, in[0], in[1]) {
				want = optest.Round(typ, want)
				assert.InDelta(t, want, got[i], tolerance*(4+math.Abs(want)), "%v %v by %v", typ, c[0], c[1])
			}
		}
	}
}

// TestMatMulScaled: alpha, beta, and int8 with wider products.
func TestMatMulScaled(t *testing.T) {
	d := optest.Open(t)
	a := optest.Of(tensorop.Float32, []float64{1, 2, 3, 4}, 2, 2)
	b, in, out := tensorop.NewBuilder([]tensorop.View{a.View}, []tensorop.View{a.View})
	b.MatMul(out[0], in[0], in[0], 2, 0.5)
	p, err := b.Plan()
	require.NoError(t, err)
	before := optest.Of(tensorop.Float32, []float64{10, 20, 30, 40}, 2, 2)
	assert.Equal(t, []float64{19, 30, 45, 64}, optest.Values(a.View, d.Run(p, a.Bytes, before.Bytes)[0]))

	x := optest.Of(tensorop.Int8, []float64{100, 100, -128, 127}, 2, 2)
	for _, typ := range []tensorop.Type{tensorop.Int32, tensorop.Float32} {
		got := d.Do(tensorop.Dense(typ, 2, 2), func(b *builder, out operand, in []operand) {
			b.MatMul(out, in[0], in[0], 1, 0)
		}, x)
		assert.Equal(t, []float64{-2800, 22700, -29056, 3329}, got)
	}
}

func TestMatMulErrors(t *testing.T) {
	_, err := tensorop.MatMulShape([]int{2, 3}, []int{4, 5})
	require.ErrorContains(t, err, "matmul: [2 3] by [4 5]: the left one has 3 columns and the right one 4 rows")
	_, err = tensorop.MatMulShape([]int{}, []int{4, 5})
	require.ErrorContains(t, err, "a scalar is no matrix")
	v := tensorop.Dense(tensorop.Int32, 2, 2)
	b, in, out := tensorop.NewBuilder([]tensorop.View{v}, []tensorop.View{v})
	b.MatMul(out[0], in[0], in[0], 2, 0)
	_, err = b.Plan()
	require.ErrorContains(t, err, "alpha 2 and beta 0 for integers")
}
