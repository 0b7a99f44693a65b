package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// special resolves calls of library functions that take explicit template arguments or depend on
// more than types; ok is false if the ordinary rules apply.
func (c *checker) special(o *overload, args []typed.Expr, x ast.Node) (e typed.Expr, ok bool) {
	if name, is := strings.CutPrefix(o.name, "__"); is && len(o.fns) == 0 && len(o.lib) == 0 && len(o.spec) == 0 {
		var qs []Q
		for _, a := range args {
			t, isT := a.(*typeOperand)
			if !isT {
				return nil, false
			}
			qs = append(qs, t.q)
		}
		return c.trait(name, qs, x), true
	}
	if o.metal && len(o.lib) > 0 && len(args) > 1 {
		if c.resolve(o, args, x, true) == nil {
			short := *o
			short.metal = false
			return c.callOverload(&short, args[:len(args)-1], x), true
		}
		return nil, false
	}
	if len(o.spec) == 0 {
		return nil, false
	}
	if len(o.fns) > 0 {
		if m := c.resolve(o, args, x, true); m != nil {
			return nil, false
		}
	}
	f := o.spec[0]
	if c.refused(f, x) {
		return c.badExpr(x), true
	}
	for _, a := range args {
		if _, bad := a.(*badExpr); bad {
			return a, true
		}
	}
	var targs []arg
	c.in(o.scope, func() { targs = c.templateArgs(nil, o.targs) })
	var t Q
	if len(targs) > 0 && targs[0].kind == argType {
		t = targs[0].q
	}
	count := func(n int) bool {
		if len(args) != n {
			c.errorf(diag.ArgumentCount, x, "'%s' takes %d arguments, but %d given", o.name, n, len(args))
			return false
		}
		return true
	}
	call := func(res types.Type, list ...typed.Expr) typed.Expr {
		b := &typed.Builtin{Info: rv(x, res), Fn: f, Op: f.Op, Args: list}
		if t.Type != nil {
			b.TArgs = []types.Type{t.Type}
		}
		return b
	}
	switch o.name {
	case "as_type":
		return c.asType(t, args, x), true
	case "declval":
		if r, isRef := t.Type.(*types.Reference); isRef {
			return &typed.Zero{Info: lv(x.Pos(), r.Elem)}, true
		}
		return &typed.Zero{Info: rv(x, t.Type)}, true
	case "move", "forward", "make_uniform":
		if !count(1) {
			return c.badExpr(x), true
		}
		return args[0], true
	case "addressof":
		if !count(1) {
			return c.badExpr(x), true
		}
		if !args[0].Base().LValue {
			c.errorf(diag.NotAnLValue, x, "cannot take the address of an rvalue of type '%s'", args[0].Type())
			return c.badExpr(x), true
		}
		if !c.addressable(args[0], x) {
			return c.badExpr(x), true
		}
		return c.addr(args[0]), true
	case "is_uniform":
		return c.konst(x.Pos(), types.BoolValue(false)), true
	case "swap":
		if count(2) && c.modifiable(args[0], x) && c.modifiable(args[1], x) {
			return call(types.Void, c.addr(args[0]), c.addr(args[1])), true
		}
		return c.badExpr(x), true
	case "make_filled_simdgroup_matrix", "make_diagonal_simdgroup_matrix":
		b, _ := t.Type.(*types.Basic)
		for i := range targs {
			if n, _ := targs[i].val.Int(); i > 0 && (targs[i].kind != argValue || n != 8) || i > 2 {
				c.errorf(diag.BadLibraryType, x, "there is no 'simdgroup_matrix<%s>'", argString(targs))
				return c.badExpr(x), true
			}
		}
		if b == nil || !b.IsFloat() || !count(1) {
			c.errorf(diag.BadLibraryType, x, "'%s' requires an element type, rows and columns", o.name)
			return c.badExpr(x), true
		}
		return call(types.SimdgroupMatrixOf(b), c.load(c.implicit(args[0], Q{Type: b}, "parameter"))), true
	case "is_function_constant_defined":
		if count(1) {
			if v, isVar := args[0].(*typed.VarRef); isVar && v.Var.Kind == typed.FunctionConstant {
				return call(types.Bool, c.addr(v)), true
			}
			c.errorf(diag.NotFunctionConstant, x, "argument of '%s' must be a function constant", o.name)
		}
		return c.badExpr(x), true
	case "is_null_texture", "is_null_visible_function_table":
		if count(1) {
			return call(types.Bool, c.value(args[0])), true
		}
		return c.badExpr(x), true
	}
	if o.obj != nil {
		return c.specialMethod(o, f, args, x)
	}
	if f.Flags.Has(builtin.Logging) {
		var list []typed.Expr
		for _, a := range args {
			list = append(list, c.value(a))
		}
		return call(types.Void, list...), true
	}
	c.errorf(diag.UnsupportedBuiltin, x, "not supported: function '%s'", o.name)
	return c.badExpr(x), true
}

