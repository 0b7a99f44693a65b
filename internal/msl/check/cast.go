package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [expr.cast]: T(x) and (T)x are the first of const_cast, static_cast and reinterpret_cast that
// fits. [expr.static.cast]: static_cast does what initialization could, and the inverse of a
// standard conversion, such as from a base to a derived class. [expr.type.conv]: T(a, b) and T{...}
// make an object.

func (c *checker) castExpr(x *ast.CastExpr) typed.Expr {
	to := c.writtenType("a cast", x.Type)
	e := c.expr(x.X)
	if c.isBad(to.Type) || c.isBad(e.Type()) {
		return c.badExpr(x)
	}
	c.takeSpace(&to, x.Type, e)
	if x.Kind == ast.DynamicCast || c.refusedCast(e, to, x) {
		return c.badExpr(x) // a dynamic cast was reported by the parser
	}
	return c.castTo(e, to, x, x.Kind)
}

// castTo builds an explicit conversion.
func (c *checker) castTo(e typed.Expr, to Q, n ast.Node, kind ast.CastKind) typed.Expr {
	if r, ok := to.Type.(*types.Reference); ok {
		return c.castRef(e, r, n, kind)
	}
	if l, ok := e.(*initList); ok {
		return c.initFromList(l, to)
	}
	if o, ok := e.(*overload); ok {
		if k := c.classifyFunc(o, to.Type); k.ok {
			return c.apply(o, k, to)
		}
	}
	if c.hasAuto(to) {
		if to = c.deduceAuto(to, e, n); c.isBad(to.Type) {
			return c.badExpr(n)
		}
	}
	to = Q{Type: to.Type}
	if to.Type == types.Type(types.Void) {
		return c.discard(c.valueOrClass(e))
	}
	if kind != ast.ReinterpretCast && kind != ast.ConstCast {
		if k := c.classify(e, to); k.ok {
			return c.load(c.apply(e, k, to))
		}
	}
	switch t := to.Type.(type) {
	case *types.Struct:
		if c.classes[t] != nil {
			return c.constructType(to, []typed.Expr{e}, n, false)
		}
	}
	if s, ok := e.Type().(*types.Struct); ok && kind != ast.ReinterpretCast {
		if k := c.explicitOperator(e, s, to); k != nil {
			return k
		}
		if e2 := c.libUnwrap(e, s); e2 != e {
			return c.castTo(e2, to, n, kind)
		}
	}
	v := c.value(e)
	if c.isBad(v.Type()) {
		return v
	}
	k := types.Explicit(v.Type(), to.Type)
	if p, ok := v.Type().(*types.Pointer); ok {
		if q, ok := to.Type.(*types.Pointer); ok && !types.SameSpace(p.Elem.Space, q.Elem.Space) {
			c.errorf(diag.SpaceMismatch, n, "cast from '%s' to '%s' converts between mismatching address spaces", p, q)
			return c.badExpr(n)
		}
	}
	if kind == ast.StaticCast && k.OK() && !c.staticPointers(v.Type(), to.Type, n) {
		return c.badExpr(n)
	}
	if !k.OK() {
		c.errorf(diag.BadCast, n, "cannot cast from type '%s' to type '%s'", v.Type(), to)
		return c.badExpr(n)
	}
	if kind == ast.ReinterpretCast {
		_, p := v.Type().(*types.Pointer)
		_, q := to.Type.(*types.Pointer)
		if !p && !q {
			c.errorf(diag.BadCast, n, "reinterpret_cast from '%s' to '%s' is not allowed", v.Type(), to)
			return c.badExpr(n)
		}
	}
	if kind == ast.ConstCast {
		p, ok1 := v.Type().(*types.Pointer)
		q, ok2 := to.Type.(*types.Pointer)
		if !ok1 || !ok2 || p.Elem.Type != q.Elem.Type {
			c.errorf(diag.BadCast, n, "const_cast from '%s' to '%s' is not allowed", v.Type(), to)
			return c.badExpr(n)
		}
	}
	return c.stdApply(v, k, to.Type)
}

// staticPointers rejects pointer conversions that static_cast does not allow: between unrelated
// types, and dropping qualifiers.
func (c *checker) staticPointers(from, to types.Type, n ast.Node) bool {
	p, ok1 := from.(*types.Pointer)
	q, ok2 := to.(*types.Pointer)
	if !ok1 || !ok2 {
		return true
	}
	void := types.Type(types.Void)
	a, _ := p.Elem.Type.(*types.Struct)
	b, _ := q.Elem.Type.(*types.Struct)
	related := a != nil && b != nil && (a.DerivesFrom(b) != nil || b.DerivesFrom(a) != nil)
	if p.Elem.Type != q.Elem.Type && p.Elem.Type != void && q.Elem.Type != void && !related {
		c.errorf(diag.BadCast, n, "static_cast from '%s' to '%s' is not allowed; use reinterpret_cast", p, q)
		return false
	}
	if q.Elem.Space != types.Constant && (p.Elem.Const && !q.Elem.Const || p.Elem.Volatile && !q.Elem.Volatile) {
		c.errorf(diag.DropsConst, n, "static_cast from '%s' to '%s' casts away qualifiers", p, q)
		return false
	}
	return true
}

