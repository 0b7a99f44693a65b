package check

import (
	"math"
	"math/bits"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// These warnings need the types of operands. The rules are clang's.

// extraParentheses warns about ((a == b)) as a condition: a second pair of parentheses is what one
// writes around an assignment.
func (c *checker) extraParentheses(cond ast.Expr, e typed.Expr) {
	p, ok := cond.(*ast.ParenExpr)
	if !ok || p.Pos().InMacro() {
		return
	}
	x := ast.Expr(p)
	for ok {
		x = p.X
		p, ok = x.(*ast.ParenExpr)
	}
	b, ok := x.(*ast.BinaryExpr)
	compare, isBinary := e.(*typed.Binary)
	if !ok || !isBinary || b.Op != token.Eq {
		return
	}
	left := compare.X
	for {
		convert, ok := left.(*typed.Convert)
		if !ok {
			break
		}
		left = convert.X
	}
	if load, ok := left.(*typed.Load); ok && !load.X.Base().Const {
		c.warnf(diag.ExtraParentheses, at{b.OpPos}, "'==' in two pairs of parentheses; remove one, or write '=' to assign")
	}
}

// notPrecedence warns about !a == b, which is (!a) == b.
func (c *checker) notPrecedence(op types.Op, x *ast.BinaryExpr, a, b typed.Expr) {
	not, ok := x.X.(*ast.UnaryExpr)
	if !ok || not.Op != token.Not || !op.IsComparison() && op != types.And {
		return
	}
	u, ok := a.(*typed.Unary)
	if !ok || u.Op != types.Not || boolean(b.Type()) || types.ScalarOf(b.Type()) == nil {
		return
	}
	if from, ok := u.X.(*typed.Convert); ok && !boolean(from.X.Type()) {
		c.warnf(diag.NotPrecedence, at{not.Pos()}, "'!' applies only to the left operand of '%s'", op)
	}
}

func boolean(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.BoolKind
}

// logicalConstant warns about a && 4, which is probably meant as a & 4.
func (c *checker) logicalConstant(op types.Op, a, b typed.Expr, n ast.Node) {
	ta := integer(a)
	if ta == nil || boolean(ta) || c.inTemplateInstance() {
		return
	}
	if tb := integer(b); tb == nil || boolean(tb) {
		return
	}
	v, ok := c.known(b)
	if !ok || b.Pos().InMacro() && v.Bits() <= 1 {
		return
	}
	c.warnf(diag.LogicalConstant, n, "logical '%s' with the constant %s; did you mean '%s'?", op, v,
		strings.TrimSuffix(op.String(), op.String()[:1]))
}

// overflows warns about arithmetic on signed constants whose result does not fit.
func (c *checker) overflows(op types.Op, a, b typed.Expr, n ast.Node) {
	t := integer(a)
	if t == nil || !t.IsSigned() || op != types.Add && op != types.Sub && op != types.Mul || c.inTemplateInstance() {
		return
	}
	x, ok1 := c.known(a)
	y, ok2 := c.known(b)
	if !ok1 || !ok2 {
		return
	}
	if _, err := consteval.Binary(op, x, y, consteval.Strict); err == nil {
		return
	}
	if v, err := consteval.Binary(op, x, y, consteval.Wrapping); err == nil {
		c.warnf(diag.IntegerOverflow, n, "overflow in expression; the result is %s of type '%s'", v, t)
	}
}

// shifted warns about a constant shifted to the left that is negative or loses bits. A result that
// only sets the sign bit may be meant as a mask.
func (c *checker) shifted(op types.Op, a typed.Expr, count int64, n ast.Node) {
	if op != types.Shl || a == nil {
		return
	}
	t := integer(a)
	if t == nil || !t.IsSigned() {
		return
	}
	v, ok := c.known(a)
	number, fits := v.Int()
	if !ok || !fits {
		return
	}
	if number < 0 {
		c.warnf(diag.ShiftNegative, n, "shift of the negative number %d", number)
		return
	}
	if need := bits.Len64(uint64(number)) + int(count); number > 0 && need > t.Bits() {
		c.warnf(diag.ShiftOverflow, n, "the result needs %d bits to represent, and '%s' has %d", need+1, t, t.Bits())
	}
}

// comparedEnums warns about a comparison of different enums.
func (c *checker) comparedEnums(op types.Op, a, b typed.Expr, n ast.Node) {
	x, ok1 := a.Type().(*types.Enum)
	y, ok2 := b.Type().(*types.Enum)
	if op.IsComparison() && ok1 && ok2 && x != y {
		c.warnf(diag.EnumCompare, n, "comparison of different enums ('%s' and '%s')", x, y)
	}
}

// alwaysTrue warns about the address of a variable, member or array as a condition.
func (c *checker) alwaysTrue(e typed.Expr) {
	var object typed.Expr
	kind := ""
	switch e := e.(type) {
	case *typed.AddrOf:
		object = e.X
	case *typed.Convert:
		if e.Kind == typed.ConvDecay {
			object, kind = e.X, "array "
		}
	}
	name := ""
	switch x := object.(type) {
	case *typed.VarRef:
		if !x.Var.Ref {
			name = x.Var.Name
		}
	case *typed.Member:
		if s, ok := x.X.Type().(*types.Struct); ok {
			name = s.Fields[x.Index].Name
		}
	}
	if name != "" {
		c.warnf(diag.AlwaysTrue, at{e.Pos()}, "the address of %s'%s' is always true", kind, name)
	}
}

// switchEnum warns about enumerators without a case and about labels that are no enumerators.
func (c *checker) switchEnum(n ast.Node, all *labels) {
	e := all.enum
	if e == nil || c.inTemplateInstance() || len(e.Values) == 0 {
		return
	}
	handled := make(map[uint64]bool)
	for _, l := range all.list {
		handled[l.value.Bits()] = true
	}
	known := make(map[uint64]bool)
	var missing []string
	for _, v := range e.Values {
		bits := v.Value.Bits()
		if !handled[bits] && !known[bits] {
			missing = append(missing, "'"+v.Name+"'")
		}
		known[bits] = true
	}
	for _, l := range all.list {
		if !known[l.value.Bits()] {
			n, _ := l.value.Int()
			c.warnf(diag.SwitchEnum, l.at, "%d is not an enumerator of '%s'", n, e)
		}
	}
	if all.deflt || len(missing) == 0 {
		return
	}
	list, rest := strings.Join(missing, ", "), ""
	if len(missing) > 3 {
		list, rest = strings.Join(missing[:3], ", "), ", ..."
	}
	c.warnf(diag.SwitchEnum, n, "switch over '%s' does not handle %s%s", e, list, rest)
}

// literalRange warns about a literal that becomes infinite, or zero although it is not written so.
func (c *checker) literalRange(x *ast.FloatLit, t *types.Basic, v float64) {
	digits, _, _ := strings.Cut(strings.ToLower(x.Text), "e")
	hex := strings.HasPrefix(digits, "0x")
	if hex {
		digits, _, _ = strings.Cut(strings.ToLower(x.Text[2:]), "p")
	}
	nonzero := strings.ContainsAny(digits, "123456789") || hex && strings.ContainsAny(digits, "abcdef")
	switch {
	case math.IsInf(v, 0):
		c.warnf(diag.LiteralRange, x, "'%s' is too large for type '%s', and becomes infinity", x.Text, t)
	case v == 0 && nonzero:
		c.warnf(diag.LiteralRange, x, "'%s' is too small for type '%s', and becomes 0", x.Text, t)
	}
}

// sizeofPointer warns about sizeof(p) / sizeof(p[0]) of a pointer p.
func (c *checker) sizeofPointer(x *ast.BinaryExpr) {
	if x.Op != token.Slash {
		return
	}
	whole, part := c.sizeofOperand(x.X), c.sizeofOperand(x.Y)
	if p, ok := whole.(*types.Pointer); ok && part != nil && p.Elem.Type == part && !c.inTemplateInstance() {
		c.warnf(diag.SizeofPointer, at{x.OpPos}, "the size of '%s' is that of the pointer, not of an array", p)
	}
}

// sizeofOperand returns the type that a sizeof expression measures, or nil.
func (c *checker) sizeofOperand(x ast.Expr) types.Type {
	s, ok := unparen(x).(*ast.SizeofExpr)
	if !ok || s.Align {
		return nil
	}
	var t types.Type
	c.try(func() {
		if s.Type != nil {
			t = c.typ(s.Type).Type
		} else if e := c.exprUnevaluated(s.X); e != nil {
			t = e.Type()
		}
	})
	if t != nil && c.isBad(t) {
		return nil
	}
	return t
}

func unparen(x ast.Expr) ast.Expr {
	for {
		p, ok := x.(*ast.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

// unusedResult warns about a statement that computes a value and does nothing with it.
func (c *checker) unusedResult(e typed.Expr) {
	if e.Pos().InMacro() {
		return // a macro may be used as a value or as a statement
	}
	switch e := e.(type) {
	case *typed.Binary:
		code := diag.UnusedValue
		if e.Op.IsComparison() {
			code = diag.UnusedComparison
		}
		c.warnf(code, at{e.At}, "the result of '%s' is not used", e.Op)
	case *typed.Unary:
		c.warnf(diag.UnusedValue, at{e.At}, "the result of '%s' is not used", e.Op)
	case *typed.Logical:
		c.unusedResult(e.Y)
	case *typed.Cond:
		c.unusedResult(e.X)
		c.unusedResult(e.Y)
	case *typed.Comma:
		c.unusedResult(e.Y)
	case *typed.Load:
		c.unusedResult(e.X)
	case *typed.Convert:
		if e.Kind != typed.ConvVoid {
			c.unusedResult(e.X)
		}
	case *typed.Const, *typed.VarRef, *typed.Member, *typed.Index, *typed.Deref, *typed.Swizzle:
		if _, class := e.Type().(*types.Struct); !class && !e.Base().Volatile {
			c.warnf(diag.UnusedValue, at{e.Pos()}, "this value is not used")
		}
	}
}