func (c *checker) specialMethod(o *overload, f *builtin.Func, args []typed.Expr, x ast.Node) (typed.Expr, bool) {
	s, _ := o.obj.Type().(*types.Struct)
	if s != nil && (s.Template == "metal::array" || s.Template == "metal::array_ref") {
		zero := c.konst(x.Pos(), types.IntValue(types.Int, 0))
		switch o.name {
		case "at":
			if len(args) == 1 {
				return c.libIndex(o.obj, args[0], x), true
			}
		case "front":
			return c.libIndex(o.obj, zero, x), true
		case "back":
			if n, ok := s.Args[len(s.Args)-1].Value.Int(); ok && n > 0 {
				return c.libIndex(o.obj, c.konst(x.Pos(), types.IntValue(types.Int, n-1)), x), true
			}
		case "fill":
			if len(args) == 1 {
				v := c.load(c.implicit(args[0], Q{Type: s.Args[0].Type.Type}, "parameter"))
				if c.isBad(v.Type()) || !c.modifiable(o.obj, x) {
					return c.badExpr(x), true
				}
				return &typed.Builtin{Info: rv(x, types.Void), Fn: f, Op: f.Op, Args: []typed.Expr{c.addr(o.obj), v}}, true
			}
		case "data", "begin":
			return c.load(c.memberPath(o.obj, []int{0}, x.Pos())), true
		case "end":
			if n, ok := s.Args[len(s.Args)-1].Value.Int(); ok {
				p := c.load(c.memberPath(o.obj, []int{0}, x.Pos()))
				return c.ptrAdd(p, c.konst(x.Pos(), types.IntValue(types.Long, n)), false, x), true
			}
		}
	}
	if f.Flags.Has(builtin.Logging) {
		list := []typed.Expr{c.load(o.obj)}
		for _, a := range args {
			list = append(list, c.value(a))
		}
		if !c.anyBad(list...) {
			c.logArgs(o.name, list[1:], x)
		}
		return &typed.Builtin{Info: rv(x, types.Void), Fn: f, Op: f.Op, Args: list}, true
	}
	c.errorf(diag.UnsupportedBuiltin, x, "not supported: method '%s' of '%s'", o.name, o.obj.Type())
	return c.badExpr(x), true
}

func (c *checker) asType(t Q, args []typed.Expr, x ast.Node) typed.Expr {
	if t.Type == nil {
		c.errorf(diag.AsType, x, "as_type requires a type argument")
		return c.badExpr(x)
	}
	if len(args) != 1 {
		c.errorf(diag.ArgumentCount, x, "'as_type' takes 1 argument, but %d given", len(args))
		return c.badExpr(x)
	}
	v := c.value(args[0])
	if c.isBad(v.Type()) {
		return v
	}
	if p, ok := v.Type().(*types.Packed); ok {
		v = c.operand(v, p.Unpacked())
	}
	if v.Type() == t.Type {
		return v
	}
	if !types.CanReinterpret(v.Type(), t.Type) {
		c.errorf(diag.AsType, x, "as_type from '%s' to '%s', which differ in size or have no bits to take", v.Type(), t)
		return c.badExpr(x)
	}
	if k, ok := v.(*typed.Const); ok {
		a, ok1 := v.Type().(*types.Basic)
		b, ok2 := t.Type.(*types.Basic)
		if ok1 && ok2 && a.Size() == b.Size() {
			return c.konst(x.Pos(), types.BitsValue(b, k.Value.Bits()))
		}
	}
	return &typed.Convert{Info: rv(x, t.Type), Kind: typed.ConvReinterpret, X: v}
}
