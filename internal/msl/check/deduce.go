package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [temp.deduct.type]: a parameter's type P is matched with an argument's type A part by part, and
// each template parameter in P gets the value that makes them equal. Every occurrence must give the
// same value. What is left of :: and expressions are not deduced from. [temp.deduct.call]: for a
// call, P loses its reference and top-level qualifiers, an A that is not bound to a reference
// decays, and P may be a base class of A, or more qualified.

// deducer deduces template arguments by matching the syntax of types against types.
type deducer struct {
	c     *checker
	names map[string]*ast.TemplateParam
	got   map[string]*arg
	fixed map[string]bool // given explicitly
	exact bool            // partial specializations: qualifiers must match exactly
	tried map[*class]bool // bases already searched for an instance of a template
}

func (c *checker) newDeducer(params []ast.TemplateParam) *deducer {
	c.spend(4+len(params), 0)
	d := &deducer{c: c, names: make(map[string]*ast.TemplateParam), got: make(map[string]*arg),
		fixed: make(map[string]bool)}
	for i := range params {
		if params[i].Ident != nil {
			d.names[params[i].Ident.Name] = &params[i]
		}
	}
	return d
}

// give fixes the parameters whose arguments are written explicitly. Explicit elements of a pack are
// its first ones; if open, more may be deduced.
func (d *deducer) give(params []ast.TemplateParam, args []arg, open bool) {
	for i := range min(len(args), len(params)) {
		id, a := params[i].Ident, args[i]
		pack := params[i].Pack
		if pack {
			a = arg{kind: argPack, elems: args[i:]}
		}
		if id != nil {
			d.got[id.Name], d.fixed[id.Name] = &a, !pack || !open
		}
		if pack {
			return
		}
	}
}

// bind records an argument; it fails if a different one was deduced before.
func (d *deducer) bind(name string, a arg) bool {
	if d.fixed[name] {
		return true
	}
	p := d.names[name]
	switch {
	case p.Kind == ast.TypeParam && a.kind != argType,
		p.Kind == ast.ValueParam && a.kind != argValue && a.kind != argFunc,
		p.Kind == ast.TemplateParamTemplate && a.kind != argTemplate:
		d.c.because("'%s' cannot be '%s'", name, spellArg(&a))
		return false
	}
	old := d.got[name]
	if old == nil {
		d.got[name] = &a
		return true
	}
	if a.kind == argValue && old.kind == argValue {
		x, _ := a.val.Int()
		y, _ := old.val.Int()
		return x == y
	}
	if d.c.key([]arg{a}) == d.c.key([]arg{*old}) {
		return true
	}
	d.c.because("its template parameter '%s' would be both '%s' and '%s'", name, spellArg(old), spellArg(&a))
	return false
}

func (d *deducer) simple(n *ast.Name) string {
	s := n.Simple()
	if d.names[s] != nil {
		return s
	}
	return ""
}

