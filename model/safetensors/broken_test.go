package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/safetensors"
)

// file returns a file with a header and data.
func file(header, data string) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data...)
}

// refused checks the error about a broken file: it is one short line that names the file.
func refused(t *testing.T, err error, file, want string) {
	t.Helper()
	require.ErrorIs(t, err, safetensors.ErrFormat, want)
	line := err.Error()
	assert.True(t, strings.HasPrefix(line, file+": "), line)
	assert.Contains(t, line, want)
	assert.Less(t, len(line), 600+2*len(file))
	for _, r := range line {
		assert.False(t, r < ' ' || r == 0x7f, "%q has a control character", line)
	}
}

const (
	goodHeader = `{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},` +
		`"b":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}}`
	goodData = "0123456789abcdefxyz"
)

// TestBroken: the smallest changes that break a good file.
func TestBroken(t *testing.T) {
	f, err := safetensors.Parse("good", file(goodHeader, goodData))
	require.NoError(t, err)
	require.Equal(t, "xyz", string(f.Tensor("b").Bytes()))

	length := func(n uint64) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), goodHeader+goodData...) }
	// change replaces a part of the good header.
	change := func(from, to string) []byte {
		require.Equal(t, 1, strings.Count(goodHeader, from), from)
		return file(strings.Replace(goodHeader, from, to, 1), goodData)
	}
	const (
		b     = `"b":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}`
		shape = `"shape":[2,2]`
	)
	n := uint64(len(goodHeader))
	long := strings.Repeat("x", 5000)
	for _, c := range []struct {
		data []byte
		want string // with the offset, as far as it is short to write
	}{
		{nil, "byte 0: the file has 0 bytes, want 8"},
		{make([]byte, 7), "byte 0: the file has 7 bytes, want 8"},
		{length(0), "byte 0: header of 0 bytes"},
		{make([]byte, 8), "byte 0: header of 0 bytes"},
		{length(n - 1), "the header ends in the header, want , or }"},
		{length(n + 1), "1 bytes behind the header's object, want blanks"},
		{length(n + 20), "byte 0: header of 162 bytes, but 161 bytes are left"},
		{length(100_000_001), "byte 0: header of 100000001 bytes, at most 100000000"},
		{length(1 << 63), "byte 0: header of 9223372036854775808 bytes, at most 100000000"},
		{length(math.MaxUint64), "byte 0: header of 18446744073709551615 bytes, at most 100000000"},
		{length(bits.ReverseBytes64(n)), "bytes, at most 100000000"},
		{file(" "+goodHeader, goodData), "byte 8: the header begins with ' ', want '{'"},
		{file("[]", ""), "byte 8: the header begins with '[', want '{'"},
		{file("\x00", ""), `byte 8: the header begins with '\x00', want '{'`},
		{file("null", ""), "byte 8: the header begins with 'n', want '{'"},
		{file("{", ""), "byte 9: the header ends in"},
		{file(goodHeader+"\n", goodData), "1 bytes behind the header's object, want blanks"},
		{file(goodHeader+"  {}", goodData), "2 bytes behind the header's object, want blanks"},
		{file(goodHeader+"\x00", goodData), "1 bytes behind the header's object, want blanks"},
		{file(goodHeader, goodData+"!"), "byte 169: 1 bytes behind the last tensor, want none"},
		{file(goodHeader, goodData[:18]), `tensor "b": data_offsets end at 19, but the file has 18 bytes of data`},
		{file(goodHeader, ""), `tensor "a": data_offsets end at 16, but the file has 0 bytes of data`},
		{change(b, `"b":{"dtype":"U8","shape":[2],"data_offsets":[17,19]}`),
			`tensor "b": data_offsets begin at 17 and leave a hole of 1 bytes`},
		{change(b, `"b":{"dtype":"U8","shape":[4],"data_offsets":[15,19]}`),
			`data_offsets begin at 15 and overlap the tensor before, which ends at 16`},
		{change(b, `"b":{"dtype":"U8","shape":[16],"data_offsets":[0,16]}`), "data_offsets begin at 0 and overlap"},
		{change(b, `"b":{"dtype":"U8","shape":[3],"data_offsets":[19,16]}`),
			"data_offsets [19, 16], but [3] of U8 has 3 bytes"},
		{change(b, `"b":{"dtype":"U8","shape":[2],"data_offsets":[16,19]}`),
			"data_offsets [16, 19], but [2] of U8 has 2 bytes"},
		{change(b, `"b":{"dtype":"U8","shape":[0],"data_offsets":[3,3]},`+strings.Replace(b, "b", "c", 1)),
			`tensor "b": data_offsets begin at 3`},
		{change(b, `"b":{"dtype":"U8","shape":[3],"data_offsets":[16]}`), "data_offsets has 1 numbers, want 2"},
		{change(b, `"b":{"dtype":"U8","shape":[3],"data_offsets":[]}`), "data_offsets has 0 numbers, want 2"},
		{change(b, `"b":{"dtype":"U8","shape":[3],"data_offsets":[16,19,20]}`), "data_offsets has more than 2 numbers"},
		{change(b, `"b":{"dtype":"U8","shape":[3],"data_offsets":{"a":1}}`), `data_offsets: "{\"a\"", want [`},
		{change(b, `"b":{"dtype":"U8","shape":[3],"data_offsets":["16",19]}`), `data_offsets: "\"16\"", want an integer`},
		{change(b, `"b":{"dtype":"U8","shape":[3],"data_offsets":[16,9223372036854775808]}`),
			`data_offsets: "9223372036854775808", want an integer from 0 to 9223372036854775807`},
		{change(b, `"b":{"dtype":"U8","shape":[3],"data_offsets":[9223372036854775804,9223372036854775807]}`),
			"leave a hole of 9223372036854775788 bytes"},
		{change(b, `"b":{"shape":[3],"data_offsets":[16,19]}`), `tensor "b": byte 96: dtype is missing`},
		{change(b, `"b":{"dtype":"U8","data_offsets":[16,19]}`), `tensor "b": byte 96: shape is missing`},
		{change(b, `"b":{"dtype":"U8","shape":[3]}`), `tensor "b": byte 96: data_offsets is missing`},
		{change(b, `"b":{}`), "dtype is missing"},
		{change(b, `"b":null`), `the description: "null", want {`},
		{change(b, `"b":[]`), `the description: "[", want {`},
		{change(b, `"b":"U8"`), `the description: "\"U8\"", want {`},
		{change(b, `"a":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}`), `byte 96: name "a" is there twice`},
		{change(b, `"\u0061":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}`), `name "a" is there twice`},
		{change(b, `"__metadata__":{}`), `name "__metadata__" is there twice`},
		{change(b, `"`+long+`":{}`), "byte 96: a key in the header has 5000 bytes, at most 4096"},
		{change(shape, shape+`,`+shape), `"shape" is there twice`},
		{change(shape, shape+`,"dtype":"F32"`), `"dtype" is there twice`},
		{change(shape, shape+`,"x\u001b":1`), `unknown field "x\x1b", want dtype, shape and data_offsets`},
		{change(shape, `"shape":2`), `shape: "2", want [`},
		{change(shape, `"shape":[-2,2]`), `shape: "-2", want an integer from 0`},
		{change(shape, `"shape":[2.0,2]`), `shape: "2.0", want an integer from 0`},
		{change(shape, `"shape":[2e0,2]`), `shape: "2e0", want an integer from 0`},
		{change(shape, `"shape":[02,2]`), `shape: "02", want an integer from 0`},
		{change(shape, `"shape":[+2,2]`), `shape: "+2", want an integer from 0`},
		{change(shape, `"shape":[true,2]`), `shape: "true", want an integer from 0`},
		{change(shape, `"shape":[null,2]`), `shape: "null", want an integer from 0`},
		{change(shape, `"shape":[2,2,]`), `shape: "]", want an integer from 0`},
		{change(shape, `"shape":[2 2]`), `want an integer from 0`},
		{change(shape, `"shape":[[2,2]]`), `shape: "[2", want an integer from 0`},
		{change(shape, `"shape":[18446744073709551616]`), `shape: "18446744073709551616", want an integer`},
		{change(shape, `"shape":[`+strings.Repeat("9", 5000)+`]`), `99"..., want an integer`},
		{change(shape, `"shape":[4294967296,4294967296,4294967296]`), "or more than 281474976710656 bytes"},
		{change(shape, `"shape":[4611686018427387905]`), "or more than 281474976710656 bytes"}, // 4 bytes if it wraps
		{change(shape, `"shape":[2,2`+strings.Repeat(",1", 15)+`]`), "shape has more than 16 numbers"},
		{change(shape, `"shape":`+strings.Repeat("[", 60_000)), "want an integer"},
		{change(`"F32"`, `"F33"`), `byte 40: dtype is "F33", which is unknown`},
		{change(`"F32"`, `"f32"`), `dtype is "f32", which is unknown`},
		{change(`"F32"`, `""`), `dtype is "", which is unknown`},
		{change(`"F32"`, `"\n\u007f`+long[:4000]+`"`), `dtype is "\n\x7fxxx`},
		{change(`"F32"`, `32`), `dtype: "32", want a string`},
		{change(`"F32"`, `"F16"`), "data_offsets [0, 16], but [2 2] of F16 has 8 bytes"},
		{change(`"U8"`, `"F4"`), "shape [3] of F4 has 12 bits, which are not whole bytes"},
		{change(`{"format":"pt"}`, `null`), `__metadata__: "null", want {`},
		{change(`{"format":"pt"}`, `["pt"]`), `__metadata__: "[\"pt\"", want {`},
		{change(`"pt"`, `1`), `__metadata__: "1", want a string`},
		{change(`"pt"`, `null`), `__metadata__: "null", want a string`},
		{change(`"pt"`, `{"a":"b"}`), `want a string`},
		{change(`"pt"`, `"pt","format":"np"`), `key "format" of __metadata__ is there twice`},
		{change(`"pt"`, `"pt",`), `a key in __metadata__: "}", want a string`},
		{change(`"pt"`, "\"p\nt\""), `__metadata__ has the control character '\n', want it escaped`},
		{change(`"pt"`, "\"p\xfft\""), "byte 8: the header is not UTF-8"},
		{change(`"pt"`, `"\x70"`), "__metadata__ has an unknown escape sequence or half a surrogate"},
		{change(`"pt"`, `"\u00"`), "__metadata__ has an unknown escape sequence"},
		{change(`"pt"`, `"\u+0ff"`), "__metadata__ has an unknown escape sequence"},
		{change(`"pt"`, `"\ud800"`), "half a surrogate"},
		{change(`"pt"`, `"\ud800\u0041"`), "half a surrogate"},
		{change(`"pt"`, `"\udc00\ud800"`), "half a surrogate"},
		{change(`"pt"`, `"pt`), "want , or }"},
		{file(`{"a`, ""), `byte 9: a key in the header is a string without an end`},
		{file(`{"a\`, ""), `byte 9: a key in the header is a string without an end`},
		{file(`{"a"}`, ""), `the header: "}", want :`},
		{file(`{"a":}`, ""), `the description: "}", want {`},
		{file(`{a:1}`, ""), `byte 9: a key in the header: "a", want a string`},
		{file(`{,}`, ""), `a key in the header: ",", want a string`},
		{change(`,"a"`, `;"a"`), `the header: ";\"a\"", want , or }`},
		{change(`,"a"`, `,,"a"`), `a key in the header: ",", want a string`},
	} {
		name := saved(t, "x.safetensors", c.data)
		_, err := safetensors.Open(name)
		refused(t, err, name, c.want)
		assert.Contains(t, err.Error(), "byte ")
		_, again := safetensors.Parse(name, c.data)
		require.EqualError(t, again, err.Error())
	}
}

// TestTruncated: a file that ends too early is refused, and so is one that goes on.
func TestTruncated(t *testing.T) {
	whole := file(goodHeader, goodData)
	for n := range whole {
		_, err := safetensors.Parse("short", whole[:n])
		refused(t, err, "short", "byte ")
		header := goodHeader[:min(n, len(goodHeader)-1)]
		_, err = safetensors.Parse("short", file(header, goodData))
		refused(t, err, "short", "byte ")
	}
}

// TestFlipped: no byte of a file makes the reader panic, and what it accepts can be read.
func TestFlipped(t *testing.T) {
	whole := file(goodHeader, goodData)
	accepted := 0
	for i := range whole {
		for _, x := range []byte{0, ' ', '"', '\\', ',', '{', '}', '[', ']', '0', 0x80, 0xff, whole[i] + 1} {
			data := bytes.Clone(whole)
			data[i] = x
			f, err := safetensors.Parse("flipped", data)
			if err != nil {
				refused(t, err, "flipped", "byte ")
				continue
			}
			accepted++
			readAll(t, f)
		}
	}
	assert.NotZero(t, accepted)
}

// TestNoFile: what is no regular file.
func TestNoFile(t *testing.T) {
	_, err := safetensors.Open(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	dir := t.TempDir()
	_, err = safetensors.Open(dir)
	require.ErrorContains(t, err, dir)
}
