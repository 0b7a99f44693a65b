package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
)

// TestSharedModels compares the models beside the repository with what their trainer computed from
// them in float64.
func TestSharedModels(t *testing.T) {
	dir := os.Getenv("PUREMETAL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	text, err := os.ReadFile(filepath.Join(dir, "models", "expected.json"))
	if err != nil {
		t.Skip("there are no models in the folder that PUREMETAL_SHARED names, nor in ../shared")
	}
	var models map[string]struct {
		IDs, Greedy []int32
		Logits      []float64 `json:"logits_last"`
	}
	require.NoError(t, json.Unmarshal(text, &models))
	e := engine(t)
	for name, want := range models {
		t.Run(name, func(t *testing.T) {
			m, err := model.Open(t.Context(), e, filepath.Join(dir, "models", name), model.Options{})
			require.NoError(t, err)
			defer func() { assert.NoError(t, m.Close(t.Context())) }()
			logits, err := m.Logits(t.Context(), want.IDs)
			require.NoError(t, err)
			near(t, [][]float64{want.Logits}, logits[len(logits)-1:], "logits")
			q, err := m.NewSequence()
			require.NoError(t, err)
			defer q.Close()
			assert.Equal(t, want.Greedy, generated(t, q, want.IDs, model.Generation{Tokens: len(want.Greedy)}))

			small, err := model.Open(t.Context(), e, filepath.Join(dir, "models", name),
				model.Options{CacheFormat: tensor.Q8_0})
			require.NoError(t, err)
			defer func() { assert.NoError(t, small.Close(t.Context())) }()
			assert.Equal(t, m.SequenceBytes()/128*34, small.SequenceBytes())
			logits, err = small.Logits(t.Context(), want.IDs)
			require.NoError(t, err)
			most, worst := distance([][]float64{want.Logits}, logits[len(logits)-1:])
			assert.LessOrEqual(t, worst, 5e-2*most, "a cache of q8_0")

			out, _ := quantize(t, e, filepath.Join(dir, "models", name), model.Quantization{Format: tensor.Q8_0,
				KeepEmbedding: true})
			p, err := model.Open(t.Context(), e, out, model.Options{})
			require.NoError(t, err)
			defer func() { assert.NoError(t, p.Close(t.Context())) }()
			q, err = p.NewSequence()
			require.NoError(t, err)
			defer q.Close()
			assert.Equal(t, want.Greedy, generated(t, q, want.IDs, model.Generation{Tokens: len(want.Greedy)}),
				"packed again")
		})
	}
}

// generated returns the tokens that continue a prompt.
func generated(t *testing.T, q *model.Sequence, prompt []int32, g model.Generation) (ids []int32) {
	for id, err := range q.Generate(t.Context(), prompt, g) {
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// TestGenerate tests the ways to end a text, and that drawing depends on the seed alone.
func TestGenerate(t *testing.T) {
	e := engine(t)
	_, file := tiny(t, "llama", nil)
	m, err := model.Open(t.Context(), e, file, model.Options{Context: 20, CacheFormat: tensor.PackedF16})
	require.NoError(t, err)
	defer func() { assert.NoError(t, m.Close(t.Context())) }()
	one := func(g model.Generation) []int32 {
		q, err := m.NewSequence()
		require.NoError(t, err)
		defer q.Close()
		return generated(t, q, []int32{1, 2, 3}, g)
	}
	all := one(model.Generation{})
	assert.Len(t, all, 18, "a context of 20, of which 3 are the prompt; the last token is not in it")
	assert.Equal(t, all[:4], one(model.Generation{Tokens: 4}))
	stop := 0
	for all[stop] != all[5] {
		stop++
	}
	assert.Equal(t, all[:stop], one(model.Generation{Stop: []int32{all[5]}}))

	draw := model.Generation{Tokens: 10, Seed: 7, Sampling: tensor.Sampling{Temperature: 1.5, TopK: 30, TopP: 0.95}}
	drawn := one(draw)
	assert.Equal(t, drawn, one(draw))
	draw.Seed = 8
	assert.NotEqual(t, drawn, one(draw))

	// A penalty large enough leaves no token twice while there are others.
	seen := map[int32]bool{1: true, 2: true, 3: true}
	for _, id := range one(model.Generation{Tokens: 15, Repetition: 1e6}) {
		assert.False(t, seen[id], "token %d is there twice", id)
		seen[id] = true
	}

	// The loop may end early, and its context too.
	q, err := m.NewSequence()
	require.NoError(t, err)
	defer q.Close()
	for range q.Generate(t.Context(), []int32{1}, model.Generation{}) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range q.Generate(ctx, []int32{1}, model.Generation{}) {
		if n++; n == 3 {
			cancel()
		} else if n > 3 {
			assert.ErrorIs(t, err, context.Canceled)
		}
	}
	assert.Equal(t, 4, n)
}

// TestWrongUse tests errors of arguments.
func TestWrongUse(t *testing.T) {
	e := engine(t)
	_, file := tiny(t, "llama", nil)
	_, err := model.Open(t.Context(), e, file, model.Options{Context: 65})
	assert.ErrorIs(t, err, model.ErrContext)
	assert.ErrorContains(t, err, "65 tokens, want 1 to 64")
	_, err = model.Open(t.Context(), e, file, model.Options{CacheFormat: tensor.Q4_0})
	assert.ErrorIs(t, err, tensor.ErrType)
	assert.ErrorContains(t, err, "keys and values of q4_0, want f32, f16, bf16 or q8_0")
	_, err = model.Open(t.Context(), e, file, model.Options{CacheFormat: tensor.Q8_0})
	assert.ErrorIs(t, err, tensor.ErrShape)
	assert.ErrorContains(t, err, "keys of 8 and values of 8 elements in a cache of q8_0, want multiples of 32")
	_, err = model.Open(t.Context(), e, filepath.Join(t.TempDir(), "none.gguf"), model.Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)

	m, err := model.Open(t.Context(), e, file, model.Options{Context: 8})
	require.NoError(t, err)
	defer func() { assert.NoError(t, m.Close(t.Context())) }()
	_, err = m.Logits(t.Context(), []int32{1, 40})
	assert.ErrorIs(t, err, model.ErrToken)
	assert.ErrorContains(t, err, "token 40 at position 1, want 0 to 39")
	_, err = m.Logits(t.Context(), []int32{-1})
	assert.ErrorIs(t, err, model.ErrToken)
	_, err = m.Logits(t.Context(), make([]int32, 9))
	assert.ErrorIs(t, err, model.ErrContext)
	q, err := m.NewSequence()
	require.NoError(t, err)
	defer q.Close()
	// A prompt that does not fit is an error also where the context is the only limit.
	parts := 0
	for _, err := range q.Generate(t.Context(), make([]int32, 9), model.Generation{}) {
		parts++
		assert.ErrorIs(t, err, model.ErrContext)
	}
	assert.Equal(t, 1, parts)
	for _, x := range []struct {
		sequences []*model.Sequence
		ids       [][]int32
	}{{nil, nil}, {[]*model.Sequence{q}, nil}, {[]*model.Sequence{q}, [][]int32{{}}}, {[]*model.Sequence{nil},
		[][]int32{{1}}},
		{[]*model.Sequence{q, q}, [][]int32{{1}, {1}}}} {
		_, err := m.Step(t.Context(), x.sequences, x.ids)
		assert.Error(t, err)
	}

	// A device with too little memory.
	small, err := compute.Open(compute.WithMemoryLimit(60 << 10))
	require.NoError(t, err)
	defer func() { assert.NoError(t, small.Close(t.Context())) }()
	e2, err := tensor.New(small)
	require.NoError(t, err)
	defer func() { assert.NoError(t, e2.Close(t.Context())) }()
	_, err = model.Open(t.Context(), e2, file, model.Options{Context: 8})
	assert.Equal(t, compute.ClassOutOfMemory, compute.ClassOf(err))
	assert.ErrorContains(t, err, fmt.Sprintf("llama.gguf: %d bytes of weights, and %d for each sequence of 8 tokens",
		m.WeightBytes(), m.SequenceBytes()))

	// A model that lacks a weight, or has one of another shape.
	for name, change := range map[string]func(*reference, map[string][]int){
		`tensor "blk.1.attn_q.weight" is missing`: func(r *reference, _ map[string][]int) {
			delete(r.weights, "blk.1.attn_q.weight")
		},
		`tensor "blk.0.ffn_up.weight" has shape [48 16], want [48 32]`: func(r *reference, s map[string][]int) {
			s["blk.0.ffn_up.weight"] = []int{48, 16}
			r.weights["blk.0.ffn_up.weight"] = r.weights["blk.0.ffn_up.weight"][:48*16]
		},
	} {
		_, file := tinyWith(t, "llama", change)
		_, err := model.Open(t.Context(), e, file, model.Options{})
		assert.ErrorIs(t, err, model.ErrTensor)
		assert.ErrorContains(t, err, name)
	}
	r, _ := tiny(t, "llama", nil)
	r.architecture = "mamba"
	_, err = model.Open(t.Context(), e, write(t, r, nil), model.Options{})
	assert.ErrorIs(t, err, model.ErrArchitecture)
	assert.ErrorContains(t, err, `"mamba"; known are bert, `)
}

// TestLongPrompt adds a prompt that is computed in several pieces, and then one more token.
func TestLongPrompt(t *testing.T) {
	e := engine(t)
	r, file := tiny(t, "llama", func(r *reference) { r.context, r.layers = 1200, 1 })
	m, err := model.Open(t.Context(), e, file, model.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, m.Close(t.Context())) }()
	q, err := m.NewSequence()
	require.NoError(t, err)
	defer q.Close()
	ids := make([]int32, 1031)
	for i := range ids {
		ids[i] = int32(i*i+7*i) % vocabulary
	}
	want := r.run(ids)
	got, err := m.Step(t.Context(), []*model.Sequence{q}, [][]int32{ids[:1030]})
	require.NoError(t, err)
	near(t, want[1029:1030], got, "the prompt")
	assert.Equal(t, 1030, q.Len())
	got, err = m.Step(t.Context(), []*model.Sequence{q}, [][]int32{ids[1030:]})
	require.NoError(t, err)
	near(t, want[1030:], got, "the token after it")
}

// TestLongPrompts adds prompts to two sequences at once that are more together than are computed at
// once.
func TestLongPrompts(t *testing.T) {
	e := engine(t)
	r, file := tiny(t, "llama", func(r *reference) { r.context, r.layers = 400, 1 })
	m, err := model.Open(t.Context(), e, file, model.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, m.Close(t.Context())) }()
	ids := make([]int32, 400)
	for i := range ids {
		ids[i] = int32(i*i+3*i) % vocabulary
	}
	var two []*model.Sequence
	for range 2 {
		q, err := m.NewSequence()
		require.NoError(t, err)
		defer q.Close()
		two = append(two, q)
	}
	got, err := m.Step(t.Context(), two, [][]int32{ids[:300], ids})
	require.NoError(t, err)
	want := r.run(ids)
	near(t, [][]float64{want[299], want[399]}, got, "two prompts")
	assert.Equal(t, []int{300, 400}, []int{two[0].Len(), two[1].Len()})
	two[0].Close()
	_, err = m.Step(t.Context(), two[:1], [][]int32{{1}})
	assert.ErrorIs(t, err, compute.ErrClosed)
}
