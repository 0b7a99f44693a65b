package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// tiny writes a model of one layer with random weights, whose tokens are the bytes.
func tiny(t *testing.T) string {
	const width, hidden, vocabulary = 16, 24, 256
	var metadata []gguf.Pair
	add := func(key string, x any) {
		v, err := gguf.NewValue(x)
		require.NoError(t, err)
		metadata = append(metadata, gguf.Pair{Key: key, Value: v})
	}
	add("general.architecture", "llama")
	for key, n := range map[string]uint32{"context_length": 64, "embedding_length": width, "block_count": 1,
		"feed_forward_length": hidden, "attention.head_count": 2} {
		add("llama."+key, n)
	}
	add("llama.attention.layer_norm_rms_epsilon", float32(1e-5))
	// Byte-level tokenizers have a character for each byte: those that are visible stand for
	// themselves.
	tokens, others := make([]string, vocabulary), rune(256)
	for b := range tokens {
		r := rune(b)
		if r < '!' || r > '~' && r < '¡' || r == '\u00ad' {
			r, others = others, others+1
		}
		tokens[b] = string(r)
	}
	add("tokenizer.ggml.model", "gpt2")
	add("tokenizer.ggml.pre", "gpt-2")
	add("tokenizer.ggml.tokens", tokens)
	add("tokenizer.ggml.merges", []string{})
	random := rand.New(rand.NewPCG(1, 1))
	var tensors []gguf.NewTensor
	weight := func(name string, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		var data []byte
		for range n {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(random.NormFloat64())))
		}
		tensors = append(tensors, gguf.NewTensor{Name: name + ".weight", Type: gguf.F32, Shape: shape, Data: data})
	}
	weight("token_embd", vocabulary, width)
	weight("output_norm", width)
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		weight("blk.0."+name, width, width)
	}
	weight("blk.0.attn_norm", width)
	weight("blk.0.ffn_norm", width)
	weight("blk.0.ffn_gate", hidden, width)
	weight("blk.0.ffn_up", hidden, width)
	weight("blk.0.ffn_down", width, hidden)
	file := filepath.Join(t.TempDir(), "tiny.gguf")
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, gguf.Write(f, metadata, tensors))
	require.NoError(t, f.Close())
	return file
}

// TestGenerate continues a text with a model whose tokens are bytes.
func TestGenerate(t *testing.T) {
	file := tiny(t)
	var first, second bytes.Buffer
	require.NoError(t, run(t.Context(), &first, file, "Once", 12, 0))
	require.NoError(t, run(t.Context(), &second, file, "Once", 12, 0))
	assert.Equal(t, first.String(), second.String())
	words, err := model.ReadTokenizer(file)
	require.NoError(t, err)
	text := bytes.TrimSuffix(first.Bytes(), []byte("\n"))
	assert.Len(t, words.Encode(string(text), tokenizer.EncodeOptions{}), 12, "%q", text)
	err = run(t.Context(), &first, filepath.Join(t.TempDir(), "none.gguf"), "x", 1, 0)
	assert.ErrorIs(t, err, os.ErrNotExist, fmt.Sprint(err))
}
