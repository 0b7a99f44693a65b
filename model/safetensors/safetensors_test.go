package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/safetensors"
)

// written returns what Write writes.
func written(t testing.TB, metadata map[string]string, tensors []safetensors.NewTensor) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, safetensors.Write(&b, metadata, tensors))
	return b.Bytes()
}

// again returns what Write makes of what was read.
func again(t testing.TB, f *safetensors.File) []byte {
	t.Helper()
	var ts []safetensors.NewTensor
	for i := range f.Tensors {
		x := &f.Tensors[i]
		ts = append(ts, safetensors.NewTensor{Name: x.Name, Type: x.Type, Shape: x.Shape, Data: x.Bytes()})
	}
	return written(t, f.Metadata, ts)
}

// saved writes a file into a folder of the test.
func saved(t testing.TB, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(name, data, 0o666))
	return name
}

// types are all types, by the order of the reference implementation, with their bits.
var types = []struct {
	name string
	bits int
}{{"U64", 64}, {"I64", 64}, {"F64", 64}, {"C64", 64}, {"F32", 32}, {"U32", 32}, {"I32", 32}, {"BF16", 16}, {"F16", 16},
	{"U16", 16}, {"I16", 16}, {"F8_E5M2FNUZ", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E8M0", 8}, {"F8_E4M3", 8}, {"F8_E5M2", 8},
	{"I8", 8}, {"U8", 8}, {"F6_E3M2", 6}, {"F6_E2M3", 6}, {"F4", 4}, {"BOOL", 8}}

// tensors returns a tensor of each type, in the wrong order, and some of unusual shapes.
func tensors() (list []safetensors.NewTensor) {
	for i := range types {
		x := types[len(types)-1-i]
		data := make([]byte, 12*x.bits/8)
		for j := range data {
			data[j] = byte(3*j + i)
		}
		list = append(list, safetensors.NewTensor{Name: "layer." + x.name, Type: safetensors.Type(x.name), Shape: []int{3, 4},
			Data: data})
	}
	return append(list, safetensors.NewTensor{Name: "scalar", Type: safetensors.F32, Data: []byte{0, 0, 128, 63}},
		safetensors.NewTensor{Name: "none", Type: safetensors.F32, Shape: []int{0, 7}},
		safetensors.NewTensor{Name: "a \"name\" \\ of\n<two> lines, ü", Type: safetensors.U8, Shape: []int{1},
			Data: []byte{7}})
}

// TestRoundTrip: what was written is read, and written again is the same file.
func TestRoundTrip(t *testing.T) {
	for _, metadata := range []map[string]string{nil, {}, {"format": "pt", "b": "ü\n<&>", "a": ""}} {
		whole := written(t, metadata, tensors())
		name := saved(t, "model.safetensors", whole)
		opened, err := safetensors.Open(name)
		require.NoError(t, err)
		parsed, err := safetensors.Parse("memory", whole)
		require.NoError(t, err)
		for _, f := range []*safetensors.File{opened, parsed} {
			assert.Equal(t, metadata, f.Metadata)
			require.Len(t, f.Tensors, len(tensors()))
			for _, x := range tensors() {
				y := f.Tensor(x.Name)
				require.NotNil(t, y, x.Name)
				assert.Equal(t, x.Type, y.Type)
				assert.Equal(t, fmt.Sprint(x.Shape), fmt.Sprint(y.Shape))
				assert.True(t, bytes.Equal(x.Data, y.Bytes()))
				assert.Equal(t, len(x.Data), cap(y.Bytes()), "nobody appends to the file's memory")
			}
			assert.Nil(t, f.Tensor("missing"))
			assert.True(t, bytes.Equal(whole, again(t, f)))
		}
		page := os.Getpagesize()
		for i := range opened.Tensors {
			x := &opened.Tensors[i]
			pages, offset := x.Pages()
			assert.Zero(t, len(pages)%page)
			assert.Less(t, offset, page)
			assert.True(t, bytes.Equal(x.Bytes(), pages[offset:offset+len(x.Bytes())]))
			pages, _ = parsed.Tensors[i].Pages()
			assert.Nil(t, pages)
		}
		opened.Tensors[0].Bytes()[0]++ // memory of this process alone
		after, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(whole, after), "writes do not reach the file")
		require.NoError(t, opened.Close())
		require.NoError(t, opened.Close())
		require.NoError(t, parsed.Close())
	}
}

