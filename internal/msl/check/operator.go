package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [over.match.oper]: if an operand is of class or enumeration type, operator functions are
// candidates: members of the left operand's class, others by name, and the built-in operators
// ([over.built]) for types to which the operands convert. Without such an operand only the built-in
// meaning is left: [expr.mul] to [expr.ass], with the usual arithmetic conversions of [expr].

func binaryOp(k token.Kind) (types.Op, bool) {
	switch k {
	case token.Plus, token.PlusAssign:
		return types.Add, true
	case token.Minus, token.MinusAssign:
		return types.Sub, true
	case token.Star, token.StarAssign:
		return types.Mul, true
	case token.Slash, token.SlashAssign:
		return types.Div, true
	case token.Percent, token.PercentAssign:
		return types.Rem, true
	case token.Amp, token.AmpAssign:
		return types.And, true
	case token.Pipe, token.PipeAssign:
		return types.Or, true
	case token.Caret, token.CaretAssign:
		return types.Xor, true
	case token.Shl, token.ShlAssign:
		return types.Shl, true
	case token.Shr, token.ShrAssign:
		return types.Shr, true
	case token.Eq:
		return types.Eq, true
	case token.Ne:
		return types.Ne, true
	case token.Less:
		return types.Lt, true
	case token.LessEq:
		return types.Le, true
	case token.Greater:
		return types.Gt, true
	case token.GreaterEq:
		return types.Ge, true
	case token.AmpAmp:
		return types.LogicalAnd, true
	case token.PipePipe:
		return types.LogicalOr, true
	}
	return 0, false
}

// userType reports whether an operand can have user-defined operators.
func (c *checker) userType(t types.Type) bool {
	switch t := t.(type) {
	case *types.Struct:
		return t != c.bad
	case *types.Enum:
		return true
	}
	return false
}

// operatorCall tries user-defined operators; nil means to go on with the built-in one.
func (c *checker) operatorCall(op string, n ast.Node, args ...typed.Expr) typed.Expr {
	user := false
	for _, a := range args {
		user = user || c.userType(a.Type())
	}
	if !user {
		return nil
	}
	o := &overload{name: op, scope: c.sc}
	var found []*match
	if s, ok := args[0].Type().(*types.Struct); ok {
		if k := c.classes[s]; k != nil {
			if y := c.lookupMember(k, op); y != nil {
				mo := &overload{name: op, scope: c.sc, obj: args[0], fns: y.fns}
				for _, f := range y.fns {
					if m := c.candidate(f, mo, args[1:]); m != nil {
						same := types.Conversion{Kind: types.Identity} // the object is bound like a reference
						obj := conv{ok: true, std: same, bind: types.Binding{Conversion: same, Added: m.obj}}
						m.convs, m.obj = append([]conv{obj}, m.convs...), 0
						found = append(found, m)
					}
				}
			}
		}
	}
	if len(op) > 0 && op != "operator=" && op != "operator[]" && op != "operator()" {
		o.fns = c.operatorFns(op, args)
		for _, f := range o.fns {
			if f.isMethod() {
				continue
			}
			if m := c.candidate(f, o, args); m != nil {
				found = append(found, m)
			}
		}
	}
	best, tie := c.pick(found, len(args))
	if best == nil {
		return nil
	}
	if tie != nil {
		c.errorf(diag.AmbiguousCall, n,
			"use of overloaded operator '%s' is ambiguous (with operand types %s)", op[len("operator"):],
			argTypes(args))
		return c.badExpr(n)
	}
	if best.fn.decl.Deleted {
		c.deletedFunction(op, best.fn, args, n)
		return c.badExpr(n)
	}
	if best.fn.isMethod() {
		return c.finishCall(best.fn, best.convs[1:], args[0], args[1:], n.Pos())
	}
	return c.finishCall(best.fn, best.convs, nil, args, n.Pos())
}

