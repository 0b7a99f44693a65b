package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [expr.call] and [over.match.call]: what is called is a function, a pointer to one, or an object
// of a class with operator(). The candidates are the functions that the name stands for, and
// overload resolution chooses. Then each parameter is initialized from its argument, and parameters
// without one from their default arguments.

func (c *checker) call(x *ast.CallExpr) typed.Expr {
	fun, args, checked := c.callee(x)
	if c.isBad(fun.Type()) {
		if _, ok := fun.(*badExpr); ok {
			if checked {
				return fun
			}
			for _, a := range x.Args {
				if _, pack := a.(*ast.PackExpr); !pack {
					c.expr(a)
				}
			}
			return fun
		}
	}
	if !checked {
		args = c.exprList(x.Args)
	}
	if c.inC() {
		c.intsInC(args)
	}
	c.at = x.Pos()
	switch f := fun.(type) {
	case *typeOperand:
		return c.constructType(f.q, args, x, false)
	case *overload:
		return c.callOverload(f, args, x)
	}
	if c.anyBad(args...) {
		return c.badExpr(x)
	}
	if s, ok := fun.Type().(*types.Struct); ok && c.classes[s] != nil {
		y := c.lookupMember(c.classes[s], "operator()")
		if y == nil {
			c.errorf(diag.NotCallable, x, "type '%s' does not provide a call operator", s)
			return c.badExpr(x)
		}
		obj := c.object(fun)
		if c.classes[s].lambda != nil && !types.SameSpace(obj.Base().Space, types.Thread) {
			obj = c.object(c.load(fun)) // a lambda at program scope has no captures, so a copy works too
		}
		o := &overload{Info: rv(x, types.Void), name: "operator()", fns: y.fns, scope: c.sc, obj: obj}
		return c.callOverload(o, args, x)
	}
	v := c.value(fun)
	if c.isBad(v.Type()) {
		return v
	}
	t := v.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem.Type
	}
	if ft, ok := t.(*types.Func); ok { // or a reference to one
		return c.callPointer(v, ft, args, x)
	}
	c.errorf(diag.NotCallable, x, "called object type '%s' is not a function or function pointer", v.Type())
	return c.badExpr(x)
}

// callee checks the called expression. An unqualified name that lookup does not find may still be
// found through the arguments, which are then checked too, only once: otherwise the work would
// double with every level of nested calls.
func (c *checker) callee(x *ast.CallExpr) (fun typed.Expr, args []typed.Expr, checked bool) {
	n, ok := x.Fun.(*ast.NameExpr)
	if !ok || len(n.Name.Parts) > 1 || n.Name.Global || n.Name.Parts[0].Kind != ast.PartIdent {
		return c.expr(x.Fun), nil, false
	}
	p := &n.Name.Parts[0]
	if y := c.lookup(p.Ident); !y.empty() {
		return c.expr(x.Fun), nil, false
	}
	if e := c.specialName(n, p.Ident, p); e != nil {
		return e, nil, false
	}
	o := &overload{Info: rv(n, types.Void), name: p.Ident, scope: c.sc, adl: true}
	if p.HasArgs {
		o.targs = p.Args
	}
	held := c.hold(func() { args = c.exprList(x.Args) })
	defer held()
	c.addADL(o, args)
	if len(o.fns) == 0 && len(o.lib) == 0 && len(o.spec) == 0 {
		c.undeclared(nil, p, p.Ident, "name")
		return c.badExpr(n), nil, true
	}
	return o, args, true
}

// hold runs f with its diagnostics held back and returns a function that releases them. If the
// check is given up, they are released at once.
func (c *checker) hold(f func()) (release func()) {
	outer, sink := c.sink, c.sink.Held()
	release = func() {
		for _, d := range sink.Diagnostics() {
			outer.Report(d)
		}
		if outer.Full() {
			panic(giveUp{})
		}
	}
	c.sink = sink
	done := false
	defer func() {
		if c.sink = outer; !done {
			for _, d := range sink.Diagnostics() {
				outer.Report(d)
			}
		}
	}()
	f()
	done = true
	return release
}

