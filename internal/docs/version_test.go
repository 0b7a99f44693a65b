package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGoVersion: documents and CI state the same oldest Go version as go.mod.
func TestGoVersion(t *testing.T) {
	find := func(file, pattern string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", file))
		require.NoError(t, err)
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		require.NotNil(t, m, "%s says nothing like %q", file, pattern)
		return string(m[1])
	}
	minor := find("go.mod", `(?m)^go (\d+\.\d+)(\.\d+)?$`)
	for file, pattern := range map[string]string{
		"README.md":               `\[Go\]\(https://go\.dev/dl/\) (\d+\.\d+) or later`,
		"CONTRIBUTING.md":         `needs Go (\d+\.\d+) or later`,
		"docs/troubleshooting.md": `Go (\d+\.\d+) is required`,
		"docs/RATIONALE.md":       `## Why Go (\d+\.\d+)\?`,
	} {
		assert.Equal(t, minor, find(file, pattern), file)
	}
	assert.Equal(t, "go.mod", find(".github/workflows/ci.yml", `go-version-file: (.*)`))
	assert.NotEmpty(t, find(".ci/run", `(oldest=go\$\(go list -m -f '\{\{\.GoVersion\}\}'\))`))
}
