package pp

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

const (
	vaArgs = "__VA_ARGS__"
	vaOpt  = "__VA_OPT__"
)

// maxParams is the maximum number of macro parameters.
const maxParams = 4096

// define handles #define.
func (p *preprocessor) define(sc *token.Scanner) {
	name, ok := p.macroName(sc, "#define")
	if !ok {
		return
	}
	m := &macro{name: name.Text, pos: name.Pos}
	if sc.TouchesLParen() {
		sc.NextOnLine()
		m.function = true
		if !p.params(sc, m, name) {
			return
		}
	}
	var body []token.Token
	for t := sc.NextOnLine(); t.Kind != token.EOF; t = sc.NextOnLine() {
		body = append(body, t)
	}
	if !m.function && len(body) > 0 && body[0].Flags&token.SpaceBefore == 0 {
		p.sink.Warnf(diag.MalformedMacro, body[0].Pos, body[0].End(), "whitespace required after macro name '%s'",
			m.name)
	}
	if !p.compile(m, body) {
		return
	}
	m.language = p.predefining && p.opts.Dialect != nil
	old := p.macros[m.name]
	if old != nil && old.language && strings.HasPrefix(sc.File().Name, "<") && !p.predefining {
		return // a header of Metal's, by the name that it has in the language too
	}
	if old != nil && old.builtin == notBuiltin && !old.same(m) && !p.predefining {
		p.sink.Report(diag.Warnf(diag.MacroRedefined, name.Pos, name.End(), "macro '%s' redefined", m.name).
			WithNote(old.pos, diag.NoPos, "previous definition is here"))
	}
	p.macros[m.name] = m
}

// macroName reads the name after #define, #undef, #ifdef or #ifndef.
func (p *preprocessor) macroName(sc *token.Scanner, directive string) (token.Token, bool) {
	name := sc.NextOnLine()
	switch {
	case name.Kind == token.EOF:
		p.sink.Errorf(diag.MalformedDirective, name.Pos, diag.NoPos, "macro name missing in %s", directive)
		return name, false
	case name.Kind != token.Ident || p.opts.Dialect.Keyword(name.Text).IsOperator():
		p.sink.Errorf(diag.MalformedDirective, name.Pos, name.End(),
			"macro name in %s must be an identifier, not %s", directive,
			name)
		return name, false
	}
	if directive == "#define" || directive == "#undef" {
		switch m := p.macros[name.Text]; {
		case name.Text == "defined", name.Text == vaArgs, name.Text == vaOpt:
			p.sink.Errorf(diag.ReservedMacro, name.Pos, name.End(), "'%s' cannot be used as a macro name", name.Text)
			return name, false
		case m != nil && m.builtin != notBuiltin:
			p.sink.Warnf(diag.ReservedMacro, name.Pos, name.End(), "%s of built-in macro '%s'", directive, name.Text)
		}
	}
	return name, true
}

// params reads a macro's parameters up to the closing parenthesis.
func (p *preprocessor) params(sc *token.Scanner, m *macro, name token.Token) bool {
	bad := func(t token.Token, format string, args ...any) bool {
		p.sink.Errorf(diag.MalformedMacro, t.Pos, t.End(), format, args...)
		return false
	}
	t := sc.NextOnLine()
	if t.Kind == token.RParen {
		return true
	}
	for {
		switch {
		case t.Kind == token.Ellipsis:
			m.variadic = true
			m.params = append(m.params, vaArgs)
			t = sc.NextOnLine()
		case t.Kind == token.EOF:
			return bad(name, "missing ')' in parameter list of macro '%s'", m.name)
		case t.Kind != token.Ident:
			return bad(t, "expected a parameter name in macro '%s', not %s", m.name, t)
		case t.Text == vaArgs || t.Text == vaOpt:
			p.sink.Errorf(diag.MisplacedVariadic, t.Pos, t.End(), "'%s' cannot be used as a macro parameter name", t.Text)
			return false
		case slices.Contains(m.params, t.Text):
			return bad(t, "macro '%s' has duplicate parameter name '%s'", m.name, t.Text)
		default:
			m.params = append(m.params, t.Text)
			if t = sc.NextOnLine(); t.Kind == token.Ellipsis { // the GNU extension args...
				m.variadic = true
				t = sc.NextOnLine()
			}
		}
		switch {
		case t.Kind == token.RParen:
			return true
		case t.Kind == token.EOF:
			return bad(name, "missing ')' in parameter list of macro '%s'", m.name)
		case t.Kind != token.Comma || m.variadic:
			return bad(t, "expected ')' in parameter list of macro '%s', not %s", m.name, t)
		case len(m.params) == maxParams:
			return bad(t, "macro '%s' has more than %d parameters", m.name, maxParams)
		}
		t = sc.NextOnLine()
	}
}

