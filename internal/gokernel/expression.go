package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
)

// val is the text of an expression, and how tightly its outermost operator binds.
type val struct {
	s    string
	prec int
}

// How tightly operators bind in Metal, from the loosest.
const (
	conditional = iota + 1
	orOr
	andAnd
	or
	xor
	and
	equality
	relation
	shift
	sum
	product
	unary
	primary
)

// in returns the text as an operand of an operator.
func (v val) in(prec int) string {
	if v.prec < prec {
		return "(" + v.s + ")"
	}
	return v.s
}

// expr returns an expression.
func (in *instance) expr(x ast.Expr) val { return in.value(x, in.typeOf(x)) }

// value returns an expression as a value of a type, which a constant is only where it is used.
func (in *instance) value(x ast.Expr, t types.Type) val {
	if text, ok := in.indices[x]; ok {
		return val{text, primary}
	}
	tv := in.pkg.info.Types[x]
	if tv.Value != nil {
		return in.constant(x, tv.Value, t)
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return in.value(x.X, t)
	case *ast.Ident:
		return in.identifier(x, t)
	case *ast.BinaryExpr:
		return in.binary(x, in.resultType(x, t))
	case *ast.UnaryExpr:
		return in.unary(x)
	case *ast.StarExpr:
		return val{"*" + in.expr(x.X).in(unary), unary}
	case *ast.SelectorExpr:
		return in.selector(x)
	case *ast.IndexExpr:
		return in.load(x)
	case *ast.SliceExpr:
		return in.slice(x)
	case *ast.CallExpr:
		return in.call(x, false)
	case *ast.CompositeLit:
		return in.composite(x)
	case *ast.FuncLit:
		in.refuse(x, "a function as a value; declare it with := and call it")
	case *ast.TypeAssertExpr:
		in.refuse(x, "an interface; use type parameters")
	}
	in.refuse(x, "an expression that kernels do not have")
	return val{}
}

// resultType returns the type of an operation, which is that of the place for untyped ones.
func (in *instance) resultType(x *ast.BinaryExpr, t types.Type) types.Type {
	r := in.typeOf(x)
	if b, ok := r.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return t
	}
	return r
}

// constant returns the text of a constant of a type.
func (in *instance) constant(x ast.Expr, v constant.Value, t types.Type) val {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		in.refuse(x, "a constant of type %s", in.named(t))
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return val{strconv.FormatBool(constant.BoolVal(v)), primary}
	case b.Kind() == types.UntypedNil:
		return val{"nullptr", primary}
	case b.Info()&types.IsInteger != 0:
		return in.integer(x, constant.ToInt(v), b)
	case b.Kind() == types.Float32:
		f, _ := constant.Float32Val(v)
		return floatText(float64(f))
	}
	in.typ(x, t, "") // refuses it
	return val{}
}

func floatText(f float64) val {
	if f < 0 || f == 0 && math.Signbit(f) {
		return val{"-" + floatText(-f).s, unary}
	}
	s := strconv.FormatFloat(f, 'g', -1, 32)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return val{s + "f", primary}
}

// integer returns the text of an integer. One beyond 31 bits has its type.
func (in *instance) integer(x ast.Expr, v constant.Value, b *types.Basic) val {
	if lit, ok := ast.Unparen(x).(*ast.BasicLit); ok && strings.HasPrefix(strings.ToLower(lit.Value), "0x") &&
		!strings.Contains(lit.Value, "_") {
		if n, ok := constant.Uint64Val(v); ok && n <= math.MaxInt32 {
			return val{lit.Value, primary} // as the program writes it
		}
	}
	if n, ok := constant.Int64Val(v); ok {
		switch {
		case n == math.MinInt64:
			return val{"(-9223372036854775807l - 1)", primary}
		case n < math.MinInt32:
			return val{fmt.Sprintf("%dl", n), unary}
		case n == math.MinInt32:
			return val{"(-2147483647 - 1)", primary}
		case n < 0:
			return val{strconv.FormatInt(n, 10), unary}
		case n <= math.MaxInt32:
			return val{strconv.FormatInt(n, 10), primary}
		case n <= math.MaxUint32 && b.Info()&types.IsUnsigned != 0:
			return val{fmt.Sprintf("%du", n), primary}
		}
		if b.Info()&types.IsUnsigned != 0 {
			return val{fmt.Sprintf("%dul", n), primary}
		}
		return val{fmt.Sprintf("%dl", n), primary}
	}
	n, ok := constant.Uint64Val(v)
	if !ok {
		in.refuse(x, "the constant %s has more than 64 bits", v)
	}
	return val{fmt.Sprintf("%dul", n), primary}
}

