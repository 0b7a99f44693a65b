package tokenizer_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/tokenizer"
)

var plain tokenizer.EncodeOptions

// TestShared compares the tokens of the models that all developers have.
func TestShared(t *testing.T) {
	data, err := os.ReadFile(shared(t, "expected.json"))
	require.NoError(t, err)
	var expected map[string]struct {
		Prompt, Text string
		IDs, Greedy  []int32
	}
	require.NoError(t, json.Unmarshal(data, &expected))
	require.NotEmpty(t, expected)
	r := rand.New(rand.NewPCG(7, 8))
	for name, want := range expected {
		f, err := gguf.Open(shared(t, name))
		require.NoError(t, err)
		x, err := tokenizer.FromGGUF(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		assert.Equal(t, want.IDs, x.Encode(want.Prompt, plain), name)
		assert.Equal(t, want.IDs, x.Encode(want.Prompt, tokenizer.EncodeOptions{AddSpecial: true}), name)
		text, err := x.Decode(want.Greedy, tokenizer.DecodeOptions{})
		require.NoError(t, err)
		assert.Equal(t, want.Text, text)
		assert.Equal(t, 512, x.Vocabulary())
		assert.EqualValues(t, 511, x.Special().EOS)
		assert.True(t, x.EndsGeneration(511))
		for range 500 {
			returns(t, x, randomText(r, 20, hard...))
		}
	}
}

// returns checks that a text comes back from its tokens, at once and one by one.
func returns(t testing.TB, x *tokenizer.Tokenizer, text string) {
	ids := x.Encode(text, plain)
	back, err := x.Decode(ids, tokenizer.DecodeOptions{})
	require.NoError(t, err)
	require.Equal(t, text, back)
	streams(t, x, ids)
}

// streams checks that a stream writes what Decode does, and no part of a character that is whole.
func streams(t testing.TB, x *tokenizer.Tokenizer, ids []int32) {
	want, err := x.Decode(ids, tokenizer.DecodeOptions{})
	require.NoError(t, err)
	s := x.NewStream(tokenizer.DecodeOptions{})
	valid := utf8.ValidString(want)
	var b strings.Builder
	for _, id := range ids {
		part, err := s.Write(id)
		b.WriteString(part)
		if err != nil || valid && !utf8.ValidString(part) {
			t.Fatalf("%q of %q, %v", part, want, err)
		}
	}
	b.WriteString(s.Flush())
	require.Equal(t, want, b.String())
}

// TestReturns: byte-level and SentencePiece's vocabularies return every text.
func TestReturns(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var all []*tokenizer.Tokenizer
	for _, pre := range strings.Fields("default gpt-2 llama3 dbrx glm4 jais-2 minicpm5 qwen2 qwen35 " +
		"laguna bailingmoe seed-coder " +
		"exaone-moe smollm falcon deepseek-llm deepseek-coder deepseek-v3 youtu bloom viking tekken gpt-4o " +
		"granite-embed-multi-97m tiny_aya kimi-k2 superbpe afmoe chameleon") {
		all = append(all, fromKeys(t, byteLevel(pre, []string{"h e", "l l", "he ll", "Ġ Ġ", "ä ¸", "Ċ Ċ"}, "<|end|>", "<x>")))
	}
	for range 300 {
		text := randomText(r, 15, hard...)
		for _, x := range all {
			returns(t, x, text)
		}
		if !strings.Contains(text, "▁") {
			for _, prefix := range []bool{false, true} {
				pieces := []string{"▁", "he", "▁he", "中"}
				k := sentences("llama", pieces, []float32{-1, -2, -3, -4}).with(keys{"add_space_prefix": prefix})
				returns(t, fromKeys(t, k), text)
			}
		}
	}
}

// TestInvalid: bytes that are not UTF-8 are kept, or replaced as llama.cpp does.
func TestInvalid(t *testing.T) {
	x := fromKeys(t, byteLevel("gpt-2", nil))
	assert.Equal(t, []int32{'a', 0xFF, 'b'}, x.Encode("a\xffb", plain))
	assert.Equal(t, []int32{'a', 0xEF, 0xBF, 0xBD, 'b'},
		x.Encode("a\xffb", tokenizer.EncodeOptions{InvalidLikeLlama: true}))
	s := x.NewStream(tokenizer.DecodeOptions{})
	var parts []string
	for _, id := range []int32{0xE4, 0xB8, 0xAD, 0xE4, 'a', 0xC3} {
		part, err := s.Write(id)
		require.NoError(t, err)
		parts = append(parts, part)
	}
	assert.Equal(t, []string{"", "", "中", "", "\xe4a", ""}, parts)
	assert.Equal(t, "\xc3", s.Flush())
	assert.Empty(t, s.Flush())
}

// TestSpecialTokens: which tokens are found in a text, and where.
func TestSpecialTokens(t *testing.T) {
	k := byteLevel("gpt-2", nil, "<|end|>", "<|eot_id|>", "<x>", "<x><x>", "x>y")
	x := fromKeys(t, k.with(keys{"add_bos_token": true, "bos_token_id": uint32(256)}))
	parse := tokenizer.EncodeOptions{ParseSpecial: true}
	both := tokenizer.EncodeOptions{ParseSpecial: true, AddSpecial: true}
	assert.Equal(t, []string{"<", "x"}, texts(x, x.Encode("<x", plain)))
	assert.Equal(t, []string{"<x><x>", "<x>", "a"}, texts(x, x.Encode("<x><x><x>a", plain)))
	assert.Equal(t, []string{"<x>", "y"}, texts(x, x.Encode("<x>y", plain)), "of the same length the first counts")
	assert.Equal(t, "<|end|>", strings.Join(texts(x, x.Encode("<|end|>", plain)), ""))
	assert.Len(t, x.Encode("<|end|>", plain), 7)
	assert.Equal(t, []string{"a", "<|end|>", "b"}, texts(x, x.Encode("a<|end|>b", parse)))
	assert.Equal(t, []string{"<|end|>", "a"}, texts(x, x.Encode("a", both)))
	assert.Empty(t, x.Encode("", parse))
	assert.Equal(t, []string{"<|end|>"}, texts(x, x.Encode("", both)))

	ids := x.Encode("a<|end|>b", parse)
	text, err := x.Decode(ids, tokenizer.DecodeOptions{})
	require.NoError(t, err)
	assert.Equal(t, "ab", text)
	text, err = x.Decode(ids, tokenizer.DecodeOptions{Special: true})
	require.NoError(t, err)
	assert.Equal(t, "a<|end|>b", text)

	assert.EqualValues(t, 257, x.Special().EOT, "found by its text")
	assert.True(t, x.EndsGeneration(257))
	assert.True(t, x.EndsGeneration(256))
	assert.False(t, x.EndsGeneration(258))
	id, ok := x.Lookup("<x>")
	assert.True(t, ok)
	token, ok := x.Token(id)
	assert.True(t, ok)
	assert.Equal(t, tokenizer.UserDefined, token.Kind)
}

// TestTrim: tokens of some models take the blanks beside them.
func TestTrim(t *testing.T) {
	parse := tokenizer.EncodeOptions{ParseSpecial: true}
	k := sentences("llama", []string{"▁", "a", "▁a"}, []float32{-1, -1, -0.5})
	phi := fromKeys(t, k.with(keys{"general.name": "Phi-3 mini"}))
	assert.Equal(t, []string{"▁a", "</s>", "▁a", "<s>", "▁", "▁a"}, texts(phi, phi.Encode("a</s> \n\ta<s> a", parse)))
	mask := append(slices.Clone(byteLevel("jina-v2-es", nil)["tokens"].([]string)), "<mask>")
	types := make([]int32, 257)
	for i := range types {
		types[i] = 1
	}
	types[256] = 3
	jina := fromKeys(t, byteLevel("jina-v2-es", nil).with(keys{"tokens": mask, "token_type": types}))
	assert.Equal(t, []string{"a", "<mask>", "Ġ", "b"}, texts(jina, jina.Encode("a \n <mask> b", parse)))
}

// TestSentencePiece: spaces, bytes and tokens of the user.
func TestSentencePiece(t *testing.T) {
	k := sentences("llama", []string{"▁", "▁a", "a", "b", "ab", "▁▁"}, []float32{-1, -2, -3, -4, -1, -9})
	x := fromKeys(t, k)
	assert.Equal(t, []string{"▁", "ab"}, texts(x, x.Encode("ab", plain)), "the best score merges first")
	assert.Equal(t, []string{"▁▁", "<0xC3>", "<0xA9>"}, texts(x, x.Encode(" é", plain)))
	assert.Equal(t, []string{"<s>", "▁a"}, texts(x, x.Encode("a", tokenizer.EncodeOptions{AddSpecial: true})))
	text, err := x.Decode(x.Encode("ab", plain), tokenizer.DecodeOptions{Continue: true})
	require.NoError(t, err)
	assert.Equal(t, " ab", text)
	assert.Empty(t, x.Encode("", plain))
}

// TestWordPiece: words of BERT.
func TestWordPiece(t *testing.T) {
	list := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁hello", "▁world", "s", "▁,", "▁中",
		"▁cafe", "▁straße", "ab", "▁ᄀ"}
	types := []int32{3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	k := keys{"model": "bert", "tokens": list, "token_type": types, "unknown_token_id": uint32(1),
		"bos_token_id":       uint32(2),
		"seperator_token_id": uint32(3), "padding_token_id": uint32(0)}
	x := fromKeys(t, k)
	for text, want := range map[string][]string{
		"Hello  WORLDS,\n": {"▁hello", "▁world", "s", "▁,"},
		"Café\u0301 中中":    {"▁cafe", "▁中", "▁中"},
		"hel\x00\u200blo":  {"▁hello"},
		"Straße nope":      {"▁straße", "[UNK]"},
		"가":                {"▁ᄀ"}, // as llama.cpp decomposes it
		"":                 {},
		"helloab":          {"▁hello", "ab"},
	} {
		assert.Equal(t, want, texts(x, x.Encode(text, plain)), "%q", text)
	}
	ids := x.Encode("hello, worlds", tokenizer.EncodeOptions{AddSpecial: true})
	assert.Equal(t, []string{"[CLS]", "▁hello", "▁,", "▁world", "s", "[SEP]"}, texts(x, ids))
	text, err := x.Decode(ids, tokenizer.DecodeOptions{})
	require.NoError(t, err)
	assert.Equal(t, "hello , worlds", text)
	cased := fromKeys(t, k.with(keys{"normalizer.lowercase": false}))
	assert.Equal(t, []string{"[UNK]", "▁world"}, texts(cased, cased.Encode("Hello world", plain)))
}

// TestCharsMap: the table of replacements of a unigram model, here of two characters.
func TestCharsMap(t *testing.T) {
	// The root is followed by 'A', and by 'B' with 'C': A becomes "a", BC becomes "xy".
	nodes := make([]uint32, 1024)
	const leaf = 1 << 8
	at := func(i, base uint32, label byte, more uint32) { nodes[i] = (base^i)<<10 | uint32(label) | more }
	nodes[0] = 256 << 10
	at(256^'A', 512, 'A', leaf)
	nodes[512] = 0 | 1<<31
	at(256^'B', 700, 'B', 0)
	at(700^'C', 900, 'C', leaf)
	nodes[900] = 2 | 1<<31
	var table []byte
	size := uint32(len(nodes) * 4)
	table = append(table, byte(size), byte(size>>8), byte(size>>16), byte(size>>24))
	for _, n := range nodes {
		table = append(table, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	table = append(table, "a\x00xy\x00"...)
	k := sentences("t5", []string{"▁", "a", "x", "y", "B"}, []float32{-1, -1, -1, -1, -1}).with(keys{
		"precompiled_charsmap": table, "add_space_prefix": true})
	x := fromKeys(t, k)
	assert.Equal(t, []string{"▁", "a", "x", "y", "B", "a"}, texts(x, x.Encode("ABCBA", plain)))
	for _, broken := range [][]byte{{1}, {0, 0, 0, 0}, {200, 0, 0, 0, 1, 2, 3, 0}, table[:len(table)-1]} {
		_, err := tokenizer.FromGGUF(file(t, k.with(keys{"precompiled_charsmap": broken})))
		assert.ErrorIs(t, err, tokenizer.ErrVocabulary)
	}
}

// TestErrors: what is wrong with a file's keys is named.
func TestErrors(t *testing.T) {
	good := byteLevel("gpt-2", []string{"a b"})
	n := len(good["tokens"].([]string))
	for _, x := range []struct {
		change keys
		is     error
		want   string
	}{
		{keys{"model": nil}, gguf.ErrNoKey, "tokenizer.ggml.model"},
		{keys{"model": int32(1)}, gguf.ErrFormat, "tokenizer.ggml.model is int32 1, want a string"},
		{keys{"model": "rwkv"}, tokenizer.ErrUnknown, `unknown tokenizer "rwkv"; known are bert, gemma4, gpt2, llama, t5`},
		{keys{"pre": "nope"}, tokenizer.ErrUnknown,
			`tokenizer.ggml.pre: unknown pre-tokenizer "nope"; known are a.x-4.0, afmoe,`},
		{keys{"tokens": nil}, gguf.ErrNoKey, "tokenizer.ggml.tokens"},
		{keys{"tokens": []int32{1}}, tokenizer.ErrVocabulary, "tokens is an array of int32, want an array of [string]"},
		{keys{"tokens": []string{}}, tokenizer.ErrVocabulary, "tokens has 0 entries, want 1 to 1048576"},
		{keys{"tokens": []string{"a", "b", "a"}, "token_type": nil}, tokenizer.ErrVocabulary,
			`tokenizer.ggml.tokens[0] and tokenizer.ggml.tokens[2] are both "a"`},
		{keys{"tokens": []string{strings.Repeat("a", 9000)}, "token_type": nil}, tokenizer.ErrVocabulary,
			"tokens[0] has 9000 bytes, at most 8192"},
		{keys{"token_type": []int32{1}}, tokenizer.ErrVocabulary, "token_type has 1 elements for 257 tokens"},
		{keys{"token_type": "x"}, tokenizer.ErrVocabulary, "token_type is string, want an array of [int32]"},
		{keys{"scores": []float32{1}}, tokenizer.ErrVocabulary, "scores has 1 elements for 257 tokens"},
		{keys{"scores": make([]float64, n)}, tokenizer.ErrVocabulary, "scores is an array of float64"},
		{keys{"merges": nil}, gguf.ErrNoKey, "tokenizer.ggml.merges"},
		{keys{"merges": []string{"a b", "ab"}}, tokenizer.ErrVocabulary, `merges[1]: "ab" has no space between two strings`},
		{keys{"merges": []string{"", "ab"}}, tokenizer.ErrVocabulary, `merges[0]: ""`},
		{keys{"bos_token_id": "x"}, gguf.ErrFormat, "tokenizer.ggml.bos_token_id is string"},
		{keys{"add_bos_token": "x"}, gguf.ErrFormat, `tokenizer.ggml.add_bos_token is string "x", want a bool`},
		{keys{"tokens": []string{"a"}, "token_type": nil, "add_eos_token": true, "eos_token_id": nil},
			tokenizer.ErrVocabulary, "add_eos_token is true, but tokenizer.ggml.eos_token_id names no token"},
	} {
		_, err := tokenizer.FromGGUF(file(t, good.with(x.change)))
		require.ErrorIs(t, err, x.is, x.want)
		assert.ErrorContains(t, err, x.want)
		assert.ErrorContains(t, err, "test.gguf")
	}
	k := sentences("llama", []string{"a"}, []float32{float32(nan())})
	_, err := tokenizer.FromGGUF(file(t, k))
	assert.ErrorContains(t, err, `tokens[259] "a" has the score NaN`)
	// An id out of range does not count, as in llama.cpp.
	x := fromKeys(t, good.with(keys{"eos_token_id": uint32(9999)}))
	assert.EqualValues(t, 11, x.Special().EOS)
}

func nan() float64 {
	zero := 0.0
	return zero / zero
}
