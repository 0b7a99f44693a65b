package token

import "unicode"

// Classes of bytes. A name continues with bytes of class classLetter or classDigit.
const (
	classOther  uint8 = iota // none of the others, or part of a non-ASCII character
	classSpace               // white space within a line
	classLine                // a newline
	classLetter              // begins a name
	classDigit
	classQuote // " and '
	classOp    // begins an operator
)

var classes = [256]uint8{
	' ': classSpace, '\t': classSpace, '\r': classSpace, '\v': classSpace, '\f': classSpace, '\n': classLine,
	'"': classQuote, '\'': classQuote,

	'0': classDigit, '1': classDigit, '2': classDigit, '3': classDigit, '4': classDigit,
	'5': classDigit, '6': classDigit, '7': classDigit, '8': classDigit, '9': classDigit,

	'a': classLetter, 'b': classLetter, 'c': classLetter, 'd': classLetter, 'e': classLetter, 'f': classLetter,
	'g': classLetter, 'h': classLetter, 'i': classLetter, 'j': classLetter, 'k': classLetter, 'l': classLetter,
	'm': classLetter, 'n': classLetter, 'o': classLetter, 'p': classLetter, 'q': classLetter, 'r': classLetter,
	's': classLetter, 't': classLetter, 'u': classLetter, 'v': classLetter, 'w': classLetter, 'x': classLetter,
	'y': classLetter, 'z': classLetter,
	'A': classLetter, 'B': classLetter, 'C': classLetter, 'D': classLetter, 'E': classLetter, 'F': classLetter,
	'G': classLetter, 'H': classLetter, 'I': classLetter, 'J': classLetter, 'K': classLetter, 'L': classLetter,
	'M': classLetter, 'N': classLetter, 'O': classLetter, 'P': classLetter, 'Q': classLetter, 'R': classLetter,
	'S': classLetter, 'T': classLetter, 'U': classLetter, 'V': classLetter, 'W': classLetter, 'X': classLetter,
	'Y': classLetter, 'Z': classLetter, '_': classLetter, '$': classLetter,

	'(': classOp, ')': classOp, '[': classOp, ']': classOp, '{': classOp, '}': classOp, ';': classOp, ',': classOp,
	'.': classOp, ':': classOp, '?': classOp, '+': classOp, '-': classOp, '*': classOp, '/': classOp, '%': classOp,
	'^': classOp, '&': classOp, '|': classOp, '~': classOp, '!': classOp, '=': classOp, '<': classOp, '>': classOp,
	'#': classOp,
}

// inName reports whether a non-ASCII character is allowed in a name.
func inName(r rune, first bool) bool {
	switch {
	case unicode.IsLetter(r), r >= 0x10000 && r <= 0xEFFFD:
		return true
	case first:
		return false
	}
	return unicode.IsMark(r) || unicode.IsDigit(r)
}

// wideSpace reports whether a non-ASCII character counts as white space.
func wideSpace(r rune) bool { return r == '\uFEFF' || r == '\u200B' || unicode.IsSpace(r) }
