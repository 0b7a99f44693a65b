package tokenizer

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ErrVocabulary is wrapped by errors about a vocabulary that is broken or contradicts itself.
var ErrVocabulary = errors.New("invalid tokenizer")

// ErrUnknown is wrapped by errors about a tokenizer, or a part of one, that this package does not
// have. They name it, and those it has.
var ErrUnknown = errors.New("unknown")

// Kind says what a token is for. A token may be of several kinds: one that the file calls user
// defined and that ends a turn is a control token too.
type Kind uint8

// The kinds.
const (
	Normal      Kind = 1 << iota
	Unknown          // stands for what the vocabulary lacks
	Control          // such as the beginning of a text: no text unless it is asked for
	UserDefined      // is found in texts before anything else
	Unused
	Byte // a byte of a character that the vocabulary lacks
)

// Token is an entry of a vocabulary.
type Token struct {
	Text  string // as the vocabulary has it: with U+2581 for a space, or a character for each byte
	Score float64
	Kind  Kind

	trim trim
}

// trim says which text around a token of the text belongs to it.
type trim uint8

const (
	trimLeft   trim = 1 << iota // blanks before it
	trimRight                   // blanks after it
	wholeWord                   // only between characters that are of no word
	normalized                  // it is looked for after the text was normalized
)

// Limits of what is read. Vocabularies in use have up to 300,000 tokens of up to 1,024 bytes, and
// twice as many merges.
const (
	maxTokens = 1 << 20
	maxMerges = 1 << 21
	maxToken  = 1 << 13  // bytes
	maxTexts  = 64 << 20 // bytes of all tokens, and of all merges
)

// vocabulary is the tokens by their ids and by their texts.
type vocabulary struct {
	tokens  []Token
	ids     map[string]int32
	bytes   [256]int32 // the token of a byte, or -1
	longest int        // bytes of a token
}

// newVocabulary indexes tokens. Name returns the name of an entry for errors.
func newVocabulary(tokens []Token, name func(i int) string) (*vocabulary, error) {
	v := &vocabulary{tokens: tokens, ids: make(map[string]int32, len(tokens))}
	total := 0
	for i := range tokens {
		t := &tokens[i]
		switch {
		case len(t.Text) > maxToken:
			return nil, fmt.Errorf("%s has %d bytes, at most %d: %w", name(i), len(t.Text), maxToken, ErrVocabulary)
		case total+len(t.Text) > maxTexts:
			return nil, fmt.Errorf("%s: the tokens have more than %d bytes: %w", name(i), maxTexts, ErrVocabulary)
		case math.IsNaN(t.Score):
			return nil, fmt.Errorf("%s %.40q has the score NaN: %w", name(i), t.Text, ErrVocabulary)
		}
		if t.Text == "" {
			continue // an id between those of others
		}
		if before, twice := v.ids[t.Text]; twice {
			return nil, fmt.Errorf("%s and %s are both %.40q: %w", name(int(before)), name(i), t.Text, ErrVocabulary)
		}
		v.ids[t.Text] = int32(i)
		total += len(t.Text)
		v.longest = max(v.longest, len(t.Text))
	}
	for b := range v.bytes {
		v.bytes[b] = v.id(byteToken(byte(b)))
	}
	return v, nil
}

// id returns the token of a text, or -1.
func (v *vocabulary) id(text string) int32 {
	if id, ok := v.ids[text]; ok {
		return id
	}
	return -1
}

// byteToken returns how vocabularies write a token for a byte.
func byteToken(b byte) string {
	const hex = "0123456789ABCDEF"
	return string([]byte{'<', '0', 'x', hex[b>>4], hex[b&15], '>'})
}

// parseByteToken is the reverse of byteToken.
func parseByteToken(text string) (b byte, ok bool) {
	if len(text) != 6 || !strings.HasPrefix(text, "<0x") || text[5] != '>' {
		return 0, false
	}
	for _, c := range []byte(text[3:5]) {
		switch {
		case c >= '0' && c <= '9':
			b = b<<4 | (c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			b = b<<4 | (c | 0x20 - 'a' + 10)
		default:
			return 0, false
		}
	}
	return b, true
}

// lexicon finds strings that begin at a place of a text. It is sorted, and a search narrows it byte
// by byte.
type lexicon struct {
	texts []string
	ids   []int32
	first [257]int32 // where texts with a first byte begin
}

func newLexicon(tokens []Token, ids []int32) *lexicon {
	return newLexiconOf(ids, func(id int32) string { return tokens[id].Text })
}

// newLexiconOf is newLexicon for other texts than those of the tokens. Empty ones are left out.
func newLexiconOf(ids []int32, text func(id int32) string) *lexicon {
	x := &lexicon{ids: slices.Clone(ids)}
	x.ids = slices.DeleteFunc(x.ids, func(id int32) bool { return text(id) == "" })
	slices.SortFunc(x.ids, func(a, b int32) int { return strings.Compare(text(a), text(b)) })
	x.texts = make([]string, len(x.ids))
	for i, id := range x.ids {
		x.texts[i] = text(id)
	}
	at := 0
	for b := range 256 {
		x.first[b] = int32(at)
		for at < len(x.texts) && int(x.texts[at][0]) == b {
			at++
		}
	}
	x.first[256] = int32(at)
	return x
}

// prefixes calls found for each string that the text begins with, the shortest first, with its
// bytes and its id, until it returns false. It returns how much of the text begins some string.
func (x *lexicon) prefixes(text string, found func(n int, id int32) bool) int {
	if text == "" {
		return 0
	}
	low, high := int(x.first[text[0]]), int(x.first[int(text[0])+1])
	n := 1
	for ; low < high; n++ {
		if len(x.texts[low]) == n {
			if found != nil && !found(n, x.ids[low]) {
				return n
			}
			low++
		}
		if n == len(text) || low == high {
			return n
		}
		// Narrow the strings to those that go on with the text's next byte.
		b := text[n]
		if low+1 == high || x.texts[low][n] == x.texts[high-1][n] {
			if x.texts[low][n] != b {
				return n
			}
			continue
		}
		low += lowerBound(x.texts[low:high], n, int(b))
		high = low + lowerBound(x.texts[low:high], n, int(b)+1)
	}
	return n - 1
}

// lowerBound returns the first of sorted strings whose byte at n is at least b.
func lowerBound(texts []string, n, b int) int {
	low, high := 0, len(texts)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if int(texts[mid][n]) < b {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
