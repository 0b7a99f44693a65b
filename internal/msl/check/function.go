package check

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// declFunc declares a function at namespace scope, or defines a member outside its class.
func (c *checker) declFunc(d *ast.FuncDecl, tparams []ast.TemplateParam) {
	if len(d.Name.Parts) > 1 || d.Name.Global {
		c.outOfClass(d)
		return
	}
	if d.Guide || d.Name.Last().Kind == ast.PartDestructor {
		return
	}
	name := funcName(d.Name)
	f := &function{name: name, decl: d, scope: c.sc, tparams: autoParams(d.Params, tparams), since: c.declCount}
	y := c.sc.sym(name)
	if v, ok := y.val.(*variable); ok && v.decl == nil && c.isBad(v.q.Type) {
		y.val = nil
	}
	if y.val != nil || isTemplateSym(y) {
		c.errorf(diag.Redefinition, d.Name, "redefinition of '%s' as different kind of symbol", name)
		return
	}
	if name == "main" && c.sc == c.global && !f.isTemplate() {
		if b, ok := d.Result.(*ast.BasicType); !ok || b.Kind != ast.Int || len(d.Params) > 0 || c.stage(d) != "" {
			c.errorf(diag.Redefinition, d.Name,
				"'main' is reserved for a function that returns 'int' and takes no arguments; rename this function")
			return
		}
	}
	if !f.isTemplate() {
		if c.stage(d) != "" {
			c.oneStage(d)
			c.kernelDecl(f)
			return
		}
		if !c.signature(f) {
			if y.empty() {
				y.val = &variable{name: name, q: c.badQ(), state: stateDone} // later uses are not undeclared
			}
			return
		}
		c.spend(len(y.fns), 0)
		for i, g := range y.fns {
			if g.isTemplate() || g.decl == nil || !c.signature(g) || !sameParams(f.params, g.params) {
				continue
			}
			if g.result != f.result && !c.hasAuto(f.result) && !c.hasAuto(g.result) {
				c.report(diag.Errorf(diag.BadOverload, d.Name.Pos(), d.Name.End(),
					"functions that differ only in their return type cannot be overloaded").
					WithNote(g.decl.Pos(), diag.NoPos, "'%s' was declared here", name))
				return
			}
			if d.Body == nil {
				c.inheritDefaults(g.decl, d)
				c.missingDefault(g.decl)
				return
			}
			if g.decl.Body != nil {
				c.report(diag.Errorf(diag.Redefinition, d.Name.Pos(), d.Name.End(), "redefinition of '%s'", name).
					WithNote(g.decl.Pos(), diag.NoPos, "previous definition is here"))
				return
			}
			c.inheritDefaults(d, g.decl)
			c.missingDefault(d)
			// The definition replaces the declaration, so that calls of the declaration lead to it.
			g.decl, g.scope = d, c.sc
			g.sigState, g.vars = stateNew, nil
			out := g.out
			c.signature(g)
			if out != nil && g.out != out {
				*out = *g.out
				g.out = out
			}
			y.fns[i] = g
			g.queued = false
			c.use(g)
			return
		}
	} else if c.oneStage(d); d.Body != nil {
		c.spend(4*len(y.fns), 0)
		for _, g := range y.fns {
			if g.isTemplate() && g.decl.Body != nil && sameTemplate(f, g) && sameHead(f, g) {
				c.definedTwice(d.Name, "function template '"+name+"'", g.decl.Pos())
				return
			}
			if g.isTemplate() && g.decl.Body == nil && sameTemplate(f, g) {
				c.inheritDefaults(d, g.decl)
				c.missingDefault(d)
				for i := range f.tparams {
					if p, q := &f.tparams[i], &g.tparams[i]; p.Default == nil && p.DefaultType == nil {
						p.Default, p.DefaultType = q.Default, q.DefaultType
					}
				}
				g.decl, g.tparams, g.scope = d, f.tparams, c.sc
				return
			}
		}
	}
	c.missingDefault(d)
	c.operatorDecl(f)
	c.attrVersions(d.Attrs)
	if c.stage(d) == "" {
		c.misplaced(d.Attrs, onFunction)
		if !f.isTemplate() {
			c.misplaced(d.Attrs, onCalled)
		}
	}
	if c.inC() {
		c.refuseOverload(f, y.fns)
	}
	y.fns = append(y.fns, f)
	if f.isTemplate() && d.Spec.Stage == ast.Kernel && c.infers() {
		c.kernelTmpls = append(c.kernelTmpls, f)
	}
	if !f.isTemplate() && d.Body != nil && !c.inPrelude {
		c.use(f)
	}
}

