package check

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// lookupLib adds the library's declarations of a name to those of the program in its namespace.
func (c *checker) lookupLib(s *scope, name string, y *sym) *sym {
	if y == nil || len(y.lib) == 0 {
		if len(builtin.LookupIn(s.lib, name)) > 0 {
			y = s.sym(name)
			y.lib = []string{s.lib}
		}
	}
	if s != c.metal || y != nil && (y.typ != nil || y.val != nil) || c.inPrelude && strings.HasPrefix(name, "__") {
		return y
	}
	if c.absent[name] {
		return y
	}
	set := func() *sym { return s.sym(name) }
	if e, i := builtin.LookupEnumerator(name); e != nil {
		z := set()
		z.val = &constant{value: c.lib.Enum(e).Values[i].Value}
		return z
	}
	if strings.HasPrefix(name, "memory_coherence_") {
		if v, ok := c.lib.Enum(builtin.LookupEnum("memory_coherence")).Lookup(name); ok {
			z := set()
			z.val = &constant{value: v}
			return z
		}
	}
	if t := c.libTmpl(name); t != nil {
		z := set()
		z.typ = t
		return z
	}
	if t := c.lib.Type(name); t != nil {
		z := set()
		z.typ = &typeName{q: Q{Type: t}}
		return z
	}
	c.absent[name] = true
	return y
}

// lookupGlobal finds library names declared outside namespaces: a few functions, and types that are
// keywords in other languages.
func (c *checker) lookupGlobal(name string) *sym {
	if t, ok := types.Named(name); ok {
		named := &typeName{q: Q{Type: t}}
		if c.library != nil && c.library.Has(name) { // the program's name is another type
			return &sym{typ: named}
		}
		y := c.global.sym(name)
		y.typ = named
		return y
	}
	if len(builtin.LookupIn("", name)) > 0 {
		y := c.global.sym(name)
		y.lib = []string{""}
		return y
	}
	return c.hostStruct(name)
}

// libTmpl returns a library class template that the checker implements by name.
func (c *checker) libTmpl(name string) *classTmpl {
	if t := c.libTmpls[name]; t != nil {
		return t
	}
	k := builtin.LookupClass(name)
	if k == nil || k.Kind != builtin.TemplateClass {
		if _, form := builtin.LookupTrait(name); form != builtin.TraitTypeForm {
			return nil
		}
	}
	t := &classTmpl{name: name, lib: name, scope: c.metal}
	c.libTmpls[name] = t
	return t
}

// specialName resolves names that have no declaration: constants of Metal's headers and the
// prelude's own hooks.
func (c *checker) specialName(x ast.Node, name string, p *ast.NamePart) typed.Expr {
	if k := builtin.LookupConst(name); k != nil {
		if t, ok := c.lib.Type(k.Type).(*types.Opaque); ok { // an object
			return &typed.Zero{Info: lv(x.Pos(), Q{Type: t, Const: true, Space: types.Constant})}
		}
		return c.konst(x.Pos(), k.Value())
	}
	if t, ok := types.Named(name); ok && !p.HasArgs {
		return &typeOperand{rv(x, types.Void), Q{Type: t}}
	}
	for _, prefix := range []string{"__trait_", "__limit_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && p.HasArgs {
			var qs []Q
			for _, a := range c.templateArgs([]ast.TemplateParam{{Kind: ast.TypeParam, Pack: true}}, p.Args) {
				if a.kind != argType {
					return c.badExpr(x)
				}
				qs = append(qs, a.q)
			}
			if prefix == "__trait_" {
				return c.trait(rest, qs, x)
			}
			if len(qs) == 1 {
				if b, ok := qs[0].Type.(*types.Basic); ok {
					if v, _, ok := builtin.Limit(b, rest); ok {
						return c.konst(x.Pos(), v)
					}
				}
				// As for every type for which numeric_limits is not specialized.
				switch {
				case slices.Contains(limitBools, rest):
					return c.konst(x.Pos(), types.BoolValue(false))
				case slices.Contains(limitInts, rest):
					return c.konst(x.Pos(), types.IntValue(types.Int, 0))
				}
				return c.valueInit(Q{Type: qs[0].Type}, x)
			}
			return c.badExpr(x)
		}
	}
	if rest, ok := strings.CutPrefix(name, "__metal_"); ok {
		// These are called by Apple's own headers. A mode passed after the arguments of a math
		// function is ignored.
		o := &overload{Info: rv(x, types.Void), name: rest, scope: c.sc, metal: true}
		switch rest {
		case "get_thread_index_in_simdgroup", "get_simdgroup_size":
			o.name = name
			return o
		}
		for _, n := range []string{rest, strings.TrimPrefix(rest, "f")} {
			if c.addLib(o, "metal"); len(o.lib) > 0 {
				return o
			}
			o.name = n
		}
		if c.addLib(o, "metal"); len(o.lib) > 0 {
			return o
		}
		c.errorf(diag.UnsupportedBuiltin, x, "not supported: function '%s'", name)
		return c.badExpr(x)
	}
	if name == "__METAL_MAYBE_FAST_MATH__" || name == "__METAL_FAST_MATH__" {
		return c.konst(x.Pos(), types.BoolValue(true))
	}
	if strings.HasPrefix(name, "__is_") || name == "__has_trivial_copy" {
		return &overload{Info: rv(x, types.Void), name: name, scope: c.sc}
	}
	return nil
}

