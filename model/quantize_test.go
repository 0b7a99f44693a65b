package model_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
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
	"github.com/puremetal/puremetal/model/safetensors"
)

// quantize packs a model and returns the file and the notes.
func quantize(t *testing.T, e *tensor.Engine, file string, q model.Quantization) (out string, notes []string) {
	out = filepath.Join(t.TempDir(), "out.gguf")
	f, err := os.Create(out)
	require.NoError(t, err)
	q.Note = func(text string) { notes = append(notes, text) }
	last := 0
	q.Progress = func(done, total int) {
		assert.Greater(t, done, last)
		assert.LessOrEqual(t, done, total)
		last = done
	}
	require.NoError(t, model.Quantize(t.Context(), e, file, f, q))
	require.NoError(t, f.Close())
	return out, notes
}

// TestQuantize packs models and runs them: logits are those of the weights that the file has then.
func TestQuantize(t *testing.T) {
	e := engine(t)
	ids := []int32{3, 17, 0, 39, 5, 5, 21, 8, 30}
	for _, x := range []struct {
		format       tensor.Format
		architecture string
		change       func(*reference)
		noted        int     // matrices that get another format
		notes        string  // what the notes say
		most         float64 // how far logits are from those of the weights before, as a part of the largest
	}{
		{tensor.Q8_0, "llama", nil, 2, "has 48 columns, which are no blocks of 32, and stays f32", 0.1},
		{tensor.Q4_0, "qwen2moe", func(r *reference) { r.feedForward, r.experts, r.used = 64, 5, 2 }, 2,
			"_shexp.weight\" has 24 columns, which are no blocks of 32, and stays f32", 1},
		{tensor.MXFP4, "gemma2", func(r *reference) { r.feedForward, r.window = 64, 4 }, 0, "", 1},
		{tensor.Q4_K, "llama", func(r *reference) { r.feedForward = 256 }, 14,
			"has 32 columns, which are no blocks of 256, and becomes q8_0", 0.3},
		{tensor.TQ2_0, "bitnet", func(r *reference) { r.embedding, r.feedForward, r.size = 256, 256, 64 }, 0, "", 10},
		{tensor.Q8_0, "gpt2", func(r *reference) { r.groups, r.feedForward = 4, 64 }, 0, "", 0.1},
	} {
		t.Run(fmt.Sprint(x.format, x.architecture), func(t *testing.T) {
			r, file := tiny(t, x.architecture, x.change)
			before := r.run(ids)
			out, notes := quantize(t, e, file, model.Quantization{Format: x.format})
			assert.Len(t, notes, x.noted)
			for _, n := range notes {
				assert.Contains(t, n, x.notes)
			}
			f, err := gguf.Open(out)
			require.NoError(t, err)
			defer f.Close()
			version, err := f.Uint("general.quantization_version")
			require.NoError(t, err)
			assert.EqualValues(t, 2, version)
			packed := 0
			for name := range r.weights {
				require.NotNil(t, f.Tensor(name), name)
				if f.Tensor(name).Type != gguf.F32 {
					packed++
				}
				var data []float64
				require.NoError(t, model.ReadTensor(t.Context(), e, out, name, func(_ []int, elements []float32) error {
					for _, v := range elements {
						data = append(data, float64(v))
					}
					return nil
				}))
				r.weights[name] = data
			}
			assert.GreaterOrEqual(t, packed, 9)
			m, err := model.Open(t.Context(), e, out, model.Options{})
			require.NoError(t, err)
			defer func() { assert.NoError(t, m.Close(t.Context())) }()
			got, err := m.Logits(t.Context(), ids)
			require.NoError(t, err)
			near(t, r.run(ids), got, "logits")
			most, worst := 0.0, 0.0
			for i, row := range before {
				for j, v := range row {
					most, worst = max(most, math.Abs(v)), max(worst, math.Abs(v-float64(got[i][j])))
				}
			}
			assert.LessOrEqual(t, worst, x.most*most)
		})
	}
}

