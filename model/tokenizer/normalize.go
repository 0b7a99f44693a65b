package tokenizer

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// normalizer changes a text before it is divided.
type normalizer func(text string) string

// lowercase is Unicode's mapping of single characters, of which one becomes two.
func lowercase(text string) string {
	if strings.ContainsRune(text, 'İ') {
		text = strings.ReplaceAll(text, "İ", "i\u0307")
	}
	return mapRunes(text, unicode.ToLower)
}

// mapRunes is strings.Map that leaves bytes alone that are not UTF-8.
func mapRunes(text string, f func(r rune) rune) string {
	b := make([]byte, 0, len(text))
	for text != "" {
		r, n := decodeRune(text)
		if r == unicode.ReplacementChar && n == 1 {
			b = append(b, text[0])
		} else if r = f(r); r >= 0 {
			b = appendRune(b, r)
		}
		text = text[n:]
	}
	return string(b)
}

func stripAccents(text string) string {
	return mapRunes(text, func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	})
}

// bertAccents decomposes and drops nonspacing marks.
func bertAccents(text string) string {
	return mapRunes(norm.NFD.String(text), func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	})
}

// bertClean drops control characters, and makes spaces of blanks.
func bertClean(text string) string {
	return mapRunes(text, func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r == 0 || r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	})
}

// bertChinese puts spaces around Chinese characters.
func bertChinese(text string) string {
	var b []byte
	for _, r := range text {
		if isChinese(r) {
			b = append(appendRune(append(b, ' '), r), ' ')
		} else {
			b = appendRune(b, r)
		}
	}
	return string(b)
}

// replace returns a normalizer that replaces matches of a pattern.
func replace(p *pattern, with string) normalizer {
	return func(text string) string {
		var s splitter
		steps := []step{{pattern: p}}
		var b strings.Builder
		from := int32(0)
		s.runes.set(text)
		s.matcher.table, s.matcher.text = classes(), s.runes.all
		m := &s.matcher
		m.low, m.high = 0, int32(len(s.runes.all))
		m.allow(steps[0].pattern)
		for at := int32(0); at < m.high && m.steps > 0; {
			end := m.match(p.code, 0, at)
			if end <= at {
				at++
				continue
			}
			b.WriteString(s.runes.slice(span{from, at}))
			b.WriteString(with)
			from, at = end, end
		}
		b.WriteString(s.runes.slice(span{from, m.high}))
		return b.String()
	}
}

// precompiled returns a normalizer of SentencePiece's table. Hugging Face's library looks for what
// a reader sees as a character, of which only the end of a line in two is looked for here.
func precompiled(m *charsMap) normalizer {
	return func(text string) string {
		b := make([]byte, 0, len(text)+len(text)/4)
		for text != "" {
			with, n := m.replace(text)
			if n == 1 && strings.HasPrefix(text, "\r\n") {
				n = 2
			}
			if n == 0 {
				_, n = decodeRune(text)
				with = []byte(text[:n])
			}
			b = append(b, with...)
			text = text[n:]
		}
		return string(b)
	}
}

// nmt cleans a text as SentencePiece's rules for translation do.
func nmt(text string) string {
	return mapRunes(text, func(r rune) rune {
		switch {
		case r >= 1 && r <= 8, r == 0xB, r >= 0xE && r <= 0x1F, r == 0x7F, r == 0x8F, r == 0x9F:
			return -1
		case r == 9 || r == 0xA || r == 0xC || r == 0xD || r == 0x1680, r >= 0x200B && r <= 0x200F, r == 0x2028,
			r == 0x2029, r == 0x2581, r == 0xFEFF, r == 0xFFFD:
			return ' '
		}
		return r
	})
}
