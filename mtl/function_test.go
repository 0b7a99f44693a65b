package mtl

import (
	"fmt"
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFunctionNames(t *testing.T) {
	const c = check("-[T t]")
	assert.NoError(t, c.named("b", []string{"a", "b"}))
	err := c.named("x", []string{"a", "b"})
	require.ErrorIs(t, err, ErrNoFunction)
	assert.ErrorContains(t, err, `"x": the library has ["a" "b"]`)
	assert.ErrorContains(t, c.named("x", nil), "no functions")
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprint("f", i)
	}
	err = c.named("x", many)
	assert.ErrorContains(t, err, "and more")
	assert.NotContains(t, err.Error(), "f99")
}

func TestNewFunction(t *testing.T) {
	d := testDevice(t)
	l := testLibrary(t, d)
	f, err := l.NewFunction("add")
	require.NoError(t, err)
	defer f.Release()
	assert.Equal(t, "add", f.Name())
	assert.Equal(t, FunctionTypeKernel, f.FunctionType())
	assert.Empty(t, f.FunctionConstants())

	_, err = l.NewFunction("")
	require.ErrorIs(t, err, ErrArgument)
	_, err = l.NewFunction("sub")
	require.ErrorIs(t, err, ErrNoFunction)
	assert.ErrorContains(t, err, "add")
	assert.ErrorContains(t, err, "scaled")
	_, err = l.NewFunctionWithConstants("add", FunctionConstantValues{})
	require.ErrorIs(t, err, ErrNil)

	desc, err := NewFunctionDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	_, err = l.NewFunctionWithDescriptor(desc)
	require.ErrorIs(t, err, ErrArgument)
	_, err = l.NewFunctionWithDescriptor(FunctionDescriptor{})
	require.ErrorIs(t, err, ErrNil)
	desc.SetName("sub")
	_, err = l.NewFunctionWithDescriptor(desc)
	require.ErrorIs(t, err, ErrNoFunction)
	var o *objc.Error
	require.ErrorAs(t, err, &o)
	desc.SetName("add")
	g, err := l.NewFunctionWithDescriptor(desc)
	require.NoError(t, err)
	assert.Equal(t, "add", g.Name())
	g.Release()
	got := make(chan error, 1)
	require.NoError(t, l.NewFunctionWithDescriptorAsync(desc, func(f Function, err error) {
		f.Release()
		got <- err
	}))
	require.NoError(t, <-got)
	require.ErrorIs(t, l.NewFunctionWithDescriptorAsync(desc, nil), ErrNil)
}

func TestFunctionConstants(t *testing.T) {
	d := testDevice(t)
	l := testLibrary(t, d)
	plain, err := l.NewFunction("scaled")
	require.NoError(t, err)
	defer plain.Release()
	assert.Equal(t, map[string]ConstantInfo{
		"scale": {Type: DataTypeUInt, Index: 0, Required: true},
		"flip":  {Type: DataTypeBool, Index: 1, Required: true},
	}, plain.FunctionConstants())
	_, err = d.NewComputePipelineState(plain)
	require.Error(t, err, "its constants have no values")

	v, err := NewFunctionConstantValues()
	require.NoError(t, err)
	defer v.Release()
	require.NoError(t, v.Set(0, uint32(3)))
	require.NoError(t, v.SetNamed("flip", true))
	f, err := l.NewFunctionWithConstants("scaled", v)
	require.NoError(t, err)
	defer f.Release()
	p, err := d.NewComputePipelineState(f)
	require.NoError(t, err)
	p.Release()
	_, err = l.NewFunctionWithConstants("sub", v)
	require.ErrorIs(t, err, ErrNoFunction)
	_, err = l.NewFunctionWithConstants("", v)
	require.ErrorIs(t, err, ErrArgument)

	got := make(chan error, 1)
	done := func(f Function, err error) {
		f.Release()
		got <- err
	}
	require.NoError(t, l.NewFunctionWithConstantsAsync("scaled", v, done))
	require.NoError(t, <-got)
	require.NoError(t, l.NewFunctionWithConstantsAsync("sub", v, done))
	require.ErrorIs(t, <-got, ErrNoFunction)
	require.ErrorIs(t, l.NewFunctionWithConstantsAsync("scaled", v, nil), ErrNil)

	v.Reset()
	require.NoError(t, v.SetRange(0, []float32{1, 2}))
	_, err = l.NewFunctionWithConstants("scaled", v)
	require.Error(t, err, "a float for a uint")
}

