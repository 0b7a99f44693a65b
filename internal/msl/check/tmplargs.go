package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [temp.arg]: an argument must be of its parameter's form. [temp.arg.type]: what could be a type or
// an expression is a type. [temp.arg.nontype]: a value is a converted constant expression of the
// parameter's type. [temp.param]: missing arguments come from defaults, which may name earlier
// parameters, and a pack takes all that are left.

// templateArgs resolves written template arguments; params, if known, tells types, values and
// templates apart.
func (c *checker) templateArgs(params []ast.TemplateParam, list []ast.TemplateArg) []arg {
	c.argSpaces(list)
	args := make([]arg, 0, len(list))
	for i := range list {
		a := &list[i]
		var p *ast.TemplateParam
		switch n := len(args); {
		case n < len(params):
			p = &params[n]
		case len(params) > 0 && params[len(params)-1].Pack:
			p = &params[len(params)-1]
		}
		if inner, ok := packOf(a); ok {
			c.expand(inner, inner, func() {
				args = append(args, c.templateArg(p, inner))
			})
			continue
		}
		if n, ok := a.X.(*ast.NameExpr); ok && (p == nil && i == 0 || p != nil && p.Kind == ast.TypeParam) &&
			!c.knownName(n.Name, "type") {
			args = append(args, arg{})
			continue
		}
		args = append(args, c.templateArg(p, a))
	}
	return args
}

// knownArgs reports names in written template arguments of functions that are not declared, which
// would only make every candidate fail.
func (c *checker) knownArgs(fns []*function, list []ast.TemplateArg) bool {
	c.argSpaces(list)
	for i := range list {
		what := "type"
		if len(fns) > 0 && !slices.ContainsFunc(fns, func(f *function) bool {
			return f.isTemplate() && (i >= len(f.tparams) || f.tparams[i].Kind != ast.ValueParam)
		}) {
			what = "name"
		}
		if !c.knownNames(&list[i], what) {
			return false
		}
	}
	return true
}

// knownNames reports the first undeclared name in a type or expression. A template argument that is
// just a name is taken for what.
func (c *checker) knownNames(n ast.Node, what string) bool {
	known := true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LambdaExpr:
			return false
		case *ast.TemplateArg:
			if x, ok := n.X.(*ast.NameExpr); ok {
				known = known && c.knownName(x.Name, what)
			}
			what = "type" // of the arguments within
		case *ast.NamedType:
			known = known && c.knownName(n.Name, "type")
		case *ast.NameExpr:
			known = known && c.knownName(n.Name, "name")
		}
		return known
	})
	return known
}

// knownName reports a name that is not declared. It leaves members of classes to others.
func (c *checker) knownName(n *ast.Name, what string) bool {
	var s *scope
	if n.Global {
		s = c.global
	}
	for i := range n.Parts {
		p := &n.Parts[i]
		if p.Kind != ast.PartIdent {
			return true
		}
		y := c.lookupPart(s, p.Ident)
		last := i == len(n.Parts)-1
		switch {
		case y.empty() && last:
			c.undeclared(s, p, p.Ident, what)
			return false
		case y.empty() && (p.Ident == "raytracing" || p.Ident == "mpp"):
			return true
		case y.empty() && s == nil:
			c.undeclared(nil, p, p.Ident, "name")
			return false
		case y.empty() || y.ns == nil || y.typ != nil:
			return true
		}
		s = y.ns
	}
	return true
}

// packOf returns the pattern of a pack expansion.
func packOf(a *ast.TemplateArg) (*ast.TemplateArg, bool) {
	if t, ok := a.Type.(*ast.PackType); ok {
		return &ast.TemplateArg{Span: a.Span, Type: t.Elem}, true
	}
	if x, ok := a.X.(*ast.PackExpr); ok {
		return &ast.TemplateArg{Span: a.Span, X: x.X}, true
	}
	return nil, false
}