func (c *checker) binary(x *ast.BinaryExpr) typed.Expr {
	if x.Op == token.Comma {
		a, b := c.expr(x.X), c.expr(x.Y)
		if c.anyBad(a, b) {
			return c.badExpr(x)
		}
		if e := c.operatorCall("operator,", x, a, b); e != nil {
			return e
		}
		c.unusedResult(a)
		i := *b.Base()
		i.At = x.Pos()
		return &typed.Comma{Info: i, X: c.discard(a), Y: b}
	}
	op, ok := binaryOp(x.Op)
	if !ok {
		return c.badExpr(x) // already reported by the parser
	}
	a, b := c.expr(x.X), c.expr(x.Y)
	c.selfCompared(op, x, a)
	c.notPrecedence(op, x, a, b)
	c.sizeofPointer(x)
	return c.binaryExpr(op, a, b, at{x.OpPos})
}

func (c *checker) binaryExpr(op types.Op, a, b typed.Expr, n ast.Node) typed.Expr {
	if c.anyBad(a, b) {
		return c.badExpr(n)
	}
	for _, e := range [...]typed.Expr{a, b} {
		switch e.(type) {
		case *typeOperand, *initList:
			return c.value(e)
		}
	}
	if c.inC() && c.refusedScalar(op, a, b, n) {
		return c.badExpr(n)
	}
	if c.userType(a.Type()) || c.userType(b.Type()) {
		if e := c.operatorCall("operator"+op.String(), n, a, b); e != nil {
			return e
		}
	}
	if e := c.libOperator(op, a, b, n); e != nil {
		return e
	}
	if c.library != nil {
		if e := c.dialectBinary(op, a, b, n); e != nil {
			return e
		}
	}
	a, b = c.viaUser(a, b, op), c.viaUser(b, a, op)
	av, bv := c.value(a), c.value(b)
	if c.anyBad(av, bv) {
		return c.badExpr(n)
	}
	if op == types.LogicalAnd || op == types.LogicalOr {
		c.logicalConstant(op, av, bv, n)
		return c.logical(op, av, bv, n)
	}
	c.comparedEnums(op, av, bv, n)
	if e := c.pointerOp(op, av, bv, n); e != nil {
		return e
	}
	o := types.BinaryOperands(op, av.Type(), bv.Type())
	if o.Result == nil {
		c.errorf(diag.BadOperands, n, "invalid operands to binary '%s' ('%s' and '%s')", op, av.Type(), bv.Type())
		return c.badExpr(n)
	}
	if (op == types.Div || op == types.Rem) && !c.inTemplateInstance() {
		if k, ok := bv.(*typed.Const); ok {
			if t, ok := k.Typ.(*types.Basic); ok && t.IsInteger() && k.Value.Bits() == 0 && types.ElemOf(o.Result) != nil &&
				types.ElemOf(o.Result).IsInteger() {
				c.warnf(diag.DivisionByZero, n, "division by zero")
			}
		}
	}
	c.compared(op, av, bv, o.Left, n)
	av, bv = c.operand(av, o.Left), c.operand(bv, o.Right)
	c.shiftCount(op, av, bv, o.Left, n)
	c.overflows(op, av, bv, n)
	return c.foldBinary(typed.Binary{Info: rvAt(n.Pos(), o.Result), Op: op, X: av, Y: bv})
}

// foldBinary computes an operation on two scalar constants.
func (c *checker) foldBinary(e typed.Binary) typed.Expr {
	x, ok1 := e.X.(*typed.Const)
	y, ok2 := e.Y.(*typed.Const)
	if ok1 && ok2 && types.ScalarOf(x.Typ) != nil && types.ScalarOf(y.Typ) != nil {
		if v, err := consteval.Binary(e.Op, x.Value, y.Value, consteval.Strict); err == nil {
			return c.konst(e.At, v)
		}
	}
	return c.slabs.binaries.put(e)
}

// operand converts a value to the type an operator requires.
func (c *checker) operand(v typed.Expr, to types.Type) typed.Expr {
	if v.Type() == to {
		return v
	}
	k := types.Implicit(v.Type(), to)
	if !k.OK() {
		k = types.Explicit(v.Type(), to)
	}
	return c.stdApply(v, k, to)
}

