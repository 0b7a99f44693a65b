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

// TestGenerateUnchanged: a released version does not translate a package again whose sources have
// not changed, and trusts its files only as they were written.
func TestGenerateUnchanged(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	put("go.mod", "module example.com/user\n")
	put("kernels/kernels.go", "package kernels\n\nimport (\n\t\"example.com/user/shape\"\n\n"+
		"\t\"github.com/puremetal/puremetal/kernel\"\n)\n\n//puremetal:kernel\n"+
		"func fill(t *kernel.Thread, x []int32) { x[0] = shape.Sides }\n")
	put("shape/shape.go", "package shape\n\nconst Sides = 4\n")
	kernels := filepath.Join(dir, "kernels")
	generate := func(release string) string {
		var out strings.Builder
		a := &app{ctx: t.Context(), out: &out, err: &out, env: func(string) string { return "" },
			release: func() string { return release }}
		require.Zero(t, a.main([]string{"generate", kernels}), out.String())
		f, err := readLaunchers(kernels)
		require.NoError(t, err)
		return string(f.metal)
	}
	// mark adds a comment to the translation, as if this version wrote it: it is gone when the package
	// is translated again.
	const marked = "// Kept.\n"
	mark := func() {
		f, err := readLaunchers(kernels)
		require.NoError(t, err)
		require.True(t, f.whole())
		put("kernels/"+metalFile, string(f.metal)+marked)
		before := f.signature
		f.metal = append(f.metal, marked...)
		f.signature = f.sum([]byte(strings.Replace(string(f.text), before, noSum, 1)))
		put("kernels/"+launchersFile, strings.Replace(string(f.text), before, f.signature, 1))
	}
	first := generate("v1.2.3")
	mark()
	assert.Equal(t, first+marked, generate("v1.2.3"), "translated again")
	assert.Equal(t, first, generate("v1.2.4"), "another version")
	mark()
	assert.Equal(t, first, generate(""), "a development version")
	generate("v1.2.3")
	mark()
	put("kernels/"+metalFile, first)
	assert.Equal(t, first, generate("v1.2.3"), "changed by another program")
	mark()
	put("shape/shape.go", "package shape\n\nconst Sides = 5\n")
	changed := generate("v1.2.3")
	assert.NotContains(t, changed, marked)
	assert.NotEqual(t, first, changed)
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