// trait evaluates a type trait.
func (c *checker) trait(name string, qs []Q, x ast.Node) typed.Expr {
	for _, q := range qs {
		if c.isBad(q.Type) {
			return c.badExpr(x)
		}
		if s, ok := q.Type.(*types.Struct); ok && c.classes[s] != nil {
			c.complete(c.classes[s])
		}
	}
	b := func(v bool) typed.Expr { return c.konst(x.Pos(), types.BoolValue(v)) }
	operand := func(q Q) typed.Expr {
		if r, ok := q.Type.(*types.Reference); ok {
			return &typed.Zero{Info: lv(x.Pos(), r.Elem)}
		}
		return &typed.Zero{Info: rv(x, q.Type)}
	}
	switch {
	case name == "is_convertible" && len(qs) == 2:
		if qs[1].Type == types.Type(types.Void) || qs[0].Type == types.Type(types.Void) {
			return b(qs[0].Type == qs[1].Type)
		}
		return b(c.classify(operand(qs[0]), qs[1]).ok)
	case name == "is_constructible" && len(qs) > 0:
		var args []typed.Expr
		for _, q := range qs[1:] {
			args = append(args, operand(q))
		}
		return b(c.try(func() { c.constructType(qs[0], args, x, false) }))
	case name == "is_default_constructible" && len(qs) == 1:
		return b(c.try(func() { c.constructType(qs[0], nil, x, false) }))
	case name == "is_copy_constructible":
		return b(true)
	case name == "is_assignable" && len(qs) == 2:
		return b(c.classify(operand(qs[1]), Q{Type: operand(qs[0]).Type()}).ok)
	case name == "is_invocable" && len(qs) > 0:
		var args []typed.Expr
		for _, q := range qs[1:] {
			args = append(args, operand(q))
		}
		ok := false
		if s, isS := qs[0].Type.(*types.Struct); isS && c.classes[s] != nil {
			if y := c.lookupMember(c.classes[s], "operator()"); y != nil {
				o := &overload{name: "operator()", fns: y.fns, scope: c.sc, obj: c.object(operand(qs[0]))}
				ok = c.resolve(o, args, x, true) != nil
			}
		}
		return b(ok)
	}
	if v, ok := builtin.TraitValue(name, qs...); ok {
		return c.konst(x.Pos(), v)
	}
	c.errorf(diag.UnsupportedBuiltin, x, "not supported: type trait '%s'", name)
	return c.badExpr(x)
}

// addLib adds the overloads of a library function to a set.
func (c *checker) addLib(o *overload, ns string) {
	for _, f := range builtin.LookupIn(ns, o.name) {
		if f.Flags.Has(builtin.Special) {
			o.spec = append(o.spec, f)
			continue
		}
		o.lib = append(o.lib, c.lib.Instances(f)...)
	}
}