func sameTemplate(f, g *function) bool {
	if len(f.tparams) != len(g.tparams) || len(f.decl.Params) != len(g.decl.Params) {
		return false
	}
	for i := range f.decl.Params {
		if ast.String(f.decl.Params[i].Type) != ast.String(g.decl.Params[i].Type) {
			return false
		}
	}
	return true
}

func sameParams(a, b []Q) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type != b[i].Type {
			return false
		}
	}
	return true
}

// outOfClass attaches an out-of-class definition to its member. It completes the syntax of the
// declaration, so that instances of class templates find it too.
func (c *checker) outOfClass(d *ast.FuncDecl) {
	n := len(d.Name.Parts)
	if n == 1 { // ::f
		c.in(c.global, func() { c.declFunc(unqualified(d), nil) })
		return
	}
	owner := &d.Name.Parts[n-2]
	var s *scope
	if n > 2 || d.Name.Global {
		short := *d.Name
		short.Parts = d.Name.Parts[:n-1]
		var ok bool
		if s, ok = c.qualifier(&short); !ok {
			return
		}
	}
	y := c.lookupPart(s, owner.Ident)
	if y == nil {
		c.undeclared(s, owner, owner.Ident, "type")
		return
	}
	var rd *ast.RecordDecl
	switch t := y.typ.(type) {
	case *typeName:
		if st, ok := t.q.Type.(*types.Struct); ok && c.classes[st] != nil {
			rd = c.classes[st].decl
		}
	case *classTmpl:
		rd = t.decl
	default:
		if y.ns != nil {
			c.in(y.ns, func() { c.declFunc(unqualified(d), nil) })
			return
		}
	}
	name := funcName(d.Name)
	if rd != nil {
		c.spend(len(rd.Members), 0)
		for _, m := range rd.Members {
			f, ok := ast.Templated(m).(*ast.FuncDecl)
			if !ok || f.Body != nil || len(f.Params) != len(d.Params) || funcName(f.Name) != name && !(f.Ctor && d.Ctor) ||
				f.Quals.Const != d.Quals.Const || f.Quals.Space != d.Quals.Space || !sameWritten(f, d) {
				continue
			}
			c.inheritDefaults(d, f)
			c.missingDefault(d)
			f.Params, f.Body, f.Inits = d.Params, d.Body, d.Inits
			c.horizons[f] = c.declCount
			c.spend(len(c.classes), 0)
			for _, k := range c.classes {
				if k.decl == rd {
					c.redefine(k, f)
				}
			}
			return
		}
	}
	c.errorf(diag.NoMemberNamed, d.Name,
		"out-of-line definition of '%s' does not match any declaration in '%s'", name, owner.Ident)
}

// unqualified returns the declaration with only the last part of its name.
func unqualified(d *ast.FuncDecl) *ast.FuncDecl {
	e, name := *d, *d.Name
	name.Parts, name.Global = name.Parts[len(name.Parts)-1:], false
	e.Name = &name
	return &e
}

func sameWritten(a, b *ast.FuncDecl) bool {
	for i := range a.Params {
		if ast.String(a.Params[i].Type) != ast.String(b.Params[i].Type) {
			return false
		}
	}
	return true
}

// redefine attaches the body to members that were used before they had one.
func (c *checker) redefine(k *class, d *ast.FuncDecl) {
	for _, list := range [][]*function{k.ctors, k.convs, k.sc.sym(funcName(d.Name)).fns} {
		for _, f := range list {
			if f.decl == d && f.queued {
				f.sigState, f.vars = stateNew, nil
				out := f.out
				c.signature(f)
				if out != nil {
					*out = *f.out
					f.out = out
				}
				f.queued, f.state = false, stateNew
				c.use(f)
			}
		}
	}
}

