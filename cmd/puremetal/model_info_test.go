package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/safetensors"
)

// TestModelInfo: model info prints values of all kinds as JSON, and what is long shortened as text.
func TestModelInfo(t *testing.T) {
	long := strings.Repeat("ü\x01\"", 1<<17)
	var metadata []gguf.Pair
	for key, x := range map[string]any{"general.architecture": "llama", "long": long, "nan": math.NaN(),
		"float": float32(0.1), "bool": true, "bytes": []uint8{1, 2}, "large": uint64(math.MaxUint64),
		"nested": []any{[]string{"a"}, []float32{float32(math.Inf(1))}}} {
		v, err := gguf.NewValue(x)
		require.NoError(t, err)
		metadata = append(metadata, gguf.Pair{Key: key, Value: v})
	}
	var b bytes.Buffer
	require.NoError(t, gguf.Write(&b, metadata, []gguf.NewTensor{
		{Name: "w", Type: gguf.Q8_0, Shape: []int{2, 32}, Data: make([]byte, 68)},
		{Name: "s", Type: gguf.F32, Data: make([]byte, 4)}}))
	name := filepath.Join(t.TempDir(), "model.gguf")
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o666))

	run := func(c modelInfoCmd) string {
		var out bytes.Buffer
		require.NoError(t, c.Run(&app{ctx: t.Context(), out: &out}))
		return out.String()
	}
	assert.JSONEq(t, `{"format":"gguf","architecture":"llama","metadata":{"general.architecture":"llama","nan":"NaN",
		"float":0.1,"bool":true,"bytes":[1,2],"large":18446744073709551615,"nested":[["a"],["+Inf"]],"long":`+
		jsonOf(t, long)+`},"tensors":[{"name":"w","type":"q8_0","shape":[2,32]},
		{"name":"s","type":"f32","shape":[]}]}`, run(modelInfoCmd{File: name, JSON: true}))
	text := run(modelInfoCmd{File: name})
	assert.Contains(t, text, "gguf, architecture llama, 2 tensors")
	assert.Less(t, len(text), 1000)

	b.Reset()
	require.NoError(t, safetensors.Write(&b, map[string]string{"architecture": "gpt2"}, []safetensors.NewTensor{
		{Name: "w", Type: safetensors.BF16, Shape: []int{1}, Data: make([]byte, 2)}}))
	name = filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o666))
	assert.JSONEq(t, `{"format":"safetensors","architecture":"gpt2","metadata":{"architecture":"gpt2"},
		"tensors":[{"name":"w","type":"BF16","shape":[1]}]}`, run(modelInfoCmd{File: name, JSON: true}))

	require.NoError(t, os.WriteFile(name, []byte("{}"), 0o666))
	err := (&modelInfoCmd{File: name}).Run(&app{ctx: t.Context()})
	require.ErrorIs(t, err, safetensors.ErrFormat)
}

func jsonOf(t *testing.T, x any) string {
	t.Helper()
	b, err := json.Marshal(x)
	require.NoError(t, err)
	return string(b)
}
