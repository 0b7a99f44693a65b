package msl

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// FuzzCompile compiles texts that start from the test data: nothing panics, and what lowering makes is valid.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{"run", "lower"} {
		files, err := filepath.Glob("../../testdata/msl/" + pattern + "/*.metal")
		require.NoError(f, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(f, err)
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, diags := Compile(context.Background(), Source{Text: text}, Options{Verify: true})
		for _, d := range diags {
			if d.Code == diag.Internal {
				t.Error(render(t, m, diags))
			}
		}
	})
}

// BenchmarkCompile compiles one short program.
func BenchmarkCompile(b *testing.B) {
	text, err := os.ReadFile("../../testdata/msl/run/control.metal")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		Compile(context.Background(), Source{Text: string(text)}, Options{})
	}
}
