package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [stmt.ranged]: for (T x : range) is a block that binds range to a reference and runs a loop from
// begin to end, with x initialized from *begin each time. begin and end are those of an array,
// members of a class if it has either name, and otherwise functions found by the argument's type.

// The variables of a range-based for have names that no program can spell.
const (
	rangeName = "for:range"
	beginName = "for:begin"
	endName   = "for:end"
	elemName  = "for:element"
)

// rangeFor checks a loop over an array, or over an object with begin() and end().
func (c *checker) rangeFor(s *ast.RangeForStmt) []typed.Stmt {
	var out []typed.Stmt
	c.scoped(func() {
		if s.Init != nil {
			out = append(out, c.stmt(s.Init)...)
		}
		r := c.expr(s.Range)
		if l, ok := r.(*initList); ok && len(l.elems) > 0 {
			r = c.initFromList(l, Q{Type: c.u.Array(c.value(l.elems[0]).Type(), len(l.elems))})
		}
		if c.isBad(r.Type()) {
			return
		}
		if _, ok := r.(*overload); ok || r.Type() == types.Type(types.Void) {
			c.value(r)
			c.errorf(diag.BadRange, s.Range, "invalid range expression")
			return
		}
		if !r.Base().LValue {
			v := c.syntheticVar(rangeName, Q{Type: r.Type()}, s.Range)
			out = append(out, &typed.VarDecl{StmtPos: sp(s), Var: v.v, Init: c.value(r)})
			r = c.varRef(v, s.Range.Pos())
		}
		if inner, ok := r.Type().(*types.Struct); ok && inner.Template == "metal::array" {
			r = c.memberPath(r, []int{0}, r.Pos())
		}
		l := &typed.Loop{StmtPos: sp(s), TestFirst: true}
		var elem typed.Expr
		switch t := r.Type().(type) {
		case *types.Array:
			if t.Len != types.Unsized {
				elem = c.arrayRange(l, r, t, s)
			}
		case *types.Struct:
			elem = c.classRange(l, r, s)
		}
		if elem == nil {
			c.errorf(diag.BadRange, s.Range, "invalid range expression of type '%s'", r.Type())
			return
		}
		if c.isBad(elem.Type()) {
			return
		}
		c.scoped(func() {
			pre := c.rangeElement(s, elem)
			c.loopBody(l, s.Body, nil)
			l.Body.List = append(pre, l.Body.List...)
		})
		out = append(out, l)
	})
	return wrapScope(s, out, true)
}

// syntheticVar declares a local variable that is not in the program.
func (c *checker) syntheticVar(name string, q Q, n ast.Node) *variable {
	v := c.newVar(name, q, typed.Local, n)
	v.v.Name = ""
	v.owner = c.fn
	v.v.ID = c.fn.out.Locals
	c.fn.out.Locals++
	c.sc.sym(name).val = v
	return v
}

// arrayRange iterates over the elements of an array and returns the current one.
func (c *checker) arrayRange(l *typed.Loop, r typed.Expr, t *types.Array, s *ast.RangeForStmt) typed.Expr {
	iv := c.syntheticVar(beginName, Q{Type: types.Int}, s)
	l.Init = []typed.Stmt{&typed.VarDecl{StmtPos: sp(s), Var: iv.v, Init: c.konst(s.Pos(), types.IntValue(types.Int, 0))}}
	i := c.varRef(iv, s.Pos())
	l.Cond = &typed.Binary{Info: rv(s, types.Bool), Op: types.Lt, X: c.load(i),
		Y: c.konst(s.Pos(), types.IntValue(types.Int, int64(t.Len)))}
	l.Post = &typed.IncDec{Info: *i.Base(), X: i}
	b := r.Base()
	return &typed.Index{Info: typed.Info{At: s.Pos(), Typ: t.Elem, LValue: true, Const: b.Const, Volatile: b.Volatile,
		Space: b.Space}, X: r, Index: c.load(i)}
}

// classRange iterates from begin() to end(), which are members of the object or functions of its
// namespace, and returns the element the iterator points to; nil if there are none.
func (c *checker) classRange(l *typed.Loop, r typed.Expr, s *ast.RangeForStmt) typed.Expr {
	span := ast.Span{From: s.Range.Pos(), To: s.Range.End()}
	name := func(n string) ast.Expr {
		return &ast.NameExpr{Span: span, Name: &ast.Name{Span: span, Parts: []ast.NamePart{{Span: span, Ident: n}}}}
	}
	c.sc.sym(rangeName).val = &variable{name: rangeName, q: qOf(r), bind: r, owner: c.fn, state: stateDone}
	k := c.classes[r.Type().(*types.Struct)]
	if k == nil {
		return nil
	}
	c.complete(k)
	member := !c.lookupMember(k, "begin").empty() || !c.lookupMember(k, "end").empty()
	for _, end := range []struct{ local, method string }{{beginName, "begin"}, {endName, "end"}} {
		call := &ast.CallExpr{Span: span, Fun: name(end.method), Args: []ast.Expr{name(rangeName)}}
		if member {
			call.Fun = &ast.MemberExpr{Span: span, X: name(rangeName),
				Name: &ast.Name{Span: span, Parts: []ast.NamePart{{Span: span, Ident: end.method}}}}
			call.Args = nil
		} else if !c.hasFreeRange(r, end.method) {
			return nil
		}
		e := c.value(c.expr(call))
		if c.isBad(e.Type()) {
			return e
		}
		v := c.syntheticVar(end.local, Q{Type: e.Type()}, s.Range)
		l.Init = append(l.Init, &typed.VarDecl{StmtPos: sp(s), Var: v.v, Init: e})
	}
	l.Cond = c.toBool(c.expr(&ast.BinaryExpr{Span: span, Op: token.Ne, OpPos: span.From, X: name(beginName),
		Y: name(endName)}), "condition")
	l.Post = c.expr(&ast.UnaryExpr{Span: span, Op: token.PlusPlus, X: name(beginName)})
	if c.anyBad(l.Cond, l.Post) {
		return c.badExpr(s.Range)
	}
	return c.expr(&ast.UnaryExpr{Span: span, Op: token.Star, X: name(beginName)})
}

// hasFreeRange reports whether a free begin or end can be found for an object without such members.
func (c *checker) hasFreeRange(r typed.Expr, name string) bool {
	for _, ns := range c.associated([]typed.Expr{r}) {
		if y := ns.syms.of(name); y != nil && len(y.fns) > 0 {
			return true
		}
	}
	return false
}

// rangeElement declares the loop's variable or bindings.
func (c *checker) rangeElement(s *ast.RangeForStmt, elem typed.Expr) []typed.Stmt {
	c.sc.sym(elemName).val = &variable{name: elemName, q: qOf(elem), bind: elem, owner: c.fn, state: stateDone}
	span := ast.Span{From: s.Var.Pos(), To: s.Var.End()}
	init := &ast.NameExpr{Span: span, Name: &ast.Name{Span: span, Parts: []ast.NamePart{{Span: span, Ident: elemName}}}}
	switch d := s.Var.(type) {
	case *ast.VarDecl:
		v := *d
		v.InitKind, v.Init = ast.CopyInit, init
		return c.localVar(&v)
	case *ast.BindingDecl:
		b := *d
		b.InitKind, b.Init = ast.CopyInit, init
		return c.binding(&b)
	}
	return nil
}
