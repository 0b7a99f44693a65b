package mtl

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const boundTableFile = "bound_table_test.go"

// boundHiddenFrom are the first names of each file, to keep the files short.
var boundHiddenFrom = []string{"A", "C", "Compute", "ComputeCommandEncoder4", "D", "E", "I", "L"}

// TestBoundTable: bound_table_test.go and bound_hidden*_test.go list all that reflection cannot
// find by itself. PUREMETAL_UPDATE=1 rewrites them.
func TestBoundTable(t *testing.T) {
	src, err := readBoundSource()
	require.NoError(t, err)
	files := map[string]string{boundTableFile: boundTable(src)}
	for i := range boundHiddenFrom {
		files[fmt.Sprintf("bound_hidden%d_test.go", i)] = boundHiddenTable(src, i)
	}
	for name, text := range files {
		want, err := format.Source([]byte(text))
		require.NoError(t, err)
		want, err = format.Source(want) // broken lines settle at the second time
		require.NoError(t, err)
		if os.Getenv("PUREMETAL_UPDATE") != "" {
			require.NoError(t, os.WriteFile(name, want, 0o644))
		}
		have, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(have, want), "%s is not current; delete the lines that do not compile, if any, "+
			"and run: PUREMETAL_UPDATE=1 go test ./mtl -run TestBoundTable", name)
	}
}

const boundTableHead = "package mtl\n\n// Written by TestBoundTable with PUREMETAL_UPDATE=1.\n\n"

func boundTable(src *boundSource) string {
	var b strings.Builder
	b.WriteString(boundTableHead + "// boundTypes makes a wrapper of each type.\nvar boundTypes = map[string]any{\n")
	for _, name := range slices.Sorted(maps.Keys(src.classes)) {
		fmt.Fprintf(&b, "%q: %sFrom,\n", name, name)
	}
	b.WriteString("}\n\n// boundFuncs are the functions that have no receiver.\nvar boundFuncs = map[string]any{\n")
	for _, f := range src.sorted() {
		if f.recv == "" {
			fmt.Fprintf(&b, "%q: %s,\n", f.name, f.name)
		}
	}
	b.WriteString("}\n\n// boundHidden finds the methods that are not exported.\nvar boundHidden = []map[string]func(any) any{\n")
	for i := range boundHiddenFrom {
		fmt.Fprintf(&b, "boundHidden%d,\n", i)
	}
	return b.String() + "}\n"
}

// boundHiddenTable writes a part of the table. The methods are asserted, not named, so that one
// that is gone is a failing test and no failing build.
func boundHiddenTable(src *boundSource, part int) string {
	before := func(name string) bool { return part+1 == len(boundHiddenFrom) || name < boundHiddenFrom[part+1] }
	var b strings.Builder
	fmt.Fprintf(&b, "var boundHidden%d = map[string]func(any) any{\n", part)
	for _, f := range src.sorted() {
		if f.recv == "" || ast.IsExported(f.name) || f.recv < boundHiddenFrom[part] || !before(f.recv) {
			continue
		}
		fmt.Fprintf(&b, "%q: bound(func(x interface { %s%s }) any { return x.%s }),\n", f, f.name,
			strings.TrimPrefix(f.signature, "func"), f.name)
	}
	head := boundTableHead
	if strings.Contains(b.String(), "objc.") {
		head += "import \"github.com/puremetal/puremetal/objc\"\n\n"
	}
	return head + b.String() + "}\n"
}

// bound finds a method of an interface in a wrapper; nil when it has none of that name and type.
func bound[I any](method func(I) any) func(any) any {
	return func(x any) any {
		if i, ok := x.(I); ok {
			return method(i)
		}
		return nil
	}
}

func (s *boundSource) sorted() []*boundFunc {
	funcs := slices.Clone(s.funcs)
	slices.SortFunc(funcs, func(a, b *boundFunc) int { return cmp.Compare(a.String(), b.String()) })
	return funcs
}
