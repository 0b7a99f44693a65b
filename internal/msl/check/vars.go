package check

import (
	"strings"

	"errors"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [dcl.spec.auto]: auto is deduced as a template parameter would be from a call with the
// initializer; decltype(auto) is the initializer's decltype. [dcl.init]: = asks for an implicit
// conversion, ( and { also use explicit constructors. [dcl.constexpr]: a constexpr variable needs a
// constant initializer.

// hasAuto reports whether a type has yet to be deduced.
func (c *checker) hasAuto(q Q) bool {
	switch t := q.Type.(type) {
	case *types.Struct:
		return t == c.auto
	case *types.Pointer:
		return c.hasAuto(t.Elem)
	case *types.Reference:
		return c.hasAuto(t.Elem)
	case *types.Array:
		return c.hasAuto(Q{Type: t.Elem})
	}
	return false
}

// isDecltypeAuto reports whether a type is decltype(auto), deduced as decltype of the initializer.
func isDecltypeAuto(t ast.TypeExpr) bool {
	a, ok := t.(*ast.AutoType)
	return ok && a.Decltype
}

// deduceAuto deduces auto in q from an initializer.
func (c *checker) deduceAuto(q Q, e typed.Expr, n ast.Node) Q {
	switch x := e.(type) {
	case *badExpr:
		return c.badQ()
	case *initList:
		c.errorf(diag.BadAuto, n, "cannot deduce 'auto' from an initializer list")
		return c.badQ()
	case *overload, *typeOperand:
		if o, ok := x.(*overload); ok {
			if f := c.soleFunction(o); f != nil && o.obj == nil {
				return Q{Type: c.u.Pointer(Q{Type: c.funcTypeOf(f)})}
			}
		}
		c.value(e)
		return c.badQ()
	}
	if r, ok := q.Type.(*types.Reference); ok {
		from := qOf(e)
		if r.RValue && r.Elem.Type == types.Type(c.auto) && e.Base().LValue {
			return Q{Type: c.u.Reference(from, false)}
		}
		if t, ok := c.matchAuto(r.Elem, from); ok {
			return Q{Type: c.u.Reference(t, r.RValue)}
		}
	} else {
		v := c.load(e)
		if t, ok := c.matchAuto(Q{Type: q.Type}, Q{Type: v.Type()}); ok {
			t.Const, t.Volatile, t.Space = q.Const, q.Volatile, q.Space
			if t.Type == types.Type(types.Void) {
				c.errorf(diag.VoidObject, n, "object has incomplete type 'void'")
				return c.badQ()
			}
			return t
		}
	}
	c.errorf(diag.BadAuto, n, "type '%s' has incompatible initializer of type '%s'", q, e.Type())
	return c.badQ()
}

// matchAuto replaces auto in pattern so that the result equals the type from.
func (c *checker) matchAuto(pattern, from Q) (Q, bool) {
	if pattern.Type == types.Type(c.auto) {
		q := from
		q.Const = pattern.Const || from.Const
		q.Volatile = pattern.Volatile || from.Volatile
		if pattern.Space != types.None && pattern.Space != types.Thread && !types.SameSpace(pattern.Space, from.Space) {
			return q, false
		}
		if q.Space == types.None {
			q.Space = pattern.Space
		}
		return q, true
	}
	switch p := pattern.Type.(type) {
	case *types.Pointer:
		if f, ok := from.Type.(*types.Pointer); ok {
			elem := p.Elem
			if elem.Space == types.Thread {
				elem.Space = types.None
			}
			e, ok := c.matchAuto(elem, f.Elem)
			pattern.Type = c.u.Pointer(e)
			return pattern, ok
		}
	case *types.Array:
		if f, ok := from.Type.(*types.Array); ok {
			e, ok := c.matchAuto(Q{Type: p.Elem}, Q{Type: f.Elem})
			pattern.Type = c.u.Array(e.Type, f.Len)
			return pattern, ok
		}
	}
	return pattern, pattern == from
}

// initialize checks the initializer of a variable; a deduced type is stored in q.
func (c *checker) initialize(q *Q, d *ast.VarDecl) typed.Expr {
	name := ""
	if d.Name != nil {
		name = d.Name.Last().Ident
	}
	var e typed.Expr
	switch d.InitKind {
	case ast.NoInit:
		if c.hasAuto(*q) {
			c.errorf(diag.BadAuto, d, "declaration of variable '%s' with deduced type 'auto' requires an initializer", name)
			return c.badExpr(d)
		}
		if _, ok := q.Type.(*types.Reference); ok {
			c.errorf(diag.BadInit, d, "declaration of reference variable '%s' requires an initializer", name)
			return c.badExpr(d)
		}
		if !c.need(q.Type, d.Name) {
			return c.badExpr(d)
		}
		return c.defaultInit(q.Type, d)
	case ast.ParenInit:
		args := c.exprList(d.Args)
		if len(args) == 1 && (c.hasAuto(*q) || isRef(*q)) {
			e = args[0]
			break
		}
		if !c.need(q.Type, d) {
			return c.badExpr(d)
		}
		if a, ok := q.Type.(*types.Array); ok && len(args) == 1 {
			if l, list := args[0].(*initList); list {
				return c.arrayFromList(l, a, d)
			}
		}
		return c.constructType(Q{Type: q.Type}, args, d, false)
	default:
		e = c.expr(d.Init)
	}
	if isDecltypeAuto(d.Type) && d.Init != nil {
		if *q = c.decltype(d.Init); c.isBad(q.Type) {
			return c.badExpr(d)
		}
	}
	c.takeSpace(q, d.Type, e)
	if c.hasAuto(*q) {
		if l, ok := e.(*initList); ok && d.InitKind == ast.BraceInit && len(l.elems) == 1 {
			e = l.elems[0]
		}
		if *q = c.deduceAuto(*q, e, d); c.isBad(q.Type) {
			return c.badExpr(d)
		}
	}
	if r, ok := q.Type.(*types.Reference); ok {
		if l, ok := e.(*initList); ok && d.InitKind == ast.BraceInit && len(l.elems) == 1 {
			e = l.elems[0]
		}
		return c.implicit(e, Q{Type: r}, "reference '"+name+"'")
	}
	if a, ok := q.Type.(*types.Array); ok {
		if l, ok := e.(*initList); ok {
			return c.arrayFromList(l, a, d)
		}
		if s, ok := literalFor(e, a); ok {
			return c.stringArray(s, a, d)
		}
		if e.Type() != types.Type(a) || e.Base().LValue {
			if !c.isBad(e.Type()) {
				c.errorf(diag.BadInit, d, "array '%s' must be initialized with an initializer list", name)
			}
			return c.badExpr(d)
		}
		return e
	}
	if !c.need(q.Type, d) {
		return c.badExpr(d)
	}
	if l, ok := e.(*initList); ok && d.InitKind == ast.BraceInit {
		return c.initFromList(l, Q{Type: q.Type})
	}
	return c.load(c.implicit(e, Q{Type: q.Type}, "variable '"+name+"'"))
}

func isRef(q Q) bool {
	_, ok := q.Type.(*types.Reference)
	return ok
}

// sized deduces an array's length from its initializer.
func (c *checker) sized(q *Q, e typed.Expr, n ast.Node) bool {
	a, ok := q.Type.(*types.Array)
	if !ok || a.Len != types.Unsized {
		return true
	}
	if e != nil {
		if t, ok := e.Type().(*types.Array); ok {
			q.Type = t
			return true
		}
		if c.isBad(e.Type()) {
			return false
		}
	}
	c.errorf(diag.BadArray, n, "definition of variable with array type needs an explicit size or an initializer")
	return false
}

// globalVar declares a variable at namespace scope.
func (c *checker) globalVar(d *ast.VarDecl) {
	if d.Name == nil {
		return
	}
	name := d.Name.Last().Ident
	if len(d.Name.Parts) > 1 {
		c.staticMember(d)
		return
	}
	y := c.sc.sym(name)
	if v, ok := y.val.(*variable); ok && v.decl != nil && !v.decl.Spec.Extern && !d.Spec.Extern {
		c.report(diag.Errorf(diag.Redefinition, d.Name.Pos(), d.Name.End(), "redefinition of '%s'", name).
			WithNote(v.decl.Pos(), diag.NoPos, "previous definition is here"))
		return
	}
	if len(y.fns) > 0 {
		c.errorf(diag.Redefinition, d.Name, "redefinition of '%s' as different kind of symbol", name)
		return
	}
	v := &variable{name: qualify(c.sc, name), decl: d, scope: c.sc}
	y.val = v
	if c.hostVar(v, d) {
		return
	}
	c.lazyVar(v)
}

// staticMember attaches an out-of-class initializer to a static member. It completes the syntax of
// the declaration, so that instances of class templates find it too.
func (c *checker) staticMember(d *ast.VarDecl) {
	rd, owner := c.ownerOf(d.Name)
	if rd == nil {
		return
	}
	name := d.Name.Last().Ident
	for _, m := range rd.Members {
		v, ok := m.(*ast.VarDecl)
		if !ok || v.Name == nil || v.Name.Last().Ident != name || !v.Spec.Static {
			continue
		}
		if d.InitKind == ast.NoInit {
			return
		}
		if v.InitKind != ast.NoInit {
			c.report(diag.Errorf(diag.Redefinition, d.Name.Pos(), d.Name.End(), "variable '%s' has two initializers", name).
				WithNote(v.Pos(), diag.NoPos, "previous initializer is here"))
			return
		}
		v.InitKind, v.Init, v.Args = d.InitKind, d.Init, d.Args
		if a, ok := v.Type.(*ast.ArrayType); ok && a.Len == nil {
			v.Type = d.Type
		}
		return
	}
	c.errorf(diag.NoMemberNamed, d.Name, "no static member named '%s' in '%s'", name, owner)
}

// ownerOf finds the class or class template whose member a qualified name defines; nil for
// namespaces and after an error.
func (c *checker) ownerOf(n *ast.Name) (*ast.RecordDecl, string) {
	last := len(n.Parts) - 1
	owner := &n.Parts[last-1]
	var s *scope
	if last > 1 || n.Global {
		short := *n
		short.Parts = n.Parts[:last]
		var ok bool
		if s, ok = c.qualifier(&short); !ok {
			return nil, ""
		}
	}
	y := c.lookupPart(s, owner.Ident)
	if y == nil {
		c.undeclared(s, owner, owner.Ident, "type")
		return nil, ""
	}
	switch t := y.typ.(type) {
	case *typeName:
		if st, ok := t.q.Type.(*types.Struct); ok && c.classes[st] != nil {
			return c.classes[st].decl, owner.Ident
		}
	case *classTmpl:
		for _, p := range t.partials {
			if owner.HasArgs && p.decl != nil && sameArgs(p.args, owner.Args) {
				return p.decl, owner.Ident
			}
		}
		return t.decl, owner.Ident
	}
	return nil, owner.Ident
}

// lazyVar checks a variable with static storage when it is declared or first used.
func (c *checker) lazyVar(v *variable) {
	if v.state != stateNew {
		return
	}
	v.state = stateBusy
	d := v.decl
	defer c.restore(c.context)
	if c.depth++; c.depth > c.opts.MaxDepth {
		c.limit(diag.InstantiationDepth, d.Pos(), "recursive template instantiation exceeded maximum depth of %d",
			c.opts.MaxDepth)
	}
	c.sc, c.fn, c.trap = v.scope, nil, nil
	c.staticVar(v, d)
	v.state = stateDone
}

func (c *checker) staticVar(v *variable, d *ast.VarDecl) {
	q := c.typ(d.Type)
	fc := ast.FindAttr("function_constant", d.Attrs)
	if v.class == nil {
		c.misplaced(d.Attrs, onGlobal)
	}
	if c.isBad(q.Type) {
		v.q = q
		v.v = nil
		return
	}
	c.explicitSpace("variable '"+v.name+"'", d.Type, d)
	q.Const = q.Const || d.Spec.Constexpr
	_, sampler := q.Type.(*types.Opaque)
	if arr, ok := q.Type.(*types.Array); ok && !sampler {
		_, sampler = arr.Elem.(*types.Opaque)
	}
	sampler = sampler || isSampler(q.Type)
	switch q.Space {
	case types.Constant:
	case types.None, types.Thread:
		if sampler {
			q.Space = types.Constant
			break
		}
		if v.class == nil && !c.inPrelude && !d.Spec.Constexpr && !c.atTemplate(v) {
			c.errorf(diag.GlobalSpace, d, "program scope variable '%s' must reside in constant address space", v.name)
		} else if v.class == nil && !c.inPrelude && q.Space == types.None && !c.atTemplate(v) && !q.Const {
			c.errorf(diag.GlobalSpace, d, "program scope variable '%s' must reside in constant address space", v.name)
		}
		q.Space = types.Constant
	default:
		if d.Spec.Extern {
			break
		}
		c.errorf(diag.GlobalSpace, d, "program scope variable '%s' must reside in constant address space, not '%s'", v.name,
			q.Space)
		q.Space = types.Constant
	}
	c.constantSampler(q, d, true)
	if sampler && isSampler(q.Type) && d.InitKind == ast.NoInit {
		d.InitKind, d.Args = ast.ParenInit, nil
	}
	var init typed.Expr
	if fc != nil {
		c.functionConstant(v, q, d, fc)
		return
	}
	init = c.initialize(&q, d)
	if !c.sized(&q, init, d) {
		v.q = c.badQ()
		return
	}
	q.Const = true
	v.q = q
	kind := typed.Global
	if v.class != nil {
		kind = typed.StaticLocal
	}
	nv := c.newVar(v.name, q, kind, d)
	v.v = nv.v
	v.v.Space = types.Constant
	v.q.Space = types.Constant
	if init == nil {
		if !d.Spec.Extern && d.InitKind == ast.NoInit {
			c.errorf(diag.BadInit, d, "variable '%s' in constant address space must be initialized", v.name)
		}
		return
	}
	if c.isBad(init.Type()) {
		v.q = c.badQ()
		v.v = nil
		return
	}
	v.v.Init = init
	c.constantProperties(d, init)
	if _, opaque := q.Type.(*types.Opaque); opaque || isSampler(q.Type) {
		return
	}
	val, err := c.eval.Eval(init, c.initMode(d))
	switch {
	case err == nil:
		v.v.Value = val
	case errors.Is(err, consteval.ErrFunctionConstant) && !d.Spec.Constexpr:
		v.v.Kind = typed.SpecConstant
	default:
		c.notConstant(d, err, "initializer of '%s'", v.name)
	}
}

// initMode says how an initializer is evaluated: only constexpr variables require a constant
// expression.
func (c *checker) initMode(d *ast.VarDecl) consteval.Mode {
	if d.Spec.Constexpr && !c.inPrelude {
		return consteval.Strict
	}
	return consteval.Wrapping
}

func (c *checker) atTemplate(v *variable) bool { return v.scope.kind == bindScope }

// isSampler reports whether a type is a sampler or an array of them, built-in or metal::array.
func isSampler(t types.Type) bool {
	if s, ok := t.(*types.Struct); ok && s.Template == "metal::array" {
		t = s.Fields[0].Type.Type
	}
	if a, ok := t.(*types.Array); ok {
		t = a.Elem
	}
	o, ok := t.(*types.Opaque)
	return ok && o.Name == "sampler"
}

func (c *checker) functionConstant(v *variable, q Q, d *ast.VarDecl, a *ast.Attr) {
	c.attrVersions(d.Attrs)
	v.q = q
	v.q.Const = true
	v.q.Space = types.Constant
	nv := c.newVar(v.name, v.q, typed.FunctionConstant, d)
	v.v = nv.v
	v.v.Space = types.Constant
	e := types.ElemOf(q.Type)
	if e == nil || types.LenOf(q.Type) == 0 || !e.IsArithmetic() {
		if _, ok := q.Type.(*types.Enum); !ok {
			c.errorf(diag.FunctionConstantType, d, "function constant '%s' must be a scalar or vector, not '%s'", v.name, q.Type)
		}
	}
	if d.InitKind != ast.NoInit {
		c.errorf(diag.FunctionConstantInit, d, "function constant '%s' cannot have an initializer", v.name)
	}
	if len(a.Args) != 1 {
		c.errorf(diag.AttributeArgs, a, "'function_constant' attribute takes one argument")
		return
	}
	n, ok := c.constInt(a.Args[0], "index of a function constant")
	if !ok {
		return
	}
	if n < 0 || n > 65535 {
		c.errorf(diag.IndexLimit, a, "index %d of a function constant is not between 0 and 65535", n)
		return
	}
	v.v.Index = int(n)
	if old := c.functionConstants[int(n)]; old != nil && old != v {
		c.report(diag.Errorf(diag.IndexClash, a.Pos(), a.End(), "function constants '%s' and '%s' have the same index %d",
			old.name, v.name, n).
			WithNote(old.decl.Pos(), diag.NoPos, "'%s' is declared here", old.name))
		return
	}
	c.functionConstants[int(n)] = v
	c.prog.Constants = append(c.prog.Constants, v.v)
}

// localSpecifiers reports specifiers that are only allowed on namespace or class members.
func (c *checker) localSpecifiers(d *ast.VarDecl) {
	word := "inline"
	switch {
	case d.Spec.Extern:
		word = "extern"
	case !d.Spec.Inline:
		return
	}
	c.errorf(diag.LocalSpecifier, d, "local variable '%s' cannot be %s", d.Name.Last().Ident, word)
}

// localVar declares a variable in a function.
func (c *checker) localVar(d *ast.VarDecl) []typed.Stmt {
	if d.Name == nil {
		return nil
	}
	name := d.Name.Last().Ident
	y := c.sc.sym(name)
	if y.val != nil || len(y.fns) > 0 {
		if v, ok := y.val.(*variable); ok && v.v != nil {
			c.report(diag.Errorf(diag.Redefinition, d.Name.Pos(), d.Name.End(), "'%s' is declared twice in this scope", name).
				WithNote(v.v.Pos, diag.NoPos, "previous declaration is here"))
		} else {
			c.errorf(diag.Redefinition, d.Name, "'%s' is declared twice in this scope", name)
		}
		return nil
	}
	if c.hidesParam(name) {
		c.errorf(diag.Redefinition, d.Name, "'%s' is a template parameter", name)
		return nil
	}
	if c.infers() && d.Spec.Extern {
		y.val = &variable{name: name, decl: d, scope: c.sc}
		if c.hostVar(y.val.(*variable), d) {
			return nil
		}
		y.val = nil
	}
	q := c.typ(d.Type)
	if c.isBad(q.Type) {
		y.val = &variable{name: name, q: q, state: stateDone}
		if d.Init != nil {
			c.expr(d.Init)
		}
		return nil
	}
	c.explicitSpace("variable '"+name+"'", d.Type, d)
	c.misplaced(d.Attrs, onLocal)
	if d.Spec.Static && q.Space == types.Threadgroup && c.infers() {
		return c.threadgroupVar(name, q, d, y)
	}
	if d.Spec.Static && !d.Spec.Constexpr && !q.Const && q.Space != types.Constant {
		c.errorf(diag.StaticLocal, d, "local variable '%s' cannot be static", name)
	}
	c.localSpecifiers(d)
	if q.Space == types.Constant && !isRef(q) || d.Spec.Static {
		if !d.Spec.Static {
			c.errorf(diag.LocalSpace, d, "local variable '%s' in constant address space must be static", name)
		}
		v := &variable{name: name, decl: d, scope: c.sc, class: &class{}}
		v.state = stateBusy
		q.Space = types.Constant
		c.staticVar(v, d)
		v.class = nil
		v.state = stateDone
		y.val = v
		return nil
	}
	if q.Space == types.Threadgroup && !isRef(q) {
		return c.threadgroupVar(name, q, d, y)
	}
	if q.Space == types.Device || q.Space > types.Threadgroup {
		if !isRef(q) {
			c.errorf(diag.LocalSpace, d, "local variable '%s' cannot be in address space '%s'", name, q.Space)
			q.Space = types.None
		}
	}
	q.Const = q.Const || d.Spec.Constexpr
	v := c.slabs.locals.put(variable{name: name, q: q, state: stateBusy, owner: c.fn, at: d.Name.Pos()})
	c.declared(v, d)
	if !c.hasAuto(q) {
		v.v, v.state = c.varOf(name, q, typed.Local, d), stateDone
	}
	y.val = v
	c.constantSampler(q, d, false)
	if _, ok := q.Type.(*types.Atomic); ok {
		c.errorf(diag.AtomicAccess, d, "atomic '%s' must be in address space 'device' or 'threadgroup'", name)
	} else if hasAtomic(q.Type) {
		c.errorf(diag.AtomicAccess, d, "'%s' has atomics and must be in address space 'device' or 'threadgroup'", name)
	}
	if isSampler(q.Type) && d.InitKind == ast.NoInit {
		d.InitKind = ast.ParenInit
	}
	init := c.initialize(&q, d)
	if init != nil && c.isBad(init.Type()) || !c.sized(&q, init, d) {
		v.q, v.state = c.badQ(), stateDone
		if !c.hasAuto(q) && !c.isBad(q.Type) && v.v != nil {
			v.q = q // good enough to continue
		} else {
			v.v = nil
		}
		return nil
	}
	c.constantProperties(d, init)
	if init == nil && q.Const && !isSampler(q.Type) {
		if _, ok := q.Type.(*types.Struct); !ok {
			c.errorf(diag.BadInit, d, "default initialization of const variable '%s'", name)
		}
	}
	if v.v == nil {
		v.v = c.varOf(name, q, typed.Local, d)
	} else {
		c.setVar(v.v, q)
	}
	v.q, v.state = q, stateDone
	v.pending = c.infers() && openSpace(d, q, init)
	if q.Space == types.None {
		v.q.Space = types.Thread
		if isRef(q) {
			v.q.Space = types.None
		}
	}
	v.v.ID = c.fn.out.Locals
	c.fn.out.Locals++
	if q.Const && init != nil && !isRef(q) && c.constantType(q.Type) {
		val, err := c.eval.Eval(init, c.initMode(d))
		switch {
		case err == nil:
			v.v.Value = val
			init = c.konst(d.Pos(), val) // evaluating this at run time may be impossible: a function may call itself
		case d.Spec.Constexpr && !isSampler(q.Type):
			c.notConstant(d, err, "initializer of constexpr '%s'", name)
		}
	}
	s := &typed.VarDecl{StmtPos: typed.StmtPos{At: d.Pos()}, Var: v.v, Init: init}
	if v.pending {
		v.null, v.written = s, d.Type
	}
	return []typed.Stmt{s}
}

// hasAtomic reports whether objects of a type contain atomics. Each struct is visited once, since
// nesting can double the number of fields with every level.
func hasAtomic(t types.Type) bool {
	seen := make(map[*types.Struct]bool)
	var has func(t types.Type) bool
	has = func(t types.Type) bool {
		switch t := t.(type) {
		case *types.Atomic:
			return true
		case *types.Array:
			return has(t.Elem)
		case *types.Struct:
			if seen[t] {
				return false
			}
			seen[t] = true
			for i := range t.Fields {
				if has(t.Fields[i].Type.Type) {
					return true
				}
			}
		}
		return false
	}
	return has(t)
}

// constantType limits which const locals are evaluated: any constexpr type, otherwise only scalars
// and small types.
func (c *checker) constantType(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic, *types.Enum, *types.Vector, *types.Struct:
		return true
	case *types.Array:
		return t.Size() <= 1<<12
	}
	return false
}

