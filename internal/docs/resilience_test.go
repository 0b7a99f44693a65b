package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestResilience: the page on devices that fail shows the package's example, which go test runs.
func TestResilience(t *testing.T) {
	same(t, "docs/resilience.md", "example", func(name string) string {
		source, err := os.ReadFile(filepath.Join("..", "..", "compute", name, "example_test.go"))
		require.NoError(t, err)
		_, body, ok := strings.Cut(string(source), "func Example() {\n")
		require.True(t, ok)
		body = strings.TrimSuffix(body, "}\n")
		return strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n\t", "\n"), "\n")
	})
}
