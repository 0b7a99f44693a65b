package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// place lowers an expression to the object it denotes. A value becomes a new object.
func (l *lowerer) place(e typed.Expr) place {
	l.setLoc(e.Pos())
	switch e := e.(type) {
	case *typed.VarRef:
		p := l.varPlace(e.Var)
		p.volatile = p.volatile || e.Volatile
		return p
	case *typed.Zero:
		if e.LValue { // a library object without contents, such as os_log_default
			return place{typ: e.Typ, v: &variable{typ: e.Typ, val: l.zero(e.Typ)}}
		}
	case *typed.Deref:
		if a, ok := threadElements(e.X); ok {
			p := l.place(a.X)
			if p.addr == nil {
				p.matrix = p.typ
			}
			p.typ = e.Typ
			return p
		}
		v := l.expr(e.X)
		if v.arg != 0 {
			return place{typ: e.Typ, arg: v.arg}
		}
		if v.fn != nil {
			return place{typ: e.Typ, v: &variable{typ: e.Typ, val: val{typ: e.Typ, fn: v.fn}}}
		}
		return place{typ: e.Typ, addr: v.v, volatile: e.Volatile, aligned: alignedAs(e.Typ)}
	case *typed.Member:
		return l.member(l.place(e.X), e.X.Type(), e.Index)
	case *typed.Index:
		return l.element(l.place(e.X), e)
	case *typed.Swizzle:
		return l.swizzle(l.place(e.X), e.Comps, e.Typ)
	case *typed.Assign:
		return l.assign(e)
	case *typed.CompoundAssign:
		return l.compoundAssign(e)
	case *typed.IncDec:
		if !e.Post {
			l.incDec(e)
			return l.place(e.X)
		}
	case *typed.Comma:
		l.effect(e.X)
		return l.place(e.Y)
	case *typed.Temp:
		v := l.expr(e.X)
		if v.arg != 0 || v.fn != nil {
			return place{typ: e.Typ, arg: v.arg, v: &variable{typ: e.Typ, val: v}}
		}
		addr := l.alloca(e.Typ, "")
		l.storeAt(addr, v, false)
		return place{typ: e.Typ, addr: addr}
	case *typed.Cond:
		if e.LValue {
			return l.conditionalPlace(e)
		}
	}
	if e.Base().LValue {
		l.unsupported(e.Pos(), "this lvalue (%T)", e)
	}
	v := l.expr(e)
	if v.addr != nil {
		return place{typ: v.typ, addr: v.addr}
	}
	return place{typ: v.typ, arg: v.arg, v: &variable{typ: v.typ, val: v}}
}

// conditionalPlace returns the object that a choice between two objects denotes. If one of them has
// no address, the choice can only be read.
func (l *lowerer) conditionalPlace(e *typed.Cond) place {
	allSpec, someSpec := l.specArms(e)
	if !l.addressable(e) || someSpec && !allSpec {
		v := l.conditional(e)
		if v.addr != nil {
			return place{typ: e.Typ, addr: v.addr}
		}
		return place{typ: e.Typ, v: &variable{typ: e.Typ, val: v, readOnly: true}}
	}
	c := l.expr(e.C).v
	arm := func(x typed.Expr) func() []*ir.Value {
		return func() []*ir.Value { return []*ir.Value{l.addressed(x).addr} }
	}
	addr := l.choose(c, l.carried(e), []ir.Type{ir.PointerTo(spaceOf(e.Space))}, arm(e.X), arm(e.Y))
	return place{typ: e.Typ, addr: addr[0], volatile: e.Volatile}
}

// addressable reports whether addressed(e) is an object in memory.
func (l *lowerer) addressable(e typed.Expr) bool {
	switch e := e.(type) {
	case *typed.VarRef:
		if x := l.fr.vars.of(e.Var); x != nil {
			return x.addr != nil
		}
		return e.Var.Space == types.Threadgroup || e.Var.Kind == typed.ThreadgroupLocal || l.programConstant(e.Var)
	case *typed.Deref:
		_, elements := threadElements(e.X)
		return !elements && !mayBeArgument(e.Typ)
	case *typed.Temp:
		return !mayBeArgument(e.Typ)
	case *typed.Member:
		s, ok := e.X.Type().(*types.Struct)
		return ok && !s.Fields[e.Index].IsBits && l.addressable(e.X)
	case *typed.Index:
		return !isVector(e.X.Type()) && l.addressable(e.X)
	case *typed.Cond:
		return l.addressable(e.X) && l.addressable(e.Y)
	case *typed.Comma:
		return l.addressable(e.Y)
	case *typed.Assign:
		return l.addressable(e.X)
	case *typed.CompoundAssign:
		return l.addressable(e.X)
	case *typed.IncDec:
		return l.addressable(e.X)
	}
	return false
}

// mayBeArgument reports whether an object may be an argument or a function rather than memory:
// functions, textures, samplers and arrays of them.
func mayBeArgument(t types.Type) bool {
	if e := arrayElem(t); e != nil {
		t = e
	}
	switch t.(type) {
	case *types.Func, *types.Texture, *types.Opaque:
		return true
	}
	return false
}