func (c *checker) castRef(e typed.Expr, r *types.Reference, n ast.Node, kind ast.CastKind) typed.Expr {
	if k := c.classify(e, Q{Type: r}); k.ok && kind != ast.ReinterpretCast {
		return c.deref(c.apply(e, k, Q{Type: r}))
	}
	switch e.(type) {
	case *typeOperand, *overload, *initList:
		return c.value(e)
	}
	if !e.Base().LValue {
		if r.RValue && e.Type() == r.Elem.Type {
			return c.temp(e, r.Elem)
		}
		c.errorf(diag.NotAnLValue, n, "cannot cast an rvalue of type '%s' to a reference", e.Type())
		return c.badExpr(n)
	}
	if !types.SameSpace(e.Base().Space, r.Elem.Space) {
		c.errorf(diag.SpaceMismatch, n,
			"cast of an object in address space '%s' to '%s' changes the address space", e.Base().Space, r)
		return c.badExpr(n)
	}
	if e.Type() == r.Elem.Type {
		return c.deref(c.asPointer(c.addr(e), c.u.Pointer(r.Elem)))
	}
	if b, ok := e.Type().(*types.Struct); ok && kind != ast.ReinterpretCast {
		if d, ok := r.Elem.Type.(*types.Struct); ok && d.DerivesFrom(b) != nil {
			return c.deref(c.toDerived(c.addr(e), c.u.Pointer(r.Elem)))
		}
	}
	p := &typed.Convert{Info: rv(n, c.u.Pointer(r.Elem)), Kind: typed.ConvPointer, X: c.addr(e)}
	return c.deref(p)
}

// explicitOperator finds a conversion function for a cast, including explicit ones.
func (c *checker) explicitOperator(e typed.Expr, s *types.Struct, to Q) typed.Expr {
	k := c.classes[s]
	if k == nil {
		return nil
	}
	var found *function
	for pass := range 2 {
		for _, f := range c.allConvs(k) {
			if f = c.conversionTo(f, to.Type); f == nil || !c.objectFits(e, f) {
				continue
			}
			if f.result.Type == to.Type || pass == 1 && types.Explicit(f.result.Type, to.Type).OK() {
				found = f
				break
			}
		}
		if found != nil {
			break
		}
	}
	if found == nil {
		return nil
	}
	v := c.load(c.callConversion(found, c.object(e), e.Pos()))
	if c.isBad(v.Type()) || v.Type() == to.Type {
		return v
	}
	return c.stdApply(v, types.Explicit(v.Type(), to.Type), to.Type)
}

func (c *checker) constructExpr(x *ast.ConstructExpr) typed.Expr {
	q := c.typ(x.Type)
	if x.Brace {
		l := c.braced(x.Args, x)
		if (l.fields != nil || l.places != nil) && !c.isBad(q.Type) && !c.anyBad(l.elems...) {
			return c.initFromList(l, Q{Type: q.Type})
		}
		return c.constructType(q, l.elems, x, true)
	}
	args := c.exprList(x.Args)
	if c.isBad(q.Type) || len(args) == 1 && c.refusedCast(args[0], q, x) {
		return c.badExpr(x)
	}
	return c.constructType(q, args, x, false)
}

