package docs

import (
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
)

// TestMatchers: the problem matchers find file, line, column, severity, message and code of the
// compiler's diagnostics.
func TestMatchers(t *testing.T) {
	acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
	if errors.Is(err, compute.ErrNoDevice) {
		t.Skip("no device to compile for: ", err)
	}
	require.NoError(t, err)
	defer func() { assert.NoError(t, acc.Close(t.Context())) }()
	if !acc.Info().Software {
		t.Skip("the matchers are for the messages of puremetal check, and Apple's compiler has others")
	}
	_, err = acc.Compile(t.Context(), "kernel void f(device float *x) {\n  x[0] = y;\n}",
		compute.CompileOptions{Name: "some dir/bad.metal"})
	require.Error(t, err)
	var line string
	for l := range strings.Lines(err.Error()) {
		if i := strings.Index(l, "some dir/bad.metal:"); i >= 0 && line == "" {
			line = strings.TrimSpace(l[i:])
		}
	}
	require.Contains(t, read(t, "docs/cli.md"), "message with its code in brackets")
	line += " [E1100]" // as the command writes it
	found, what := marked(read(t, "docs/editors.md"), "matcher")
	require.Equal(t, []string{"vscode", "github"}, what)
	for i, b := range found {
		require.True(t, json.Valid([]byte(b.text)), what[i])
		quoted := regexp.MustCompile(`"regexp": ("(?:[^"\\]|\\.)*")`).FindStringSubmatch(b.text)
		require.Len(t, quoted, 2, what[i])
		var pattern string
		require.NoError(t, json.Unmarshal([]byte(quoted[1]), &pattern))
		matched := regexp.MustCompile(pattern).FindStringSubmatch(line)
		require.Len(t, matched, 7, "%s: %q", what[i], line)
		assert.Equal(t, []string{"some dir/bad.metal", "2", "10", "error", "use of undeclared identifier 'y'", "E1100"},
			matched[1:], what[i])
		plain := regexp.MustCompile(pattern).FindStringSubmatch("a.metal:1:2: note: declared here")
		require.Len(t, plain, 7, what[i])
		assert.Equal(t, []string{"note", "declared here", ""}, plain[4:], what[i])
		assert.Regexp(t, `"file": 1, "line": 2, "column": 3, "severity": 4, "message": 5, "code": 6`, b.text)
	}
}
