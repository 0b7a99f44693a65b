package gguf_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
)

// readAll reads all values and all tensors of a file, and checks that what Write makes of them
// reads the same.
func readAll(t *testing.T, f *gguf.File) {
	t.Helper()
	for _, p := range f.Metadata {
		p.Value.Text()
		p.Value.Bool()
		p.Value.Uint()
		p.Value.Int()
		p.Value.Float()
		p.Value.Strings()
		p.Value.Ints()
		p.Value.Floats()
		back, err := gguf.NewValue(p.Value.Any())
		require.NoError(t, err)
		require.Equal(t, p.Value.Kind(), back.Kind())
		require.Equal(t, p.Value.Len(), back.Len())
		n := 0
		for i, e := range p.Value.Elements() {
			require.Equal(t, n, i)
			require.Equal(t, p.Value.Elem(), e.Kind())
			n++
		}
		require.Equal(t, p.Value.Len(), n)
		_, ok := f.Value(p.Key)
		require.True(t, ok)
	}
	for i := range f.Tensors {
		x := &f.Tensors[i]
		require.Same(t, x, f.Tensor(x.Name))
		n, err := x.Type.Size(x.Shape...)
		require.NoError(t, err)
		require.EqualValues(t, n, len(x.Bytes()))
	}
	whole := again(t, f)
	g, err := gguf.Parse("again", whole)
	require.NoError(t, err)
	require.Len(t, g.Metadata, len(f.Metadata))
	require.Len(t, g.Tensors, len(f.Tensors))
	for i := range f.Tensors {
		x, y := &f.Tensors[i], &g.Tensors[i]
		require.Equal(t, x.Name, y.Name)
		require.Equal(t, x.Type, y.Type)
		require.Equal(t, x.Shape, y.Shape)
		require.True(t, bytes.Equal(x.Bytes(), y.Bytes()))
	}
	require.True(t, bytes.Equal(whole, again(t, g)), "written values differ")
}

// FuzzParse: any bytes are a file that can be read and written, or an error in one line.
func FuzzParse(f *testing.F) {
	f.Add(good().bytes())
	f.Add(good().set("version", u32(2)).bytes())
	f.Add(good().set("alignment", u32(8)).bytes())
	f.Add(good()[:4].set("keys", u64(0)).set("tensors", u64(0)).bytes())
	var metadata []gguf.Pair
	for i, x := range values() {
		metadata = append(metadata, pair(f, strings.Repeat("k", i+1), x))
	}
	f.Add(written(f, metadata, nil))
	f.Add(written(f, nil, tensors(f)[:8]))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := gguf.Parse("fuzzed", data)
		if err != nil {
			require.ErrorIs(t, err, gguf.ErrFormat)
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		readAll(t, x)
	})
}