func (c *checker) callOverload(o *overload, args []typed.Expr, x ast.Node) typed.Expr {
	if e, ok := c.special(o, args, x); ok {
		return e
	}
	if o.adl && o.obj == nil {
		c.addADL(o, args)
	}
	for _, a := range args {
		if t, ok := a.(*typeOperand); ok {
			c.value(t)
			return c.badExpr(x)
		}
	}
	m := c.resolve(o, args, x, false)
	if m == nil {
		return c.badExpr(x)
	}
	if m.lib != nil {
		return c.callLib(m, o, args, x)
	}
	if m.fn.isMethod() && o.obj == nil {
		if c.unevaluated == 0 {
			c.errorf(diag.MethodWithoutObject, x, "call to non-static member function '%s' without an object argument", o.name)
			return c.badExpr(x)
		}
		o.obj = c.deref(&typed.Zero{Info: rv(x, c.u.Pointer(Q{Type: m.fn.class.st, Space: m.fn.space}))})
	}
	c.doubleOfInteger(m.fn, args, x)
	return c.finishCall(m.fn, m.convs, o.obj, args, x.Pos())
}

// finishCall builds the call of a function defined in the program.
func (c *checker) finishCall(f *function, convs []conv, obj typed.Expr, args []typed.Expr, pos diag.Pos) typed.Expr {
	var out []typed.Expr
	if f.isMethod() {
		base := c.toBase(c.object(obj), f.class.st)
		self := c.u.Pointer(Q{Type: f.class.st, Const: f.konst, Space: f.space})
		out = append(out, c.asPointer(c.addr(base), self))
	}
	for i, a := range args {
		if i >= len(f.params) {
			out = append(out, c.value(a))
			continue
		}
		out = append(out, c.argument(a, convs[i], f.params[i]))
	}
	out = c.defaults(f, len(args), out)
	for _, e := range out {
		if c.isBad(e.Type()) {
			return c.badExpr(at{pos})
		}
	}
	c.at = pos
	if !c.callAccess(f, at{pos}) {
		return c.badExpr(at{pos})
	}
	res := c.resultOf(f, at{pos})
	if c.isBad(res.Type) {
		return c.badExpr(at{pos})
	}
	if a := ast.FindAttr("deprecated", f.decl.Attrs); a != nil {
		c.warnf(diag.Deprecated, at{pos}, "'%s' is deprecated", f.name)
	}
	if s := c.stageOf(f); s != "" {
		c.errorAt(diag.CallOfKernel, pos, diag.NoPos, "'%s' is a %s function and cannot be called", f.name, s)
		return c.badExpr(at{pos})
	}
	c.needBody(f)
	call := &typed.Call{Info: rvAt(pos, res.Type), Func: f.out, Args: out}
	return c.callResult(call, &call.Info, res)
}

func (c *checker) callResult(call typed.Expr, i *typed.Info, res Q) typed.Expr {
	if r, ok := res.Type.(*types.Reference); ok {
		i.Typ = c.u.Pointer(r.Elem)
		if _, isFn := r.Elem.Type.(*types.Func); isFn {
			return call
		}
		return c.deref(call)
	}
	return call
}

func (c *checker) argument(a typed.Expr, k conv, to Q) typed.Expr {
	if r, ok := to.Type.(*types.Reference); ok && !r.Elem.Const && k.how == howBind {
		if !c.addressable(a, at{a.Pos()}) {
			return c.badExpr(at{a.Pos()})
		}
	}
	c.changed(a, to.Type)
	v := c.apply(a, k, to)
	if _, ok := to.Type.(*types.Reference); !ok {
		v = c.load(v)
	}
	return v
}

// defaults appends the default arguments of the parameters after the first n.
func (c *checker) defaults(f *function, n int, out []typed.Expr) []typed.Expr {
	for i := n; i < len(f.params) && i < len(f.decl.Params); i++ {
		d := f.decl.Params[i]
		if d.Default == nil {
			break
		}
		c.in(f.bscope, func() {
			e := c.implicit(c.expr(d.Default), f.params[i], "default argument")
			if _, ok := f.params[i].Type.(*types.Reference); !ok {
				e = c.load(e)
			}
			out = append(out, e)
		})
	}
	return out
}

