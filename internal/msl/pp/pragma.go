package pp

import (
	"slices"

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

// obey executes a #pragma or _Pragma.
func (p *preprocessor) obey(word token.Token, toks []token.Token) {
	if len(toks) > 0 {
		switch toks[0].Text {
		case "push_macro", "pop_macro":
			p.pushPop(toks)
			return
		}
	}
	p.unrolling(word, toks)
	p.mathMode(toks)
	if p.opts.Pragma != nil {
		p.opts.Pragma(Pragma{word.Pos, toks})
	}
}

// pushPop handles push_macro("name"), which saves a macro's definition, and pop_macro("name"),
// which restores it.
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

// pragmaOperator tracks a _Pragma("...") in the output, given the next token. It returns true once
// the pragma is complete and has been executed and removed.
func (p *preprocessor) pragmaOperator(kind token.Kind) bool {
	wanted := [...]token.Kind{token.LParen, token.String, token.RParen}
	have := len(p.out) - p.operator
	if kind != wanted[have] {
		word := p.out[p.operator-1]
		p.sink.Errorf(diag.BadPragma, word.Pos, word.End(), "_Pragma needs a string in parentheses")
		p.out = slices.Delete(p.out, p.operator-1, p.operator)
		for i := p.operator - 1; i < len(p.out); i++ {
			p.out[i].Flags |= token.AfterMistake
		}
		p.operator = 0
		p.mistake = true
		return false
	}
	if kind != token.RParen {
		return false
	}
	word, text := p.out[p.operator-1], p.out[len(p.out)-1].Text
	p.out = p.out[:p.operator-1]
	p.operator = 0
	text, _, _ = token.Unquote(text) // an invalid string has been reported
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
