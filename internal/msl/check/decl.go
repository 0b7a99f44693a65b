package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

func (c *checker) decls(list []ast.Decl) {
	for _, d := range list {
		c.at = d.Pos()
		c.decl(d)
	}
}

// decl checks a declaration at namespace, class or block scope.
func (c *checker) decl(d ast.Decl) {
	c.count(d)
	c.predeclare(d)
	switch d := d.(type) {
	case *ast.NamespaceDecl:
		c.namespace(d)
	case *ast.NamespaceAlias:
		if s := c.namespaceNamed(d.Target); s != nil {
			c.sc.sym(d.Alias.Name).ns = s
		}
	case *ast.UsingDirective:
		if s := c.namespaceNamed(d.Name); s != nil && s != c.sc && !c.isUsing(s) {
			c.sc.usings = append(c.sc.usings, using{s, c.declCount})
		}
	case *ast.UsingDecl:
		c.using(d)
	case *ast.AliasDecl:
		c.alias(d.Ident, d.Type, d.Attrs, d)
	case *ast.TypedefDecl:
		c.alias(d.Ident, d.Type, d.Attrs, d)
	case *ast.RecordDecl:
		if d.Anonymous && c.sc.kind == nsScope {
			c.errorf(diag.DeclaresNothing, d, "declaration does not declare anything")
		}
		c.misplaced(d.Attrs, onType)
		if !d.Friend {
			k := c.declRecord(d)
			if d.Defined && k.decl == d && k.tmpl == nil && c.fn == nil && c.sc.kind == nsScope && !c.inPrelude {
				c.methods(k, d)
			}
		}
	case *ast.EnumDecl:
		c.enum(d)
	case *ast.VarDecl:
		c.globalVar(d)
	case *ast.FuncDecl:
		c.declFunc(d, nil)
	case *ast.TemplateDecl:
		c.template(d)
	case *ast.ExplicitInstantiation:
		c.explicitInstantiation(d)
	case *ast.StaticAssertDecl:
		c.staticAssert(d)
	case *ast.LinkageDecl:
		c.decls(d.Decls)
	}
}

// predeclare declares the type of Metal's that has the name of a declaration, if it is in the same
// scope: what follows is then another declaration of it.
func (c *checker) predeclare(d ast.Decl) {
	if c.sc != c.global || c.inPrelude || c.library != nil {
		return
	}
	var name string
	var other *ast.Name // of what is not a type
	switch d := ast.Templated(d).(type) {
	case *ast.AliasDecl:
		name = d.Ident.Name
	case *ast.TypedefDecl:
		name = d.Ident.Name
	case *ast.RecordDecl:
		name = d.Name.Simple()
	case *ast.EnumDecl:
		name = d.Name.Simple()
	case *ast.VarDecl:
		name, other = d.Name.Simple(), d.Name
	case *ast.FuncDecl:
		name, other = d.Name.Simple(), d.Name
	case *ast.UsingDecl:
		name = d.Name.Last().Ident
	}
	if name == "" || !types.Predeclared(name) {
		return
	}
	if c.global.syms.of(name).empty() {
		c.lookupGlobal(name)
	}
	if other != nil {
		c.errorf(diag.Redefinition, other, "redefinition of Metal's type '%s' as different kind of symbol", name)
	}
}

// isUsing reports whether the current scope already has a using directive for a namespace.
func (c *checker) isUsing(s *scope) bool {
	c.spend(1+len(c.sc.usings)/8, 0)
	return slices.ContainsFunc(c.sc.usings, func(u using) bool { return u.scope == s })
}

func (c *checker) namespace(d *ast.NamespaceDecl) {
	s := c.sc
	if len(d.Path) == 0 {
		y := s.sym("")
		if y.ns == nil {
			y.ns = newScope(s, nsScope, "")
			s.usings = append(s.usings, using{y.ns, c.declCount})
		}
		s = y.ns
	}
	for _, p := range d.Path {
		y := s.sym(p.Name)
		if y.typ != nil || y.val != nil || len(y.fns) > 0 {
			c.errorf(diag.Redefinition, p, "redefinition of '%s' as different kind of symbol", p.Name)
			return
		}
		if y.ns == nil {
			y.ns = newScope(s, nsScope, p.Name)
			if d.Inline {
				s.usings = append(s.usings, using{y.ns, c.declCount})
			}
		}
		s = y.ns
	}
	c.in(s, func() { c.decls(d.Decls) })
}

