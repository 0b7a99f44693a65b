package tokenizer_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/model/tokenizer"
)

type (
	obj = map[string]any
	arr = []any
)

// byteJSON is a byte-level tokenizer.json with a merge, a special token and one that is not.
func byteJSON(change obj) string {
	vocab := obj{}
	for b := range 256 {
		vocab[byteChar(b)] = b
	}
	vocab["ab"] = 256
	file := obj{
		"added_tokens": arr{
			obj{"id": 257, "content": "<|end|>", "special": true},
			obj{"id": 260, "content": "<x>", "special": false, "rstrip": true},
		},
		"normalizer":     obj{"type": "NFC"},
		"pre_tokenizer":  obj{"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
		"post_processor": obj{"type": "ByteLevel"},
		"decoder":        obj{"type": "ByteLevel"},
		"model":          obj{"type": "BPE", "vocab": vocab, "merges": arr{"a b"}},
	}
	for key, x := range change {
		file[key] = x
	}
	return object(file)
}

func TestJSONBytes(t *testing.T) {
	x := fromJSON(t, byteJSON(nil))
	assert.Equal(t, 261, x.Vocabulary())
	assert.Equal(t, []string{"ab", "Ġ", "ab", "1", "<x>", "ab"}, texts(x, x.Encode("ab ab1<x> \nab", plain)))
	assert.Len(t, x.Encode("<|end|>", plain), 7)
	assert.Equal(t, []int32{257}, x.Encode("<|end|>", tokenizer.EncodeOptions{ParseSpecial: true}))
	assert.Equal(t, []int32{0xC3, 0xA9}, x.Encode("e\u0301", plain), "NFC")
	assert.True(t, x.EndsGeneration(257))
	token, ok := x.Token(258)
	assert.True(t, ok)
	assert.Equal(t, tokenizer.Unused, token.Kind)
	for _, text := range []string{"", "ab<|end|>ab", "\x00\xff\n é", "a\tb  c"} {
		returns(t, x, text)
	}
	pairs := fromJSON(t, byteJSON(obj{"pre_tokenizer": obj{"type": "ByteLevel"},
		"model": obj{"vocab": obj{"Ġ": 0, "a": 1, "b": 2, "ab": 3}, "merges": arr{arr{"a", "b"}}}, "added_tokens": arr{}}))
	assert.Equal(t, []string{"Ġ", "ab"}, texts(pairs, pairs.Encode("ab", plain)), "a space before the text")
}

// sentenceJSON is a tokenizer.json of SentencePiece's kind.
func sentenceJSON(change obj) string {
	vocab := obj{"<unk>": 0, "<s>": 1, "</s>": 2, "▁": 3, "a": 4, "▁a": 5, "<0xC3>": 6, "<0xA9>": 7, "b": 8}
	file := obj{
		"added_tokens": arr{obj{"id": 0, "content": "<unk>", "special": true},
			obj{"id": 1, "content": "<s>", "special": true}},
		"normalizer": obj{"type": "Sequence", "normalizers": arr{obj{"type": "Prepend", "prepend": "▁"},
			obj{"type": "Replace", "pattern": obj{"String": " "}, "content": "▁"}}},
		"post_processor": obj{"type": "TemplateProcessing",
			"single":         arr{obj{"SpecialToken": obj{"id": "<s>"}}, obj{"Sequence": obj{"id": "A"}}},
			"special_tokens": obj{"<s>": obj{"id": "<s>", "ids": arr{1}}}},
		"decoder": obj{"type": "Sequence", "decoders": arr{
			obj{"type": "Replace", "pattern": obj{"String": "▁"}, "content": " "},
			obj{"type": "ByteFallback"}, obj{"type": "Fuse"}, obj{"type": "Strip", "content": " ", "start": 1, "stop": 0}}},
		"model": obj{"type": "BPE", "vocab": vocab, "merges": arr{"▁ a"}, "unk_token": "<unk>", "fuse_unk": true,
			"byte_fallback": true},
	}
	for key, x := range change {
		file[key] = x
	}
	return object(file)
}

func TestJSONSentencePiece(t *testing.T) {
	x := fromJSON(t, sentenceJSON(nil))
	assert.Equal(t, []string{"▁a", "b", "▁a"}, texts(x, x.Encode("ab a", plain)))
	assert.Equal(t, []string{"▁", "<0xC3>", "<0xA9>"}, texts(x, x.Encode("é", plain)))
	assert.Equal(t, []string{"▁a", "<unk>", "a"}, texts(x, x.Encode("azza", plain)), "unknown characters are one token")
	assert.Equal(t, []string{"<s>", "▁a"}, texts(x, x.Encode("a", tokenizer.EncodeOptions{AddSpecial: true})))
	assert.EqualValues(t, 1, x.Special().BOS)
	assert.True(t, x.Special().AddBOS)
	assert.EqualValues(t, 0, x.Special().Unknown)
	for _, text := range []string{"ab a", " a", "é", "a  é"} {
		returns(t, x, text)
	}
	meta := fromJSON(t, sentenceJSON(obj{"normalizer": nil, "pre_tokenizer": obj{"type": "Metaspace", "replacement": "▁",
		"prepend_scheme": "first"}, "decoder": obj{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}}))
	parse := tokenizer.EncodeOptions{ParseSpecial: true}
	assert.Equal(t, []string{"▁a", "▁a", "<s>", "a"}, texts(meta, meta.Encode("a a<s>a", parse)))
}

func TestJSONUnigram(t *testing.T) {
	text := object(obj{
		"added_tokens": arr{obj{"id": 0, "content": "<unk>", "special": true},
			obj{"id": 5, "content": "<M>", "special": false,
				"normalized": true, "single_word": true}},
		"normalizer": obj{"type": "Sequence", "normalizers": arr{obj{"type": "Lowercase"}, obj{"type": "Strip"},
			obj{"type": "Replace", "pattern": obj{"Regex": " {2,}"}, "content": " "}}},
		"pre_tokenizer": obj{"type": "Sequence", "pretokenizers": arr{
			obj{"type": "WhitespaceSplit"}, obj{"type": "Metaspace"}}},
		"decoder": obj{"type": "Metaspace"},
		"model": obj{"type": "Unigram", "unk_id": 0,
			"vocab": arr{arr{"<unk>", 0}, arr{"▁", -2}, arr{"a", -3}, arr{"▁a", -2.5},
				arr{"ab", -2.25}}},
	})
	x := fromJSON(t, text)
	assert.Equal(t, []string{"▁", "ab", "▁a"}, texts(x, x.Encode(" AB   a", plain)))
	assert.Equal(t, []string{"▁a", "<unk>"}, texts(x, x.Encode("aXX", plain)))
	assert.Equal(t, []string{"▁a", "<M>", "▁a"}, texts(x, x.Encode("a <m> a", plain)))
	assert.NotContains(t, texts(x, x.Encode("a<m>a", plain)), "<M>", "inside of a word")
	back, err := x.Decode(x.Encode("ab a", plain), tokenizer.DecodeOptions{})
	require.NoError(t, err)
	assert.Equal(t, "ab a", back)
}

func TestJSONWordPiece(t *testing.T) {
	vocab := obj{"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "hello": 3, "##s": 4, ",": 5, "中": 6, "cafe": 7, "x": 8, "##x": 9}
	text := object(obj{
		"normalizer":    obj{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": obj{"type": "BertPreTokenizer"},
		"post_processor": obj{"type": "BertProcessing", "cls": arr{"[CLS]", 1},
			"sep": arr{"[SEP]", 2}},
		"decoder": obj{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"model":   obj{"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocab, "max_input_chars_per_word": 10},
	})
	x := fromJSON(t, text)
	assert.Equal(t, []string{"hello", "##s", ",", "中", "中", "cafe"},
		texts(x, x.Encode("HELLOs,\u200b中中 Cafe\u0301", plain)))
	assert.Equal(t, []string{"x", "##x", "[UNK]", "[UNK]"}, texts(x, x.Encode("xx xy "+strings.Repeat("x", 11), plain)))
	ids := x.Encode("hello, hellos", tokenizer.EncodeOptions{AddSpecial: true})
	assert.Equal(t, []string{"[CLS]", "hello", ",", "hello", "##s", "[SEP]"}, texts(x, ids))
	back, err := x.Decode(ids[1:5], tokenizer.DecodeOptions{})
	require.NoError(t, err)
	assert.Equal(t, "hello, hellos", back)
}

// TestJSONParts: normalizers and pre-tokenizers, by the words that a vocabulary of words gets.
func TestJSONParts(t *testing.T) {
	for _, x := range []struct {
		normalizer, pre any
		text, want      string
	}{
		{nil, obj{"type": "Whitespace"}, "ab, c_d!!x", "ab|,|c_d|!!|x"},
		{nil, obj{"type": "WhitespaceSplit"}, "ab, \n c", "ab,|c"},
		{nil, obj{"type": "Punctuation"}, "a.b!!", "a|.|b|!|!"},
		{nil, obj{"type": "Digits", "individual_digits": true}, "a12b", "a|1|2|b"},
		{nil, obj{"type": "Digits"}, "a12b", "a|12|b"},
		{nil, obj{"type": "BertPreTokenizer"}, "a b,c", "a|b|,|c"},
		{nil, obj{"type": "Split", "pattern": obj{"String": "-"}, "behavior": "Removed"}, "a--b", "a|b"},
		{nil, obj{"type": "Split", "pattern": obj{"String": "-"}, "behavior": "Isolated"}, "a--b", "a|-|-|b"},
		{nil, obj{"type": "Split", "pattern": obj{"String": "-"}, "behavior": "Contiguous"}, "a--b", "a|--|b"},
		{nil, obj{"type": "Split", "pattern": obj{"String": "-"}, "behavior": "MergedWithPrevious"}, "a--b", "a-|-|b"},
		{nil, obj{"type": "Split", "pattern": obj{"String": "-"}, "behavior": "MergedWithNext"}, "a--b", "a|-|-b"},
		{nil, obj{"type": "Split", "pattern": obj{"Regex": `\p{L}+`}, "behavior": "Removed", "invert": true}, "a1bc", "a|bc"},
		{nil, obj{"type": "Split", "pattern": obj{"Regex": `\d{1,3}(?=(?:\d{3})*\b)`}, "behavior": "Isolated"}, "x 12345",
			"x |12|345"},
		{obj{"type": "NFKC"}, nil, "ﬁ①", "fi1"},
		{obj{"type": "NFKD"}, nil, "é", "e\u0301"},
		{obj{"type": "StripAccents"}, nil, "e\u0301", "e"},
		{obj{"type": "Lowercase"}, nil, "İΣ", "i\u0307σ"},
		{obj{"type": "Nmt"}, nil, "a\x01\u200bb", "a b"},
		{obj{"type": "Strip", "strip_left": false}, nil, " a ", " a"},
		{obj{"type": "BertNormalizer", "lowercase": false, "strip_accents": true}, nil, "Á中", "A 中 "},
		{obj{"type": "Precompiled", "precompiled_charsmap": ""}, nil, "ab", "ab"},
	} {
		vocab := obj{"[UNK]": 0}
		want := strings.Split(x.want, "|")
		for _, w := range want {
			if vocab[w] == nil {
				vocab[w] = len(vocab)
			}
		}
		tok := fromJSON(t, object(obj{"normalizer": x.normalizer, "pre_tokenizer": x.pre,
			"model": obj{"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocab, "continuing_subword_prefix": "##"}}))
		assert.Equal(t, want, texts(tok, tok.Encode(x.text, plain)), "%v %v", x.normalizer, x.pre)
	}
}

// TestJSONSuffix: words that end in a mark, as CLIP has them.
func TestJSONSuffix(t *testing.T) {
	x := fromJSON(t, object(obj{"pre_tokenizer": obj{"type": "WhitespaceSplit"},
		"decoder": obj{"type": "BPEDecoder", "suffix": "</w>"},
		"model": obj{"type": "BPE", "end_of_word_suffix": "</w>", "merges": arr{"a b</w>"},
			"vocab": obj{"a": 0, "b</w>": 1, "ab</w>": 2, "b": 3}}}))
	assert.Equal(t, []string{"ab</w>", "a", "b", "b</w>"}, texts(x, x.Encode("ab abb", plain)))
	back, err := x.Decode([]int32{2, 2}, tokenizer.DecodeOptions{})
	require.NoError(t, err)
	assert.Equal(t, "ab ab ", back)
}

// TestJSONErrors: what is wrong, or not known, is named.
func TestJSONErrors(t *testing.T) {
	bpe := func(change obj) obj {
		model := obj{"type": "BPE", "vocab": obj{"a": 0}, "merges": arr{}}
		for key, x := range change {
			model[key] = x
		}
		return obj{"model": model, "added_tokens": arr{}}
	}
	for _, x := range []struct {
		change obj
		is     error
		want   string
	}{
		{obj{"model": obj{"type": "WordLevel"}}, tokenizer.ErrUnknown,
			`model: unknown type "WordLevel"; known are BPE, Unigram`},
		{obj{"normalizer": obj{"type": "N"}}, tokenizer.ErrUnknown, `normalizer: unknown type "N"; known are BertNormalizer`},
		{obj{"pre_tokenizer": obj{"type": "P"}}, tokenizer.ErrUnknown, `pre_tokenizer: unknown type "P"`},
		{obj{"post_processor": obj{"type": "P"}}, tokenizer.ErrUnknown, `post_processor: unknown type "P"`},
		{obj{"decoder": obj{"type": "CTC"}}, tokenizer.ErrUnknown, `decoder: unknown type "CTC"`},
		{obj{"pre_tokenizer": obj{"type": "Split", "pattern": obj{"Regex": `\w+`}}}, tokenizer.ErrUnknown,
			`unknown pattern "\\w+": unknown class "\\w+"`},
		{obj{"pre_tokenizer": obj{"type": "Split", "pattern": obj{"String": "a"}, "behavior": "B"}}, tokenizer.ErrUnknown,
			`unknown behavior "B"`},
		{obj{"pre_tokenizer": obj{"type": "Split"}}, tokenizer.ErrVocabulary, "pattern has neither"},
		{obj{"normalizer": obj{"type": "Precompiled",
			"precompiled_charsmap": base64.StdEncoding.EncodeToString([]byte("abc"))}},
			tokenizer.ErrVocabulary, "precompiled_charsmap of 3 bytes is no table"},
		{bpe(obj{"vocab": obj{}}), tokenizer.ErrVocabulary, "vocab has 0 entries"},
		{bpe(obj{"vocab": obj{"a": 0, "b": 0}}), tokenizer.ErrVocabulary, "the id 0 is of both"},
		{bpe(obj{"vocab": obj{"a": -1}}), tokenizer.ErrVocabulary, `token "a" has the id -1, want 0 to 1048575`},
		{bpe(obj{"vocab": obj{"a": 1 << 40}}), tokenizer.ErrVocabulary, "has the id 1099511627776"},
		{bpe(obj{"vocab": obj{"a": "b"}}), tokenizer.ErrVocabulary, `the id of "a" is "\"b\""`},
		{bpe(obj{"vocab": arr{1}}), tokenizer.ErrVocabulary, "want an object"},
		{bpe(obj{"merges": arr{"ab"}}), tokenizer.ErrVocabulary, `merge 0, "ab", has no space`},
		{bpe(obj{"merges": arr{arr{"a", "b", "c"}}}), tokenizer.ErrVocabulary, "merge 0 has more than two strings"},
		{bpe(obj{"merges": arr{1}}), tokenizer.ErrVocabulary, "want a string"},
		{bpe(obj{"dropout": 0.5}), tokenizer.ErrUnknown, "dropout 0.5"},
		{obj{"post_processor": obj{"type": "BertProcessing"}}, tokenizer.ErrVocabulary, "without cls and sep"},
		{obj{"post_processor": obj{"type": "BertProcessing", "cls": arr{"a", 1}, "sep": arr{"b", 1 << 20}}},
			tokenizer.ErrVocabulary, "has the id 1048576, the vocabulary has 261"},
	} {
		_, err := tokenizer.FromJSON([]byte(byteJSON(x.change)))
		require.ErrorIs(t, err, x.is, x.want)
		assert.ErrorContains(t, err, x.want)
	}
	for _, text := range []string{"", "{", "[]", "{}", "null", `{"model":{"vocab":` + strings.Repeat("[", 100) + "}}"} {
		_, err := tokenizer.FromJSON([]byte(text))
		assert.Error(t, err, text)
	}
}
