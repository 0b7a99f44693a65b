package lint

import (
	"go/ast"
	"testing"
)

// skipsExplained: a test that does not run says why.
func skipsExplained(tr *tree) (bad []string) {
	for _, f := range tr.gos {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if name := sel.Sel.Name; len(call.Args) == 0 && (name == "Skip" || name == "SkipNow" || name == "Skipf") {
				bad = append(bad, tr.at(f, call.Pos(), "skips without a reason"))
			}
			return true
		})
	}
	return bad
}

func TestSkipsExplained(t *testing.T) { holds(t, skipsExplained) }

func TestSkipsExplainedSeen(t *testing.T) {
	sees(t, skipsExplained, []breach{
		{"allowed", map[string]string{"a/a_test.go": "package a\nfunc f(t T) { t.Skip(\"no device\"); t.Skipf(\"no %s\", \"gcc\") }\n"}, nil},
		{"bare", map[string]string{"a/a_test.go": "package a\nfunc f(t T) {\n\tt.Skip()\n\tt.SkipNow()\n}\n"},
			[]string{"a/a_test.go:3", "a/a_test.go:4"}},
	})
}