func (c *checker) namespaceNamed(n *ast.Name) *scope {
	s, ok := c.qualifier(n)
	if !ok {
		return nil
	}
	name := n.Last().Ident
	if y := c.lookupPart(s, name); y != nil && y.ns != nil {
		return y.ns
	}
	switch name {
	case "raytracing", "tensor_ops", "mpp":
		c.errorf(diag.UnsupportedType, n, "not supported: namespace '%s'", name)
		return nil
	}
	c.errorf(diag.UndeclaredNamespace, n, "no namespace named '%s'", name)
	return nil
}

func (c *checker) using(d *ast.UsingDecl) {
	s, ok := c.qualifier(d.Name)
	if !ok {
		return
	}
	p := d.Name.Last()
	name := p.Ident
	if p.Kind == ast.PartOperator {
		name = opName(p.Op)
	}
	y := c.lookupPart(s, name)
	if y.empty() {
		c.undeclared(s, p, name, "name")
		return
	}
	if c.sc.kind == classScope && s != nil && s.class != nil && s.class.decl.Name != nil &&
		name == s.class.decl.Name.Last().Ident {
		c.sc.class.ctors = append(c.sc.class.ctors, s.class.ctors...)
		return
	}
	own := c.sc.sym(name)
	if own.clashes(y) && c.sc == c.global && types.Predeclared(name) {
		c.errorf(diag.Redefinition, d.Name, "Metal has another type '%s' here; use it by its qualified name", name)
		return
	}
	since := own.since
	*own = *own.merge(y)
	own.since = since
}

// extVector applies __attribute__((ext_vector_type(n))) on the name of a type.
func (c *checker) extVector(q Q, attrs []*ast.Attr) Q {
	a := ast.FindAttr("ext_vector_type", attrs)
	if a == nil || c.isBad(q.Type) {
		return q
	}
	if len(a.Args) != 1 {
		c.errorf(diag.AttributeArgs, a, "'%s' attribute takes one argument", a.Name)
		return c.badQ()
	}
	n, ok := c.constInt(a.Args[0], "number of components")
	if !ok {
		return c.badQ()
	}
	b, isBasic := q.Type.(*types.Basic)
	if !isBasic || !b.IsArithmetic() || n < 1 {
		c.errorf(diag.BadLibraryType, a, "no vector type has %d components of type '%s'", n, q)
		return c.badQ()
	}
	v := types.VectorOf(b, int(n))
	if v == nil {
		c.errorf(diag.UnsupportedType, a, "not supported: vectors of %d components", n)
		return c.badQ()
	}
	q.Type = v
	return q
}

func (c *checker) alias(id *ast.Ident, t ast.TypeExpr, attrs []*ast.Attr, n ast.Node) {
	q := c.extVector(c.typ(t), attrs)
	if c.hasAuto(q) {
		c.errorf(diag.BadAuto, n, "'auto' not allowed here")
		q = c.badQ()
	}
	if !c.isBad(q.Type) && !c.inTemplate() {
		c.explicitSpace("'"+id.Name+"'", t, n)
	}
	y := c.sc.sym(id.Name)
	if old, ok := y.typ.(*typeName); ok && !c.isBad(q.Type) && !c.isBad(old.q.Type) && old.q.Type != q.Type &&
		c.sc.kind != bindScope {
		c.errorf(diag.Redefinition, id, "'%s' is declared as '%s' here, but as '%s' before", id.Name, q, old.q)
		return
	}
	if s, ok := q.Type.(*types.Struct); ok && s.Name == "(unnamed)" {
		s.Name = qualify(c.sc, id.Name)
	}
	y.typ = &typeName{q: q}
}

