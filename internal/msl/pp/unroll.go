package pp

import (
	"github.com/puremetal/puremetal/internal/msl/token"
)

// unrolling handles the pragmas that set a loop's unroll factor: unroll, nounroll, GCC unroll and
// clang loop. They become the attribute [[unroll]] in front of the following loop, with the factor,
// if any, in parentheses. The factor is an expression that only the checker can evaluate.
func (p *preprocessor) unrolling(word token.Token, toks []token.Token) {
	factor, ok := p.unrollFactor(toks)
	if !ok {
		return
	}
	add := func(kind token.Kind, text string) {
		p.unroll = append(p.unroll, token.Token{Kind: kind, Pos: word.Pos, Text: text})
	}
	p.unroll = nil
	add(token.LBrack, "[")
	add(token.LBrack, "[")
	add(token.Ident, "unroll")
	if len(factor) > 0 {
		add(token.LParen, "(")
		p.unroll = append(p.unroll, factor...)
		add(token.RParen, ")")
	}
	add(token.RBrack, "]")
	add(token.RBrack, "]")
}

// unrollFactor returns the factor given by a pragma; an empty one means full unrolling.
func (p *preprocessor) unrollFactor(toks []token.Token) (factor []token.Token, ok bool) {
	once := func(at token.Token) []token.Token {
		return []token.Token{{Kind: token.Int, Pos: at.Pos, Text: "1"}}
	}
	text := func(i int) string {
		if i < len(toks) {
			return toks[i].Text
		}
		return ""
	}
	switch {
	case text(0) == "nounroll" && len(toks) == 1:
		return once(toks[0]), true
	case text(0) == "unroll":
		return p.factor(toks[1:])
	case text(0) == "GCC" && text(1) == "unroll" && len(toks) > 2:
		return p.factor(toks[2:])
	case text(0) != "clang" || text(1) != "loop":
		return nil, false
	}
	for i := 2; i+2 < len(toks); {
		end := i + 2
		for depth := 1; end < len(toks); end++ {
			switch toks[end].Kind {
			case token.LParen:
				depth++
			case token.RParen:
				depth--
			}
			if depth == 0 {
				break
			}
		}
		switch {
		case text(i+1) != "(" || end == len(toks):
			return nil, false
		case text(i) == "unroll" && text(i+2) == "disable":
			return once(toks[i+2]), true
		case text(i) == "unroll":
			factor, ok = nil, true
		case text(i) == "unroll_count":
			return p.factor(toks[i+2 : end])
		}
		i = end + 1
	}
	return factor, ok
}

// factor macro-expands a factor. It returns false if the result cannot be put in parentheses.
func (p *preprocessor) factor(toks []token.Token) ([]token.Token, bool) {
	if p.hasMacro(toks) {
		toks = p.expandLine(toks)
	}
	out := make([]token.Token, len(toks))
	depth := 0
	for i, t := range toks {
		t.Flags &^= token.AtLineStart
		if i == 0 {
			t.Flags &^= token.SpaceBefore
		}
		switch t.Kind {
		case token.LParen:
			depth++
		case token.RParen:
			if depth--; depth < 0 {
				return nil, false
			}
		case token.Ident:
			t.Kind = p.opts.Dialect.Keyword(t.Text)
		case token.Int:
			if _, err := token.ParseInt(t.Text); err != nil {
				return nil, false
			}
		case token.LBrack, token.RBrack, token.LBrace, token.RBrace, token.Semi, token.Comma, token.Hash, token.HashHash,
			token.Other,
			token.Float, token.Char, token.String:
			return nil, false
		}
		out[i] = t
	}
	return out, depth == 0
}

// beforeLoop puts the attribute from a pragma in front of the loop that begins with t; before
// anything else, the pragma has no effect.
func (p *preprocessor) beforeLoop(t *token.Token) {
	switch t.Kind {
	case token.KwFor, token.KwWhile, token.KwDo:
		p.unroll[0].Flags = t.Flags & (token.AtLineStart | token.SpaceBefore)
		t.Flags = t.Flags&^token.AtLineStart | token.SpaceBefore
		p.out = append(p.out, p.unroll...)
	}
	p.unroll = nil
}
