package stdlib

import (
	"fmt"
	"strconv"
)

type tokenKind uint8

const (
	tEOF tokenKind = iota
	tName
	tNumber
	tString
	tPunct
)

type tok struct {
	kind tokenKind
	text string // for a string, its contents
	line int
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// scan splits a file into tokens. A name may contain ::, and a number may be 3.1 or 0xff.
func scan(src string) ([]tok, error) {
	var toks []tok
	line := 1
	for i := 0; i < len(src); {
		c := src[i]
		start := i
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
			for i < len(src) && (isLetter(src[i]) || isDigit(src[i]) || src[i] == ':' && i+2 < len(src) && src[i+1] == ':' &&
				isLetter(src[i+2])) {
				if src[i] == ':' {
					i++
				}
				i++
			}
			toks = append(toks, tok{tName, src[start:i], line})
		case isDigit(c):
			for i < len(src) && (isLetter(src[i]) || isDigit(src[i]) || src[i] == '.') {
				i++
			}
			toks = append(toks, tok{tNumber, src[start:i], line})
		case c == '"':
			for i++; i < len(src) && src[i] != '"' && src[i] != '\n'; i++ {
			}
			if i >= len(src) || src[i] != '"' {
				return nil, fmt.Errorf("line %d: string is not closed", line)
			}
			i++
			toks = append(toks, tok{tString, src[start+1 : i-1], line})
		default:
			n := 1
			if p := src[i:min(i+3, len(src))]; p == "..." {
				n = 3
			} else if len(p) >= 2 && (p[:2] == "->" || p[:2] == "&&") {
				n = 2
			}
			i += n
			toks = append(toks, tok{tPunct, src[start:i], line})
			if c >= 0x80 || c < ' ' {
				return nil, fmt.Errorf("line %d: unexpected character %s", line, strconv.QuoteRune(rune(c)))
			}
		}
	}
	return append(toks, tok{tEOF, "the end of the file", line}), nil
}