// signature resolves the types of a function that is not a template.
func (c *checker) signature(f *function) bool {
	switch f.sigState {
	case stateDone:
		return f.out != nil
	case stateBusy:
		return false
	}
	f.sigState = stateBusy
	defer func() { f.sigState = stateDone }()
	d := f.decl
	s := newScope(f.scope, blockScope, "")
	f.bscope = s
	f.params, f.vars = nil, nil
	out := &typed.Func{Name: f.name, Pos: d.Name.Pos(), End: d.End(), Constexpr: d.Spec.Constexpr, Ctor: d.Ctor,
		Visible: ast.FindAttr("visible", d.Attrs) != nil}
	fn := c.fn
	c.fn = nil
	ctx := &fnCtx{f: f, out: out}
	s.fn = ctx
	ok := true
	c.in(s, func() {
		f.space = spaces[d.Quals.Space].Or(types.Thread)
		f.konst = d.Quals.Const
		if f.isMethod() {
			self := Q{Type: f.class.st, Const: f.konst, Space: f.space}
			p := Q{Type: c.u.Pointer(self)}
			v := c.newVar("this", p, typed.Param, d)
			out.This = v.v
			out.Params = append(out.Params, v.v)
			ctx.this = v
		}
		for _, p := range d.Params {
			name := ""
			if p.Ident != nil {
				name = p.Ident.Name
			}
			if pt, isPack := p.Type.(*ast.PackType); isPack {
				var elems []arg
				if pt.Elem != nil {
					c.expand(pt.Elem, p, func() {
						v := c.param(f, out, name, pt.Elem, p)
						elems = append(elems, arg{kind: argVar, v: v})
						ok = ok && v != nil
					})
				}
				a := arg{kind: argPack, elems: elems}
				bindArg(s, name, &a)
				continue
			}
			v := c.param(f, out, dialect.Written(name), p.Type, p)
			if v == nil {
				ok = false
				continue
			}
			if name != "" {
				y := s.sym(name)
				if y.val != nil {
					c.errorf(diag.Redefinition, p.Ident, "redefinition of parameter '%s'", name)
				}
				y.val = v
			}
		}
		switch {
		case d.Ctor:
			f.result = Q{Type: types.Void}
		case d.Name.Last().Kind == ast.PartConversion:
			f.result = c.typ(d.Name.Last().Type)
		case d.Result == nil:
			f.result = Q{Type: types.Void}
		default:
			f.result = c.typ(d.Result)
		}
	})
	if !d.Ctor && !c.isBad(f.result.Type) {
		c.in(s, func() { c.resultSpace(d) })
	}
	c.fn = fn
	if c.isBad(f.result.Type) {
		ok = false
		c.failed()
	}
	if a, isArray := f.result.Type.(*types.Array); isArray {
		c.errorf(diag.BadResult, d, "function '%s' cannot return array type '%s'", f.name, a)
		ok = false
	}
	if _, atomic := f.result.Type.(*types.Atomic); atomic {
		c.errorf(diag.AtomicAccess, d, "atomics cannot be copied: function '%s' must return a pointer or a reference", f.name)
		ok = false
	}
	if t, qualified := d.Result.(*ast.QualType); qualified && t.Space != 0 && !isRef(f.result) &&
		f.result.Space != types.Thread && f.result.Space != types.None {
		c.errorf(diag.BadResult, d.Result,
			"return type of '%s' cannot be qualified with address space '%s'", f.name, f.result.Space)
		ok = false
	}
	if !ok {
		return false
	}
	c.setResult(f, out)
	out.Linkage = c.linkage(f)
	f.out = out
	ctx.out = out
	c.functions[out] = f
	return true
}

func (c *checker) setResult(f *function, out *typed.Func) {
	out.Result, out.RefResult = f.result.Type, false
	if r, ok := f.result.Type.(*types.Reference); ok {
		out.Result, out.RefResult = c.u.Pointer(r.Elem), true
	}
}

