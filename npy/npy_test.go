package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// file returns a .npy file with the given header, padded as NumPy pads it.
func file(version byte, header string, data ...byte) []byte {
	b := append([]byte(magic), version, 0)
	header += "\n"
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

// TestBytes: the bytes are those that numpy.save writes for numpy.arange(6, dtype='<f4').reshape(2,
// 3), according to the format's description: everything before the data has a length that is a
// multiple of 64, and the header ends with a newline.
func TestBytes(t *testing.T) {
	a, err := Of([]float32{0, 1, 2, 3, 4, 5}, 2, 3)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, Write(&b, a))
	want := "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
	want += strings.Repeat(" ", 127-len(want)) + "\n"
	want += "\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40"
	assert.Equal(t, want, b.String())
}

// round writes values, reads them again, and compares.
func round[T Element](t *testing.T, typ Type, data []T, shape ...int) {
	a, err := Of(data, shape...)
	require.NoError(t, err)
	assert.Equal(t, typ, a.Type)
	name := filepath.Join(t.TempDir(), "a.npy")
	require.NoError(t, WriteFile(name, a))
	again, err := ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, a, again)
	values, err := Values[T](again)
	require.NoError(t, err)
	assert.Equal(t, data, values)
}

func TestRoundTrip(t *testing.T) {
	round(t, Bool, []bool{true, false})
	round(t, Int8, []int8{-128, 127}, 2)
	round(t, Int16, []int16{math.MinInt16}, 1, 1, 1)
	round(t, Int32, []int32{1, 2, 3, 4, 5, 6}, 3, 2)
	round(t, Int64, []int64{math.MinInt64})
	round(t, Uint8, []uint8{255})
	round(t, Uint16, []uint16{65535})
	round(t, Uint32, []uint32{math.MaxUint32})
	round(t, Uint64, []uint64{math.MaxUint64})
	round(t, Float32, []float32{1.5, float32(math.Inf(1))})
	round(t, Float64, []float64{1e300})
	round(t, Float64, []float64{}, 0, 5)
}

