package tokenizer

import (
	"math"
	"unicode/utf8"
)

// escapedSpace is what vocabularies of SentencePiece write for a space.
const escapedSpace = "\u2581"

// sentencePiece is SentencePiece's byte-pair encoding: of the neighbors that together are a token,
// those with the best score merge first.
type sentencePiece struct {
	vocabulary *vocabulary
	unknown    int32
}

func (x *sentencePiece) pair(m *merger, left, right *piece) (uint32, int32, bool) {
	size := left.size + right.size
	if int(size) > x.vocabulary.longest {
		return 0, 0, false
	}
	id, ok := x.vocabulary.ids[m.word[left.at:left.at+size]]
	if !ok {
		return 0, 0, false
	}
	return descending(x.vocabulary.tokens[id].Score), id, true
}

// descending orders scores, the highest first.
func descending(score float64) uint32 {
	if score == 0 {
		score = 0 // -0 is not less than 0
	}
	bits := math.Float32bits(float32(score))
	if bits>>31 != 0 {
		return bits
	}
	return ^(bits | 1<<31)
}

// encode appends the tokens of a text. Lead is as in place.
func (x *sentencePiece) encode(s *scratch, ids []int32, word string, lead bool) []int32 {
	m := &s.merger
	m.reset(word)
	for at := 0; at < len(word); {
		n := 1
		if lead {
			n = min(leadLength(word[at]), len(word)-at)
		} else if word[at] >= utf8.RuneSelf {
			_, n = decodeRune(word[at:])
		}
		id, ok := x.vocabulary.ids[word[at:at+n]]
		if !ok {
			id = -1
		}
		m.add(at, n, id)
		at += n
	}
	m.merge(x)
	for i := int32(0); i >= 0 && i < int32(len(m.pieces)); i = m.pieces[i].next {
		p := &m.pieces[i]
		if p.id >= 0 {
			ids = append(ids, p.id)
			continue
		}
		for at := p.at; at < p.at+p.size; at++ {
			if id := x.vocabulary.bytes[word[at]]; id >= 0 {
				ids = append(ids, id)
			} else if x.unknown >= 0 {
				ids = append(ids, x.unknown)
			}
		}
	}
	return ids
}