func (c *checker) enum(d *ast.EnumDecl) *types.Enum {
	if e := c.enums[d]; e != nil && c.fn == nil && c.sc.kind == nsScope {
		return e
	}
	name := ""
	if d.Name != nil {
		name = d.Name.Last().Ident
	}
	if e := c.enums[d]; e != nil {
		if name == "" && c.declares(e, d) || name != "" && c.sc.syms.of(name) != nil {
			return e
		}
	}
	var e *types.Enum
	if name != "" {
		y := c.sc.sym(name)
		if t, ok := y.typ.(*typeName); ok {
			if e, ok = t.q.Type.(*types.Enum); !ok || d.Defined && len(e.Values) > 0 {
				if ok {
					c.definedTwice(d.Name, "'"+name+"'", e.Decl.(*ast.EnumDecl).Pos())
				} else {
					c.errorf(diag.Redefinition, d.Name, "'%s' is declared as another type before", name)
				}
				e = nil
			}
		}
		if e == nil {
			e = c.u.NewEnum(qualify(c.sc, name), d.Scoped)
			y.typ = &typeName{q: Q{Type: e}}
		}
	} else {
		e = c.u.NewEnum("(unnamed enum)", d.Scoped)
	}
	e.Decl = d
	c.enums[d] = e
	ns := c.sc
	for ns.kind != nsScope {
		ns = ns.parent
	}
	c.enumScopes[e] = ns
	if d.Underlying != nil {
		q := c.typ(d.Underlying)
		if b, ok := q.Type.(*types.Basic); ok && b.IsInteger() {
			e.Underlying, e.Fixed = b, true
		} else if !c.isBad(q.Type) {
			c.errorf(diag.BadEnum, d.Underlying, "non-integral type '%s' is an invalid underlying type", q)
		}
	}
	c.enumerators(d, e)
	return e
}

// declares reports whether the current scope holds the enumerators of an unnamed enum: each
// instance of a template makes its own enum of the declaration.
func (c *checker) declares(e *types.Enum, d *ast.EnumDecl) bool {
	if len(d.Items) == 0 || d.Scoped {
		return true
	}
	y := c.sc.syms.of(d.Items[0].Ident.Name)
	if y == nil {
		return false
	}
	k, ok := y.val.(*constant)
	return !ok || k.value.Type == types.Type(e) || k.value.Type == types.Type(types.UInt)
}

func (c *checker) enumerators(d *ast.EnumDecl, e *types.Enum) {
	next := int64(0)
	s := c.sc
	if d.Scoped {
		s = newScope(c.sc, nsScope, e.Name)
	}
	big := false
	values := make([]int64, 0, len(d.Items))
	for _, it := range d.Items {
		if it.Value != nil {
			c.in(s, func() {
				x := c.expr(it.Value)
				v, err := c.constant(x, consteval.Wrapping)
				b := v.Scalar()
				if err != nil && !c.isBad(x.Type()) {
					c.notConstant(it.Value, err, "value of enumerator '%s'", it.Ident.Name)
					return
				}
				if err != nil || b == nil || !b.IsInteger() {
					c.errorf(diag.NotConstant, it.Value, "value of enumerator '%s' is not an integer constant", it.Ident.Name)
					return
				}
				next, _ = v.Int()
				big = big || b.Size() == 8 && (next > 1<<32-1 || next < -1<<31)
				if e.Fixed && !types.Represents(v, e.Underlying) {
					c.errorf(diag.BadEnum, it.Value, "value %s of enumerator '%s' does not fit in '%s'", v, it.Ident.Name,
						e.Underlying)
				}
			})
		}
		if it.Value == nil && e.Fixed && !types.Represents(types.IntValue(types.Long, next), e.Underlying) {
			c.errorf(diag.BadEnum, it, "value %d of enumerator '%s' does not fit in '%s'", next, it.Ident.Name, e.Underlying)
		}
		values = append(values, next)
		k := &constant{value: types.EnumValue(e, next)}
		if !e.Fixed && next > 1<<31-1 {
			k.value = types.IntValue(types.UInt, next)
		}
		y := s.sym(it.Ident.Name)
		if y.val != nil {
			c.errorf(diag.Redefinition, it, "enumerator '%s' is declared twice", it.Ident.Name)
		}
		y.val = k
		next++
	}
	if !e.Fixed && !d.Scoped {
		switch {
		case big:
			e.Underlying = types.Long
		case !slices.ContainsFunc(values, func(v int64) bool { return v < 0 }):
			e.Underlying = types.UInt
		}
	}
	for i, it := range d.Items {
		v := types.EnumValue(e, values[i])
		e.Values = append(e.Values, types.Enumerator{Name: it.Ident.Name, Value: v})
		if k, ok := s.sym(it.Ident.Name).val.(*constant); ok {
			k.value = v
		}
	}
}

func (c *checker) staticAssert(d *ast.StaticAssertDecl) {
	e := c.expr(d.Cond)
	if c.isBad(e.Type()) {
		return
	}
	b := c.toBool(e, "condition")
	if c.isBad(b.Type()) {
		return
	}
	v, err := c.constant(b, consteval.Strict)
	if err != nil {
		c.notConstant(d.Cond, err, "condition of static_assert")
		return
	}
	if !v.Truth() {
		msg := ""
		if d.Message != nil {
			if s, ok := c.expr(d.Message).(*typed.Const); ok {
				if t, ok := s.Value.Ref.(string); ok {
					msg = ": " + t
				}
			}
		}
		c.errorf(diag.StaticAssertFailed, d, "static assertion failed%s", msg)
	}
}

