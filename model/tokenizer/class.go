package tokenizer

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is a set of properties of a code point.
type class uint8

const (
	upper       class = 1 << iota // \p{Lu} and \p{Lt}: no pattern has one without the other
	lower                         // \p{Ll}
	caseless                      // \p{Lm} and \p{Lo}
	number                        // \p{N}
	mark                          // \p{M}
	punctuation                   // \p{P}
	symbol                        // \p{S}
	space                         // White_Space
)

const letter = upper | lower | caseless

// addition is a range of code points that Unicode 15.1 added. Go's tables are older, llama.cpp's
// are not, and a splitter that sees a letter as unassigned splits words elsewhere.
type addition struct {
	low, high rune
	class     class
}

var additions = [...]addition{
	{0x2FFC, 0x2FFF, symbol},
	{0x31EF, 0x31EF, symbol},
	{0x2EBF0, 0x2EE5D, caseless},
}

// classes returns the class of every code point: one megabyte, made when it is first needed.
var classes = sync.OnceValue(func() *[unicode.MaxRune + 1]class {
	table := new([unicode.MaxRune + 1]class)
	set := func(t *unicode.RangeTable, c class) {
		for _, r := range t.R16 {
			for x := int(r.Lo); x <= int(r.Hi); x += int(r.Stride) {
				table[x] |= c
			}
		}
		for _, r := range t.R32 {
			for x := int(r.Lo); x <= int(r.Hi); x += int(r.Stride) {
				table[x] |= c
			}
		}
	}
	set(unicode.Lu, upper)
	set(unicode.Lt, upper)
	set(unicode.Ll, lower)
	set(unicode.Lm, caseless)
	set(unicode.Lo, caseless)
	set(unicode.N, number)
	set(unicode.M, mark)
	set(unicode.P, punctuation)
	set(unicode.S, symbol)
	set(unicode.White_Space, space)
	for _, a := range additions {
		for x := a.low; x <= a.high; x++ {
			table[x] = a.class
		}
	}
	return table
})

// decodeRune returns the first code point of a text and its bytes. It accepts what llama.cpp
// accepts: surrogates, and encodings that are longer than they need to be. A byte that begins no
// code point is U+FFFD.
func decodeRune(s string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || size != 1 {
		return r, size
	}
	n := leadLength(s[0])
	if s[0] < 0xC0 || len(s) < n || s[0] >= 0xF8 {
		return utf8.RuneError, 1
	}
	r = rune(s[0] & (0xFF >> (n + 1)))
	for i := 1; i < n; i++ {
		if s[i]&0xC0 != 0x80 {
			return utf8.RuneError, 1
		}
		r = r<<6 | rune(s[i]&0x3F)
	}
	if r > unicode.MaxRune {
		return utf8.RuneError, 1
	}
	return r, n
}

// leadLength returns the bytes of a character by its first byte alone, without a look at the
// others.
func leadLength(b byte) int {
	switch {
	case b < 0xC0:
		return 1
	case b < 0xE0:
		return 2
	case b < 0xF0:
		return 3
	}
	return 4
}

// appendRune appends a code point, surrogates included.
func appendRune(b []byte, r rune) []byte {
	if r >= 0xD800 && r < 0xE000 {
		return append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(b, r)
}

// replaceInvalid returns a text with U+FFFD for each byte that is not UTF-8, and with code points
// in their shortest encoding.
func replaceInvalid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	b := make([]byte, 0, len(s)+len(s)/2)
	for s != "" {
		r, n := decodeRune(s)
		b = appendRune(b, r)
		s = s[n:]
	}
	return string(b)
}

// runes is a text by code points, as splitters see it.
type runes struct {
	text string
	all  []rune
	at   []int32 // where each begins in the text, and the text's length
}

// set decodes a text, into the memory of the last.
func (x *runes) set(text string) {
	x.text, x.all, x.at = text, x.all[:0], x.at[:0]
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = decodeRune(text[i:])
		}
		x.all = append(x.all, r)
		x.at = append(x.at, int32(i))
		i += n
	}
	x.at = append(x.at, int32(len(text)))
}

// span is a part of a text, by code points.
type span struct{ low, high int32 }

func (x *runes) slice(s span) string { return x.text[x.at[s.low]:x.at[s.high]] }
