package pp

import "github.com/puremetal/puremetal/internal/msl/token"

// mathMode handles #pragma METAL fp math_mode(safe), and relaxed and fast. The mode holds to the
// end of the block that begins with the pragma, or to the end of the program. Contraction needs no
// handling, because this compiler contracts nothing.
func (p *preprocessor) mathMode(toks []token.Token) {
	want := [...]string{"METAL", "fp", "math_mode", "(", "", ")"}
	if len(toks) != len(want) {
		return
	}
	for i, w := range want {
		if w != "" && toks[i].Text != w {
			return
		}
	}
	switch toks[4].Text {
	case "safe":
		p.math = token.SafeMath
	case "relaxed", "fast":
		p.math = token.FastMath
	}
}

// mathScope is what a brace is in.
type mathScope struct {
	math      token.Flags
	namespace bool // the brace begins a namespace: a pragma in it holds after it, too
}

// nest follows the braces of the output, whose last token is of a kind.
func (p *preprocessor) nest(kind token.Kind) {
	n := len(p.mathAround) - 1
	switch {
	case kind == token.LBrace:
		p.mathAround = append(p.mathAround, mathScope{p.math, p.namespace()})
	case kind == token.RBrace && n >= 0:
		if outer := p.mathAround[n]; !outer.namespace {
			p.math = outer.math
		}
		p.mathAround = p.mathAround[:n]
	}
}

// namespace reports whether the brace at the end of the output begins a namespace, or extern "C".
func (p *preprocessor) namespace() bool {
	i := len(p.out) - 2
	for i > 0 && (p.out[i].Kind == token.Ident || p.out[i].Kind == token.ColonColon) {
		i--
	}
	return i >= 0 && p.out[i].Kind == token.KwNamespace ||
		i > 0 && p.out[i].Kind == token.String && p.out[i-1].Kind == token.KwExtern
}
