package model_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/gguf"
)

// engine opens a device and an engine for a test.
func engine(t *testing.T) *tensor.Engine {
	acc, err := compute.Open()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, acc.Close(t.Context())) })
	e, err := tensor.New(acc)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Close(t.Context())) })
	return e
}

const vocabulary = 40

// tiny makes a model of random weights, and writes it to a file.
func tiny(t *testing.T, architecture string, change func(*reference)) (*reference, string) {
	r, shapes := random(architecture, change)
	return r, write(t, r, shapes)
}

// tinyWith is tiny with other weights than the architecture has.
func tinyWith(t *testing.T, architecture string, change func(*reference, map[string][]int)) (*reference, string) {
	r, shapes := random(architecture, nil)
	change(r, shapes)
	return r, write(t, r, shapes)
}

// random returns a model of random weights, and their shapes.
func random(architecture string, change func(*reference)) (*reference, map[string][]int) {
	r := &reference{architecture: architecture, context: 64, embedding: 32, layers: 2, heads: 4,
		groups: 2, size: 8, feedForward: 48,
		epsilon: 1e-5, base: 10000, weights: map[string][]float64{}}
	if change != nil {
		change(r)
	}
	numbers := rand.New(rand.NewPCG(1, 2))
	shapes := map[string][]int{}
	add := func(name string, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		w := make([]float64, n)
		for i := range w {
			w[i] = float64(float32(numbers.NormFloat64() * 0.3))
			if strings.Contains(name, "norm") || name == "rope_freqs.weight" {
				w[i] = float64(float32(1 + 0.2*numbers.NormFloat64()))
			}
		}
		r.weights[name], shapes[name] = w, shape
	}
	is := func(names ...string) bool { return slices.Contains(names, architecture) }
	n, q, kv := r.embedding, r.heads*r.size, r.groups*r.size
	norm := func(name string, n int) {
		add(name+".weight", n)
		if is("gpt2", "bert") {
			add(name+".bias", n)
		}
	}
	linear := func(name string, rows, columns int) {
		add(name+".weight", rows, columns)
		if is("gpt2", "bert") || is("qwen2", "qwen2moe") && strings.Contains(name, "attn_") && !strings.Contains(name,
			"output") {
			add(name+".bias", rows)
		}
	}
	add("token_embd.weight", vocabulary, n)
	if is("gpt2", "bert") {
		add("position_embd.weight", 64, n)
	}
	if is("bert") {
		add("token_types.weight", 2, n)
		norm("token_embd_norm", n)
	} else {
		norm("output_norm", n)
	}
	if is("llama", "qwen3") {
		add("output.weight", vocabulary, n)
	}
	if is("llama") {
		add("rope_freqs.weight", r.size/2)
	}
	for i := range r.layers {
		p := fmt.Sprintf("blk.%d.", i)
		if !is("bert") {
			norm(p+"attn_norm", n)
			norm(p+"ffn_norm", n)
		} else {
			norm(p+"attn_output_norm", n)
			norm(p+"layer_output_norm", n)
		}
		if is("gpt2", "phi3") {
			linear(p+"attn_qkv", q+2*kv, n)
		} else {
			linear(p+"attn_q", q, n)
			linear(p+"attn_k", kv, n)
			linear(p+"attn_v", kv, n)
		}
		linear(p+"attn_output", n, q)
		if is("qwen3", "gemma3") {
			norm(p+"attn_q_norm", r.size)
			norm(p+"attn_k_norm", r.size)
		}
		if is("gemma2", "gemma3") {
			norm(p+"post_attention_norm", n)
			norm(p+"post_ffw_norm", n)
		}
		if is("bitnet", "bitnet-b1.58") {
			norm(p+"attn_sub_norm", q)
			norm(p+"ffn_sub_norm", r.feedForward)
		}
		switch {
		case r.experts > 0:
			add(p+"ffn_gate_inp.weight", r.experts, n)
			add(p+"ffn_gate_exps.weight", r.experts, r.feedForward, n)
			add(p+"ffn_up_exps.weight", r.experts, r.feedForward, n)
			add(p+"ffn_down_exps.weight", r.experts, n, r.feedForward)
			if is("qwen2moe") {
				add(p+"ffn_gate_shexp.weight", 24, n)
				add(p+"ffn_up_shexp.weight", 24, n)
				add(p+"ffn_down_shexp.weight", n, 24)
				add(p+"ffn_gate_inp_shexp.weight", n)
			}
		case is("phi3"):
			linear(p+"ffn_up", 2*r.feedForward, n)
			linear(p+"ffn_down", n, r.feedForward)
		default:
			if !is("gpt2", "bert") {
				linear(p+"ffn_gate", r.feedForward, n)
			}
			linear(p+"ffn_up", r.feedForward, n)
			linear(p+"ffn_down", n, r.feedForward)
		}
	}
	return r, shapes
}

