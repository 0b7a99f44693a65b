package diag

import (
	"encoding/json"
	"io"
	"unicode/utf8"
)

// jsonPlace is a range in a file. Lines and columns count from 1, columns in bytes; the end is
// exclusive.
type jsonPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

type jsonNote struct {
	Message string     `json:"message"`
	Place   *jsonPlace `json:"place,omitempty"`
}

type jsonFix struct {
	Place *jsonPlace `json:"place"`
	Text  string     `json:"text"`
}

type jsonDiagnostic struct {
	Code     Code       `json:"code,omitempty"`
	Severity string     `json:"severity"`
	Message  string     `json:"message"`
	Place    *jsonPlace `json:"place,omitempty"`
	Notes    []jsonNote `json:"notes,omitempty"`
	Fixes    []jsonFix  `json:"fixes,omitempty"`
}

// JSON writes diagnostics as an object whose member "diagnostics" is an array in list order. The
// notes include the macros that produced the text.
func JSON(w io.Writer, fs *FileSet, list []Diagnostic) error {
	out := struct {
		Diagnostics []jsonDiagnostic `json:"diagnostics"`
	}{make([]jsonDiagnostic, len(list))}
	for i, d := range list {
		j := jsonDiagnostic{Code: d.Code, Severity: d.Severity.String(), Message: d.Message,
			Place: fs.jsonPlace(d.Pos, d.End)}
		for _, n := range fs.allNotes(d) {
			j.Notes = append(j.Notes, jsonNote{n.Message, fs.jsonPlace(n.Pos, n.End)})
		}
		for _, f := range d.Fixes {
			if place := fs.jsonPlace(f.Pos, f.End); place != nil && f.Pos > 0 && f.End >= f.Pos {
				if f.End == f.Pos { // an insertion is empty
					place.EndLine, place.EndColumn = place.Line, place.Column
				}
				j.Fixes = append(j.Fixes, jsonFix{place, f.Text})
			}
		}
		out.Diagnostics[i] = j
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// allNotes returns notes for the macros that produced a diagnostic's text, followed by the
// diagnostic's own notes.
func (fs *FileSet) allNotes(d Diagnostic) []Note {
	var notes []Note
	for _, step := range fs.visibleSteps(d.Pos) {
		notes = append(notes, Note{Pos: step.Pos, Message: "in expansion of macro '" + step.Macro + "'"})
	}
	return append(notes, d.Notes...)
}

func (fs *FileSet) jsonPlace(pos, end Pos) *jsonPlace {
	start, stop := fs.Range(pos, end)
	f := fs.File(start)
	if f == nil {
		return nil
	}
	a, b := f.Position(f.Offset(start)), f.Position(min(f.Offset(stop), len(f.Text)))
	if b.File != a.File || b.Line < a.Line || b.Line == a.Line && b.Column <= a.Column {
		b = Position{a.File, a.Line, a.Column + 1}
	}
	return &jsonPlace{a.File, a.Line, a.Column, b.Line, b.Column}
}

// runes converts the columns of a place from bytes to characters.
func (fs *FileSet) runes(p *jsonPlace, pos, end Pos) {
	start, stop := fs.Range(pos, end)
	f := fs.File(start)
	column := func(at Pos) int {
		offset := min(f.Offset(at), len(f.Text))
		return utf8.RuneCountInString(f.Text[f.LineStart(f.LineAt(offset)):offset]) + 1
	}
	narrow := p.EndColumn == p.Column+1 && p.EndLine == p.Line
	empty := p.EndColumn == p.Column && p.EndLine == p.Line
	p.Column = column(start)
	switch {
	case empty:
		p.EndColumn = p.Column
	case narrow:
		p.EndColumn = p.Column + 1
	default:
		p.EndColumn = column(stop)
	}
}
