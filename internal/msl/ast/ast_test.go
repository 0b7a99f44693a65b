package ast_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

func simple(name string) *ast.Name {
	return &ast.Name{Parts: []ast.NamePart{{Ident: name}}}
}

func TestNames(t *testing.T) {
	assert.Equal(t, "x", simple("x").Simple())
	assert.Empty(t, (*ast.Name)(nil).Simple())
	for _, n := range []*ast.Name{
		{Global: true, Parts: []ast.NamePart{{Ident: "x"}}},
		{Parts: []ast.NamePart{{Ident: "x"}, {Ident: "y"}}},
		{Parts: []ast.NamePart{{Ident: "x", HasArgs: true}}},
		{Parts: []ast.NamePart{{Kind: ast.PartDestructor, Ident: "x"}}},
	} {
		assert.Empty(t, n.Simple(), ast.NameString(n))
	}
	n := &ast.Name{Global: true, Parts: []ast.NamePart{
		{Ident: "a", HasArgs: true},
		{Ident: "b", Template: true, HasArgs: true,
			Args: []ast.TemplateArg{{Type: &ast.BasicType{Kind: ast.Int}}, {X: &ast.IntLit{Text: "3"}}}},
		{Kind: ast.PartOperator, Op: token.LParen},
	}}
	assert.Equal(t, "::a<>::template b<int, 3>::operator()", ast.NameString(n))
	assert.Equal(t, ast.PartOperator, n.Last().Kind)
}

func TestOpString(t *testing.T) {
	for op, want := range map[token.Kind]string{
		token.Plus: "+", token.ShrAssign: ">>=", token.LParen: "()", token.LBrack: "[]", token.Comma: ",",
		token.KwNew: " new", token.KwDelete: " delete",
	} {
		assert.Equal(t, want, ast.OpString(op))
	}
}

func TestFindAttr(t *testing.T) {
	a, b := &ast.Attr{Name: "buffer"}, &ast.Attr{Name: "texture"}
	scoped := &ast.Attr{Scope: "clang", Name: "id"}
	assert.Same(t, b, ast.FindAttr("texture", []*ast.Attr{a}, []*ast.Attr{scoped, b}))
	assert.Nil(t, ast.FindAttr("id", []*ast.Attr{a, scoped, b}))
	assert.Nil(t, ast.FindAttr("buffer"))
}

func TestInspectOrderAndPruning(t *testing.T) {
	x := &ast.BinaryExpr{Op: token.Plus, X: &ast.NameExpr{Name: simple("a")},
		Y: &ast.CallExpr{Fun: &ast.NameExpr{Name: simple("f")}, Args: []ast.Expr{&ast.IntLit{Text: "1"}}}}
	var all, pruned []string
	visit := func(list *[]string, into bool) func(ast.Node) bool {
		return func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.NamePart:
				*list = append(*list, n.Ident)
			case *ast.IntLit:
				*list = append(*list, n.Text)
			case *ast.CallExpr:
				*list = append(*list, "call")
				return into
			}
			return true
		}
	}
	ast.Inspect(x, visit(&all, true))
	ast.Inspect(x, visit(&pruned, false))
	assert.Equal(t, []string{"a", "call", "f", "1"}, all)
	assert.Equal(t, []string{"a", "call"}, pruned)
	assert.Equal(t, "(+ a (call f 1))\n", ast.String(x))
}

func TestSpan(t *testing.T) {
	n := &ast.Ident{Span: ast.Span{From: 3, To: 7}}
	assert.Equal(t, diag.Pos(3), n.Pos())
	assert.Equal(t, diag.Pos(7), n.End())
}
