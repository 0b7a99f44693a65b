package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGroupNorm(t *testing.T) {
	_, s := open(t)
	rng := rand.New(rand.NewPCG(15, 4))
	const n, c, space = 2, 4, 6
	data, scale, bias := make([]float32, n*c*space), make([]float32, c), make([]float32, c)
	for _, v := range [][]float32{data, scale, bias} {
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
	}
	x := tensor.Of(s, data, n, c, 2, 3)
	for _, groups := range []int{1, 2, c} {
		y := s.GroupNorm(x, tensor.Of(s, scale), tensor.Of(s, bias), groups, 1e-5)
		require.Equal(t, x.Shape(), y.Shape())
		got, plain := values(t, y), values(t, s.GroupNorm(x, nil, nil, groups, 1e-5))
		size := c / groups * space
		for g := range n * groups {
			part := data[g*size : (g+1)*size]
			mean, variance := 0.0, 0.0
			for _, v := range part {
				mean += float64(v) / float64(size)
			}
			for _, v := range part {
				variance += (float64(v) - mean) * (float64(v) - mean) / float64(size)
			}
			for i, v := range part {
				at := g*size + i
				ch, want := at/space%c, (float64(v)-mean)/math.Sqrt(variance+1e-5)
				assert.InDelta(t, want, plain[at], 1e-5, "%d groups, element %d", groups, at)
				assert.InDelta(t, want*float64(scale[ch])+float64(bias[ch]), got[at], 1e-5, "%d groups, element %d",
					groups, at)
			}
		}
	}
	require.NoError(t, s.Err())
	err := s.GroupNorm(x, nil, nil, 3, 0).Err()
	require.ErrorIs(t, err, tensor.ErrShape)
	assert.ErrorContains(t, err, "3 groups of shape [2 4 2 3]")
	_, s = open(t)
	err = s.GroupNorm(tensor.Of(s, data, n, c, 6), tensor.Of(s, scale[:2]), nil, 2, 0).Err()
	require.ErrorIs(t, err, tensor.ErrShape)
	assert.ErrorContains(t, err, "want shape [4]")
}
