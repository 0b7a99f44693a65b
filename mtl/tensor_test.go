package mtl

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTensorChecks(t *testing.T) {
	const c, longest = check("-[T t]"), 1 << 20
	good := tensorShape{dimensions: []int{64, 8}, typ: TensorDataTypeFloat32, usage: TensorUsageCompute}
	for name, x := range map[string]struct {
		change func(*tensorShape)
		want   error
	}{
		"good": {func(*tensorShape) {}, nil},
		"rank 16": {func(s *tensorShape) { s.dimensions = []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1} },
			nil},
		"rank 17":        {func(s *tensorShape) { s.dimensions = make([]int, 17) }, ErrLength},
		"no rank":        {func(s *tensorShape) { s.dimensions = nil }, ErrLength},
		"empty":          {func(s *tensorShape) { s.dimensions = []int{64, 0} }, ErrLength},
		"negative":       {func(s *tensorShape) { s.dimensions = []int{-1} }, ErrLength},
		"huge":           {func(s *tensorShape) { s.dimensions = []int{math.MaxInt, math.MaxInt} }, ErrMemory},
		"too large":      {func(s *tensorShape) { s.dimensions = []int{1<<18 + 1} }, ErrMemory},
		"largest":        {func(s *tensorShape) { s.dimensions = []int{1 << 18} }, nil},
		"nibbles":        {func(s *tensorShape) { s.dimensions, s.typ = []int{1 << 21}, TensorDataTypeInt4 }, nil},
		"no type":        {func(s *tensorShape) { s.typ = TensorDataTypeNone }, ErrArgument},
		"unknown type":   {func(s *tensorShape) { s.typ = 99 }, ErrArgument},
		"no usage":       {func(s *tensorShape) { s.usage = 0 }, ErrArgument},
		"unknown usage":  {func(s *tensorShape) { s.usage = 8 }, ErrArgument},
		"memoryless":     {func(s *tensorShape) { s.options = ResourceStorageModeMemoryless }, ErrStorageMode},
		"managed, apple": {func(s *tensorShape) { s.options = ResourceStorageModeManaged }, ErrStorageMode},
	} {
		s := good
		x.change(&s)
		if err := c.tensor(s, longest, appleTraits); x.want == nil {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, x.want, name)
		}
	}
}

func TestTensorPlaceChecks(t *testing.T) {
	const c = check("-[T t]")
	at := func(typ TensorDataType, strides ...int) tensorShape {
		return tensorShape{dimensions: []int{4, 3}, strides: strides, typ: typ}
	}
	assert.NoError(t, c.tensorIn(at(TensorDataTypeFloat32, 1, 4), 0, 48))
	assert.NoError(t, c.tensorIn(at(TensorDataTypeFloat32, 1, 8), 4, 4+(2*8+4)*4))
	assert.NoError(t, c.tensorIn(at(TensorDataTypeUInt4, 1, 5), 0, 7))
	limitOf(t, c.tensorIn(at(TensorDataTypeFloat32, 1, 4), 0, 47), ErrLength)
	limitOf(t, c.tensorIn(at(TensorDataTypeFloat32, 1, 4), 2, 100), ErrAlignment)
	limitOf(t, c.tensorIn(at(TensorDataTypeFloat32, 1, 4), 104, 100), ErrOffset)
	limitOf(t, c.tensorIn(at(TensorDataTypeFloat32, 1, math.MaxInt), 0, 100), ErrLength)
	require.ErrorIs(t, c.tensorIn(at(TensorDataTypeFloat32, 1), 0, 100), ErrLength, "rank")
	require.ErrorIs(t, c.tensorIn(at(TensorDataTypeFloat32), 0, 100), ErrLength, "no strides")
	require.ErrorIs(t, c.tensorIn(at(TensorDataTypeFloat32, 2, 8), 0, 100), ErrArgument)
	require.ErrorIs(t, c.tensorIn(at(TensorDataTypeFloat32, 1, 3), 0, 100), ErrArgument, "overlaps")
	require.ErrorIs(t, c.tensorIn(at(TensorDataTypeFloat32, 1, -4), 0, 100), ErrArgument)
	require.ErrorIs(t, c.tensorIn(tensorShape{dimensions: []int{0}, strides: []int{1}, typ: TensorDataTypeInt8}, 0, 8),
		ErrLength)
}

func TestTensorSliceChecks(t *testing.T) {
	const c = check("-[T t]")
	s := tensorShape{dimensions: []int{4, 3}}
	assert.NoError(t, c.tensorSlice(s, []int{0, 0}, []int{4, 3}))
	assert.NoError(t, c.tensorSlice(s, []int{3, 2}, []int{1, 1}))
	require.ErrorIs(t, c.tensorSlice(s, []int{0}, []int{4}), ErrLength)
	for _, x := range [][2][]int{
		{{0, 0}, {5, 1}}, {{4, 0}, {1, 1}}, {{-1, 0}, {1, 1}}, {{0, 0}, {0, 1}}, {{0, 0}, {1, -1}},
		{{1, 0}, {math.MaxInt, 1}},
	} {
		require.ErrorIs(t, c.tensorSlice(s, x[0], x[1]), ErrRegion, x)
	}
}

func TestTensorDataTypes(t *testing.T) {
	assert.Equal(t, uint(4), TensorDataTypeInt4.Bits())
	assert.Equal(t, uint(8), TensorDataTypeUInt8.Bits())
	assert.Equal(t, uint(16), TensorDataTypeBFloat16.Bits())
	assert.Equal(t, uint(32), TensorDataTypeFloat32.Bits())
	assert.Zero(t, TensorDataTypeNone.Bits())
	_, err := NewTensorExtents(make([]int, 17))
	limitOf(t, err, ErrLength)
}
