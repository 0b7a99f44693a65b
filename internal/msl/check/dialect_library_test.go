package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
)

// The declarations of a library, parsed one by one, are those that the parser finds in the whole
// text, and what is said before them is true.
func TestLibrary(t *testing.T) {
	for _, d := range []*dialect.Dialect{dialect.OpenCL, dialect.CUDA} {
		l := LibraryOf(d)
		sink := diag.NewSink()
		files := diag.NewLibrarySet()
		text := "#include <metal_stdlib>\nusing namespace metal;\n" + d.Library
		tree := parse.File(files, pp.Process(files, files.AddFile("whole", text), pp.Options{}, sink), sink)
		for _, d := range sink.Diagnostics() {
			t.Fatal(files.Position(d.Pos), d.Message)
		}
		whole := tree.Decls[1:]
		if len(whole) != len(l.decls) {
			t.Fatalf("%s: %d declarations, want %d", d.Name, len(l.decls), len(whole))
		}
		for i, want := range whole {
			// A call of a name that may be a type's: the checker looks what it is.
			calls := strings.NewReplacer("(make ", "(call ")
			if got, want := calls.Replace(ast.String(l.Node(i))), calls.Replace(ast.String(want)); got != want {
				t.Fatalf("%s: declaration %d is\n%s, want\n%s", d.Name, i, got, want)
			}
			name, kind := declared(want)
			_, function := ast.Templated(want).(*ast.FuncDecl)
			if l.Name(i) != name || l.Function(i) != function || l.decls[i].kind != kind ||
				!slices.Contains(slices.Collect(l.Named(name)), i) {
				t.Errorf("%s: declaration %d: %q, %v, function %t; want %q, %v, %t", d.Name, i, l.Name(i), l.Kind(name),
					l.Function(i), name, kind, function)
			}
		}
	}
}

// declared returns what a declaration declares.
func declared(d ast.Decl) (string, ast.NameKind) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.Last().Kind == ast.PartOperator {
			return opName(d.Name.Last().Op), ast.NameValue
		}
		return d.Name.Last().Ident, ast.NameValue
	case *ast.VarDecl:
		return d.Name.Last().Ident, ast.NameValue
	case *ast.RecordDecl:
		return d.Name.Last().Ident, ast.NameType
	case *ast.TypedefDecl:
		return d.Ident.Name, ast.NameType
	case *ast.AliasDecl:
		return d.Ident.Name, ast.NameType
	case *ast.UsingDecl:
		return d.Name.Last().Ident, ast.NameValue
	case *ast.TemplateDecl:
		name, kind := declared(d.Decl)
		if kind == ast.NameType {
			return name, ast.NameTypeTemplate
		}
		return name, ast.NameValueTemplate
	}
	return "", ast.NameUnknown
}
