package pp

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// conditional is an open #if.
type conditional struct {
	pos     diag.Pos // of the directive's name
	word    string
	outside bool // the whole conditional is in skipped code
	taken   bool // one of its branches was taken
	elsed   bool // #else has been seen
}

// conditional handles a directive for conditional inclusion. It returns false for other directives.
func (p *preprocessor) conditional(s *source, word token.Token) bool {
	sc := s.scanner
	if word.Kind != token.Ident {
		return false
	}
	switch word.Text {
	case "if", "ifdef", "ifndef":
		if len(s.conditionals) >= p.depth {
			p.stop(diag.NestedTooDeeply, word.Pos, word.End(), "conditionals are nested more than %d deep", p.depth)
			return true
		}
		c := conditional{pos: word.Pos, word: word.Text, outside: s.skipping}
		if !c.outside {
			c.taken = p.decide(s, word)
		}
		s.conditionals = append(s.conditionals, c)
		s.skipping = c.outside || !c.taken
	case "elif", "elifdef", "elifndef", "else", "endif":
		if len(s.conditionals) == 0 {
			p.sink.Errorf(diag.UnbalancedIf, word.Pos, word.End(), "#%s without #if", word.Text)
			break
		}
		c := &s.conditionals[len(s.conditionals)-1]
		if word.Text == "endif" {
			s.skipping = c.outside
			s.conditionals = s.conditionals[:len(s.conditionals)-1]
			if !s.skipping {
				p.endOfDirective(sc, "#endif")
			}
			break
		}
		if c.elsed {
			p.sink.Report(diag.Errorf(diag.UnbalancedIf, word.Pos, word.End(), "#%s after #else", word.Text).
				WithNote(c.pos, c.pos+diag.Pos(len(c.word)), "conditional started here"))
		}
		keep := false
		if word.Text == "else" {
			c.elsed = true
			keep = !c.outside && !c.taken
			if !c.outside {
				p.endOfDirective(sc, "#else")
			}
		} else if !c.outside && !c.taken && !c.elsed {
			keep = p.decide(s, word)
		}
		c.taken = c.taken || keep
		s.skipping = !keep
	default:
		return false
	}
	sc.SkipLine()
	return true
}

// decide reports whether the condition of a directive is true.
func (p *preprocessor) decide(s *source, word token.Token) bool {
	switch word.Text {
	case "if", "elif":
		toks := restOfLine(s.scanner)
		p.condition = true
		toks = p.expandLine(toks)
		p.condition = false
		if p.stopped {
			return false
		}
		return p.evaluate(word, toks)
	}
	name, ok := p.macroName(s.scanner, "#"+word.Text)
	if !ok {
		return false
	}
	p.endOfDirective(s.scanner, "#"+word.Text)
	return p.isDefined(name.Text) == (word.Text == "ifdef" || word.Text == "elifdef")
}

// isDefined reports whether a name is a macro.
func (p *preprocessor) isDefined(name string) bool { return p.macros[name] != nil }

// defined replaces "defined X" and "defined(X)" with 1 or 0.
func (p *preprocessor) defined(word token.Token) token.Token {
	result := token.Token{Kind: token.Int, Flags: word.Flags, Pos: word.Pos, Text: "0"}
	t, ok := p.next()
	paren := ok && t.Kind == token.LParen
	if paren {
		t, ok = p.next()
	}
	if !ok || t.Kind != token.Ident {
		p.sink.Errorf(diag.BadCondition, word.Pos, word.End(), "macro name missing after 'defined'")
		return result
	}
	if p.isDefined(t.Text) {
		result.Text = "1"
	}
	if paren {
		if t, ok = p.next(); !ok || t.Kind != token.RParen {
			p.sink.Errorf(diag.BadCondition, word.Pos, word.End(), "missing ')' after 'defined'")
		}
	}
	return result
}
