package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Every pointer and reference that is spelled out needs an address space, in declarations as in
// casts, template arguments and operands of sizeof. auto, decltype and the parameters of function
// templates may supply it: T in T * is also deduced with its address space. A template is checked
// where it is declared, since the types that do not depend on its parameters are wrong in every
// instance, and those that depend on the parameters of a class template are checked in its
// instances. There, aliases and template arguments are left alone: computations with types need no
// address spaces.

// writtenType resolves a type that an expression or a template spells out, and reports the pointers
// and references without an address space in it.
func (c *checker) writtenType(what string, t ast.TypeExpr) Q {
	q := c.typ(t)
	if !c.isBad(q.Type) {
		c.explicitSpace(what, t, t)
	}
	return q
}

// argSpaces reports the pointers and references without an address space in written template
// arguments. It leaves those to others that are only tried, since they would seem not to fit.
func (c *checker) argSpaces(list []ast.TemplateArg) {
	if c.trap != nil || c.inTemplate() {
		return
	}
	for i := range list {
		if t := list[i].Type; t != nil {
			c.explicitSpace("a template argument", t, t)
		}
	}
}

// explicitSpace reports the pointers and references without an address space in the type of what
// n declares.
func (c *checker) explicitSpace(what string, t ast.TypeExpr, n ast.Node) {
	if c.inPrelude {
		return
	}
	switch t := t.(type) {
	case *ast.QualType:
		c.explicitSpace(what, t.Elem, n)
	case *ast.PackType:
		c.explicitSpace(what, t.Elem, n)
	case *ast.ArrayType:
		c.explicitSpace(what, t.Elem, n)
	case *ast.PointerType:
		c.explicitSpace(what, t.Elem, n)
		c.requireSpace("pointer", what, t.Elem, n)
	case *ast.ReferenceType:
		c.explicitSpace(what, t.Elem, n)
		c.requireSpace("reference", what, t.Elem, n)
	case *ast.FuncType:
		c.explicitSpace(what, t.Result, n)
		for _, p := range t.Params {
			c.paramSpace(p)
		}
	}
}

func (c *checker) requireSpace(kind, what string, elem ast.TypeExpr, n ast.Node) {
	if _, pointer := arrayElem(elem).(*ast.PointerType); pointer && kind == "reference" {
		return // Metal's compiler accepts device T *&x and device T *(&x)[2]
	}
	if c.hasSpace(elem) || c.spaceless[n] {
		return
	}
	if c.trap == nil { // once, not for every instance
		if c.spaceless == nil {
			c.spaceless = map[ast.Node]bool{}
		}
		c.spaceless[n] = true
	}
	c.errorf(diag.PointerSpace, n,
		"%s type of %s must have explicit address space qualifier, such as 'thread' or 'device'", kind, what)
}

// arrayElem returns a type without its qualifiers and array bounds.
func arrayElem(t ast.TypeExpr) ast.TypeExpr {
	for {
		switch e := t.(type) {
		case *ast.QualType:
			t = e.Elem
		case *ast.ArrayType:
			t = e.Elem
		default:
			return t
		}
	}
}

// hasSpace reports whether a type has an address space, needs none, or may get one by deduction.
func (c *checker) hasSpace(t ast.TypeExpr) bool {
	switch t := t.(type) {
	case *ast.QualType:
		return t.Space != ast.NoSpace || c.hasSpace(t.Elem)
	case *ast.PackType:
		return c.hasSpace(t.Elem)
	case *ast.ArrayType:
		return c.hasSpace(t.Elem)
	case *ast.BasicType, *ast.PointerType, *ast.RecordType, *ast.EnumType, *ast.ElaboratedType:
		return false
	case *ast.NamedType:
		q, known := c.namedElem(t.Name)
		if !known || c.isBad(q.Type) || isRef(q) {
			return true
		}
		_, function := q.Type.(*types.Func)
		return function || q.Space != types.None || c.hasAuto(q)
	}
	return true
}

