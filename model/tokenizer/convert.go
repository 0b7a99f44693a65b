package tokenizer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/model/gguf"
)

// Keys returns the keys of a GGUF file for the tokenizer of a tokenizer.json: byte-level BPE whose
// patterns are those of gpt2, llama3, qwen2 or smollm, and BPE of SentencePiece's kind with bytes
// for what the vocabulary lacks. Both encode some difficult texts in the same way; otherwise, and
// for other tokenizers, the error wraps [ErrUnknown]. Unused tokens make up for what the vocabulary
// has less than the model's embedding has rows.
func Keys(data []byte, rows int) ([]gguf.Pair, error) {
	from, err := FromJSON(data)
	if err != nil {
		return nil, err
	}
	if rows > maxTokens {
		return nil, fmt.Errorf("%d rows of an embedding, at most %d: %w", rows, maxTokens, ErrVocabulary)
	}
	c := &converter{from: from, rows: rows}
	if err := document.Vocabulary.JSON(data, &c.file); err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrVocabulary)
	}
	if err := c.convert(); err != nil {
		return nil, err
	}
	return c.pairs, c.check()
}

type converter struct {
	from  *Tokenizer
	rows  int
	file  jsonFile
	pairs []gguf.Pair
}

func (c *converter) add(key string, x any) {
	v, _ := gguf.NewValue(x) // the format has the types that follow
	c.pairs = append(c.pairs, gguf.Pair{Key: prefix + key, Value: v})
}

func (c *converter) convert() error {
	if c.file.Model.Merges == nil {
		return fmt.Errorf("model: %w type %.40q for GGUF; known is BPE", ErrUnknown, c.file.Model.Type)
	}
	merges, err := readMerges(c.file.Model.Merges)
	if err != nil {
		return err
	}
	tokens, kinds := slices.Clone(c.from.vocabulary.tokens), []int32{}
	tokens = append(tokens, make([]Token, max(c.rows-len(tokens), 0))...)
	texts, scores := make([]string, len(tokens)), make([]float32, len(tokens))
	for i, t := range tokens {
		texts[i], scores[i] = t.Text, -float32(i)
		kind := int32(1)
		for n, k := range []Kind{Unused, Byte, UserDefined, Control, Unknown} { // the last that fits
			if t.Kind&k != 0 {
				kind = []int32{5, 6, 4, 3, 2}[n]
			}
		}
		if t.Text == "" {
			texts[i], kind = fmt.Sprintf("[PAD%d]", i), 5
		}
		kinds = append(kinds, kind)
	}
	if hasByteLevel(c.file.PreTokenizer) {
		pre, err := c.pre()
		if err != nil {
			return err
		}
		c.add("model", "gpt2")
		c.add("pre", pre)
		list := make([]string, len(merges))
		for i, m := range merges {
			list[i] = m[0] + " " + m[1]
		}
		c.add("merges", list)
	} else {
		if !c.file.Model.ByteFallback {
			return fmt.Errorf("model: %w BPE for GGUF, with neither ByteLevel nor byte_fallback", ErrUnknown)
		}
		c.add("model", "llama")
		c.add("pre", "default")
		c.add("scores", scores) // the vocabulary is in the order of its merges
		c.add("add_space_prefix", c.from.decoding.trim)
	}
	c.add("tokens", texts)
	c.add("token_type", kinds)
	s := c.from.special
	if s.EOS < 0 {
		s.EOS = s.EOT
	}
	if s.EOS < 0 {
		return fmt.Errorf("%w tokenizer for GGUF, without a token that ends texts", ErrUnknown)
	}
	if s.BOS < 0 {
		s.BOS = s.EOS // a file without it has the token 11
	}
	c.add("add_bos_token", s.AddBOS)
	c.add("add_eos_token", s.AddEOS)
	for _, x := range []struct {
		key string
		id  int32
	}{{"bos_token_id", s.BOS}, {"eos_token_id", s.EOS}, {"unknown_token_id", s.Unknown},
		{"padding_token_id", s.Padding}} {
		if x.id >= 0 {
			c.add(x.key, uint32(x.id))
		}
	}
	return nil
}

// pre returns the name of the pre-tokenizer with the patterns of the file.
func (c *converter) pre() (string, error) {
	const (
		begin = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}`
		end   = `| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	)
	var parts []string
	var collect func(p *part)
	collect = func(p *part) {
		switch {
		case p.Type == "Sequence":
			for i := range p.Pretokenizers {
				collect(&p.Pretokenizers[i])
			}
		case p.Type == "Split" && p.Pattern != nil && p.Pattern.Regex != nil && !p.Invert:
			parts = append(parts, *p.Pattern.Regex)
		case p.Type == "ByteLevel" && !isFalse(p.UseRegex):
			parts = append(parts, gpt2Pattern)
		case p.Type == "Digits" && p.Individual:
			parts = append(parts, `\p{N}`)
		case p.Type != "ByteLevel":
			parts = append(parts, p.Type)
		}
	}
	collect(c.file.PreTokenizer)
	name := ""
	switch {
	case slices.Equal(parts, []string{begin + `{1,3}` + end}):
		if name = "dbrx"; c.file.Model.IgnoreMerges {
			name = "llama-bpe"
		}
	case slices.Equal(parts, []string{begin + end}):
		name = "qwen2"
	case slices.Equal(parts, []string{gpt2Pattern}):
		name = "gpt-2"
	case slices.Equal(parts, []string{`\p{N}`, gpt2Pattern}):
		name = "smollm"
	default:
		return "", fmt.Errorf("pre_tokenizer: %w patterns %.80q for GGUF; known are those of gpt2, llama3, qwen2, smollm",
			ErrUnknown, parts)
	}
	return name, nil
}

// check compares both tokenizers.
func (c *converter) check() error {
	var b bytes.Buffer
	if err := gguf.Write(&b, c.pairs, nil); err != nil {
		return err
	}
	f, err := gguf.Parse("tokenizer.json", b.Bytes())
	if err != nil {
		return err
	}
	to, err := FromGGUF(f)
	if err != nil {
		return err
	}
	// Not in here: characters that normalization changes, which llama.cpp's tokenizers leave alone.
	texts := []string{"Hello, World!", " it's  WE'LL\n\n\tgo\r\n", "1234567 + 3.14", "    if (x) {\n", "中文 かな 가나다",
		"é naïve ß", "👩\u200d👧 🇩🇪", "...?!  ", "العربية नमस्ते", "a_b-c/d\\e", "\u00a0\u3000x", "zq zq"}
	texts = append(texts, strings.Join(texts, ""))
	for i, t := range c.from.vocabulary.tokens {
		if len(texts) < 64 && t.Kind&(Control|UserDefined) != 0 {
			texts = append(texts, "a"+t.Text+"b")
		} else if i%997 == 0 && c.from.decoding.writing == asSpaces {
			texts = append(texts, strings.ReplaceAll(t.Text, escapedSpace, " "))
		}
	}
	for _, text := range texts {
		for _, o := range []EncodeOptions{{}, {AddSpecial: true, ParseSpecial: true}} {
			if !slices.Equal(c.from.Encode(text, o), to.Encode(text, o)) {
				return fmt.Errorf("%w tokenizer for GGUF: text %.40q has other tokens", ErrUnknown, text)
			}
		}
	}
	return nil
}