func (c *checker) param(f *function, out *typed.Func, name string, t ast.TypeExpr, p *ast.Param) *variable {
	q := c.typ(t)
	if c.isBad(q.Type) {
		c.failed()
		return nil
	}
	q = c.paramType(q)
	if q.Type == types.Type(types.Void) {
		c.errorf(diag.VoidObject, p, "parameter '%s' may not have 'void' type", name)
		return nil
	}
	if q.Space != types.None && q.Space != types.Thread && c.stageOf(f) == "" {
		if _, ok := q.Type.(*types.Reference); !ok {
			// A template argument may come with an address space, so it is dropped rather than
			// rejected.
			if _, named := t.(*ast.QualType); named && q.Space != types.Constant {
				c.errorf(diag.ParamSpace, p, "parameter '%s' may not be qualified with address space '%s'", name, q.Space)
				return nil
			}
			q.Space = types.None
		}
	}
	if _, ok := q.Type.(*types.Atomic); ok && c.stageOf(f) == "" {
		c.errorf(diag.AtomicAccess, p, "atomics cannot be copied: parameter '%s' must be a pointer or a reference", name)
		return nil
	}
	if c.stageOf(f) == "" {
		c.paramSpace(p)
	}
	f.params = append(f.params, q)
	v := c.newVar(name, q, typed.Param, p)
	v.owner = c.sc.fnCtx()
	f.vars = append(f.vars, v)
	out.Params = append(out.Params, v.v)
	return v
}

func (s *scope) fnCtx() *fnCtx {
	for ; s != nil; s = s.parent {
		if s.fn != nil {
			return s.fn
		}
	}
	return nil
}

// newVar creates a variable of the program.
func (c *checker) newVar(name string, q Q, kind typed.VarKind, n ast.Node) *variable {
	return c.slabs.locals.put(variable{name: name, q: q, v: c.varOf(name, q, kind, n), state: stateDone})
}

func (c *checker) varOf(name string, q Q, kind typed.VarKind, n ast.Node) *typed.Var {
	v := c.slabs.vars.put(typed.Var{Name: name, Kind: kind, Index: -1, Pos: n.Pos()})
	c.setVar(v, q)
	return v
}

// setVar gives a variable its type.
func (c *checker) setVar(v *typed.Var, q Q) {
	v.Type, v.Space, v.Const, v.Volatile = q.Type, q.Space.Or(types.Thread), q.Const, q.Volatile
	if r, ok := q.Type.(*types.Reference); ok {
		v.Ref = true
		v.Type = c.u.Pointer(r.Elem)
	}
}

// linkage returns the unique name of a function.
func (c *checker) linkage(f *function) string {
	var b strings.Builder
	switch {
	case f.class != nil:
		b.WriteString(f.class.st.Name + "::" + f.name)
	default:
		b.WriteString(qualify(f.nsScope(), f.name))
	}
	if f.tmpl != nil {
		b.WriteString("<" + argString(f.args) + ">")
	}
	b.WriteByte('(')
	for i, p := range f.params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.String())
	}
	b.WriteByte(')')
	if f.isMethod() && (f.konst || f.space != types.Thread) {
		if f.konst {
			b.WriteString(" const")
		}
		fmt.Fprintf(&b, " %s", f.space)
	}
	return b.String()
}

func (f *function) nsScope() *scope {
	s := f.scope
	for s != nil && s.kind == bindScope {
		s = s.parent
	}
	return s
}

// use ensures that a called function gets a body.
func (c *checker) use(f *function) {
	if f.queued || f.isTemplate() {
		return
	}
	if !c.signature(f) {
		return
	}
	if f.decl.Body == nil && !f.decl.Defaulted && !f.decl.Ctor {
		return // a definition may follow
	}
	f.queued = true
	if len(f.notes) == 0 && f.tmpl != nil {
		c.spend(len(c.backtrace)/8, 24*len(c.backtrace))
		f.notes = append([]typed.Note(nil), c.backtrace...)
		f.notes = append(f.notes, typed.Note{Pos: c.at,
			Message: "in instantiation of '" + f.out.Linkage + "' requested here"})
	}
	c.queue = append(c.queue, f)
}

