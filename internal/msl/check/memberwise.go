package check

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [dcl.init.aggr]: members of an aggregate are initialized in order, those without a value from
// their default member initializers, which may name earlier members.

// If the default initializer of an aggregate's member names other members, the aggregate cannot be
// built from values alone. A synthesized constructor takes the members that are given and
// initializes the others in order.

// defaultsNeedObject reports whether the default initializer of a member that is not given names
// the object.
func (c *checker) defaultsNeedObject(k *class, elems []typed.Expr) bool {
	for i, d := range k.decls {
		if i < len(elems) && elems[i] != nil || d == nil || d.InitKind == ast.NoInit {
			continue
		}
		found := false
		look := func(n ast.Node) bool {
			c.step()
			switch n := n.(type) {
			case *ast.ThisExpr:
				found = true
			case *ast.NameExpr:
				if y := c.lookupMember(k, n.Name.Parts[0].Ident); y != nil {
					_, isField := y.val.(field)
					found = found || isField || len(y.fns) > 0 && y.fns[0].isMethod()
				}
			}
			return !found
		}
		if d.Init != nil {
			ast.Inspect(d.Init, look)
		}
		for _, a := range d.Args {
			ast.Inspect(a, look)
		}
		if found {
			return true
		}
	}
	return false
}

// memberwise creates an object from the given members; nil entries of elems are not given.
func (c *checker) memberwise(k *class, elems []typed.Expr, n ast.Node) typed.Expr {
	span := ast.Span{From: n.Pos(), To: n.Pos()}
	if k.decl != nil {
		span = k.decl.Span
	}
	name := func(s string) *ast.Name {
		return &ast.Name{Span: span, Parts: []ast.NamePart{{Span: span, Ident: s}}}
	}
	var args []typed.Expr
	key := ""
	for i, e := range elems {
		if e != nil {
			args = append(args, e)
			key += fmt.Sprint(i, ";")
		}
	}
	f := k.memberwise[key]
	if f == nil {
		s := newScope(k.sc, bindScope, "")
		d := &ast.FuncDecl{Span: span, Name: name("memberwise"), Ctor: true, Member: true, Body: &ast.BlockStmt{Span: span}}
		d.Spec.Constexpr = true
		for i, e := range elems {
			if e == nil {
				continue
			}
			fl := &k.st.Fields[i]
			q := fl.Type
			q.Const = false
			if a, ok := q.Type.(*types.Array); ok {
				q = Q{Type: c.u.Reference(Q{Type: a, Const: true, Space: types.Thread}, false)}
			}
			param, member := fmt.Sprintf("given:%d", i), fl.Name
			s.sym(param).typ = &typeName{q: q}
			if fl.Base || member == "" {
				member = fmt.Sprintf("base:%d", i)
				s.sym(member).typ = &typeName{q: Q{Type: fl.Type.Type}}
			}
			d.Params = append(d.Params, &ast.Param{Span: span, Ident: &ast.Ident{Span: span, Name: param},
				Type: &ast.NamedType{Span: span, Name: name(param)}})
			d.Inits = append(d.Inits, ast.CtorInit{Span: span, Name: name(member),
				Args: []ast.Expr{&ast.NameExpr{Span: span, Name: name(param)}}})
		}
		f = &function{name: "memberwise", decl: d, scope: s, class: k}
		if !c.signature(f) {
			return c.badExpr(n)
		}
		if k.memberwise == nil {
			k.memberwise = make(map[string]*function)
		}
		k.memberwise[key] = f
	}
	for i, p := range f.params {
		if r, ok := p.Type.(*types.Reference); ok {
			if _, isArray := r.Elem.Type.(*types.Array); isArray {
				args[i] = c.addr(c.temp(args[i], r.Elem))
			}
		}
	}
	c.needBody(f)
	return &typed.Construct{Info: rv(n, k.st), Ctor: f.out, Args: args}
}
