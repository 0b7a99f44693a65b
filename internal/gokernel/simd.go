package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"math"
	"strings"

	"github.com/puremetal/puremetal/simd"
)

// smallType returns Metal's name of simd.Half or simd.BFloat16. Go's values are their bits.
func smallType(t types.Type) (string, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != simdPath {
		return "", false
	}
	switch n.Obj().Name() {
	case "Half":
		return "half", true
	case "BFloat16":
		return "bfloat", true
	}
	return "", false
}

// noBits refuses a Half or BFloat16 where Go would compute with its bits.
func (in *instance) noBits(n ast.Node, t types.Type) {
	if _, ok := smallType(t); ok {
		in.refuse(n, "arithmetic on the bits of a %s; use Float32 and HalfOf or BFloat16Of for its value, or convert it "+
			"to uint16 for its bits", in.named(t))
	}
}

// smallConstant returns a constant whose bits are given.
func smallConstant(name string, v constant.Value) val {
	bits, _ := constant.Uint64Val(constant.ToInt(v))
	f, suffix := simd.Half(bits).Float32(), "h"
	if name == "bfloat" {
		f = simd.BFloat16(bits).Float32()
	}
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return val{fmt.Sprintf("as_type<%s>(ushort(0x%x))", name, bits), primary}
	}
	text := strings.TrimSuffix(floatText(float64(f)).s, "f")
	if name == "bfloat" {
		return val{"bfloat(" + text + "f)", primary}
	}
	if strings.HasPrefix(text, "-") {
		return val{text + suffix, unary}
	}
	return val{text + suffix, primary}
}