// libTemplate returns an instance of a library class template.
func (c *checker) libTemplate(t *classTmpl, args []arg, n ast.Node) (Q, bool) {
	bad := func(format string, a ...any) (Q, bool) {
		c.errorf(diag.BadLibraryType, n, format, a...)
		return c.badQ(), false
	}
	args = unpacked(args)
	if k, form := builtin.LookupTrait(t.lib); form == builtin.TraitTypeForm && len(args) > 0 && args[0].kind == argType {
		size := 0
		if len(args) > 1 && args[1].kind == argValue {
			v, _ := args[1].val.Int()
			size = int(v)
		}
		if q, ok := builtin.TraitType(c.u, k.Name, args[0].q, size); ok {
			return q, true
		}
		return bad("there is no '%s<%s>'", t.lib, argString(args))
	}
	if k := builtin.LookupClass(t.lib); k != nil {
		if k.Unsupported {
			c.errorf(diag.UnsupportedType, n, "not supported: type '%s'", t.lib)
			return c.badQ(), false
		}
		if !c.needs(n, t.lib, k.Since) {
			return c.badQ(), false
		}
	}
	if len(args) == 0 || args[0].kind != argType {
		return bad("template '%s' requires a type argument", t.lib)
	}
	if most := libArity(t.lib); len(args) > most {
		c.errorf(diag.TooManyTemplateArgs, n,
			"too many template arguments for '%s': it takes at most %s, but %d given", t.lib,
			number(most, "argument"), len(args))
		return c.badQ(), false
	}
	elem, _ := args[0].q.Type.(*types.Basic)
	num := func(i int) int {
		if i < len(args) && args[i].kind == argValue {
			v, _ := args[i].val.Int()
			return int(v)
		}
		return -1
	}
	var r types.Type
	switch t.lib {
	case "vec", "packed_vec":
		if elem == nil || elem == types.Void {
			return bad("'%s' cannot have elements of type '%s'", t.lib, args[0].q)
		}
		if num(1) == 1 && t.lib == "vec" {
			r = elem // a single component is the scalar
		}
		if n8 := num(1); n8 == 8 || n8 == 16 { // from the tensor library
			c.errorf(diag.UnsupportedType, n, "not supported: vectors of %d components", n8)
			return c.badQ(), false
		}
		if v := types.VectorOf(elem, num(1)); v != nil {
			r = v
			if t.lib == "packed_vec" {
				r = types.PackedOf(elem, num(1))
			}
		}
	case "matrix":
		if elem != nil && elem.IsFloat() {
			if m := types.MatrixOf(elem, num(1), num(2)); m != nil {
				r = m
			}
		}
	case "simdgroup_matrix":
		if elem != nil && elem.IsFloat() && num(1) == 8 && num(2) == 8 {
			r = types.SimdgroupMatrixOf(elem)
		} else if elem == types.Bool {
			r = c.u.Opaque(t.lib, types.TemplateArg{Type: args[0].q}) // may be named only
		}
	case "atomic":
		if elem != nil {
			switch elem {
			case types.Int, types.UInt, types.Bool, types.Float, types.ULong:
				r = types.AtomicOf(elem)
			}
		}
	case "array":
		if k := num(1); k >= 0 && c.need(args[0].q.Type, n) {
			r = c.u.MetalArray(args[0].q, k)
		}
	case "array_ref":
		r = c.u.MetalArrayRef(args[0].q)
	case "uniform":
		return args[0].q, true
	case "function_handle":
		r = c.u.Pointer(args[0].q)
	case "visible_function_table":
		r = c.u.Opaque(t.lib, types.TemplateArg{Type: args[0].q})
	default:
		if k, ok := types.TextureKindOf(t.lib); ok {
			if elem == nil || !k.TextureElem(elem) {
				return bad("'%s' cannot have texels of type '%s'", t.lib, args[0].q)
			}
			for i, what := range []string{1: "access", 2: "memory_coherence"} {
				if i == 0 || i >= len(args) {
					continue
				}
				if e, ok := args[i].val.Type.(*types.Enum); args[i].kind != argValue || !ok ||
					e != c.lib.Enum(builtin.LookupEnum(what)) {
					c.errorf(diag.TemplateArgType, n, "argument %d of '%s' must be of the enum '%s'", i+1, t.lib, what)
					return c.badQ(), false
				}
			}
			access := k.DefaultAccess()
			if n := num(1); n >= 0 {
				if access = types.Access(n); !k.Allows(access) {
					return bad("'%s' does not support access::%s", t.lib, access)
				}
			}
			r = c.u.Texture(k, elem, access, num(2) == 1)
		}
	}
	if r == nil {
		return bad("there is no '%s<%s>'", t.lib, argString(args))
	}
	return Q{Type: r}, true
}

// libArity returns the maximum number of arguments of a library class template.
func libArity(name string) int {
	switch name {
	case "atomic", "array_ref", "uniform", "visible_function_table", "function_handle":
		return 1
	case "vec", "packed_vec", "array":
		return 2
	}
	return 3
}

