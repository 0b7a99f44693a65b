package bindgen

import "fmt"

type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokIdent            // letters, digits and _, not beginning with a digit
	tokNumber           // 0x1f, 42, and versions: 10.15.4
	tokString           // "..." without escapes
	tokPunct            // one character
)

type token struct {
	kind tokenKind
	text string
	line int
}

func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "end of file"
	case tokString:
		return fmt.Sprintf("string %q", t.text)
	}
	return fmt.Sprintf("%q", t.text)
}

// SyntaxError is a mistake in a declaration file.
type SyntaxError struct {
	File string
	Line int
	Msg  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// lex splits src into tokens; comments run from // to the end of the line.
func lex(file, src string) ([]token, error) {
	var toks []token
	line := 1
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case isLetter(c):
			j := i
			for j < len(src) && (isLetter(src[j]) || isDigit(src[j])) {
				j++
			}
			toks = append(toks, token{tokIdent, src[i:j], line})
			i = j
		case isDigit(c):
			j := i
			for j < len(src) && (isLetter(src[j]) || isDigit(src[j]) || src[j] == '.') {
				j++
			}
			toks = append(toks, token{tokNumber, src[i:j], line})
			i = j
		case c == '"':
			j := i + 1
			for j < len(src) && src[j] != '"' && src[j] != '\n' {
				j++
			}
			if j == len(src) || src[j] == '\n' {
				return nil, &SyntaxError{file, line, "string is not closed"}
			}
			toks = append(toks, token{tokString, src[i+1 : j], line})
			i = j + 1
		case c > ' ' && c < 0x7f:
			toks = append(toks, token{tokPunct, src[i : i+1], line})
			i++
		default:
			return nil, &SyntaxError{file, line, fmt.Sprintf("unexpected byte %#x", c)}
		}
	}
	return append(toks, token{tokEOF, "", line}), nil
}
