package gguf_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
)

// pair returns a pair of the metadata.
func pair(t testing.TB, key string, x any) gguf.Pair {
	t.Helper()
	v, err := gguf.NewValue(x)
	require.NoError(t, err, key)
	return gguf.Pair{Key: key, Value: v}
}

// written returns what Write writes.
func written(t testing.TB, metadata []gguf.Pair, tensors []gguf.NewTensor) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, gguf.Write(&b, metadata, tensors))
	return b.Bytes()
}

// again returns what Write makes of what was read.
func again(t testing.TB, f *gguf.File) []byte {
	t.Helper()
	var ts []gguf.NewTensor
	for i := range f.Tensors {
		x := &f.Tensors[i]
		ts = append(ts, gguf.NewTensor{Name: x.Name, Type: x.Type, Shape: x.Shape, Data: x.Bytes()})
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

// types returns all types.
func types() (list []gguf.Type) {
	for i := range gguf.Type(64) {
		if n, _ := i.Block(); n > 0 {
			list = append(list, i)
		}
	}
	return list
}

// tensors returns a tensor of each type, of two rows of 256 elements.
func tensors(t testing.TB) (list []gguf.NewTensor) {
	for i, typ := range types() {
		x := gguf.NewTensor{Name: fmt.Sprintf("blk.%d.weight", i), Type: typ, Shape: []int{2, 256}}
		n, err := typ.Size(x.Shape...)
		require.NoError(t, err)
		x.Data = make([]byte, n)
		for j := range x.Data {
			x.Data[j] = byte(7*j + i)
		}
		list = append(list, x)
	}
	return list
}

// values returns values of every kind, in the form that Any returns.
func values() []any {
	return []any{uint8(200), int8(-3), uint16(65535), int16(-300), uint32(1 << 31), int32(-1 << 31), uint64(1 << 63),
		int64(-1 << 63), float32(1.5), math.Inf(-1), true, false, "", "text\nof two lines, ü",
		[]uint8{1, 2}, []int8{-1}, []uint16{1}, []int16{-1}, []uint32{1, 2, 3}, []int32{-1}, []uint64{1 << 63},
		[]int64{-1 << 62}, []float32{1, -2.5}, []float64{0.1}, []bool{true, false}, []string{"a", "", "ccc"}, []string{},
		[]any{[]int32{1, 2}, []string{"x", "yy"}, []any{[]bool{true}, []any{}}}, []uint32{}}
}

// TestRoundTrip: what was written is read, and written again is the same file.
func TestRoundTrip(t *testing.T) {
	for _, align := range []uint32{8, 32, 64, 4096} {
		metadata := []gguf.Pair{pair(t, "general.alignment", align)}
		for i, x := range values() {
			metadata = append(metadata, pair(t, fmt.Sprintf("key.%d", i), x))
		}
		ts := tensors(t)
		ts = append(ts, gguf.NewTensor{Name: "scalar", Type: gguf.F32, Data: []byte{0, 0, 128, 63}},
			gguf.NewTensor{Name: "four", Type: gguf.I8, Shape: []int{2, 3, 4, 5}, Data: make([]byte, 120)})
		whole := written(t, metadata, ts)
		name := saved(t, "model.gguf", whole)
		opened, err := gguf.Open(name)
		require.NoError(t, err)
		parsed, err := gguf.Parse("memory", whole)
		require.NoError(t, err)
		for _, f := range []*gguf.File{opened, parsed} {
			assert.EqualValues(t, 3, f.Version)
			assert.EqualValues(t, align, f.Alignment)
			for i, x := range values() {
				v, ok := f.Value(fmt.Sprintf("key.%d", i))
				require.True(t, ok)
				assert.Equal(t, x, v.Any())
			}
			require.Len(t, f.Tensors, len(ts))
			for _, x := range ts {
				y := f.Tensor(x.Name)
				require.NotNil(t, y, x.Name)
				assert.Equal(t, x.Type, y.Type)
				assert.Equal(t, fmt.Sprint(x.Shape), fmt.Sprint(y.Shape))
				assert.Equal(t, x.Data, y.Bytes())
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
			assert.Equal(t, x.Bytes(), pages[offset:offset+len(x.Bytes())])
			pages, _ = parsed.Tensors[i].Pages()
			assert.Nil(t, pages)
		}
		x := opened.Tensors[0]
		x.Bytes()[0]++ // memory of this process alone
		after, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(whole, after), "writes do not reach the file")
		require.NoError(t, opened.Close())
		require.NoError(t, opened.Close())
		require.NoError(t, parsed.Close())
	}
}

// TestVersion2: files of version 2 differ in the number alone.
func TestVersion2(t *testing.T) {
	whole := written(t, []gguf.Pair{pair(t, "a", "b")}, tensors(t))
	whole[4] = 2
	f, err := gguf.Parse("two", whole)
	require.NoError(t, err)
	assert.EqualValues(t, 2, f.Version)
	whole[4] = 3
	assert.True(t, bytes.Equal(whole, again(t, f)))
}

// TestMethods: each method reads its kinds and refuses the others, with the value.
func TestMethods(t *testing.T) {
	var metadata []gguf.Pair
	for key, x := range map[string]any{"text": "a\nb", "uint": uint8(7), "int": int64(-7), "float": float32(0.5),
		"bool": true, "strings": []string{"a"}, "ints": []int16{-1, 2}, "floats": []float64{1.5}, "none": []uint8{},
		"large": uint64(1 << 63), "larges": []uint64{1 << 63}, "nested": []any{[]int8{1}}} {
		metadata = append(metadata, pair(t, key, x))
	}
	f, err := gguf.Parse("file", written(t, metadata, nil))
	require.NoError(t, err)
	methods := map[string]func(string) (any, error){
		"Text":    func(k string) (any, error) { return f.Text(k) },
		"Uint":    func(k string) (any, error) { return f.Uint(k) },
		"Int":     func(k string) (any, error) { return f.Int(k) },
		"Float":   func(k string) (any, error) { return f.Float(k) },
		"Bool":    func(k string) (any, error) { return f.Bool(k) },
		"Strings": func(k string) (any, error) { return f.Strings(k) },
		"Ints":    func(k string) (any, error) { return f.Ints(k) },
		"Floats":  func(k string) (any, error) { return f.Floats(k) }}
	good := map[string]any{"Text text": "a\nb", "Uint uint": uint64(7), "Int uint": int64(7), "Int int": int64(-7),
		"Float float": 0.5, "Bool bool": true, "Strings strings": []string{"a"}, "Ints ints": []int64{-1, 2},
		"Floats floats": []float64{1.5}, "Ints none": []int64{}, "Uint large": uint64(1 << 63)}
	for name, method := range methods {
		_, err := method("missing")
		require.ErrorIs(t, err, gguf.ErrNoKey)
		require.EqualError(t, err, "file: missing: no such key")
		for _, p := range metadata {
			x, err := method(p.Key)
			if want, ok := good[name+" "+p.Key]; ok {
				require.NoError(t, err)
				assert.Equal(t, want, x)
				continue
			}
			require.ErrorIs(t, err, gguf.ErrFormat, "%s of %s", name, p.Key)
			assert.NotContains(t, err.Error(), "\n")
		}
	}
	for key, want := range map[string]string{
		"text": `file: text is string "a\nb", want an integer that is not negative: not a valid GGUF file`,
		"int":  `file: int is int64 -7, want an integer that is not negative: not a valid GGUF file`,
		"ints": `file: ints is array of 2 int16, want an integer that is not negative: not a valid GGUF file`} {
		_, err := f.Uint(key)
		require.EqualError(t, err, want)
	}
	v, _ := f.Value("nested")
	assert.Equal(t, gguf.Array, v.Kind())
	assert.Equal(t, gguf.Array, v.Elem())
	assert.Equal(t, 1, v.Len())
	for range v.Elements() {
		break // and no more elements are read
	}
}

// TestNoValue: the zero Value, which Value returns for a missing key, is none.
func TestNoValue(t *testing.T) {
	var v gguf.Value
	assert.Nil(t, v.Any())
	_, ok := v.Uint()
	assert.False(t, ok)
	_, ok = v.Ints()
	assert.False(t, ok)
	require.ErrorContains(t, gguf.Write(&bytes.Buffer{}, []gguf.Pair{{Key: "k"}}, nil), `key "k" has no value`)
	for _, x := range []any{1, nil, []any{1}, []any{"a"}, []int{1}, struct{}{}} {
		_, err := gguf.NewValue(x)
		require.Error(t, err, "%T", x)
	}
}

// TestTypes: names and sizes of types.
func TestTypes(t *testing.T) {
	assert.Len(t, types(), 34)
	for _, typ := range types() {
		back, ok := gguf.TypeOf(typ.String())
		assert.True(t, ok)
		assert.Equal(t, typ, back)
		for _, shape := range [][]int{{1 << 62}, {1 << 40, 1 << 40}, {-256}, {1 << 31, 1 << 31, 256}, {1 << 59, 256}} {
			_, err := typ.Size(shape...)
			require.ErrorIs(t, err, gguf.ErrFormat, "%v %v", typ, shape)
		}
	}
	_, ok := gguf.TypeOf("q9_9")
	assert.False(t, ok)
	_, ok = gguf.TypeOf("")
	assert.False(t, ok)
	assert.Equal(t, "type 4", gguf.Type(4).String())
	assert.Equal(t, "kind 13", gguf.Kind(13).String())
	_, err := gguf.Type(4).Size(1)
	require.ErrorIs(t, err, gguf.ErrFormat)
	n, err := gguf.I2_S.Size(2, 256)
	require.NoError(t, err)
	assert.EqualValues(t, 2*256/4+32, n)
}

// TestWriteErrors: what Open would refuse is not written.
func TestWriteErrors(t *testing.T) {
	good := gguf.NewTensor{Name: "a", Type: gguf.F32, Shape: []int{2}, Data: make([]byte, 8)}
	with := func(change func(*gguf.NewTensor)) []gguf.NewTensor {
		x := good
		change(&x)
		return []gguf.NewTensor{x}
	}
	deep := any([]int8{1})
	for range 8 {
		deep = []any{deep}
	}
	for name, x := range map[string]struct {
		metadata []gguf.Pair
		tensors  []gguf.NewTensor
	}{
		"size":      {nil, with(func(x *gguf.NewTensor) { x.Data = x.Data[1:] })},
		"type":      {nil, with(func(x *gguf.NewTensor) { x.Type = 4 })},
		"block":     {nil, with(func(x *gguf.NewTensor) { x.Type = gguf.Q8_0 })},
		"name":      {nil, with(func(x *gguf.NewTensor) { x.Name = "" })},
		"long":      {nil, with(func(x *gguf.NewTensor) { x.Name = string(make([]byte, 65)) })},
		"UTF-8":     {nil, with(func(x *gguf.NewTensor) { x.Name = "\xff" })},
		"rank":      {nil, with(func(x *gguf.NewTensor) { x.Shape = []int{1, 1, 1, 1, 2} })},
		"zero":      {nil, with(func(x *gguf.NewTensor) { x.Shape, x.Data = []int{0}, nil })},
		"twice":     {nil, []gguf.NewTensor{good, good}},
		"key":       {[]gguf.Pair{pair(t, "", 1.5)}, nil},
		"keys":      {[]gguf.Pair{pair(t, "a", 1.5), pair(t, "a", 1.5)}, nil},
		"alignment": {[]gguf.Pair{pair(t, "general.alignment", uint32(12))}, nil},
		"depth":     {[]gguf.Pair{pair(t, "a", deep)}, nil},
		"text":      {[]gguf.Pair{pair(t, "a", "\xff")}, nil},
	} {
		var b bytes.Buffer
		require.Error(t, gguf.Write(&b, x.metadata, x.tensors), name)
		assert.Zero(t, b.Len(), name)
	}
	require.ErrorIs(t, gguf.Write(failing{}, nil, []gguf.NewTensor{good}), os.ErrClosed)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

// split writes a model of three parts, of which change may change one, and returns the first's
// name.
func split(t *testing.T, change func(part int, metadata map[string]any, file *string)) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 3 {
		m := map[string]any{"split.no": uint16(i), "split.count": uint16(3), "split.tensors.count": int32(4)}
		file := fmt.Sprintf("m-%05d-of-00003.gguf", i+1)
		if change != nil {
			change(i, m, &file)
		}
		var metadata []gguf.Pair
		for _, k := range []string{"split.no", "split.count", "split.tensors.count"} {
			if m[k] != nil {
				metadata = append(metadata, pair(t, k, m[k]))
			}
		}
		var ts []gguf.NewTensor
		for j := range []int{0, 1, 3}[i] { // the first part may have no tensors
			name := fmt.Sprintf("%d.%d", i, j)
			if m["tensor"] != nil {
				name = "1.0"
			}
			ts = append(ts, gguf.NewTensor{Name: name, Type: gguf.I8, Shape: []int{2}, Data: []byte{byte(i), byte(j)}})
			if m["tensor"] != nil {
				break
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), written(t, metadata, ts), 0o666))
	}
	return filepath.Join(dir, "m-00001-of-00003.gguf")
}

// TestSplit: a model in three files is one File.
func TestSplit(t *testing.T) {
	f, err := gguf.Open(split(t, nil))
	require.NoError(t, err)
	require.Len(t, f.Tensors, 4)
	assert.Equal(t, []byte{2, 1}, f.Tensor("2.1").Bytes())
	assert.Equal(t, []byte{1, 0}, f.Tensor("1.0").Bytes())
	require.NoError(t, f.Close())

	for want, change := range map[string]func(part int, m map[string]any, file *string){
		"part 3 of 3: open ": func(part int, _ map[string]any, file *string) {
			if part == 2 {
				*file = "elsewhere"
			}
		},
		"split.count 1025, at most 1024": func(part int, m map[string]any, _ *string) { m["split.count"] = uint16(1025) },
		"split.count is 4, so the file's name must end in -00001-of-00004.gguf": func(_ int, m map[string]any, _ *string) {
			m["split.count"] = uint16(4)
		},
		"part 2 of 3 of a split model; open the first": func(part int, m map[string]any, _ *string) {
			m["split.no"] = uint16(1)
		},
		"split.no is 0 and split.count 3, want 1 and 3": func(part int, m map[string]any, _ *string) {
			m["split.no"] = uint16(0)
		},
		"split.no is 2 and split.count 0, want 2 and 3": func(part int, m map[string]any, _ *string) {
			if part == 2 {
				m["split.count"] = "three"
			}
		},
		"have 4 tensors, split.tensors.count is 5": func(_ int, m map[string]any, _ *string) {
			m["split.tensors.count"] = int32(5)
		},
		`tensor "1.0" is in another part too`: func(part int, m map[string]any, _ *string) { m["tensor"] = "same" },
	} {
		_, err := gguf.Open(split(t, change))
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "\n")
		if want != "part 3 of 3: open " {
			require.ErrorIs(t, err, gguf.ErrFormat)
		} else {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
	}
}

// TestConcurrent: a File is read by several goroutines.
func TestConcurrent(t *testing.T) {
	f, err := gguf.Open(saved(t, "model.gguf", written(t, []gguf.Pair{pair(t, "a", []string{"b"})}, tensors(t))))
	require.NoError(t, err)
	defer f.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := f.Strings("a")
			assert.NoError(t, err)
			for i := range f.Tensors {
				assert.NotEmpty(t, f.Tensors[i].Bytes())
			}
		})
	}
	wg.Wait()
}

