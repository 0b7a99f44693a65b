package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReductions(t *testing.T) {
	_, s := open(t)
	x := tensor.Of(s, []float32{3, 1, 2, 6, 5, 4}, 2, 3)
	assert.Equal(t, []float64{6, 15}, values(t, s.Sum(x, -1)))
	assert.Equal(t, []int{3}, s.Mean(x, 0).Shape())
	assert.Equal(t, []float64{4.5, 3, 3}, values(t, s.Mean(x, 0)))
	assert.Equal(t, []float64{720}, values(t, s.Prod(x)))
	assert.Equal(t, []float64{1, 4}, values(t, s.MinOf(x, 1)))
	assert.Equal(t, []float64{6}, values(t, s.MaxOf(x)))
	assert.Equal(t, []float64{0, 0}, values(t, s.ArgMax(x, 1)))
	assert.Equal(t, []float64{1, 2}, values(t, s.ArgMin(x, 1)))
	assert.Equal(t, tensor.Int32, s.ArgMin(x, 1).Type())
	assert.Equal(t, []float64{1}, values(t, s.All(x)))
	assert.Equal(t, []float64{0}, values(t, s.Any(s.Greater(x, tensor.Scalar(6)))))
	assert.InDeltaSlice(t, []float64{2.0 / 3, 2.0 / 3}, values(t, s.Var(x, 1)), 1e-6)
	assert.InDeltaSlice(t, []float64{math.Sqrt(14)}, values(t, s.Norm(x.Index(0, 0))), 1e-6)
	assert.InDeltaSlice(t, []float64{math.Log(math.E + math.Exp(2) + math.Exp(3))}, values(t, s.LogSumExp(x.Index(0,
		0))), 1e-5)
	require.NoError(t, s.Err())
}

func TestProducts(t *testing.T) {
	_, s := open(t)
	a := tensor.Of(s, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	assert.Equal(t, []float64{14, 32, 32, 77}, values(t, s.MatMul(a, a.T())))
	assert.Equal(t, []float64{14, 32}, values(t, s.MatMul(a, a.Index(0, 0))))
	batch := s.MatMul(a.Broadcast(4, 2, 3), a.T())
	assert.Equal(t, []int{4, 2, 2}, batch.Shape())
	small := tensor.Of(s, []int8{100, 100}, 1, 2)
	assert.Equal(t, []float64{20000}, values(t, s.MatMulInt8(small, small.T())))

	soft := values(t, s.Softmax(a, 1))
	assert.InDelta(t, 1, soft[0]+soft[1]+soft[2], 1e-6)
	logs := values(t, s.LogSoftmax(a, 1))
	for i := range soft {
		assert.InDelta(t, math.Log(soft[i]), logs[i], 1e-6)
	}
	scale := tensor.Of(s, []float32{1, 2, 3}, 3)
	d := math.Sqrt(1.5)
	assert.InDeltaSlice(t, []float64{-d + 1, 2, 3*d + 3, -d + 1, 2, 3*d + 3}, values(t, s.LayerNorm(a, scale, scale,
		0)), 1e-5)
	r := math.Sqrt(14.0 / 3)
	assert.InDeltaSlice(t, []float64{1 / r, 4 / r, 9 / r}, values(t, s.RMSNorm(a, scale, 0))[:3], 1e-5)
	mean, variance := s.Mean(a, 0), s.Var(a, 0)
	assert.InDeltaSlice(t, []float64{-1, -1, -1, 1, 1, 1}, values(t, s.BatchNorm(a, mean, variance, nil, nil, 0)), 1e-5)

	// Attention with a mask that leaves one key.
	q := tensor.Of(s, []float32{1, 0, 0, 1}, 2, 2)
	v := tensor.Of(s, []float32{1, 2, 3, 4}, 2, 2)
	mask := tensor.Of(s, []bool{true, false, false, true}, 2, 2)
	assert.Equal(t, []float64{1, 2, 3, 4}, values(t, s.Attention(q, q, v, mask, 1)))
	require.NoError(t, s.Err())
}

func TestIndexing(t *testing.T) {
	_, s := open(t)
	x := tensor.Of(s, []float32{3, 1, 2, 6, 5, 4}, 2, 3)
	i := tensor.Of(s, []int32{2, 0}, 2)
	assert.Equal(t, []float64{2, 3, 4, 6}, values(t, s.Gather(x, i, 1)))
	assert.Equal(t, []float64{2, 6}, values(t, s.TakeAlong(x, i.Unsqueeze(1), 1)))
	assert.Equal(t, []float64{3, 1, 2, 9, 6, 6}, values(t, s.Scatter(x, tensor.Of(s, []int32{1}, 1), x.Slice(0, 0, 1),
		0, "add")))
	assert.Equal(t, []float64{0, 0, 1, 1, 0, 0}, values(t, s.OneHot(i, 3, -1, tensor.Int8)))
	assert.Equal(t, []int{4, 3}, s.Concat(0, x, x).Shape())
	assert.Equal(t, []int{2, 2, 3}, s.Stack(0, x, x).Shape())
	assert.Equal(t, []float64{0, 3, 1, 2, 0, 6, 5, 4}, values(t, s.Pad(x, []int{0, 1}, []int{0, 0},
		tensor.PadConstant, 0)))
	assert.Equal(t, []int{2, 6}, s.Tile(x, 1, 2).Shape())
	assert.Equal(t, []float64{3, 4, 6, 6, 11, 15}, values(t, s.CumSum(x, 1)))
	assert.Equal(t, []float64{3, 3, 6, 6, 30, 120}, values(t, s.CumProd(x, 1)))
	assert.Equal(t, []float64{1, 2, 3, 4, 5, 6}, values(t, s.Sort(x, 1, false)))
	assert.Equal(t, []float64{0, 2, 1, 0, 1, 2}, values(t, s.ArgSort(x, 1, true)))
	top, at := s.TopK(x, 1, 2)
	assert.Equal(t, []float64{3, 2, 6, 5}, values(t, top))
	assert.Equal(t, []float64{0, 2, 0, 1}, values(t, at))
	require.NoError(t, s.Err())
}

func TestConvolutions(t *testing.T) {
	_, s := open(t)
	rng := rand.New(rand.NewPCG(3, 1))
	data := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.IntN(5) - 2)
		}
		return v
	}
	xv, wv := data(2*3*5*5), data(4*3*3*3)
	x, w := tensor.Of(s, xv, 2, 3, 5, 5), tensor.Of(s, wv, 4, 3, 3, 3)
	y := s.Conv(x, w, tensor.Window{Same: true, Strides: []int{2, 2}}, 1)
	require.Equal(t, []int{2, 4, 3, 3}, y.Shape())
	got := values(t, y)
	for n := range 2 {
		for o := range 4 {
			for r := range 3 {
				for c := range 3 {
					sum := 0.0
					for i := range 3 {
						for ky := range 3 {
							for kx := range 3 {
								iy, ix := 2*r+ky-1, 2*c+kx-1
								if iy >= 0 && iy < 5 && ix >= 0 && ix < 5 {
									sum += float64(xv[((n*3+i)*5+iy)*5+ix]) * float64(wv[((o*3+i)*3+ky)*3+kx])
								}
							}
						}
					}
					require.Equal(t, sum, got[((n*4+o)*3+r)*3+c])
				}
			}
		}
	}
	// The transpose has the same inner product.
	plain := s.Conv(x, w, tensor.Window{}, 1)
	back := s.ConvTranspose(plain, w, tensor.Window{}, 1)
	require.Equal(t, x.Shape(), back.Shape())
	left, right := values(t, s.Sum(s.Mul(plain, plain))), values(t, s.Sum(s.Mul(back, x)))
	assert.Equal(t, left, right)

	p := tensor.Of(s, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 1, 1, 2, 4)
	win := tensor.Window{Size: []int{2, 2}, Strides: []int{2, 2}}
	assert.Equal(t, []float64{6, 8}, values(t, s.MaxPool(p, win)))
	assert.Equal(t, []float64{3.5, 5.5}, values(t, s.AvgPool(p, win)))
	require.NoError(t, s.Err())
}

