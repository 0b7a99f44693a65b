package msl

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/errtest"
)

// wrongPrograms are the folders in testdata/msl with programs annotated with their errors.
var wrongPrograms = []string{"pp/errors", "parse/errors", "check/errors", "lower/errors", "warnings", "mixed"}

// headers are the headers that wrong programs may include, besides Metal's own.
var headers = fstest.MapFS{
	"itself.h":       {Data: []byte("#include \"itself.h\"\n")},
	"open_if.h":      {Data: []byte("#if 1\nconstant int a = 1;\n")},
	"open_comment.h": {Data: []byte("constant int a = 1; /* no end\n")},
	"mistake.h":      {Data: []byte("constant int a = ;\n")},
	"folder/x.h":     {Data: []byte("constant int x = 1;\n")},
}

// notProvoked are the codes that no program text alone can cause, with the tests that cause them.
var notProvoked = map[diag.Code]string{
	diag.Internal:           "a mistake of the compiler's own: TestInternalError",
	diag.Canceled:           "the caller stops the compilation: TestCanceled",
	diag.SourceSize:         "larger than a file of testdata: TestSourceSize",
	diag.SourceTooLarge:     "larger still, which only callers of the preprocessor meet: TestSourceTooLarge of pp",
	diag.TooManyErrors:      "the wrong programs run without a limit of errors: TestTooManyErrors",
	diag.InstantiationCount: "a program that takes too long: TestOptions of check",
	diag.IncludeTooLarge:    "long programs: TestLimits",
	diag.ExpansionDepth:     "long programs: TestLimits",
	diag.NestedTooDeeply:    "long programs: TestLimits",
	diag.NestingTooDeep:     "long programs: TestLimits",
	diag.ChainTooLong:       "long programs: TestLimits",
	diag.ExprDepth:          "long programs: TestLimits",
	diag.InlineSize:         "long programs: TestLimits",
	diag.CompileBudget:      "programs that ask for much: TestHostile",
}

// TestWrongPrograms compiles every wrong program: it causes exactly the expected errors, and there
// is a program for every code of the registry.
func TestWrongPrograms(t *testing.T) {
	failOnInternal(t)
	met, count := make(map[diag.Code]bool), 0
	for _, folder := range wrongPrograms {
		programs, err := errtest.Load("../../testdata/msl/"+folder, ".metal")
		require.NoError(t, err)
		require.NotEmpty(t, programs, folder)
		t.Run(folder, func(t *testing.T) {
			var warnings diag.Warnings
			if folder == "warnings" {
				warnings = diag.EveryWarning()
			}
			codes := errtest.Run(t, programs, func(fs *diag.FileSet, f *diag.File, sink *diag.Sink) {
				sink.SetWarnings(warnings)
				m := &Module{Files: fs}
				m.compileFile(context.Background(), f, Options{MetalVersion: errtest.Version(f.Name), Include: headers,
					IncludeDirs: []string{"."}, Verify: true, Warnings: warnings}, sink)
			})
			for c := range codes {
				met[c] = true
			}
		})
		count += len(programs)
	}
	t.Logf("%d wrong programs, %d of %d codes", count, len(met), len(diag.Codes()))
	assert.GreaterOrEqual(t, count, 300, "wrong programs")
	for _, info := range diag.Codes() {
		if strings.HasPrefix(string(info.Code), "T") {
			continue // of programs in other languages, which internal/test/dialects has
		}
		why, listed := notProvoked[info.Code]
		switch {
		case !met[info.Code] && !listed:
			t.Errorf("no wrong program provokes %s: %s", info.Code, info.Doc)
		case met[info.Code] && listed:
			t.Errorf("%s is provoked, but listed as not: %s", info.Code, why)
		}
	}
}
