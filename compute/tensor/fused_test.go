package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute/tensor"
)

// TestAddRMSNorm compares the norm of a sum with float64, and its bits, and those of RMSNorm of
// dense rows, with what the operations give one by one for rows with gaps.
func TestAddRMSNorm(t *testing.T) {
	e, s := open(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, typ := range []tensor.Type{tensor.Float32, tensor.Float16, tensor.BFloat16} {
		for _, n := range []int{1, 40, 64, 100, 257, 1024} {
			const rows = 3
			x, y := tensor.FromFloat64(s, typ, normals(r, rows*n), rows, n), tensor.FromFloat64(s, typ, normals(r, rows*n),
				rows, n)
			scale := tensor.FromFloat64(s, typ, normals(r, n), n)
			sum, normal := s.AddRMSNorm(x, y, scale, 1e-5)
			require.NoError(t, s.Err())
			want := s.Add(x, y)
			assert.Equal(t, values(t, want), values(t, sum), "%v, %d", typ, n)
			apart := func(x *tensor.Tensor) *tensor.Tensor { return s.Concat(1, x, x).Slice(1, 0, n) } // with gaps
			assert.Equal(t, values(t, s.RMSNorm(apart(want), scale, 1e-5)), values(t, normal), "%v, %d", typ, n)
			assert.Equal(t, values(t, normal), values(t, s.RMSNorm(want, scale, 1e-5)), "%v, %d", typ, n)
			gapped, same := s.AddRMSNorm(apart(x), y, scale, 1e-5)
			assert.Equal(t, values(t, sum), values(t, gapped))
			assert.Equal(t, values(t, normal), values(t, same))

			list, factors := values(t, want), values(t, scale)
			for row := range rows {
				squares := 0.0
				for _, v := range list[row*n : row*n+n] {
					squares += v * v / float64(n)
				}
				for i := range n {
					list[row*n+i] *= factors[i] / math.Sqrt(squares+1e-5)
				}
			}
			within(t, list, values(t, normal), map[tensor.Type]float64{tensor.Float32: 1e-6, tensor.Float16: 1e-3,
				tensor.BFloat16: 8e-3}[typ], "norm")
		}
	}
	x := s.Full(tensor.Float32, 1, 2, 64)
	_, normal := s.AddRMSNorm(x, x, s.Full(tensor.Float32, 2, 2, 64).Slice(0, 1, 2), 0)
	within(t, values(t, s.Full(tensor.Float32, 2, 2, 64)), values(t, normal), 1e-6, "a scale of two dimensions")
	for _, c := range []struct {
		x, y, scale *tensor.Tensor
		err         error
	}{{x, s.Full(tensor.Float32, 1, 64), x, tensor.ErrShape}, {x, x, s.Full(tensor.Float32, 1, 3), tensor.ErrShape},
		{x, s.Full(tensor.Float16, 1, 2, 64), x, tensor.ErrType}, {x.Index(0, 0).Index(0, 0), x.Index(0, 0).Index(0, 0), x,
			tensor.ErrShape}} {
		inner := e.Scope(t.Context())
		sum, normal := inner.AddRMSNorm(c.x, c.y, c.scale, 0)
		assert.ErrorIs(t, sum.Err(), c.err)
		assert.ErrorIs(t, normal.Err(), c.err)
		inner.Close()
	}
}

// TestGated compares the bits of gated activations with those of two operations.
func TestGated(t *testing.T) {
	e, s := open(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, typ := range []tensor.Type{tensor.Float32, tensor.Float16, tensor.BFloat16} {
		gate, up := tensor.FromFloat64(s, typ, normals(r, 300), 3, 100), tensor.FromFloat64(s, typ, normals(r, 600), 3,
			200).Slice(1, 50, 150)
		assert.Equal(t, values(t, s.Mul(s.SiLU(gate), up)), values(t, s.SwiGLU(gate, up)))
		assert.Equal(t, values(t, s.Mul(s.GELUTanh(gate), up)), values(t, s.GeGLU(gate, up)))
	}
	inner := e.Scope(t.Context())
	defer inner.Close()
	assert.ErrorIs(t, inner.GeGLU(s.Full(tensor.Float32, 1, 2), s.Full(tensor.Float32, 1, 3)).Err(), tensor.ErrShape)
}