// TestLayout: files are byte for byte those of the reference implementation: larger elements first,
// then names, compact JSON, and blanks up to a multiple of 8.
func TestLayout(t *testing.T) {
	ts := []safetensors.NewTensor{
		{Name: "b", Type: safetensors.F16, Shape: []int{1}, Data: []byte{1, 2}},
		{Name: "c", Type: safetensors.F32, Shape: []int{1, 1}, Data: []byte{3, 4, 5, 6}},
		{Name: "a", Type: safetensors.F16, Shape: []int{}, Data: []byte{7, 8}}}
	header := `{"__metadata__":{"format":"pt"},"c":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},` +
		`"a":{"dtype":"F16","shape":[],"data_offsets":[4,6]},"b":{"dtype":"F16","shape":[1],"data_offsets":[6,8]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	want := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	want = append(want, 3, 4, 5, 6, 7, 8, 1, 2)
	assert.Equal(t, string(want), string(written(t, map[string]string{"format": "pt"}, ts)))
	assert.Equal(t, "b", ts[0].Name, "the caller's list keeps its order")

	f, err := safetensors.Parse("all", written(t, nil, tensors()))
	require.NoError(t, err)
	order := []string{}
	for _, x := range f.Tensors {
		if strings.HasPrefix(x.Name, "layer.") {
			order = append(order, string(x.Type))
		}
	}
	for i, x := range types {
		assert.Equal(t, x.name, order[i])
		assert.Equal(t, x.bits, safetensors.Type(x.name).Bits())
	}
	assert.Equal(t, "\x08\x00\x00\x00\x00\x00\x00\x00{}", string(written(t, nil, nil)[:10]))
}

// TestHeader: what the reference implementation reads though Write does not write it.
func TestHeader(t *testing.T) {
	for _, header := range []string{
		`{ "x" : {"data_offsets" : [ 0 , 2 ] ,` + "\n\t\r" + `"shape":[2],"dtype":"U8"} }   `,
		`{"\u0078":{"dtype":"\u0055\u0038","shape":[2],"data_offsets":[0,2]}}`,
		`{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"y":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`,
		`{"y":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`,
		`{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"e":{"dtype":"U8","shape":[0],"data_offsets":[2,2]},` +
			`"":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`} {
		f, err := safetensors.Parse("file", file(header, "ab"))
		require.NoError(t, err, header)
		require.NotNil(t, f.Tensor("x"))
		assert.EqualValues(t, 'a', f.Tensor("x").Bytes()[0])
		readAll(t, f)
	}
	// Each escape sequence is read as encoding/json reads it.
	text := `"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\uFFFD é"`
	f, err := safetensors.Parse("file", file(`{"__metadata__":{"a":`+text+`}}`, ""))
	require.NoError(t, err)
	var want string
	require.NoError(t, json.Unmarshal([]byte(text), &want))
	assert.Equal(t, want, f.Metadata["a"])
}

// TestTypes: sizes of types.
func TestTypes(t *testing.T) {
	for _, x := range types {
		for _, shape := range [][]int{{1 << 62}, {1 << 40, 1 << 40}, {-8}, {1 << 31, 1 << 31, 8}, {1 << 62, 4}} {
			_, err := safetensors.Type(x.name).Size(shape...)
			require.ErrorIs(t, err, safetensors.ErrFormat, "%v %v", x, shape)
		}
	}
	n, err := safetensors.F6_E2M3.Size(2, 2)
	require.NoError(t, err)
	assert.EqualValues(t, 3, n)
	_, err = safetensors.F4.Size(3)
	require.ErrorContains(t, err, "shape [3] of F4 has 12 bits, which are not whole bytes")
	_, err = safetensors.Type("F7\n").Size(1)
	require.ErrorContains(t, err, `dtype is "F7\n", which is unknown`)
}

// TestWriteErrors: what Open would refuse is not written.
func TestWriteErrors(t *testing.T) {
	good := safetensors.NewTensor{Name: "a", Type: safetensors.F32, Shape: []int{2}, Data: make([]byte, 8)}
	with := func(change func(*safetensors.NewTensor)) []safetensors.NewTensor {
		x := good
		change(&x)
		return []safetensors.NewTensor{x}
	}
	for name, x := range map[string]struct {
		metadata map[string]string
		tensors  []safetensors.NewTensor
	}{
		"size":     {nil, with(func(x *safetensors.NewTensor) { x.Data = x.Data[1:] })},
		"type":     {nil, with(func(x *safetensors.NewTensor) { x.Type = "F31" })},
		"bits":     {nil, with(func(x *safetensors.NewTensor) { x.Type, x.Shape = safetensors.F4, []int{15} })},
		"long":     {nil, with(func(x *safetensors.NewTensor) { x.Name = strings.Repeat("x", 4097) })},
		"UTF-8":    {nil, with(func(x *safetensors.NewTensor) { x.Name = "\xff" })},
		"metadata": {nil, with(func(x *safetensors.NewTensor) { x.Name = "__metadata__" })},
		"rank":     {nil, with(func(x *safetensors.NewTensor) { x.Shape = append(make([]int, 16), 2) })},
		"twice":    {nil, []safetensors.NewTensor{good, good}},
		"key":      {map[string]string{"\xff": "a"}, nil},
		"value":    {map[string]string{"a": "\xff"}, nil},
	} {
		var b bytes.Buffer
		require.Error(t, safetensors.Write(&b, x.metadata, x.tensors), name)
		assert.Zero(t, b.Len(), name)
	}
	require.ErrorIs(t, safetensors.Write(failing{}, nil, []safetensors.NewTensor{good}), os.ErrClosed)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

// sharded writes two files and an index, and returns the name of the index.
func sharded(t *testing.T, index string) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 2 {
		x := []safetensors.NewTensor{
			{Name: fmt.Sprintf("a%d", i), Type: safetensors.U8, Shape: []int{2}, Data: []byte{byte(i), 1}},
			{Name: fmt.Sprintf("b%d", i), Type: safetensors.U8, Shape: []int{2}, Data: []byte{byte(i), 2}}}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("model-%d.safetensors", i)),
			written(t, map[string]string{"part": fmt.Sprint(i)}, x), 0o666))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "twice.safetensors"),
		written(t, nil, []safetensors.NewTensor{{Name: "a0", Type: safetensors.U8, Shape: []int{0}}}), 0o666))
	name := filepath.Join(dir, "model.safetensors.index.json")
	require.NoError(t, os.WriteFile(name, []byte(index), 0o666))
	return name
}

const goodIndex = `{"metadata":{"total_size":8},"weight_map":{"a0":"model-0.safetensors","b0":"model-0.safetensors",` +
	`"a1":"model-1.safetensors","b1":"model-1.safetensors"}}`

// TestIndex: a model in two files is one File.
func TestIndex(t *testing.T) {
	f, err := safetensors.Open(sharded(t, goodIndex))
	require.NoError(t, err)
	require.Len(t, f.Tensors, 4)
	assert.Equal(t, []byte{1, 2}, f.Tensor("b1").Bytes())
	assert.Equal(t, []byte{0, 1}, f.Tensor("a0").Bytes())
	assert.Equal(t, "0", f.Metadata["part"])
	require.NoError(t, f.Close())

	var many strings.Builder
	for i := range 1025 {
		fmt.Fprintf(&many, `"t%d":"file%d",`, i, i)
	}
	for _, c := range []struct{ index, want string }{
		{``, "the index"},
		{`{`, "byte 1: the index"},
		{`[]`, "byte 1: the index"},
		{`{"weight_map":{"a0":1}}`, "the index"},
		{`{"weight_map":["a0"]}`, "the index"},
		{`{"weight_map":{"a0":"model-0.safetensors"}} x`, "the index"},
		{"{\"weight_map\":{\"a0\":\"model\xff\"}}", "the index is not UTF-8"},
		{`{}`, "weight_map is missing or empty"},
		{`{"weight_map":{}}`, "weight_map is missing or empty"},
		{`{"weight_map":{"a0":""}}`, `tensor "a0" is in "", want the name of a file beside the index`},
		{`{"weight_map":{"a0":"."}}`, `tensor "a0" is in ".", want`},
		{`{"weight_map":{"a0":".."}}`, `tensor "a0" is in "..", want`},
		{`{"weight_map":{"a\n":"../m\u001b"}}`, `tensor "a\n" is in "../m\x1b", want`},
		{`{"weight_map":{"a0":"/etc/passwd"}}`, `is in "/etc/passwd", want`},
		{`{"weight_map":{"a0":"sub/model"}}`, `is in "sub/model", want`},
		{`{"weight_map":{"a0":"model-0.safetensors/"}}`, `is in "model-0.safetensors/", want`},
		{`{"weight_map":{` + many.String() + `"x":"y"}}`, "weight_map names 1026 files, at most 1024"},
		{`{"weight_map":{"zz":"model-0.safetensors"}}`, `tensor "zz" is not in "model-0.safetensors"`},
		{strings.Replace(goodIndex, `"a1":"model-1`, `"a1":"model-0`, 1), `tensor "a1" is not in "model-0.safetensors"`},
		{`{"weight_map":{"a0":"model-0.safetensors","x":"twice.safetensors"}}`, `tensor "a0" is in another file too`},
		{`{"weight_map":{"a0":"model.safetensors.index.json"}}`, "model.safetensors.index.json: byte 0: header of"},
		{strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100), "at most 8 deep"},
	} {
		name := sharded(t, c.index)
		_, err := safetensors.Open(name)
		refused(t, err, name, c.want)
	}
	_, err = safetensors.Open(sharded(t, `{"weight_map":{"a0":"missing"}}`))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = safetensors.Open(filepath.Join(t.TempDir(), "none.index.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