// write writes a model to a GGUF file.
func write(t *testing.T, r *reference, shapes map[string][]int) string {
	var metadata []gguf.Pair
	add := func(key string, v any) {
		value, err := gguf.NewValue(v)
		require.NoError(t, err)
		metadata = append(metadata, gguf.Pair{Key: strings.ReplaceAll(key, "ARCH", r.architecture), Value: value})
	}
	add("general.architecture", r.architecture)
	add("ARCH.context_length", uint32(r.context))
	add("ARCH.embedding_length", uint32(r.embedding))
	add("ARCH.block_count", uint32(r.layers))
	add("ARCH.feed_forward_length", uint32(r.feedForward))
	add("ARCH.attention.head_count", uint32(r.heads))
	add("ARCH.attention.head_count_kv", uint32(r.groups))
	add("ARCH.attention.key_length", uint32(r.size))
	add("ARCH.attention.value_length", uint32(r.size))
	add("ARCH.attention.layer_norm_rms_epsilon", float32(r.epsilon))
	add("ARCH.rope.freq_base", float32(r.base))
	if r.window > 0 {
		add("ARCH.attention.sliding_window", uint32(r.window))
	}
	if r.attnSoftcap > 0 {
		add("ARCH.attn_logit_softcapping", float32(r.attnSoftcap))
		add("ARCH.final_logit_softcapping", float32(r.finalSoftcap))
	}
	if r.experts > 0 {
		add("ARCH.expert_count", uint32(r.experts))
		add("ARCH.expert_used_count", uint32(r.used))
	}
	var tensors []gguf.NewTensor
	for _, name := range slices.Sorted(maps.Keys(r.weights)) {
		var data []byte
		for _, x := range r.weights[name] {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
		}
		shape := shapes[name]
		if shape == nil {
			shape = []int{len(r.weights[name])}
		}
		tensors = append(tensors, gguf.NewTensor{Name: name, Type: gguf.F32, Shape: shape, Data: data})
	}
	file := filepath.Join(t.TempDir(), r.architecture+".gguf")
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, gguf.Write(f, metadata, tensors))
	require.NoError(t, f.Close())
	return file
}

// near compares rows with those of the reference.
func near(t *testing.T, want [][]float64, got [][]float32, what string) {
	t.Helper()
	require.Len(t, got, len(want), what)
	most, worst := 0.0, 0.0
	for i := range want {
		require.Len(t, got[i], len(want[i]), what)
		for j, x := range want[i] {
			most, worst = max(most, math.Abs(x)), max(worst, math.Abs(x-float64(got[i][j])))
		}
	}
	assert.LessOrEqual(t, worst, 2e-5*most, "%s: the largest logit is %g", what, most)
}

// TestArchitectures compares tiny models of each architecture with a reference in float64: all
// tokens at once, one at a time, in two sequences at once, and after a truncation.
func TestArchitectures(t *testing.T) {
	e := engine(t)
	for _, x := range []struct {
		architecture string
		change       func(*reference)
	}{
		{"llama", nil},
		{"llama", func(r *reference) { r.window = 3 }},
		{"llama", func(r *reference) { r.experts, r.used = 4, 2 }},
		{"qwen2", nil},
		{"qwen3", func(r *reference) { r.base = 1e6 }},
		{"qwen2moe", func(r *reference) { r.experts, r.used = 5, 2 }},
		{"qwen3moe", func(r *reference) { r.experts, r.used = 3, 3 }},
		{"phi3", nil},
		{"gemma", nil},
		{"gemma2", func(r *reference) { r.window, r.attnSoftcap, r.finalSoftcap = 4, 2, 5 }},
		{"gemma3", func(r *reference) { r.window, r.layers, r.base = 4, 7, 1e6 }},
		{"bitnet", nil},
		{"bitnet-b1.58", nil},
		{"gpt2", func(r *reference) { r.groups = 4 }},
		{"bert", func(r *reference) { r.groups = 4 }},
	} {
		t.Run(x.architecture, func(t *testing.T) {
			r, file := tiny(t, x.architecture, x.change)
			m, err := model.Open(t.Context(), e, file, model.Options{})
			require.NoError(t, err)
			defer func() { assert.NoError(t, m.Close(t.Context())) }()
			ids := []int32{3, 17, 0, 39, 5, 5, 21, 8, 30}
			want := r.run(ids)
			if x.architecture == "bert" {
				got, err := m.Embed(t.Context(), ids)
				require.NoError(t, err)
				near(t, want, got, "rows")
				_, err = m.Logits(t.Context(), ids)
				assert.ErrorIs(t, err, model.ErrArchitecture)
				return
			}
			got, err := m.Logits(t.Context(), ids)
			require.NoError(t, err)
			near(t, want, got, "all at once")

			q, err := m.NewSequence()
			require.NoError(t, err)
			defer q.Close()
			var rows [][]float32
			for _, id := range ids {
				row, err := q.Logits(t.Context(), []int32{id})
				require.NoError(t, err)
				rows = append(rows, row...)
			}
			near(t, want, rows, "one at a time")

			q.Truncate(4)
			other, err := m.NewSequence()
			require.NoError(t, err)
			defer other.Close()
			both, err := m.Step(t.Context(), []*model.Sequence{q, other}, [][]int32{ids[4:6], ids[:7]})
			require.NoError(t, err)
			near(t, [][]float64{want[5], want[6]}, both, "two sequences")
			assert.Equal(t, []int{6, 7}, []int{q.Len(), other.Len()})
		})
	}
}
