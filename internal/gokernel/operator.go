package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"
)

// binary returns an operation whose result is of a type.
func (in *instance) binary(x *ast.BinaryExpr, t types.Type) val {
	switch x.Op {
	case token.LAND, token.LOR:
		return in.logical(x)
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if a, b, ok := in.comparison(x.X, x.Y); ok {
			return operation(x.Op.String(), a, b)
		}
		of := in.commonType(x.X, x.Y)
		a, b := in.ordered(x.X, x.Y, of, of)
		return in.equal(x, x.Op, a, b, of)
	case token.SHL, token.SHR:
		in.noBits(x.Y, in.typeOf(x.Y))
		in.noBits(x, t)
		return in.shift(x, t)
	}
	in.noBits(x, t)
	in.asFloat(x, t)
	if sign, ok := in.plainOp(t, x.Op, x.X, x.Y); ok {
		a, b := in.ordered(x.X, x.Y, t, t)
		return operation(sign, a, b)
	}
	name := in.typ(x, t, "")
	b := t.Underlying().(*types.Basic)
	switch x.Op {
	case token.ADD, token.SUB, token.MUL:
		return val{name + "(" + in.wrapping(x, t).s + ")", primary}
	case token.QUO, token.REM:
		a, y := in.ordered(x.X, x.Y, t, t)
		f := "div"
		if x.Op == token.REM {
			f = "rem"
		}
		in.t.helpers[f] = true
		a, y = in.notZero(x, x.X, x.Y, a, y, t)
		return val{fmt.Sprintf("go::%s<%s>(%s, %s)", f, name, a.s, y.s), primary}
	case token.AND_NOT:
		a, y := in.ordered(x.X, x.Y, t, t)
		y = in.typed(x.Y, y, name) // ~ of a constant of fewer bits has fewer
		return val{name + "(" + a.in(and) + " & ~" + y.in(unary) + ")", primary}
	}
	in.refuse(x, "the operator %s on %s", x.Op, b.Name())
	return val{}
}

func operation(sign string, a, b val) val {
	prec := map[string]int{"+": sum, "-": sum, "*": product, "/": product, "%": product, "&": and, "|": or, "^": xor,
		"<<": shift, ">>": shift, "==": equality, "!=": equality, "<": relation, "<=": relation, ">": relation,
		">=": relation, "&&": andAnd, "||": orOr}[sign]
	left, right := prec, prec+1
	switch prec { // what compilers warn of without parentheses
	case and, or, xor, shift:
		left, right = unary, unary
		if strings.HasSuffix(a.s, ")") && a.prec == prec {
			left = prec
		}
	case equality, relation:
		left, right = shift, shift
	case orOr:
		left, right = orOr, equality
		if a.prec == andAnd {
			left = primary
		}
	}
	return val{a.in(left) + " " + sign + " " + b.in(right), prec}
}

// plainOp returns Metal's operator for an operation that means the same there: no result that is
// wider than its type, no overflow of a signed type, no division by zero.
func (in *instance) plainOp(t types.Type, op token.Token, x, y ast.Expr) (sign string, ok bool) {
	b, isBasic := t.Underlying().(*types.Basic)
	if !isBasic {
		return "", false
	}
	sign = op.String()
	if b.Info()&types.IsFloat != 0 {
		return sign, op == token.ADD || op == token.SUB || op == token.MUL || op == token.QUO
	}
	if b.Info()&types.IsInteger == 0 {
		return "", false
	}
	size := in.t.sizes.Sizeof(b)
	switch op {
	case token.AND, token.OR, token.XOR:
		return sign, true
	case token.ADD, token.SUB, token.MUL:
		if b.Info()&types.IsUnsigned != 0 && size >= 4 {
			return sign, true
		}
		whole, bounded := typeRange(b)
		rx, ok1 := in.rangeOf(x)
		ry, ok2 := in.rangeOf(y)
		r, exact := rx.combined(op, ry)
		return sign, bounded && ok1 && ok2 && exact && r.within(whole)
	case token.QUO, token.REM:
		d, known := in.rangeOf(y)
		n, knownN := in.rangeOf(x)
		whole, _ := typeRange(b)
		notZero := known && (d.lo > 0 || d.hi < 0)
		noOverflow := b.Info()&types.IsUnsigned != 0 || known && (d.lo > -1 || d.hi < -1) || knownN && n.lo > whole.lo
		if b.Info()&types.IsUnsigned != 0 { // a constant beyond int64 is not 0 either
			if v := in.pkg.info.Types[y].Value; v != nil {
				notZero = constant.Sign(v) != 0
			}
		}
		return sign, notZero && noOverflow
	}
	return "", false
}