// TestQuantizeKeeps: what is to stay as it is has the same bytes, and so has what is packed
// already.
func TestQuantizeKeeps(t *testing.T) {
	e := engine(t)
	r, file := tiny(t, "llama", func(r *reference) { r.feedForward = 64 })
	first, _ := quantize(t, e, file, model.Quantization{Format: tensor.Q8_0, KeepEmbedding: true})
	again, _ := quantize(t, e, first, model.Quantization{Format: tensor.Q8_0, KeepEmbedding: true})
	f, err := gguf.Open(first)
	require.NoError(t, err)
	defer f.Close()
	assert.Equal(t, gguf.F32, f.Tensor("token_embd.weight").Type)
	assert.Equal(t, gguf.Q8_0, f.Tensor("blk.0.attn_q.weight").Type)
	assert.Len(t, f.Tensors, len(r.weights))
	one, err := os.ReadFile(first)
	require.NoError(t, err)
	two, err := os.ReadFile(again)
	require.NoError(t, err)
	assert.Equal(t, one, two)

	for _, format := range []tensor.Format{0, tensor.Q6_K, tensor.MLXAffine, tensor.PackedF16} {
		err := model.Quantize(t.Context(), e, file, &bytes.Buffer{}, model.Quantization{Format: format})
		assert.ErrorIs(t, err, tensor.ErrType)
	}
	other := filepath.Join(t.TempDir(), "other.gguf") // of an architecture that the package does not run
	var b bytes.Buffer
	require.NoError(t, gguf.Write(&b, nil, []gguf.NewTensor{{Name: "x.weight", Type: gguf.F32, Shape: []int{2, 1, 32},
		Data: make([]byte, 256)}}))
	require.NoError(t, os.WriteFile(other, b.Bytes(), 0o666))
	out, _ := quantize(t, e, other, model.Quantization{Format: tensor.MXFP4})
	g, err := gguf.Open(out)
	require.NoError(t, err)
	defer g.Close()
	assert.Equal(t, gguf.MXFP4, g.Tensor("x.weight").Type)
	assert.Equal(t, []int{2, 1, 32}, g.Tensor("x.weight").Shape)

	ctx, stop := context.WithCancel(t.Context())
	stop()
	err = model.Quantize(ctx, e, file, &bytes.Buffer{}, model.Quantization{Format: tensor.Q8_0})
	assert.ErrorIs(t, err, compute.ErrCanceled)
}