// callConversion calls a conversion function on an object known to fit.
func (c *checker) callConversion(f *function, obj typed.Expr, pos diag.Pos) typed.Expr {
	return c.finishCall(f, nil, obj, nil, pos)
}

func (c *checker) callPointer(v typed.Expr, ft *types.Func, args []typed.Expr, x ast.Node) typed.Expr {
	if len(args) != len(ft.Params) {
		c.errorf(diag.ArgumentCount, x, "function pointer takes %d arguments, but %d given", len(ft.Params), len(args))
		return c.badExpr(x)
	}
	out := make([]typed.Expr, len(args))
	for i, a := range args {
		out[i] = c.implicit(a, ft.Params[i], "parameter")
		if _, ok := ft.Params[i].Type.(*types.Reference); !ok {
			out[i] = c.load(out[i])
		}
	}
	if c.anyBad(out...) {
		return c.badExpr(x)
	}
	if f, ok := v.(*typed.FuncAddr); ok {
		call := &typed.Call{Info: rv(x, ft.Result.Type), Func: f.Func, Args: out}
		return c.callResult(call, &call.Info, ft.Result)
	}
	call := &typed.CallPtr{Info: rv(x, ft.Result.Type), Fn: v, Args: out}
	return c.callResult(call, &call.Info, ft.Result)
}

// callLib builds the call of a library function.
func (c *checker) callLib(m *match, o *overload, args []typed.Expr, x ast.Node) typed.Expr {
	l := m.lib
	if c.refused(l.Fn, x) {
		return c.badExpr(x)
	}
	var out []typed.Expr
	if o.obj != nil {
		out = append(out, c.libObject(o.obj))
	}
	for i, a := range args {
		if i >= len(l.Params) {
			out = append(out, c.value(a))
			continue
		}
		out = append(out, c.argument(a, m.convs[i], l.Params[i]))
	}
	for i := len(args); i < len(l.Params); i++ {
		v, ok := l.Default(i)
		if !ok {
			return c.badExpr(x)
		}
		out = append(out, c.konst(x.Pos(), v))
	}
	if c.anyBad(out...) {
		return c.badExpr(x)
	}
	if l.Fn.Flags.Has(builtin.AtomicOp) && !c.relaxed(l, out) {
		return c.badExpr(x)
	}
	b := &typed.Builtin{Info: rv(x, l.Result.Type), Fn: l.Fn, Op: l.Fn.Op, Args: out, TArgs: l.Types,
		Fast: l.Fn.Flags.Has(builtin.Fast), Precise: l.Fn.Flags.Has(builtin.Precise)}
	return c.callResult(b, &b.Info, l.Result)
}

// relaxed checks the memory orders of an atomic operation. Only fences support orders other than
// relaxed.
func (c *checker) relaxed(l *builtin.Instance, args []typed.Expr) bool {
	for i, p := range l.Params {
		if e, ok := p.Type.(*types.Enum); !ok || e.Name != "memory_order" || i >= len(args) {
			continue
		}
		v, err := c.constant(args[i], consteval.Wrapping)
		if err != nil {
			c.notConstant(at{args[i].Pos()}, err, "the memory order of '%s'", l.Fn.Name)
			return false
		}
		if n, _ := v.Int(); n != 0 {
			c.errorf(diag.AtomicAccess, at{args[i].Pos()},
				"'%s' supports memory_order_relaxed only; use atomic_thread_fence to order other accesses", l.Fn.Name)
			return false
		}
	}
	return true
}

// refused reports a function that is unsupported or needs a newer language version.
func (c *checker) refused(f *builtin.Func, x ast.Node) bool {
	switch {
	case f.Flags.Has(builtin.Unsupported):
		c.errorf(diag.UnsupportedBuiltin, x, "not supported: function '%s'", f.Name)
		return true
	case int(f.Since) > c.opts.Version:
		c.needs(x, f.Name, f.Since)
		return true
	}
	return false
}
