package tensor_test

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// general32 and general64 have the fields of gonum's blas32.General and blas64.General, which this
// module does not depend on.
type general32 struct {
	Rows, Cols int
	Stride     int
	Data       []float32
}

type general64 struct {
	Rows, Cols int
	Data       []float64
	Stride     int
}

// TestMatrices: gonum's types are passed and assigned without a conversion; gaps between rows are
// left out.
func TestMatrices(t *testing.T) {
	_, s := open(t)
	ctx := t.Context()
	narrow := general32{Rows: 2, Cols: 3, Stride: 4, Data: []float32{1, 2, 3, -1, 4, 5, 6}}
	x := tensor.OfMatrix32(s, narrow)
	assert.Equal(t, "float32[2 3]", x.String())
	var back general32
	var err error
	back, err = tensor.ToMatrix32(ctx, x.T())
	require.NoError(t, err)
	assert.Equal(t, general32{3, 2, 2, []float32{1, 4, 2, 5, 3, 6}}, back)

	wide := general64{Rows: 2, Cols: 2, Stride: 3, Data: []float64{0.1, 2, -1, 3, 4, -1}}
	y := tensor.OfMatrix64(s, wide, tensor.BFloat16)
	assert.Equal(t, tensor.BFloat16, y.Type())
	var back64 general64
	back64, err = tensor.ToMatrix64(ctx, y)
	require.NoError(t, err)
	assert.Equal(t, general64{2, 2, []float64{0.10009765625, 2, 3, 4}, 2}, back64)
	back64, err = tensor.ToMatrix64(ctx, s.Cast(x, tensor.Int8))
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 2, 3, 4, 5, 6}, back64.Data)

	for _, m := range []general32{{0, 3, 3, nil}, {3, 0, 1, []float32{1}}, {1, 2, 0, []float32{1, 2, 3}}} {
		x := tensor.OfMatrix32(s, m)
		assert.Equal(t, []int{m.Rows, m.Cols}, x.Shape())
		assert.Len(t, values(t, x), m.Rows*m.Cols)
	}
	require.NoError(t, s.Err())
}

func TestMatricesWrong(t *testing.T) {
	e, s := open(t)
	for want, c := range map[string]struct {
		do   func(*tensor.Scope) *tensor.Tensor
		kind error
	}{
		"2 rows and 3 columns with stride 2": {func(s *tensor.Scope) *tensor.Tensor {
			return tensor.OfMatrix32(s, general32{2, 3, 2, make([]float32, 9)})
		}, tensor.ErrShape},
		"2 rows and 3 columns with stride 4 and 6 elements, which are too few": {
			func(s *tensor.Scope) *tensor.Tensor {
				return tensor.OfMatrix32(s, general32{2, 3, 4, make([]float32, 6)})
			}, tensor.ErrShape},
		"-1 rows": {func(s *tensor.Scope) *tensor.Tensor {
			return tensor.OfMatrix64(s, general64{Rows: -1, Cols: 1}, tensor.Float32)
		}, tensor.ErrShape},
		"with stride 9223372036854775807": {func(s *tensor.Scope) *tensor.Tensor {
			return tensor.AdoptMatrix32(s, general32{1 << 62, 1, 1<<63 - 1, make([]float32, 6)}, nil)
		}, tensor.ErrShape},
		"float64 to int8, which is not": {func(s *tensor.Scope) *tensor.Tensor {
			return tensor.OfMatrix64(s, general64{}, tensor.Int8)
		}, tensor.ErrType},
	} {
		s := e.Scope(t.Context())
		err := c.do(s).Err()
		assert.ErrorIs(t, err, c.kind)
		assert.ErrorContains(t, err, want)
		assert.Equal(t, err, s.Err())
	}
	x := tensor.Of(s, []int8{1, 2})
	_, err := tensor.ToMatrix64(t.Context(), x)
	require.ErrorIs(t, err, tensor.ErrShape)
	assert.ErrorContains(t, err, "1 dimensions; a matrix has two")
	_, err = tensor.ToMatrix32(t.Context(), x.Unsqueeze(0))
	assert.ErrorIs(t, err, tensor.ErrType)
	_, err = tensor.ToMatrix32(t.Context(), nil)
	assert.Error(t, err)
	_, err = tensor.ToMatrix64(t.Context(), tensor.Scalar(1))
	assert.ErrorIs(t, err, tensor.ErrShape)
}

// TestShareMatrix changes elements in a tensor's memory, which later operations see.
func TestShareMatrix(t *testing.T) {
	e, s := open(t)
	ctx := t.Context()
	x := s.Add(tensor.Of(s, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3), tensor.Scalar(0))
	m, err := tensor.ShareMatrix32(ctx, x.Slice(0, 1, 3).Slice(1, 1, 3))
	if !e.Accelerator().Info().Limits.UnifiedMemory {
		require.ErrorIs(t, err, compute.ErrStorage)
		return
	}
	require.NoError(t, err)
	assert.Equal(t, general32{2, 2, 3, []float32{5, 6, 7, 8, 9}}, general32(m))
	m.Data[m.Stride+1] = 90
	assert.Equal(t, []float64{-1, -2, -3, -4, -5, -6, -7, -8, -90}, values(t, s.Neg(x)))
	row, err := tensor.ShareMatrix32(ctx, x.Slice(0, 2, 3))
	require.NoError(t, err)
	assert.Equal(t, general32{1, 3, 3, []float32{7, 8, 90}}, general32(row))
	column, err := tensor.ShareMatrix32(ctx, x.Slice(1, 2, 3))
	require.NoError(t, err)
	assert.Equal(t, general32{3, 1, 3, []float32{3, 4, 5, 6, 7, 8, 90}}, general32(column))
	none, err := tensor.ShareMatrix32(ctx, x.Slice(1, 0, 0))
	require.NoError(t, err)
	assert.Empty(t, none.Data)

	for want, c := range map[string]struct {
		x    *tensor.Tensor
		kind error
	}{
		"strides [1 3]; rows must be":  {x.T(), tensor.ErrShape},
		"strides [-3 1]; rows must be": {x.Flip(0), tensor.ErrShape},
		"strides [0 1]; rows must be":  {x.Index(0, 0).Broadcast(4, 3), tensor.ErrShape},
		"takes float32; convert":       {s.Cast(x, tensor.Int32), tensor.ErrType},
		"1 dimensions":                 {x.Index(0, 0), tensor.ErrShape},
	} {
		_, err := tensor.ShareMatrix32(ctx, c.x)
		assert.ErrorIs(t, err, c.kind)
		assert.ErrorContains(t, err, want)
	}
	require.NoError(t, s.Err())
	s.Close()
	_, err = tensor.ShareMatrix32(ctx, x)
	assert.ErrorIs(t, err, compute.ErrClosed)
}
