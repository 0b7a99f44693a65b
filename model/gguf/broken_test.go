package gguf_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
)

// field is a part of a file that tests replace.
type field struct {
	name string
	data []byte
}

func u32(x uint32) []byte  { return binary.LittleEndian.AppendUint32(nil, x) }
func u64(x uint64) []byte  { return binary.LittleEndian.AppendUint64(nil, x) }
func text(s string) []byte { return append(u64(uint64(len(s))), s...) }

// file is a file, field by field. It owes nothing to Write.
type file []field

// good returns a file with two tensors and five keys.
func good() file {
	const str, arr = 8, 9
	return file{
		{"magic", []byte("GGUF")}, {"version", u32(3)}, {"tensors", u64(2)}, {"keys", u64(5)},
		{"key0", text("general.alignment")}, {"kind0", u32(4)}, {"alignment", u32(32)},
		{"key1", text("general.architecture")}, {"kind1", u32(str)}, {"text", text("llama")},
		{"key2", text("flag")}, {"kind2", u32(7)}, {"bool", []byte{1}},
		{"key3", text("list")}, {"kind3", u32(arr)}, {"elem3", u32(4)}, {"n3", u64(3)},
		{"list", slices.Concat(u32(1), u32(2), u32(3))},
		{"key4", text("nested")}, {"kind4", u32(arr)}, {"elem4", u32(arr)}, {"n4", u64(1)},
		{"elem5", u32(str)}, {"n5", u64(2)}, {"string5", text("a")}, {"string6", text("bc")},
		{"name0", text("a")}, {"rank0", u32(2)}, {"inner0", u64(32)}, {"outer0", u64(2)}, {"type0", u32(2)},
		{"offset0", u64(0)},
		{"name1", text("b")}, {"rank1", u32(1)}, {"inner1", u64(4)}, {"type1", u32(0)}, {"offset1", u64(64)},
		{"pad", nil}, {"data", bytes.Repeat([]byte{60}, 80)}, // 36 bytes, a gap, 16 bytes
	}
}

// set replaces a field.
func (f file) set(name string, data ...[]byte) file {
	for i := range f {
		if f[i].name == name {
			f[i].data = slices.Concat(data...)
			return f
		}
	}
	panic("no field " + name)
}

// at returns where a field begins.
func (f file) at(name string) (n int) {
	for _, x := range f {
		if x.name == name {
			return n
		}
		n += len(x.data)
	}
	panic("no field " + name)
}

// bytes returns the file, with the data where they have to be.
func (f file) bytes() (b []byte) {
	for _, x := range f {
		if x.name == "pad" && x.data == nil {
			x.data = make([]byte, (32-len(b)%32)%32)
		}
		b = append(b, x.data...)
	}
	return b
}

// refused checks the error about a broken file: it is one short line that names the file.
func refused(t *testing.T, err error, file, want string) {
	t.Helper()
	require.ErrorIs(t, err, gguf.ErrFormat, want)
	line := err.Error()
	assert.True(t, strings.HasPrefix(line, file+": "), line)
	assert.Contains(t, line, want)
	assert.Contains(t, line, "byte ", line)
	assert.Less(t, len(line), 600+len(file))
	for _, r := range line {
		assert.False(t, r < ' ' || r == 0x7f, "%q has a control character", line)
	}
}