// operand returns an operand of an operation on values of a type: a constant has that type.
func (in *instance) operand(x ast.Expr, t types.Type) val {
	return in.value(x, t)
}

// identifier returns a variable.
func (in *instance) identifier(x *ast.Ident, t types.Type) val {
	obj := in.object(x)
	switch obj := obj.(type) {
	case *types.Nil:
		in.refuse(x, "nil: kernels have no nil pointers and slices")
	case *types.Var:
		if v := in.vars[obj]; v != nil {
			if v.closure != nil {
				in.refuse(x, "the function %s as a value; call it", x.Name)
			}
			if v.length != "" { // a slice from its two arguments
				in.t.helpers["slice"] = true
				return val{fmt.Sprintf("%s{%s, %s}", in.typ(x, in.typeOf(x), device), v.name, v.length), primary}
			}
			return val{v.name, primary}
		}
		return in.tableValue(x, obj)
	}
	in.refuse(x, "%s is no value of a kernel", x.Name)
	return val{}
}

// table returns the variable of a package in the text, which nothing assigns.
func (in *instance) table(x ast.Expr, obj *types.Var) *table {
	v := in.t.vars[obj]
	switch {
	case v == nil:
		in.refuse(x, "the variable %s of another package; pass it as an argument", obj.Name())
	case v.assigned.IsValid():
		in.refuse(x, "the variable %s, which line %d assigns; pass it as an argument", obj.Name(),
			in.t.fset.Position(v.assigned).Line)
	case v.name != "":
		return v
	}
	of := &instance{t: in.t, source: source{v.pkg, in.decl}, vars: map[types.Object]*variable{}, visible: map[string]int{}, temps: map[string]bool{},
		facts: newFacts(), volatile: map[types.Object]bool{}}
	t := obj.Type()
	if s, ok := t.Underlying().(*types.Slice); ok {
		lit, ok := ast.Unparen(v.value).(*ast.CompositeLit)
		if v.value == nil || !ok {
			in.refuse(x, "the slice %s of the package, which has no elements that the program writes", obj.Name())
		}
		v.length = literalLength(v.pkg, lit)
		t = types.NewArray(s.Elem(), int64(v.length))
		of.pkg.info.Types[lit] = types.TypeAndValue{Type: t}
	}
	if v.value != nil {
		ast.Inspect(v.value, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && v.pkg.info.Types[call].Value == nil {
				in.refuse(x, "the variable %s of the package, whose value is computed; pass it as an argument", obj.Name())
			}
			return true
		})
	}
	if refused := of.guarded(func() {
		typ := of.typ(x, t, "")
		text := of.zero(x, t)
		if v.value != nil {
			text = of.value(v.value, t).s
		}
		text = strings.TrimPrefix(text, typ+"{")
		if text != "" && strings.HasSuffix(text, "}") {
			text = "{" + text
		}
		name := obj.Name()
		if v.pkg != in.t.pkg {
			name = v.pkg.types.Name() + "_" + name
		}
		v.name = in.t.unique(name)
		v.text = fmt.Sprintf("constant %s %s = %s;", typ, v.name, text)
	}); refused != nil {
		panic(refused)
	}
	in.t.tables = append(in.t.tables, v)
	in.structs = append(in.structs, of.structs...)
	return v
}

// tableValue returns a variable of a package as a value.
func (in *instance) tableValue(x ast.Expr, obj *types.Var) val {
	v := in.table(x, obj)
	if _, ok := obj.Type().Underlying().(*types.Slice); ok {
		in.t.helpers["slice"] = true
		return val{fmt.Sprintf("%s{&%s[0], %d}", in.typ(x, obj.Type(), constantSpace), v.name, v.length), primary}
	}
	return val{v.name, primary}
}

// literalLength returns the number of elements of a composite literal.
func literalLength(p *pkg, lit *ast.CompositeLit) int {
	next, most := int64(0), int64(0)
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			next, _ = constant.Int64Val(p.info.Types[kv.Key].Value)
		}
		next++
		most = max(most, next)
	}
	return int(most)
}

