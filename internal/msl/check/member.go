package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [expr.ref]: x.m is the member of an object, p->m is (*p).m after each operator-> that a class
// has. The result has the object's qualifiers and value category, unless the member is static or a
// reference.

func (c *checker) memberExpr(x *ast.MemberExpr) typed.Expr {
	e := c.expr(x.X)
	if c.isBad(e.Type()) {
		return e
	}
	switch e.(type) {
	case *typeOperand, *overload, *initList:
		return c.value(e)
	}
	if x.Arrow {
		for i := 0; i < 8; i++ {
			if _, ok := e.Type().(*types.Struct); !ok {
				break
			}
			u := c.operatorCall("operator->", x, e)
			if u == nil {
				break
			}
			e = u
		}
		v := c.value(e)
		if _, ok := v.Type().(*types.Pointer); !ok {
			c.errorf(diag.NotAPointer, x, "member reference type '%s' is not a pointer", v.Type())
			return c.badExpr(x)
		}
		e = c.deref(v)
	} else if _, ok := e.Type().(*types.Pointer); ok {
		c.errorf(diag.NotAStruct, x, "member reference type is a pointer; did you mean to use '->'?")
		return c.badExpr(x)
	}
	name := x.Name.Last()
	switch t := e.Type().(type) {
	case *types.Vector:
		return c.swizzle(e, t.Elem, t.Len, name, x)
	case *types.Packed:
		return c.swizzle(e, t.Elem, t.Len, name, x)
	case *types.Struct:
		if c.library != nil && c.wideLanes(t) > 0 {
			if m := c.wideMember(e, c.wideLanes(t), name.Ident, x); m != nil {
				return m
			}
		}
		if k := c.classes[t]; k != nil {
			return c.classMember(e, k, x)
		}
	}
	return c.libMember(e, name, x)
}

// halfName returns the component letters of half a vector, for vectors of two and four components.
func halfName(name string) (letters [2]string, ok bool) {
	switch name {
	case "lo":
		return [2]string{"x", "xy"}, true
	case "hi":
		return [2]string{"y", "zw"}, true
	case "even":
		return [2]string{"x", "xz"}, true
	case "odd":
		return [2]string{"y", "yw"}, true
	}
	return letters, false
}

// swizzle selects components by letters: x y z w or r g b a.
func (c *checker) swizzle(e typed.Expr, elem *types.Basic, n int, p *ast.NamePart, x ast.Node) typed.Expr {
	name := p.Ident
	if letters, ok := halfName(name); ok && n%2 == 0 {
		name = letters[n/2-1]
	} else if c.library != nil && c.vectorMasks() {
		switch {
		case n == 3 && name == "hi":
			return c.libraryCall("upper_half", x, e)
		case n == 3 && name == "odd":
			return c.libraryCall("odd_half", x, e)
		}
		name = numbered(name, n)
	}
	set := "xyzw"
	if name != "" && strings.IndexByte("rgba", name[0]) >= 0 {
		set = "rgba"
	}
	comps := make([]uint8, 0, 4)
	repeat := false
	for i := range len(name) {
		k := strings.IndexByte(set, name[i])
		if k < 0 {
			if strings.IndexByte("xyzwrgba", name[i]) >= 0 {
				c.errorf(diag.BadSwizzle, p, "swizzle '%s' mixes xyzw and rgba", name)
			} else {
				c.errorf(diag.NoMember, p, "no member named '%s' in '%s'", name, e.Type())
			}
			return c.badExpr(x)
		}
		if k >= n {
			c.errorf(diag.BadSwizzle, p, "vector component '%c' exceeds type '%s'", name[i], e.Type())
			return c.badExpr(x)
		}
		for _, o := range comps {
			repeat = repeat || int(o) == k
		}
		comps = append(comps, uint8(k))
	}
	if len(comps) == 0 || len(comps) > 4 {
		c.errorf(diag.BadSwizzle, p, "swizzle '%s' has %d components; 1 to 4 are allowed", name, len(comps))
		return c.badExpr(x)
	}
	b := *e.Base()
	b.At = p.Pos()
	b.Typ = types.ScalarOrVector(elem, len(comps))
	if repeat && b.LValue {
		e = c.load(e)
		b.LValue = false
	}
	return &typed.Swizzle{Info: b, X: e, Comps: comps}
}

// classMember resolves a member of a class of the program.
func (c *checker) classMember(e typed.Expr, k *class, x *ast.MemberExpr) typed.Expr {
	c.complete(k)
	if !k.st.IsComplete() && k.state != stateBusy {
		c.need(k.st, x)
		return c.badExpr(x)
	}
	n := x.Name
	start := k
	if len(n.Parts) > 1 {
		s, ok := c.qualifier(n)
		if !ok {
			return c.badExpr(x)
		}
		if s.class != nil {
			start = s.class
			e = c.toBase(e, start.st)
		}
	}
	p := n.Last()
	name := p.Ident
	if p.Kind == ast.PartOperator {
		name = opName(p.Op)
	} else if p.Kind == ast.PartConversion {
		q := c.typ(p.Type)
		o := &overload{Info: rv(x, types.Void), name: "operator " + q.String(), scope: c.sc, obj: c.object(e)}
		for _, f := range c.allConvs(start) {
			if !f.isTemplate() && c.signature(f) && f.result.Type == q.Type {
				o.fns = append(o.fns, f)
			}
		}
		return o
	}
	if p.Kind == ast.PartDestructor {
		c.errorf(diag.UnsupportedType, p, "not supported: a destructor in an expression")
		return c.badExpr(x)
	}
	y := c.lookupMember(start, name)
	if y.empty() && start.badBase {
		return c.badExpr(x)
	}
	if y.empty() {
		c.errorf(diag.NoMember, p, "no member named '%s' in '%s'%s", name, k.st, c.suggestMember(start, name))
		return c.badExpr(x)
	}
	if _, ok := y.val.(field); ok {
		if !c.fieldAccess(start, name, p) {
			return c.badExpr(x)
		}
		path, amb := start.st.Path(name)
		if amb {
			c.errorf(diag.AmbiguousMember, p, "member '%s' found in multiple base classes of '%s'", name, k.st)
			return c.badExpr(x)
		}
		if path == nil {
			return c.badExpr(x)
		}
		return c.memberPath(e, path, p.Pos())
	}
	if len(y.fns) > 0 {
		o := &overload{Info: rv(x, types.Void), name: name, fns: y.fns, scope: c.sc, obj: c.object(e)}
		if p.HasArgs {
			if !c.knownArgs(y.fns, p.Args) {
				return c.badExpr(x)
			}
			o.targs = p.Args
		}
		return o
	}
	return c.symExpr(x, y, p, start.sc)
}

func (c *checker) suggestMember(k *class, name string) string {
	s := *k.sc
	s.parent = nil
	return c.suggest(&s, name, "", false)
}