// wrapping returns a sum, difference or product in the unsigned type of its size: parts of it need
// no conversion back.
func (in *instance) wrapping(x ast.Expr, t types.Type) val {
	u := unsignedOf(in.typ(x, t, ""))
	if b, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && in.pkg.info.Types[b].Value == nil && in.indices[x] == "" {
		if b.Op == token.ADD || b.Op == token.SUB || b.Op == token.MUL {
			left, right := in.ordered2(b, t)
			return operation(b.Op.String(), left, right)
		}
	}
	v := in.value(x, t)
	if in.pkg.info.Types[x].Value != nil {
		// Beside a number without a sign, an int that is not negative has none either.
		r, ok := in.rangeOf(x)
		if v.prec == primary && (in.typ(x, t, "") == u || ok && r.lo >= 0 && r.hi <= math.MaxInt32) {
			return v
		}
		return val{u + "(" + v.s + ")", primary}
	}
	return val{u + "(" + v.s + ")", primary}
}

// ordered2 returns the operands of a wrapping operation, unsigned.
func (in *instance) ordered2(b *ast.BinaryExpr, t types.Type) (val, val) {
	if in.calls(b.X) > 0 || in.calls(b.Y) > 0 {
		a, c := in.ordered(b.X, b.Y, t, t)
		u := unsignedOf(in.typ(b, t, ""))
		return val{u + "(" + a.s + ")", primary}, val{u + "(" + c.s + ")", primary}
	}
	return in.wrapping(b.X, t), in.wrapping(b.Y, t)
}

// ordered returns two operands. Go calls functions from left to right, which Metal does not
// promise: the first is evaluated into a variable if both call something, and one of them writes.
func (in *instance) ordered(x, y ast.Expr, tx, ty types.Type) (val, val) {
	a := in.value(x, tx)
	var b val
	statements := in.capture(func() { b = in.value(y, ty) })
	if (statements != "" || in.calls(x) > 0 && in.calls(y) > 0) && !in.stable(x) {
		name := in.temp("value")
		in.line("%s = %s;", in.fixedDeclaration(x, types.Default(tx), in.spaceOf(x), name), a.s)
		a = val{name, primary}
	}
	in.b.WriteString(statements)
	return a, b
}

// stable reports whether statements between the evaluation of an expression and its use do not
// change its value.
func (in *instance) stable(x ast.Expr) bool {
	if in.pkg.info.Types[x].Value != nil {
		return true
	}
	if _, ok := in.under(x).(*types.Signature); ok { // what it sees may change, but not itself
		return true
	}
	if _, ok := handleType(in.typeOf(x)); ok {
		return true
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := in.object(x).(*types.Var)
		return ok && !in.volatile[v]
	case *ast.BinaryExpr:
		return in.stable(x.X) && in.stable(x.Y)
	case *ast.UnaryExpr:
		return x.Op != token.AND && in.stable(x.X)
	case *ast.SelectorExpr:
		return !isPointer(in.under(x.X)) && in.stable(x.X) || isThread(in.typeOf(x.X))
	case *ast.CallExpr:
		if in.isBuiltin(x.Fun, "min") || in.isBuiltin(x.Fun, "max") {
			return !slices.ContainsFunc(x.Args, func(a ast.Expr) bool { return !in.stable(a) })
		}
		return in.pkg.info.Types[x.Fun].IsType() && in.stable(x.Args[0]) || in.isBuiltin(x.Fun, "len")
	}
	return false
}

// calls returns how many calls of functions that may write memory or wait are in an expression.
func (in *instance) calls(x ast.Expr) (n int) {
	ast.Inspect(x, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if ok && !in.pkg.info.Types[call.Fun].IsType() && !in.pkg.info.Types[call.Fun].IsBuiltin() && !in.harmless(call) {
			n++
		}
		return true
	})
	return n
}

// harmless reports whether a call only computes.
func (in *instance) harmless(call *ast.CallExpr) bool {
	f := in.function(call.Fun)
	if f == nil || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "math", "math/bits", simdPath:
		return true
	case kernelPath: // nothing writes textures that are not written by Write
		if r := f.Type().(*types.Signature).Recv(); r != nil && !isThread(r.Type()) {
			return isKernel(r.Type(), "Texture2D") || f.Name() == "Width" || f.Name() == "Height"
		}
	}
	return false
}

// logical returns && and ||. Statements that the second operand needs run only if it is evaluated.
func (in *instance) logical(x *ast.BinaryExpr) val {
	a := in.expr(x.X)
	before := in.facts.clone()
	in.learn(x.X, x.Op == token.LAND)
	var b val
	text := in.capture(func() { in.indent++; b = in.expr(x.Y); in.indent-- })
	in.facts = before
	if text == "" {
		return operation(x.Op.String(), a, b)
	}
	name := in.temp("holds")
	in.line("bool %s = %s;", name, a.s)
	if x.Op == token.LAND {
		in.line("if (%s) {", name)
	} else {
		in.line("if (!%s) {", name)
	}
	in.b.WriteString(text)
	in.indent++
	in.line("%s = %s;", name, b.s)
	in.indent--
	in.line("}")
	return val{name, primary}
}

// commonType returns the type of the operands of a comparison.
func (in *instance) commonType(x, y ast.Expr) types.Type {
	t := in.typeOf(x)
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = in.typeOf(y)
	}
	return types.Default(t)
}