// binary returns an operation whose result is of a type.
func (in *instance) binary(x *ast.BinaryExpr, t types.Type) val {
	switch x.Op {
	case token.LAND, token.LOR:
		return in.logical(x)
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		of := in.commonType(x.X, x.Y)
		a, b := in.ordered(x.X, x.Y, of, of)
		return in.equal(x, x.Op, a, b, of)
	case token.SHL, token.SHR:
		return in.shift(x, t)
	}
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
		return val{fmt.Sprintf("go::%s<%s>(%s, %s)", f, name, a.s, y.s), primary}
	case token.AND_NOT:
		a, y := in.ordered(x.X, x.Y, t, t)
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
		r, known := in.operationRange(op, x, y, b)
		return sign, known && r
	case token.QUO, token.REM:
		d, known := in.rangeOf(y)
		n, knownN := in.rangeOf(x)
		whole, _ := typeRange(b)
		notZero := known && (d.lo > 0 || d.hi < 0)
		noOverflow := b.Info()&types.IsUnsigned != 0 || known && d.lo > -1 || known && d.hi < -1 || knownN && n.lo > whole.lo
		if b.Info()&types.IsUnsigned != 0 { // a constant beyond int64 is not 0 either
			if v := in.pkg.info.Types[y].Value; v != nil {
				notZero = constant.Sign(v) != 0
			}
		}
		return sign, notZero && noOverflow
	}
	return "", false
}

// operationRange reports whether the exact result of an operation is known to fit its type.
func (in *instance) operationRange(op token.Token, x, y ast.Expr, b *types.Basic) (fits, known bool) {
	whole, ok := typeRange(b)
	if !ok {
		return false, false
	}
	a, ok1 := in.rangeOf(x)
	c, ok2 := in.rangeOf(y)
	if !ok1 || !ok2 {
		return false, false
	}
	lo, hi := float64(0), float64(0)
	switch op {
	case token.ADD:
		lo, hi = float64(a.lo)+float64(c.lo), float64(a.hi)+float64(c.hi)
	case token.SUB:
		lo, hi = float64(a.lo)-float64(c.hi), float64(a.hi)-float64(c.lo)
	case token.MUL:
		p := []float64{float64(a.lo) * float64(c.lo), float64(a.lo) * float64(c.hi), float64(a.hi) * float64(c.lo),
			float64(a.hi) * float64(c.hi)}
		lo, hi = min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3])
	}
	// Far enough from the ends for the rounding of float64.
	if in.t.sizes.Sizeof(b) == 8 {
		return lo > -9.2e18 && hi < 9.2e18, true
	}
	return lo >= float64(whole.lo) && hi <= float64(whole.hi), true
}

// wrapping returns a sum, difference or product in the unsigned type of its size: parts of it need
// no conversion back.
func (in *instance) wrapping(x ast.Expr, t types.Type) val {
	u := unsigned[in.typ(x, t, "")]
	if b, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && in.pkg.info.Types[b].Value == nil && in.indices[x] == "" {
		if b.Op == token.ADD || b.Op == token.SUB || b.Op == token.MUL {
			left, right := in.ordered2(b, t)
			return operation(b.Op.String(), left, right)
		}
	}
	v := in.value(x, t)
	if in.pkg.info.Types[x].Value != nil {
		if in.typ(x, t, "") == u && v.prec == primary {
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
		u := unsigned[in.typ(b, t, "")]
		return val{u + "(" + a.s + ")", primary}, val{u + "(" + c.s + ")", primary}
	}
	return in.wrapping(b.X, t), in.wrapping(b.Y, t)
}

// ordered returns two operands. Go calls functions from left to right, which Metal does not promise:
// the first is evaluated into a variable if both call something, and one of them writes.
func (in *instance) ordered(x, y ast.Expr, tx, ty types.Type) (val, val) {
	a := in.value(x, tx)
	var b val
	statements := in.capture(func() { b = in.value(y, ty) })
	if (statements != "" || in.calls(x) > 0 && in.calls(y) > 0) && !in.stable(x) {
		name := in.temp("value")
		in.line("const %s = %s;", in.declaration(x, types.Default(tx), in.spaceOf(x), name), a.s)
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
	f := in.function(call)
	if f == nil || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "math", "math/bits", simdPath:
		return true
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
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Pointer:
		return operation(op.String(), a, b)
	case *types.Struct, *types.Array:
		_ = u
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
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if _, ok := vectorType(named); ok {
			return "metal::all" // of a comparison of each
		}
	}
	key := "equal " + typ
	if name, ok := in.t.made[key]; ok {
		return name
	}
	name := in.t.unique("equal_" + word(typ))
	in.t.made[key] = name
	var parts []string
	part := func(i ast.Node, t types.Type, a, b string) {
		parts = append(parts, in.equal(i, token.EQL, val{a, primary}, val{b, primary}, t).in(equality))
	}
	text := fmt.Sprintf("static bool %s(%s a, %s b) {\n", name, typ, typ)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); f.Name() != "_" {
				part(n, f.Type(), "a."+field(f, i), "b."+field(f, i))
			}
		}
		text += "  return " + strings.Join(append(parts, "true"), " && ") + ";\n}\n"
	case *types.Array:
		part(n, u.Elem(), "a[i]", "b[i]")
		text += fmt.Sprintf("  for (int i = 0; i < %d; i++) {\n    if (!(%s)) {\n      return false;\n    }\n  }\n  return true;\n}\n",
			u.Len(), parts[0])
	}
	in.t.order = append(in.t.order, &instance{t: in.t, text: text, used: true, structs: in.structs})
	return name
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
		v := operation(sign, val{unsigned[name] + "(" + a.s + ")", primary}, n)
		if unsigned[name] == name {
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
	name := in.typ(x, t, "")
	v := in.expr(x.X)
	switch {
	case x.Op == token.XOR:
		return val{name + "(~" + v.in(unary) + ")", primary}
	case name == "float":
		return val{"-" + v.in(primary), unary}
	}
	return val{fmt.Sprintf("%s(0 - %s(%s))", name, unsigned[name], v.s), primary}
}