// libInstance decomposes a library type into its template and arguments.
func (c *checker) libInstance(t types.Type) (*classTmpl, []arg) {
	typ := func(t types.Type) arg { return arg{kind: argType, q: Q{Type: t}} }
	num := func(n int) arg { return arg{kind: argValue, val: types.IntValue(types.Int, int64(n))} }
	switch t := t.(type) {
	case *types.Vector:
		return c.libTmpl("vec"), []arg{typ(t.Elem), num(t.Len)}
	case *types.Packed:
		return c.libTmpl("packed_vec"), []arg{typ(t.Elem), num(t.Len)}
	case *types.Matrix:
		return c.libTmpl("matrix"), []arg{typ(t.Elem), num(t.Cols), num(t.Rows)}
	case *types.SimdgroupMatrix:
		return c.libTmpl("simdgroup_matrix"), []arg{typ(t.Elem), num(t.Cols), num(t.Rows)}
	case *types.Atomic:
		return c.libTmpl("atomic"), []arg{typ(t.Elem)}
	case *types.Texture:
		a := arg{kind: argValue, val: types.EnumValue(c.lib.Enum(builtin.LookupEnum("access")), int64(t.Access))}
		return c.libTmpl(t.Kind.String()), []arg{typ(t.Elem), a}
	case *types.Struct:
		if strings.HasPrefix(t.Template, "metal::") && c.classes[t] == nil {
			var args []arg
			for _, a := range t.Args {
				if a.Type.Type != nil {
					args = append(args, arg{kind: argType, q: a.Type})
				} else {
					args = append(args, arg{kind: argValue, val: a.Value})
				}
			}
			return c.libTmpl(strings.TrimPrefix(t.Template, "metal::")), args
		}
	case *types.Opaque:
		if len(t.Args) > 0 {
			return c.libTmpl(t.Name), []arg{{kind: argType, q: t.Args[0].Type}}
		}
	}
	return nil, nil
}

// libObject passes the object of a library method: handles by value, others by address.
func (c *checker) libObject(e typed.Expr) typed.Expr {
	switch e.Type().(type) {
	case *types.Texture, *types.Opaque:
		return c.load(e)
	}
	return c.addr(c.object(e))
}

// libMember resolves a member of a library type.
func (c *checker) libMember(e typed.Expr, p *ast.NamePart, x ast.Node) typed.Expr {
	if s, ok := e.Type().(*types.Struct); ok {
		if path, _ := s.Path(p.Ident); path != nil && c.classes[s] == nil {
			return c.memberPath(e, path, p.Pos())
		}
	}
	if _, ok := e.Type().(*types.Matrix); ok && p.Ident == "columns" {
		return e // an array of columns: equivalent to indexing the matrix
	}
	class := builtin.ClassOf(e.Type())
	fns := builtin.LookupMember(class, p.Ident)
	if class == "" || len(fns) == 0 {
		if v := c.value(e); !c.isBad(v.Type()) {
			c.errorf(diag.NoMember, p, "no member named '%s' in '%s'", p.Ident, e.Type())
		}
		return c.badExpr(x)
	}
	o := &overload{Info: rv(x, types.Void), name: p.Ident, scope: c.sc, obj: e, lib: c.lib.Methods(e.Type(), p.Ident)}
	if t, ok := e.Type().(*types.Texture); ok {
		for _, f := range fns {
			if why := f.Refuses(t); why != "" {
				c.errorf(diag.TextureAccess, p, "'%s' does not apply to %s", p.Ident, why)
				return c.badExpr(x)
			}
		}
	}
	for _, f := range fns {
		if f.Flags.Has(builtin.Special) {
			o.spec = append(o.spec, f)
		}
	}
	return o
}

// libIndex handles [] on metal::array and the like; it returns nil for other types.
func (c *checker) libIndex(a, i typed.Expr, x ast.Node) typed.Expr {
	s, ok := a.Type().(*types.Struct)
	if ok && c.classes[s] == nil && (s.Template == "metal::array" || s.Template == "metal::array_ref") {
		e := c.memberPath(a, []int{0}, a.Pos())
		iv := c.value(i)
		b, isInt := types.Promote(iv.Type()).(*types.Basic)
		if !isInt || !b.IsInteger() {
			c.errorf(diag.BadIndex, x, "array subscript must be an integer, not '%s'", iv.Type())
			return c.badExpr(x)
		}
		iv = c.operand(iv, b)
		if t, ok := e.Type().(*types.Array); ok {
			in := *e.Base()
			in.At, in.Typ = x.Pos(), t.Elem
			return &typed.Index{Info: in, X: e, Index: iv}
		}
		return c.deref(c.ptrAdd(c.load(e), iv, false, x))
	}
	if o, ok := a.Type().(*types.Opaque); ok && o.Name == "visible_function_table" {
		t := c.u.Pointer(o.Args[0].Type)
		return &typed.Builtin{Info: rv(x, t), Fn: &builtin.Func{Name: "visible_function_table[]"},
			Args: []typed.Expr{c.load(a), c.operand(c.value(i), types.UInt)}}
	}
	return nil
}

