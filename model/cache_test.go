package model_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
)

// TestCacheFormats compares the logits of models with caches of fewer bits with exact ones, by the
// bounds that docs/models.md states, and those of a cache of q8_0 also with a reference that packs
// keys and values in the same way. It tests how much memory the caches take.
func TestCacheFormats(t *testing.T) {
	e := engine(t)
	for _, x := range []struct {
		architecture string
		change       func(*reference)
	}{
		{"llama", func(r *reference) { r.size = 64 }},
		{"qwen3", func(r *reference) { r.size, r.window = 32, 3 }},
		{"gemma2", func(r *reference) { r.size, r.window, r.attnSoftcap, r.finalSoftcap = 96, 4, 2, 5 }},
		{"gpt2", func(r *reference) { r.size, r.groups = 32, 4 }},
	} {
		r, file := tiny(t, x.architecture, x.change)
		ids := []int32{3, 17, 0, 39, 5, 5, 21, 8, 30}
		want := r.run(ids)
		r.cached = q8
		packed := r.run(ids)
		elements := r.layers * r.groups * 2 * r.size * 20
		for _, c := range []struct {
			format tensor.Format
			bytes  int
			bound  float64
		}{{tensor.PackedF32, 4 * elements, 2e-5}, {tensor.PackedF16, 2 * elements, 2e-3},
			{tensor.PackedBF16, 2 * elements, 2e-2}, {tensor.Q8_0, elements / 32 * 34, 5e-2}} {
			t.Run(x.architecture+"/"+c.format.String(), func(t *testing.T) {
				m, err := model.Open(t.Context(), e, file, model.Options{Context: 20, CacheFormat: c.format})
				require.NoError(t, err)
				defer func() { assert.NoError(t, m.Close(t.Context())) }()
				assert.Equal(t, c.bytes, m.SequenceBytes())
				all, err := m.Logits(t.Context(), ids)
				require.NoError(t, err)
				most, worst := distance(want, all)
				assert.LessOrEqual(t, worst, c.bound*most, "the largest logit is %g", most)
				t.Logf("the largest error is %.1e of the largest logit", worst/most)
				if c.format == tensor.Q8_0 {
					near(t, packed, all, "the reference that packs")
				}

				// A token at a time beside another text.
				q, err := m.NewSequence()
				require.NoError(t, err)
				defer q.Close()
				other, err := m.NewSequence()
				require.NoError(t, err)
				defer other.Close()
				var steps [][]float32
				for i, id := range ids {
					rows, err := m.Step(t.Context(), []*model.Sequence{other, q}, [][]int32{{ids[len(ids)-1-i], 1}, {id}})
					require.NoError(t, err)
					steps = append(steps, rows[1])
				}
				most, worst = distance(want, steps)
				assert.LessOrEqual(t, worst, c.bound*most, "a token at a time: the largest logit is %g", most)
			})
		}
	}
}

// q8 returns the numbers that q8_0 makes of others.
func q8(x []float64) (y []float64) {
	for at := 0; at < len(x); at += 32 {
		most := 0.0
		for _, v := range x[at : at+32] {
			most = max(most, math.Abs(v))
		}
		fraction, exponent := math.Frexp(most / 127) // a float16 has 11 bits
		scale := math.Ldexp(math.RoundToEven(fraction*2048)/2048, exponent)
		for _, v := range x[at : at+32] {
			y = append(y, math.Round(v*127/most)*scale)
		}
	}
	return y
}

// distance returns the largest magnitude of a reference, and how far from it numbers are.
func distance(want [][]float64, got [][]float32) (most, worst float64) {
	for i := range want {
		for j, x := range want[i] {
			most, worst = max(most, math.Abs(x)), max(worst, math.Abs(x-float64(got[i][j])))
		}
	}
	return most, worst
}
