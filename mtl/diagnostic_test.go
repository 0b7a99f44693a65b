package mtl

import (
	"errors"
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const compilerOutput = `program_source:3:12: error: use of undeclared identifier 'y'
    out[0] = y;
             ^
program_source:1:1: warning: unused variable
a: b.h:10:2: note: expanded: error: here
dir/x.metal:7: fatal error: file not found
2 errors and 1 warning generated.
`

func TestParseDiagnostics(t *testing.T) {
	ds := parseDiagnostics(compilerOutput)
	require.Len(t, ds, 4)
	assert.Equal(t, Diagnostic{File: "program_source", Line: 3, Column: 12, Severity: SeverityError,
		Message: "use of undeclared identifier 'y'", Excerpt: "    out[0] = y;\n             ^"}, ds[0])
	assert.Equal(t, SeverityWarning, ds[1].Severity)
	assert.Equal(t, Diagnostic{File: "a: b.h", Line: 10, Column: 2, Severity: SeverityNote,
		Message: "expanded: error: here"}, ds[2])
	assert.Equal(t, Diagnostic{File: "dir/x.metal", Line: 7, Severity: SeverityFatal, Message: "file not found"}, ds[3])
	assert.Equal(t, "program_source:3:12: error: use of undeclared identifier 'y'", ds[0].String())
	assert.Equal(t, "dir/x.metal:7: fatal error: file not found", ds[3].String())

	for _, text := range []string{"", "\n\n", "Compilation failed", "x: error: y", ":1:2: error: y",
		"f:99999999999999999999: error: y", "f:-1: error: y"} {
		assert.Empty(t, parseDiagnostics(text), text)
	}
	assert.Equal(t, "warning", SeverityWarning.String())
	assert.Equal(t, "Severity(9)", Severity(9).String())
}

func FuzzParseDiagnostics(f *testing.F) {
	f.Add(compilerOutput)
	f.Add(":::: error: ")
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range parseDiagnostics(text) {
			if d.File == "" || d.Line < 0 || d.Column < 0 || d.Severity > SeverityFatal {
				t.Fatalf("%+v", d)
			}
		}
	})
}

func TestCompileErrorTyped(t *testing.T) {
	assert.NoError(t, compileError(nil, CompileSettings{}))
	other := errors.New("other")
	assert.Equal(t, other, compileError(other, CompileSettings{}))
	missing := &objc.Error{Domain: libraryDomain, Code: int(LibraryErrorFileNotFound)}
	assert.Equal(t, error(missing), compileError(missing, CompileSettings{}))

	failure := &objc.Error{Domain: libraryDomain, Code: int(LibraryErrorCompileFailure), Description: compilerOutput}
	err := compileError(failure, CompileSettings{LanguageVersion: LanguageVersion3_1})
	var e *CompileError
	require.ErrorAs(t, err, &e)
	require.ErrorIs(t, err, error(failure))
	assert.Len(t, e.Diagnostics, 4)
	assert.Equal(t, "mtl: source does not compile as LanguageVersion3_1: program_source:3:12: error: use of undeclared identifier 'y' (and 3 more)", err.Error())
	bare := compileError(&objc.Error{Domain: libraryDomain, Code: 3, Description: "no idea"}, CompileSettings{})
	assert.ErrorContains(t, bare, "no idea")
}
