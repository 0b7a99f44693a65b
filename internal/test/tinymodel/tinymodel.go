// Package tinymodel writes a language model small enough for tests of programs that run one.
package tinymodel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
)

// Vocabulary is how many tokens the model has: one for each byte.
const Vocabulary = 256

// Context is how many tokens a text may have.
const Context = 64

// Write writes a llama of one layer with random weights to a GGUF file in a folder of the test, and
// returns its name. The metadata has more keys if the test wants them.
func Write(t testing.TB, more ...gguf.Pair) string {
	t.Helper()
	const width, hidden = 16, 24
	metadata := slices.Clone(more)
	add := func(key string, x any) {
		v, err := gguf.NewValue(x)
		require.NoError(t, err)
		metadata = append(metadata, gguf.Pair{Key: key, Value: v})
	}
	add("general.architecture", "llama")
	for key, n := range map[string]uint32{"context_length": Context, "embedding_length": width, "block_count": 1,
		"feed_forward_length": hidden, "attention.head_count": 2} {
		add("llama."+key, n)
	}
	add("llama.attention.layer_norm_rms_epsilon", float32(1e-5))
	// Byte-level tokenizers have a character for each byte: those that are visible stand for
	// themselves.
	tokens, others := make([]string, Vocabulary), rune(256)
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
	weight("token_embd", Vocabulary, width)
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
