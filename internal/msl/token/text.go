package token

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ParseChar returns the value of a character literal: that of a char for 'a', the code point for
// L'a', u'a' and U'a'; for several characters, their bytes concatenated, as compilers do. prefix is
// "", "L", "u", "U" or "u8".
func ParseChar(text string) (value int64, prefix string, err error) {
	prefix, body, err := quoted(text, '\'')
	if err != nil {
		return 0, prefix, err
	}
	units, err := unescape(body)
	if len(units) == 0 && err == nil {
		err = fmt.Errorf("%w: empty character constant", ErrBadEscape)
	}
	if prefix != "" && prefix != "u8" {
		for _, u := range units {
			value = int64(u.value)
		}
		return value, prefix, err
	}
	var b []byte
	for _, u := range units {
		b = u.append(b)
	}
	if len(b) == 1 {
		return int64(int8(b[0])), prefix, err
	}
	v := uint32(0)
	for _, c := range b {
		v = v<<8 | uint32(c)
	}
	return int64(int32(v)), prefix, err
}

// Unquote returns the bytes of a string literal, without the terminating zero. prefix is the text
// before the quote, without R.
func Unquote(text string) (value, prefix string, err error) {
	if i := strings.IndexByte(text, '"'); i > 0 && text[i-1] == 'R' {
		open := i + strings.IndexByte(text[i:], '(')
		end := len(text) - (open - i) - 1 // )delimiter"
		if open < i || end <= open || text[end] != ')' {
			return "", text[:i-1], fmt.Errorf("%w: malformed raw string", ErrBadEscape)
		}
		return text[open+1 : end], text[:i-1], nil
	}
	prefix, body, err := quoted(text, '"')
	if err != nil {
		return "", prefix, err
	}
	if strings.IndexByte(body, '\\') < 0 {
		return body, prefix, nil
	}
	units, err := unescape(body)
	b := make([]byte, 0, len(body))
	for _, u := range units {
		b = u.append(b)
	}
	return string(b), prefix, err
}

// quoted splits a literal into its prefix and the text between the quotes.
func quoted(text string, quote byte) (prefix, body string, err error) {
	i := strings.IndexByte(text, quote)
	if i < 0 || len(text) < i+2 || text[len(text)-1] != quote {
		return "", "", fmt.Errorf("%w: missing quote", ErrBadEscape)
	}
	return text[:i], text[i+1 : len(text)-1], nil
}

// unit is one character of a literal.
type unit struct {
	value rune
	raw   bool // a byte given numerically, or one that is not valid UTF-8
}

func (u unit) append(b []byte) []byte {
	if u.raw {
		return append(b, byte(u.value))
	}
	return utf8.AppendRune(b, u.value)
}

// unescape resolves escape sequences. On an error it returns what it could decode, and the first
// error.
func unescape(body string) (units []unit, err error) {
	fail := func(format string, args ...any) {
		if err == nil {
			err = fmt.Errorf("%w: "+format, append([]any{ErrBadEscape}, args...)...)
		}
	}
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			r, n := utf8.DecodeRuneInString(body[i:])
			if r == utf8.RuneError && n == 1 {
				units = append(units, unit{rune(body[i]), true})
			} else {
				units = append(units, unit{r, false})
			}
			i += n
			continue
		}
		if i++; i == len(body) {
			fail("nothing after the backslash")
			break
		}
		c := body[i]
		i++
		number := func(base, most int) rune {
			start, v := i, rune(0)
			for i < len(body) && i-start < most && digitValue(body[i]) < base {
				v = (v*rune(base) + rune(digitValue(body[i]))) & 0x7fffffff
				i++
			}
			return v
		}
		switch c {
		case 'n':
			units = append(units, unit{'\n', true})
		case 't':
			units = append(units, unit{'\t', true})
		case 'r':
			units = append(units, unit{'\r', true})
		case 'a':
			units = append(units, unit{7, true})
		case 'b':
			units = append(units, unit{8, true})
		case 'f':
			units = append(units, unit{12, true})
		case 'v':
			units = append(units, unit{11, true})
		case 'e':
			units = append(units, unit{27, true})
		case '\\', '\'', '"', '?':
			units = append(units, unit{rune(c), true})
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i--
			v := number(8, 3)
			if v > 255 {
				fail("octal escape is out of range")
			}
			units = append(units, unit{v & 255, true})
		case 'x':
			start := i
			v := number(16, len(body))
			if i == start {
				fail("\\x without digits")
			} else if v > 255 || len(strings.TrimLeft(body[start:i], "0")) > 2 {
				fail("hexadecimal escape is out of range")
			}
			units = append(units, unit{v & 255, true})
		case 'u', 'U':
			want := 4
			if c == 'U' {
				want = 8
			}
			start := i
			v := number(16, want)
			switch {
			case i-start < want:
				fail("\\%c needs %d hexadecimal digits", c, want)
			case !utf8.ValidRune(v):
				fail("'\\%s' is not a character", body[start-1:i])
				v = utf8.RuneError
			}
			units = append(units, unit{v, false})
		default:
			r, n := utf8.DecodeRuneInString(body[i-1:])
			units = append(units, unit{r, false}) // unknown escape; see UnknownEscape
			i += n - 1
		}
	}
	return units, err
}

// UnknownEscape returns the first escape sequence without a meaning, such as \q, in a character or
// string literal, or "". Such a sequence stands for the character after the backslash.
func UnknownEscape(text string) string {
	if strings.HasSuffix(text[:strings.IndexAny(text+`"`, `"'`)], "R") {
		return ""
	}
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if strings.IndexByte(`ntrabfve\'"?01234567xuU`, text[i]) < 0 {
			_, n := utf8.DecodeRuneInString(text[i:])
			return text[i-1 : i+n]
		}
	}
	return ""
}
