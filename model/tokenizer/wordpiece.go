package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordPiece divides words into the longest tokens, from left to right.
type wordPiece struct {
	first   *lexicon // tokens that begin a word
	inside  *lexicon // the others, without their prefix
	unknown int32
	most    int // characters of a word; longer ones are unknown. 0: no limit
}

// newWordPiece prepares a vocabulary, in which tokens for the inside of a word begin with a prefix.
func newWordPiece(v *vocabulary, unknown int32, prefix string) *wordPiece {
	var all, inside []int32
	for i := range v.tokens {
		all = append(all, int32(i))
		if strings.HasPrefix(v.tokens[i].Text, prefix) {
			inside = append(inside, int32(i))
		}
	}
	w := &wordPiece{first: newLexicon(v.tokens, all), unknown: unknown}
	w.inside = w.first
	if prefix != "" {
		w.inside = newLexiconOf(inside, func(id int32) string { return v.tokens[id].Text[len(prefix):] })
	}
	return w
}

// encode appends the tokens of a word.
func (w *wordPiece) encode(_ *scratch, ids []int32, word string) []int32 {
	begin := len(ids)
	if w.most > 0 && len(word) > w.most && utf8.RuneCountInString(word) > w.most {
		return w.appendUnknown(ids)
	}
	lexicon := w.first
	for at := 0; at < len(word); lexicon = w.inside {
		var id int32
		size := 0
		lexicon.prefixes(word[at:], func(n int, found int32) bool {
			id, size = found, n
			return true
		})
		if size == 0 {
			return w.appendUnknown(ids[:begin])
		}
		ids = append(ids, id)
		at += size
	}
	return ids
}

func (w *wordPiece) appendUnknown(ids []int32) []int32 {
	if w.unknown < 0 {
		return ids
	}
	return append(ids, w.unknown)
}

// ggufWords divides a text into words as llama.cpp does for BERT: at blanks, and around punctuation
// and Chinese characters. It drops control characters, and accents.
func ggufWords(text string, lowercase, stripAccents bool, yield func(word string)) {
	var word []byte
	end := func() {
		if len(word) > 0 {
			yield(string(word))
			word = word[:0]
		}
	}
	table := classes()
	for text != "" {
		r, n := decodeRune(text)
		text = text[n:]
		if stripAccents && r >= 0xC0 {
			r = firstDecomposed(r)
		}
		switch c := table[r]; {
		case c&space != 0:
			end()
		case r == 0 || r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs),
			stripAccents && c&mark != 0:
		default:
			alone := c&punctuation != 0 || r < 0x7F && c&symbol != 0 || isChinese(r)
			if lowercase {
				r = unicode.ToLower(r)
			}
			if alone {
				end()
			}
			word = appendRune(word, r)
			if alone {
				end()
			}
		}
	}
	end()
}

// firstDecomposed returns the first code point of a canonical decomposition: llama.cpp keeps no
// more. Of a Hangul syllable that is its first consonant.
func firstDecomposed(r rune) rune {
	if r >= 0xD800 && r < 0xE000 {
		return r
	}
	d, _ := decodeRune(norm.NFD.String(string(r)))
	return d
}

// isChinese reports whether BERT makes a word of a character. One range differs from Unicode's in
// BERT's own code, and all others follow it.
func isChinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}

// bertPunctuation reports whether a character is punctuation to BERT: ASCII's symbols are.
func bertPunctuation(r rune) bool {
	if r < 128 {
		return strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r)
	}
	return unicode.IsPunct(r)
}
