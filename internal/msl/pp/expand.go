package pp

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// call is a use of a function-like macro.
type call struct {
	macro    *macro
	name     token.Token
	args     [][]token.Token // as written
	expanded [][]token.Token // with macros expanded, where needed
	next     int             // the argument to expand next
	elided   bool            // "..." received no argument, not even an empty one
}

// use expands a macro. It returns false if a function-like macro is used without arguments, so that
// its name is just a name.
func (p *preprocessor) use(m *macro, name token.Token) bool {
	switch {
	case m.builtin != notBuiltin:
		return p.useBuiltin(m, name)
	case !m.function:
		if len(m.body) > 0 && p.spend(len(m.body), name) {
			id := p.fs.NewExpansion(m.name, m.pos, name.Pos)
			p.enter(m, name, p.instantiate(m, name, id))
		} else {
			p.spend(1, name) // a use takes time even if it expands to nothing
			p.carry |= name.Flags &^ token.NoExpand
		}
		return true
	case !p.peekLParen():
		return false
	}
	args, ok := p.arguments(m, name)
	if !ok {
		return true
	}
	elided := m.variadic && (p.elided || len(args) == 1 && len(args[0]) == 0)
	p.advance(&call{macro: m, name: name, args: args, expanded: make([][]token.Token, len(args)), elided: elided})
	return true
}

// enter pushes the expansion of a macro in front of all other tokens.
func (p *preprocessor) enter(m *macro, name token.Token, toks []token.Token) {
	if len(toks) == 0 {
		p.carry |= name.Flags &^ token.NoExpand
		return
	}
	toks[0].Flags = toks[0].Flags&token.NoExpand | name.Flags&^token.NoExpand
	p.push(context{toks: toks, macro: m}, name)
}

// instantiate returns the body of an object-like macro.
func (p *preprocessor) instantiate(m *macro, name token.Token, id diag.ExpansionID) []token.Token {
	if !m.plain {
		s := substitution{p: p, call: &call{macro: m, name: name}, id: id}
		return s.run()
	}
	toks := p.alloc(len(m.body))
	for i := range m.body {
		t := m.body[i].tok
		t.Pos = p.fs.ExpansionPos(id, t.Pos, false)
		toks = append(toks, t)
	}
	return toks
}

// peekLParen reports whether the next token is a left parenthesis, without consuming it.
func (p *preprocessor) peekLParen() bool {
	for i := len(p.contexts) - 1; i >= 0; i-- {
		c := &p.contexts[i]
		if c.i < len(c.toks) {
			return c.toks[c.i].Kind == token.LParen
		}
		if c.argument {
			return false
		}
	}
	return len(p.files) > 0 && p.files[len(p.files)-1].scanner.PeekLParen()
}

// arguments reads a macro's arguments, from the left to the right parenthesis.
func (p *preprocessor) arguments(m *macro, name token.Token) ([][]token.Token, bool) {
	p.next() // the left parenthesis
	var all []token.Token
	ends := make([]int, 0, len(m.params)+1) // end of each argument in all
	for depth := 1; depth > 0; {
		t, ok := p.next()
		if !ok {
			if !p.stopped {
				p.sink.Report(p.definedHere(diag.Errorf(diag.UnterminatedInvocation, name.Pos, name.End(),
					"unterminated argument list of macro '%s'", m.name), m))
				p.mistake = true
			}
			return nil, false
		}
		if !p.spend(1, name) {
			return nil, false
		}
		switch t.Kind {
		case token.LParen:
			depth++
		case token.RParen:
			if depth--; depth == 0 {
				continue
			}
		case token.Comma:
			if depth == 1 && (!m.variadic || len(ends) < len(m.params)-1) {
				ends = append(ends, len(all))
				continue
			}
		case token.Ident:
			if o := p.macros[t.Text]; o != nil && o.active > 0 {
				t.Flags |= token.NoExpand
			}
		}
		if t.Flags&token.AtLineStart != 0 {
			t.Flags = t.Flags&^token.AtLineStart | token.SpaceBefore
		}
		all = append(all, t)
	}
	ends = append(ends, len(all))
	given := len(ends)
	p.elided = false
	switch {
	case given == 1 && len(m.params) == 0 && len(all) == 0:
		return nil, true
	case given == len(m.params)-1 && m.variadic:
		ends = append(ends, len(all))
		p.elided = true
	case given != len(m.params):
		what := "few"
		if given > len(m.params) {
			what = "many"
		}
		p.sink.Report(p.definedHere(diag.Errorf(diag.MacroArguments, name.Pos, name.End(),
			"too %s arguments provided to macro '%s': %d given, %d expected", what, m.name, given, len(m.params)), m))
		// Substituting a value usually keeps the surroundings well formed.
		zero := token.Token{Kind: token.Int, Flags: name.Flags, Pos: name.Pos, Text: "0"}
		p.push(context{toks: []token.Token{zero}}, name)
		return nil, false
	}
	args := make([][]token.Token, len(ends))
	start := 0
	for i, end := range ends {
		args[i] = all[start:end:end]
		start = end
	}
	return args, true
}

// definedHere adds a note with the macro's definition.
func (p *preprocessor) definedHere(d diag.Diagnostic, m *macro) diag.Diagnostic {
	if m.pos.IsValid() {
		d = d.WithNote(m.pos, m.pos+diag.Pos(len(m.name)), "macro '%s' is defined here", m.name)
	}
	return d
}

// advance expands the next argument of a call separately or, after the last, replaces the call by
// the macro's body.
func (p *preprocessor) advance(c *call) {
	m := c.macro
	for ; c.next < len(c.args); c.next++ {
		i := c.next
		if !m.expand[i] {
			continue
		}
		if !p.hasMacro(c.args[i]) {
			c.expanded[i] = c.args[i]
			continue
		}
		c.next++
		if p.spend(len(c.args[i]), c.name) {
			p.push(context{toks: c.args[i], argument: true, call: c, index: i}, c.name)
		}
		return
	}
	s := substitution{p: p, call: c, id: p.fs.NewExpansion(m.name, m.pos, c.name.Pos)}
	toks := s.run()
	if p.spend(1+len(toks), c.name) {
		p.enter(m, c.name, toks)
	}
}

// hasMacro reports whether a list contains a token that may be expanded.
func (p *preprocessor) hasMacro(toks []token.Token) bool {
	for _, t := range toks {
		if t.Kind == token.Ident && t.Flags&token.NoExpand == 0 &&
			(p.macros[t.Text] != nil || p.condition && t.Text == "defined") {
			return true
		}
	}
	return false
}
