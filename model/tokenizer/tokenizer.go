package tokenizer

import (
	"fmt"
	"slices"
	"sync"
)

// Tokenizer turns text into tokens and back. Its methods may be called concurrently.
type Tokenizer struct {
	vocabulary *vocabulary
	special    Special
	ends       []int32 // tokens after which generation ends, sorted
	parser     *specialParser
	pipeline   pipeline
	// replacesInvalid: llama.cpp replaces what is not UTF-8 before the pipeline.
	replacesInvalid bool
	decoding        decoding
	// Tokens around a text, for EncodeOptions.AddSpecial.
	before, after []int32
	pool          sync.Pool // of *scratch
}

// pipeline turns a text without special tokens into tokens.
type pipeline interface {
	encode(s *scratch, ids []int32, text string, at place) []int32
}

// place says where a part of a text is, and how it is encoded.
type place struct {
	start bool // at the beginning of the text
	first bool // there, or after a special token
	parse bool // special tokens that are found after normalization count
	lead  bool // the first byte of a character tells how many it has, whatever follows
}

// scratch is memory that one call needs, kept for the next.
type scratch struct {
	splitter splitter
	merger   merger
	ways     []best
}

// Special are the tokens with a meaning of their own; -1 for those that the vocabulary does not
// have.
type Special struct {
	BOS       int32 // begins a text
	EOS       int32 // ends a text
	EOT       int32 // ends a turn of a conversation
	EOM       int32 // ends a message that is not the last of a turn
	Unknown   int32 // stands for text that no token has
	Separator int32 // between the parts of a pair of texts
	Padding   int32
	Mask      int32
	// For code with a hole: before what precedes it, before what follows it, before what fills it.
	// The others fill up, begin a repository and separate files.
	FIMPrefix, FIMSuffix, FIMMiddle, FIMPadding, FIMRepository, FIMSeparator int32

	AddBOS, AddEOS, AddSeparator bool // whether the model expects them around a text
}

func noSpecial() Special {
	return Special{BOS: -1, EOS: -1, EOT: -1, EOM: -1, Unknown: -1, Separator: -1, Padding: -1, Mask: -1, FIMPrefix: -1,
		FIMSuffix: -1, FIMMiddle: -1, FIMPadding: -1, FIMRepository: -1, FIMSeparator: -1}
}

// EncodeOptions are options of [Tokenizer.Encode].
type EncodeOptions struct {
	// AddSpecial adds the tokens that the model expects around a text, such as BOS.
	AddSpecial bool
	// ParseSpecial makes control tokens of their texts, as templates of chats need it. Without it
	// "<|im_end|>" that a user typed is text. User-defined tokens are found either way.
	ParseSpecial bool
	// InvalidLikeLlama treats bytes that are not UTF-8 as llama.cpp does: byte-level tokenizers
	// replace each by U+FFFD, SentencePiece's take it and what follows for one character. Without it
	// such bytes are characters of their own, and Decode returns the same text.
	InvalidLikeLlama bool
}

// maxFragment is how much text is divided at once: positions are 32-bit integers.
const maxFragment = 1 << 30

// Encode returns the tokens of a text. The zero options are those of llama.cpp's function with the
// same zero flags, except for bytes that are not UTF-8: see [EncodeOptions].
func (t *Tokenizer) Encode(text string, o EncodeOptions) []int32 {
	s, _ := t.pool.Get().(*scratch)
	if s == nil {
		s = &scratch{}
	}
	defer t.pool.Put(s)
	var ids []int32
	if o.AddSpecial {
		ids = append(ids, t.before...)
	}
	at := place{start: true, first: true, parse: o.ParseSpecial, lead: o.InvalidLikeLlama}
	for _, f := range t.parser.divide(text, o.ParseSpecial) {
		if f.id >= 0 {
			ids = append(ids, f.id)
			at.start, at.first = false, true
			continue
		}
		part := f.text
		for len(part) > 0 {
			now := part[:min(len(part), maxFragment)]
			part = part[len(now):]
			if o.InvalidLikeLlama && t.replacesInvalid {
				now = replaceInvalid(now)
			}
			ids = t.pipeline.encode(s, ids, now, at)
			at.start, at.first = false, false
		}
	}
	if o.AddSpecial {
		ids = append(ids, t.after...)
	}
	return ids
}

// Vocabulary returns how many tokens there are: ids are below it.
func (t *Tokenizer) Vocabulary() int { return len(t.vocabulary.tokens) }

// Token returns a token by its id.
func (t *Tokenizer) Token(id int32) (token Token, ok bool) {
	if id < 0 || int(id) >= len(t.vocabulary.tokens) {
		return Token{}, false
	}
	return t.vocabulary.tokens[id], true
}