// namedElem resolves the name of a type that is pointed to, if that is possible without the
// arguments of a function template or of a template that is being declared.
func (c *checker) namedElem(n *ast.Name) (q Q, known bool) {
	dependent := false
	ast.Inspect(n, func(n ast.Node) bool {
		if n, ok := n.(*ast.Name); ok && len(n.Parts) > 0 && !n.Global {
			dependent = dependent || c.deducedName(n.Parts[0].Ident)
		}
		return !dependent
	})
	last := n.Last()
	if len(n.Parts) == 1 && last.HasArgs {
		if y := c.lookup(last.Ident); y != nil {
			if t, ok := y.typ.(*classTmpl); ok { // an instance has no address space, whatever the arguments
				return Q{Type: types.Int}, t != nil
			}
		}
	}
	if dependent || c.declaring > 0 && (len(n.Parts) > 1 || last.HasArgs) {
		return Q{}, false
	}
	if c.declaring > 0 { // what is declared in the template is not
		y := c.lookup(last.Ident)
		if y == nil {
			return Q{}, false
		}
		t, ok := y.typ.(*typeName)
		if !ok {
			return Q{}, false
		}
		return t.q, true
	}
	if !c.try(func() { q = c.namedType(n) }) {
		return Q{}, false
	}
	return q, true
}

// deducedName reports whether a name is a parameter of a function template, or an element of a
// pack, or of a template that is being declared.
func (c *checker) deducedName(name string) bool {
	for s := c.sc; s != nil; s = s.parent {
		if y := s.syms.of(name); !y.empty() {
			return s.kind == bindScope && (s.deduced || !s.params)
		}
	}
	return false
}

// inTemplate reports whether the current scope is in an instance of a template. Aliases in
// templates often serve computations with types, which need no address spaces.
func (c *checker) inTemplate() bool {
	for s := c.sc; s != nil; s = s.parent {
		if s.kind == bindScope {
			return true
		}
	}
	return false
}

// templateSpaces checks the declared types of a template that do not depend on its parameters.
func (c *checker) templateSpaces(d *ast.TemplateDecl) {
	if c.inPrelude || c.declaring > 0 {
		return
	}
	c.declaring++
	defer func() { c.declaring-- }()
	params := newScope(c.sc, bindScope, "")
	params.params, params.deduced = true, true
	c.in(params, func() {
		ast.Inspect(d, func(n ast.Node) bool {
			c.step()
			switch n := n.(type) {
			case *ast.TemplateDecl:
				for i := range n.Params {
					p := &n.Params[i]
					if p.Ident != nil {
						params.sym(p.Ident.Name).typ = &typeName{q: Q{Type: types.Int}}
					}
					c.explicitSpace("template parameter '"+paramName(p)+"'", p.DefaultType, p)
					c.explicitSpace("template parameter '"+paramName(p)+"'", p.Type, p)
				}
			case *ast.RecordDecl:
				for _, m := range n.Members {
					if v, ok := m.(*ast.VarDecl); ok && v.Name != nil && !v.Spec.Static {
						c.explicitSpace("member '"+v.Name.Last().Ident+"'", v.Type, v)
					}
				}
			case *ast.FuncDecl:
				c.resultSpace(n)
				if c.stage(n) == "" {
					for _, p := range n.Params {
						c.paramSpace(p)
					}
				}
			case *ast.VarDecl:
				if n.Name != nil {
					c.explicitSpace("variable '"+n.Name.Last().Ident+"'", n.Type, n)
				}
			case *ast.TypedefDecl:
				c.explicitSpace("'"+n.Ident.Name+"'", n.Type, n)
			case *ast.AliasDecl:
				c.explicitSpace("'"+n.Ident.Name+"'", n.Type, n)
			case *ast.LambdaExpr:
				for _, p := range n.Params {
					c.paramSpace(p)
				}
			case *ast.TemplateArg:
				c.explicitSpace("a template argument", n.Type, n.Type)
			case *ast.CastExpr:
				c.explicitSpace("a cast", n.Type, n.Type)
			case *ast.SizeofExpr:
				c.explicitSpace("the operand of sizeof", n.Type, n.Type)
			}
			return true
		})
	})
}

func (c *checker) paramSpace(p *ast.Param) {
	what := "a parameter"
	if p.Ident != nil {
		what = "parameter '" + p.Ident.Name + "'"
	}
	c.explicitSpace(what, p.Type, p)
}

func (c *checker) resultSpace(d *ast.FuncDecl) {
	t := d.Result
	if last := d.Name.Last(); last.Kind == ast.PartConversion {
		t = last.Type
	}
	if t != nil {
		c.explicitSpace("the result of '"+funcName(d.Name)+"'", t, t)
	}
}
