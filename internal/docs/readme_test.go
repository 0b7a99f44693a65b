package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCode: the README shows an example as it is, and calls it thirty lines of Go.
func TestCode(t *testing.T) {
	require.Equal(t, 1, same(t, "README.md", "code", func(name string) string { return program(t, name) }))
	lines := 0
	found, _ := marked(read(t, "README.md"), "code")
	for _, l := range strings.Split(found[0].text, "\n") {
		if l = strings.TrimSpace(l); len(l) > 1 { // a brace alone is no line
			lines++
		}
	}
	assert.InDelta(t, 30, lines, 3)
}

// program is the source of an example without its package comment.
func program(t *testing.T, name string) string {
	t.Helper()
	source := read(t, name)
	_, source, found := strings.Cut(source, "\npackage main\n")
	require.True(t, found)
	return "package main\n" + source
}

// TestModule builds and runs the README's code as a newcomer would: a module of its own that
// imports the library.
func TestModule(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build with: ", err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	found, _ := marked(read(t, "README.md"), "code")
	require.Len(t, found, 1)
	dir := t.TempDir()
	// The library's own requirements and sums are what a module that needs it has after go mod tidy.
	mod := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(read(t, "go.mod"),
		"module example.com/newcomer\n\nrequire github.com/puremetal/puremetal v0.0.0\n\nreplace github.com/puremetal/puremetal => "+filepath.ToSlash(root))
	for name, text := range map[string]string{"main.go": found[0].text, "go.mod": mod, "go.sum": read(t, "go.sum")} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	run := exec.Command("go", "run", "-mod=mod", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "[12 24 36 48]\n2 x + y, compiled and run in ")
}

// TestCommands: the marks by which .ci/run finds the README's two commands are there, each with one
// line.
func TestCommands(t *testing.T) {
	page := read(t, "README.md")
	for _, mark := range []string{"ci:first", "ci:test"} {
		n := 0
		for _, b := range blocks(page) {
			if b.mark == mark {
				n++
				assert.Equal(t, "sh", b.language)
				assert.Equal(t, 1, strings.Count(b.text, "\n"), "%s: %s", mark, b.text)
			}
		}
		assert.Equal(t, 1, n, "%s", mark)
	}
}

// TestExamplesListed: the README tells of every example.
func TestExamplesListed(t *testing.T) {
	page := read(t, "README.md")
	dirs, err := os.ReadDir(filepath.Join("..", "..", "examples"))
	require.NoError(t, err)
	for _, d := range dirs {
		if d.Name() == "cookbook" {
			continue
		}
		assert.Contains(t, page, "](examples/"+d.Name()+")")
	}
}