// viaUser applies a user-defined conversion to a class operand of a built-in operator.
func (c *checker) viaUser(a, other typed.Expr, op types.Op) typed.Expr {
	s, ok := a.Type().(*types.Struct)
	if !ok {
		return a
	}
	k := c.classes[s]
	if k == nil {
		return a
	}
	if op == types.LogicalAnd || op == types.LogicalOr {
		return c.toBool(a, "operand")
	}
	c.complete(k)
	var found *function
	for _, f := range c.allConvs(k) {
		if f.isTemplate() || !c.signature(f) || f.decl.Spec.Explicit || !c.objectFits(a, f) {
			continue
		}
		if found != nil && found.result.Type != f.result.Type {
			if t := other.Type(); t == f.result.Type {
				found = f
			}
			continue
		}
		if found == nil || !found.konst {
			found = f
		}
	}
	if found == nil {
		if kk := c.classify(a, Q{Type: other.Type()}); kk.ok && !c.userType(other.Type()) {
			return c.load(c.apply(a, kk, Q{Type: other.Type()}))
		}
		return a
	}
	return c.callConversion(found, c.object(a), a.Pos())
}

func (c *checker) logical(op types.Op, a, b typed.Expr, n ast.Node) typed.Expr {
	_, aok := a.Type().(*types.Vector)
	_, bok := b.Type().(*types.Vector)
	if !aok && !bok {
		x, y := c.toBool(a, "operand"), c.toBool(b, "operand")
		if c.anyBad(x, y) {
			return c.badExpr(n)
		}
		return &typed.Logical{Info: rvAt(n.Pos(), types.Bool), Or: op == types.LogicalOr, X: x, Y: y}
	}
	o := types.BinaryOperands(op, a.Type(), b.Type())
	if o.Result == nil {
		c.errorf(diag.BadOperands, n, "invalid operands to binary '%s' ('%s' and '%s')", op, a.Type(), b.Type())
		return c.badExpr(n)
	}
	return &typed.Binary{Info: rvAt(n.Pos(), o.Result), Op: op, X: c.operand(a, o.Left), Y: c.operand(b, o.Right)}
}

// pointerOp is pointer arithmetic and comparison; it returns nil if neither operand is a pointer.
func (c *checker) pointerOp(op types.Op, a, b typed.Expr, n ast.Node) typed.Expr {
	p, ok1 := a.Type().(*types.Pointer)
	q, ok2 := b.Type().(*types.Pointer)
	if !ok1 && !ok2 {
		if (op == types.Eq || op == types.Ne) && a.Type() == types.Type(types.Nullptr) &&
			b.Type() == types.Type(types.Nullptr) {
			return c.konst(n.Pos(), types.BoolValue(op == types.Eq))
		}
		return nil
	}
	isInt := func(t types.Type) bool {
		t = types.Promote(t)
		e, ok := t.(*types.Basic)
		return ok && e.IsInteger()
	}
	switch {
	case op == types.Add && ok1 && isInt(b.Type()):
		return c.ptrAdd(a, b, false, n)
	case op == types.Add && ok2 && isInt(a.Type()):
		return c.ptrAdd(b, a, false, n)
	case op == types.Sub && ok1 && isInt(b.Type()):
		return c.ptrAdd(a, b, true, n)
	case op == types.Sub && ok1 && ok2:
		if p.Elem.Type != q.Elem.Type || !types.SameSpace(p.Elem.Space, q.Elem.Space) {
			c.errorf(diag.PointerOperands, n, "'%s' and '%s' are not pointers to compatible types", p, q)
			return c.badExpr(n)
		}
		if !c.need(p.Elem.Type, n) {
			return c.badExpr(n)
		}
		return &typed.PtrDiff{Info: rvAt(n.Pos(), types.Long), X: a, Y: b}
	case op.IsComparison():
		t := c.commonType(a, b)
		if isZero(a) && ok2 {
			t = q
		}
		if isZero(b) && ok1 {
			t = p
		}
		if t == nil {
			c.errorf(diag.PointerOperands, n, "comparison of distinct pointer types ('%s' and '%s')", a.Type(), b.Type())
			return c.badExpr(n)
		}
		x, y := c.implicit(a, Q{Type: t}, "operand"), c.implicit(b, Q{Type: t}, "operand")
		return &typed.Binary{Info: rvAt(n.Pos(), types.Bool), Op: op, X: x, Y: y}
	}
	c.errorf(diag.BadOperands, n, "invalid operands to binary '%s' ('%s' and '%s')", op, a.Type(), b.Type())
	return c.badExpr(n)
}