// Lookup returns the id of a token by its text, as [Token.Text] has it.
func (t *Tokenizer) Lookup(text string) (id int32, ok bool) {
	id, ok = t.vocabulary.ids[text]
	return id, ok
}

// Special returns the tokens with a meaning of their own.
func (t *Tokenizer) Special() Special { return t.special }

// EndsGeneration reports whether a model that generates a token has nothing more to say.
func (t *Tokenizer) EndsGeneration(id int32) bool {
	_, ok := slices.BinarySearch(t.ends, id)
	return ok
}

// DecodeOptions are options of [Tokenizer.Decode] and [Tokenizer.NewStream].
type DecodeOptions struct {
	// Special writes the texts of control and unknown tokens. Without it they are left out.
	Special bool
	// Continue is for tokens that follow others, such as those that a model generated after a
	// prompt: a space before the first of them is kept, which many tokenizers add to a text.
	Continue bool
}

// Decode returns the text of tokens. For byte-level tokenizers, and SentencePiece's without
// normalization, it is byte for byte the text that was encoded. An id that is not below
// [Tokenizer.Vocabulary] is an error.
func (t *Tokenizer) Decode(ids []int32, o DecodeOptions) (string, error) {
	var b []byte
	first := !o.Continue
	for i, id := range ids {
		if id < 0 || int(id) >= len(t.vocabulary.tokens) {
			return "", fmt.Errorf("token %d of %d has the id %d, the vocabulary has %d", i+1, len(ids), id,
				len(t.vocabulary.tokens))
		}
		b, first = t.decoding.append(b, &t.vocabulary.tokens[id], first, o.Special)
	}
	return string(b), nil
}

// writing is how a vocabulary writes texts.
type writing uint8

const (
	asBytes  writing = iota // a character for each byte
	asSpaces                // U+2581 for a space
	asWords                 // a prefix for what goes on with a word
	asSuffix                // a suffix for what ends a word
)

// decoding is how the texts of tokens become text.
type decoding struct {
	writing writing
	prefix  string // of asWords, and the suffix of asSuffix
	// trim leaves out the space that encoding adds to a text.
	trim bool
	// tidy leaves out spaces before punctuation.
	tidy bool
	// plain decodes user-defined tokens as others.
	plain bool
}

// append appends the text of a token. First is whether the token is the first of a text, and then
// whether the next is.
func (d *decoding) append(b []byte, t *Token, first, special bool) (text []byte, next bool) {
	switch {
	case t.Kind&(Control|Unknown) != 0 && !special:
		return b, first
	case t.Kind&(Control|Unknown) != 0, t.Kind&UserDefined != 0 && !d.plain:
		if d.writing == asWords && !first && t.Kind&UserDefined == 0 {
			b = append(b, ' ')
		}
		return append(b, t.Text...), d.trim
	case t.Kind&Byte != 0:
		if c, ok := parseByteToken(t.Text); ok {
			return append(b, c), false
		}
	}
	switch d.writing {
	case asBytes:
		if text, ok := toBytes(t.Text); ok {
			return append(b, text...), false
		}
		return append(b, t.Text...), false
	case asSuffix:
		return appendWord(b, t.Text, d.prefix), false
	case asWords:
		return d.appendWord(b, t.Text, first), false
	}
	begin := len(b)
	for at := 0; at < len(t.Text); {
		if len(t.Text)-at >= len(escapedSpace) && t.Text[at:at+len(escapedSpace)] == escapedSpace {
			b = append(b, ' ')
			at += len(escapedSpace)
			continue
		}
		b = append(b, t.Text[at])
		at++
	}
	if first && d.trim && len(b) > begin && b[begin] == ' ' {
		b = append(b[:begin], b[begin+1:]...)
	}
	return b, false
}

// appendWord appends a token of WordPiece.
func (d *decoding) appendWord(b []byte, text string, first bool) []byte {
	if n := len(d.prefix); n > 0 && len(text) > n && text[:n] == d.prefix {
		return append(b, text[n:]...)
	}
	if !first && !(d.tidy && slices.Contains([]string{".", "?", "!", ","}, text)) {
		b = append(b, ' ')
	}
	return append(b, text...)
}

// appendWord appends a token whose suffix ends a word.
func appendWord(b []byte, text, suffix string) []byte {
	if n := len(text) - len(suffix); suffix != "" && n >= 0 && text[n:] == suffix {
		return append(append(b, text[:n]...), ' ')
	}
	return append(b, text...)
}

// checkCount refuses vocabularies that are empty or too large.
func checkCount(n int, name string) error {
	if n == 0 || n > maxTokens {
		return fmt.Errorf("%s has %d entries, want 1 to %d: %w", name, n, maxTokens, ErrVocabulary)
	}
	return nil
}
