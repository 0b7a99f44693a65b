package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	eof tokenKind = iota
	textToken
	printBegin // {{
	printEnd
	blockBegin // {%
	blockEnd
	nameToken
	stringToken
	intToken
	floatToken
	opToken
)

type token struct {
	kind tokenKind
	text string
	line int
}

// String returns the token for an error.
func (t token) String() string {
	switch t.kind {
	case eof:
		return "end of the template"
	case textToken:
		return "text"
	case stringToken:
		return fmt.Sprintf("string %.40q", t.text)
	}
	return fmt.Sprintf("%.40q", t.text)
}

type lexer struct {
	source string
	at     int
	line   int
	tokens []token
}

const blanks = " \t\n\r\v\f"

// lex divides a template into tokens, without the blanks that trim_blocks, lstrip_blocks and signs
// in tags remove.
func lex(source string) []token {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	l := &lexer{source: strings.TrimSuffix(source, "\n"), line: 1}
	for l.at < len(l.source) {
		l.root()
	}
	return append(l.tokens, token{eof, "", l.line})
}

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind, text, l.line})
}

// move goes on by some bytes.
func (l *lexer) move(n int) {
	l.line += strings.Count(l.source[l.at:l.at+n], "\n")
	l.at += n
}

func (l *lexer) skipBlanks() {
	rest := l.source[l.at:]
	l.move(len(rest) - len(strings.TrimLeft(rest, blanks)))
}

// tagAt returns where the next tag begins.
func (l *lexer) tagAt() int {
	for i := l.at; i+1 < len(l.source); i++ {
		if l.source[i] == '{' && strings.IndexByte("{%#", l.source[i+1]) >= 0 {
			return i
		}
	}
	return len(l.source)
}

// root reads text and the tag behind it.
func (l *lexer) root() {
	begins := l.at == 0 || l.source[l.at-1] == '\n' // a line begins here
	i := l.tagAt()
	text, rest := l.source[l.at:i], l.source[i:]
	sign := byte(0)
	if len(rest) > 2 {
		sign = rest[2]
	}
	kept := text
	switch {
	case rest == "":
	case sign == '-':
		kept = strings.TrimRight(text, blanks)
	case sign != '+' && rest[1] != '{':
		line := strings.LastIndexByte(text, '\n') + 1
		if (line > 0 || begins) && strings.Trim(text[line:], blanks) == "" {
			kept = text[:line]
		}
	}
	if kept != "" {
		l.add(textToken, kept)
	}
	l.move(len(text))
	if rest == "" {
		return
	}
	if rest[1] == '#' {
		end := strings.Index(rest[2:], "#}")
		if end < 0 {
			failAt(l.line, nil, "a comment does not end")
		}
		l.move(2 + end + 2)
		l.ended(l.source[l.at-3], true)
		return
	}
	kind, last, end := printBegin, printEnd, "}}"
	if rest[1] == '%' {
		kind, last, end = blockBegin, blockEnd, "%}"
	}
	l.add(kind, rest[:2])
	l.move(2)
	if sign == '-' || sign == '+' && kind == blockBegin {
		l.move(1)
	}
	l.inside(end)
	l.add(last, end)
	before := l.source[l.at]
	if before == '-' || before == '+' {
		l.move(1)
	}
	l.move(2)
	l.ended(before, kind == blockBegin)
}

// ended removes blanks behind a tag whose end has a sign before it.
func (l *lexer) ended(sign byte, block bool) {
	switch {
	case sign == '-':
		l.skipBlanks()
	case sign != '+' && block && l.at < len(l.source) && l.source[l.at] == '\n':
		l.move(1)
	}
}

// inside reads the tokens of a tag, up to its end.
func (l *lexer) inside(end string) {
	open := 0 // brackets
	begin := l.line
	for {
		l.skipBlanks()
		rest := l.source[l.at:]
		if rest == "" {
			failAt(begin, nil, "a tag does not end with %s", end)
		}
		if open == 0 && (strings.HasPrefix(rest, end) || strings.HasPrefix(rest[1:], end) && (rest[0] == '-' ||
			rest[0] == '+' && end == "%}")) {
			return
		}
		switch c := rest[0]; {
		case isName(c) && (c < '0' || c > '9'):
			n := 1
			for n < len(rest) && isName(rest[n]) {
				n++
			}
			l.add(nameToken, rest[:n])
			l.move(n)
		case c >= '0' && c <= '9':
			l.number(rest)
		case c == '"' || c == '\'':
			l.quoted(rest)
		default:
			n := 1
			if len(rest) > 1 && strings.Contains(" ** // == != <= >= ", " "+rest[:2]+" ") {
				n = 2
			} else if strings.IndexByte("+-*/%~<>=()[]{},.:|", c) < 0 {
				r, _ := utf8.DecodeRuneInString(rest)
				failAt(l.line, nil, "unexpected character %q", r)
			}
			switch c {
			case '(', '[', '{':
				open++
			case ')', ']', '}':
				open--
			}
			l.add(opToken, rest[:n])
			l.move(n)
		}
	}
}

// isName reports whether a byte may be part of a name.
func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) number(rest string) {
	digits := func(n int) int {
		for n < len(rest) && (isDigit(rest[n]) || rest[n] == '_') {
			n++
		}
		return n
	}
	kind, n := intToken, digits(0)
	if n+1 < len(rest) && rest[n] == '.' && isDigit(rest[n+1]) {
		kind, n = floatToken, digits(n+1)
	}
	if n+1 < len(rest) && rest[n]|0x20 == 'e' {
		e := n + 1
		if rest[e] == '+' || rest[e] == '-' {
			e++
		}
		if e < len(rest) && isDigit(rest[e]) {
			kind, n = floatToken, digits(e)
		}
	}
	l.add(kind, strings.ReplaceAll(rest[:n], "_", ""))
	l.move(n)
}

func (l *lexer) quoted(rest string) {
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == rest[0]:
			l.add(stringToken, b.String())
			l.move(i + 1)
			return
		case c == '\\' && i+1 < len(rest):
			i += escape(&b, rest[i+1:])
		default:
			b.WriteByte(c)
		}
	}
	failAt(l.line, nil, "a string does not end")
}

// escape writes the character that an escape stands for, and returns how long it is behind the
// backslash.
func escape(b *strings.Builder, rest string) int {
	if i := strings.IndexByte(`abfnrtv\'"`, rest[0]); i >= 0 {
		b.WriteByte("\a\b\f\n\r\t\v\\'\""[i])
		return 1
	}
	digits := 0
	switch rest[0] {
	case '\n':
		return 1
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	var r rune
	if digits > 0 && len(rest) > digits {
		if _, err := fmt.Sscanf(rest[1:1+digits], "%x", &r); err == nil {
			b.WriteRune(r)
			return 1 + digits
		}
	}
	b.WriteByte('\\') // as Python keeps what it does not know
	b.WriteByte(rest[0])
	return 1
}
