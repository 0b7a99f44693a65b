package lint

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// updateVariable is the one environment variable with which tests rewrite their goldens.
const updateVariable = "PUREMETAL_UPDATE"

var (
	updateWord = regexp.MustCompile(`(?i)(^|[._-])(update|record|rewrite|write|regenerate|golden)s?$`)
	updateEnv  = regexp.MustCompile(`(^|_)UPDATE(_|$)`)
)

// oneUpdate: tests rewrite their goldens with PUREMETAL_UPDATE, never with their own flag or
// variable.
func oneUpdate(tr *tree) (bad []string) {
	const instead = ": goldens are rewritten with " + updateVariable + "=1"
	for _, f := range tr.gos {
		if !f.isTest() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			name, _ := strconv.Unquote(lit.Value)
			pkg, _ := sel.X.(*ast.Ident)
			switch {
			case pkg == nil:
			case pkg.Name == "flag" && strings.HasPrefix(sel.Sel.Name, "Bool") && updateWord.MatchString(name):
				bad = append(bad, tr.at(f, lit.Pos(), "flag -%s"+instead, name))
			case pkg.Name == "os" && name != updateVariable && updateEnv.MatchString(name):
				bad = append(bad, tr.at(f, lit.Pos(), "variable %s"+instead, name))
			}
			return true
		})
	}
	return bad
}

func TestOneUpdate(t *testing.T) { holds(t, oneUpdate) }

func TestOneUpdateSeen(t *testing.T) {
	head := "package a\nimport (\"flag\"; \"os\")\n"
	sees(t, oneUpdate, []breach{
		{"allowed", map[string]string{
			"a/a_test.go": head + "var a = os.Getenv(\"PUREMETAL_UPDATE\")\n" +
				"var b = flag.Bool(\"vm.variants\", false, \"\")\n",
			"a/b.go": head + "var c = flag.Bool(\"update\", false, \"for users\")\n",
		}, nil},
		{"flags", map[string]string{
			"a/a_test.go": head + "var a = flag.Bool(\"update\", false, \"\")\n" +
				"var b = flag.Bool(\"values.record\", false, \"\")\n",
		}, []string{"a/a_test.go:3: flag -update", "a/a_test.go:4: flag -values.record"}},
		{"variables", map[string]string{
			"a/a_test.go": head + "var a = os.Getenv(\"UPDATE_GOLDENS\")\nvar b, c = os.LookupEnv(\"X_UPDATE\")\n",
		}, []string{"a/a_test.go:3: variable UPDATE_GOLDENS", "a/a_test.go:4: variable X_UPDATE"}},
	})
}
