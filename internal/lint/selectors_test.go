package lint

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// selectorsNamed: the comment of a method of mtl that checks its arguments names the message that
// it sends, as the comments of generated methods do. Long ones continue on the next line after a
// colon.
func selectorsNamed(tr *tree) (bad []string) {
	continued := regexp.MustCompile(`:\s+`)
	for _, f := range tr.gos {
		if f.dir() != "mtl" || f.isTest() || f.generated() {
			continue
		}
		for _, d := range f.ast.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Recv == nil || !m.Name.IsExported() {
				continue
			}
			doc := continued.ReplaceAllString(m.Doc.Text(), ":")
			ast.Inspect(m.Body, func(n ast.Node) bool {
				if message := checked(n); message != "" && !strings.Contains(doc, message) {
					bad = append(bad, tr.at(f, m.Pos(), "the comment of %s does not name %s", m.Name.Name, message))
				}
				return true
			})
		}
	}
	return bad
}

// checked returns the message in a call of check, or "".
func checked(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return ""
	}
	if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "check" {
		return ""
	}
	if text, ok := call.Args[0].(*ast.BasicLit); ok {
		return strings.Trim(text.Value, `"`)
	}
	return ""
}

func TestSelectorsNamed(t *testing.T) { holds(t, selectorsNamed) }

func TestSelectorsNamedSeen(t *testing.T) {
	const body = "func (o B) Add() { const c = check(\"-[MTLB add:to:]\") }\n"
	sees(t, selectorsNamed, []breach{
		{"named", map[string]string{
			"mtl/a.go": "package mtl\n\n// Add adds.\n//\n//\t-[MTLB add:\n//\t    to:]\n" + body,
			"mps/a.go": "package mps\n\n// Add adds.\n" + body,
		}, nil},
		{"not named", map[string]string{"mtl/a.go": "package mtl\n\n// Add adds.\n" + body},
			[]string{"the comment of Add does not name -[MTLB add:to:]"}},
	})
}
