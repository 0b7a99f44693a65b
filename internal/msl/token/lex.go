package token

import (
	"strings"
	"unicode/utf8"
)

// Classify returns the kind of a text that is exactly one token, for token pasting. It returns
// false for no token, several tokens, or a comment.
func Classify(text string) (Kind, bool) {
	if text == "" || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") {
		return Other, false
	}
	switch classes[text[0]] {
	case classSpace, classLine:
		return Other, false
	}
	kind, end := lex(text, 0)
	return kind, end == len(text) && kind != Other
}

// lex scans the token that begins at src[i], which is not white space or a comment, ignoring
// backslash-newlines. It reads at most two bytes beyond the end of the token.
func lex(src string, i int) (Kind, int) {
	c := src[i]
	switch classes[c] {
	case classLetter:
		return lexName(src, i)
	case classDigit:
		return lexNumber(src, i)
	case classQuote:
		return lexQuoted(src, i)
	case classOp:
		if c == '.' && i+1 < len(src) && classes[src[i+1]] == classDigit {
			return lexNumber(src, i)
		}
		return lexOperator(src, i)
	}
	if c >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(src[i:])
		if inName(r, true) {
			return lexName(src, i)
		}
		return Other, i + n
	}
	return Other, i + 1
}

// nameEnd returns the end of the name that continues at src[i].
func nameEnd(src string, i int) int {
	for i < len(src) {
		switch classes[src[i]] {
		case classLetter, classDigit:
			i++
			continue
		}
		if src[i] < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(src[i:])
		if !inName(r, false) {
			break
		}
		i += n
	}
	return i
}

// lexName scans a name, or a literal that begins with a prefix of letters.
func lexName(src string, start int) (Kind, int) {
	i := nameEnd(src, start)
	if i < len(src) && i-start <= 3 && classes[src[i]] == classQuote {
		switch src[start:i] {
		case "L", "u", "U", "u8":
			return lexQuoted(src, i)
		case "R", "LR", "uR", "UR", "u8R":
			if src[i] == '"' {
				return lexRaw(src, i)
			}
		}
	}
	return Ident, i
}

// lexNumber scans a preprocessing number, which need not be a valid number.
func lexNumber(src string, start int) (Kind, int) {
	hex := hasPrefixFold(src[start:], "0x")
	kind := Int
	i := start
loop:
	for i < len(src) {
		switch c := src[i]; {
		case c == '.':
			kind = Float
		case c == '+' || c == '-':
			if e := src[i-1] | 0x20; e != 'p' && e != 'e' {
				break loop
			}
			kind = Float
		case c|0x20 == 'p' && hex, c|0x20 == 'e' && !hex:
			if kind == Int && i > start {
				kind = Float
			}
		case c == '\'':
			if i+1 == len(src) || classes[src[i+1]] != classDigit && classes[src[i+1]] != classLetter {
				break loop
			}
		case classes[c] == classDigit || classes[c] == classLetter:
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(src[i:])
			if !inName(r, false) {
				break loop
			}
			i += n - 1
		default:
			break loop
		}
		i++
	}
	return kind, i
}

// lexQuoted scans a string or character literal whose quote is at src[i]. One not terminated on its
// line is Other.
func lexQuoted(src string, i int) (Kind, int) {
	quote, kind := src[i], String
	if quote == '\'' {
		kind = Char
	}
	for i++; i < len(src); i++ {
		switch src[i] {
		case quote:
			return kind, i + 1
		case '\\':
			if i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		case '\n':
			return Other, len(strings.TrimSuffix(src[:i], "\r"))
		}
	}
	return Other, i
}

