package onnxjudge

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// message appends a field of bytes.
func message(b []byte, number int, value []byte) []byte {
	b = binary.AppendUvarint(b, uint64(number<<3|2))
	b = binary.AppendUvarint(b, uint64(len(value)))
	return append(b, value...)
}

// varint appends a field of an integer.
func varint(b []byte, number int, value uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(number<<3)), value)
}

// TestParse reads a model in each of the forms that a field may have.
func TestParse(t *testing.T) {
	float := message(nil, 4, []byte{0, 0, 192, 63, 0, 0, 0, 192})                  // packed
	float = message(varint(varint(float, 1, 2), 2, uint64(Float)), 8, []byte("w")) // dims not packed
	attribute := message(nil, 1, []byte("axes"))
	attribute = varint(attribute, 8, 3)
	attribute = message(attribute, 8, []byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	node := message(message(message(nil, 1, []byte("x")), 2, []byte("y")), 4, []byte("Squeeze"))
	node = message(node, 5, attribute)
	value := message(message(nil, 1, []byte("x")), 2, message(nil, 1, varint(nil, 1, uint64(BFloat16))))
	g := message(message(message(nil, 1, node), 5, float), 11, value)
	b := message(message(nil, 7, g), 8, varint(nil, 2, 21))
	m, err := ParseModel(b)
	require.NoError(t, err)
	assert.EqualValues(t, 21, m.Opset)
	require.Len(t, m.Graph.Nodes, 1)
	n := m.Graph.Nodes[0]
	assert.Equal(t, "Squeeze", n.Op)
	assert.Equal(t, []string{"x"}, n.Inputs)
	assert.Equal(t, []int{3, 1, -1}, n.Attributes["axes"].Ints)
	assert.Equal(t, []Value{{"x", BFloat16}}, m.Graph.Inputs)
	require.Len(t, m.Graph.Constants, 1)
	assert.Equal(t, []int{2}, m.Graph.Constants[0].Shape)
	assert.Equal(t, []float64{1.5, -2}, m.Graph.Constants[0].Numbers())
	for i := range message(nil, 7, g) { // the whole graph alone would be a model
		_, err := ParseModel(b[:i])
		require.Error(t, err, "the first %d bytes", i)
	}
}

// TestNumbers decodes elements of each type, and refuses data of the wrong size.
func TestNumbers(t *testing.T) {
	for typ, c := range map[Type]struct {
		raw  []byte
		want float64
	}{
		Int8: {[]byte{0xfe}, -2}, Uint8: {[]byte{0xfe}, 254}, Bool: {[]byte{1}, 1}, Int16: {[]byte{0xfe, 0xff}, -2},
		Uint16: {[]byte{0xfe, 0xff}, 65534}, Int32: {[]byte{0xfe, 0xff, 0xff, 0xff}, -2},
		Uint32: {[]byte{0xfe, 0xff, 0xff, 0xff}, 4294967294}, Float16: {[]byte{0, 0xc5}, -5},
		BFloat16: {[]byte{0x20, 0xc1}, -10}, Double: {binary.LittleEndian.AppendUint64(nil, math.Float64bits(2.5)), 2.5},
		Int64: {binary.LittleEndian.AppendUint64(nil, math.MaxUint64), -1}, Float: {[]byte{0, 0, 0x20, 0x40}, 2.5},
		Uint64: {binary.LittleEndian.AppendUint64(nil, 7), 7},
	} {
		b := message(varint(varint(nil, 1, 1), 2, uint64(typ)), 9, c.raw)
		x, err := ParseTensor(b)
		require.NoError(t, err, typ)
		assert.Equal(t, []float64{c.want}, x.Numbers(), typ)
		_, err = ParseTensor(varint(b, 1, 2))
		require.ErrorContains(t, err, "for shape [1 2]", typ)
	}
	for bits, want := range map[uint16]float64{0x0001: math.Ldexp(1, -24), 0x7c00: math.Inf(1), 0x3c01: 1 + 1.0/1024,
		0x8400: -math.Ldexp(1, -14)} {
		assert.InDelta(t, want, half(bits), 0)
	}
	assert.True(t, math.IsNaN(half(0x7e00)))
	_, err := ParseTensor(varint(varint(nil, 1, math.MaxUint64), 2, uint64(Float)))
	require.ErrorContains(t, err, "negative dimension")
}
