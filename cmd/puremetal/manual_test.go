package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// helpShown is the panic that replaces kong's exit after a help text.
type helpShown struct{}

// helpOf returns what a command line with --help prints.
func helpOf(t *testing.T, args ...string) string {
	var out bytes.Buffer
	a := &app{ctx: t.Context(), out: &out, err: &out, env: func(string) string { return "" }, exit: func(code int) {
		assert.Zero(t, code)
		panic(helpShown{})
	}}
	assert.PanicsWithValue(t, helpShown{}, func() { a.main(append(args, "--help")) })
	lines := strings.Split(out.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// TestManual holds docs/cli.md to what the command's help says. PUREMETAL_UPDATE=1 writes it anew.
func TestManual(t *testing.T) {
	var c cli
	k, err := (&app{}).parser(&c)
	require.NoError(t, err)
	var b strings.Builder
	fmt.Fprintf(&b,
		`<!-- Generated from the command's help: PUREMETAL_UPDATE=1 go test -run TestManual ./cmd/puremetal. Do not edit. -->

# The command puremetal

    go run github.com/puremetal/puremetal/cmd/puremetal@latest COMMAND ...

In a clone, use `+"`go run ./cmd/puremetal COMMAND ...`"+`. The exit code is 0 on success, 1 for
findings and failures, 2 for an invalid command line, and 124 when `+"`run --timeout`"+` ends
the work. Ctrl-C stops a command with exit code 130, SIGTERM with 143. Output is colored on a
terminal unless `+"`NO_COLOR`"+` is set; `+"`--color`"+` overrides both. Work that takes longer than a second
shows its progress on a terminal.
`+"`puremetal man`"+` writes this page for `+"`man`"+`.

`+"```text\n%s\n```\n", helpOf(t))
	for _, n := range commands(k.Model.Children) {
		path := pathOf(n)
		help := helpOf(t, path...)
		if len(path) == 1 {
			assert.Contains(t, help, "Examples:", n.Name)
		}
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n```\n", strings.Join(path, " "), help)
	}
	file := filepath.Join("..", "..", "docs", "cli.md")
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o666))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(have),
		"docs/cli.md is not current: PUREMETAL_UPDATE=1 go test -run TestManual ./cmd/puremetal")
}