// TestOtherMachines reads other variants of the format: versions 2 and 3, big-endian numbers,
// column-major order, a single number, Python 2's long sizes, any order of keys.
func TestOtherMachines(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		want *Array
	}{
		"version 2": {file(2, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", 1, 2),
			&Array{Uint8, []int{2}, []byte{1, 2}}},
		"version 3": {file(3, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", 1, 0),
			&Array{Bool, []int{2}, []byte{1, 0}}},
		"big": {file(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }", 0, 1, 0, 2),
			&Array{Uint16, []int{2}, []byte{1, 0, 2, 0}}},
		"columns": {file(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", 0, 3, 1, 4, 2, 5),
			&Array{Uint8, []int{2, 3}, []byte{0, 1, 2, 3, 4, 5}}},
		"big columns": {file(1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 1, 2)}", 0, 1, 0, 2, 0, 3, 0, 4),
			&Array{Int16, []int{2, 1, 2}, []byte{1, 0, 3, 0, 2, 0, 4, 0}}},
		"number": {file(1, "{'descr': '<i2', 'fortran_order': False, 'shape': ()}", 7, 0),
			&Array{Int16, []int{}, []byte{7, 0}}},
		"order, 2L": {file(1, `{"shape":(2L,),"descr":"|i1","fortran_order":False}`, 1, 2, 99),
			&Array{Int8, []int{2}, []byte{1, 2}}},
		"half": {file(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }", 0, 0x3c),
			&Array{Float16, []int{1}, []byte{0, 0x3c}}},
	} {
		a, err := Read(bytes.NewReader(c.file))
		if assert.NoError(t, err, name) {
			assert.Equal(t, c.want, a, name)
		}
	}
}

func TestWrong(t *testing.T) {
	const rest = "'fortran_order': False, 'shape': (2,), }"
	for want, c := range map[string]struct {
		file []byte
		kind error
	}{
		"the file ends within the":      {[]byte("\x93NUM"), ErrFormat},
		"does not begin with":           {[]byte("PK\x03\x04 and so on"), ErrFormat},
		"format version 9.0 is not":     {file(9, ""), ErrFormat},
		"the header's 16777216 bytes":   {append([]byte(magic), 2, 0, 0, 0, 0, 1), ErrFormat},
		"the file ends after 3":         {file(1, "{'descr': '<f4', "+rest, 1, 2, 3), ErrFormat},
		"element type \"<c8\"":          {file(1, "{'descr': '<c8', "+rest), ErrType},
		"element type \"|O\"":           {file(1, "{'descr': '|O', "+rest), ErrType},
		"structured types are not":      {file(1, "{'descr': [('a', '<f4')], "+rest), ErrType},
		"the header has no descr":       {file(1, "{"+rest), ErrFormat},
		"unknown key \"color\"":         {file(1, "{'color': 'red', "+rest), ErrFormat},
		"key \"shape\" occurs twice":    {file(1, "{'shape': (1,), "+rest), ErrFormat},
		"neither True nor False":        {file(1, "{'fortran_order': 0}"), ErrFormat},
		"not a tuple of sizes, at \"-2": {file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}"), ErrFormat},
		"of 8 bytes exceed the address space": {file(1,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"), ErrShape},
		"65 dimensions exceed the limit of 64": {file(1,
			"{'descr': '<f8', 'fortran_order': False, 'shape': ("+strings.Repeat("1,", 65)+")}"), ErrShape},
		"unexpected text after the header":  {file(1, "{'descr': '<f4', "+rest+" {}"), ErrFormat},
		"unterminated string in the header": {file(1, "{'descr: 4"), ErrFormat},
		// must allocate no memory
		"4611686018427387904 bytes, the": {file(1,
			"{'descr': '|u1', 'fortran_order': False, 'shape': (4611686018427387904,)}", 1), ErrFormat},
	} {
		_, err := Read(bytes.NewReader(c.file))
		if assert.ErrorIs(t, err, c.kind, want) {
			assert.Contains(t, err.Error(), want)
		}
	}
	_, err := Of([]int8{1, 2, 3}, 2)
	assert.ErrorIs(t, err, ErrShape)
	_, err = Of([]int8{}, -1)
	assert.ErrorIs(t, err, ErrShape)
	assert.ErrorIs(t, Write(&bytes.Buffer{}, &Array{Float32, []int{2}, make([]byte, 7)}), ErrShape)
	assert.ErrorIs(t, Write(&bytes.Buffer{}, &Array{"f3", []int{2}, nil}), ErrType)
	_, err = Values[int8](&Array{Uint8, []int{1}, []byte{1}})
	assert.ErrorIs(t, err, ErrType)
	_, err = Values[uint8](&Array{Uint8, []int{2}, []byte{1}})
	assert.ErrorIs(t, err, ErrShape)
}

// FuzzRead: any input gives an array or an error, and an array is unchanged after writing and
// reading it again.
func FuzzRead(f *testing.F) {
	f.Add(file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", 1, 2, 3, 4, 5, 6, 7, 8))
	f.Add(file(2, "{'descr': '>u2', 'fortran_order': True, 'shape': (1, 2), }", 1, 2, 3, 4))
	f.Add(file(3, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 1))
	f.Add(file(1, fmt.Sprintf("{'descr': '|u1', 'fortran_order': True, 'shape': (0, %d), }", math.MaxInt64)))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, a); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b)
		if err != nil || !bytes.Equal(again.Data, a.Data) || again.Len() != a.Len() || again.Type != a.Type {
			t.Fatalf("%v became %v: %v", a, again, err)
		}
	})
}

// TestWriteHeader: a header and the elements are what Write writes.
func TestWriteHeader(t *testing.T) {
	a, err := Of([]uint16{1, 2, 3, 4, 5, 6}, 2, 3)
	require.NoError(t, err)
	var whole, parts bytes.Buffer
	require.NoError(t, Write(&whole, a))
	require.NoError(t, WriteHeader(&parts, a.Type, a.Shape...))
	parts.Write(a.Data)
	assert.Equal(t, whole.Bytes(), parts.Bytes())
	assert.ErrorIs(t, WriteHeader(&parts, Float32, -1), ErrShape)
}
