package pp

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// pragma handles #pragma.
func (p *preprocessor) pragma(s *source, word token.Token) {
	toks := restOfLine(s.scanner)
	if len(toks) == 1 && toks[0].Text == "once" {
		switch {
		case s.path != "":
			p.once[s.path] = true
		case len(p.files) == 1 && !p.predefining:
			p.sink.Warnf(diag.BadPragma, word.Pos, word.End(), "#pragma once in the main file")
		}
		return
	}
	p.obey(word, toks)
}

// obey does what a #pragma or _Pragma says.
func (p *preprocessor) obey(word token.Token, toks []token.Token) {
	if len(toks) > 0 {
		switch toks[0].Text {
		case "push_macro", "pop_macro":
			p.pushPop(toks)
			return
		}
	}
	if p.opts.Pragma != nil {
		p.opts.Pragma(Pragma{word.Pos, toks})
	}
}

// pushPop handles push_macro("name"), which saves the meaning of a name, and pop_macro("name"), which restores it.
func (p *preprocessor) pushPop(toks []token.Token) {
	word := toks[0]
	name := ""
	if len(toks) == 4 && toks[1].Kind == token.LParen && toks[2].Kind == token.String && toks[3].Kind == token.RParen {
		name, _, _ = token.Unquote(toks[2].Text)
	}
	if name == "" {
		p.sink.Warnf(diag.BadPragma, word.Pos, word.End(), "#pragma %s needs a name as in %s(\"name\")", word.Text, word.Text)
		return
	}
	saved := p.pushed[name]
	if word.Text == "push_macro" {
		if p.pushed == nil {
			p.pushed = make(map[string][]*macro)
		}
		p.pushed[name] = append(saved, p.macros[name])
		return
	}
	if len(saved) == 0 {
		p.sink.Warnf(diag.BadPragma, word.Pos, word.End(), "#pragma pop_macro(\"%s\") without push_macro", shorten(name))
		return
	}
	m := saved[len(saved)-1]
	p.pushed[name] = saved[:len(saved)-1]
	if m == nil {
		delete(p.macros, name)
	} else {
		p.macros[name] = m
	}
}

// pragmaOperator carries out _Pragma("...") when the output, with the parenthesis to come, ends with one.
func (p *preprocessor) pragmaOperator() bool {
	n := len(p.out)
	if n < 3 || !p.out[n-3].Is("_Pragma") || p.out[n-2].Kind != token.LParen || p.out[n-1].Kind != token.String {
		return false
	}
	word := p.out[n-3]
	text, _, err := token.Unquote(p.out[n-1].Text)
	p.out = p.out[:n-3]
	if err != nil {
		return true
	}
	f := p.fs.AddIncluded("<_Pragma>", text, p.fs.Resolve(word.Pos))
	toks := restOfLine(token.NewScanner(f, nil))
	if len(toks) == 1 && toks[0].Text == "once" && len(p.files) > 0 {
		if s := p.files[len(p.files)-1]; s.path != "" {
			p.once[s.path] = true
		}
		return true
	}
	p.obey(word, toks)
	return true
}
