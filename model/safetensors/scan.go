package safetensors

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
)

// ErrFormat is wrapped by errors about files that are not what the format allows.
var ErrFormat = errors.New("not a valid safetensors file")

// broken returns an error about a field at an offset.
func broken(offset int, format string, args ...any) error {
	return fmt.Errorf("byte %d: %s: %w", offset, fmt.Sprintf(format, args...), ErrFormat)
}

// shown returns a text of a file for an error: quoted, and not longer than a line.
func shown(text string) string {
	const most = 80
	if len(text) > most {
		return strconv.Quote(text[:most]) + "..."
	}
	return strconv.Quote(text)
}

// scanner reads the JSON of a header without a copy of it: encoding/json accepts halves of
// surrogates, knows no offsets of values, and would keep a name of 100 MB several times.
type scanner struct {
	text []byte // is UTF-8
	at   int
}

// offset returns the place in the file.
func (s *scanner) offset() int { return lengthSize + s.at }

// next skips blanks and returns the byte behind them, or 0 at the end.
func (s *scanner) next() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// unexpected is the error if what is next is not what is wanted.
func (s *scanner) unexpected(what, want string) error {
	s.next()
	rest := s.text[s.at:]
	if len(rest) == 0 {
		return broken(s.offset(), "the header ends in %s, want %s", what, want)
	}
	n := bytes.IndexAny(rest[:min(len(rest), 100)], ",:]} \t\r\n")
	if n < 0 {
		n = min(len(rest), 100)
	}
	n = max(n, 1)
	return broken(s.offset(), "%s: %s, want %s", what, shown(string(rest[:n])), want)
}

// delimiter reads one of the characters of want.
func (s *scanner) delimiter(what, want string) (byte, error) {
	c := s.next()
	if c == 0 || strings.IndexByte(want, c) < 0 {
		return 0, s.unexpected(what, strings.Join(strings.Split(want, ""), " or "))
	}
	s.at++
	return c, nil
}

// string reads a string of at most so many bytes.
func (s *scanner) string(what string, most int) (string, error) {
	if s.next() != '"' {
		return "", s.unexpected(what, "a string")
	}
	start := s.offset()
	s.at++
	begin, escaped := s.at, false
	for ; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		switch c := s.text[s.at]; {
		case c < ' ':
			return "", broken(s.offset(), "%s has the control character %q, want it escaped", what, c)
		case c == '\\':
			escaped = true
			s.at++
		}
	}
	if s.at >= len(s.text) {
		return "", broken(start, "%s is a string without an end", what)
	}
	text := string(s.text[begin:s.at])
	s.at++
	if escaped {
		var ok bool
		if text, ok = unescape(text); !ok {
			return "", broken(start, "%s has an unknown escape sequence or half a surrogate", what)
		}
	}
	if len(text) > most {
		return "", broken(start, "%s has %d bytes, at most %d", what, len(text), most)
	}
	return text, nil
}

// unescape returns what a string of JSON means. A backslash is not its last character.
func unescape(text string) (string, bool) {
	unit := func(i int) rune { // the \uXXXX there, or -1
		if i+6 > len(text) || text[i] != '\\' || text[i+1] != 'u' {
			return -1
		}
		x, err := strconv.ParseUint(text[i+2:i+6], 16, 16)
		if err != nil {
			return -1
		}
		return rune(x)
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		if k := strings.IndexByte(`"\/bfnrt`, text[i+1]); k >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[k])
			i++
			continue
		}
		r := unit(i)
		i += 5
		if utf16.IsSurrogate(r) {
			r = utf16.DecodeRune(r, unit(i+1))
			if r == '\uFFFD' {
				return "", false
			}
			i += 6
		}
		if r < 0 {
			return "", false
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// number reads an integer that is not negative.
func (s *scanner) number(what string) (int64, error) {
	s.next()
	begin := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	digits := s.text[begin:s.at]
	if next := s.next(); len(digits) > 0 && len(digits) < 20 && (len(digits) == 1 || digits[0] != '0') &&
		(next == ',' || next == ']') {
		if x, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
			return x, nil
		}
	}
	s.at = begin
	return 0, s.unexpected(what, fmt.Sprintf("an integer from 0 to %d", int64(math.MaxInt64)))
}

// numbers reads a list of at most so many integers that are not negative.
func (s *scanner) numbers(what string, most int) (list []int64, err error) {
	if _, err := s.delimiter(what, "["); err != nil {
		return nil, err
	}
	if s.next() == ']' {
		s.at++
		return nil, nil
	}
	for {
		if len(list) == most {
			return nil, broken(s.offset(), "%s has more than %d numbers", what, most)
		}
		x, err := s.number(what)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
		if c, err := s.delimiter(what, ",]"); err != nil || c == ']' {
			return list, err
		}
	}
}

// object reads an object. For each of its keys, which are found at an offset, value reads the
// value.
func (s *scanner) object(what string, value func(offset int, key string) error) error {
	if _, err := s.delimiter(what, "{"); err != nil {
		return err
	}
	if s.next() == '}' {
		s.at++
		return nil
	}
	for {
		s.next()
		offset := s.offset()
		key, err := s.string("a key in "+what, maxName)
		if err != nil {
			return err
		}
		if _, err := s.delimiter(what, ":"); err != nil {
			return err
		}
		if err := value(offset, key); err != nil {
			return err
		}
		if c, err := s.delimiter(what, ",}"); err != nil || c == '}' {
			return err
		}
	}
}
