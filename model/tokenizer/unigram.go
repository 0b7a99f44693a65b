package tokenizer

import (
	"encoding/binary"
	"math"
	"slices"
)

// unigram is SentencePiece's unigram model: of all ways to divide a text into tokens, the one with
// the best sum of scores.
type unigram struct {
	vocabulary   *vocabulary
	lexicon      *lexicon
	unknown      int32
	unknownScore float64
	fallback     bool // what would be unknown becomes tokens of its bytes
}

// unknownPenalty is how much worse than the worst token a character that is unknown is.
const unknownPenalty = 10

func newUnigram(v *vocabulary, unknown int32) *unigram {
	u := &unigram{vocabulary: v, unknown: unknown}
	var ids []int32
	least := math.MaxFloat32
	for i := range v.tokens {
		t := &v.tokens[i]
		if t.Kind&Normal != 0 {
			least = min(least, t.Score)
		}
		if t.Kind&(Normal|UserDefined|Unused) != 0 {
			ids = append(ids, int32(i))
		}
	}
	u.lexicon = newLexicon(v.tokens, ids)
	u.unknownScore = least - unknownPenalty
	return u
}

// best is the best way to divide a text up to a place: the last token, and where it begins.
type best struct {
	score float64
	id    int32
	from  int32
}

// encode appends the tokens of a text that is normalized.
func (u *unigram) encode(s *scratch, ids []int32, text string) []int32 {
	if text == "" {
		return ids
	}
	ways := append(s.ways[:0], make([]best, len(text)+1)...)
	s.ways = ways
	for i := range ways {
		ways[i] = best{score: -math.MaxFloat64, id: u.unknown}
	}
	ways[0].score = 0
	for at := 0; at < len(text); {
		n := min(leadLength(text[at]), len(text)-at)
		score, single := ways[at].score, false
		u.lexicon.prefixes(text[at:], func(size int, id int32) bool {
			single = single || size == n
			t := &u.vocabulary.tokens[id]
			sum := score
			if t.Kind&UserDefined == 0 {
				sum += t.Score
			}
			if w := &ways[at+size]; sum > w.score {
				*w = best{sum, id, int32(at)}
			}
			return true
		})
		if !single {
			if w := &ways[at+n]; score+u.unknownScore > w.score {
				*w = best{score + u.unknownScore, u.unknown, int32(at)}
			}
		}
		at += n
	}
	begin := len(ids)
	for at, before := int32(len(text)), false; at > 0; {
		w := ways[at]
		unknown := w.id == u.unknown
		switch {
		case unknown && u.fallback && u.allBytes(text[w.from:at]):
			for i := at - 1; i >= w.from; i-- {
				ids = append(ids, u.vocabulary.bytes[text[i]])
			}
			unknown = false
		case w.id >= 0 && !(unknown && before): // unknown characters in sequence are one token
			ids = append(ids, w.id)
		}
		at, before = w.from, unknown
	}
	slices.Reverse(ids[begin:])
	return ids
}

func (u *unigram) allBytes(text string) bool {
	for i := range len(text) {
		if u.vocabulary.bytes[text[i]] < 0 {
			return false
		}
	}
	return true
}

// charsMap is SentencePiece's precompiled table of replacements: a double array, whose leaves are
// offsets of strings that end in a zero byte.
type charsMap struct {
	nodes   []uint32
	strings []byte
}

// newCharsMap checks a table: the size of the nodes in bytes, the nodes, the strings.
func newCharsMap(data []byte) (m *charsMap, ok bool) {
	if len(data) == 0 {
		return &charsMap{}, true
	}
	if len(data) < 4 {
		return nil, false
	}
	size := uint64(binary.LittleEndian.Uint32(data))
	if size+4 >= uint64(len(data)) || data[len(data)-1] != 0 {
		return nil, false
	}
	m = &charsMap{nodes: make([]uint32, size/4), strings: data[4+size:]}
	for i := range m.nodes {
		m.nodes[i] = binary.LittleEndian.Uint32(data[4+4*i:])
	}
	return m, true
}

// replace returns what replaces the longest beginning of a text that is in the table, and its
// bytes: 0 if none is.
func (m *charsMap) replace(text string) (with []byte, n int) {
	base := func(node uint32) uint32 { return node >> 10 << (node & (1 << 9) >> 6) }
	if len(m.nodes) == 0 {
		return nil, 0
	}
	at, offset := base(m.nodes[0]), uint32(0)
	for i := range len(text) {
		c := uint32(text[i])
		at ^= c
		if c == 0 || uint64(at) >= uint64(len(m.nodes)) {
			break
		}
		node := m.nodes[at]
		if node&(1<<31|0xFF) != c {
			break
		}
		at ^= base(node)
		if node>>8&1 != 0 {
			if uint64(at) >= uint64(len(m.nodes)) {
				break
			}
			n, offset = i+1, m.nodes[at]&(1<<31-1)
		}
	}
	if n == 0 || uint64(offset) >= uint64(len(m.strings)) {
		return nil, 0
	}
	with = m.strings[offset:]
	return with[:slices.Index(with, 0)], n
}

// unigramText is what a unigram model of GGUF does to a text before it divides it.
type unigramText struct {
	charsMap *charsMap
	user     *lexicon // tokens that no replacement changes
	prefix   bool     // a space before the text
	merge    bool     // blanks in sequence are one, and none are at the ends
}

func (x *unigramText) normalize(text string) string {
	out := make([]byte, 0, len(text)+len(text)/2+4)
	inWord, begun := false, false
	for text != "" {
		with, n := x.next(text)
		for _, c := range with {
			if c == ' ' {
				inWord = false
				if !x.merge {
					out = append(out, escapedSpace...)
				}
				continue
			}
			if !inWord {
				inWord = true
				if x.prefix && !begun || x.merge {
					out = append(out, escapedSpace...)
					begun = true
				}
			}
			out = append(out, c)
		}
		text = text[n:]
	}
	return string(out)
}

// next returns the text that replaces the beginning of another, and how much it replaces.
func (x *unigramText) next(text string) (with []byte, n int) {
	// Even a part of such a token is kept as it is.
	if n = x.user.prefixes(text, nil); n > 0 {
		return []byte(text[:n]), n
	}
	if with, n = x.charsMap.replace(text); n > 0 {
		return with, n
	}
	r, n := decodeRune(text)
	if r == 0xFFFD && n == 1 {
		return []byte("\uFFFD"), 1
	}
	return []byte(text[:n]), n
}