// TestQuantizeHuggingFace writes a model of Hugging Face, whose queries and keys have other rows,
// as GGUF: both have the same logits.
func TestQuantizeHuggingFace(t *testing.T) {
	e := engine(t)
	r, shapes := random("llama", func(r *reference) { r.embedding, r.size, r.feedForward = 24, 6, 40 })
	// Waves of 6.3, 135.4 and 2917 positions, of a context of 256: more than 4 times, 1.89 times and
	// less than once.
	middle := (256/(2*math.Pi*math.Pow(10000, 1.0/3)) - 1) / (4 - 1)
	r.weights["rope_freqs.weight"] = []float64{1, 1 / ((1-middle)/8 + middle), 8}
	file := write(t, r, shapes)
	names := map[string]string{"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head",
		"attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
		"attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm",
		"ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
	g, err := gguf.Open(file)
	require.NoError(t, err)
	defer g.Close()
	var tensors []safetensors.NewTensor
	for _, name := range slices.Sorted(maps.Keys(r.weights)) {
		if name == "rope_freqs.weight" { // which the configuration says
			continue
		}
		shape, w := g.Tensor(name).Shape, r.weights[name]
		parts := strings.Split(name, ".")
		require.Contains(t, names, parts[max(len(parts)-2, 0)], name)
		to := names[parts[0]] + ".weight"
		if len(parts) == 4 {
			to = "model.layers." + parts[1] + "." + names[parts[2]] + ".weight"
		}
		order := make([]int, shape[0])
		for i := range order {
			order[i] = i
			if half := r.size / 2; strings.Contains(name, "attn_q") || strings.Contains(name, "attn_k") {
				h, j := i/r.size, i%r.size // row j of Hugging Face is 2*(j%half) + j/half of llama
				order[i] = h*r.size + j%half*2 + j/half
			}
		}
		var data []byte
		for _, i := range order {
			for _, v := range w[i*len(w)/shape[0] : (i+1)*len(w)/shape[0]] {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
			}
		}
		tensors = append(tensors, safetensors.NewTensor{Name: to, Type: safetensors.F32, Shape: shape, Data: data})
	}
	dir := t.TempDir()
	whole := filepath.Join(dir, "model.safetensors")
	var b bytes.Buffer
	require.NoError(t, safetensors.Write(&b, nil, tensors))
	require.NoError(t, os.WriteFile(whole, b.Bytes(), 0o666))
	config := map[string]any{"model_type": "llama", "max_position_embeddings": r.context, "hidden_size": r.embedding,
		"num_hidden_layers": r.layers, "intermediate_size": r.feedForward, "num_attention_heads": r.heads,
		"num_key_value_heads": r.groups, "rms_norm_eps": r.epsilon, "rope_theta": r.base,
		"rope_scaling": map[string]any{"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
			"original_max_position_embeddings": 256}}
	configure := func() {
		text, err := json.Marshal(config)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), text, 0o666))
	}
	configure()
	ids := []int32{3, 17, 0, 39, 5, 5, 21, 8, 30}
	_, notes := quantize(t, e, whole, model.Quantization{Format: tensor.Q8_0})
	assert.Len(t, notes, 17, "nothing fits blocks of 32, and there is no tokenizer")
	// With a tokenizer of bytes, and a template.
	vocab := map[string]int{"<|end|>": 256}
	for b := range 256 {
		vocab[string(rune(0x100+b))] = b // as characters that no text has
	}
	words, err := json.Marshal(map[string]any{"model": map[string]any{"type": "BPE", "vocab": vocab, "merges": []string{}},
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": false},
		"added_tokens":  []any{map[string]any{"id": 256, "content": "<|end|>", "special": true}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), words, 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "chat_template.jinja"), []byte("{{ 1 }}"), 0o666))
	out, notes := quantize(t, e, whole, model.Quantization{Format: tensor.Q8_0})
	assert.Len(t, notes, 16, notes)
	to, err := gguf.Open(out)
	require.NoError(t, err)
	defer to.Close()
	template, err := to.Text("tokenizer.chat_template")
	require.NoError(t, err)
	assert.Equal(t, "{{ 1 }}", template)
	w, err := model.ReadTokenizer(out)
	require.NoError(t, err)
	assert.Equal(t, 257, w.Vocabulary())
	for _, file := range []string{file, whole, out} {
		m, err := model.Open(t.Context(), e, file, model.Options{})
		require.NoError(t, err)
		got, err := m.Logits(t.Context(), ids)
		require.NoError(t, err)
		near(t, r.run(ids), got, file)
		require.NoError(t, m.Close(t.Context()))
	}
	for _, want := range []error{model.ErrArchitecture, nil} {
		kind := "qwen2"
		if want != nil {
			kind = "gemma3_text"
		}
		config["model_type"] = kind
		configure()
		err := model.Quantize(t.Context(), e, whole, &bytes.Buffer{}, model.Quantization{Format: tensor.Q8_0})
		assert.ErrorIs(t, err, want, kind)
	}
	config["rope_scaling"].(map[string]any)["high_freq_factor"] = 1
	configure()
	err = model.Quantize(t.Context(), e, whole, &bytes.Buffer{}, model.Quantization{Format: tensor.Q8_0})
	assert.ErrorIs(t, err, model.ErrArchitecture)
	delete(config, "rope_scaling")
	configure()
	tensors[0].Name = "what"
	b.Reset()
	require.NoError(t, safetensors.Write(&b, nil, tensors))
	require.NoError(t, os.WriteFile(whole, b.Bytes(), 0o666))
	err = model.Quantize(t.Context(), e, whole, &bytes.Buffer{}, model.Quantization{Format: tensor.Q8_0})
	assert.ErrorIs(t, err, model.ErrTensor)
	assert.ErrorContains(t, err, `tensor "what" has no name in GGUF`)
}
