package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// These nodes represent operands that are not values; none remains in a finished program.
type (
	// badExpr is the result of an erroneous expression.
	badExpr struct{ typed.Info }
	// typeOperand is a type where an expression is also allowed.
	typeOperand struct {
		typed.Info
		q Q
	}
	// overload is the set of functions denoted by a name.
	overload struct {
		typed.Info
		name  string
		fns   []*function
		lib   []*builtin.Instance
		spec  []*builtin.Func // resolved by name
		targs []ast.TemplateArg
		scope *scope     // where to resolve targs
		obj   typed.Expr // of a method: the object
		metal bool       // named as __metal_name
		adl   bool       // an unqualified name
	}
	// initList is a braced list, which has no type by itself.
	initList struct {
		typed.Info
		elems  []typed.Expr
		fields []string
		places []int // of elements with [i] =, else -1; nil if there are none
		node   ast.Node
		known  map[types.Type]conv // memo of classifyKnown: the conversion to each type tried
	}
)

func (c *checker) badExpr(n ast.Node) typed.Expr {
	if c.trap != nil {
		c.trap.failed++
	} else if c.unevaluated == 0 && !c.badAt.IsValid() {
		c.badAt = n.Pos()
	}
	return &badExpr{typed.Info{At: n.Pos(), Typ: c.bad}}
}

func rv(n ast.Node, t types.Type) typed.Info { return typed.Info{At: n.Pos(), Typ: t} }

func rvAt(pos diag.Pos, t types.Type) typed.Info { return typed.Info{At: pos, Typ: t} }

// lv describes an lvalue of a qualified type.
func lv(pos diag.Pos, q Q) typed.Info {
	return typed.Info{At: pos, Typ: q.Type, LValue: true, Const: q.Const, Volatile: q.Volatile,
		Space: q.Space.Or(types.Thread)}
}

// at makes a bare position usable as an ast.Node.
type at struct{ pos diag.Pos }

func (a at) Pos() diag.Pos { return a.pos }
func (a at) End() diag.Pos { return diag.NoPos }

// load reads an lvalue; an array decays to a pointer to its first element.
func (c *checker) load(e typed.Expr) typed.Expr {
	b := e.Base()
	if !b.LValue {
		return e
	}
	switch t := b.Typ.(type) {
	case *types.Array:
		q := qOf(e)
		q.Type = t.Elem
		return &typed.Convert{Info: rvAt(b.At, c.u.Pointer(q)), Kind: typed.ConvDecay, X: e}
	case *types.Func:
		if f, ok := e.(*typed.FuncAddr); ok {
			return &typed.FuncAddr{Info: rvAt(b.At, c.u.Pointer(Q{Type: t})), Func: f.Func}
		}
		return e
	}
	if v, ok := e.(*typed.VarRef); ok && v.Var.Value.IsValid() && b.Const {
		switch b.Typ.(type) {
		case *types.Basic, *types.Enum, *types.Vector:
			return c.konst(b.At, v.Var.Value)
		}
	}
	return c.readOf(b.At, e)
}

// object makes an expression an lvalue, materializing a temporary if needed.
func (c *checker) object(e typed.Expr) typed.Expr {
	if e.Base().LValue {
		return e
	}
	return c.temp(e, Q{Type: e.Type()})
}

// addr takes the address of an lvalue.
func (c *checker) addr(e typed.Expr) typed.Expr {
	if d, ok := e.(*typed.Deref); ok {
		return d.X
	}
	return &typed.AddrOf{Info: rvAt(e.Pos(), c.u.Pointer(qOf(e))), X: e}
}

// deref dereferences a pointer.
func (c *checker) deref(p typed.Expr) typed.Expr {
	t := p.Type().(*types.Pointer)
	if a, ok := p.(*typed.AddrOf); ok {
		return a.X
	}
	return c.slabs.derefs.put(typed.Deref{Info: lv(p.Pos(), t.Elem), X: p})
}

// varRef refers to a variable; a reference is dereferenced.
func (c *checker) varRef(v *variable, pos diag.Pos) typed.Expr {
	v.used = true
	if r, ok := v.q.Type.(*types.Reference); ok {
		ref := c.slabs.refs.put(typed.VarRef{Info: lv(pos, Q{Type: v.v.Type}), Var: v.v})
		return c.slabs.derefs.put(typed.Deref{Info: lv(pos, r.Elem), X: c.readOf(pos, ref)})
	}
	q := v.q
	q.Space = v.v.Space
	return c.slabs.refs.put(typed.VarRef{Info: lv(pos, q), Var: v.v})
}

// memberPath accesses a field of a struct through bases and anonymous members.
func (c *checker) memberPath(x typed.Expr, path []int, pos diag.Pos) typed.Expr {
	for _, i := range path {
		st := x.Type().(*types.Struct)
		f := &st.Fields[i]
		b := x.Base()
		q := f.Type
		info := typed.Info{At: pos, Typ: q.Type, LValue: b.LValue, Space: b.Space,
			Const: b.Const && !f.Mutable || q.Const, Volatile: b.Volatile || q.Volatile}
		if r, ok := q.Type.(*types.Reference); ok {
			m := &typed.Member{Info: info, X: x, Index: i}
			m.Typ = c.u.Pointer(r.Elem)
			return c.deref(c.load(m))
		}
		x = &typed.Member{Info: info, X: x, Index: i}
	}
	return x
}

// value checks that an expression is a value, and reads it.
func (c *checker) value(e typed.Expr) typed.Expr {
	switch e := e.(type) {
	case *badExpr:
		return e
	case *typeOperand:
		if !c.isBad(e.q.Type) {
			c.errorf(diag.TypeAsValue, at{e.At}, "unexpected type name '%s': expected expression", e.q)
		}
		return c.badExpr(at{e.At})
	case *overload:
		if f := c.soleFunction(e); f != nil && e.obj == nil && !c.inC() {
			return c.funcAddr(f, e.At)
		}
		c.errorf(diag.FunctionAsValue, at{e.At}, "function '%s' is not a value: expected expression", e.name)
		return c.badExpr(at{e.At})
	case *initList:
		c.errorf(diag.BraceAsValue, at{e.At}, "unexpected initializer list: expected expression")
		return c.badExpr(at{e.At})
	}
	return c.load(e)
}

func (c *checker) funcAddr(f *function, pos diag.Pos) typed.Expr {
	t := c.funcTypeOf(f)
	c.needBody(f)
	return &typed.FuncAddr{Info: rvAt(pos, c.u.Pointer(Q{Type: t})), Func: f.out}
}

func (c *checker) needBody(f *function) {
	if f.tmpl != nil && f.since > c.horizon {
		c.errorf(diag.LateSpecialization, f.decl, "explicit specialization of '%s' after its first use", f.name)
	}
	if c.unevaluated == 0 {
		c.use(f)
	}
}

// isZero reports whether e is the literal 0, which is a null pointer too.
func isZero(e typed.Expr) bool {
	k, ok := e.(*typed.Const)
	if !ok {
		return false
	}
	b, ok := k.Typ.(*types.Basic)
	return ok && (b.IsInteger() && k.Value.Bits() == 0 || b == types.Nullptr)
}
