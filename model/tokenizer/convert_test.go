package tokenizer_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// TestKeys: the tokenizer of a GGUF file with the keys encodes as that of the tokenizer.json.
func TestKeys(t *testing.T) {
	const begin, end = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}`,
		`| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	split := func(regex string) obj {
		return obj{"pre_tokenizer": obj{"type": "Sequence", "pretokenizers": arr{
			obj{"type": "Split", "pattern": obj{"Regex": regex}, "behavior": "Isolated"},
			obj{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}}}}
	}
	end3 := obj{"id": 260, "content": "<x>", "special": false}
	added := arr{obj{"id": 257, "content": "<|end|>", "special": true}, end3}
	with := func(o obj) obj {
		o["added_tokens"] = added
		return o
	}
	vocab := obj{"<unk>": 0, "<s>": 1, "</s>": 2}
	for b := range 256 {
		vocab[fmt.Sprintf("<0x%02X>", b)] = 3 + b
	}
	merged, merges := 259, arr{}
	for _, m := range [][2]string{{"▁", "a"}, {"a", "b"}, {"▁a", "b"}, {"h", "e"}, {"l", "l"}, {"he", "ll"}} {
		vocab[m[0]+m[1]], merged = merged, merged+1
		merges = append(merges, m[0]+" "+m[1])
	}
	for _, c := range "▁ablhezo'中" {
		vocab[string(c)], merged = merged, merged+1
	}
	sentence := obj{"added_tokens": arr{obj{"id": 0, "content": "<unk>", "special": true},
		obj{"id": 1, "content": "<s>", "special": true}, obj{"id": 2, "content": "</s>", "special": true}},
		"model": obj{"type": "BPE", "vocab": vocab, "merges": merges, "unk_token": "<unk>", "fuse_unk": true,
			"byte_fallback": true}}
	random := rand.New(rand.NewPCG(1, 2))
	for name, text := range map[string]string{
		"gpt2":   byteJSON(with(obj{})),
		"llama3": byteJSON(with(split(begin + `{1,3}` + end))),
		"qwen2":  byteJSON(with(split(begin + end))),
		"smollm": byteJSON(with(obj{"pre_tokenizer": obj{"type": "Sequence", "pretokenizers": arr{
			obj{"type": "Digits", "individual_digits": true}, obj{"type": "ByteLevel", "add_prefix_space": false}}}})),
		"sentence": sentenceJSON(sentence),
	} {
		pairs, err := tokenizer.Keys([]byte(text), 300)
		require.NoError(t, err, name)
		var b bytes.Buffer
		require.NoError(t, gguf.Write(&b, pairs, nil))
		f, err := gguf.Parse(name, b.Bytes())
		require.NoError(t, err)
		got, err := tokenizer.FromGGUF(f)
		require.NoError(t, err)
		want := fromJSON(t, text)
		assert.Equal(t, max(want.Vocabulary(), 300), got.Vocabulary())
		if id := want.Special().BOS; id >= 0 {
			assert.Equal(t, id, got.Special().BOS)
		}
		for id := range want.Vocabulary() {
			assert.Equal(t, want.EndsGeneration(int32(id)), got.EndsGeneration(int32(id)), "%s: %d", name, id)
		}
		for range 200 {
			s := randomText(random, 12, " ", "  ", "\n", "a", "ab", "hello", "'ll", "1234", "中", "ß", "<x>", "<s>", "?!", "\t")
			for _, o := range []tokenizer.EncodeOptions{{}, {AddSpecial: true, ParseSpecial: true}} {
				ids := want.Encode(s, o)
				require.Equal(t, ids, got.Encode(s, o), "%s: %q", name, s)
				text, err := want.Decode(ids, tokenizer.DecodeOptions{Special: true})
				require.NoError(t, err)
				again, err := got.Decode(ids, tokenizer.DecodeOptions{Special: true})
				require.NoError(t, err)
				require.Equal(t, text, again)
			}
		}
	}
	for _, text := range []string{byteJSON(split(`\d+`)), byteJSON(obj{"normalizer": obj{"type": "Lowercase"}}),
		sentenceJSON(obj{"model": obj{"type": "WordPiece", "vocab": obj{"a": 0}}, "added_tokens": arr{},
			"post_processor": nil}),
		sentenceJSON(obj{"model": obj{"type": "BPE", "vocab": obj{"a": 0}, "merges": arr{}}, "added_tokens": arr{},
			"post_processor": nil}), byteJSON(obj{"added_tokens": arr{}})} {
		_, err := tokenizer.Keys([]byte(text), 0)
		assert.ErrorIs(t, err, tokenizer.ErrUnknown)
	}
	_, err := tokenizer.Keys([]byte("{"), 0)
	assert.ErrorIs(t, err, tokenizer.ErrVocabulary)
}
