package tokenizer

import (
	"fmt"
	"strings"
)

// byteChar returns the character that byte-level vocabularies write for a byte: those of Latin-1
// that can be printed are themselves, and the others follow from U+0100 on.
func byteChar(b byte) rune {
	switch {
	case b < '!':
		return 0x100 + rune(b)
	case b > '~' && b < 0xA1:
		return 0x121 + rune(b-0x7F)
	case b == 0xAD:
		return 0x143
	}
	return rune(b)
}

// charByte is the reverse of byteChar.
func charByte(r rune) (b byte, ok bool) {
	switch {
	case r >= 0x100 && r < 0x121:
		return byte(r - 0x100), true
	case r >= 0x121 && r < 0x143:
		return byte(r - 0x121 + 0x7F), true
	case r == 0x143:
		return 0xAD, true
	}
	return byte(r), r >= '!' && r <= '~' || r >= 0xA1 && r <= 0xFF && r != 0xAD
}

// toBytes returns what a token of a byte-level vocabulary stands for, unless it has a character
// that is not one of a byte.
func toBytes(token string) (text string, ok bool) {
	b := make([]byte, 0, len(token))
	for _, r := range token {
		c, ok := charByte(r)
		if !ok {
			return "", false
		}
		b = append(b, c)
	}
	return string(b), true
}

// toChars is the reverse of toBytes.
func toChars(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(byteChar(text[i]))
	}
	return b.String()
}

// merged is what a pair of strings merges to.
type merged struct {
	rank uint32
	id   int32
}

// bpe is byte-pair encoding with a list of merges, first come first merged.
type bpe struct {
	vocabulary *vocabulary
	merges     map[uint64]merged
	// strings are what merges have besides tokens; their ids follow those of the tokens.
	strings      map[string]int32
	bytes        [256]int32 // in a byte-level vocabulary, the string of a byte
	byteLevel    bool
	ignoreMerges bool
	joinLines    bool
	fallback     bool  // a character without a token becomes tokens of its bytes: <0x41>
	unknown      int32 // what it becomes otherwise, or -1 for nothing
	fuse         bool  // unknown characters in sequence become one token
	prefix       string
	suffix       string // of a word's last character, as in CLIP
}

// newBPE prepares merges of a vocabulary. Each is a pair, of which the second begins with the
// prefix of what is inside of a word. First is whether the first of equal pairs counts, or the
// last.
func newBPE(v *vocabulary, merges int, merge func(int) (left, right string, err error), prefix string, first bool) (
	*bpe, error) {
	b := &bpe{vocabulary: v, merges: make(map[uint64]merged, merges), strings: map[string]int32{}, unknown: -1,
		prefix: prefix}
	total := 0
	for i := range merges {
		left, right, err := merge(i)
		if err != nil {
			return nil, err
		}
		if len(left)+len(right) > maxToken {
			return nil, fmt.Errorf("merge %d makes %d bytes, at most %d: %w", i, len(left)+len(right), maxToken, ErrVocabulary)
		}
		if total += len(left) + len(right); total > maxTexts {
			return nil, fmt.Errorf("merge %d: the merges have more than %d bytes: %w", i, maxTexts, ErrVocabulary)
		}
		key := uint64(uint32(b.intern(left)))<<32 | uint64(uint32(b.intern(right)))
		if _, twice := b.merges[key]; twice && first {
			continue
		}
		b.merges[key] = merged{uint32(i), b.intern(left + strings.TrimPrefix(right, prefix))}
	}
	for i := range b.bytes {
		b.bytes[i] = b.find(string(byteChar(byte(i))))
	}
	return b, nil
}

// intern returns the id of a string.
func (b *bpe) intern(s string) int32 {
	if id := b.find(s); id >= 0 {
		return id
	}
	id := int32(len(b.vocabulary.tokens) + len(b.strings))
	b.strings[s] = id
	return id
}

// find returns the id of a string that is a token or in a merge, or -1.
func (b *bpe) find(s string) int32 {
	if id, ok := b.vocabulary.ids[s]; ok {
		return id
	}
	if id, ok := b.strings[s]; ok {
		return id
	}
	return -1
}

func (b *bpe) pair(_ *merger, left, right *piece) (uint32, int32, bool) {
	if left.id < 0 || right.id < 0 {
		return 0, 0, false
	}
	x, ok := b.merges[uint64(uint32(left.id))<<32|uint64(uint32(right.id))]
	return x.rank, x.id, ok
}

// encode appends the tokens of a word.
func (b *bpe) encode(s *scratch, ids []int32, word string) []int32 {
	if b.ignoreMerges || b.joinLines && strings.Trim(word, "\n") == "" {
		whole := word
		if b.byteLevel {
			whole = toChars(word)
		}
		if id, ok := b.vocabulary.ids[whole]; ok {
			return append(ids, id)
		}
	}
	m := &s.merger
	m.reset(word)
	if b.byteLevel {
		for i := range len(word) {
			m.add(i, 1, b.bytes[word[i]])
		}
	} else {
		b.characters(m, word)
	}
	m.merge(b)
	unknown := false // the last token stands for unknown characters
	for i := int32(0); i >= 0 && i < int32(len(m.pieces)); i = m.pieces[i].next {
		p := &m.pieces[i]
		if p.id >= 0 && int(p.id) < len(b.vocabulary.tokens) {
			ids, unknown = append(ids, p.id), false
			continue
		}
		before := len(ids)
		if ids = b.bytesOf(ids, word[p.at:p.at+p.size]); len(ids) > before {
			unknown = false
		} else if b.unknown >= 0 && !(b.fuse && unknown) {
			ids, unknown = append(ids, b.unknown), true
		}
	}
	return ids
}

// characters adds the characters of a word.
func (b *bpe) characters(m *merger, word string) {
	for at := 0; at < len(word); {
		_, n := decodeRune(word[at:])
		text := word[at : at+n]
		if at > 0 {
			text = b.prefix + text
		}
		if at+n == len(word) {
			text += b.suffix
		}
		m.add(at, n, b.find(text))
		at += n
	}
}

// bytesOf appends tokens for a string that is no token: none if one of its bytes has none.
func (b *bpe) bytesOf(ids []int32, text string) []int32 {
	switch {
	case b.byteLevel:
		// A merge made what the vocabulary lacks.
		for i := range len(text) {
			if id := b.bytes[text[i]]; id >= 0 && int(id) < len(b.vocabulary.tokens) {
				ids = append(ids, id)
			}
		}
	case b.fallback:
		for i := range len(text) {
			if b.vocabulary.bytes[text[i]] < 0 {
				return ids[:len(ids)-i]
			}
			ids = append(ids, b.vocabulary.bytes[text[i]])
		}
	}
	return ids
}

// splitMerge divides an entry of tokenizer.ggml.merges.
func splitMerge(entry string) (left, right string, err error) {
	if entry != "" {
		if i := strings.IndexByte(entry[1:], ' '); i >= 0 {
			return entry[:i+1], entry[i+2:], nil
		}
	}
	return "", "", fmt.Errorf("%q has no space between two strings", entry)
}
