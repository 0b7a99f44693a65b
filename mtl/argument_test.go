package mtl

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/standin"
)

func TestArgumentSpans(t *testing.T) {
	const c = check("-[T t]")
	assert.NoError(t, c.spans([]argumentSpan{{0, 4}, {4, 1}, {7, 2}}))
	require.ErrorIs(t, c.spans([]argumentSpan{{0, 4}, {3, 1}}), ErrArgument)
	limitOf(t, c.spans([]argumentSpan{{MaxArguments, 1}}), ErrIndex)
	limitOf(t, c.spans([]argumentSpan{{math.MaxUint64, 5}}), ErrIndex)

	s := &argumentState{spans: []argumentSpan{{4, 1}, {0, 4}, {7, 2}}}
	assert.True(t, s.has(0, 5))
	assert.True(t, s.has(8, 1))
	assert.False(t, s.has(0, 6))
	assert.False(t, s.has(5, 1))
	assert.False(t, s.has(8, 2))
	assert.False(t, s.has(math.MaxUint64, 1))
}

// testEncoder makes an encoder for pointers at the indices 0 to 3.
func testEncoder(t *testing.T, d Device) ArgumentEncoder {
	t.Helper()
	a, err := NewArgumentDescriptor()
	require.NoError(t, err)
	defer a.Release()
	a.SetDataType(DataTypePointer)
	a.SetArrayLength(4)
	e, err := d.NewArgumentEncoder([]ArgumentDescriptor{a})
	require.NoError(t, err)
	t.Cleanup(e.Release)
	return e
}

func TestNewArgumentEncoder(t *testing.T) {
	d := testDevice(t)
	_, err := d.NewArgumentEncoder(nil)
	limitOf(t, err, ErrLength)
	_, err = d.NewArgumentEncoder([]ArgumentDescriptor{{}})
	require.ErrorIs(t, err, ErrNil)
	a, err := NewArgumentDescriptor()
	require.NoError(t, err)
	defer a.Release()
	_, err = d.NewArgumentEncoder([]ArgumentDescriptor{a})
	require.ErrorIs(t, err, ErrArgument, "no data type")
	a.SetDataType(DataTypePointer)
	_, err = d.NewArgumentEncoder([]ArgumentDescriptor{a, a})
	require.ErrorIs(t, err, ErrArgument, "one index twice")
	a.SetIndex(1 << 40)
	_, err = d.NewArgumentEncoder([]ArgumentDescriptor{a})
	limitOf(t, err, ErrIndex)
	_, err = d.NewArgumentEncoderForBinding(BufferBinding{})
	require.ErrorIs(t, err, ErrNil)

	f := testKernel(t, d)
	_, err = f.NewArgumentEncoder(31)
	limitOf(t, err, ErrIndex)
}