// libOperator applies an operator to library types; it returns nil for others.
func (c *checker) libOperator(op types.Op, a, b typed.Expr, n ast.Node) typed.Expr {
	if e, ok := a.Type().(*types.Enum); ok && a.Type() == b.Type() &&
		(op == types.Or || op == types.And || op == types.Xor) {
		if d := builtin.LookupEnum(e.Name); d != nil && d.Flags && c.lib.Enum(d) == e {
			x, y := c.value(a), c.value(b)
			if k, ok := x.(*typed.Const); ok {
				if l, ok := y.(*typed.Const); ok {
					p, _ := k.Value.Int()
					q, _ := l.Value.Int()
					switch op {
					case types.Or:
						p |= q
					case types.And:
						p &= q
					default:
						p ^= q
					}
					return c.konst(n.Pos(), types.EnumValue(e, p))
				}
			}
			u := e.Underlying
			conv := func(x typed.Expr, t types.Type) typed.Expr {
				return &typed.Convert{Info: rvAt(x.Pos(), t), Kind: typed.ConvArith, X: x}
			}
			return conv(&typed.Binary{Info: rvAt(n.Pos(), u), Op: op, X: conv(x, u), Y: conv(y, u)}, e)
		}
	}
	if m, ok := a.Type().(*types.SimdgroupMatrix); ok && a.Type() == b.Type() &&
		(op == types.Add || op == types.Sub || op == types.Mul) {
		return &typed.Binary{Info: rvAt(n.Pos(), m), Op: op, X: c.load(a), Y: c.load(b)}
	}
	return nil
}

// libUnwrap returns what a library wrapper converts to explicitly.
func (c *checker) libUnwrap(e typed.Expr, s *types.Struct) typed.Expr {
	if s.Name == "simd_vote" || s.Name == "quad_vote" {
		return c.memberPath(e, []int{0}, e.Pos())
	}
	return e
}

// libConstruct creates an object of a library type; it returns nil for other types.
func (c *checker) libConstruct(q Q, args []typed.Expr, n ast.Node) typed.Expr {
	switch t := q.Type.(type) {
	case *types.Opaque:
		if t.Name == "sampler" || t.Name == "os_log" {
			if len(args) == 1 && args[0].Type() == types.Type(t) {
				return c.load(args[0])
			}
			fns := builtin.LookupMember(t.Name, t.Name)
			if len(fns) == 0 {
				return nil
			}
			b := &typed.Builtin{Info: rv(n, t), Fn: fns[0], Op: fns[0].Op}
			for _, a := range args {
				v := c.value(a)
				if c.isBad(v.Type()) {
					return v
				}
				_, enum := v.Type().(*types.Enum)
				_, opt := v.Type().(*types.Struct)
				if t.Name == "sampler" && !enum && !opt {
					c.errorf(diag.BadInit, n, "cannot initialize a sampler with '%s'", v.Type())
					return c.badExpr(n)
				}
				b.Args = append(b.Args, v)
			}
			return b
		}
		if fns := builtin.LookupMember(t.Name, t.Name); len(args) > 1 && len(fns) > 0 {
			o := &overload{Info: rv(n, types.Void), name: t.Name, scope: c.sc}
			for _, f := range fns {
				o.lib = append(o.lib, c.lib.Instances(f)...)
			}
			return c.callOverload(o, args, n)
		}
	case *types.SimdgroupMatrix:
		if len(args) == 1 && args[0].Type() != types.Type(t) {
			v := c.load(c.implicit(args[0], Q{Type: t.Elem}, "initializer"))
			if c.isBad(v.Type()) {
				return v
			}
			return &typed.Convert{Info: rv(n, t), Kind: typed.ConvSimdFill, X: v}
		}
	case *types.Struct:
		if c.classes[t] != nil {
			return nil
		}
		if len(args) == 1 && args[0].Type() == types.Type(t) {
			return nil
		}
		if len(args) == 0 {
			return &typed.Zero{Info: rv(n, t)}
		}
		return c.aggregate(&initList{Info: rv(n, t), elems: args, node: n}, t, nil, n)
	}
	return nil
}
