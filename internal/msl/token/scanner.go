package token

import (
	"strings"
	"unicode/utf8"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// Scanner splits a file into tokens.
type Scanner struct {
	file *diag.File
	sink *diag.Sink
	src  string
	i    int
	line bool // nothing but white space stands before i on its line
	open bool // the file ends in a comment
}

// NewScanner returns a Scanner at the beginning of a file. Of all that can be wrong it reports only
// comments without an end; the preprocessor reports malformed tokens when they reach its output,
// since a skipped part may hold any text.
func NewScanner(f *diag.File, sink *diag.Sink) *Scanner {
	s := &Scanner{file: f, sink: sink, src: f.Text, line: true}
	s.i = len(f.Text) - len(strings.TrimPrefix(f.Text, "\uFEFF"))
	return s
}

// File returns the file that is scanned.
func (s *Scanner) File() *diag.File { return s.file }

// Offset returns how far the scanner has come.
func (s *Scanner) Offset() int { return s.i }

// OpenComment reports whether a comment without an end was met.
func (s *Scanner) OpenComment() bool { return s.open }

// Next returns the next token; at the end of the file, EOF for ever.
func (s *Scanner) Next() Token { return s.next(false) }

// NextOnLine returns the next token of the same line, or EOF when there is none.
func (s *Scanner) NextOnLine() Token { return s.next(true) }

func (s *Scanner) next(onLine bool) Token {
again:
	flags := s.skip(onLine)
	start := s.i
	pos := s.file.Pos(start)
	if start >= len(s.src) || onLine && s.src[start] == '\n' {
		return Token{Kind: EOF, Flags: flags, Pos: pos}
	}
	kind, end := lex(s.src, start)
	text := s.src[start:end]
	if s.spliced(kind, end) {
		kind, text, end = lexSpliced(s.src, start)
		if kind == EOF {
			s.i = end
			goto again
		}
	}
	s.i, s.line = end, false
	return Token{Kind: kind, Flags: flags, Pos: pos, Text: text}
}

// spliced reports whether a backslash-newline stands where a token of a kind that seems to end at
// an offset might go on.
func (s *Scanner) spliced(kind Kind, end int) bool {
	src := s.src
	switch kind {
	case String, Char:
		return false
	case Other: // a string may have been cut off by one
		text := strings.TrimRight(src[s.i:end], " \t\r\v\f")
		return strings.HasSuffix(text, `\`) && spliceAt(src, s.i+len(text)-1) > 0
	}
	far := end + 1
	if kind.IsOperator() || kind == Int || kind == Float {
		far = end + 3
	}
	for ; end < min(far, len(src)); end++ {
		if src[end] == '\\' && spliceAt(src, end) > 0 {
			return true
		}
	}
	return false
}

// skip passes over white space and comments; when onLine, not over the end of the line.
func (s *Scanner) skip(onLine bool) Flags {
	src, i := s.src, s.i
	var flags Flags
	line := s.line
loop:
	for i < len(src) {
		switch c := src[i]; classes[c] {
		case classSpace:
			flags |= SpaceBefore
			i++
		case classLine:
			if onLine {
				break loop
			}
			line = true
			flags |= SpaceBefore
			i++
		case classOp:
			if c != '/' {
				break loop
			}
			j := afterSplices(src, i+1)
			if j >= len(src) {
				break loop
			}
			switch src[j] {
			case '/':
				i = endOfLine(src, j)
			case '*':
				end := commentEnd(src, j+1)
				if end < 0 {
					at := s.file.Pos(i)
					s.sink.Errorf(diag.UnterminatedComment, at, at+2, "unterminated /* comment")
					end = len(src)
					s.open = true
				}
				i = end
			default:
				break loop
			}
			flags |= SpaceBefore
		case classOther:
			if c >= utf8.RuneSelf {
				r, n := utf8.DecodeRuneInString(src[i:])
				if !wideSpace(r) {
					break loop
				}
				i += n
				flags |= SpaceBefore
				continue
			}
			n := spliceAt(src, i)
			switch {
			case n > 0:
				i += n
			case c == 0:
				at := s.file.Pos(i)
				s.sink.Warnf(diag.NulCharacter, at, at+1, "null character ignored")
				for i < len(src) && src[i] == 0 {
					i++
				}
			default:
				break loop
			}
		default:
			break loop
		}
	}
	s.i, s.line = i, line
	if line {
		flags |= AtLineStart
	}
	return flags
}

// endOfLine returns the offset of the newline that ends the line at i and is not behind a
// backslash.
func endOfLine(src string, i int) int {
	for {
		n := strings.IndexByte(src[i:], '\n')
		if n < 0 {
			return len(src)
		}
		if !strings.HasSuffix(strings.TrimRight(src[i:i+n], " \t\r\v\f"), `\`) {
			return i + n
		}
		i += n + 1
	}
}

// commentEnd returns the offset behind the */ that ends a comment whose text begins at i, or -1.
func commentEnd(src string, i int) int {
	for {
		n := strings.IndexByte(src[i:], '*')
		if n < 0 {
			return -1
		}
		i += n + 1
		if j := afterSplices(src, i); j < len(src) && src[j] == '/' {
			return j + 1
		}
	}
}

// PeekLParen reports whether the next token is a left parenthesis, on whichever line.
func (s *Scanner) PeekLParen() bool {
	saved := *s
	s.sink = nil
	s.skip(false)
	yes := s.i < len(s.src) && s.src[s.i] == '('
	*s = saved
	return yes
}

// TouchesLParen reports whether a left parenthesis follows at once, as behind the name of a macro
// with parameters.
func (s *Scanner) TouchesLParen() bool {
	i := afterSplices(s.src, s.i)
	return i < len(s.src) && s.src[i] == '('
}

// HeaderName returns a <name> or "name" that follows on the same line, as a String with its
// brackets or quotes; false when what follows is neither.
func (s *Scanner) HeaderName() (Token, bool) {
	flags := s.skip(true)
	if s.i >= len(s.src) {
		return Token{}, false
	}
	closing := byte('"')
	switch s.src[s.i] {
	case '<':
		closing = '>'
	case '"':
	default:
		return Token{}, false
	}
	for j := s.i + 1; j < len(s.src) && s.src[j] != '\n'; j++ {
		if s.src[j] == closing {
			t := Token{Kind: String, Flags: flags, Pos: s.file.Pos(s.i), Text: s.src[s.i : j+1]}
			s.i = j + 1
			return t, true
		}
	}
	return Token{}, false
}

// RestOfLine returns the text that remains on the line, backslash-newlines taken out, and passes
// over it.
func (s *Scanner) RestOfLine() string {
	start := s.i
	s.i = endOfLine(s.src, start)
	text := s.src[start:s.i]
	if strings.IndexByte(text, '\n') >= 0 {
		var b strings.Builder
		for i := 0; i < len(text); i++ {
			if n := spliceAt(text, i); n > 0 {
				i += n - 1
			} else {
				b.WriteByte(text[i])
			}
		}
		text = b.String()
	}
	return strings.TrimSpace(text)
}

// SkipLine passes over what remains of the line, comments that reach into further lines included.
func (s *Scanner) SkipLine() {
	for s.NextOnLine().Kind != EOF {
	}
}