// constructType checks T(args) or T{args}.
func (c *checker) constructType(q Q, args []typed.Expr, n ast.Node, brace bool) typed.Expr {
	if c.isBad(q.Type) {
		return c.badExpr(n)
	}
	for _, a := range args {
		if _, ok := a.(*badExpr); ok {
			return c.badExpr(n)
		}
	}
	if r, ok := q.Type.(*types.Reference); ok {
		if len(args) == 1 {
			return c.castRef(args[0], r, n, ast.CStyleCast)
		}
		c.errorf(diag.BadInit, n, "a reference must be initialized with a single object")
		return c.badExpr(n)
	}
	q = Q{Type: q.Type}
	if c.hasAuto(q) && len(args) == 1 {
		return c.value(args[0])
	}
	if brace {
		return c.initFromList(&initList{Info: rv(n, c.bad), elems: args, node: n}, q)
	}
	if len(args) == 0 {
		return c.valueInit(q, n)
	}
	if l, ok := args[0].(*initList); ok && len(args) == 1 {
		return c.initFromList(l, q)
	}
	switch t := q.Type.(type) {
	case *types.Vector, *types.Packed, *types.Matrix:
		if len(args) > 1 {
			return c.compose(q.Type, args, n)
		}
		if m, ok := t.(*types.Matrix); ok {
			return c.matrixFrom(m, args[0], n)
		}
		if types.LenOf(args[0].Type()) > 1 && args[0].Type() != q.Type && types.LenOf(args[0].Type()) != types.LenOf(q.Type) {
			return c.compose(q.Type, args, n)
		}
	case *types.Struct:
		if c.library != nil && len(args) > 1 {
			if lanes := c.wideLanes(t); lanes > 0 {
				return c.composeWide(t, lanes, args, n)
			}
		}
		if c.classes[t] != nil {
			return c.construct(t, args, n)
		}
	}
	if len(args) > 1 {
		if e := c.libConstruct(q, args, n); e != nil {
			return e
		}
		if o, ok := q.Type.(*types.Opaque); ok {
			c.errorf(diag.UnsupportedType, n, "not supported: making an object of type '%s'", o)
			return c.badExpr(n)
		}
		c.errorf(diag.BadInit, n, "excess elements in initializer of '%s': %d given, 1 expected", q, len(args))
		return c.badExpr(n)
	}
	if e := c.libConstruct(q, args, n); e != nil {
		return e
	}
	return c.castTo(args[0], q, n, ast.CStyleCast)
}

// compose builds a vector or matrix from several values.
func (c *checker) compose(t types.Type, args []typed.Expr, n ast.Node) typed.Expr {
	elem := types.ElemOf(t)
	want := types.LenOf(t)
	m, isM := t.(*types.Matrix)
	if isM {
		want = m.Cols * m.Rows
	}
	if isM && len(args) == m.Cols {
		cols := true
		for _, a := range args {
			if _, ok := a.Type().(*types.Vector); !ok {
				if _, ok := a.(*initList); !ok {
					cols = false
				}
			}
		}
		if cols {
			out := make([]typed.Expr, len(args))
			for i, a := range args {
				out[i] = c.load(c.implicit(a, Q{Type: m.Column()}, "column"))
			}
			if c.anyBad(out...) {
				return c.badExpr(n)
			}
			return &typed.Compose{Info: rv(n, t), Elems: out}
		}
	}
	got := 0
	out := make([]typed.Expr, 0, len(args))
	for _, a := range args {
		v := c.value(c.viaUser(a, c.konst(n.Pos(), types.IntValue(types.Int, 0)), types.Add))
		if c.isBad(v.Type()) {
			return v
		}
		if p, ok := v.Type().(*types.Packed); ok {
			v = c.operand(v, p.Unpacked())
		}
		e, k := types.ElemOf(v.Type()), types.LenOf(v.Type())
		if e == nil || k == 0 || !e.IsArithmetic() {
			c.errorf(diag.BadInit, n, "cannot convert '%s' to '%s'", v.Type(), t)
			return c.badExpr(n)
		}
		switch {
		case k == 1:
			if en, ok := v.Type().(*types.Enum); ok && en.Scoped {
				c.errorf(diag.BadInit, n, "cannot convert '%s' to '%s'", v.Type(), t)
				return c.badExpr(n)
			}
			v = c.operand(v, elem)
		case e != elem:
			c.errorf(diag.BadInit, n, "cannot convert '%s' to '%s': vectors do not convert implicitly", v.Type(), t)
			return c.badExpr(n)
		}
		got += k
		out = append(out, v)
	}
	if got != want {
		what := "few"
		if got > want {
			what = "many"
		}
		c.errorf(diag.ComponentCount, n, "too %s components for '%s': %d given, %d expected", what, t, got, want)
		return c.badExpr(n)
	}
	return &typed.Compose{Info: rv(n, t), Elems: out}
}

func (c *checker) matrixFrom(m *types.Matrix, a typed.Expr, n ast.Node) typed.Expr {
	if _, ok := a.Type().(*types.Struct); ok {
		if k := c.classify(a, Q{Type: m}); k.ok {
			return c.load(c.apply(a, k, Q{Type: m}))
		}
	}
	v := c.value(a)
	if c.isBad(v.Type()) {
		return v
	}
	switch t := v.Type().(type) {
	case *types.Matrix:
		if t == m {
			return v
		}
		if t.Cols == m.Cols && t.Rows == m.Rows {
			return &typed.Convert{Info: rv(n, m), Kind: typed.ConvMatrix, X: v}
		}
	case *types.Basic:
		if t.IsArithmetic() {
			return &typed.Convert{Info: rv(n, m), Kind: typed.ConvDiagonal, X: c.operand(v, m.Elem)}
		}
	}
	c.errorf(diag.BadCast, n, "cannot convert '%s' to '%s'", v.Type(), m)
	return c.badExpr(n)
}
