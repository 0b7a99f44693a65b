package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [temp.arg.explicit] and [temp.deduct]: explicit arguments come first, the rest is deduced from
// the call or taken from defaults. Then all are substituted in the function's type. If that makes
// an invalid type or expression, the template is no candidate, which is no error.

// explicitArgs resolves the explicit template arguments of a call for one template. It returns nil,
// false if they do not fit.
func (c *checker) explicitArgs(f *function, list []ast.TemplateArg) (args []arg, ok bool) {
	if len(list) == 0 {
		return nil, true
	}
	ok = c.try(func() { args = c.templateArgs(f.tparams, list) })
	if !ok {
		return nil, false
	}
	n := len(f.tparams)
	if len(args) > n && (n == 0 || !f.tparams[n-1].Pack) {
		c.because("it takes %s, but %d given", number(n, "template argument"), len(args))
		return nil, false
	}
	return args, true
}

// deduceCall deduces the template arguments for a call and returns the instance, or nil if there is
// none.
func (c *checker) deduceCall(f *function, list []ast.TemplateArg, args []typed.Expr, scope *scope) *function {
	c.spend(8, 0)
	var explicit []arg
	ok := true
	c.in(scope, func() { explicit, ok = c.explicitArgs(f, list) })
	if !ok {
		return nil
	}
	d := c.newDeducer(f.tparams)
	d.give(f.tparams, explicit, true)
	matched := true
	c.in(f.scope, func() {
		i := 0
		for _, p := range f.decl.Params {
			if pt, ok := p.Type.(*ast.PackType); ok {
				matched = matched && d.callPack(pt, args[min(i, len(args)):])
				return
			}
			if i >= len(args) {
				return
			}
			if !d.call(p.Type, args[i]) {
				if c.explaining() {
					c.because("argument %d of type '%s' does not match its parameter", i+1, argTypes(args[i:i+1]))
				}
				matched = false
				return
			}
			i++
		}
	})
	if !matched {
		return nil
	}
	full := d.result(f.tparams)
	for i := range f.tparams {
		if id := f.tparams[i].Ident; id == nil && i < len(explicit) {
			full[i] = explicit[i]
		}
	}
	if c.explaining() {
		c.undeduced(f.tparams, full)
	}
	return c.instFunc(f, full)
}

func (d *deducer) callPack(p *ast.PackType, args []typed.Expr) bool {
	var names []string
	collected := make(map[string][]arg)
	ast.Inspect(p.Elem, func(n ast.Node) bool {
		if n, ok := n.(*ast.NamedType); ok {
			if s := d.simple(n.Name); s != "" && d.names[s].Pack {
				names = append(names, s)
			}
		}
		return true
	})
	for i, e := range args {
		inner := &deducer{c: d.c, names: d.names, got: make(map[string]*arg), fixed: d.fixed}
		if !inner.call(p.Elem, e) {
			return false
		}
		for name, a := range inner.got {
			if d.names[name].Pack {
				if old := d.got[name]; old != nil && i < len(old.elems) {
					collected[name] = append(collected[name], old.elems[i])
					continue
				}
				collected[name] = append(collected[name], *a)
			} else if !d.bind(name, *a) {
				return false
			}
		}
	}
	for _, n := range names {
		if old := d.got[n]; old != nil && len(old.elems) >= len(collected[n]) && len(args) == 0 {
			continue
		}
		a := arg{kind: argPack, elems: collected[n]}
		d.got[n] = &a
	}
	return true
}

// instFunc returns the instance of a function template for the arguments, or nil if its signature
// is invalid.
func (c *checker) instFunc(f *function, args []arg) (inst *function) {
	var s *scope
	var full []arg
	ok := c.try(func() {
		s, full = c.bind(f.scope, f.tparams, args, f.name, f.decl)
	})
	if !ok || s == nil {
		return nil
	}
	s.deduced = true
	key := c.key(full)
	if g, ok := f.insts[key]; ok && (g != nil || !c.explaining()) {
		return g
	}
	if f.insts == nil {
		f.insts = make(map[string]*function)
	}
	g := &function{name: f.name, decl: c.specializedFunc(f, full), scope: s, class: f.class, lambda: f.lambda, tmpl: f,
		args: full}
	f.insts[key] = nil // while it is being created
	saved := c.context
	c.enter(c.atOr(f.decl), f.name)
	ok = c.try(func() { c.signature(g) })
	c.restore(saved)
	if !ok || g.out == nil {
		return nil
	}
	f.insts[key] = g
	return g
}

func (c *checker) atOr(n ast.Node) diag.Pos {
	if c.at.IsValid() {
		return c.at
	}
	return n.Pos()
}

// specializeFunc handles template <> T f<args>(params).
func (c *checker) specializeFunc(fns []*function, d *ast.FuncDecl, k *class) *function {
	if !c.knownSpec(fns, d) {
		return nil
	}
	for i := len(fns) - 1; i >= 0; i-- {
		f := fns[i]
		if !f.isTemplate() {
			continue
		}
		if c.infers() && c.specializeSpaces(f, d) {
			return nil
		}
		if g := c.matchSpec(f, d); g != nil {
			spec := &function{name: f.name, decl: d, scope: c.sc, class: k, tmpl: f, args: g.args, since: c.declCount}
			if !c.signature(spec) {
				return nil
			}
			spec.out.Linkage = c.linkage(spec)
			key := c.key(g.args)
			if old := f.insts[key]; old != nil && old.decl == f.decl && old.queued {
				c.errorf(diag.LateSpecialization, d, "explicit specialization of '%s' after instantiation", f.name)
			} else if old != nil && old.decl != f.decl && old.decl.Body != nil && d.Body != nil {
				c.errorf(diag.Redefinition, d, "redefinition of the specialization of '%s'", f.name)
			}
			f.insts[key] = spec
			return spec
		}
	}
	c.errorf(diag.NoTemplateToSpecialize, d.Name,
		"no function template matches function template specialization '%s'", funcName(d.Name))
	return nil
}