// typ matches a pattern against a type. A non-deduced context matches anything.
func (d *deducer) typ(p ast.TypeExpr, a Q) bool {
	d.c.step()
	switch p := p.(type) {
	case *ast.NamedType:
		if s := d.simple(p.Name); s != "" {
			return d.bind(s, arg{kind: argType, q: a})
		}
		if last := p.Name.Last(); last.HasArgs && !dependentQualifier(p.Name) {
			return d.templateID(p.Name, a)
		}
		return !d.ordering(a)
	case *ast.BasicType:
		return !d.ordering(a)
	case *ast.QualType:
		if p.Space == ast.Inferred {
			if !d.space(p, a.Space) {
				return false
			}
			if a.Space == types.Constant {
				a.Const = false // implied anyway
			}
			a.Space = types.None
		} else if p.Space != ast.NoSpace {
			if !types.SameSpace(spaces[p.Space], a.Space) {
				return false
			}
			if a.Space == types.Constant {
				a.Const = false // implied anyway
			}
			a.Space = types.None
		}
		if d.exact && (p.Const && !a.Const || p.Volatile && !a.Volatile) {
			return false
		}
		if p.Const {
			a.Const = false
		}
		if p.Volatile {
			a.Volatile = false
		}
		return d.typ(p.Elem, a)
	case *ast.PointerType:
		if ptr, ok := a.Type.(*types.Pointer); ok {
			if d.exact && (a.Const || a.Volatile) {
				return false
			}
			return d.typ(p.Elem, pointeeOf(p.Elem, ptr.Elem))
		}
		return false
	case *ast.ReferenceType:
		r, ok := a.Type.(*types.Reference)
		if !ok || r.RValue != p.RValue {
			return false
		}
		return d.typ(p.Elem, pointeeOf(p.Elem, r.Elem))
	case *ast.ArrayType:
		arr, ok := a.Type.(*types.Array)
		if !ok {
			return false
		}
		if p.Len == nil {
			if d.exact && arr.Len != types.Unsized {
				return false
			}
		} else if n, ok := p.Len.(*ast.NameExpr); ok {
			if s := d.simple(n.Name); s != "" && !d.bind(s,
				arg{kind: argValue, val: types.IntValue(types.ULong, int64(arr.Len))}) {
				return false
			}
		}
		a.Type = arr.Elem
		return d.typ(p.Elem, a)
	case *ast.FuncType:
		f, ok := a.Type.(*types.Func)
		if !ok || !d.typ(p.Result, f.Result) {
			return false
		}
		i := 0
		for _, q := range p.Params {
			if pt, ok := q.Type.(*ast.PackType); ok {
				var elems []arg
				for ; i < len(f.Params); i++ {
					elems = append(elems, arg{kind: argType, q: f.Params[i]})
				}
				return d.packType(pt, elems)
			}
			if i >= len(f.Params) || !d.typ(q.Type, f.Params[i]) {
				return false
			}
			i++
		}
		return i == len(f.Params)
	}
	return true
}

// dependentQualifier reports whether template arguments appear before a ::, which makes the rest a
// non-deduced context.
func dependentQualifier(n *ast.Name) bool {
	for i := range n.Parts[:len(n.Parts)-1] {
		if n.Parts[i].HasArgs {
			return true
		}
	}
	return false
}

// pointeeOf drops the thread address space, which a pattern without one implies.
func pointeeOf(p ast.TypeExpr, q Q) Q {
	if t, ok := p.(*ast.QualType); ok && t.Space != ast.NoSpace {
		return q
	}
	if q.Space == types.Thread {
		q.Space = types.None
	}
	return q
}

// templateID matches name<args> against an instance of the template or of a class derived from one.
func (d *deducer) templateID(n *ast.Name, a Q) bool {
	last := n.Last()
	var tmpl any
	if s := d.simpleTemplate(n); s != "" {
		got, args := d.c.instanceOf(a.Type)
		if got == nil {
			return false
		}
		if !d.bind(s, arg{kind: argTemplate, tmpl: got}) {
			return false
		}
		return d.args(last.Args, args)
	}
	ok := d.c.try(func() {
		s, found := d.c.qualifier(n)
		if !found {
			return
		}
		if y := d.c.lookupPart(s, last.Ident); y != nil {
			tmpl = y.typ
		}
	})
	if !ok || tmpl == nil {
		return true
	}
	switch t := tmpl.(type) {
	case *typeName:
		if t.tmpl != nil {
			return d.instanceOrBase(t.tmpl, last.Args, a.Type)
		}
	case *classTmpl:
		return d.instanceOrBase(t, last.Args, a.Type)
	case *aliasTmpl:
		inner := d.c.newDeducer(t.params)
		inner.exact = d.exact
		matched := false
		d.c.in(t.scope, func() { matched = inner.typ(t.decl.Type, a) })
		if !matched {
			return false
		}
		var args []arg
		for i := range t.params {
			p := &t.params[i]
			if p.Ident == nil || inner.got[p.Ident.Name] == nil {
				return true
			}
			args = append(args, *inner.got[p.Ident.Name])
		}
		return d.args(last.Args, args)
	}
	return true
}

func (d *deducer) simpleTemplate(n *ast.Name) string {
	if len(n.Parts) == 1 && !n.Global {
		if p := d.names[n.Parts[0].Ident]; p != nil && p.Kind == ast.TemplateParamTemplate {
			return n.Parts[0].Ident
		}
	}
	return ""
}