// TestBroken: the smallest changes that break a good file.
func TestBroken(t *testing.T) {
	const huge = math.MaxInt64
	f, err := gguf.Parse("good", good().bytes())
	require.NoError(t, err)
	require.Equal(t, []any{[]string{"a", "bc"}}, f.Metadata[4].Value.Any())
	require.Len(t, f.Tensor("b").Bytes(), 16)

	deep := func(n int) (b []byte) { // so many arrays in each other, the innermost with a byte
		for range n - 1 {
			b = slices.Concat(b, u32(9), u64(1))
		}
		return slices.Concat(b, u32(0), u64(1), []byte{7})
	}
	flat := func(n int) file {
		return good().set("elem4", deep(n)).set("n4").set("elem5").set("n5").set("string5").set("string6")
	}
	_, err = gguf.Parse("good", flat(8).bytes())
	require.NoError(t, err)
	long := strings.Repeat("x", 70_000)

	for _, c := range []struct {
		file  file
		field string // that the error is about: its offset is in the error, unless it is ""
		want  string
	}{
		{good().set("magic", []byte("GGML")), "magic", `magic number "GGML", want "GGUF"`},
		{good().set("magic", []byte("FUGG")), "magic", `magic number "FUGG", want "GGUF"`},
		{good().set("magic", []byte("G\nU\x1b")), "magic", `magic number "G\nU\x1b", want "GGUF"`},
		{good().set("version", u32(0)), "version", "version 0, want 2 or 3"},
		{good().set("version", u32(1)), "version", "version 1, want 2 or 3"},
		{good().set("version", u32(4)), "version", "version 4, want 2 or 3"},
		{good().set("version", []byte{0, 0, 0, 3}), "version", "a big-endian file"},
		{good().set("version", u32(math.MaxUint32)), "version", "version 4294967295, want 2 or 3"},
		{good().set("tensors", u64(3)), "pad", "a tensor's name is empty"},
		{good().set("tensors", u64(1<<17+1)), "tensors", "number of tensors 131073, at most 131072"},
		{good().set("tensors", u64(131072)), "tensors", "number of tensors 131072, but"},
		{good().set("tensors", u64(1<<63)), "tensors", "number of tensors 9223372036854775808, at most"},
		{good().set("tensors", u64(math.MaxUint64)), "tensors", "number of tensors 18446744073709551615, at most"},
		{good().set("keys", u64(6)), "", "length of a tensor's name"},
		{good().set("keys", u64(4)), "", "tensor"},
		{good().set("keys", u64(1<<16+1)), "keys", "number of keys 65537, at most 65536"},
		{good().set("keys", u64(1<<16)), "keys", "number of keys 65536, but"},
		{good().set("keys", u64(1<<63)), "keys", "number of keys 9223372036854775808, at most"},
		{good().set("key1", u64(0)), "key1", "a key is empty"},
		{good().set("key1", text(long)), "key1", "length of a key 70000, at most 65535"},
		{good().set("key1", u64(60_000)), "key1", "length of a key 60000, but"},
		{good().set("key1", u64(1<<63)), "key1", "length of a key 9223372036854775808, at most 65535"},
		{good().set("key1", text("\xff\n")), "", `a key is "\xff\n", want UTF-8`},
		{good().set("key2", text("list")), "key3", `key "list" is there twice`},
		{good().set("key2", text("a\nb")).set("bool", []byte{2}), "bool", `key "a\nb": byte`},
		{good().set("kind1", u32(13)), "text", "value of kind 13, known are 0 to 12"},
		{good().set("kind1", u32(math.MaxUint32)), "text", "value of kind 4294967295"},
		{good().set("text", u64(1<<20)), "text", "length of a string 1048576, but"},
		{good().set("text", u64(1<<63)), "text", "length of a string 9223372036854775808, at most 67108864"},
		{good().set("text", u64(math.MaxUint64)), "text", "length of a string 18446744073709551615, at most"},
		{good().set("text", text("\xc3\x28")), "", `a string is "\xc3(", want UTF-8`},
		{good().set("string6", text("\xed\xa0\x80")), "", `want UTF-8`}, // a surrogate
		{good().set("bool", []byte{2}), "bool", "bool is 2, want 0 or 1"},
		{good().set("bool", []byte{255}), "bool", "bool is 255, want 0 or 1"},
		{good().set("elem3", u32(7)).set("n3", u64(2)).set("list", []byte{1, 2}), "", "bool is 2, want 0 or 1"},
		{good().set("elem3", u32(13)), "elem3", "array of kind 13, known are 0 to 12"},
		{good().set("elem5", u32(1<<31)), "elem5", "array of kind 2147483648"},
		{good().set("n3", u64(1<<20)), "n3", "length of an array 1048576, but"},
		{good().set("n3", u64(1<<62)), "n3", "length of an array 4611686018427387904, at most"},
		{good().set("n3", u64(1<<63)), "n3", "length of an array 9223372036854775808, at most"},
		{good().set("n3", u64(math.MaxUint64)), "n3", "length of an array 18446744073709551615, at most"},
		{good().set("n4", u64(2)), "", "length of an array"},
		{good().set("n5", u64(huge)), "n5", "length of an array 9223372036854775807, at most"},
		{flat(9), "", "arrays nested deeper than 8"},
		{flat(60), "", "arrays nested deeper than 8"},
		{good().set("alignment", u32(0)), "key0", "general.alignment is uint32 0, want a uint32 that is a multiple of 8"},
		{good().set("alignment", u32(7)), "key0", "general.alignment is uint32 7"},
		{good().set("alignment", u32(12)), "key0", "general.alignment is uint32 12"},
		{good().set("alignment", u32(1<<31)), "key0", "general.alignment is uint32 2147483648"},
		{good().set("alignment", u32(1<<30)), "key0", "general.alignment is uint32 1073741824"},
		{good().set("alignment", u32(1<<24+8)), "key0", "general.alignment is uint32 16777224"},
		{good().set("alignment", u32(1<<24)), "", "exceed the file"},
		{good().set("kind0", u32(5)), "key0", "general.alignment is int32 32"},
		{good().set("kind0", u32(10)).set("alignment", u64(32)), "key0", "general.alignment is uint64 32"},
		{good().set("kind0", u32(8)).set("alignment", text("32\n")), "key0", `general.alignment is string "32\n"`},
		{good().set("kind0", u32(8)).set("alignment", text(long)), "key0", `general.alignment is string "xxx`},
		{good().set("kind0", u32(9)).set("alignment", u32(4), u64(1), u32(32)), "key0",
			"general.alignment is array of 1 uint32"},
		{good().set("name1", u64(0)), "name1", "a tensor's name is empty"},
		{good().set("name1", text(long[:65])), "name1", "length of a tensor's name 65, at most 64"},
		{good().set("name1", u64(1<<63)), "name1", "length of a tensor's name 9223372036854775808, at most 64"},
		{good().set("name1", text("\x80")), "", `a tensor's name is "\x80", want UTF-8`},
		{good().set("name1", text("a")), "name1", `tensor "a" is there twice`},
		{good().set("name1", text("b\n")).set("rank1", u32(5)), "rank1", `tensor "b\n": byte`},
		{good().set("rank1", u32(5)), "rank1", "5 dimensions, at most 4"},
		{good().set("rank1", u32(math.MaxUint32)), "rank1", "4294967295 dimensions, at most 4"},
		{good().set("inner0", u64(0)), "inner0", "dimension 0 has size 0, want 1 to"},
		{good().set("outer0", u64(0)), "outer0", "dimension 1 has size 0, want 1 to"},
		{good().set("outer0", u64(1<<63)), "outer0", "dimension 1 has size 9223372036854775808, want 1 to"},
		{good().set("outer0", u64(math.MaxUint64)), "outer0", "dimension 1 has size 18446744073709551615"},
		{good().set("outer0", u64(1<<47)), "type0", "more than 281474976710656 bytes"},
		{good().set("inner1", u64(1<<46+1)), "type1", "more than 281474976710656 bytes"},
		{good().set("rank1", u32(4)).set("inner1", u64(1<<32), u64(1<<32), u64(1<<32), u64(1<<32)), "", "more than"},
		{good().set("rank1", u32(2)).set("inner1", u64(1<<32), u64(1<<30)), "", "more than"},         // 2^62 elements
		{good().set("rank1", u32(3)).set("inner1", u64(4), u64(1<<31), u64(1<<31)), "", "more than"}, // 2^64: 0 if it wraps
		{good().set("rank0", u32(3)).set("inner0", u64(256), u64(1<<30)).set("outer0", u64(1<<29)).set("type0", u32(12)),
			"type0", "more than"}, // -2^63 bytes if it wraps
		{good().set("inner0", u64(33)), "type0", "rows of 33 elements are not a multiple of the block of q4_0, which has 32"},
		{good().set("type0", u32(12)), "type0", "rows of 32 elements are not a multiple of the block of q4_K, which has 256"},
		{good().set("rank0", u32(0)).set("inner0").set("outer0"), "type0", "a single element is not a multiple"},
		{good().set("type0", u32(4)), "type0", "type 4 is unknown"},
		{good().set("type0", u32(31)), "type0", "type 31 is unknown"},
		{good().set("type0", u32(41)), "type0", "type 41 is unknown"},
		{good().set("type0", u32(math.MaxUint32)), "type0", "type 4294967295 is unknown"},
		{good().set("offset0", u64(1)), "name0", `tensor "a": offset 1 is not a multiple of the alignment 32`},
		{good().set("offset1", u64(48)), "name1", `tensor "b": offset 48 is not a multiple of the alignment 32`},
		{good().set("offset1", u64(0)), "name0", `offset 0, but the data of tensor "b" end at 16`},
		{good().set("offset1", u64(32)), "name1", `offset 32, but the data of tensor "a" end at 36`},
		{good().set("offset1", u64(96)), "name1", `tensor "b": offset 96 and size 16 exceed the file`},
		{good().set("offset1", u64(1<<40)), "name1", `tensor "b": offset 1099511627776 and size 16 exceed the file`},
		{good().set("offset1", u64(huge/2-63)), "name1", "exceed the file"},
		{good().set("offset1", u64(1<<63)), "offset1", "offset 9223372036854775808, at most"},
		{good().set("offset1", u64(math.MaxUint64-31)), "offset1", "offset 18446744073709551584, at most"},
		{good().set("data"), "name0", "exceed the file"},
		{good().set("data", make([]byte, 79)), "name1", `tensor "b": offset 64 and size 16 exceed the file`},
		{good().set("pad", []byte{}).set("data"), "name0", "exceed the file"},
		{file{{"magic", nil}}, "magic", "the magic number of 4 bytes exceeds the file, of which 0 bytes are left"},
		{file{{"magic", []byte("GGU")}}, "magic", "the magic number of 4 bytes exceeds the file, of which 3 bytes are left"},
		{good()[:4], "", "number of tensors 2, but 8 bytes are left"},
	} {
		data := c.file.bytes()
		name := saved(t, "x.gguf", data)
		_, err := gguf.Open(name)
		refused(t, err, name, c.want)
		if c.field != "" {
			assert.Contains(t, err.Error(), fmt.Sprintf("byte %d: ", c.file.at(c.field)), c.want)
		}
		_, again := gguf.Parse(name, data)
		require.EqualError(t, again, err.Error())
	}
}

// TestTruncated: a file that ends before its last tensor does is refused.
func TestTruncated(t *testing.T) {
	whole := good().bytes()
	for n := range whole {
		_, err := gguf.Parse("short", whole[:n])
		refused(t, err, "short", "")
	}
}

// TestFlipped: no byte of a file makes the reader panic, and what it accepts can be read.
func TestFlipped(t *testing.T) {
	whole := good().bytes()
	accepted := 0
	for i := range whole {
		for _, x := range []byte{0, 1, 0x7f, 0x80, 0xff, ^whole[i], whole[i] + 1} {
			data := bytes.Clone(whole)
			data[i] = x
			f, err := gguf.Parse("flipped", data)
			if err != nil {
				refused(t, err, "flipped", "")
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
	_, err := gguf.Open(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	dir := t.TempDir()
	_, err = gguf.Open(dir)
	require.ErrorContains(t, err, dir)
}
