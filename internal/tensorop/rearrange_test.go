package tensorop_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpaceToDepth(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(14, 1))
	for n := range 40 {
		rank := between(rng, 2, 5)
		dims := rng.Perm(rank)
		s := tensorop.Blocks{Depth: dims[0], Spatial: dims[1 : 1+between(rng, 1, min(3, rank-1))], ChannelsFirst: n%2 == 0}
		shallow := many(rank, func() int { return between(rng, 1, 3) })
		for _, sd := range s.Spatial {
			s.Size = append(s.Size, between(rng, 1, 3))
			shallow[sd] *= s.Size[len(s.Size)-1]
		}
		deep, err := s.DeepShape(shallow)
		require.NoError(t, err)
		back, err := s.ShallowShape(deep)
		require.NoError(t, err)
		require.Equal(t, shallow, back)
		x := make([]float64, tensorop.Elements(shallow))
		for i := range x {
			x[i] = float64(i)
		}
		want := make([]float64, len(x))
		each(shallow, func(i int, index []int) {
			at, block := slices.Clone(index), 0
			for k, sd := range s.Spatial {
				at[sd] = index[sd] / s.Size[k]
				block = block*s.Size[k] + index[sd]%s.Size[k]
			}
			if s.ChannelsFirst {
				at[s.Depth] = index[s.Depth]*tensorop.Elements(s.Size) + block
			} else {
				at[s.Depth] = block*shallow[s.Depth] + index[s.Depth]
			}
			want[flat(at, deep)] = x[i]
		})
		got := d.Do(scatteredView(rng, tensorop.Int32, deep...), func(b *builder, o operand, in []operand) {
			b.SpaceToDepth(o, in[0], s)
		}, scattered(rng, tensorop.Int32, x, shallow...))
		require.Equal(t, want, got, "%v %v", s, shallow)
		got = d.Do(scatteredView(rng, tensorop.Int32, shallow...), func(b *builder, o operand, in []operand) {
			b.DepthToSpace(o, in[0], s)
		}, scattered(rng, tensorop.Int32, want, deep...))
		require.Equal(t, x, got, "%v %v", s, shallow)
	}
	_, err := tensorop.Blocks{Spatial: []int{1}, Depth: 0, Size: []int{2}}.DeepShape([]int{1, 3})
	assert.ErrorContains(t, err, "dimension 1 of shape [1 3]; it must be a multiple of the block's size, 2")
	_, err = tensorop.Blocks{Spatial: []int{1}, Depth: 1, Size: []int{2}}.DeepShape([]int{1, 3})
	assert.ErrorContains(t, err, "must be different ones")
	_, err = tensorop.Blocks{Spatial: []int{1}, Depth: 0, Size: []int{2}}.ShallowShape([]int{3, 3})
	assert.ErrorContains(t, err, "it must be a multiple of a block's elements, 2")
}

func TestColumns(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(14, 2))
	for n := range 30 {
		typ := floatTypes[n%3]
		in, weights, w, _ := randomConv(rng)
		w.Size = weights[2:]
		cols, err := tensorop.ColumnsShape(in, w)
		require.NoError(t, err)
		out, err := tensorop.ConvShape(in, append([]int{1, in[1]}, w.Size...), w, 1)
		require.NoError(t, err)
		x, g := normal(rng, typ, in...), normal(rng, typ, cols...)
		want, gx := make([]float64, len(g)), make([]float64, len(x))
		convTaps(in, append([]int{1, in[1]}, w.Size...), out, w, 1, func(o, i, k int) {
			places := tensorop.Elements(out[2:])
			at := (o/places*cols[1]+k)*places + o%places
			want[at] = x[i]
			gx[i] += g[at]
		})
		got := d.Do(scatteredView(rng, typ, cols...), func(b *builder, o operand, in []operand) {
			b.Columns(o, in[0], w)
		}, scattered(rng, typ, x, in...))
		require.Equal(t, want, got, "%v %v", w, in)
		got = d.Do(scatteredView(rng, typ, in...), func(b *builder, o operand, in []operand) {
			b.FromColumns(o, in[0], w)
		}, scattered(rng, typ, g, cols...))
		near(t, typ, gx, got, 3, w, in)
	}
	_, err := tensorop.ColumnsShape([]int{1, 2, 3}, tensorop.Window{Size: []int{1, 1}})
	assert.ErrorContains(t, err, "columns: a window of 2 dimensions over shape [1 2 3]")
}

func TestReinterpret(t *testing.T) {
	v := tensorop.Dense(tensorop.Float32, 2, 3)
	v.Offset = 4
	half, err := v.Reinterpret(tensorop.Float16)
	require.NoError(t, err)
	assert.Equal(t, tensorop.View{Type: tensorop.Float16, Shape: []int{2, 6}, Strides: []int{6, 1}, Offset: 8}, half)
	back, err := half.Reinterpret(tensorop.Float32)
	require.NoError(t, err)
	assert.Equal(t, v, back)
	_, err = half.Reinterpret(tensorop.Int64)
	assert.ErrorContains(t, err, "the last dimension and the offset must be whole elements")
	_, err = v.Transpose(1, 0).Reinterpret(tensorop.Uint8)
	assert.ErrorContains(t, err, "the last dimension must be without gaps")
	same, err := v.Transpose(1, 0).Reinterpret(tensorop.Int32)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 3}, same.Strides)
}
