package diag

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const docsHead = `# What the compiler says

A diagnostic has clang's shape: the place, how bad it is, one sentence in lower case, and a code.
Below stand the line of source with a caret and the range that is meant, then what the compiler
suggests, and notes: through which macros the text came, which templates were being made, into which
functions a call was inlined.

    k.metal:3:17: error: no member 'raduis' in 'Circle'; did you mean 'radius'? [E1182]
         float r = c.raduis;
                     ^~~~~~

Codes are stable: a number is never given to another meaning. Those with **E** say what is wrong
with the program, or, as warnings, probably is. Those with **U** say what this compiler does not
support yet, in a sentence that begins with "not supported": the program may be right.

A mistake is reported once, and what only follows from it not at all. After 100 errors
(` + "`Options.MaxErrors`" + `) the compiler gives up. Warnings and remarks are left out by code with
` + "`Options.Ignore`" + `, or all with ` + "`Options.NoWarnings`" + `; errors cannot be. Those marked "with all
warnings" come only with ` + "`Options.AllWarnings`" + `.

The same as JSON: ` + "`{\"diagnostics\": [{code, severity, message, place, notes, fixes}]}`" + ` with lines and
columns from 1, columns in bytes, the end exclusive. As SARIF 2.1.0: one run, columns in characters,
the codes that occur as its rules.

This page is made from the registry of codes in package ` + "`internal/msl/diag`" + `.
`

var docsSections = []struct{ prefix, title string }{
	{"E00", "The compiler as a whole"}, {"E01", "Scanner"}, {"E02", "Preprocessor"}, {"E03", "Parser"},
	{"E1", "Types and checks"},
	{"E13", "Warnings"}, {"E2", "Lowering and limits"}, {"U", "Not supported"},
}

// docs is the page about the codes.
func docs() string {
	var b strings.Builder
	b.WriteString(docsHead)
	for i, s := range docsSections {
		fmt.Fprintf(&b, "\n## %s\n\n| code | what it says |\n|---|---|\n", s.title)
		for _, c := range Codes() {
			if sectionOf(c.Code) == i {
				fmt.Fprintf(&b, "| %s | %s |\n", c.Code, strings.ReplaceAll(c.Doc, "|", "\\|"))
			}
		}
	}
	return b.String()
}

// sectionOf returns the section with the longest prefix of a code, or -1.
func sectionOf(c Code) int {
	best := -1
	for i, s := range docsSections {
		if strings.HasPrefix(string(c), s.prefix) && (best < 0 || len(s.prefix) > len(docsSections[best].prefix)) {
			best = i
		}
	}
	return best
}

// TestDocs: the page about the codes is what the registry makes of it. PUREMETAL_UPDATE=1 writes
// it.
func TestDocs(t *testing.T) {
	const name = "../../../docs/msl-diagnostics.md"
	for _, c := range Codes() {
		assert.GreaterOrEqual(t, sectionOf(c.Code), 0, "%s has no section", c.Code)
	}
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(name, []byte(docs()), 0o644))
	}
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, docs() == strings.ReplaceAll(string(page), "\r\n", "\n"),
		"docs/msl-diagnostics.md is not current: run this test with PUREMETAL_UPDATE=1")
}
