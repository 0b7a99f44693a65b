package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
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
		v := in.selector(x)
		if isKernelIndex(in.typeOf(x)) && isThread(in.typeOf(x.X)) { // the attribute is no packed vector
			v = val{"packed_uint3(" + v.s + ")", primary}
		}
		return v
	case *ast.IndexExpr:
		return in.load(x)
	case *ast.SliceExpr:
		return in.slice(x)
	case *ast.CallExpr:
		return in.call(x)
	case *ast.CompositeLit:
		return in.composite(x)
	case *ast.FuncLit:
		in.refuse(x, "a function as a value; declare it with := and call it, or pass it to a function that calls it")
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
	if name, ok := smallType(t); ok {
		return smallConstant(name, v)
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return val{strconv.FormatBool(constant.BoolVal(v)), primary}
	case b.Kind() == types.UntypedNil:
		return val{"nullptr", primary}
	case b.Info()&types.IsInteger != 0:
		return in.integer(x, constant.ToInt(v), b)
	case b.Kind() == types.Float32 || in.asFloat(x, t):
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
			if v.closure {
				in.refuse(x, "the function %s as a value; call it, or pass it to a function that calls it", x.Name)
			}
			if v.length != "" { // a slice from its two arguments
				in.t.helpers["slice"] = true
				return val{fmt.Sprintf("%s{%s, %s}", in.typ(x, in.typeOf(x), device), v.name, v.length), primary}
			}
			if v.narrow != "" {
				return val{in.typ(x, in.typeOf(x), "") + "(" + v.name + ")", primary}
			}
			return val{v.name, primary}
		}
		return in.tableValue(x, obj)
	case *types.Func:
		in.refuse(x, "the function %s as a value; call it, or pass it to a function that calls it", x.Name)
	}
	in.refuse(x, "%s is no value of a kernel", x.Name)
	return val{}
}

// selector returns a field, or a constant or variable of another package.
func (in *instance) selector(x *ast.SelectorExpr) val {
	sel := in.pkg.info.Selections[x]
	if sel == nil {
		if v, ok := in.pkg.info.Uses[x.Sel].(*types.Var); ok {
			return in.tableValue(x, v)
		}
		in.refuse(x, "%s: %s", in.code(x), in.whyInvalid(x))
	}
	if sel.Kind() != types.FieldVal {
		in.refuse(x, "the method %s as a value; call it, or pass it to a function that calls it",
			x.Sel.Name)
	}
	in.noHandle(x, in.typeOf(x.X))
	if isThread(in.typeOf(x.X)) {
		in.t.thread[x.Sel.Name] = true
		return val{in.expr(x.X).in(primary) + "." + x.Sel.Name, primary}
	}
	if in.addressable(x.X) && !isPointer(in.under(x.X)) {
		effects := in.effects
		p := in.place(x.X)
		in.effects = effects
		p.val, _ = in.path(p.val, in.typeOf(x.X), sel.Index())
		return in.guardedValue(x, p)
	}
	v, _ := in.path(in.expr(x.X), in.typeOf(x.X), sel.Index())
	return v
}

// path returns a field of a structure, which may be one of an embedded structure.
func (in *instance) path(v val, t types.Type, index []int) (val, types.Type) {
	for _, i := range index {
		dot := "."
		if p, ok := t.Underlying().(*types.Pointer); ok {
			dot, t = "->", in.concrete(p.Elem())
		}
		f := t.Underlying().(*types.Struct).Field(i)
		name := field(f, i)
		if named, ok := types.Unalias(t).(*types.Named); ok {
			if _, ok := vectorType(named); ok {
				name = strings.ToLower(f.Name())
			}
		}
		v = val{v.in(primary) + dot + name, primary}
		t = in.concrete(f.Type())
	}
	return v, t
}

// composite returns a structure or an array with the given parts.
func (in *instance) composite(x *ast.CompositeLit) val {
	t := in.typeOf(x)
	if isKernel(t, "Sampler") {
		name := in.temp("sampler")
		in.line("%s", in.sampler(name, x))
		return val{name, primary}
	}
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
			parts[at] = in.braced(e, in.concrete(u.Field(at).Type()))
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
				parts[next] = in.braced(e, in.concrete(u.Elem()))
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

// maxDepth is how deeply statements and expressions may be nested.
const maxDepth = 500

// shallow refuses what is nested so deeply that its translation would take long.
func (in *instance) shallow(n ast.Node) {
	depth := 0
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			depth--
			return true
		}
		if depth++; depth > maxDepth {
			in.refuse(n, "more than %d levels of statements and expressions; use functions or variables for parts", maxDepth)
		}
		return true
	})
}

// braced returns a value between braces, where Metal narrows no int: that is what operations on
// smaller integers give.
func (in *instance) braced(x ast.Expr, t types.Type) string {
	v := in.value(x, t)
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 || in.t.sizes.Sizeof(b) >= 4 || in.pkg.info.Types[x].Value != nil {
		return v.s
	}
	if name := in.typ(x, t, ""); v.prec != primary || !strings.HasPrefix(v.s, name+"(") {
		return in.as(name, v.s)
	}
	return v.s
}

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

// code returns an expression as the program writes it.
func (in *instance) code(x ast.Expr) string { return types.ExprString(x) }
