package diag

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const docsHead = `# Compiler diagnostics

Diagnostics have clang's form: position, severity, one lower-case sentence and a code. Below that
follow the source line with a caret and the affected range, a suggestion if there is one, and notes:
the macros that the text was expanded from, the templates being instantiated, and the functions a
call was inlined into.

    k.metal:3:17: error: no member named 'raduis' in 'Circle'; did you mean 'radius'? [E1182]
         float r = c.raduis;
                     ^~~~~~

Codes are stable: a number never gets another meaning. **E** codes report what is wrong with the
program or, as warnings, what probably is. **U** codes report what this compiler does not support
yet, in a sentence that begins with "not supported"; the program itself may be correct.

A mistake is reported once, and errors that merely follow from it are not reported. Syntax errors do
not hide other errors: the rest of the file is checked as well, but for names that the broken part
may have declared, and without warnings. The compiler stops after 100 errors (` + "`Options.MaxErrors`" + `).
` + "`Options.Ignore`" + ` suppresses warnings and remarks by code, and ` + "`Options.NoWarnings`" + ` all of them;
errors cannot be suppressed.

Most warnings have a group with clang's name, which ` + "`puremetal check`" + ` takes as clang does:
` + "`-Wunused-variable`, `-Wno-parentheses`, `-Werror`, `-Werror=return-type`, `-Wno-error=format`" + `, and
` + "`-Wall`, `-Wextra`, `-Weverything`" + ` for several at once. Later options overrule earlier ones. The
last table says what turns each of them on. Defaults are those of clang for C++, except that
` + "`-Wuninitialized`" + `, which clang has in ` + "`-Wall`" + `, is on. Public reports show that Apple's compiler,
compiling at run time, prints ` + "`-Wunused-variable`" + ` without being asked, which here is in ` + "`-Wall`" + `. A
warning that ` + "`-Werror`" + ` turns into an error changes the exit code and nothing else.

As JSON: ` + "`{\"diagnostics\": [{code, severity, message, place, notes, fixes}]}`" + `, with lines and
columns counted from 1, columns in bytes, and exclusive ends. As SARIF 2.1.0: one run, with columns
in characters and the codes that occur as its rules.

This page is generated from the registry of codes in package ` + "`internal/msl/diag`" + `.
`

var docsSections = []struct{ prefix, title string }{
	{"E00", "The compiler as a whole"}, {"E01", "Scanner"}, {"E02", "Preprocessor"}, {"E03", "Parser"},
	{"E1", "Types and checks"},
	{"E13", "Warnings"}, {"E2", "Lowering and limits"}, {"U", "Not supported"},
	{"T", "OpenCL C and CUDA C++"},
}

// docs generates the page of codes.
func docs() string {
	var b strings.Builder
	b.WriteString(docsHead)
	for i, s := range docsSections {
		fmt.Fprintf(&b, "\n## %s\n\n| code | meaning |\n|---|---|\n", s.title)
		for _, c := range Codes() {
			if sectionOf(c.Code) == i {
				fmt.Fprintf(&b, "| %s | %s |\n", c.Code, strings.ReplaceAll(c.Doc, "|", "\\|"))
			}
		}
	}
	b.WriteString(docsGroups())
	return b.String()
}

// docsGroups generates the section on warning groups.
func docsGroups() string {
	var b strings.Builder
	b.WriteString("\n## Groups of warnings\n\n| group | code | on with |\n|---|---|---|\n")
	asked := map[level]string{byDefault: "by default", byAll: "`-Wall`", byExtra: "`-Wextra`",
		byName: "its name"}
	for _, c := range Codes() {
		if g, ok := groups()[c.Code]; ok {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", g.name, c.Code, asked[g.on])
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

// TestDocs: the page of codes is generated from the registry. PUREMETAL_UPDATE=1 writes it.
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
