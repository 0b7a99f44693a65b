package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// SyntaxError is a syntax error in the text given to Parse.
type SyntaxError struct {
	Line int
	Msg  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("ir: line %d: %s", e.Line, e.Msg) }

// scanner splits text into words, quoted strings and single punctuation marks. A // comment extends
// to the end of the line.
type scanner struct {
	src string
	pos int    // just after tok
	tok string // the current token; "" at the end, never "\n"
	at  int    // start of tok
	nl  bool   // tok is the first on its line
}

func (s *scanner) line(pos int) int { return 1 + strings.Count(s.src[:min(pos, len(s.src))], "\n") }

func (s *scanner) fail(format string, args ...any) {
	panic(&SyntaxError{s.line(s.at), fmt.Sprintf(format, args...)})
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' ||
		c == '+'
}

// next advances to the next token.
func (s *scanner) next() {
	s.nl = false
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			s.nl = s.nl || c == '\n'
			s.pos++
		} else if strings.HasPrefix(s.src[s.pos:], "//") {
			for s.pos < len(s.src) && s.src[s.pos] != '\n' {
				s.pos++
			}
		} else {
			break
		}
	}
	s.at = s.pos
	if s.pos >= len(s.src) {
		s.tok = ""
		return
	}
	switch c := s.src[s.pos]; {
	case isWord(c):
		for s.pos < len(s.src) && isWord(s.src[s.pos]) {
			s.pos++
		}
	case c == '%' || c == '^':
		s.pos++
		for s.pos < len(s.src) && s.src[s.pos] >= '0' && s.src[s.pos] <= '9' {
			s.pos++
		}
	case c == '"':
		q, err := strconv.QuotedPrefix(s.src[s.pos:])
		if err != nil {
			s.fail("unterminated string")
		}
		s.pos += len(q)
	default:
		s.pos++
	}
	s.tok = s.src[s.at:s.pos]
}

// take consumes the current token if it is tok.
func (s *scanner) take(tok string) bool {
	if s.tok != tok {
		return false
	}
	s.next()
	return true
}

// want consumes tok, or fails if the current token is another one.
func (s *scanner) want(tok string) {
	if !s.take(tok) {
		s.fail("want %q, have %s", tok, s.have())
	}
}

func (s *scanner) have() string {
	if s.tok == "" {
		return "the end of the text"
	}
	return strconv.Quote(s.tok)
}

func (s *scanner) isString() bool { return strings.HasPrefix(s.tok, `"`) }

// str consumes a quoted string.
func (s *scanner) str() string {
	text, err := strconv.Unquote(s.tok)
	if err != nil || !s.isString() {
		s.fail("want a string, have %s", s.have())
	}
	s.next()
	return text
}

// integer consumes an integer of at most the given bits.
func (s *scanner) integer(bits int) int64 {
	n, err := strconv.ParseInt(s.tok, 10, bits)
	if err != nil {
		s.fail("want an integer of %d bits, have %s", bits, s.have())
	}
	s.next()
	return n
}

// unsigned consumes an unsigned integer of at most the given bits.
func (s *scanner) unsigned(bits int) uint64 {
	n, err := strconv.ParseUint(s.tok, 10, bits)
	if err != nil {
		s.fail("want an unsigned integer of %d bits, have %s", bits, s.have())
	}
	s.next()
	return n
}

// number consumes %n or ^n and returns n.
func (s *scanner) number(mark byte) int {
	if s.tok == "" || s.tok[0] != mark {
		s.fail("want %c and a number, have %s", mark, s.have())
	}
	n, err := strconv.ParseInt(s.tok[1:], 10, 32)
	if err != nil {
		s.fail("want a number after %c, have %s", mark, s.have())
	}
	s.next()
	return int(n)
}