// knownSpec reports undeclared names in the declaration of a specialization or instantiation, which
// would only keep it from matching its template.
func (c *checker) knownSpec(fns []*function, d *ast.FuncDecl) bool {
	if !c.knownArgs(fns, d.Name.Last().Args) {
		return false
	}
	for _, p := range d.Params {
		if !c.knownNames(p.Type, "type") {
			return false
		}
	}
	return d.Result == nil || c.knownNames(d.Result, "type")
}

// matchSpec finds the template instance that a declaration specializes or instantiates, by its
// parameter types.
func (c *checker) matchSpec(f *function, d *ast.FuncDecl) *function {
	list := d.Name.Last().Args
	explicit, ok := c.explicitArgs(f, list)
	if !ok {
		return nil
	}
	var params []Q
	if !c.try(func() {
		for _, p := range d.Params {
			c.eachParam(p, func(p *ast.Param) { params = append(params, c.paramType(c.typ(unpack(p.Type)))) })
		}
	}) {
		return nil
	}
	dd := c.newDeducer(f.tparams)
	dd.give(f.tparams, explicit, false)
	matched := true
	c.in(f.scope, func() {
		i := 0
		for _, p := range f.decl.Params {
			if pt, ok := p.Type.(*ast.PackType); ok {
				var elems []arg
				for ; i < len(params); i++ {
					elems = append(elems, arg{kind: argType, q: params[i]})
				}
				matched = matched && dd.packType(pt, elems)
				return
			}
			if i >= len(params) {
				matched = false
				return
			}
			if !dd.typ(orderParam(p.Type), params[i].Unqualified()) {
				matched = false
				return
			}
			i++
		}
		matched = matched && i == len(params)
	})
	if !matched {
		return nil
	}
	var res Q
	if d.Result != nil {
		if !c.try(func() { res = c.typ(d.Result) }) {
			return nil
		}
		// The result type may determine what the parameters leave open.
		if f.decl.Result != nil && !c.hasAuto(res) {
			c.in(f.scope, func() { matched = dd.typ(f.decl.Result, res) })
			if !matched {
				return nil
			}
		}
	}
	g := c.instFunc(f, dd.result(f.tparams))
	if g == nil || !sameParams(g.params, params) {
		return nil
	}
	if d.Result != nil {
		if !c.hasAuto(res) && !c.hasAuto(g.result) && g.result.Type != res.Type {
			return nil
		}
	}
	return g
}

// onlyFunction resolves an overload set, possibly with explicit arguments, to the only function it
// can denote.
func (c *checker) onlyFunction(o *overload, n ast.Node) *function {
	f := c.soleFunction(o)
	if f == nil {
		c.errorf(diag.AmbiguousFunction, n, "reference to overloaded function '%s' could not be resolved", o.name)
	}
	return f
}

// soleFunction is onlyFunction without a diagnostic.
func (c *checker) soleFunction(o *overload) *function {
	var found *function
	for _, f := range o.fns {
		g := f
		if f.isTemplate() {
			var explicit []arg
			ok := true
			c.in(o.scope, func() { explicit, ok = c.explicitArgs(f, o.targs) })
			if !ok || len(o.targs) == 0 {
				continue
			}
			if g = c.instFunc(f, explicit); g == nil {
				continue
			}
		} else if len(o.targs) > 0 || !c.signature(f) {
			continue
		}
		if found != nil && found != g {
			return nil
		}
		found = g
	}
	return found
}

// functionOfType selects the function of an overload set that has the required type.
func (c *checker) functionOfType(o *overload, t *types.Func) *function {
	for _, f := range o.fns {
		if !f.isTemplate() {
			if c.signature(f) && c.funcTypeOf(f) == types.Type(t) {
				return f
			}
			continue
		}
		var explicit []arg
		ok := true
		c.in(o.scope, func() { explicit, ok = c.explicitArgs(f, o.targs) })
		if !ok {
			continue
		}
		d := c.newDeducer(f.tparams)
		d.give(f.tparams, explicit, false)
		if len(f.decl.Params) != len(t.Params) {
			continue
		}
		c.in(f.scope, func() {
			for i, p := range f.decl.Params {
				ok = ok && d.typ(orderParam(p.Type), t.Params[i])
			}
		})
		if !ok {
			continue
		}
		if g := c.instFunc(f, d.result(f.tparams)); g != nil && c.funcTypeOf(g) == types.Type(t) {
			return g
		}
	}
	return nil
}

func orderParam(t ast.TypeExpr) ast.TypeExpr {
	if a, ok := t.(*ast.ArrayType); ok {
		return &ast.PointerType{Span: a.Span, Elem: a.Elem}
	}
	if q, ok := t.(*ast.QualType); ok {
		return q.Elem
	}
	return t
}
