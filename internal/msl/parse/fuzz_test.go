package parse_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
)

// seeds returns the texts of testdata by name.
func seeds(t testing.TB) map[string]string {
	list := make(map[string]string)
	tree := os.DirFS(testdata)
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".metal") {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		list[name] = string(text)
		return err
	}))
	return list
}

// FuzzParse parses arbitrary text: the tree can be walked and printed, has no nil where the grammar
// requires a node, and there is a diagnostic if it has bad nodes.
func FuzzParse(f *testing.F) {
	for _, text := range fuzztest.Seeds(f, testdata) {
		f.Add(text, []byte(nil))
	}
	f.Add("", []byte("a program of these bytes"))
	f.Fuzz(func(t *testing.T, text string, changes []byte) {
		if text = fuzztest.Mix(text, changes); len(text) <= fuzztest.MaxText {
			fuzztest.BoundSteps(t, func() int64 { return fuzzParse(t, text) })
		}
	})
}

// fuzzParse returns the number of steps.
func fuzzParse(t *testing.T, text string) int64 {
	set, sink, steps := diag.NewFileSet(), diag.NewSink(), fuzztest.Budget()
	sink.SetBudget(steps, budget.Limits{})
	toks := pp.Process(set, set.AddFile("fuzz.metal", text), pp.Options{MetalVersion: 400, MaxTokens: 1 << 16}, sink)
	file := parse.File(set, toks, sink)
	bad := 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BadDecl, *ast.BadExpr, *ast.BadStmt, *ast.BadType:
			bad++
		}
		return true
	})
	if bad > 0 && sink.Errors() == 0 {
		t.Fatalf("%d bad nodes and no diagnostic", bad)
	}
	_ = ast.String(file)
	return steps.Spent().Steps
}
