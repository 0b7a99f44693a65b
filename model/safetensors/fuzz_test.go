package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/safetensors"
)

// readAll reads all tensors of a file, and checks that what Write makes of them reads the same.
func readAll(t *testing.T, f *safetensors.File) {
	t.Helper()
	whole := again(t, f)
	g, err := safetensors.Parse("again", whole)
	require.NoError(t, err)
	require.Equal(t, f.Metadata, g.Metadata)
	require.Len(t, g.Tensors, len(f.Tensors))
	for i := range f.Tensors {
		x := &f.Tensors[i]
		require.Same(t, x, f.Tensor(x.Name))
		n, err := x.Type.Size(x.Shape...)
		require.NoError(t, err)
		require.EqualValues(t, n, len(x.Bytes()))
		y := g.Tensor(x.Name)
		require.NotNil(t, y)
		require.Equal(t, x.Type, y.Type)
		require.Equal(t, x.Shape, y.Shape)
		require.True(t, bytes.Equal(x.Bytes(), y.Bytes()))
	}
	require.True(t, bytes.Equal(whole, again(t, g)))
}

// FuzzParse: any header and data are a file that can be read and written, or an error in one line.
// What is accepted is JSON to encoding/json too, with the same names.
func FuzzParse(f *testing.F) {
	f.Add([]byte(goodHeader), []byte(goodData), uint64(0))
	f.Add([]byte(`{}`), []byte{}, uint64(0))
	f.Add([]byte(`{"\u0061\ud83d\ude00\n":{"dtype":"F4","shape":[2,0],"data_offsets":[0,0]}} `), []byte{}, uint64(0))
	f.Add([]byte(goodHeader), []byte(goodData), uint64(1<<63))
	for _, metadata := range []map[string]string{nil, {"a": "b", "c": "\n\""}} {
		whole := written(f, metadata, tensors())
		n := 8 + binary.LittleEndian.Uint64(whole)
		f.Add(whole[8:n], whole[n:], uint64(0))
	}
	f.Fuzz(func(t *testing.T, header, data []byte, length uint64) {
		whole := file(string(header), string(data))
		binary.LittleEndian.PutUint64(whole, uint64(len(header))+length)
		x, err := safetensors.Parse("fuzzed", whole)
		if err != nil {
			require.ErrorIs(t, err, safetensors.ErrFormat)
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		readAll(t, x)
		var names map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(whole[8:8+binary.LittleEndian.Uint64(whole)], &names))
		delete(names, "__metadata__")
		require.Len(t, names, len(x.Tensors))
		for name := range names {
			require.NotNil(t, x.Tensor(name))
		}
	})
}