func (c *checker) ptrAdd(p, i typed.Expr, minus bool, n ast.Node) typed.Expr {
	t := p.Type().(*types.Pointer)
	if !c.need(t.Elem.Type, n) {
		return c.badExpr(n)
	}
	i = c.operand(i, types.Long)
	if minus {
		if k, ok := i.(*typed.Const); ok {
			v, _ := types.Unary(types.Neg, k.Value)
			i = c.konst(i.Pos(), v)
		} else {
			i = &typed.Unary{Info: rvAt(i.Pos(), types.Long), Op: types.Neg, X: i}
		}
	}
	return c.slabs.adds.put(typed.PtrAdd{Info: rvAt(n.Pos(), t), X: p, N: i})
}

func (c *checker) unary(x *ast.UnaryExpr) typed.Expr {
	if x.Op == token.Amp {
		return c.addressOf(x)
	}
	e := c.expr(x.X)
	if c.isBad(e.Type()) || c.inC() && isStep(x.Op) && c.refusedStep(e, x) {
		return c.badExpr(x)
	}
	if u := c.operatorCall(opName(x.Op), x, e); u != nil {
		return u
	}
	var op types.Op
	switch x.Op {
	case token.PlusPlus, token.MinusMinus:
		return c.incDec(e, x.Op == token.MinusMinus, false, x)
	case token.Star:
		v := c.value(e)
		p, ok := v.Type().(*types.Pointer)
		if !ok {
			if f, isFn := v.(*typed.FuncAddr); isFn {
				return f
			}
			if !c.isBad(v.Type()) {
				c.errorf(diag.NotAPointer, x, "indirection requires pointer operand ('%s' invalid)", v.Type())
			}
			return c.badExpr(x)
		}
		if p.Elem.Type == types.Type(types.Void) {
			c.errorf(diag.NotAPointer, x, "indirection not permitted on a pointer to 'void'")
			return c.badExpr(x)
		}
		return c.deref(v)
	case token.Plus:
		op = types.Plus
	case token.Minus:
		op = types.Neg
	case token.Not:
		op = types.Not
	case token.Tilde:
		op = types.BitNot
	default:
		return c.badExpr(x) // already reported by the parser
	}
	if op == types.Not {
		if _, vec := e.Type().(*types.Vector); vec && c.vectorMasks() {
			return c.libraryCall("lanes_not", x, e)
		} else if !vec {
			v := c.toBool(e, "operand of '!'")
			if c.isBad(v.Type()) {
				return v
			}
			if k, ok := v.(*typed.Const); ok {
				return c.konst(x.Pos(), types.BoolValue(!k.Value.Truth()))
			}
			return &typed.Unary{Info: rv(x, types.Bool), Op: op, X: v}
		}
	}
	v := c.value(c.viaUser(e, e, op))
	if c.isBad(v.Type()) {
		return v
	}
	operand, result := types.UnaryOperand(op, v.Type())
	if result == nil {
		if _, ok := v.Type().(*types.Pointer); ok && op == types.Plus {
			return v
		}
		c.errorf(diag.BadOperands, x, "invalid operand to unary '%s' ('%s')", op, v.Type())
		return c.badExpr(x)
	}
	v = c.operand(v, operand)
	if op == types.Plus {
		return v
	}
	if k, ok := v.(*typed.Const); ok {
		if r, err := types.Unary(op, k.Value); err == nil {
			return c.konst(x.Pos(), r)
		}
	}
	return &typed.Unary{Info: rv(x, result), Op: op, X: v}
}

func (c *checker) addressOf(x *ast.UnaryExpr) typed.Expr {
	e := c.expr(x.X)
	switch o := e.(type) {
	case *overload:
		if o.obj != nil {
			c.errorf(diag.NoMemberPointers, x, "pointers to members are not supported in Metal")
			return c.badExpr(x)
		}
		return o
	case *badExpr:
		return e
	case *typeOperand, *initList:
		return c.value(e)
	}
	if u := c.operatorCall("operator&", x, e); u != nil {
		return u
	}
	if !e.Base().LValue {
		c.errorf(diag.NotAnLValue, x, "cannot take the address of an rvalue of type '%s'", e.Type())
		return c.badExpr(x)
	}
	if !c.addressable(e, x) {
		return c.badExpr(x)
	}
	return c.addr(e)
}

