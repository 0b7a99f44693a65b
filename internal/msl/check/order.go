package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
)

// [temp.class.order]: a partial specialization is more specialized than another if its argument
// list matches the other's and not the reverse, with unique values in place of its own template
// parameters.

// matcher compares the syntax of two patterns: the free names of one match anything, those of the
// other only themselves. It does just what partial ordering needs.
type matcher struct {
	free  map[string]bool
	other map[string]bool
	bound map[string]string
}

func newMatcher(free, other []ast.TemplateParam) *matcher {
	m := &matcher{free: make(map[string]bool), other: make(map[string]bool), bound: make(map[string]string)}
	for i := range free {
		if free[i].Ident != nil {
			m.free[free[i].Ident.Name] = true
		}
	}
	for i := range other {
		if other[i].Ident != nil {
			m.other[other[i].Ident.Name] = true
		}
	}
	return m
}

func (m *matcher) bind(name string, n ast.Node) bool {
	s := ast.String(n)
	if old, ok := m.bound[name]; ok {
		return old == s
	}
	m.bound[name] = s
	return true
}

func (m *matcher) name(n *ast.Name) string {
	if s := n.Simple(); m.free[s] {
		return s
	}
	return ""
}

func argNode(a *ast.TemplateArg) ast.Node {
	if a.Type != nil {
		if n, ok := a.Type.(*ast.NamedType); ok {
			return n.Name
		}
		return a.Type
	}
	if n, ok := a.X.(*ast.NameExpr); ok {
		return n.Name
	}
	return a.X
}

func (m *matcher) args(p, q []ast.TemplateArg) bool {
	for i := range p {
		if inner, ok := packOf(&p[i]); ok {
			if n, ok := argNode(inner).(*ast.Name); ok && m.name(n) != "" {
				return true
			}
		}
		if i >= len(q) {
			return false
		}
		if _, ok := packOf(&q[i]); ok {
			return false
		}
		if !m.node(argNode(&p[i]), argNode(&q[i])) {
			return false
		}
	}
	return len(p) == len(q)
}

func (m *matcher) node(p, q ast.Node) bool {
	if t, ok := p.(*ast.NamedType); ok {
		p = t.Name
	}
	if t, ok := q.(*ast.NamedType); ok {
		q = t.Name
	}
	switch p := p.(type) {
	case *ast.Name:
		if s := m.name(p); s != "" {
			return m.bind(s, q)
		}
		o, ok := q.(*ast.Name)
		if !ok {
			return false
		}
		// A template template parameter.
		if p.Last().HasArgs && len(p.Parts) == 1 && m.free[p.Parts[0].Ident] && o.Last().HasArgs {
			named := *o
			named.Parts = append([]ast.NamePart(nil), o.Parts...)
			named.Parts[len(named.Parts)-1].HasArgs, named.Parts[len(named.Parts)-1].Args = false, nil
			return m.bind(p.Parts[0].Ident, &named) && m.args(p.Last().Args, o.Last().Args)
		}
		a, b := p.Last(), o.Last()
		if a.Ident != b.Ident || a.HasArgs != b.HasArgs || m.other[b.Ident] && len(o.Parts) == 1 {
			return false
		}
		return !a.HasArgs || m.args(a.Args, b.Args)
	case *ast.QualType:
		if a, ok := q.(*ast.ArrayType); ok {
			q = outerQual(a)
		}
		o, ok := q.(*ast.QualType)
		if !ok || p.Const && !o.Const || p.Volatile && !o.Volatile || p.Space != ast.NoSpace && p.Space != o.Space {
			return false
		}
		rest := &ast.QualType{Const: o.Const && !p.Const, Volatile: o.Volatile && !p.Volatile, Elem: o.Elem}
		if p.Space == ast.NoSpace {
			rest.Space = o.Space
		}
		if !rest.Const && !rest.Volatile && rest.Space == ast.NoSpace {
			return m.node(p.Elem, o.Elem)
		}
		return m.node(p.Elem, rest)
	case *ast.PointerType:
		o, ok := q.(*ast.PointerType)
		return ok && m.node(p.Elem, o.Elem)
	case *ast.ReferenceType:
		o, ok := q.(*ast.ReferenceType)
		return ok && p.RValue == o.RValue && m.node(p.Elem, o.Elem)
	case *ast.ArrayType:
		o, ok := q.(*ast.ArrayType)
		if !ok || (p.Len == nil) != (o.Len == nil) {
			return false
		}
		if p.Len != nil {
			var a, b ast.Node = p.Len, o.Len
			if n, ok := a.(*ast.NameExpr); ok {
				a = n.Name
			}
			if n, ok := b.(*ast.NameExpr); ok {
				b = n.Name
			}
			if !m.node(a, b) {
				return false
			}
		}
		return m.node(p.Elem, o.Elem)
	case *ast.PackType:
		o, ok := q.(*ast.PackType)
		if !ok {
			return m.node(p.Elem, q)
		}
		return m.node(p.Elem, o.Elem)
	}
	return ast.String(p) == ast.String(q)
}

// outerQual moves the qualifiers of an array's elements to the array.
func outerQual(a *ast.ArrayType) ast.TypeExpr {
	u := *a
	switch e := a.Elem.(type) {
	case *ast.QualType:
		u.Elem = e.Elem
		q := *e
		q.Elem = &u
		return &q
	case *ast.ArrayType:
		if q, ok := outerQual(e).(*ast.QualType); ok {
			u.Elem = q.Elem
			q.Elem = &u
			return q
		}
	}
	return a
}
