package diag

import "fmt"

// Severity says how bad it is.
type Severity uint8

// The severities. The zero value is an error.
const (
	Error Severity = iota
	Warning
	Remark // a note that stands alone
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

// Diagnostic is one thing to say about the source.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Pos      Pos    // where the caret stands
	End      Pos    // just behind what is underlined; NoPos for the caret alone
	Message  string // one sentence in lower case
	Notes    []Note // what else the reader should see, in order
	Fixes    []Fix  // a change that would make it right
}

// Note adds to a diagnostic what stands elsewhere: "declared here", "in instantiation of ...".
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

// WithNote adds a note.
func (d Diagnostic) WithNote(pos, end Pos, format string, args ...any) Diagnostic {
	d.Notes = append(d.Notes[:len(d.Notes):len(d.Notes)], Note{pos, end, fmt.Sprintf(format, args...)})
	return d
}

// Errorf makes an error.
func Errorf(code Code, pos, end Pos, format string, args ...any) Diagnostic {
	return Diagnostic{Code: code, Pos: pos, End: end, Message: fmt.Sprintf(format, args...)}
}

// Warnf makes a warning.
func Warnf(code Code, pos, end Pos, format string, args ...any) Diagnostic {
	return Diagnostic{Code: code, Severity: Warning, Pos: pos, End: end, Message: fmt.Sprintf(format, args...)}
}