// addressable rejects what has no address: vector components and bit-fields.
func (c *checker) addressable(e typed.Expr, n ast.Node) bool {
	switch e := e.(type) {
	case *typed.Swizzle:
		c.errorf(diag.AddressOfComponent, n, "address of vector element requested")
		return false
	case *typed.Index:
		if _, ok := e.X.Type().(*types.Vector); ok {
			c.errorf(diag.AddressOfComponent, n, "address of vector element requested")
			return false
		}
	case *typed.Member:
		if s, ok := e.X.Type().(*types.Struct); ok && s.Fields[e.Index].IsBits {
			c.errorf(diag.AddressOfComponent, n, "address of bit-field requested")
			return false
		}
	}
	return true
}

func (c *checker) postfix(x *ast.PostfixExpr) typed.Expr {
	e := c.expr(x.X)
	if c.isBad(e.Type()) || c.inC() && c.refusedStep(e, x) {
		return c.badExpr(x)
	}
	if u := c.operatorCall(opName(x.Op), x, e, c.konst(x.Pos(), types.IntValue(types.Int, 0))); u != nil {
		return u
	}
	return c.incDec(e, x.Op == token.MinusMinus, true, x)
}

func (c *checker) incDec(e typed.Expr, dec, post bool, n ast.Node) typed.Expr {
	if !c.modifiable(e, n) {
		return c.badExpr(n)
	}
	switch t := e.Type().(type) {
	case *types.Pointer:
		if !c.need(t.Elem.Type, n) {
			return c.badExpr(n)
		}
	default:
		b := types.ElemOf(e.Type())
		_, enum := e.Type().(*types.Enum)
		_, simd := e.Type().(*types.SimdgroupMatrix)
		_, matrix := e.Type().(*types.Matrix)
		if b == nil || !b.IsArithmetic() || b == types.Bool || enum || simd || matrix {
			c.errorf(diag.BadOperands, n, "cannot increment or decrement value of type '%s'", e.Type())
			return c.badExpr(n)
		}
	}
	i := *e.Base()
	i.At = n.Pos()
	if post {
		i = rvAt(n.Pos(), e.Type())
	}
	return &typed.IncDec{Info: i, X: e, Dec: dec, Post: post}
}

// modifiable reports whether an expression can be assigned to.
func (c *checker) modifiable(e typed.Expr, n ast.Node) bool {
	switch e := e.(type) {
	case *overload:
		c.errorf(diag.NotAnLValue, n, "function '%s' is not assignable", e.name)
		return false
	case *badExpr, *typeOperand, *initList:
		c.value(e)
		return false
	}
	b := e.Base()
	switch {
	case c.isBad(b.Typ):
		return false
	case !b.LValue:
		if s, ok := e.(*typed.Swizzle); ok && isLoad(s.X) {
			c.errorf(diag.RepeatedSwizzle, n, "vector is not assignable (contains duplicate components)")
			return false
		}
		c.errorf(diag.NotAnLValue, n, "expression of type '%s' is not assignable", b.Typ)
		return false
	case b.Space == types.Constant:
		c.errorf(diag.AssignConst, n, "cannot assign to an object in address space 'constant'%s", c.keptNote())
		return false
	case b.Const:
		c.errorf(diag.AssignConst, n, "cannot assign to an object with const-qualified type 'const %s'", b.Typ)
		return false
	}
	return true
}

func isLoad(e typed.Expr) bool {
	_, ok := e.(*typed.Load)
	return ok
}