// lexRaw scans a raw string literal whose quote is at src[i]. A malformed one is Other.
func lexRaw(src string, i int) (Kind, int) {
	open := i + 1
	for open < len(src) && src[open] != '(' {
		if c := src[open]; c == ')' || c == '\\' || c == '"' || classes[c] == classSpace || c == '\n' || open-i > 16 {
			return Other, open
		}
		open++
	}
	if open == len(src) {
		return Other, open
	}
	closing := ")" + src[i+1:open] + `"`
	end := strings.Index(src[open:], closing)
	if end < 0 {
		return Other, len(src)
	}
	return String, open + end + len(closing)
}

// lexOperator scans an operator.
func lexOperator(src string, i int) (Kind, int) {
	var c1, c2, c3 byte
	switch rest := src[i:]; {
	case len(rest) > 3:
		c3 = rest[3]
		fallthrough
	case len(rest) > 2:
		c2 = rest[2]
		fallthrough
	case len(rest) > 1:
		c1 = rest[1]
	}
	switch src[i] {
	case '(':
		return LParen, i + 1
	case ')':
		return RParen, i + 1
	case '[':
		return LBrack, i + 1
	case ']':
		return RBrack, i + 1
	case '{':
		return LBrace, i + 1
	case '}':
		return RBrace, i + 1
	case ';':
		return Semi, i + 1
	case ',':
		return Comma, i + 1
	case '?':
		return Question, i + 1
	case '~':
		return Tilde, i + 1
	case '.':
		switch {
		case c1 == '.' && c2 == '.':
			return Ellipsis, i + 3
		case c1 == '*':
			return DotStar, i + 2
		}
		return Dot, i + 1
	case ':':
		switch c1 {
		case ':':
			return ColonColon, i + 2
		case '>':
			return RBrack, i + 2
		}
		return Colon, i + 1
	case '+':
		switch c1 {
		case '+':
			return PlusPlus, i + 2
		case '=':
			return PlusAssign, i + 2
		}
		return Plus, i + 1
	case '-':
		switch {
		case c1 == '>' && c2 == '*':
			return ArrowStar, i + 3
		case c1 == '>':
			return Arrow, i + 2
		case c1 == '-':
			return MinusMinus, i + 2
		case c1 == '=':
			return MinusAssign, i + 2
		}
		return Minus, i + 1
	case '*':
		return orAssign(Star, StarAssign, c1, i)
	case '/':
		return orAssign(Slash, SlashAssign, c1, i)
	case '^':
		return orAssign(Caret, CaretAssign, c1, i)
	case '!':
		return orAssign(Not, Ne, c1, i)
	case '=':
		return orAssign(Assign, Eq, c1, i)
	case '%':
		switch {
		case c1 == '>':
			return RBrace, i + 2
		case c1 == ':' && c2 == '%' && c3 == ':':
			return HashHash, i + 4
		case c1 == ':':
			return Hash, i + 2
		}
		return orAssign(Percent, PercentAssign, c1, i)
	case '&':
		if c1 == '&' {
			return AmpAmp, i + 2
		}
		return orAssign(Amp, AmpAssign, c1, i)
	case '|':
		if c1 == '|' {
			return PipePipe, i + 2
		}
		return orAssign(Pipe, PipeAssign, c1, i)
	case '<':
		switch {
		case c1 == '<':
			return orAssign(Shl, ShlAssign, c2, i+1)
		case c1 == '%':
			return LBrace, i + 2
		case c1 == ':' && (c2 != ':' || c3 == ':' || c3 == '>'): // in <::a the argument begins with ::
			return LBrack, i + 2
		}
		return orAssign(Less, LessEq, c1, i)
	case '>':
		if c1 == '>' {
			return orAssign(Shr, ShrAssign, c2, i+1)
		}
		return orAssign(Greater, GreaterEq, c1, i)
	}
	if c1 == '#' {
		return HashHash, i + 2
	}
	return Hash, i + 1
}

// orAssign returns the operator combined with = if that follows.
func orAssign(plain, assign Kind, next byte, i int) (Kind, int) {
	if next == '=' {
		return assign, i + 2
	}
	return plain, i + 1
}
