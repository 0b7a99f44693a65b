package tokenizer

import (
	"slices"
	"strings"
	"unicode"
)

// specialParser finds special tokens in texts.
type specialParser struct {
	tokens []Token
	// ids are the tokens to look for, the longest first.
	ids []int32
	// lexicon has the same. It tells which of them a text has at all: a vocabulary may have
	// thousands.
	lexicon *lexicon
	// leftmost takes the first token of a text, and the longest that begins there, as Hugging Face
	// does. Otherwise the longest token is taken wherever it is, then the next, as llama.cpp does.
	leftmost bool
}

// newSpecialParser prepares a search for tokens.
func newSpecialParser(tokens []Token, leftmost bool, wanted func(t *Token) bool) *specialParser {
	p := &specialParser{tokens: tokens, leftmost: leftmost}
	for i := range tokens {
		if tokens[i].Text != "" && wanted(&tokens[i]) {
			p.ids = append(p.ids, int32(i))
		}
	}
	p.lexicon = newLexicon(tokens, p.ids)
	slices.SortStableFunc(p.ids, func(a, b int32) int { return len(tokens[b].Text) - len(tokens[a].Text) })
	return p
}

// fragment is a part of a text: a token, or text if id is -1.
type fragment struct {
	text string
	id   int32
}

// divide returns the parts of a text.
func (p *specialParser) divide(text string, parse bool) []fragment {
	if text == "" {
		return nil
	}
	all := []fragment{{text, -1}}
	if len(p.ids) == 0 {
		return all
	}
	if p.leftmost {
		return p.scan(text, parse)
	}
	present := p.present(text, parse)
	for _, id := range p.ids {
		if present[id] {
			all = p.divideBy(all, id)
		}
	}
	return all
}

func (p *specialParser) applies(id int32, parse bool) bool {
	return parse || p.tokens[id].Kind&(Control|Unknown) == 0
}

// present returns the tokens that are somewhere in a text.
func (p *specialParser) present(text string, parse bool) map[int32]bool {
	present := map[int32]bool{}
	for at := range len(text) {
		p.lexicon.prefixes(text[at:], func(_ int, id int32) bool {
			if p.applies(id, parse) {
				present[id] = true
			}
			return true
		})
	}
	return present
}

// divideBy takes a token out of texts.
func (p *specialParser) divideBy(all []fragment, id int32) []fragment {
	token := &p.tokens[id]
	var out []fragment
	for _, f := range all {
		for f.id < 0 {
			left, right, found := strings.Cut(f.text, token.Text)
			if !found {
				break
			}
			out = appendText(out, trimmed(left, "", token.trim))
			out = append(out, fragment{id: id})
			f.text = trimmed("", right, token.trim)
		}
		if f.id >= 0 {
			out = append(out, f)
		} else {
			out = appendText(out, f.text)
		}
	}
	return out
}

func appendText(out []fragment, text string) []fragment {
	if text == "" {
		return out
	}
	return append(out, fragment{text, -1})
}

// asciiSpace are the blanks of C's isspace.
const asciiSpace = " \t\n\v\f\r"

// trimmed returns the text to the left or to the right of a token without blanks that belong to it.
func trimmed(left, right string, t trim) string {
	if t&trimLeft != 0 {
		left = strings.TrimRight(left, asciiSpace)
	}
	if t&trimRight != 0 {
		right = strings.TrimLeft(right, asciiSpace)
	}
	return left + right
}

// scan divides a text by the first token in it, and so on.
func (p *specialParser) scan(text string, parse bool) (out []fragment) {
	from := 0
	for at := 0; at < len(text); {
		found, size := int32(-1), 0
		p.lexicon.prefixes(text[at:], func(n int, id int32) bool {
			if p.applies(id, parse) {
				found, size = id, n
			}
			return true
		})
		if found < 0 {
			at++
			continue
		}
		t := &p.tokens[found]
		end := at + size
		if t.trim&wholeWord != 0 && (endsInWord(text[:at]) || beginsInWord(text[end:])) {
			at = end
			continue
		}
		left := text[from:at]
		if t.trim&trimLeft != 0 {
			left = strings.TrimRightFunc(left, unicode.IsSpace)
		}
		if t.trim&trimRight != 0 {
			end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
		}
		out = append(appendText(out, left), fragment{id: found})
		from, at = end, end
	}
	return appendText(out, text[from:])
}

// isWord reports whether a character is one of a word, \w.
func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc) || r == 0x200C || r == 0x200D
}

func endsInWord(text string) bool {
	last := rune(-1)
	for at := max(len(text)-4, 0); at < len(text); {
		r, n := decodeRune(text[at:])
		last = r
		at += n
	}
	return last >= 0 && isWord(last)
}

func beginsInWord(text string) bool {
	r, n := decodeRune(text)
	return n > 0 && isWord(r)
}