// template declares a template or a specialization.
func (c *checker) template(d *ast.TemplateDecl) {
	c.templateSpaces(d)
	_, isFunc := d.Decl.(*ast.FuncDecl)
	for i := range d.Params {
		p := &d.Params[i]
		if q := &d.Params[max(i-1, 0)]; i > 0 && !isFunc && !p.Pack && (q.Default != nil || q.DefaultType != nil) &&
			p.Default == nil && p.DefaultType == nil {
			c.errorf(diag.MissingDefault, p, "template parameter '%s' missing a default argument", paramName(p))
		}
		if p.Pack && i != len(d.Params)-1 {
			if _, ok := d.Decl.(*ast.FuncDecl); !ok && !c.specialized(d.Decl) {
				c.errorf(diag.PackNotLast, p, "template parameter pack must be the last template parameter")
			}
		}
		for j := range d.Params[:i] {
			if q := &d.Params[j]; p.Ident != nil && q.Ident != nil && p.Ident.Name == q.Ident.Name {
				c.errorf(diag.Redefinition, p, "template redefinition of parameter '%s'", p.Ident.Name)
			}
		}
	}
	switch e := d.Decl.(type) {
	case *ast.FuncDecl:
		if len(d.Params) == 0 {
			if len(e.Name.Parts) > 1 {
				c.specializeMember(e)
				return
			}
			y := c.lookup(funcName(e.Name))
			if y == nil || len(y.fns) == 0 {
				c.errorf(diag.NoTemplateToSpecialize, e.Name, "there is no function template '%s' to specialize", funcName(e.Name))
				return
			}
			f := c.specializeFunc(y.fns, e, nil)
			if f != nil {
				if a := ast.FindAttr("host_name", e.Attrs); a != nil {
					c.kernelDecl(f)
				}
			}
			return
		}
		c.declFunc(e, d.Params)
	case *ast.RecordDecl:
		c.classTemplate(d, e)
	case *ast.AliasDecl:
		y := c.sc.sym(e.Ident.Name)
		if t, ok := y.typ.(*aliasTmpl); ok && t.prelude || c.isLibTmpl(y.typ) {
			y.typ = nil
		}
		if y.typ != nil {
			c.errorf(diag.Redefinition, e, "'%s' is declared twice", e.Ident.Name)
			return
		}
		y.typ = &aliasTmpl{name: e.Ident.Name, params: d.Params, decl: e, scope: c.sc, prelude: c.inPrelude}
	case *ast.VarDecl:
		c.varTemplate(d, e)
	case *ast.TemplateDecl:
		// A member template of a class template, defined out of the class.
		if f, ok := e.Decl.(*ast.FuncDecl); ok {
			c.outOfClass(f)
		}
	}
}

func (c *checker) specialized(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.RecordDecl:
		return d.Name != nil && d.Name.Last().HasArgs
	case *ast.VarDecl:
		return d.Name != nil && d.Name.Last().HasArgs
	}
	return false
}