// address returns a pointer to a place. It ends the function if there is no such place.
func (in *instance) address(x ast.Expr) val {
	if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok {
		name := in.temp("object")
		in.line("%s = %s;", in.declaration(x, in.typeOf(x), "", name), in.composite(lit).s)
		return val{"&" + name, unary}
	}
	p := in.place(x)
	in.require(x, p.checks)
	if base, ok := strings.CutPrefix(p.s, "(*"); ok && strings.HasSuffix(base, ")") && !strings.Contains(base, "(") {
		return val{strings.TrimSuffix(base, ")"), primary}
	}
	return val{"&" + p.s, unary}
}

// require ends the function unless conditions hold: Go would panic.
func (in *instance) require(n ast.Node, checks []string) {
	if len(checks) == 0 {
		return
	}
	out := "return;"
	switch r := in.sig.Results(); {
	case r.Len() == 1:
		t := in.concrete(r.At(0).Type())
		if _, ok := t.Underlying().(*types.Slice); ok {
			in.refuse(n, "an index that may be out of range in a function that returns a slice; compare it with the length first")
		}
		out = "return " + in.zero(n, t) + ";"
	case r.Len() > 1:
		out = "return {};"
	}
	in.line("if (!(%s)) { %s }", strings.Join(checks, " && "), out)
}

// placed is a place in memory, and the conditions under which it exists.
type placed struct {
	val
	checks []string
}

// place returns what an assignment changes.
func (in *instance) place(x ast.Expr) placed {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return in.place(x.X)
	case *ast.Ident:
		if v, ok := in.object(x).(*types.Var); ok && in.vars[v] == nil {
			in.refuse(x, "an assignment to %s, a variable of the package; use a slice that is a parameter", x.Name)
		}
		return placed{val: in.identifier(x, in.typeOf(x))}
	case *ast.StarExpr:
		in.effects = true
		return placed{val: val{"(*" + in.expr(x.X).in(unary) + ")", primary}}
	case *ast.SelectorExpr:
		sel := in.pkg.info.Selections[x]
		if sel == nil {
			break
		}
		if isThread(in.typeOf(x.X)) {
			return placed{val: in.selector(x)}
		}
		var p placed
		if isPointer(in.under(x.X)) {
			in.effects = true
			p.val = in.expr(x.X)
		} else {
			p = in.place(x.X)
		}
		p.val = in.path(x, p.val, in.typeOf(x.X), sel.Index())
		return p
	case *ast.IndexExpr:
		if vectorIndex(in.typeOf(x.X)) {
			break
		}
		return in.indexed(x)
	}
	in.refuse(x, "an assignment to this expression")
	return placed{}
}

func vectorIndex(t types.Type) bool { return false }

