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
	line bool // only white space precedes i on its line
	open bool // the file ends in an unterminated comment
}

// NewScanner returns a Scanner at the beginning of a file. The only error it reports is an
// unterminated comment. Malformed tokens are reported by the preprocessor when they reach its
// output, since skipped code may contain any text.
func NewScanner(f *diag.File, sink *diag.Sink) *Scanner {
	s := &Scanner{file: f, sink: sink, src: f.Text, line: true}
	s.i = len(f.Text) - len(strings.TrimPrefix(f.Text, "\uFEFF"))
	return s
}

// NewPartScanner returns a Scanner of the characters of a file from one offset to another, which
// are whole lines without unterminated comments.
func NewPartScanner(f *diag.File, from, to int) *Scanner {
	return &Scanner{file: f, src: f.Text[:to], i: from, line: true}
}

// File returns the file being scanned.
func (s *Scanner) File() *diag.File { return s.file }

// Offset returns the offset of the next character to scan.
func (s *Scanner) Offset() int { return s.i }

// OpenComment reports whether the scanner has met an unterminated comment.
func (s *Scanner) OpenComment() bool { return s.open }

// Next returns the next token; at the end of the file, it keeps returning EOF.
func (s *Scanner) Next() Token { return s.next(false) }

// NextOnLine returns the next token on the same line, or EOF if there is none.
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

// spliced reports whether there is a backslash-newline where a token of the given kind, which seems
// to end at an offset, might continue.
func (s *Scanner) spliced(kind Kind, end int) bool {
	src := s.src
	switch kind {
	case String, Char:
		return false
	case Other: // a backslash-newline may have cut off a string
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

// skip skips white space and comments, but not the end of the line if onLine is set.
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

// endOfLine returns the offset of the first newline from i on that does not follow a backslash.
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

// commentEnd returns the offset after the */ that ends the comment whose text begins at i, or -1.
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

// PeekLParen reports whether the next token is a left parenthesis, even on a later line.
func (s *Scanner) PeekLParen() bool {
	saved := *s
	s.sink = nil
	s.skip(false)
	yes := s.i < len(s.src) && s.src[s.i] == '('
	*s = saved
	return yes
}

// TouchesLParen reports whether a left parenthesis follows immediately, as after the name of a
// function-like macro in its definition.
func (s *Scanner) TouchesLParen() bool {
	i := afterSplices(s.src, s.i)
	return i < len(s.src) && s.src[i] == '('
}

// HeaderName scans a <name> or "name" on the same line, and returns it as a String with its
// brackets or quotes. It returns false if neither follows.
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

// RestOfLine consumes the rest of the line and returns its text without backslash-newlines.
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

// SkipLine skips the rest of the line, including comments that extend to further lines.
func (s *Scanner) SkipLine() {
	for s.NextOnLine().Kind != EOF {
	}
}