// bitsOf returns the bits of a Half, of a BFloat16, or of the components of a vector of them.
func bitsOf(name string, v val) val {
	if strings.HasPrefix(name, "packed_") {
		name = strings.TrimPrefix(name, "packed_")
		v = val{name + "(" + v.s + ")", primary}
	}
	return val{"as_type<ushort" + strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz") + ">(" + v.s + ")", primary}
}

// smallConversion returns a conversion from or to a Half or BFloat16, which keeps its bits.
func (in *instance) smallConversion(x *ast.CallExpr, to, from types.Type) (v val, ok bool) {
	source, isSource := smallType(from)
	target, isTarget := smallType(to)
	if !isSource && !isTarget {
		return val{}, false
	}
	v = in.expr(x.Args[0])
	if source == target {
		return v, true
	}
	if isSource {
		v = bitsOf(source, v)
	}
	name := in.typ(x, to, "")
	switch {
	case isTarget:
		if !isSource {
			v = val{"ushort(" + v.s + ")", primary}
		}
		v = val{"as_type<" + name + ">(" + v.s + ")", primary}
	case name != "ushort":
		v = val{name + "(" + v.s + ")", primary}
	}
	return v, true
}

// swizzle reports whether a method returns components of a vector.
func swizzle(name string) bool { return strings.Trim(name, "XYZW") == "" }

// simdCall returns a call of a function of package simd or of a method of its types.
func (in *instance) simdCall(x *ast.CallExpr, f *types.Func) val {
	sig := f.Type().(*types.Signature)
	name := f.Name()
	if sig.Recv() == nil {
		text := in.value(x.Args[0], types.Typ[types.Float32]).s
		switch name {
		case "HalfOf":
			return val{"half(" + text + ")", primary}
		case "BFloat16Of":
			return val{"bfloat(" + text + ")", primary}
		}
		in.refuse(x, "simd.%s: the translator does not know it", name)
	}
	sel, index, f := in.method(x.Fun, f)
	if name == "String" {
		in.refuse(x, "a string: kernels have only the formats of kernel.Printf; use numbers")
	}
	recv, t, args := in.methodCall(x, sel, index, f)
	if _, small := smallType(t); small { // Float32
		return val{"float(" + recv.s + ")", primary}
	}
	typ := in.typ(x, t, "")
	if swizzle(name) {
		return val{recv.in(primary) + "." + strings.ToLower(name), primary}
	}
	var arg val
	if len(args) > 0 {
		arg = args[0]
	}
	scalar := strings.TrimRight(typ, "234")
	integer := scalar != "float" && scalar != "half" && scalar != "bfloat"
	signed := integer && !strings.HasPrefix(scalar, "u")
	unsigned := "u" + typ // of the same size
	wrapped := func(sign string) val {
		if !signed {
			return operation(sign, recv, arg)
		}
		u := unsigned
		if name == "Scale" {
			u = "u" + scalar
		}
		v := operation(sign, val{unsigned + "(" + recv.s + ")", primary}, val{u + "(" + arg.s + ")", primary})
		return val{typ + "(" + v.s + ")", primary}
	}
	helper := func(f string, list ...string) val {
		name, _, _ := strings.Cut(f, "<")
		in.t.helpers[name] = true
		return val{"go::" + f + "(" + strings.Join(list, ", ") + ")", primary}
	}
	switch name {
	case "Add":
		return wrapped("+")
	case "Sub":
		return wrapped("-")
	case "Mul", "Scale":
		return wrapped("*")
	case "Div":
		if integer {
			if in.t.options.Checked {
				a, b := in.temp("value"), in.temp("divisor")
				in.line("const %s %s = %s, %s = %s;", typ, a, recv.s, b, arg.s)
				recv, arg = val{a, primary}, val{b, primary}
				in.fault(x, []string{"metal::all(" + arg.s + " != 0)"}, "integer divide by zero")
			}
			return helper("divide", recv.s, arg.s)
		}
		return operation("/", recv, arg)
	case "Min", "Max":
		if integer {
			return val{"metal::" + strings.ToLower(name) + "(" + recv.s + ", " + arg.s + ")", primary}
		}
		f := map[string]string{"Min": "lesser", "Max": "greater"}[name]
		if scalar == "float" {
			return helper(f, recv.s, arg.s)
		}
		wide := "float" + typ[len(scalar):]
		return val{typ + "(" + helper(f, wide+"("+recv.s+")", wide+"("+arg.s+")").s + ")", primary}
	case "Neg":
		if signed {
			return val{typ + "(-" + unsigned + "(" + recv.s + "))", primary}
		}
		return val{"-" + recv.in(primary), unary}
	case "Abs":
		switch {
		case signed:
			return helper("abs<"+typ+", "+unsigned+">", recv.s)
		case integer:
			return recv
		case scalar == "bfloat": // Metal has no functions of them
			return val{typ + "(metal::abs(float" + typ[len(scalar):] + "(" + recv.s + ")))", primary}
		}
		return val{"metal::abs(" + recv.s + ")", primary}
	case "Dot":
		if !integer || scalar == "uint" || scalar == "ulong" {
			return helper("dot", recv.s, arg.s)
		}
		u := unsignedOf(scalar) + typ[len(scalar):]
		return val{scalar + "(" + helper("dot", u+"("+recv.s+")", u+"("+arg.s+")").s + ")", primary}
	case "Length":
		return helper("length<"+scalar+">", recv.s)
	case "Normalize":
		return helper("normalize<"+scalar+">", recv.s)
	case "Cross":
		return helper("cross", recv.s, arg.s)
	}
	in.refuse(x, "simd: the translator does not know the method %s", name)
	return val{}
}

// methodCall returns the receiver of a method call and its type, and the arguments, evaluated in
// this order.
func (in *instance) methodCall(x *ast.CallExpr, sel *ast.SelectorExpr, index []int, f *types.Func) (
	recv val, t types.Type, args []val) {
	recv, t, _ = in.receiver(sel, index, f)
	statements := in.capture(func() { // no method has more than one argument
		for i, v := range in.paramTypes(f.Type().(*types.Signature)) {
			args = append(args, in.value(x.Args[i], v))
		}
	})
	recv = in.before(sel.X, recv, t, "", statements, x.Args)
	in.b.WriteString(statements)
	return recv, t, args
}