// indexed returns an element of a slice or an array as a place.
func (in *instance) indexed(x *ast.IndexExpr) placed {
	var p placed
	base, length := "", ""
	if a, ok := arrayOf(in.typeOf(x.X)); ok {
		if isPointer(in.under(x.X)) {
			in.effects = true
			base = "(*" + in.expr(x.X).in(unary) + ")"
		} else if in.addressable(x.X) {
			p = in.place(x.X)
			base = p.s
		} else {
			base = in.expr(x.X).in(primary)
		}
		length = fmt.Sprint(a.Len())
	} else if _, ok := in.under(x.X).(*types.Slice); ok {
		in.effects = true
		base, length = in.data(x.X), in.length(x.X)
	} else {
		in.refuse(x.X, "an index of %s: kernels have arrays and slices", in.named(in.typeOf(x.X)))
	}
	index := in.value(x.Index, types.Default(in.typeOf(x.Index)))
	if !in.inRange(x.X, x.Index) {
		if in.calls(x.Index) > 0 || !pure(x.Index) {
			name := in.temp("index")
			in.line("const %s %s = %s;", in.typ(x.Index, types.Default(in.typeOf(x.Index)), ""), name, index.s)
			index = val{name, primary}
		}
		p.checks = append(p.checks, in.check(x.Index, index, length))
	}
	p.val = val{base + "[" + index.s + "]", primary}
	return p
}

// check returns the condition that an index is below a length.
func (in *instance) check(x ast.Expr, index val, length string) string {
	t := in.typ(x, types.Default(in.typeOf(x)), "")
	text := index.in(shift)
	if r, ok := in.rangeOf(x); !ok || r.lo < 0 {
		text = unsigned[t] + "(" + index.s + ")"
	} else if t != unsigned[t] && !isNumber(length) {
		text = unsigned[t] + "(" + index.s + ")"
	}
	return text + " < " + length
}

func isNumber(s string) bool { _, err := strconv.Atoi(s); return err == nil }

// addressable reports whether an expression is a place.
func (in *instance) addressable(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		_, ok := in.object(x).(*types.Var)
		return ok && in.vars[in.object(x)] != nil
	case *ast.SelectorExpr:
		return in.pkg.info.Selections[x] != nil && (isPointer(in.under(x.X)) || in.addressable(x.X))
	case *ast.IndexExpr:
		_, slice := in.under(x.X).(*types.Slice)
		return slice || isPointer(in.under(x.X)) || in.addressable(x.X)
	case *ast.StarExpr:
		return true
	}
	return false
}

// load returns the value of an element: zero if there is none.
func (in *instance) load(x *ast.IndexExpr) val {
	if in.pkg.info.Types[x.X].IsType() {
		in.refuse(x, "a type as a value")
	}
	effects := in.effects
	p := in.indexed(x)
	in.effects = effects // it only reads
	if len(p.checks) == 0 {
		return p.val
	}
	return in.guardedValue(x, p)
}

// guardedValue returns the value of a place, zero if there is no such place.
func (in *instance) guardedValue(x ast.Expr, p placed) val {
	if len(p.checks) == 0 {
		return p.val
	}
	return val{strings.Join(p.checks, " && ") + " ? " + p.s + " : " + in.zero(x, in.typeOf(x)), conditional}
}

// data returns the pointer to the elements of a slice.
func (in *instance) data(x ast.Expr) string {
	if text, ok := in.sliceTexts[x]; ok {
		return text + ".data"
	}
	if v := in.variableNamed(x); v != nil && v.length != "" {
		return v.name
	}
	if v := in.tableNamed(x); v != nil {
		return v.name
	}
	return in.expr(x).in(primary) + ".data"
}

// length returns the length of a slice.
func (in *instance) length(x ast.Expr) string {
	if text, ok := in.sliceTexts[x]; ok {
		return text + ".len"
	}
	if v := in.variableNamed(x); v != nil && v.length != "" {
		return v.length
	}
	if v := in.tableNamed(x); v != nil {
		return fmt.Sprint(v.length)
	}
	return in.expr(x).in(primary) + ".len"
}

// tableNamed returns the variable of a package that an expression is, or nil.
func (in *instance) tableNamed(x ast.Expr) *table {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if sel, qualified := ast.Unparen(x).(*ast.SelectorExpr); qualified && in.pkg.info.Selections[sel] == nil {
		id, ok = sel.Sel, true
	}
	if !ok {
		return nil
	}
	v, ok := in.object(id).(*types.Var)
	if !ok || in.vars[v] != nil || in.t.vars[v] == nil {
		return nil
	}
	return in.table(x, v)
}

