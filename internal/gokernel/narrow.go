package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
)

// Integers of 64 bits are slow on GPUs, and an int is one here. A variable of such a type has 32
// bits in the text as long as the values of all its assignments are known to have no more: the
// function is translated with that in mind, and again without it when an assignment shows that it
// is wrong.

// widened is the panic value with which the translation of a function begins again.
type widened struct{}

// fits32 reports whether the values of a range are values of a Metal type of 32 bits.
func fits32(r interval, typ string) bool { return r.within(whole32(typ)) }

// whole32 returns the values of a Metal type of 32 bits.
func whole32(typ string) interval {
	if typ == "uint" {
		return interval{0, math.MaxUint32}
	}
	return interval{math.MinInt32, math.MaxInt32}
}

// isWide reports whether a type is one of integers of 64 bits.
func (in *instance) isWide(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUntyped == 0 && in.t.sizes.Sizeof(b) == 8
}

// narrowed returns the type of 32 bits for a new variable with values of a range, "" if there is
// none.
func (in *instance) narrowed(obj types.Object, r interval) string {
	if in.volatile[obj] || !in.isWide(in.concrete(obj.Type())) {
		return ""
	}
	for _, typ := range []string{"uint", "int"} {
		if fits32(r, typ) && !in.tried[obj][typ] {
			return typ
		}
	}
	return ""
}

// keepNarrow begins the translation again if an assignment to a variable of 32 bits may not fit.
func (in *instance) keepNarrow(obj types.Object, r interval, known bool) {
	v := in.vars[obj]
	if v == nil || v.narrow == "" || known && fits32(r, v.narrow) {
		return
	}
	if in.tried[obj] == nil {
		in.tried[obj] = map[string]bool{}
	}
	in.tried[obj][v.narrow] = true
	panic(widened{})
}

// width returns the Metal type of 32 bits in which an expression can be written, "" if there is
// none. That of a constant is "int", which is a uint as well if it is not negative.
func (in *instance) width(x ast.Expr) string {
	x = ast.Unparen(x)
	if _, fixed := in.indices[x]; fixed {
		return ""
	}
	t := in.typeOf(x)
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return ""
	}
	r, known := in.rangeOf(x)
	if in.pkg.info.Types[x].Value != nil {
		if known && r.lo > math.MinInt32 && r.hi <= math.MaxInt32 {
			return "int"
		}
		return ""
	}
	if !in.isWide(t) {
		if b.Kind() == types.Uint32 {
			return "uint"
		}
		return "int"
	}
	switch x := x.(type) {
	case *ast.Ident:
		if v := in.vars[in.object(x)]; v != nil {
			return v.narrow
		}
	case *ast.CallExpr:
		switch {
		case in.isBuiltin(x.Fun, "min"), in.isBuiltin(x.Fun, "max"):
			for _, a := range x.Args {
				if r, ok := in.rangeOf(a); in.width(a) == "" || !ok || r.lo < 0 || !in.stable(a) {
					return ""
				}
			}
			return "uint"
		case in.isBuiltin(x.Fun, "len"):
			if _, ok := in.under(x.Args[0]).(*types.Slice); ok && in.stable(x) {
				return "uint"
			}
		case in.pkg.info.Types[x.Fun].IsType() && len(x.Args) == 1 && in.keepsValue(x):
			return in.width(x.Args[0])
		}
	case *ast.BinaryExpr:
		a, b := in.width(x.X), in.width(x.Y)
		if a == "" || b == "" || !known || !in.stable(x.X) || !in.stable(x.Y) {
			return ""
		}
		ra, _ := in.rangeOf(x.X)
		rb, _ := in.rangeOf(x.Y)
		positive := ra.lo >= 0 && rb.lo >= 0
		signed := fits32(ra, "int") && fits32(rb, "int") && fits32(r, "int")
		switch x.Op {
		case token.ADD, token.SUB, token.MUL:
			switch {
			case a == "int" && b == "int" && signed:
				return "int"
			case fits32(r, "uint"): // the 32 bits of the result are all that it has
				return "uint"
			case signed:
				return "int"
			}
		case token.QUO, token.REM:
			if positive && rb.lo >= 1 {
				return or32(a, b)
			}
		case token.AND:
			if positive {
				return or32(a, b)
			}
		case token.SHR:
			if positive && rb.hi < 32 {
				return a
			}
		}
	}
	return ""
}

// or32 returns the type of an operation on numbers that are not negative.
func or32(a, b string) string {
	if a == "uint" || b == "uint" {
		return "uint"
	}
	return "int"
}

