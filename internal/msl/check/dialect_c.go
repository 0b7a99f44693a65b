package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// conversionInC is an implicit conversion that C has and C++ has not: between pointers into one
// address space, and from integers to enumerations.
func conversionInC(e typed.Expr, to types.Type) conv {
	from := e.Type()
	std := types.Explicit(from, to)
	switch t := to.(type) {
	case *types.Pointer:
		p, ok := from.(*types.Pointer)
		if !ok {
			return conv{}
		}
		if k, isConst := e.(*typed.Const); isConst && k.Value.Ref == nil && k.Value.Bits() == 0 {
			std = types.Conversion{Kind: types.NullToPointer}
		} else if !std.OK() || !types.SameSpace(p.Elem.Space, t.Elem.Space) || !alike(p.Elem.Type, t.Elem.Type) {
			return conv{}
		}
	case *types.Enum:
		switch types.Promote(from).(type) {
		case *types.Basic:
		default:
			return conv{}
		}
		if !std.OK() {
			return conv{}
		}
	default:
		return conv{}
	}
	std.Rank = types.Converted
	return conv{ok: true, std: std, rank: rankUser, inC: true}
}

// alike reports whether compilers convert between pointers to these types, at most with a warning:
// from and to void, where only qualifiers differ, and where only the sign does.
func alike(a, b types.Type) bool {
	if a == b || a == types.Type(types.Void) || b == types.Type(types.Void) {
		return true
	}
	x, ok := a.(*types.Basic)
	y, both := b.(*types.Basic)
	return ok && both && x.IsInteger() && x.ToUnsigned() == y.ToUnsigned()
}

// refusedName reports a name of the language that means nothing on Metal.
func (c *checker) refusedName(name string, n ast.Node) bool {
	why := c.opts.Dialect.Refused(name)
	if why != "" {
		code := diag.DialectFeature
		if strings.Contains(name, "double") {
			code = diag.DialectDouble
		}
		c.errorf(code, n, "'%s': %s", name, why)
	}
	return why != ""
}

// wideAtomic reports a call of an atomic function for 64 bits.
func (c *checker) wideAtomic(name string, args []typed.Expr, n ast.Node) bool {
	if !strings.HasPrefix(name, "atom") || len(args) == 0 {
		return false
	}
	p, ok := args[0].Type().(*types.Pointer)
	if !ok {
		return false
	}
	t := p.Elem.Type
	if a, ok := t.(*types.Atomic); ok {
		t = a.Elem
	}
	if b, ok := t.(*types.Basic); ok && b.Size() < 4 && c.infers() {
		c.errorf(diag.DialectFeature, n, "'%s' on %d bits: Metal's atomic operations have 32", name, 8*b.Size())
		return true
	}
	if t != types.Type(types.Long) && t != types.Type(types.ULong) {
		return false
	}
	c.errorf(diag.DialectWide, n, "'%s' on 64 bits: Metal's atomic operations have 32", name)
	return true
}