// compile converts the tokens of a body to items.
func (p *preprocessor) compile(m *macro, body []token.Token) bool {
	m.expand = make([]bool, len(m.params))
	m.body = make([]item, 0, len(body))
	m.plain = true
	index := func(t token.Token) int {
		if !m.function || t.Kind != token.Ident {
			return -1
		}
		return slices.Index(m.params, t.Text)
	}
	if len(m.params) > 8 { // beyond that, a map is faster than a linear search
		at := make(map[string]int, len(m.params))
		for i, name := range m.params {
			at[name] = i
		}
		index = func(t token.Token) int {
			if i, ok := at[t.Text]; ok && t.Kind == token.Ident {
				return i
			}
			return -1
		}
	}
	depth, paste := 0, false // depth counts parentheses within __VA_OPT__
	for i := 0; i < len(body); i++ {
		t := body[i]
		t.Flags &^= token.AtLineStart
		it := item{tok: t, paste: paste, param: -1}
		switch {
		case t.Kind == token.HashHash:
			if len(m.body) == 0 || i == len(body)-1 || paste ||
				depth > 0 && (m.body[len(m.body)-1].op == opVaOpt || m.body[len(m.body)-1].op == opVaString || depth == 1 &&
					body[i+1].Kind == token.RParen) {
				p.sink.Errorf(diag.MalformedMacro, t.Pos, t.End(), "'##' cannot appear at start or end of macro '%s'", m.name)
				return false
			}
			paste, m.plain = true, false
			continue
		case t.Kind == token.Hash && m.function:
			if i+1 < len(body) && body[i+1].Is(vaOpt) && m.variadic {
				it.op = opVaString
				i++
				break
			}
			if i+1 < len(body) {
				it.param = index(body[i+1])
			}
			if it.param < 0 {
				p.sink.Errorf(diag.MalformedMacro, t.Pos, t.End(), "'#' is not followed by a parameter of macro '%s'", m.name)
				return false
			}
			it.op = opString
			i++
		case t.Is(vaOpt):
			it.op = opVaOpt
		case index(t) >= 0:
			it.op, it.param = opParam, index(t)
		case t.Is(vaArgs):
			p.sink.Errorf(diag.MisplacedVariadic, t.Pos, t.End(), "'%s' in macro '%s', which is not variadic", t.Text,
				m.name)
			return false
		case depth > 0 && t.Kind == token.LParen:
			depth++
		case depth > 0 && t.Kind == token.RParen:
			if depth--; depth == 0 {
				it.op = opVaEnd
			}
		}
		if it.op == opVaOpt || it.op == opVaString {
			switch {
			case !m.variadic:
				p.sink.Errorf(diag.MisplacedVariadic, t.Pos, t.End(), "'%s' in macro '%s', which is not variadic", vaOpt,
					m.name)
				return false
			case depth > 0:
				p.sink.Errorf(diag.MisplacedVariadic, t.Pos, t.End(), "'%s' cannot be nested", vaOpt)
				return false
			case i+1 == len(body) || body[i+1].Kind != token.LParen:
				p.sink.Errorf(diag.MisplacedVariadic, t.Pos, t.End(), "missing '(' after '%s'", vaOpt)
				return false
			}
			depth = 1
			i++
			m.expand[len(m.params)-1] = true
		}
		m.plain = m.plain && it.op == opToken
		paste = false
		m.body = append(m.body, it)
	}
	if depth > 0 {
		p.sink.Errorf(diag.MisplacedVariadic, m.pos, diag.NoPos, "unterminated '%s' in macro '%s'", vaOpt, m.name)
		return false
	}
	for i, it := range m.body {
		if it.op == opParam && !it.paste && (i+1 == len(m.body) || !m.body[i+1].paste) {
			m.expand[it.param] = true
		}
	}
	return true
}

// undef handles #undef.
func (p *preprocessor) undef(sc *token.Scanner) {
	if name, ok := p.macroName(sc, "#undef"); ok {
		delete(p.macros, name.Text)
		p.endOfDirective(sc, "#undef")
	}
}