// body checks the body of a function.
func (c *checker) body(f *function) {
	if f.state != stateNew || !c.signature(f) {
		return
	}
	if f.decl.Body == nil && !f.decl.Ctor && !f.decl.Defaulted {
		return
	}
	f.state = stateBusy
	f.queued = true
	defer c.restore(c.context)
	c.horizon = c.horizonOf(f)
	c.trap, c.unevaluated = nil, 0
	if f.notes != nil {
		c.backtrace = f.notes
		c.depth = max(c.depth, len(f.notes))
	}
	if c.depth > c.opts.MaxDepth {
		c.limit(diag.InstantiationDepth, f.decl.Pos(), "recursive template instantiation exceeded maximum depth of %d",
			c.opts.MaxDepth)
	}
	for i := range f.params {
		if s, ok := f.params[i].Type.(*types.Struct); ok && i < len(f.decl.Params) {
			c.need(s, f.decl.Params[i])
		}
	}
	if s, ok := f.result.Type.(*types.Struct); ok && f.decl.Result != nil {
		c.need(s, f.decl.Result)
	}
	c.depth++
	ctx := f.bscope.fn
	c.recordInstance(f)
	ctx.result = f.result
	ctx.lambda = f.lambda
	ctx.deduce = c.hasAuto(f.result)
	c.fn, c.sc = ctx, f.bscope
	for i, v := range f.out.Params {
		v.ID = i
	}
	f.out.Locals = len(f.out.Params)
	b := &typed.Block{StmtPos: typed.StmtPos{At: f.decl.Pos()}, End: f.decl.End()}
	if f.decl.Ctor {
		b.List = c.ctorInits(f)
	}
	if f.decl.Body != nil {
		b.List = append(b.List, c.stmts(f.decl.Body.List)...)
		b.End, b.Math = f.decl.Body.End(), mathMode(f.decl.Body)
	}
	if ctx.deduce && !ctx.deduced {
		q := Q{Type: types.Void}
		if len(ctx.nulls) > 0 {
			q = c.typ(pointerResult(f.decl.Result))
		}
		c.setDeduced(q)
	}
	for _, r := range ctx.nulls {
		r.X = &typed.Zero{Info: rvAt(r.At, ctx.result.Type)}
	}
	if !ctx.kernel && f.result.Type != types.Type(types.Void) && !f.decl.Ctor && c.fallsOff(b.List) &&
		!f.decl.Spec.Constexpr {
		c.warnf(diag.MissingReturn, f.decl.Name, "'%s' does not return a value on every path", f.name)
	}
	c.unused(ctx)
	f.out.Body = b
	f.out.Backtrace = append(f.out.Backtrace, c.backtrace...)
	f.state = stateDone
	c.prog.Functions = append(c.prog.Functions, f.out)
}

// setDeduced fixes the result type of a function declared auto.
func (c *checker) setDeduced(q Q) {
	ctx := c.fn
	ctx.deduced, ctx.deduce = true, false
	ctx.result = q
	ctx.f.result = q
	c.setResult(ctx.f, ctx.out)
}

// resultOf returns a function's result type. If it is deduced, the body is checked now.
func (c *checker) resultOf(f *function, n ast.Node) Q {
	if !c.hasAuto(f.result) {
		return f.result
	}
	if f.state == stateBusy {
		c.errorf(diag.AutoRecursion, n, "function '%s' with deduced return type cannot be used before it is defined", f.name)
		return c.badQ()
	}
	if f.decl.Body == nil {
		c.errorf(diag.AutoRecursion, n, "function '%s' with deduced return type cannot be used before it is defined", f.name)
		return c.badQ()
	}
	c.body(f)
	if c.hasAuto(f.result) {
		return c.badQ()
	}
	return f.result
}

// funcTypeOf is the type of a function.
func (c *checker) funcTypeOf(f *function) types.Type {
	return c.u.Func(c.resultOf(f, f.decl), f.params, f.decl.Variadic)
}

func (c *checker) functionOf(out *typed.Func) *function { return c.functions[out] }