func (in *instance) variableNamed(x ast.Expr) *variable {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		return in.vars[in.object(id)]
	}
	return nil
}

// element returns the element of an array or slice at an index that is in range.
func (in *instance) element(x ast.Expr, index string) string {
	if _, ok := in.under(x).(*types.Slice); ok {
		return in.data(x) + "[" + index + "]"
	}
	if isPointer(in.under(x)) {
		return "(*" + in.expr(x).in(unary) + ")[" + index + "]"
	}
	return in.expr(x).in(primary) + "[" + index + "]"
}

// elementOf returns nil: the value of a range loop is no expression of the program.
func (in *instance) elementOf(s *ast.RangeStmt, value ast.Expr) ast.Expr { return nil }

// slice returns x[a:b].
func (in *instance) slice(x *ast.SliceExpr) val {
	if x.Slice3 {
		in.refuse(x, "a slice with a capacity; kernels do not append")
	}
	in.t.helpers["slice"] = true
	in.t.helpers["part"] = true
	var data, length string
	s := in.spaceOf(x)
	if a, ok := arrayOf(in.typeOf(x.X)); ok {
		length = fmt.Sprint(a.Len())
		if isPointer(in.under(x.X)) {
			data = "&(*" + in.expr(x.X).in(unary) + ")[0]"
		} else {
			p := in.place(x.X)
			in.require(x, p.checks)
			data = "&" + p.s + "[0]"
		}
	} else {
		data, length = in.data(x.X), in.length(x.X)
		if in.tableNamed(x.X) != nil {
			data = "&" + data + "[0]"
		}
	}
	part := func(e ast.Expr, none string) string {
		if e == nil {
			return none
		}
		return in.value(e, types.Typ[types.Int]).s
	}
	typ := in.typ(x, in.typeOf(x), s)
	if x.Low == nil && x.High == nil {
		return val{fmt.Sprintf("%s{%s, %s}", typ, data, length), primary}
	}
	return val{fmt.Sprintf("go::part<%s>({%s, %s}, %s, %s)", typ, data, length, part(x.Low, "0"), part(x.High, length)), primary}
}

// selector returns a field, or a constant or variable of another package.
func (in *instance) selector(x *ast.SelectorExpr) val {
	sel := in.pkg.info.Selections[x]
	if sel == nil {
		if v, ok := in.pkg.info.Uses[x.Sel].(*types.Var); ok {
			return in.tableValue(x, v)
		}
		in.refuse(x, "%s: %s", in.source_(x), in.whyInvalid(x))
	}
	if sel.Kind() != types.FieldVal {
		in.refuse(x, "the method %s as a value; call it", x.Sel.Name)
	}
	if isThread(in.typeOf(x.X)) {
		in.t.thread[x.Sel.Name] = true
		return val{in.expr(x.X).in(primary) + "." + x.Sel.Name, primary}
	}
	if in.addressable(x.X) && !isPointer(in.under(x.X)) {
		effects := in.effects
		p := in.place(x.X)
		in.effects = effects
		p.val = in.path(x, p.val, in.typeOf(x.X), sel.Index())
		return in.guardedValue(x, p)
	}
	return in.path(x, in.expr(x.X), in.typeOf(x.X), sel.Index())
}

// path returns a field of a structure, which may be one of an embedded structure.
func (in *instance) path(x *ast.SelectorExpr, v val, t types.Type, index []int) val {
	for _, i := range index {
		dot := "."
		if p, ok := t.Underlying().(*types.Pointer); ok {
			dot, t = "->", in.concrete(p.Elem())
		}
		named, _ := types.Unalias(t).(*types.Named)
		st := t.Underlying().(*types.Struct)
		f := st.Field(i)
		name := field(f, i)
		if named != nil {
			if _, ok := vectorType(named); ok {
				name = strings.ToLower(f.Name())
			}
		}
		v = val{v.in(primary) + dot + name, primary}
		t = in.concrete(f.Type())
	}
	return v
}

