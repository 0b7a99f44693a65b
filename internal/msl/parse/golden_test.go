package parse_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/test/errtest"
)

const testdata = "../../../testdata/msl/parse"

// parseFile preprocesses and parses a file of a set.
func parseFile(fs *diag.FileSet, f *diag.File, sink *diag.Sink) *ast.File {
	return parse.File(fs, pp.Process(fs, f, pp.Options{MetalVersion: 400}, sink), sink)
}

// parseText parses text without errors.
func parseText(t testing.TB, text string) *ast.File {
	set, sink := diag.NewFileSet(), diag.NewSink()
	file := parseFile(set, set.AddFile("test.metal", text), sink)
	require.Empty(t, messages(t, set, sink), "%s", text)
	return file
}

func messages(t testing.TB, set *diag.FileSet, sink *diag.Sink) string {
	var b strings.Builder
	require.NoError(t, diag.Text(&b, set, sink.Diagnostics()))
	return b.String()
}

// TestGolden compares the trees of the files in testdata with the golden files beside them.
// PUREMETAL_UPDATE=1 rewrites those.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(testdata + "/golden/*.metal")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			var got bytes.Buffer
			require.NoError(t, ast.Print(&got, parseText(t, string(text))))
			golden := strings.TrimSuffix(name, ".metal") + ".ast"
			if os.Getenv("PUREMETAL_UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got.String())
		})
	}
}

// TestErrors compares the parser's errors with the annotations in wrong programs.
func TestErrors(t *testing.T) {
	programs, err := errtest.Load(testdata+"/errors", ".metal")
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	codes := errtest.Run(t, programs, func(fs *diag.FileSet, f *diag.File, sink *diag.Sink) { parseFile(fs, f, sink) })
	for _, info := range diag.Codes() {
		// see TestLimits
		if strings.HasPrefix(string(info.Code), "E03") && info.Code != diag.NestingTooDeep && info.Code != diag.ChainTooLong {
			assert.NotZero(t, codes[info.Code], "no program under %s/errors causes %s: %s", testdata, info.Code, info.Doc)
		}
	}
}