func TestConstantTypes(t *testing.T) {
	const c = check("-[T t]")
	type custom float32
	for _, x := range []struct {
		value any
		typ   DataType
		data  []byte
	}{
		{true, DataTypeBool, []byte{1}},
		{false, DataTypeBool, []byte{0}},
		{int8(-1), DataTypeChar, []byte{0xff}},
		{uint8(2), DataTypeUChar, []byte{2}},
		{int16(-2), DataTypeShort, []byte{0xfe, 0xff}},
		{uint16(0x1234), DataTypeUShort, []byte{0x34, 0x12}},
		{int32(-1), DataTypeInt, []byte{0xff, 0xff, 0xff, 0xff}},
		{uint32(7), DataTypeUInt, []byte{7, 0, 0, 0}},
		{int64(-1), DataTypeLong, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		{uint64(1), DataTypeULong, []byte{1, 0, 0, 0, 0, 0, 0, 0}},
		{float32(1), DataTypeFloat, []byte{0, 0, 0x80, 0x3f}},
		{Half(0x3c00), DataTypeHalf, []byte{0, 0x3c}},
		{BFloat(0x3f80), DataTypeBFloat, []byte{0x80, 0x3f}},
		{[2]uint8{1, 2}, DataTypeUChar2, []byte{1, 2}},
		{[3]uint8{1, 2, 3}, DataTypeUChar3, []byte{1, 2, 3, 0}},
		{[4]bool{true, false, true}, DataTypeBool4, []byte{1, 0, 1, 0}},
		{[3]Half{1, 2, 3}, DataTypeHalf3, []byte{1, 0, 2, 0, 3, 0, 0, 0}},
		{[2]float32{1, 0}, DataTypeFloat2, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0}},
	} {
		typ, data, err := c.constant(x.value)
		require.NoError(t, err, "%T", x.value)
		assert.Equal(t, x.typ, typ, "%T", x.value)
		assert.Equal(t, x.data, data, "%T", x.value)
	}
	for _, bad := range []any{nil, 1, uint(1), 1.0, "x", custom(1), [1]int32{}, [5]int32{}, [0]int32{}, []int32{1},
		[2]int{}, [2][2]float32{}, new(int32), struct{}{}} {
		_, _, err := c.constant(bad)
		require.ErrorIs(t, err, ErrArgument, "%T", bad)
	}

	typ, data, n, err := c.constantSlice([][3]uint8{{1, 2, 3}, {4, 5, 6}})
	require.NoError(t, err)
	assert.Equal(t, DataTypeUChar3, typ)
	assert.Equal(t, []byte{1, 2, 3, 0, 4, 5, 6, 0}, data)
	assert.EqualValues(t, 2, n)
	_, _, _, err = c.constantSlice([]uint32{})
	require.ErrorIs(t, err, ErrLength)
	for _, bad := range []any{nil, 1, []int{1}, []any{uint32(1)}, [2]uint32{}} {
		_, _, _, err = c.constantSlice(bad)
		require.ErrorIs(t, err, ErrArgument, "%T", bad)
	}
}

func TestConstantIndices(t *testing.T) {
	testDevice(t)
	v, err := NewFunctionConstantValues()
	require.NoError(t, err)
	defer v.Release()
	require.NoError(t, v.Set(MaxFunctionConstantIndex, true))
	limitOf(t, v.Set(MaxFunctionConstantIndex+1, true), ErrIndex)
	limitOf(t, v.Set(^uint(0), true), ErrIndex)
	limitOf(t, v.SetRange(MaxFunctionConstantIndex, []bool{true, false}), ErrIndex)
	limitOf(t, v.SetRange(^uint(0), []bool{true, false}), ErrIndex)
	require.ErrorIs(t, v.SetNamed("", true), ErrArgument)
	require.ErrorIs(t, v.Set(0, 1), ErrArgument)
}