// inHeader reports whether a declaration is in a header of the compiler, whose functions may have
// variables in threadgroup memory: calls are inlined.
func (c *checker) inHeader(d *ast.VarDecl) bool {
	return c.prog.Files != nil && strings.HasPrefix(c.prog.Files.Position(d.Pos()).File, "<")
}

func (c *checker) threadgroupVar(name string, q Q, d *ast.VarDecl, y *sym) []typed.Stmt {
	v := c.newVar(name, q, typed.ThreadgroupLocal, d)
	v.owner = c.fn
	y.val = v
	if d.InitKind != ast.NoInit {
		c.warnf(diag.ThreadgroupInit, d, "variable '%s' in threadgroup memory cannot have an initializer", name)
	}
	if !c.need(q.Type, d) || !c.sized(&q, nil, d) {
		return nil
	}
	if !c.fn.kernel && !c.inHeader(d) && !c.infers() && !c.inLibrary() {
		c.errorf(diag.ThreadgroupLocalPlace, d, "variable '%s' in threadgroup memory must be declared in a kernel", name)
		return nil
	}
	v.v.ID = c.fn.out.Locals
	c.fn.out.Locals++
	return []typed.Stmt{&typed.VarDecl{StmtPos: typed.StmtPos{At: d.Pos()}, Var: v.v}}
}
