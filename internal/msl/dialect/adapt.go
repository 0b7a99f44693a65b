package dialect

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
)

// isPointer reports whether a parameter of this type is passed by its address.
func isPointer(t ast.TypeExpr) bool {
	switch t := t.(type) {
	case *ast.QualType:
		return isPointer(t.Elem)
	case *ast.PointerType, *ast.ReferenceType, *ast.ArrayType:
		return true
	}
	return false
}

// inSpace gives the pointers in a type that have no address space one.
func inSpace(t ast.TypeExpr, s ast.AddrSpace) {
	switch t := t.(type) {
	case *ast.QualType:
		inSpace(t.Elem, s)
	case *ast.ArrayType:
		inSpace(t.Elem, s)
	case *ast.PointerType:
		inSpace(t.Elem, s)
		if q, ok := t.Elem.(*ast.QualType); !ok {
			t.Elem = &ast.QualType{Span: ast.Span{From: t.Elem.Pos(), To: t.Elem.End()}, Space: s, Elem: t.Elem}
		} else if q.Space == ast.NoSpace {
			q.Space = s
		}
	}
}

// copySuffix ends the name of a parameter whose copy has the name. No program can write such a
// name.
const copySuffix = "'"

// Written returns the name of a parameter as the program has it.
func Written(name string) string { return strings.TrimSuffix(name, copySuffix) }

// byValue makes a parameter of a kernel that is passed by value a reference to constant memory. The
// body begins with a copy of the parameter's name, which it may change.
func byValue(p *ast.Param, body *ast.BlockStmt) {
	q, ok := p.Type.(*ast.QualType)
	if !ok {
		q = &ast.QualType{Span: ast.Span{From: p.Type.Pos(), To: p.Type.End()}, Elem: p.Type}
	}
	q.Space = ast.Constant
	p.Type = &ast.ReferenceType{Span: q.Span, Elem: q}
	if p.Ident == nil || body == nil {
		return
	}
	at := p.Ident.Span
	name := func(s string) *ast.Name { return &ast.Name{Span: at, Parts: []ast.NamePart{{Span: at, Ident: s}}} }
	copied := &ast.VarDecl{Span: at, Type: &ast.AutoType{Span: at}, Name: name(p.Ident.Name), InitKind: ast.CopyInit,
		Init: &ast.NameExpr{Span: at, Name: name(p.Ident.Name + copySuffix)}}
	p.Ident = &ast.Ident{Span: at, Name: p.Ident.Name + copySuffix}
	body.List = append([]ast.Stmt{&ast.DeclStmt{Span: at, Decls: []ast.Decl{copied}}}, body.List...)
}
