package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Escape returns text of others as it may be written to a terminal: a character that controls the
// terminal or the direction of its text is shown as <U+001B>, a byte that is not UTF-8 as <9B>.
// Line breaks and tabs remain.
func Escape(text string) string { return escape(text, "\n\t") }

// EscapeLine is Escape for text that is part of a line, such as a file name: a line break in it
// could pass for the next message.
func EscapeLine(text string) string { return escape(text, "") }

func escape(text, keep string) string {
	plain := func(r rune, n int) bool { return !hidden(r, n) || strings.ContainsRune(keep, r) }
	for i := 0; ; { // most texts have none
		if i == len(text) {
			return text
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !plain(r, n) {
			break
		}
		i += n
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if plain(r, n) {
			b.WriteString(text[i : i+n])
		} else {
			b.WriteString(visible(r, n, text[i]))
		}
		i += n
	}
	return b.String()
}

// hidden reports whether a character of n bytes must not reach a terminal: C0 and C1 controls, line
// and paragraph separators, controls of the direction of text, bytes that are no character.
func hidden(r rune, n int) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError && n == 1 || r == 0x061c ||
		r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// visible returns what is shown for a hidden character.
func visible(r rune, n int, first byte) string {
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf("<%02X>", first)
	}
	return fmt.Sprintf("<U+%04X>", r)
}
