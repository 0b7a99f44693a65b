package tokenizer_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/tokenizer"
)

// FuzzEncode: every text has tokens, which are of the vocabulary; byte-level tokens return it.
func FuzzEncode(f *testing.F) {
	for _, text := range hard {
		f.Add(text + "x" + text)
	}
	f.Add("")
	merges := []string{"a b", "Ġ Ġ", "ab ab", "1 2", "Ċ Ċ", "ä ¸"}
	var all, back []*tokenizer.Tokenizer
	for _, pre := range []string{"default", "llama3", "qwen35", "falcon", "deepseek-llm", "deepseek-v3", "gpt-4o",
		"tiny_aya",
		"superbpe", "kimi-k2", "exaone-moe", "chameleon", "youtu", "jais-2"} {
		back = append(back, fromKeys(f, byteLevel(pre, merges, "<|end|>", "<x>")))
	}
	pieces, scores := []string{"▁", "a", "▁a", "ab", "中"}, []float32{-1, -2, -1.5, -3, -4}
	all = append(all, fromKeys(f, sentences("llama", pieces, scores)), fromKeys(f, sentences("t5", pieces, scores)),
		fromKeys(f, keys{"model": "bert", "tokens": []string{"▁a", "b", "ab", "[UNK]"}, "unknown_token_id": uint32(3),
			"bos_token_id": uint32(3), "seperator_token_id": uint32(3)}),
		fromJSON(f, sentenceJSON(nil)), fromJSON(f, byteJSON(nil)))
	f.Fuzz(func(t *testing.T, text string) {
		for _, x := range back {
			returns(t, x, text)
		}
		for _, x := range slices.Concat(all, back) {
			for _, o := range []tokenizer.EncodeOptions{{AddSpecial: true, ParseSpecial: true}, {InvalidLikeLlama: true}} {
				ids := x.Encode(text, o)
				for _, id := range ids {
					if _, ok := x.Token(id); !ok {
						t.Fatal(id)
					}
				}
				streams(t, x, ids)
			}
		}
	})
}

// FuzzFromJSON: no file makes the reader, or the tokenizer that it returns, panic or take long.
func FuzzFromJSON(f *testing.F) {
	f.Add([]byte(byteJSON(nil)), "ab é")
	f.Add([]byte(sentenceJSON(nil)), "ab é")
	for _, regex := range []string{`'(?i:[sdmt]|ll)|[^\r\n\p{L}\p{N}]?+\p{L}+|\s+(?!\S)|\s+`, `\d{1,3}(?=(?:\d{3})*\b)`} {
		f.Add([]byte(byteJSON(obj{"pre_tokenizer": obj{"type": "Split", "pattern": obj{"Regex": regex}}})), "ab 1234's")
	}
	f.Add([]byte(object(obj{"added_tokens": arr{obj{"id": 1, "content": "<m>", "normalized": true}},
		"normalizer": obj{"type": "Precompiled", "precompiled_charsmap": "CAAAAAABAAAAAQAAYQA="},
		"model":      obj{"vocab": arr{arr{"a", -1}}, "unk_id": 0}})), "a")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		x, err := tokenizer.FromJSON(data)
		if err == nil {
			use(t, x, text)
		}
	})
}

// FuzzFromGGUF is the same for the keys of GGUF files.
func FuzzFromGGUF(f *testing.F) {
	add := func(k keys) {
		g := file(f, k)
		var b bytes.Buffer
		require.NoError(f, gguf.Write(&b, g.Metadata, nil))
		f.Add(b.Bytes(), "ab é 12")
	}
	small := []string{"a", "b", "ab", "<unk>", "▁", "▁a"}
	types := []int32{1, 1, 1, 2, 4, 1}
	scores := []float32{-1, -2, -3, -4, -5, -6}
	for _, model := range []string{"gpt2", "llama", "t5", "bert", "gemma4"} {
		add(keys{"model": model, "pre": "llama-bpe", "tokens": small, "token_type": types, "scores": scores,
			"merges": []string{"a b"}, "bos_token_id": uint32(0), "eos_token_id": uint32(1), "unknown_token_id": uint32(3),
			"seperator_token_id": uint32(2), "add_bos_token": true,
			"precompiled_charsmap": []uint8{4, 0, 0, 0, 1, 0, 0, 0, 97, 0}})
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		g, err := gguf.Parse("fuzz.gguf", data)
		if err != nil {
			return
		}
		if x, err := tokenizer.FromGGUF(g); err == nil {
			use(t, x, text)
		}
	})
}

// use encodes and decodes a text.
func use(t *testing.T, x *tokenizer.Tokenizer, text string) {
	for _, o := range []tokenizer.EncodeOptions{{}, {AddSpecial: true, ParseSpecial: true, InvalidLikeLlama: true}} {
		ids := x.Encode(text, o)
		for _, id := range ids {
			if _, ok := x.Token(id); !ok {
				t.Fatal(id)
			}
		}
		streams(t, x, ids)
	}
	_ = x.Special()
}