func (c *checker) classTemplate(d *ast.TemplateDecl, r *ast.RecordDecl) {
	if r.Name == nil {
		return
	}
	last := r.Name.Last()
	s := c.sc
	if len(r.Name.Parts) > 1 {
		var ok bool
		if s, ok = c.qualifier(r.Name); !ok {
			return
		}
	}
	if last.HasArgs {
		y := c.lookupPart(nil, last.Ident)
		if s != c.sc {
			y = c.lookupQualified(s, last.Ident)
		}
		var t *classTmpl
		if y != nil {
			t, _ = y.typ.(*classTmpl)
			if tn, ok := y.typ.(*typeName); ok {
				t = tn.tmpl
			}
		}
		if t == nil {
			c.errorf(diag.NoTemplateToSpecialize, last, "there is no class template '%s' to specialize", last.Ident)
			return
		}
		if len(d.Params) == 0 {
			if k := t.insts[c.specKey(t, last.Args, r)]; k != nil && k.state == stateDone {
				c.errorf(diag.LateSpecialization, r, "explicit specialization of '%s' after instantiation", k.st.Name)
				return
			}
		}
		for _, p := range t.partials {
			if !p.decl.Defined && sameArgs(p.args, last.Args) {
				p.decl = r
				p.params, p.args, p.scope = d.Params, last.Args, c.sc
				return
			}
			if p.decl.Defined && r.Defined && len(p.params) == 0 && len(d.Params) == 0 && sameArgs(p.args, last.Args) {
				c.errorf(diag.Redefinition, r, "redefinition of the specialization of '%s'", last.Ident)
				return
			}
		}
		t.partials = append(t.partials, &partial{params: d.Params, args: last.Args, decl: r, scope: c.sc})
		return
	}
	y := s.sym(last.Ident)
	if t, ok := y.typ.(*classTmpl); ok && (t.prelude || t.lib != "") && !c.inPrelude {
		y.typ = nil
	}
	if t, ok := y.typ.(*classTmpl); ok {
		if t.decl.Defined && r.Defined {
			c.definedTwice(r.Name, "class template '"+last.Ident+"'", t.decl.Pos())
			return
		}
		if len(t.params) != len(d.Params) {
			c.report(diag.Errorf(diag.Redefinition, r.Name.Pos(), r.Name.End(),
				"class template '%s' redeclared with %d parameters instead of %d", last.Ident, len(d.Params), len(t.params)).
				WithNote(t.decl.Pos(), diag.NoPos, "'%s' was declared here", last.Ident))
			return
		}
		for i := range d.Params {
			if i < len(t.params) && d.Params[i].Default == nil && d.Params[i].DefaultType == nil {
				d.Params[i].Default, d.Params[i].DefaultType = t.params[i].Default, t.params[i].DefaultType
			}
		}
		if r.Defined {
			t.decl = r
			t.params = d.Params
		}
		return
	}
	if y.typ != nil || y.val != nil || len(y.fns) > 0 || y.ns != nil {
		c.errorf(diag.Redefinition, r.Name, "redefinition of '%s' as different kind of symbol", last.Ident)
		return
	}
	y.typ = &classTmpl{name: last.Ident, params: d.Params, decl: r, scope: s, prelude: c.inPrelude}
}

func (c *checker) specKey(t *classTmpl, list []ast.TemplateArg, n ast.Node) string {
	key := ""
	c.try(func() {
		args := c.templateArgs(t.params, list)
		if _, full := c.bind(t.scope, t.params, args, t.name, n); full != nil {
			key = c.key(full)
		}
	})
	return key
}

func sameArgs(a, b []ast.TemplateArg) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if ast.String(argNode(&a[i])) != ast.String(argNode(&b[i])) {
			return false
		}
	}
	return true
}

func (c *checker) varTemplate(d *ast.TemplateDecl, v *ast.VarDecl) {
	if v.Name == nil {
		return
	}
	last := v.Name.Last()
	if len(v.Name.Parts) > 1 {
		c.staticMember(v)
		return
	}
	y := c.sc.sym(last.Ident)
	if last.HasArgs {
		t, ok := y.val.(*varTmpl)
		if !ok {
			if z := c.lookup(last.Ident); z != nil {
				t, ok = z.val.(*varTmpl)
			}
		}
		if !ok {
			c.errorf(diag.NoTemplateToSpecialize, last, "there is no variable template '%s' to specialize", last.Ident)
			return
		}
		t.partials = append(t.partials, &partial{params: d.Params, args: last.Args, varD: v, scope: c.sc})
		return
	}
	if t, ok := y.val.(*varTmpl); ok && t.prelude {
		y.val = nil
	}
	if y.val != nil {
		c.errorf(diag.Redefinition, v, "'%s' is declared twice", last.Ident)
		return
	}
	t := &varTmpl{name: last.Ident, params: d.Params, decl: v, scope: c.sc, prelude: c.inPrelude}
	if c.sc.kind == classScope {
		t.class = c.sc.class
	}
	y.val = t
}

func (c *checker) isLibTmpl(t any) bool {
	k, ok := t.(*classTmpl)
	return ok && k.lib != ""
}

// explicitInstantiation checks template [[host_name("x")]] kernel void f<int>(...);
func (c *checker) explicitInstantiation(d *ast.ExplicitInstantiation) {
	switch e := d.Decl.(type) {
	case *ast.RecordDecl:
		if e.Name != nil {
			q := c.namedType(e.Name)
			if !c.isBad(q.Type) {
				c.need(q.Type, e)
			}
		}
	case *ast.FuncDecl:
		c.instantiateFunc(d, e)
	case *ast.VarDecl:
		// template decltype(f<int>) f<int>; instantiates a function declared by its type.
		c.instantiateByType(d, e)
	}
}
