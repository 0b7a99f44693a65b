package graph

import (
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/mps"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// integers makes a constant of int32 values.
func (r *rig) integers(values []int32, shape ...int) Tensor {
	r.t.Helper()
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*4)
	return r.graph.ConstantWithData(bytes, shape, mps.DataTypeInt32)
}

func TestIndices(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(2, 3)
	feeds := map[Tensor]TensorData{x: r.data([]float32{3, 1, 2, 6, 5, 4}, 2, 3)}
	for name, c := range map[string]struct {
		got   Tensor
		shape []int
		want  []float32
	}{
		"concat": {g.ConcatTensor(x, g.NegativeWithTensor(x, ""), 1, ""), []int{2, 6},
			[]float32{3, 1, 2, -3, -1, -2, 6, 5, 4, -6, -5, -4}},
		"stack": {g.StackTensors([]Tensor{x, x}, 0, ""), []int{2, 2, 3},
			[]float32{3, 1, 2, 6, 5, 4, 3, 1, 2, 6, 5, 4}},
		"pad": {g.PadTensor(x, PaddingModeConstant, []int{0, 1}, []int{1, 0}, 9, ""), []int{3, 4},
			[]float32{9, 3, 1, 2, 9, 6, 5, 4, 9, 9, 9, 9}},
		"tile":       {g.TileTensor(x, []int{1, 2}, ""), []int{2, 6}, []float32{3, 1, 2, 3, 1, 2, 6, 5, 4, 6, 5, 4}},
		"cumulative": {g.CumulativeSumWithTensor(x, 1, ""), []int{2, 3}, []float32{3, 4, 6, 6, 11, 15}},
		"sort":       {g.SortWithTensor(x, 1, ""), []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}},
		"top":        {g.TopKWithSourceTensor(x, 2, "")[0], []int{2, 2}, []float32{3, 2, 6, 5}},
		"gather": {g.GatherWithUpdatesTensor(x, r.integers([]int32{2, 0, 9}, 3), 1, 0, ""), []int{2, 3},
			[]float32{2, 3, 0, 4, 6, 0}},
		"one hot": {g.OneHotWithIndicesTensor(r.integers([]int32{1, 0}, 2), 3, ""), []int{2, 3}, []float32{0, 1, 0, 1,
			0, 0}},
		"band": {g.BandPartWithTensor(x, 0, 0, ""), []int{2, 3}, []float32{3, 0, 0, 0, 5, 0}},
		"scatter": {g.ScatterWithDataTensor(x, g.ScatterWithUpdatesTensor(x, r.integers([]int32{1, 1}, 2),
			[]int{2, 3}, 0, ScatterModeAdd, ""), r.integers([]int32{0, 1}, 2), 0, ScatterModeAdd, ""), []int{2, 3},
			[]float32{3, 1, 2, 15, 11, 10}},
	} {
		require.False(t, c.got.IsNil(), name)
		assert.Equal(t, c.shape, c.got.Shape(), name)
		assert.Equal(t, c.want, r.run(feeds, c.got), name)
	}
}

// TestIndexGradients: elements that were taken twice have the sum of both gradients.
func TestIndexGradients(t *testing.T) {
	r := newRig(t)
	g := r.graph
	x := r.placeholder(2, 3)
	feeds := map[Tensor]TensorData{x: r.data([]float32{3, 1, 2, 6, 5, 4}, 2, 3)}
	for name, c := range map[string]struct {
		y    Tensor
		want []float32
	}{
		"gather": {g.GatherWithUpdatesTensor(x, r.integers([]int32{2, 2, 0}, 3), 1, 0, ""), []float32{1, 0, 2, 1, 0,
			2}},
		"concat": {g.ConcatTensor(x, x, 0, ""), []float32{2, 2, 2, 2, 2, 2}},
		"tile":   {g.TileTensor(x, []int{3, 2}, ""), []float32{6, 6, 6, 6, 6, 6}},
		"pad":    {g.PadTensor(x, PaddingModeZero, []int{1, 1}, []int{1, 1}, 0, ""), []float32{1, 1, 1, 1, 1, 1}},
		"cum":    {g.CumulativeSumWithTensor(x, 1, ""), []float32{3, 2, 1, 3, 2, 1}},
		"top":    {g.TopKWithSourceTensor(x, 1, "")[0], []float32{1, 0, 0, 1, 0, 0}},
	} {
		grads := g.GradientForPrimaryTensor(c.y, []Tensor{x}, "")
		require.Len(t, grads, 1, name)
		assert.Equal(t, c.want, r.run(feeds, grads[x]), name)
	}
}
