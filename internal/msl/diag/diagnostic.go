package diag

import "fmt"

// Severity says how serious a diagnostic is.
type Severity uint8

// The severities. The zero value is an error.
const (
	Error Severity = iota
	Warning
	Remark // an independent note
)

func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "note"
}

// Diagnostic is one message about the source.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Pos      Pos    // position of the caret
	End      Pos    // just past the underlined range; NoPos for the caret alone
	Message  string // one sentence in lower case
	Notes    []Note // further information, in order
	Fixes    []Fix  // a change that fixes the problem
}

// Note adds related information at another place: "declared here", "in instantiation of ...".
type Note struct {
	Pos     Pos
	End     Pos
	Message string
}

// Fix replaces the text from Pos to End; Pos equal to End inserts.
type Fix struct {
	Pos, End Pos
	Text     string
}

// WithNote returns the diagnostic with a note appended.
func (d Diagnostic) WithNote(pos, end Pos, format string, args ...any) Diagnostic {
	d.Notes = append(d.Notes[:len(d.Notes):len(d.Notes)], Note{pos, end, fmt.Sprintf(format, args...)})
	return d
}

// Errorf returns an error.
func Errorf(code Code, pos, end Pos, format string, args ...any) Diagnostic {
	return Diagnostic{Code: code, Pos: pos, End: end, Message: fmt.Sprintf(format, args...)}
}

// Warnf returns a warning.
func Warnf(code Code, pos, end Pos, format string, args ...any) Diagnostic {
	return Diagnostic{Code: code, Severity: Warning, Pos: pos, End: end, Message: fmt.Sprintf(format, args...)}
}
