package sanitizer

import (
	"fmt"
	"io"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// Text writes findings in the form of the compiler's errors: place, message, the source line with a
// caret under it, and notes for the access, for the other one and for the advice. source returns
// the text of a file, "" if it is unknown; then, or if source is nil, there are places only.
func Text(w io.Writer, findings []*Finding, source func(file string) string) error {
	t := sources{files: diag.NewFileSet(), known: map[string]*diag.File{}, text: source}
	for _, f := range findings {
		if err := diag.Text(w, t.files, []diag.Diagnostic{t.diagnostic(f)}); err != nil {
			return err
		}
	}
	return nil
}

// sources holds the files of findings.
type sources struct {
	files *diag.FileSet
	known map[string]*diag.File
	text  func(file string) string
}

// pos returns a place in the files; NoPos if its text is unknown.
func (t *sources) pos(p Place) diag.Pos {
	if p.Line == 0 || t.text == nil {
		return diag.NoPos
	}
	f, ok := t.known[p.File]
	if !ok {
		if text := t.text(p.File); text != "" && len(text) < t.files.Room() {
			f = t.files.AddFile(p.File, text)
		}
		t.known[p.File] = f
	}
	if f == nil || p.Line > f.LineCount() {
		return diag.NoPos
	}
	return f.Pos(f.LineStart(p.Line) + min(max(p.Column-1, 0), len(f.Line(p.Line))))
}

// at returns a place in the files, and the text that names it if it has none.
func (t *sources) at(p Place, message string) (diag.Pos, string) {
	pos := t.pos(p)
	if pos == diag.NoPos && p.Line != 0 {
		return pos, fmt.Sprintf("%v: %s", p, message)
	}
	return pos, message
}

func (t *sources) diagnostic(f *Finding) diag.Diagnostic {
	d := diag.Diagnostic{Code: diag.Code(f.Kind.String())}
	d.Pos, d.Message = t.at(f.Place, f.Message)
	d = d.WithNote(diag.NoPos, diag.NoPos, "%s %s", f.who(), f.what())
	if o := f.Other; o != nil {
		pos, text := t.at(o.Place, o.other()+" "+o.does())
		if pos != diag.NoPos {
			text += " here"
		}
		d = d.WithNote(pos, diag.NoPos, "%s", text)
	}
	if f.Advice != "" {
		d = d.WithNote(diag.NoPos, diag.NoPos, "%s", f.Advice)
	}
	return d
}
