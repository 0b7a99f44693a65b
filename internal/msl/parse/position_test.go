package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// TestPositions checks that every node in the golden files has a non-empty extent within that of
// its parent.
func TestPositions(t *testing.T) {
	for name, text := range seeds(t) {
		if !strings.HasPrefix(name, "golden/") {
			continue
		}
		set, sink := diag.NewFileSet(), diag.NewSink()
		f := set.AddFile(name, text)
		file := parseFile(set, f, sink)
		require.Zero(t, sink.Errors(), name)
		var walk func(parent, n ast.Node)
		walk = func(parent, n ast.Node) {
			from, to := n.Pos(), n.End()
			what := fmt.Sprintf("%s: %T", set.Position(from), n)
			if !assert.True(t, f.Contains(from) && f.Contains(to), what) {
				return
			}
			assert.Less(t, from, to, what)
			if parent != nil && !sharesDecl(parent) {
				assert.GreaterOrEqual(t, from, parent.Pos(), "%s starts before its parent %T", what, parent)
				assert.LessOrEqual(t, to, parent.End(), "%s ends behind its parent %T", what, parent)
			}
			first := true
			ast.Inspect(n, func(c ast.Node) bool {
				if first {
					first = false
					return true
				}
				walk(n, c)
				return false
			})
		}
		walk(nil, file)
	}
}

// sharesDecl reports whether a node is one of several declarators, which share the specifiers
// before the first.
func sharesDecl(n ast.Node) bool {
	switch n.(type) {
	case *ast.VarDecl, *ast.FuncDecl, *ast.TypedefDecl, *ast.BindingDecl:
		return true
	}
	return false
}

// TestExtents compares the source text that some nodes cover.
func TestExtents(t *testing.T) {
	const text = "template <typename T> struct S { T v; };\n" +
		"[[kernel]] void f(device float *a [[buffer(0)]]) { a[1] = (float)2 + g<3>(1, 2).x; for (;;) { break; } }\n" +
		"S<S<int>> s, t = {1, 2};\n"
	set, sink := diag.NewFileSet(), diag.NewSink()
	f := set.AddFile("x", text)
	file := parseFile(set, f, sink)
	require.Zero(t, sink.Errors(), messages(t, set, sink))
	got := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		got[strings.TrimPrefix(fmt.Sprintf("%T ", n), "*ast.")+text[f.Offset(n.Pos()):f.Offset(n.End())]] = true
		return true
	})
	for _, want := range []string{
		"TemplateDecl template <typename T> struct S { T v; };", "RecordDecl struct S { T v; };", "TemplateParam typename T",
		"VarDecl T v;",
		"Attr kernel", "Attr buffer(0)", "Param device float *a [[buffer(0)]]", "PointerType device float *",
		"QualType device float",
		"IndexExpr a[1]", "CastExpr (float)2", "CallExpr g<3>(1, 2)", "MemberExpr g<3>(1, 2).x", "TemplateArg 3", "Name g<3>",
		"AssignExpr a[1] = (float)2 + g<3>(1, 2).x", "ExprStmt a[1] = (float)2 + g<3>(1, 2).x;",
		"ForStmt for (;;) { break; }", "BreakStmt break;",
		"VarDecl S<S<int>> s", "VarDecl t = {1, 2};", "NamedType S<S<int>>", "TemplateArg S<int>", "InitList {1, 2}",
	} {
		assert.True(t, got[want], want)
	}
}

// TestMacroPositions checks that nodes from macros are found where the macro was used.
func TestMacroPositions(t *testing.T) {
	const text = "#define ADD(a, b) ((a) + (b))\n#define VALUE 3\nint x = ADD(1, VALUE);\n"
	set, sink := diag.NewFileSet(), diag.NewSink()
	file := parseFile(set, set.AddFile("x", text), sink)
	require.Zero(t, sink.Errors())
	v := file.Decls[0].(*ast.VarDecl)
	assert.Equal(t, "x:3:9", set.Position(v.Init.Pos()).String())
	sum := v.Init.(*ast.ParenExpr).X.(*ast.BinaryExpr)
	assert.Equal(t, "x:3:9", set.Position(sum.OpPos).String())
	assert.True(t, sum.OpPos.InMacro())
	assert.Equal(t, "x:3:16", set.Position(sum.Y.(*ast.ParenExpr).X.Pos()).String())
}
