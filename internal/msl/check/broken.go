package check

import (
	"strings"
	"unicode"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// A file with syntax errors is still checked, so that all its mistakes are reported at once. The
// tree lacks what could not be parsed, and the checker must not report consequences of that: it
// stays silent about lost places and names, and about what only complete code shows.

// follows returns a function that reports whether a diagnostic may be a consequence of a syntax
// error.
func follows(file *ast.File) func(*diag.Diagnostic) bool {
	return func(d *diag.Diagnostic) bool {
		switch d.Code {
		case diag.UnusedVariable, diag.UnusedValue, diag.UnusedComparison, diag.Uninitialized, diag.MissingReturn,
			diag.SwitchEnum, diag.Unreachable, diag.ThreadgroupSize:
			return true
		}
		for _, b := range file.Broken {
			if b.From <= d.Pos && d.Pos < b.To {
				return true
			}
		}
		for i, quoted := range strings.Split(d.Message, "'") {
			if i%2 == 0 {
				continue
			}
			if quoted == "" { // something unnamed
				return true
			}
			for _, word := range strings.FieldsFunc(quoted, notInWords) {
				if file.Lost[word] {
					return true
				}
			}
		}
		return false
	}
}

func notInWords(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
