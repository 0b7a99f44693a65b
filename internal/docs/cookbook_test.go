package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const cookbook = "examples/cookbook"

// recipes returns the functions of the cookbook's test files as the page shows them: examples
// without func, braces and indentation, with their output; others whole.
func recipes(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join("..", "..", cookbook, "*_test.go"))
	require.NoError(t, err)
	for _, name := range files {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, source, parser.ParseComments)
		require.NoError(t, err)
		at := func(p token.Pos) int { return fset.Position(p).Offset }
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			recipe, example := strings.CutPrefix(f.Name.Name, "Example_")
			if !example {
				out[f.Name.Name] = string(source[at(f.Doc.Pos()):at(f.End())]) + "\n"
				continue
			}
			body := strings.Trim(string(source[at(f.Body.Lbrace)+1:at(f.Body.Rbrace)]), "\n")
			out[recipe] = strings.ReplaceAll("\n"+body, "\n\t", "\n")[1:] + "\n"
		}
	}
	return out
}

// TestCookbook: the page shows the code that go test runs, all of it.
func TestCookbook(t *testing.T) {
	all := recipes(t)
	seen := map[string]bool{}
	n := same(t, "docs/cookbook.md", "recipe", func(name string) string {
		require.Contains(t, all, name)
		seen[name] = true
		return all[name]
	})
	assert.Len(t, seen, n, "a recipe is shown twice")
	for name := range all {
		assert.True(t, seen[name], "docs/cookbook.md does not show %s", name)
	}
}
