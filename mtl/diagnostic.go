package mtl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/objc"
)

// Severity is the severity of a [Diagnostic].
type Severity uint8

// The severities, mildest first.
const (
	SeverityNote Severity = iota
	SeverityRemark
	SeverityWarning
	SeverityError
	SeverityFatal
)

var severityNames = [...]string{"note", "remark", "warning", "error", "fatal error"}

// String returns the word that the compiler prints.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// Diagnostic is one message of the Metal compiler.
type Diagnostic struct {
	File         string // "program_source" for source text
	Line, Column int    // starting at 1; Column is 0 if the compiler names none
	Severity     Severity
	Message      string
	Excerpt      string // the lines that follow: the source line and a caret
}

// String formats the diagnostic as in "program_source:3:5: error: text".
func (d Diagnostic) String() string {
	at := fmt.Sprintf("%s:%d", d.File, d.Line)
	if d.Column > 0 {
		at += fmt.Sprintf(":%d", d.Column)
	}
	return fmt.Sprintf("%s: %v: %s", at, d.Severity, d.Message)
}

// CompileError reports source that the Metal compiler rejected. It wraps Metal's *[objc.Error].
type CompileError struct {
	Diagnostics []Diagnostic // in the compiler's order; empty if its text has another format
	Settings    CompileSettings
	Err         error
}

// Error gives the first error and the number of further diagnostics.
func (e *CompileError) Error() string {
	for _, d := range e.Diagnostics {
		if d.Severity < SeverityError {
			continue
		}
		more := ""
		if n := len(e.Diagnostics) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		return fmt.Sprintf("mtl: source does not compile as %v: %v%s", e.Settings.LanguageVersion, d, more)
	}
	return fmt.Sprintf("mtl: source does not compile as %v: %v", e.Settings.LanguageVersion, e.Err)
}

// Unwrap returns Metal's error.
func (e *CompileError) Unwrap() error { return e.Err }

// libraryDomain is the domain of the compiler's errors.
const libraryDomain = "MTLLibraryErrorDomain"

// compileError converts an error of the compiler; it returns other errors, and nil, unchanged.
func compileError(err error, s CompileSettings) error {
	var e *objc.Error
	if !errors.As(err, &e) || e.Domain != libraryDomain || e.Code != int(LibraryErrorCompileFailure) {
		return err
	}
	return &CompileError{Diagnostics: parseDiagnostics(e.Description), Settings: s, Err: err}
}

// parseDiagnostics extracts the compiler's messages from an error's text.
func parseDiagnostics(text string) []Diagnostic {
	var out []Diagnostic
	for _, line := range strings.Split(text, "\n") {
		if d, ok := parseDiagnostic(line); ok {
			out = append(out, d)
		} else if n := len(out); n > 0 && strings.TrimSpace(line) != "" && !generated(line) {
			if out[n-1].Excerpt != "" {
				out[n-1].Excerpt += "\n"
			}
			out[n-1].Excerpt += line
		}
	}
	return out
}

// generated reports whether a line is the compiler's summary: "2 errors generated."
func generated(line string) bool {
	return strings.HasSuffix(line, " generated.")
}

// parseDiagnostic parses "file:line:column: severity: text". The column may be missing, and the
// file name may contain colons.
func parseDiagnostic(line string) (Diagnostic, bool) {
	for s := range severityNames {
		i := strings.Index(line, ": "+severityNames[s]+": ")
		if i < 0 {
			continue
		}
		d := Diagnostic{Severity: Severity(s), Message: strings.TrimSpace(line[i+len(severityNames[s])+4:])}
		head, last, ok := cutNumber(line[:i])
		if !ok {
			continue
		}
		if file, number, ok := cutNumber(head); ok {
			d.File, d.Line, d.Column = file, number, last
		} else {
			d.File, d.Line = head, last
		}
		if d.File != "" {
			return d, true
		}
	}
	return Diagnostic{}, false
}

// cutNumber cuts ":n" off the end of s.
func cutNumber(s string) (head string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil || n < 0 {
		return s, 0, false
	}
	return s[:i], n, true
}
