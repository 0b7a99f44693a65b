package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [temp.func.order] and [temp.deduct.partial]: a template is at least as specialized as another if
// the parameters of the other can be deduced from its own, with unique types in place of its
// template parameters; it is more specialized if that is not so the other way round.

// functionOrder reports whether template f is more specialized than g for n arguments of a call:
// g's parameters can be deduced from f's but not the other way round. References and top-level
// qualifiers count only as a tie-break.
func (c *checker) functionOrder(f, g *function, n int) bool {
	fg, gf := c.deducible(g, f, n), c.deducible(f, g, n)
	if fg != gf {
		return fg
	}
	if !fg {
		return false
	}
	if a, b := c.moreQualified(f, g, n), c.moreQualified(g, f, n); a != b {
		return a
	}
	return endsInPack(g) && !endsInPack(f)
}

// endsInPack reports whether the last parameter of a function template is a pack.
func endsInPack(f *function) bool {
	n := len(f.decl.Params)
	if n == 0 {
		return false
	}
	_, ok := f.decl.Params[n-1].Type.(*ast.PackType)
	return ok
}

// deducible reports whether the first n parameters of p can be deduced from those of q, whose
// template parameters are replaced by unique types, values and templates.
func (c *checker) deducible(p, q *function, n int) bool {
	from, ok := c.orderParams(q, n)
	if !ok {
		return functionFits(p, q, n)
	}
	d := c.newDeducer(p.tparams)
	d.exact = true
	c.in(p.scope, func() {
		for i := range n {
			x, y := paramAt(p.decl.Params, i), paramAt(q.decl.Params, i)
			if x == nil || y == nil {
				ok = ok && x == y
				return
			}
			_, xp := x.(*ast.PackType)
			_, yp := y.(*ast.PackType)
			if yp && !xp {
				ok = false
				return
			}
			use := d
			if xp { // each element binds the pack names anew
				use = &deducer{c: c, names: d.names, got: make(map[string]*arg), fixed: d.fixed, exact: true}
				for name, a := range d.got {
					if !d.names[name].Pack {
						use.got[name] = a
					}
				}
			}
			if !use.typ(orderType(x), from[i]) {
				ok = false
				return
			}
		}
	})
	return ok
}

// orderParams resolves the parameters of a template with its template parameters replaced by unique
// entities.
func (c *checker) orderParams(f *function, n int) (list []Q, ok bool) {
	for i := range n {
		if t := paramAt(f.decl.Params, i); t != nil && hasNested(f, t) {
			return nil, false
		}
	}
	if f.order == nil {
		f.order = c.orderScope(f)
	}
	c.unevaluated++
	defer func() { c.unevaluated-- }()
	ok = c.try(func() {
		c.in(f.order, func() {
			for i := range n {
				t := paramAt(f.decl.Params, i)
				if t == nil {
					list = append(list, Q{})
					continue
				}
				q := c.paramType(c.typ(unpack(t)))
				if r, isRef := q.Type.(*types.Reference); isRef {
					q = r.Elem
				}
				list = append(list, Q{Type: q.Type})
			}
		})
	})
	return list, ok
}

// hasNested reports whether a type is a member of a type that depends on the template's parameters.
// Such a type must not be instantiated for unique entities.
func hasNested(f *function, t ast.TypeExpr) bool {
	found := false
	ast.Inspect(t, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DecltypeType:
			found = true
		case *ast.Name:
			for i := range n.Parts[:len(n.Parts)-1] {
				found = found || n.Parts[i].HasArgs
				for k := range f.tparams {
					id := f.tparams[k].Ident
					found = found || id != nil && id.Name == n.Parts[i].Ident
				}
			}
		}
		return !found
	})
	return found
}

func (c *checker) orderScope(f *function) *scope {
	s := newScope(f.scope, bindScope, "")
	for i := range f.tparams {
		p := &f.tparams[i]
		if p.Ident == nil {
			continue
		}
		name := p.Ident.Name
		switch p.Kind {
		case ast.TypeParam:
			t := c.u.NewStruct(types.StructRecord, "order:"+name)
			t.Complete(nil)
			s.sym(name).typ = &typeName{q: Q{Type: t}}
		case ast.TemplateParamTemplate:
			r := &ast.RecordDecl{Span: p.Span, Key: ast.KeyStruct, Defined: true}
			s.sym(name).typ = &classTmpl{name: "order:" + name, params: p.Params, decl: r, scope: f.scope}
		default:
			// No value fits this type: leave the comparison to the syntax.
			s.sym(name).val = &constant{value: types.IntValue(types.Long, int64(i)-1<<40)}
		}
	}
	return s
}

// moreQualified reports whether f's reference parameters have all qualifiers of g's, and address
// spaces that g's lack.
func (c *checker) moreQualified(f, g *function, n int) bool {
	for i := range n {
		x, y := paramAt(f.decl.Params, i), paramAt(g.decl.Params, i)
		if x == nil || y == nil {
			return false
		}
		a, ok1 := unpack(x).(*ast.ReferenceType)
		b, ok2 := unpack(y).(*ast.ReferenceType)
		if !ok1 || !ok2 {
			continue
		}
		if a.RValue != b.RValue {
			if a.RValue { // T & goes before T &&
				return false
			}
			continue
		}
		p, q := topQual(a.Elem), topQual(b.Elem)
		if q.Const && !p.Const || q.Volatile && !p.Volatile || q.Space != ast.NoSpace && q.Space != p.Space {
			return false
		}
	}
	return true
}

func topQual(t ast.TypeExpr) ast.QualType {
	if q, ok := t.(*ast.QualType); ok {
		return *q
	}
	return ast.QualType{}
}

// functionFits compares the syntax of two templates whose types cannot be resolved.
func functionFits(p, q *function, n int) bool {
	m := newMatcher(p.tparams, q.tparams)
	a, b := p.decl.Params, q.decl.Params
	for i := range n {
		x, y := paramAt(a, i), paramAt(b, i)
		if x == nil || y == nil {
			return x == y
		}
		_, xp := x.(*ast.PackType)
		_, yp := y.(*ast.PackType)
		if yp && !xp {
			return false
		}
		if !m.node(orderType(x), orderType(y)) {
			return false
		}
	}
	return true
}

func paramAt(list []*ast.Param, i int) ast.TypeExpr {
	if i < len(list) {
		return list[i].Type
	}
	if n := len(list); n > 0 {
		if t, ok := list[n-1].Type.(*ast.PackType); ok {
			return t
		}
	}
	return nil
}

// orderType drops what partial ordering ignores: references and top-level qualifiers.
func orderType(t ast.TypeExpr) ast.TypeExpr {
	t = unpack(t)
	r, isRef := t.(*ast.ReferenceType)
	if isRef {
		t = r.Elem
	}
	switch q := t.(type) {
	case *ast.QualType:
		return q.Elem
	case *ast.ArrayType:
		if isRef {
			return q
		}
		return &ast.PointerType{Span: q.Span, Elem: q.Elem}
	}
	return t
}
