package pp

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// substitution builds the replacement for one use of a macro.
type substitution struct {
	p    *preprocessor
	call *call
	id   diag.ExpansionID
	out  []token.Token

	// operand is where the last operand begins in out. If nothing follows, that operand was empty,
	// and what ## would join to it stays unchanged.
	operand int
	space   token.Flags // of an empty operand, for the next token
}

func (s *substitution) run() []token.Token {
	m := s.call.macro
	body := m.body
	s.out = s.p.alloc(len(body) + s.argumentTokens())
	skip := false // in a __VA_OPT__ that is omitted
	opt := -1     // the item that began the current __VA_OPT__
	start := 0    // where its tokens begin in out
	before := 0   // the operand before it
	for i := range body {
		if s.p.stopped {
			return nil
		}
		it := &body[i]
		if skip && it.op != opVaEnd {
			continue
		}
		switch it.op {
		case opToken:
			s.operate(it, s.place(it.tok, false))
		case opParam:
			s.param(it, i+1 < len(body) && body[i+1].paste)
		case opString:
			s.operate(it, s.stringify(s.call.args[it.param], it.tok))
		case opVaOpt, opVaString:
			opt, start, before = i, len(s.out), s.operand
			skip = len(s.call.expanded[len(m.params)-1]) == 0
		case opVaEnd:
			s.endVaOpt(&body[opt], start, before)
			skip = false
		}
	}
	return s.out
}

// argumentTokens estimates how many tokens the arguments produce.
func (s *substitution) argumentTokens() (n int) {
	for i := range s.call.args {
		n += max(len(s.call.args[i]), len(s.call.expanded[i]))
	}
	return min(n, s.p.budget)
}

// place gives a token of the body or an argument its position in this expansion.
func (s *substitution) place(t token.Token, argument bool) token.Token {
	t.Pos = s.p.fs.ExpansionPos(s.id, t.Pos, argument)
	return t
}

// operate adds a single-token operand.
func (s *substitution) operate(it *item, t token.Token) {
	if it.paste && s.operand < len(s.out) {
		s.paste(t, it)
		return
	}
	s.operand = len(s.out)
	t.Flags |= s.space
	s.space = 0
	s.out = append(s.out, t)
}

// empty adds an empty operand.
func (s *substitution) empty(it *item) {
	s.space |= it.tok.Flags & token.SpaceBefore
	if !it.paste {
		s.operand = len(s.out)
	}
}

// param adds an argument: as written next to ##, otherwise macro-expanded.
func (s *substitution) param(it *item, pasted bool) {
	m, c := s.call.macro, s.call
	arg := c.args[it.param]
	variadic := m.variadic && it.param == len(m.params)-1
	comma := it.paste && variadic && s.operand < len(s.out) && s.out[len(s.out)-1].Kind == token.Comma
	if !it.paste && !pasted {
		arg = c.expanded[it.param]
	}
	if !s.p.spend(len(arg), c.name) {
		return
	}
	if comma && c.elided { // the GNU extension ", ##__VA_ARGS__": without arguments, the comma is dropped
		s.out = s.out[:len(s.out)-1]
		s.operand = len(s.out)
		return
	}
	if len(arg) == 0 {
		s.empty(it)
		return
	}
	first := s.place(arg[0], true)
	if it.paste && !comma && s.operand < len(s.out) {
		s.paste(first, it)
	} else {
		first.Flags = first.Flags&token.NoExpand | it.tok.Flags&token.SpaceBefore | s.space
		if comma {
			first.Flags &^= token.SpaceBefore
		}
		s.operand = len(s.out)
		s.space = 0
		s.out = append(s.out, first)
	}
	for _, t := range arg[1:] {
		s.out = append(s.out, s.place(t, true))
	}
}

// endVaOpt ends a __VA_OPT__ whose tokens begin at start, after the operand at before.
func (s *substitution) endVaOpt(begin *item, start, before int) {
	toks := s.out[start:]
	s.operand = before
	if begin.op == opVaString {
		t := s.stringify(toks, begin.tok)
		s.out = s.out[:start]
		s.operate(begin, t)
		return
	}
	switch {
	case len(toks) == 0:
		s.empty(begin)
	case begin.paste && before < start:
		first := toks[0]
		rest := append([]token.Token(nil), toks[1:]...)
		s.out = s.out[:start]
		s.paste(first, begin)
		s.out = append(s.out, rest...)
	default:
		toks[0].Flags = toks[0].Flags&token.NoExpand | begin.tok.Flags&token.SpaceBefore
		s.operand = start
	}
}

// paste joins a token to the previous one.
func (s *substitution) paste(t token.Token, it *item) {
	last := &s.out[len(s.out)-1]
	text := last.Text + t.Text
	if !s.p.spend(len(text)/8, s.call.name) {
		return
	}
	kind, ok := token.Classify(text)
	if !ok {
		s.p.sink.Report(s.p.definedHere(diag.Errorf(diag.BadPaste, last.Pos, diag.NoPos,
			"pasting '%s' and '%s' does not form a valid token", shorten(last.Text), shorten(t.Text)), s.call.macro))
		s.operand = len(s.out)
		last.Flags |= token.AfterMistake
		t.Flags |= token.AfterMistake
		s.out = append(s.out, t)
		return
	}
	last.Kind, last.Text = kind, text
	last.Flags &^= token.NoExpand
	last.Pos = s.p.fs.ExpansionPos(s.id, it.tok.Pos, false)
}

// shorten truncates a text quoted in a message.
func shorten(text string) string {
	if len(text) > 80 {
		return text[:77] + "..."
	}
	return text
}

// stringify makes a string from tokens as written, with each run of white space as one space.
func (s *substitution) stringify(toks []token.Token, hash token.Token) token.Token {
	n := 2
	for _, t := range toks {
		n += len(t.Text) + 1
	}
	t := token.Token{Kind: token.String, Flags: hash.Flags, Pos: s.p.fs.ExpansionPos(s.id, hash.Pos, false), Text: `""`}
	if !s.p.spend(n/8, s.call.name) {
		return t
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteByte('"')
	for i, t := range toks {
		if i > 0 && t.Flags&(token.SpaceBefore|token.AtLineStart) != 0 {
			b.WriteByte(' ')
		}
		quoted := strings.ContainsAny(t.Text,
			`"'`) && (t.Kind == token.String || t.Kind == token.Char || t.Kind == token.Other)
		for j := range len(t.Text) {
			switch c := t.Text[j]; {
			case quoted && (c == '"' || c == '\\'):
				b.WriteByte('\\')
				b.WriteByte(c)
			case c == '\n': // in a raw string
				b.WriteString(`\n`)
			default:
				b.WriteByte(c)
			}
		}
	}
	b.WriteByte('"')
	t.Text = b.String()
	if kind, ok := token.Classify(t.Text); !ok || kind != token.String {
		s.p.sink.Report(s.p.definedHere(diag.Errorf(diag.BadPaste, s.call.name.Pos, s.call.name.End(),
			"'#' does not form a valid string literal from the argument"), s.call.macro))
		t.Text = `""`
	}
	return t
}