// equal returns a comparison of values of a type.
func (in *instance) equal(n ast.Node, op token.Token, a, b val, t types.Type) val {
	if name, ok := smallType(t); ok {
		if op != token.EQL && op != token.NEQ {
			in.noBits(n, t)
		}
		return operation(op.String(), bitsOf(name, a), bitsOf(name, b))
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if name, ok := vectorType(named); ok {
			if strings.Contains(name, "half") || strings.Contains(name, "bfloat") {
				a, b = bitsOf(name, a), bitsOf(name, b)
			}
			v := val{"metal::all(" + operation("==", a, b).s + ")", primary}
			if op == token.NEQ {
				v = val{"!" + v.s, unary}
			}
			return v
		}
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Pointer:
		return operation(op.String(), a, b)
	case *types.Struct, *types.Array:
		f := in.equality(n, t)
		v := val{fmt.Sprintf("%s(%s, %s)", f, a.s, b.s), primary}
		if op == token.NEQ {
			v = val{"!" + v.s, unary}
		}
		return v
	}
	in.refuse(n, "a comparison of %s", in.named(t))
	return val{}
}

// equality returns the function that compares two arrays or structures.
func (in *instance) equality(n ast.Node, t types.Type) string {
	typ := in.typ(n, t, "")
	c := in.t.made[typ]
	if c == nil {
		c = &instance{t: in.t, source: in.source, types: in.types, name: in.t.unique("equal_" + word(typ))}
		in.t.made[typ] = c
		c.typ(n, t, "") // which notes the structures
		part := func(t types.Type, a, b string) string {
			return c.equal(n, token.EQL, val{a, primary}, val{b, primary}, in.concrete(t)).in(equality)
		}
		c.text = fmt.Sprintf("static bool %s(%s a, %s b) {\n", c.name, typ, typ)
		switch u := t.Underlying().(type) {
		case *types.Struct:
			var parts []string
			for i := range u.NumFields() {
				if f := u.Field(i); f.Name() != "_" {
					parts = append(parts, part(f.Type(), "a."+field(f, i), "b."+field(f, i)))
				}
			}
			c.text += "  return " + strings.Join(append(parts, "true"), " && ") + ";\n}\n"
		case *types.Array:
			c.text += fmt.Sprintf("  for (int i = 0; i < %d; i++) {\n    if (!(%s)) {\n      return false;\n    }\n  }\n",
				u.Len(), part(u.Elem(), "a[i]", "b[i]")) + "  return true;\n}\n"
		}
		in.t.order = append(in.t.order, c)
	}
	in.callees = append(in.callees, c)
	return c.name
}

// shift returns x << y or x >> y. Bits beyond the width are 0, or copies of the sign.
func (in *instance) shift(x *ast.BinaryExpr, t types.Type) val {
	b := t.Underlying().(*types.Basic)
	name := in.typ(x, t, "")
	width := in.t.sizes.Sizeof(b) * 8
	count, known := in.rangeOf(x.Y)
	yt := types.Default(in.typeOf(x.Y))
	if known && count.lo >= 0 && count.hi < width {
		a, n := in.ordered(x.X, x.Y, t, yt)
		sign := x.Op.String()
		if x.Op == token.SHR {
			return operation(sign, in.typed(x.X, a, name), n)
		}
		v := operation(sign, val{unsignedOf(name) + "(" + a.s + ")", primary}, n)
		if unsignedOf(name) == name {
			return v
		}
		return val{name + "(" + v.s + ")", primary}
	}
	f := "shl"
	if x.Op == token.SHR {
		f = "shr"
	}
	in.t.helpers[f] = true
	a, n := in.ordered(x.X, x.Y, t, yt)
	if whole, _ := typeRange(yt.Underlying().(*types.Basic)); in.t.options.Checked && whole.lo < 0 {
		a = in.once(x.X, a, t)
		n = in.once(x.Y, n, yt)
		in.fault(x, []string{n.in(relation) + " >= 0"}, "negative shift amount %ld", "long("+n.s+")")
	}
	text := fmt.Sprintf("go::%s<%s>(%s, ulong(%s))", f, name, a.s, n.s)
	return val{text, primary}
}

// typed returns a value with the type that a constant does not have by itself.
func (in *instance) typed(x ast.Expr, v val, name string) val {
	if in.pkg.info.Types[x].Value != nil && name != "int" {
		return val{name + "(" + v.s + ")", primary}
	}
	return v
}

// unary returns -x, ^x, !x, +x and &x.
func (in *instance) unary(x *ast.UnaryExpr) val {
	t := in.typeOf(x)
	switch x.Op {
	case token.ADD:
		return in.expr(x.X)
	case token.NOT:
		return val{"!" + in.expr(x.X).in(unary), unary}
	case token.AND:
		return in.address(x.X)
	case token.ARROW:
		in.refuse(x, "a channel; use Shared memory and Barrier")
	}
	in.noBits(x, t)
	name := in.typ(x, t, "")
	v := in.expr(x.X)
	switch {
	case x.Op == token.XOR:
		return val{name + "(~" + v.in(unary) + ")", primary}
	case name == "float":
		return val{"-" + v.in(primary), unary}
	}
	return val{fmt.Sprintf("%s(0 - %s(%s))", name, unsignedOf(name), v.s), primary}
}