func (l *lowerer) member(p place, of types.Type, index int) place {
	s, ok := of.(*types.Struct)
	if !ok || index >= len(s.Fields) {
		l.unsupported(l.at, "members of '%s'", of)
	}
	f := &s.Fields[index]
	p.typ = f.Type.Type
	switch {
	case p.arg != 0: // the elements of metal::array
	case p.v != nil:
		p.path = append(p.path[:len(p.path):len(p.path)], index)
	default:
		p.addr = l.b.Field(p.addr, int64(f.Offset))
		p.aligned = p.aligned.within(f.Offset)
		p.volatile = p.volatile || f.Type.Volatile
		if f.IsBits {
			p.bits = f
		}
	}
	return p
}

func isVector(t types.Type) bool {
	switch t.(type) {
	case *types.Vector, *types.Packed:
		return true
	}
	return false
}

// index64 widens an integer index.
func (l *lowerer) index64(v *ir.Value, t types.Type) *ir.Value {
	if v.Type == ir.TI64 {
		return v
	}
	if b := types.ScalarOf(t); b != nil && b.IsSigned() {
		return l.b.OpAs(ir.OpSExt, ir.TI64, v)
	}
	return l.b.OpAs(ir.OpZExt, ir.TI64, v)
}

func (l *lowerer) index32(v *ir.Value, t types.Type) *ir.Value {
	switch {
	case v.Type == ir.TI32:
		return v
	case v.Type == ir.TI64:
		return l.b.OpAs(ir.OpTrunc, ir.TI32, v)
	}
	if b := types.ScalarOf(t); b != nil && b.IsSigned() {
		return l.b.OpAs(ir.OpSExt, ir.TI32, v)
	}
	return l.b.OpAs(ir.OpZExt, ir.TI32, v)
}

// element returns the place of e, an element of p.
func (l *lowerer) element(p place, e *typed.Index) place {
	c, isConst := e.Index.(*typed.Const)
	n := int64(-1)
	if isConst {
		n, _ = c.Value.Int()
	}
	if p.arg != 0 {
		p.typ, p.v = e.Typ, nil
		x := l.expr(e.Index)
		p.index = l.index32(x.v, e.Index.Type())
		return p
	}
	of := e.X.Type()
	if isVector(of) {
		if isConst && n >= 0 && n < int64(types.LenOf(of)) {
			return l.swizzle(p, []uint8{uint8(n)}, e.Typ)
		}
		x := l.expr(e.Index)
		if p.addr != nil && p.lanes == nil {
			p.addr, p.aligned = l.b.Offset(p.addr, l.index64(x.v, e.Index.Type()), int64(e.Typ.Size())), aligned{}
			p.typ = e.Typ
			return p
		}
		if p.lanes != nil {
			v := l.load(p)
			p = place{typ: of, v: &variable{typ: of, val: v}}
		}
		p.base, p.lane, p.typ = of, l.index32(x.v, e.Index.Type()), e.Typ
		return p
	}
	if p.v != nil {
		if isConst && n >= 0 && n < int64(len(l.shape(of).parts)) {
			p.path = append(p.path[:len(p.path):len(p.path)], int(n))
			p.typ = e.Typ
			return p
		}
		p = place{typ: of, addr: l.materialize(l.load(p), "")}
	}
	p.typ = e.Typ
	if isConst {
		p.addr = l.b.Field(p.addr, n*int64(e.Typ.Size()))
		p.aligned.at += n * int64(e.Typ.Size())
		return p
	}
	x := l.expr(e.Index)
	p.addr, p.aligned = l.b.Offset(p.addr, l.index64(x.v, e.Index.Type()), int64(e.Typ.Size())), aligned{}
	return p
}

func (l *lowerer) swizzle(p place, lanes []uint8, t types.Type) place {
	if p.lanes != nil { // lanes of lanes
		through := make([]uint8, len(lanes))
		for i, n := range lanes {
			through[i] = p.lanes[n]
		}
		p.lanes, p.typ = through, t
		return p
	}
	if p.addr != nil && len(lanes) == 1 {
		at := int(lanes[0]) * t.Size()
		p.addr, p.aligned = l.b.Field(p.addr, int64(at)), p.aligned.within(at)
		p.typ = t
		return p
	}
	p.base, p.lanes, p.typ = p.typ, lanes, t
	return p
}

func (l *lowerer) ptrAdd(p val, n *ir.Value, t types.Type) *ir.Value {
	if p.v == nil {
		l.unsupported(l.at, "arithmetic on this pointer")
	}
	return l.b.Offset(p.v, l.index64(n, t), int64(pointeeOf(p.typ).Type.Size()))
}

// addrOf lowers &x.
func (l *lowerer) addrOf(e *typed.AddrOf) val {
	p := l.addressed(e.X)
	switch {
	case p.arg != 0 && p.index == nil:
		return val{typ: e.Typ, arg: p.arg}
	case p.v != nil && p.v.val.fn != nil:
		return val{typ: e.Typ, fn: p.v.val.fn}
	case p.bits != nil || p.lane != nil || p.addr != nil && p.lanes != nil:
		l.unsupported(e.At, "the address of part of a vector or of a bit field")
	case p.addr == nil: // a value, or one of an array of textures
		p = place{typ: p.typ, addr: l.materialize(l.load(p), "")}
	}
	return l.pointer(e, p.addr, e.Typ)
}