func (c *checker) templateArg(p *ast.TemplateParam, a *ast.TemplateArg) arg {
	if a.Type != nil {
		if n, ok := a.Type.(*ast.NamedType); ok && p != nil &&
			(p.Kind == ast.TemplateParamTemplate || p.Kind == ast.ValueParam) {
			return c.templateArg(p, &ast.TemplateArg{Span: a.Span, X: &ast.NameExpr{Span: n.Span, Name: n.Name}})
		}
		q := c.typ(a.Type)
		if c.isBad(q.Type) {
			return arg{}
		}
		return arg{kind: argType, q: q}
	}
	if n, ok := a.X.(*ast.NameExpr); ok {
		if p != nil && p.Kind == ast.TemplateParamTemplate {
			return c.templateName(n.Name)
		}
		if p == nil || p.Kind == ast.TypeParam {
			if q, ok := c.nameAsType(n.Name); ok {
				if c.isBad(q.Type) {
					return arg{}
				}
				return arg{kind: argType, q: q}
			}
		}
		if p == nil {
			if s := n.Name.Simple(); s != "" {
				if y := c.lookup(s); y != nil {
					switch t := y.typ.(type) {
					case *classTmpl, *aliasTmpl:
						return arg{kind: argTemplate, tmpl: t}
					}
				}
			}
		}
	}
	if call, ok := a.X.(*ast.CallExpr); ok && (p == nil || p.Kind == ast.TypeParam) {
		// f(A, B) can be a function type.
		if n, ok := call.Fun.(*ast.NameExpr); ok {
			if q, ok := c.nameAsType(n.Name); ok {
				var params []Q
				for _, x := range call.Args {
					pn, ok := x.(*ast.NameExpr)
					if !ok {
						break
					}
					if pq, ok := c.nameAsType(pn.Name); ok {
						params = append(params, pq)
					}
				}
				if len(params) == len(call.Args) {
					return arg{kind: argType, q: Q{Type: c.u.Func(q, params, false)}}
				}
			}
		}
	}
	if p != nil && p.Kind == ast.TypeParam {
		if tv, ok := a.X.(*ast.TypeValue); ok {
			return arg{kind: argType, q: c.typ(tv.Type)}
		}
		e := c.exprUnevaluated(a.X)
		if t, ok := e.(*typeOperand); ok {
			return arg{kind: argType, q: t.q}
		}
		if !c.isBad(e.Type()) {
			c.errorf(diag.TemplateArgKind, a, "template argument must be a type")
		} else {
			c.failed()
		}
		return arg{}
	}
	return c.valueArg(a.X, a)
}

func (c *checker) exprUnevaluated(x ast.Expr) typed.Expr {
	c.unevaluated++
	defer func() { c.unevaluated-- }()
	return c.expr(x)
}

// valueArg evaluates a non-type argument; the binder converts it to the parameter's type.
func (c *checker) valueArg(x ast.Expr, n ast.Node) arg {
	e := c.expr(x)
	switch e := e.(type) {
	case *typeOperand:
		return arg{kind: argType, q: e.q}
	case *overload:
		if len(e.fns) > 0 {
			return arg{kind: argFunc, fn: nil, tmpl: e}
		}
	case *typed.FuncAddr:
		return arg{kind: argFunc, fn: c.functionOf(e.Func)}
	}
	if c.isBad(e.Type()) {
		c.failed()
		return arg{}
	}
	v, err := c.constant(e, consteval.Wrapping)
	if err != nil {
		c.notConstant(n, err, "template argument")
		return arg{}
	}
	return arg{kind: argValue, val: v}
}

// nameAsType resolves a name as a type if it is one; otherwise it reports nothing.
func (c *checker) nameAsType(n *ast.Name) (Q, bool) {
	if s := n.Simple(); s != "" {
		y := c.lookup(s)
		if y == nil || y.typ == nil {
			return Q{}, false
		}
		if t, ok := y.typ.(*typeName); ok {
			return t.q, true
		}
		return Q{}, false
	}
	s, ok := c.qualifier(n)
	if !ok {
		return c.badQ(), true
	}
	p := n.Last()
	if p.Kind != ast.PartIdent {
		return Q{}, false
	}
	y := c.lookupPart(s, p.Ident)
	if y == nil || y.typ == nil {
		return Q{}, false
	}
	if _, isT := y.typ.(*typeName); isT && !p.HasArgs {
		return y.typ.(*typeName).q, true
	}
	if !p.HasArgs {
		return Q{}, false
	}
	q, _ := c.typeOfPart(s, p)
	return q, true
}

// templateName resolves the name of a class or alias template that is a template argument.
func (c *checker) templateName(n *ast.Name) arg {
	s, ok := c.qualifier(n)
	if !ok {
		return arg{}
	}
	y := c.lookupPart(s, n.Last().Ident)
	if y != nil {
		switch t := y.typ.(type) {
		case *classTmpl, *aliasTmpl:
			return arg{kind: argTemplate, tmpl: t}
		case *typeName:
			if t.tmpl != nil {
				return arg{kind: argTemplate, tmpl: t.tmpl}
			}
		}
	}
	c.errorf(diag.TemplateArgKind, n.Last(), "template argument must be a class template")
	return arg{}
}

// bindArg binds a template parameter's name to an argument.
func bindArg(s *scope, name string, a *arg) {
	if name == "" {
		return
	}
	y := s.sym(name)
	*y = sym{name: name}
	switch a.kind {
	case argType:
		y.typ = &typeName{q: a.q}
	case argValue:
		y.val = &constant{value: a.val}
	case argFunc:
		if a.fn != nil {
			y.val = &constant{fn: a.fn}
		}
	case argTemplate:
		y.typ = a.tmpl
	case argVar:
		y.val = a.v
	case argPack:
		p := &pack{elems: a.elems}
		y.val, y.typ = p, p
	}
}