// instanceOrBase matches name<args> against an instance of the template or a base class that is
// one.
func (d *deducer) instanceOrBase(t *classTmpl, list []ast.TemplateArg, a types.Type) bool {
	defer func(tried map[*class]bool) { d.tried = tried }(d.tried)
	d.tried = nil
	return d.classInstance(t, list, a)
}

func (d *deducer) classInstance(t *classTmpl, list []ast.TemplateArg, a types.Type) bool {
	d.c.step()
	tmpl, args := d.c.instanceOf(a)
	if tmpl == t || tmpl != nil && t.lib != "" && tmpl.lib == t.lib {
		return d.args(list, args)
	}
	if d.exact {
		return false
	}
	if s, ok := a.(*types.Struct); ok {
		if k := d.c.classes[s]; k != nil {
			d.c.complete(k)
			for _, b := range k.bases {
				if d.tried[b] {
					continue
				}
				if d.tried == nil {
					d.tried = make(map[*class]bool)
				}
				d.tried[b] = true
				if d.classInstance(t, list, b.st) {
					return true
				}
			}
		}
	}
	return false
}

// instanceOf returns the template and the arguments of a class template instance.
func (c *checker) instanceOf(t types.Type) (*classTmpl, []arg) {
	if s, ok := t.(*types.Struct); ok {
		if k := c.classes[s]; k != nil && k.tmpl != nil {
			return k.tmpl, k.args
		}
	}
	return c.libInstance(t)
}

// args matches a list of written arguments against actual ones.
func (d *deducer) args(list []ast.TemplateArg, args []arg) bool {
	flat := unpacked(args)
	d.c.spend(len(flat), 0)
	i := 0
	for k := range list {
		a := &list[k]
		if inner, ok := packOf(a); ok {
			rest := flat[min(i, len(flat)):]
			i = len(flat)
			if inner.Type != nil {
				if !d.packType(&ast.PackType{Elem: inner.Type}, rest) {
					return false
				}
			} else if n, ok := inner.X.(*ast.NameExpr); ok {
				if s := d.simple(n.Name); s != "" && !d.bindPack(s, rest) {
					return false
				}
			}
			continue
		}
		if i >= len(flat) {
			return false
		}
		if !d.arg(a, flat[i]) {
			return false
		}
		i++
	}
	return true // trailing arguments are the template's defaults
}

func (d *deducer) arg(a *ast.TemplateArg, actual arg) bool {
	if a.Type != nil {
		if actual.kind == argType {
			return d.typ(a.Type, actual.q)
		}
		if n, ok := a.Type.(*ast.NamedType); ok {
			if s := d.simple(n.Name); s != "" {
				return d.bind(s, actual)
			}
		}
		return actual.kind == argTemplate
	}
	if n, ok := a.X.(*ast.NameExpr); ok {
		if s := d.simple(n.Name); s != "" {
			return d.bind(s, actual)
		}
		if actual.kind == argType && n.Name.Last().HasArgs {
			return d.templateID(n.Name, actual.q)
		}
	}
	return true // verified once the arguments are known
}

func (d *deducer) bindPack(name string, elems []arg) bool {
	if d.fixed[name] {
		return true
	}
	a := arg{kind: argPack, elems: elems}
	if old := d.got[name]; old != nil {
		return d.c.key([]arg{a}) == d.c.key([]arg{*old})
	}
	d.got[name] = &a
	return true
}

// packType matches Pattern... against a list of types: each name in the pattern becomes a pack.
func (d *deducer) packType(p *ast.PackType, elems []arg) bool {
	if n, ok := p.Elem.(*ast.NamedType); ok {
		if s := d.simple(n.Name); s != "" {
			return d.bindPack(s, elems)
		}
	}
	var names []string
	collected := make(map[string][]arg)
	ast.Inspect(p.Elem, func(n ast.Node) bool {
		if n, ok := n.(*ast.Name); ok {
			if s := d.simple(n); s != "" && d.names[s].Pack {
				names = append(names, s)
			}
		}
		return true
	})
	for _, e := range elems {
		inner := &deducer{c: d.c, names: d.names, got: make(map[string]*arg), fixed: d.fixed, exact: d.exact}
		if e.kind != argType || !inner.typ(p.Elem, e.q) {
			return false
		}
		for name, a := range inner.got {
			if d.names[name].Pack {
				collected[name] = append(collected[name], *a)
			} else if !d.bind(name, *a) {
				return false
			}
		}
	}
	for _, n := range names {
		if !d.bindPack(n, collected[n]) {
			return false
		}
	}
	return true
}