// composite returns a structure or an array with the given parts.
func (in *instance) composite(x *ast.CompositeLit) val {
	t := in.typeOf(x)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		parts := make([]string, u.NumFields())
		for i := range parts {
			parts[i] = in.zero(x, in.concrete(u.Field(i).Type()))
		}
		for i, e := range x.Elts {
			at := i
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
				for k := range parts {
					if u.Field(k) == in.pkg.info.Uses[kv.Key.(*ast.Ident)] || u.Field(k).Name() == kv.Key.(*ast.Ident).Name {
						at = k
					}
				}
			}
			parts[at] = in.value(e, in.concrete(u.Field(at).Type())).s
		}
		if named, ok := types.Unalias(t).(*types.Named); ok {
			if name, ok := vectorType(named); ok {
				if n := name[len(name)-1]; n == '3' { // the fourth is no component
					parts = parts[:3]
				}
				return val{name + "(" + strings.Join(parts, ", ") + ")", primary}
			}
		}
		return val{in.typ(x, t, "") + "{" + strings.Join(parts, ", ") + "}", primary}
	case *types.Array:
		if u.Len() > maxComposite {
			in.refuse(x, "an array of %d elements as a value; at most %d", u.Len(), maxComposite)
		}
		parts := make([]string, u.Len())
		next := int64(0)
		for _, e := range x.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				next, _ = constant.Int64Val(in.pkg.info.Types[kv.Key].Value)
				e = kv.Value
			}
			if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
				parts[next] = in.composite(lit).s
			} else {
				parts[next] = in.value(e, in.concrete(u.Elem())).s
			}
			next++
		}
		for i := range parts {
			if parts[i] == "" {
				parts[i] = in.zero(x, in.concrete(u.Elem()))
			}
		}
		return val{in.typ(x, t, "") + "{{" + strings.Join(parts, ", ") + "}}", primary}
	}
	in.refuse(x, "a value of %s made in a kernel: it would need memory of its own; use an array", in.named(t))
	return val{}
}

const maxComposite = 4096

// pure reports whether an expression can be evaluated twice.
func pure(x ast.Expr) bool {
	ok := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			ok = ok && isSimpleCall(n)
		}
		return ok
	})
	return ok
}

// isSimpleCall reports whether a call is a conversion or len by its looks.
func isSimpleCall(n ast.Node) bool {
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := c.Fun.(*ast.Ident)
	return ok && len(c.Args) == 1 && (id.Name == "len" || types.Universe.Lookup(id.Name) != nil && isTypeName(id.Name))
}

func isTypeName(name string) bool {
	_, ok := types.Universe.Lookup(name).(*types.TypeName)
	return ok
}

// source_ returns an expression as the program writes it.
func (in *instance) source_(x ast.Expr) string { return types.ExprString(x) }

// spaceOf returns the address space of what an expression points to, "" if it is no pointer or slice.
func (in *instance) spaceOf(x ast.Expr) space {
	switch in.under(x).(type) {
	case *types.Pointer, *types.Slice:
	default:
		return ""
	}
	if isThread(in.typeOf(x)) {
		return ""
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if v := in.vars[in.object(x)]; v != nil {
			return v.space
		}
		return constantSpace
	case *ast.UnaryExpr:
		return in.placeSpace(x.X)
	case *ast.SliceExpr:
		if _, ok := in.under(x.X).(*types.Slice); ok || isPointer(in.under(x.X)) {
			return in.spaceOf(x.X)
		}
		return in.placeSpace(x.X)
	case *ast.CallExpr:
		if in.pkg.info.Types[x.Fun].IsType() {
			return in.spaceOf(x.Args[0])
		}
		if f := in.function(x); f != nil && f.Pkg() != nil && f.Pkg().Path() == kernelPath {
			return threadgroup
		}
		if c := in.resolved[x]; c != nil {
			return c.result
		}
		return device
	}
	return device
}

// placeSpace returns the address space of a place.
func (in *instance) placeSpace(x ast.Expr) space {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		if isPointer(in.under(x.X)) {
			return in.spaceOf(x.X)
		}
		return in.placeSpace(x.X)
	case *ast.IndexExpr:
		if _, ok := in.under(x.X).(*types.Slice); ok || isPointer(in.under(x.X)) {
			return in.spaceOf(x.X)
		}
		return in.placeSpace(x.X)
	case *ast.StarExpr:
		return in.spaceOf(x.X)
	case *ast.Ident:
		if v, ok := in.object(x).(*types.Var); ok && in.vars[v] == nil {
			return constantSpace
		}
	}
	return thread
}