// keepsValue reports whether a conversion gives the number that it is given.
func (in *instance) keepsValue(x *ast.CallExpr) bool {
	b, ok := in.under(x).(*types.Basic)
	r, known := in.rangeOf(x.Args[0])
	if !ok || !known || b.Info()&types.IsInteger == 0 {
		return false
	}
	whole, _ := typeRange(b)
	return r.within(whole)
}

// narrow returns an expression that has a width as that.
func (in *instance) narrow(x ast.Expr) val {
	x = ast.Unparen(x)
	t := in.typeOf(x)
	if in.pkg.info.Types[x].Value != nil || !in.isWide(t) {
		return in.value(x, types.Default(t))
	}
	switch x := x.(type) {
	case *ast.Ident:
		return val{in.vars[in.object(x)].name, primary}
	case *ast.CallExpr:
		switch {
		case in.isBuiltin(x.Fun, "len"):
			return val{in.length(x.Args[0]), primary}
		case in.pkg.info.Types[x.Fun].IsType():
			return in.narrow(x.Args[0])
		}
		text := "" // the least or the greatest
		for i, a := range x.Args {
			v := in.narrow(a).s
			if in.width(a) != "uint" {
				v = "uint(" + v + ")"
			}
			if i > 0 {
				v = "metal::" + in.code(x.Fun) + "(" + text + ", " + v + ")"
			}
			text = v
		}
		return val{text, primary}
	case *ast.BinaryExpr:
		to := in.width(x)
		if x.Op == token.SHR {
			return operation(">>", in.narrow(x.X), in.narrow(x.Y))
		}
		a, b := in.narrowAs(x.X, to), in.narrowAs(x.Y, to)
		if to == "uint" && in.width(x.X) == "int" && in.width(x.Y) == "int" { // both as they are would make an int
			a = val{"uint(" + a.s + ")", primary}
		}
		return operation(x.Op.String(), a, b)
	}
	panic("an expression without a width")
}

// shortest returns an expression and its type in the text: an integer of 64 bits in 32 if it can
// be written so.
func (in *instance) shortest(x ast.Expr) (v val, typ string) {
	t := types.Default(in.typeOf(x))
	if w := in.width(x); w != "" && in.isWide(in.typeOf(x)) {
		return in.narrow(x), w
	}
	return in.value(x, t), in.typ(x, t, "")
}

// declared declares a variable that begins with a value of a range, nil if that is not known, and
// returns its declaration.
func (in *instance) declared(n ast.Node, obj types.Object, s space, r *interval) string {
	v := in.declare(obj, s)
	if r != nil {
		v.narrow = in.narrowed(obj, *r)
	}
	if v.narrow != "" {
		return v.narrow + " " + v.name
	}
	return in.declaration(n, in.concrete(obj.Type()), s, v.name)
}

// narrowAs returns an expression that has a width as an operand of an operation in a type of 32
// bits: Metal itself converts an int beside a uint.
func (in *instance) narrowAs(x ast.Expr, to string) val {
	v := in.narrow(x)
	if to == "int" && in.width(x) == "uint" {
		return val{"int(" + v.s + ")", primary}
	}
	return v
}

// comparison returns the operands of a comparison of integers of 64 bits in 32, if that means the
// same.
func (in *instance) comparison(x, y ast.Expr) (a, b val, ok bool) {
	wx, wy := in.width(x), in.width(y)
	if wx == "" || wy == "" || !in.stable(x) || !in.stable(y) || !in.isWide(in.commonType(x, y)) {
		return a, b, false
	}
	rx, _ := in.rangeOf(x)
	ry, _ := in.rangeOf(y)
	switch {
	case wx == wy:
		return in.narrow(x), in.narrow(y), true
	case rx.lo >= 0 && ry.lo >= 0:
		return in.asUint(x, in.narrow(x), wx), in.asUint(y, in.narrow(y), wy), true
	case fits32(rx, "int") && fits32(ry, "int"):
		return in.narrowAs(x, "int"), in.narrowAs(y, "int"), true
	}
	return a, b, false
}

// asUint returns a number that is not negative as a uint.
func (in *instance) asUint(x ast.Expr, v val, width string) val {
	if width == "uint" || in.pkg.info.Types[x].Value != nil {
		return v
	}
	return val{"uint(" + v.s + ")", primary}
}

// assignedValue returns the value that is assigned to a variable or anything else.
func (in *instance) assignedValue(x, from ast.Expr) string {
	if id, ok := x.(*ast.Ident); ok && id.Name != "_" && in.width(from) != "" {
		typ := ""
		if obj := in.pkg.info.Defs[id]; obj != nil {
			r, _ := in.rangeOf(from)
			typ = in.narrowed(obj, r)
		} else if v := in.vars[in.object(id)]; v != nil {
			typ = v.narrow
		}
		if typ != "" {
			return in.narrow(from).s
		}
	}
	return in.value(from, in.targetType(x, from)).s
}