// call deduces from one argument of a call.
func (d *deducer) call(p ast.TypeExpr, e typed.Expr) bool {
	switch e := e.(type) {
	case *initList:
		return d.callInit(p, e)
	case *overload:
		return d.callOverload(p, e)
	}
	q := qOf(e)
	needed := d.mentions(p)
	if d.c.isBad(q.Type) || !needed && !d.c.infers() {
		return true // a non-deduced context
	}
	return d.argument(p, e, q) || !needed
}

// argument deduces from an argument that is an object or a value.
func (d *deducer) argument(p ast.TypeExpr, e typed.Expr, q Q) bool {
	if r, ok := p.(*ast.ReferenceType); ok {
		if r.RValue {
			if n, ok := r.Elem.(*ast.NamedType); ok && d.simple(n.Name) != "" && e.Base().LValue {
				if q.Space == types.Thread {
					q.Space = types.None
				}
				return d.bind(d.simple(n.Name), arg{kind: argType, q: Q{Type: d.c.u.Reference(q, false)}})
			}
		}
		return d.typ(r.Elem, pointeeOf(r.Elem, q))
	}
	switch t := q.Type.(type) {
	case *types.Array:
		q = Q{Type: d.c.u.Pointer(Q{Type: t.Elem, Const: q.Const, Volatile: q.Volatile, Space: q.Space})}
	case *types.Func:
		q = Q{Type: d.c.u.Pointer(q)}
	default:
		q = Q{Type: q.Type}
	}
	if t, ok := p.(*ast.QualType); ok {
		p = t.Elem // top-level qualifiers do not count
	}
	if a, ok := p.(*ast.ArrayType); ok {
		p = &ast.PointerType{Span: a.Span, Elem: a.Elem}
	}
	return d.typ(p, q)
}

// mentions reports whether a pattern names a parameter to be deduced.
func (d *deducer) mentions(p ast.TypeExpr) bool {
	found := false
	ast.Inspect(p, func(n ast.Node) bool {
		if n, ok := n.(*ast.Name); ok {
			for i := range n.Parts {
				if s := n.Parts[i].Ident; d.names[s] != nil && !d.fixed[s] {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

func (d *deducer) callInit(p ast.TypeExpr, e *initList) bool {
	if r, ok := p.(*ast.ReferenceType); ok {
		p = r.Elem
	}
	if q, ok := p.(*ast.QualType); ok {
		p = q.Elem
	}
	a, ok := p.(*ast.ArrayType)
	if !ok {
		return true
	}
	if n, ok := a.Len.(*ast.NameExpr); ok {
		if s := d.simple(n.Name); s != "" && !d.bind(s,
			arg{kind: argValue, val: types.IntValue(types.ULong, int64(len(e.elems)))}) {
			return false
		}
	}
	for _, x := range e.elems {
		if !d.call(a.Elem, x) {
			return false
		}
	}
	return true
}

func (d *deducer) callOverload(p ast.TypeExpr, e *overload) bool {
	f := d.c.soleFunction(e)
	if f == nil {
		return true
	}
	q := Q{Type: d.c.funcTypeOf(f)}
	if r, ok := p.(*ast.ReferenceType); ok {
		return d.typ(r.Elem, q)
	}
	return d.typ(p, Q{Type: d.c.u.Pointer(q)})
}

// result returns the arguments in parameter order; those not deduced are argNone.
func (d *deducer) result(params []ast.TemplateParam) []arg {
	args := make([]arg, len(params))
	for i := range params {
		if id := params[i].Ident; id != nil && d.got[id.Name] != nil {
			args[i] = *d.got[id.Name]
		} else if params[i].Pack {
			args[i] = arg{kind: argPack}
		}
	}
	return args
}