func (c *checker) assign(x *ast.AssignExpr) typed.Expr {
	if v := c.pendingVar(x.X); v != nil && x.Op == token.Assign {
		b := c.expr(x.Y)
		if s := c.pointedSpace(b); s != types.None {
			c.settle(v, s)
		}
		pending := v.pending
		v.pending = false
		a := c.expr(x.X)
		v.pending = pending
		return c.assignTo(x.Op, a, b, x, at{x.OpPos})
	}
	a := c.expr(x.X)
	b := c.expr(x.Y)
	if c.infers() && c.twoSpaces(a, b, x) {
		return c.badExpr(x)
	}
	return c.assignTo(x.Op, a, b, x, at{x.OpPos})
}

// assignTo is a op b, where op, at pos in x, is = or a compound assignment operator.
func (c *checker) assignTo(op token.Kind, a, b typed.Expr, x ast.Node, pos at) typed.Expr {
	if c.anyBad(a) {
		return a
	}
	if op != token.Assign {
		return c.compound(op, a, b, x, pos)
	}
	if _, list := b.(*initList); !list {
		if _, isStruct := a.Type().(*types.Struct); isStruct {
			if u := c.operatorCall("operator=", x, a, b); u != nil {
				return u
			}
		}
	} else if s, ok := a.Type().(*types.Struct); ok {
		b = c.initFromList(b.(*initList), Q{Type: s})
	}
	if !c.modifiable(a, pos) {
		return c.badExpr(x)
	}
	if _, ok := a.Type().(*types.Array); ok {
		c.errorf(diag.AssignArray, x, "array type is not assignable")
		return c.badExpr(x)
	}
	if _, ok := a.Type().(*types.Atomic); ok {
		c.errorf(diag.AtomicAccess, x, "atomics are written by atomic_store_explicit and the like, not by '='")
		return c.badExpr(x)
	}
	if s, ok := a.Type().(*types.Struct); ok {
		if f := fixedMember(s); f != nil {
			what := "const"
			if isRef(f.Type) {
				what = "a reference"
			}
			c.errorf(diag.AssignConst, pos, "object of type '%s' is not assignable because its member '%s' is %s", s, f.Name,
				what)
			return c.badExpr(x)
		}
	}
	v := c.implicit(b, Q{Type: a.Type()}, "assignment")
	if c.isBad(v.Type()) {
		return v
	}
	i := *a.Base()
	i.At = pos.pos
	return &typed.Assign{Info: i, X: a, Y: c.load(v)}
}

// fixedMember returns a member that makes objects of a type unassignable: a reference or a const
// member.
func fixedMember(s *types.Struct) *types.Field {
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Type.Const || isRef(f.Type) {
			return f
		}
	}
	return nil
}

func (c *checker) compound(tok token.Kind, a, b typed.Expr, x ast.Node, pos at) typed.Expr {
	op, _ := binaryOp(tok)
	if l, ok := b.(*initList); ok {
		b = c.implicit(l, Q{Type: a.Type()}, "operand")
	}
	if c.anyBad(a, b) || c.inC() && c.refusedScalar(op, a, b, pos) {
		return c.badExpr(x)
	}
	if u := c.operatorCall(opName(tok), x, a, b); u != nil {
		return u
	}
	if !c.modifiable(a, pos) {
		return c.badExpr(x)
	}
	bv := c.value(c.viaUser(b, a, op))
	if c.isBad(bv.Type()) {
		return bv
	}
	i := *a.Base()
	i.At = pos.pos
	if p, ok := a.Type().(*types.Pointer); ok {
		if op == types.Add || op == types.Sub {
			sum := c.pointerOp(op, c.load(a), bv, x)
			if pa, ok := sum.(*typed.PtrAdd); ok && pa.Typ == types.Type(p) {
				return &typed.CompoundAssign{Info: i, Op: types.Add, X: a, Y: pa.N, OpType: p}
			}
			return c.badExpr(x)
		}
	}
	if s, ok := a.Type().(*types.Struct); ok {
		// a = a op b, using the conversions of the class.
		sum := c.binaryExpr(op, a, bv, x)
		if c.isBad(sum.Type()) {
			return sum
		}
		v := c.implicit(sum, Q{Type: s}, "assignment")
		return &typed.Assign{Info: i, X: a, Y: c.load(v)}
	}
	if v := c.narrowed(op, a, bv, x); v != nil {
		return v
	}
	o := types.BinaryOperands(op, a.Type(), bv.Type())
	if o.Result == nil {
		c.errorf(diag.BadOperands, x, "invalid operands to binary '%s' ('%s' and '%s')", tok, a.Type(), bv.Type())
		return c.badExpr(x)
	}
	c.shiftCount(op, nil, bv, o.Left, x)
	back := types.Implicit(o.Result, a.Type())
	if !back.OK() {
		c.errorf(diag.BadOperands, x, "the result of type '%s' of '%s' does not convert to '%s'", o.Result, tok, a.Type())
		return c.badExpr(x)
	}
	return &typed.CompoundAssign{Info: i, Op: op, X: a, Y: c.operand(bv, o.Right), OpType: o.Left,
		To: c.convKind(a.Type(), o.Left), From: c.convKind(o.Result, a.Type())}
}

