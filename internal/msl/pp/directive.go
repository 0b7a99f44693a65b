package pp

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// directives are the directive names, for suggestions.
var directives = []string{"define", "elif", "elifdef", "elifndef", "else", "endif", "error", "if", "ifdef", "ifndef",
	"import",
	"include", "include_next", "line", "pragma", "undef", "warning"}

// directive processes the directive that begins with a #.
func (p *preprocessor) directive(s *source) {
	sc := s.scanner
	word := sc.NextOnLine()
	if word.Kind == token.EOF {
		return
	}
	if p.conditional(s, word) {
		return
	}
	if s.skipping {
		sc.SkipLine()
		return
	}
	if word.Kind == token.Int { // # 10 "file", as in preprocessed output
		p.line(sc, word, true)
		sc.SkipLine()
		return
	}
	switch word.Text {
	case "define":
		p.define(sc)
	case "undef":
		p.undef(sc)
	case "include", "include_next", "import":
		p.include(s, word)
		return // the line is consumed, and sc may no longer be the current source
	case "pragma":
		p.pragma(s, word)
	case "line":
		p.line(sc, word, false)
	case "error":
		p.sink.Errorf(diag.ErrorDirective, word.Pos, word.End(), "#error: %s", shorten(sc.RestOfLine()))
	case "warning":
		p.sink.Warnf(diag.WarningDirective, word.Pos, word.End(), "#warning: %s", shorten(sc.RestOfLine()))
	case "ident", "sccs":
	default:
		d := diag.Errorf(diag.UnknownDirective, word.Pos, word.End(), "unknown directive '#%s'", shorten(word.Text))
		if meant := diag.Suggest(word.Text, slices.Values(directives)); meant != "" && word.Kind == token.Ident {
			d.Message += "; did you mean '#" + meant + "'?"
			d.Fixes = []diag.Fix{{Pos: word.Pos, End: word.End(), Text: meant}}
		}
		p.sink.Report(d)
	}
	sc.SkipLine()
}

// endOfDirective warns about tokens after a complete directive.
func (p *preprocessor) endOfDirective(sc *token.Scanner, directive string) {
	if t := sc.NextOnLine(); t.Kind != token.EOF {
		p.sink.Warnf(diag.ExtraTokens, t.Pos, t.End(), "extra tokens at end of %s", directive)
		sc.SkipLine()
	}
}

// restOfLine returns the remaining tokens on the line.
func restOfLine(sc *token.Scanner) (toks []token.Token) {
	for t := sc.NextOnLine(); t.Kind != token.EOF; t = sc.NextOnLine() {
		toks = append(toks, t)
	}
	return toks
}

// line handles #line and, with marker, the # 10 "file" 1 that other preprocessors write.
func (p *preprocessor) line(sc *token.Scanner, word token.Token, marker bool) {
	bad := func(t token.Token, format string, args ...any) {
		p.sink.Errorf(diag.MalformedDirective, t.Pos, t.End(), format, args...)
	}
	toks := restOfLine(sc)
	if marker {
		toks = append([]token.Token{word}, toks...)
	} else {
		toks = p.expandLine(toks)
	}
	if len(toks) == 0 || toks[0].Kind != token.Int {
		bad(word, "#line requires a line number")
		return
	}
	number := 0
	for _, c := range []byte(toks[0].Text) {
		if c < '0' || c > '9' || number > 1<<30 {
			bad(toks[0], "#line requires a decimal line number up to 2147483647, not %s", toks[0])
			return
		}
		number = number*10 + int(c-'0')
	}
	if number > 1<<31-1 {
		bad(toks[0], "#line requires a decimal line number up to 2147483647, not %s", toks[0])
		return
	}
	name := ""
	if len(toks) > 1 {
		var err error
		name, _, err = token.Unquote(toks[1].Text)
		if toks[1].Kind != token.String || err != nil {
			bad(toks[1], "#line requires a file name in quotes, not %s", toks[1])
			return
		}
		if len(toks) > 2 && !marker {
			p.sink.Warnf(diag.ExtraTokens, toks[2].Pos, toks[2].End(), "extra tokens at end of #line")
		}
	}
	f := sc.File()
	if next := f.LineAt(sc.Offset()) + 1; next <= f.LineCount() {
		f.SetLine(f.LineStart(next), number, strings.ToValidUTF8(name, "?"))
	}
}