func TestArgumentBuffer(t *testing.T) {
	d := testDevice(t)
	e := testEncoder(t, d)
	length := e.EncodedLength()
	require.Equal(t, uint(32), length)
	b := testBuffer(t, d, 4*length, 0)
	data := testBuffer(t, d, 64, 0)

	require.ErrorIs(t, e.SetBuffer(data, 0, 0), ErrState)
	require.ErrorIs(t, e.SetBuffers([]Buffer{data}, []uint{0}, 0), ErrState)
	require.ErrorIs(t, e.SetTexture(Texture{}, 0), ErrState)
	require.ErrorIs(t, e.SetConstant(0, nil), ErrState)
	limitOf(t, e.SetArgumentBuffer(b, 1), ErrAlignment)
	limitOf(t, e.SetArgumentBuffer(b, 4*length), ErrLength)
	limitOf(t, e.SetArgumentBuffer(b, 3*length+e.Alignment()), ErrLength)
	limitOf(t, e.SetArgumentBuffer(b, 1<<40), ErrOffset)
	limitOf(t, e.SetArgumentBuffer(b, math.MaxUint-7), ErrOffset)
	limitOf(t, e.SetArgumentBufferElement(b, 0, 4), ErrLength)
	limitOf(t, e.SetArgumentBufferElement(b, 0, math.MaxUint), ErrOffset)
	require.ErrorIs(t, e.SetBuffer(data, 0, 0), ErrState, "none of them was set")

	require.NoError(t, e.SetArgumentBuffer(b, length))
	require.NoError(t, e.SetBuffer(data, 16, 1))
	require.NoError(t, e.SetBuffers([]Buffer{data, {}}, []uint{8, 0}, 2))
	require.NoError(t, e.SetBuffers(nil, nil, 0))
	limitOf(t, e.SetBuffer(data, 65, 1), ErrOffset)
	require.ErrorIs(t, e.SetBuffer(data, 0, 4), ErrIndex)
	limitOf(t, e.SetBuffer(data, 0, math.MaxUint), ErrIndex)
	require.ErrorIs(t, e.SetBuffers([]Buffer{data, data}, []uint{0, 0}, 3), ErrIndex)
	limitOf(t, e.SetBuffers([]Buffer{data, data}, []uint{0}, 0), ErrArgument)
	limitOf(t, e.SetBuffers([]Buffer{data, data}, []uint{0, 65}, 0), ErrOffset)
	require.ErrorIs(t, e.SetTextures(make([]Texture, 5), 0), ErrIndex)
	require.ErrorIs(t, e.SetSamplerState(SamplerState{}, 4), ErrIndex)
	require.ErrorIs(t, e.SetSamplerStates(make([]SamplerState, 2), 3), ErrIndex)
	require.ErrorIs(t, e.SetComputePipelineState(ComputePipelineState{}, 4), ErrIndex)
	require.ErrorIs(t, e.SetComputePipelineStates(make([]ComputePipelineState, 2), 3), ErrIndex)
	require.ErrorIs(t, e.SetIndirectCommandBuffer(IndirectCommandBuffer{}, 4), ErrIndex)
	require.ErrorIs(t, e.SetIndirectCommandBuffers(make([]IndirectCommandBuffer, 2), 3), ErrIndex)
	require.ErrorIs(t, e.SetAccelerationStructure(AccelerationStructure{}, 4), ErrIndex)
	require.ErrorIs(t, e.SetVisibleFunctionTable(VisibleFunctionTable{}, 4), ErrIndex)
	require.ErrorIs(t, e.SetVisibleFunctionTables(make([]VisibleFunctionTable, 2), 3), ErrIndex)
	require.ErrorIs(t, e.SetIntersectionFunctionTable(IntersectionFunctionTable{}, 4), ErrIndex)
	require.ErrorIs(t, e.SetIntersectionFunctionTables(make([]IntersectionFunctionTable, 2), 3), ErrIndex)
	_, err := e.NewNestedEncoder(4)
	require.ErrorIs(t, err, ErrIndex)

	if standin.Running() { // where a slot is the address
		slots, err := Slice[uint64](b)
		require.NoError(t, err)
		assert.Equal(t, []uint64{0, data.GPUAddress() + 16, data.GPUAddress() + 8, 0}, slots[4:8])
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = e.SetBuffer(data, 16, 1) }))

	require.NoError(t, e.SetArgumentBuffer(Buffer{}, 0))
	require.ErrorIs(t, e.SetBuffer(data, 0, 0), ErrState, "unset again")
}

func TestArgumentConstant(t *testing.T) {
	d := testDevice(t)
	e := testEncoder(t, d)
	b := testBuffer(t, d, e.EncodedLength()+8, 0)
	require.NoError(t, e.SetArgumentBuffer(b, 8))
	require.NoError(t, e.SetConstant(3, []byte{1, 2, 3}))
	limitOf(t, e.SetConstant(3, make([]byte, 9)), ErrLength)
	require.ErrorIs(t, e.SetConstant(4, nil), ErrIndex)
	bytes, err := b.BytesAt(8+3*8, 4)
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 2, 3, 0}, bytes)

	private := testBuffer(t, d, e.EncodedLength(), ResourceStorageModePrivate)
	require.NoError(t, e.SetArgumentBuffer(private, 0))
	require.ErrorIs(t, e.SetConstant(0, []byte{1}), ErrStorageMode)

	other := ArgumentEncoderFrom(e.ID()) // remembers nothing
	require.ErrorIs(t, other.SetConstant(0, []byte{1}), ErrState)
	limitOf(t, other.SetBuffer(b, 0, MaxArguments), ErrIndex)
}
