package pp

import (
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// text formats tokens as source, with a space for each white space and without newlines.
func text(toks []token.Token) string {
	var b strings.Builder
	for _, t := range toks {
		if t.Kind == token.EOF {
			break
		}
		if b.Len() > 0 && t.Flags&(token.SpaceBefore|token.AtLineStart) != 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// process preprocesses a text called "a.metal".
func process(t testing.TB, src string, opts Options) ([]token.Token, []diag.Diagnostic, *diag.FileSet) {
	t.Helper()
	fs := diag.NewFileSet()
	sink := diag.NewSink()
	toks := Process(fs, fs.AddFile("a.metal", src), opts, sink)
	return toks, sink.Diagnostics(), fs
}
