package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResize(t *testing.T) {
	_, s := open(t)
	rng := rand.New(rand.NewPCG(15, 3))
	const h, w = 3, 4
	data := make([]float32, 2*h*w)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	x := tensor.Of(s, data, 2, h, w)
	for _, size := range [][2]int{{6, 8}, {2, 3}, {3, 4}, {5, 1}} {
		near, linear := s.Resize(x, tensor.ResizeNearest, size[0], size[1]), s.Resize(x, tensor.ResizeLinear, size[0],
			size[1])
		require.Equal(t, []int{2, size[0], size[1]}, linear.Shape())
		got, gotNear := values(t, linear), values(t, near)
		place := func(i, in, out int) float64 { return (float64(i)+0.5)*float64(in)/float64(out) - 0.5 }
		at := func(c, r, q int) float64 {
			return float64(data[(c*h+min(max(r, 0), h-1))*w+min(max(q, 0), w-1)])
		}
		for i := range got {
			c, r, q := i/(size[0]*size[1]), i/size[1]%size[0], i%size[1]
			y, z := place(r, h, size[0]), place(q, w, size[1])
			y0, z0 := int(math.Floor(y)), int(math.Floor(z))
			fy, fz := y-math.Floor(y), z-math.Floor(z)
			want := (at(c, y0, z0)*(1-fz)+at(c, y0, z0+1)*fz)*(1-fy) + (at(c, y0+1, z0)*(1-fz)+at(c, y0+1, z0+1)*fz)*fy
			assert.InDelta(t, want, got[i], 1e-5, "size %v, element %d", size, i)
			assert.Equal(t, at(c, int(math.Floor(y+0.5)), int(math.Floor(z+0.5))), gotNear[i], "size %v, element %d",
				size, i)
		}
	}
	require.NoError(t, s.Err())
}

func TestSpaceToDepth(t *testing.T) {
	_, s := open(t)
	x := tensor.Of(s, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 1, 2, 2, 4)
	deep := s.SpaceToDepth(x, 2)
	assert.Equal(t, []int{1, 8, 1, 2}, deep.Shape())
	assert.Equal(t, []float64{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}, values(t, deep))
	back := s.DepthToSpace(deep, 2)
	assert.Equal(t, x.Shape(), back.Shape())
	assert.Equal(t, values(t, x), values(t, back))
	require.NoError(t, s.Err())
}

func TestResizeErrors(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor
		want string
	}{
		"no sizes": {func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
			return s.Resize(x, tensor.ResizeLinear)
		}, "give 1 to 3"},
		"negative": {func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
			return s.Resize(x, tensor.ResizeLinear, -1)
		}, "dimension 2 from 3 to -1 elements"},
		"odd": {func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return s.SpaceToDepth(x, 2) },
			"must be a multiple of the block's size, 2"},
		"channels": {func(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor { return s.DepthToSpace(x, 2) },
			"must be a multiple of a block's elements, 4"},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := open(t)
			err := c.do(s, tensor.Of(s, make([]float32, 6), 1, 2, 3)).Err()
			require.ErrorIs(t, err, tensor.ErrShape)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
