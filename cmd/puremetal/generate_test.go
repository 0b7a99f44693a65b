package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGenerated: the files of this module that the generate command wrote are current.
func TestGenerated(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	directive := regexp.MustCompile(`(?m)^//go:generate go tool puremetal (generate .*)$`)
	n := 0
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range directive.FindAllSubmatch(source, -1) {
			n++
			t.Chdir(filepath.Dir(name))
			var out strings.Builder
			a := &app{ctx: t.Context(), out: &out, err: &out, env: func(string) string { return "" }}
			assert.Zero(t, a.main(append(strings.Fields(string(m[1])), "--check")), "%s: %s", name, &out)
		}
		return nil
	}))
	assert.GreaterOrEqual(t, n, 3)
}

// TestGenerateNames: a name that a Go file cannot have is refused, with the character.
func TestGenerateNames(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{"sc\nale.metal": "U+000A", "a\x1b[31m.metal": "U+001B",
		"a\u2028.metal": "U+2028", "a\u202e.metal": "U+202E"} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte("kernel void k(device int *x) { *x = 1; }"), 0o666))
		var out strings.Builder
		a := &app{ctx: t.Context(), out: &out, err: &out, env: func(string) string { return "" }}
		assert.Equal(t, exitUsage, a.main([]string{"generate", file, "--package", "p"}), "%q", name)
		assert.Contains(t, out.String(), "has the character "+want)
	}
}
