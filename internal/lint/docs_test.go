package lint

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

var plainMethods = map[string]bool{"Error": true, "Unwrap": true, "String": true}

// documented: every package and every exported name at package level has a comment. One comment
// over a group of constants or variables serves the group, and so does a comment beside a single
// name. In internal packages, which have no readers outside, a method whose name says all
// (plainMethods) needs none.
func documented(tr *tree) (bad []string) {
	undocumented := make(map[string]*goFile) // folders without a package comment so far, by folder
	commented := make(map[string]bool)
	for _, f := range tr.gos {
		if f.isTest() {
			continue
		}
		commented[f.dir()] = commented[f.dir()] || f.ast.Doc != nil
		if undocumented[f.dir()] == nil {
			undocumented[f.dir()] = f
		}
		for _, decl := range f.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				plain := d.Recv != nil && plainMethods[d.Name.Name] && strings.Contains("/"+f.path, "/internal/")
				if d.Name.IsExported() && receiverExported(d) && d.Doc == nil && !plain {
					bad = append(bad, tr.at(f, d.Pos(), "exported func %s has no comment", d.Name.Name))
				}
			case *ast.GenDecl:
				bad = append(bad, undocumentedSpecs(tr, f, d)...)
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(undocumented)) {
		if f := undocumented[dir]; !commented[dir] {
			bad = append(bad, tr.at(f, f.ast.Package, "package %s has no comment in any of its files", f.ast.Name.Name))
		}
	}
	return bad
}

func undocumentedSpecs(tr *tree, f *goFile, d *ast.GenDecl) (bad []string) {
	group := d.Doc != nil && (d.Tok != token.TYPE || !d.Lparen.IsValid())
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			alias := d.Doc != nil && s.Assign.IsValid() // the group's comment explains what the other names are for
			if s.Name.IsExported() && !group && !alias && s.Doc == nil && s.Comment == nil {
				bad = append(bad, tr.at(f, s.Pos(), "exported type %s has no comment", s.Name.Name))
			}
		case *ast.ValueSpec:
			if group || s.Doc != nil || s.Comment != nil {
				continue
			}
			for _, name := range s.Names {
				if name.IsExported() {
					bad = append(bad, tr.at(f, name.Pos(), "exported %s %s has no comment", d.Tok, name.Name))
				}
			}
		}
	}
	return bad
}

// receiverExported reports whether a function has no receiver or one of an exported type.
func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

func TestDocumented(t *testing.T) { holds(t, documented) }

func TestDocumentedSeen(t *testing.T) {
	sees(t, documented, []breach{
		{"allowed", map[string]string{
			"a/doc.go":        "// Package a is.\npackage a\n",
			"a/a.go":          "package a\n// Kinds.\nconst (\n\tA = 1\n\tB = 2\n)\nvar (\n\tC = 1 // see\n\td = 2\n)\ntype t struct{}\nfunc (t) M() {}\n// T is.\ntype T struct{ F int }\nfunc f() {}\n",
			"a/a_test.go":     "package a\nfunc TestX() {}\n",
			"internal/b/b.go": "// Package b is.\npackage b\n// E is.\ntype E int\nfunc (E) Error() string { return \"\" }\n",
		}, nil},
		{"missing", map[string]string{"a/a.go": "package a\nconst A = 1\nvar B, c = 1, 2\ntype T struct{}\nfunc (T) Error() {}\nfunc F() {}\n// Types.\ntype (\n\tU int\n)\n"},
			[]string{"a/a.go:2: exported const A", "a/a.go:3: exported var B", "a/a.go:4: exported type T",
				"a/a.go:5: exported func Error", "a/a.go:6: exported func F", "a/a.go:9: exported type U",
				"a/a.go:1: package a has no comment"}},
	})
}
