package pp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

const goldenFiles = "../../../testdata/msl/pp/*.metal"

// TestGolden preprocesses the shaders in testdata/msl/pp and compares the output, line by line as
// in the source, and the diagnostics as shown on a terminal, with the .txt file beside each.
// PUREMETAL_UPDATE=1 rewrites those.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob(goldenFiles)
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".metal")
		t.Run(base, func(t *testing.T) {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			fs, sink := diag.NewFileSet(), diag.NewSink()
			toks := Process(fs, fs.AddFile(filepath.Base(name), string(src)), Options{
				Include: os.DirFS(filepath.Dir(name)), IncludeDirs: []string{"inc"}, Defines: map[string]string{"GOLDEN": "1"},
			}, sink)
			var b strings.Builder
			b.WriteString(lines(fs, toks))
			b.WriteString("---\n")
			require.NoError(t, diag.Text(&b, fs, sink.Diagnostics()))
			expected := strings.TrimSuffix(name, ".metal") + ".txt"
			if os.Getenv("PUREMETAL_UPDATE") != "" {
				require.NoError(t, os.WriteFile(expected, []byte(b.String()), 0o644))
			}
			want, err := os.ReadFile(expected)
			require.NoError(t, err)
			assert.Equal(t, string(want), b.String())
		})
	}
}

// lines formats tokens as source, each line preceded by its position.
func lines(fs *diag.FileSet, toks []token.Token) string {
	var b strings.Builder
	for _, t := range toks {
		switch {
		case t.Kind == token.EOF:
		case t.Flags&token.AtLineStart != 0:
			at := fs.Position(t.Pos)
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "%s:%d: ", at.File, at.Line)
		case t.Flags&token.SpaceBefore != 0:
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