// bind matches arguments with parameters in a new scope, filling in defaults and packs. If they do
// not fit, it reports why and returns nil.
func (c *checker) bind(outer *scope, params []ast.TemplateParam, args []arg, what string, n ast.Node) (*scope, []arg) {
	c.spend(len(params)+len(args), 0)
	s := newScope(outer, bindScope, what)
	s.params = true
	full := make([]arg, 0, len(params))
	i := 0
	for k := range params {
		p := &params[k]
		name := ""
		if p.Ident != nil {
			name = p.Ident.Name
		}
		if p.Pack {
			var elems []arg
			for ; i < len(args); i++ {
				if args[i].kind == argPack {
					elems = append(elems, args[i].elems...)
					continue
				}
				a, ok := c.fit(s, p, args[i], n)
				if !ok {
					return nil, nil
				}
				elems = append(elems, a)
			}
			a := arg{kind: argPack, elems: elems}
			bindArg(s, name, &a)
			full = append(full, a)
			continue
		}
		var a arg
		ok := true
		switch {
		case i < len(args) && args[i].kind != argNone:
			a = args[i]
		case p.DefaultType != nil:
			c.in(s, func() { a = arg{kind: argType, q: c.typ(p.DefaultType)} })
			if c.isBad(a.q.Type) {
				return nil, nil
			}
		case p.Default != nil:
			c.in(s, func() { a = c.templateArg(p, &ast.TemplateArg{Span: p.Span, X: p.Default}) })
		default:
			c.errorf(diag.TooFewTemplateArgs, n, "too few template arguments for '%s': %d given", what, len(args))
			return nil, nil
		}
		i++
		if a, ok = c.fit(s, p, a, n); !ok {
			return nil, nil
		}
		bindArg(s, name, &a)
		full = append(full, a)
	}
	if i < len(args) {
		c.errorf(diag.TooManyTemplateArgs, n, "too many template arguments for '%s': %d given, %d expected", what, len(args),
			len(params))
		return nil, nil
	}
	return s, full
}

// fit checks one argument against its parameter and converts a value to the parameter's type.
func (c *checker) fit(s *scope, p *ast.TemplateParam, a arg, n ast.Node) (arg, bool) {
	switch {
	case a.kind == argNone:
		c.failed()
		return a, false
	case a.kind == argPack:
		return a, true
	case p.Kind == ast.TypeParam && a.kind != argType:
		c.errorf(diag.TemplateArgKind, n, "template argument for '%s' must be a type", paramName(p))
		return a, false
	case p.Kind == ast.TemplateParamTemplate && a.kind != argTemplate:
		c.errorf(diag.TemplateArgKind, n, "template argument for '%s' must be a class template", paramName(p))
		return a, false
	case p.Kind != ast.ValueParam:
		return a, true
	}
	if a.kind == argType {
		c.errorf(diag.TemplateArgKind, n, "template argument for '%s' must be a value", paramName(p))
		return a, false
	}
	var q Q
	c.in(s, func() { q = c.typ(unpack(p.Type)) })
	if c.isBad(q.Type) {
		return a, false
	}
	if a.kind == argFunc {
		return c.fitFunc(q, a, n)
	}
	if c.hasAuto(q) || a.val.Type == q.Type {
		return a, true
	}
	if conv := types.Implicit(a.val.Type, q.Type); !conv.OK() {
		c.errorf(diag.TemplateArgType, n,
			"template argument of type '%s' is not implicitly convertible to '%s'", a.val.Type, q)
		return a, false
	}
	v, err := types.Convert(a.val, q.Type)
	if err != nil {
		c.errorf(diag.TemplateArgType, n, "template argument does not convert to '%s': %v", q, err)
		return a, false
	}
	if b, ok := q.Type.(*types.Basic); ok && a.val.Scalar() != nil && b.IsInteger() && !types.Represents(a.val,
		b) && b != types.Bool {
		c.errorf(diag.TemplateArgType, n, "template argument %s does not fit in '%s'", a.val, q)
		return a, false
	}
	a.val = v
	return a, true
}

// fitFunc selects the function of an overload set that matches a template's function parameter.
func (c *checker) fitFunc(q Q, a arg, n ast.Node) (arg, bool) {
	o, ok := a.tmpl.(*overload)
	if !ok {
		return a, a.fn != nil
	}
	t := q.Type
	if r, ok := t.(*types.Reference); ok {
		t = r.Elem.Type
	}
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem.Type
	}
	ft, ok := t.(*types.Func)
	var f *function
	if !ok {
		if !c.hasAuto(q) {
			c.errorf(diag.TemplateArgType, n, "address of function '%s' does not match required type '%s'", o.name, q)
			return a, false
		}
		f = c.onlyFunction(o, n)
	} else {
		f = c.functionOfType(o, ft)
	}
	if f == nil {
		c.errorf(diag.TemplateArgType, n, "address of overloaded function '%s' does not match required type '%s'", o.name, q)
		return a, false
	}
	return arg{kind: argFunc, fn: f}, true
}

func paramName(p *ast.TemplateParam) string {
	if p.Ident != nil {
		return p.Ident.Name
	}
	return "<unnamed>"
}