func TestRandom(t *testing.T) {
	_, s := open(t)
	a, b := values(t, s.Uniform(7, tensor.Float32, -1, 1, 1000)), values(t, s.Uniform(7, tensor.Float32, -1, 1, 1000))
	assert.Equal(t, a, b)
	assert.NotEqual(t, a, values(t, s.Uniform(8, tensor.Float32, -1, 1, 1000)))
	mean := 0.0
	for _, v := range a {
		mean += v / 1000
		require.True(t, v >= -1 && v < 1)
	}
	assert.InDelta(t, 0, mean, 0.06)
	mean, square := 0.0, 0.0
	for _, v := range values(t, s.Normal(1, tensor.Float32, 5, 2, 4000)) {
		mean += v / 4000
		square += (v - 5) * (v - 5) / 4000
	}
	assert.InDelta(t, 5, mean, 0.1)
	assert.InDelta(t, 4, square, 0.3)
	require.NoError(t, s.Err())
}

// TestOpErrors: errors name the operation, its operands and the rule.
func TestOpErrors(t *testing.T) {
	for want, f := range map[string]func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor{
		"matmul":         func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return s.MatMul(x, x) },
		"takes tensors":  func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return s.Sum(tensor.Scalar(1)) },
		"softmax":        func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return s.Softmax(x, 2) },
		"is named twice": func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return s.Sum(x, 0, -2) },
		"not integers":   func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return s.Gather(x, x, 0) },
		"one type": func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
			return s.Concat(0, x, s.Cast(x, tensor.Int32))
		},
		"3 to 5": func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
			return s.Conv(x, x, tensor.Window{}, 1)
		},
		"a window of": func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
			return s.MaxPool(x, tensor.Window{})
		},
		"normal": func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
			return s.Normal(1, tensor.Int32, 0, 1, 2)
		},
		"top k": func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { a, _ := s.TopK(x, 1, 4); return a },
		"floating-point": func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
			return s.Mean(s.Cast(x, tensor.Int8))
		},
		"takes Int8": func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return s.MatMulInt8(x, x) },
		"updates of shape": func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
			return s.Scatter(x, tensor.Of(s, []int32{0}, 1), x, 0, "set")
		},
	} {
		_, s := open(t)
		x := tensor.Of(s, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
		y := f(s, x)
		require.ErrorContains(t, s.Err(), want)
		require.Error(t, y.Err())
	}
}
