package check

import (
	"strings"
	"unicode"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// A file with syntax errors is checked too, so that all its mistakes are reported at once. What
// could not be parsed is missing from the tree, and the checker must not report what only follows
// from that: it is silent about places and names that were lost, and does not warn.

// follows returns a function that reports whether a diagnostic may only follow from a syntax error.
func follows(file *ast.File) func(*diag.Diagnostic) bool {
	return func(d *diag.Diagnostic) bool {
		if d.Severity != diag.Error {
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
			if quoted == "" { // the name of something that has none
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