// TestShared: llama.cpp's own files are written again as they are.
func TestShared(t *testing.T) {
	shared := os.Getenv("PUREMETAL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	names, err := filepath.Glob(filepath.Join(shared, "models", "*.gguf"))
	require.NoError(t, err)
	if len(names) == 0 {
		t.Skip("there are no models in the folder that PUREMETAL_SHARED names, nor in ../shared")
	}
	for _, name := range names {
		f, err := gguf.Open(name)
		require.NoError(t, err)
		architecture, err := f.Text("general.architecture")
		require.NoError(t, err)
		n, err := f.Uint(architecture + ".block_count")
		require.NoError(t, err)
		assert.EqualValues(t, 4, n)
		whole, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(whole, again(t, f)), name)
		require.NoError(t, f.Close())
	}
}

// TestMake: elements that are made when they are written, and what they may not be.
func TestMake(t *testing.T) {
	var made []string
	tensor := func(name string, data []byte, err error) gguf.NewTensor {
		return gguf.NewTensor{Name: name, Type: gguf.I8, Shape: []int{4}, Make: func() ([]byte, error) {
			made = append(made, name)
			return data, err
		}}
	}
	var b bytes.Buffer
	require.NoError(t, gguf.Write(&b, nil, []gguf.NewTensor{tensor("a", []byte("made"), nil),
		{Name: "b", Type: gguf.I8, Shape: []int{2}, Data: []byte("is")}, tensor("c", []byte("late"), nil)}))
	assert.Equal(t, []string{"a", "c"}, made)
	f, err := gguf.Parse("x", b.Bytes())
	require.NoError(t, err)
	for name, want := range map[string]string{"a": "made", "b": "is", "c": "late"} {
		assert.Equal(t, want, string(f.Tensor(name).Bytes()))
	}
	err = gguf.Write(&b, nil, []gguf.NewTensor{tensor("a", []byte("x"), nil)})
	assert.ErrorContains(t, err, `tensor "a" has 1 bytes of data, want 4`)
	err = gguf.Write(&b, nil, []gguf.NewTensor{tensor("a", nil, assert.AnError)})
	assert.ErrorIs(t, err, assert.AnError)
	assert.ErrorContains(t, err, `tensor "a"`)
}
