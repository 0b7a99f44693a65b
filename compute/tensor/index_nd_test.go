package tensor_test

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVectorsOfIndices(t *testing.T) {
	_, s := open(t)
	x := tensor.Of(s, []float32{0, 1, 2, 10, 11, 12}, 2, 3)
	at := tensor.Of(s, []int64{1, 2, 0, 0, 1, 3}, 3, 2) // (1, 2), (0, 0) and one outside
	assert.Equal(t, []float64{12, 0, 0}, values(t, s.GatherND(x, at)))
	turned := s.GatherND(x.T(), at.Slice(0, 0, 2).Flip(1)) // the same elements of the transposed matrix
	assert.Equal(t, []float64{12, 0}, values(t, turned))
	rows := s.GatherND(x, tensor.Of(s, []int8{1, 0, 1}, 3, 1))
	assert.Equal(t, []int{3, 3}, rows.Shape())
	assert.Equal(t, []float64{10, 11, 12, 0, 1, 2, 10, 11, 12}, values(t, rows))

	u := tensor.Of(s, []float32{5, 6, 7})
	assert.Equal(t, []float64{6, 1, 2, 10, 11, 5}, values(t, s.ScatterND(x, at, u, "set")))
	twice := tensor.Of(s, []int32{1, 2, 1, 2, 0, 1}, 3, 2)
	assert.Equal(t, []float64{0, 8, 2, 10, 11, 23}, values(t, s.ScatterND(x, twice, u, "add")))

	along := tensor.Of(s, []int32{2, 0}, 2, 1)
	assert.Equal(t, []float64{0, 1, 2, 10, 11, 12}, values(t, x), "the original stays")
	assert.Equal(t, []float64{0, 1, 5, 6, 11, 12}, values(t, s.PutAlong(x, along, u.Slice(0, 0, 2).Unsqueeze(1), -1,
		"set")))
	assert.Equal(t, []float64{0, 1, 5, 10, 11, 12}, values(t, s.PutAlong(x, along, u.Slice(0, 0, 2).Unsqueeze(1), 1,
		"max")))
	require.NoError(t, s.Err())
}

func TestRange(t *testing.T) {
	_, s := open(t)
	assert.Equal(t, []float64{3, 1, -1, -3}, values(t, s.Range(tensor.Int8, 4, 3, -2)))
	assert.Equal(t, []float64{0.5, 0.75, 1}, values(t, s.Range(tensor.Float16, 3, 0.5, 0.25)))
	assert.Equal(t, []float64{250, 4}, values(t, s.Range(tensor.Uint8, 2, 250, 10)))
	assert.Empty(t, values(t, s.Range(tensor.Float32, 0, 0, 1)))
	nan := math.NaN()
	x := tensor.FromFloat64(s, tensor.Float32, []float64{3, 1, 2, nan, 0, 5, 7, 6}, 2, 4)
	low, high := values(t, s.CumMin(x, 1)), values(t, s.CumMax(x, 1))
	assert.Equal(t, []float64{3, 1, 1}, low[:3])
	assert.True(t, math.IsNaN(low[3]) && math.IsNaN(high[3]))
	assert.Equal(t, []float64{0, 0, 0, 0}, low[4:])
	assert.Equal(t, []float64{3, 3, 3}, high[:3])
	assert.Equal(t, []float64{0, 5, 7, 7}, high[4:])
	require.NoError(t, s.Err())
}

func TestIndicesWrong(t *testing.T) {
	e, s := open(t)
	x, at := s.Full(tensor.Float32, 1, 2, 3), s.Full(tensor.Int32, 1, 4, 2)
	for want, c := range map[string]struct {
		do   func(s *tensor.Scope) *tensor.Tensor
		kind error
	}{
		"the indices are float32": {func(s *tensor.Scope) *tensor.Tensor { return s.GatherND(x, x) }, tensor.ErrType},
		"vectors of 4 indices into shape [2 3]": {func(s *tensor.Scope) *tensor.Tensor {
			return s.GatherND(x, s.Reshape(at, 2, 4)).Slice(0, 0, 1)
		}, tensor.ErrShape},
		"updates of shape [3]; x of shape [2 3] and indices of shape [4 2] take [4]": {
			func(s *tensor.Scope) *tensor.Tensor { return s.ScatterND(x, at, x.Index(0, 0), "add") }, tensor.ErrShape},
		"updates are int32 and x is float32": {func(s *tensor.Scope) *tensor.Tensor {
			return s.PutAlong(x, at.Slice(0, 0, 2), at.Slice(0, 0, 2), 1, "set")
		}, tensor.ErrType},
		"dimension 2; there are 2": {
			func(s *tensor.Scope) *tensor.Tensor { return s.PutAlong(x, at, x, 2, "set") }, tensor.ErrShape},
		"of bool, which is no": {func(s *tensor.Scope) *tensor.Tensor { return s.Range(tensor.Bool, 2, 0, 1) },
			tensor.ErrType},
		"has a negative dimension": {
			func(s *tensor.Scope) *tensor.Tensor { return s.Range(tensor.Int8, -1, 0, 1) }, tensor.ErrShape},
		"start 0.5 and step 1 for int8": {
			func(s *tensor.Scope) *tensor.Tensor { return s.Range(tensor.Int8, 2, 0.5, 1) }, tensor.ErrType},
		"cumulative min of bool[2 3]": {
			func(s *tensor.Scope) *tensor.Tensor { return s.CumMin(s.Cast(x, tensor.Bool), 0) }, tensor.ErrType},
		"no tensor: nil or zero argument": {
			func(s *tensor.Scope) *tensor.Tensor { return s.ScatterND(x, nil, nil, "set") }, nil},
	} {
		s := e.Scope(t.Context())
		err := c.do(s).Err()
		assert.ErrorContains(t, err, want)
		if c.kind != nil {
			assert.ErrorIs(t, err, c.kind, want)
		}
		s.Close()
	}
}
