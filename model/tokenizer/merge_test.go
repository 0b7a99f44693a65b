package tokenizer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/tokenizer"
)

// mergeSlowly merges by definition: while a pair of neighbors may be merged, the best one is, of
// equals the leftmost. Rank returns a pair's rank, the least first.
func mergeSlowly(pieces []string, rank func(left, right string) (float64, bool)) []string {
	for {
		best, at := math.Inf(1), -1
		for i := range len(pieces) - 1 {
			if r, ok := rank(pieces[i], pieces[i+1]); ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return pieces
		}
		pieces = slices.Concat(pieces[:at], []string{pieces[at] + pieces[at+1]}, pieces[at+2:])
	}
}

// TestMerges compares merging with its definition, on random vocabularies.
func TestMerges(t *testing.T) {
	letters := []string{"a", "b", "c"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		known, ranks := slices.Clone(letters), map[[2]string]float64{}
		var merges []string
		for range r.IntN(30) {
			pair := [2]string{known[r.IntN(len(known))], known[r.IntN(len(known))]}
			if _, twice := ranks[pair]; !twice {
				ranks[pair] = float64(len(merges))
			}
			merges = append(merges, pair[0]+" "+pair[1])
			known = append(known, pair[0]+pair[1])
		}
		x := fromKeys(t, byteLevel("gpt-2", merges))
		rank := func(left, right string) (float64, bool) {
			n, ok := ranks[[2]string{left, right}]
			return n, ok
		}
		for range 20 {
			word := randomText(r, 40, letters...)
			want := mergeSlowly(strings.Split(word, ""), rank)
			if word == "" {
				want = []string{}
			}
			require.Equal(t, want, texts(x, x.Encode(word, tokenizer.EncodeOptions{})), "seed %d, %q, %q", seed, word, merges)
		}
	}
}

// TestScores compares SentencePiece's merging with its definition, with many equal scores.
func TestScores(t *testing.T) {
	letters := []string{"a", "b", "c", "▁", "é"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		pieces, scores := slices.Clone(letters), make([]float32, len(letters))
		for range r.IntN(30) {
			if p := pieces[r.IntN(len(pieces))] + pieces[r.IntN(len(pieces))]; !slices.Contains(pieces, p) {
				pieces, scores = append(pieces, p), append(scores, float32(r.IntN(5)-3))
			}
		}
		x := fromKeys(t, sentences("llama", pieces, scores).with(keys{"add_space_prefix": seed%2 == 0}))
		rank := func(left, right string) (float64, bool) {
			i := slices.Index(pieces, left+right)
			if i < 0 {
				return 0, false
			}
			return float64(-scores[i]), true
		}
		for range 20 {
			text := randomText(r, 30, "a", "b", "c", " ", "é")
			want := []string{}
			if text != "" {
				escaped := strings.ReplaceAll(text, " ", "▁")
				if seed%2 == 0 {
					escaped = "▁" + escaped
				}
				want = mergeSlowly(strings.Split(escaped, ""), rank)
			}
			ids := x.Encode(text, tokenizer.EncodeOptions{})
			require.Equal(t, want, texts(x, ids), "seed %d, %q, %q", seed, text, pieces)
			back, err := x.Decode(ids, tokenizer.DecodeOptions{})
			require.NoError(t, err)
			require.Equal(t, text, back)
		}
	}
}

// TestUnigram compares the score of the tokens with the best of all divisions.
func TestUnigram(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		pieces, scores := []string{"▁"}, []float32{-3}
		for range 1 + r.IntN(25) {
			if p := randomText(r, 3, "a", "b", "c", "é") + "a"; !slices.Contains(pieces, p) {
				pieces, scores = append(pieces, p), append(scores, -10*r.Float32())
			}
		}
		x := fromKeys(t, sentences("t5", pieces, scores).with(keys{"remove_extra_whitespaces": true}))
		unknown := float64(slices.Min(scores)) - 10
		for range 20 {
			text := randomText(r, 12, "a", "b", "c", "é", " ")
			escaped := ""
			for _, word := range strings.Fields(text) {
				escaped += "▁" + word
			}
			// The best score of each beginning, from all that it may end with.
			chars := strings.Split(escaped, "")
			best := make([]float64, len(chars)+1)
			for i := range chars {
				best[i+1] = best[i] + unknown
				for from := range i + 1 {
					if j := slices.Index(pieces, strings.Join(chars[from:i+1], "")); j >= 0 {
						best[i+1] = max(best[i+1], best[from]+float64(scores[j]))
					}
				}
			}
			sum, covered := 0.0, 0
			for _, id := range x.Encode(text, tokenizer.EncodeOptions{}) {
				token, _ := x.Token(id)
				sum += token.Score
				covered += len([]rune(token.Text))
				if token.Kind == tokenizer.Unknown {
					covered = math.MinInt32 // how many characters that is does not show
				}
			}
			if covered >= 0 && escaped != "" {
				require.InDelta(t, best[len(chars)], sum, 1e-9, "seed %d, %q", seed, text)
				require.Equal(t, len(chars), covered)
			}
		}
	}
}

// TestLongWords: time grows little faster than the text. A quadratic algorithm would take hours.
func TestLongWords(t *testing.T) {
	var merges, pieces []string
	for n := 1; n <= 64; n *= 2 {
		for _, c := range []string{"a", "Ġ", "Ċ", "<"} {
			merges = append(merges, strings.Repeat(c, n)+" "+strings.Repeat(c, n))
		}
		for _, c := range []string{"a", "▁", "\n", "<"} {
			pieces = append(pieces, strings.Repeat(c, n))
		}
	}
	all := map[string]*tokenizer.Tokenizer{
		"llama": fromKeys(t, sentences("llama", pieces, make([]float32, len(pieces)))),
		"t5":    fromKeys(t, sentences("t5", pieces, make([]float32, len(pieces)))),
		"bert": fromKeys(t, keys{"model": "bert", "tokens": []string{"▁a", "a", "aa", "[UNK]", "[CLS]", "[SEP]"},
			"unknown_token_id": uint32(3), "bos_token_id": uint32(4), "seperator_token_id": uint32(5)}),
	}
	for _, pre := range []string{"default", "gpt-2", "llama-bpe", "qwen2", "gpt-4o", "tekken", "deepseek-v3",
		"deepseek-llm",
		"exaone-moe", "superbpe", "tiny_aya", "gemma4", "bloom"} {
		all[pre] = fromKeys(t, byteLevel(pre, merges, "<|end|>", "<x>"))
	}
	size := 1 << 15
	for name, x := range all {
		for _, c := range []string{"a", "A", " ", "\n", "1", "<", "中", "\u0301", "\xff", "a1", "Aa ", "' ", "\n "} {
			ids := x.Encode(strings.Repeat(c, size/len(c)), tokenizer.EncodeOptions{ParseSpecial: true})
			assert.LessOrEqual(t, len(ids), 4*size, "%s, %q", name, c)
		}
	}
}

// TestManyTokens: Decode reports ids that are none.
func TestManyTokens(t *testing.T) {
	x := fromKeys(t, byteLevel("gpt-2", nil))
	for _, id := range []int32{-1, 256, math.MaxInt32} {
		_, err := x.Decode([]int32{1, id}, tokenizer.DecodeOptions{})
		assert.ErrorContains(t, err, fmt.Sprintf("token 2 of 2 has the id %d, the vocabulary has 256", id))
		_, err = x.NewStream(tokenizer.DecodeOptions{}).Write(id)
		assert.ErrorContains(t, err, fmt.Sprint(id))
		_, ok := x.Token(id)
		assert.False(t, ok)
	}
}
