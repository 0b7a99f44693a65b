package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSecurity: every guarantee of SECURITY.md names a test, and every test named there exists in
// the package that it is said to be in.
func TestSecurity(t *testing.T) {
	named := regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)\\w+)`")
	guarantees, header := 0, ""
	for _, line := range strings.Split(read(t, "SECURITY.md"), "\n") {
		switch {
		case !strings.HasPrefix(line, "|"):
			header = ""
		case header == "":
			header = line
		}
		if header != "| guarantee | tests |" || line == header || !strings.HasPrefix(line, "| ") {
			continue
		}
		guarantees++
		tests := named.FindAllStringSubmatch(line, -1)
		assert.NotEmpty(t, tests, "a guarantee without a test: %s", line)
		for _, m := range tests {
			assert.True(t, defined(t, m[1], m[2]), "there is no %s in %s", m[2], m[1])
		}
	}
	require.NotZero(t, guarantees)
}

// defined reports whether a package has a test.
func defined(t *testing.T, dir, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), "*_test.go"))
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		if strings.Contains(string(text), "\nfunc "+test+"(") {
			return true
		}
	}
	return false
}