func (c *checker) convKind(from, to types.Type) typed.ConvKind {
	if from == to {
		return typed.ConvNone
	}
	k := types.Implicit(from, to)
	switch k.Kind {
	case types.Splat:
		return typed.ConvSplat
	case types.Unpack, types.Pack:
		return typed.ConvVector
	}
	return typed.ConvArith
}

func (c *checker) index(x *ast.IndexExpr) typed.Expr {
	a, i := c.expr(x.X), c.expr(x.Index)
	if c.anyBad(a, i) {
		return c.badExpr(x)
	}
	if _, ok := a.Type().(*types.Struct); ok {
		if u := c.operatorCall("operator[]", x, a, i); u != nil {
			return u
		}
	}
	if e := c.libIndex(a, i, x); e != nil {
		return e
	}
	iv := i
	if _, ok := i.Type().(*types.Struct); ok {
		iv = c.viaUser(i, c.konst(x.Pos(), types.IntValue(types.Int, 0)), types.Add)
	}
	iv = c.value(iv)
	if _, ok := iv.Type().(*types.Pointer); ok {
		a, iv = i, c.value(a)
	}
	it, ok := types.Promote(iv.Type()).(*types.Basic)
	if !ok || !it.IsInteger() {
		if !c.isBad(iv.Type()) {
			c.errorf(diag.BadIndex, x.Index, "array subscript must be an integer, not '%s'", iv.Type())
		}
		return c.badExpr(x)
	}
	iv = c.operand(iv, it)
	b := a.Base()
	info := typed.Info{At: x.Pos(), LValue: b.LValue, Const: b.Const, Volatile: b.Volatile, Space: b.Space}
	n := -1
	switch t := b.Typ.(type) {
	case *types.Vector:
		info.Typ, n = t.Elem, t.Len
	case *types.Packed:
		info.Typ, n = t.Elem, t.Len
	case *types.Matrix:
		info.Typ, n = t.Column(), t.Cols
	case *types.Array:
		info.Typ, n = t.Elem, t.Len
	case *types.Pointer:
		if !c.need(t.Elem.Type, x) {
			return c.badExpr(x)
		}
		p := c.load(a)
		return c.deref(c.ptrAdd(p, iv, false, x))
	default:
		if s, ok := b.Typ.(*types.Struct); ok && c.classes[s] != nil {
			v := c.viaUser(a, i, types.Add)
			if p, ok := c.load(v).Type().(*types.Pointer); ok && c.need(p.Elem.Type, x) {
				return c.deref(c.ptrAdd(c.load(v), iv, false, x))
			}
		}
		c.value(a)
		c.errorf(diag.BadIndex, x, "subscripted value of type '%s' is not an array, pointer, vector or matrix", b.Typ)
		return c.badExpr(x)
	}
	if k, ok := iv.(*typed.Const); ok && n >= 0 {
		if v, ok := k.Value.Int(); !ok || v < 0 || v >= int64(n) {
			if _, arr := b.Typ.(*types.Array); arr {
				c.warnf(diag.IndexRange, x.Index, "array index %s is out of bounds of '%s'", k.Value, b.Typ)
			} else {
				c.errorf(diag.IndexRange, x.Index, "index %s is out of bounds of '%s'", k.Value, b.Typ)
				return c.badExpr(x)
			}
		}
	}
	return c.slabs.indices.put(typed.Index{Info: info, X: a, Index: iv})
}
