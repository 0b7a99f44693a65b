package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// object is the object of a method call.
func (c *libCall) object() place {
	switch a := c.e.Args[0].(type) {
	case *typed.AddrOf:
		return c.place(a.X)
	default:
		if q := pointeeOf(a.Type()); q.Type != nil {
			return place{typ: q.Type, addr: c.expr(a).v}
		}
		return c.place(a)
	}
}

// array lowers the methods of metal::array and metal::array_ref; it returns false for an object
// without an address. It lowers the object itself, as a place.
func (c *libCall) array() (val, bool) {
	b, p := c.b, c.object()
	elem, n := arrayElem(p.typ), (*ir.Value)(nil)
	var addr *ir.Value
	if s, ok := p.typ.(*types.Struct); ok && s.Template == "metal::array_ref" {
		elem = pointeeOf(s.Fields[0].Type.Type).Type
		v := c.load(p)
		addr, n = v.parts[0].v, v.parts[1].v
	} else if elem != nil {
		length := 0
		if elem.Size() > 0 {
			length = p.typ.Size() / elem.Size()
		}
		n, addr = b.Int(ir.TI64, int64(length)), p.addr
	}
	if n == nil {
		return val{}, false
	}
	switch c.e.Op {
	case builtin.OpArraySize:
		return c.leaf(c.convKind(n, types.ULong, types.ElemOf(c.e.Typ))), true
	case builtin.OpArrayEmpty:
		return c.leaf(b.Op(ir.OpEq, n, b.Int(ir.TI64, 0))), true
	}
	if addr == nil {
		return val{}, false
	}
	size := int64(elem.Size())
	switch c.e.Op {
	case builtin.OpArrayFill:
		c.fill(addr, n, elem, c.expr(c.e.Args[1]))
		return val{typ: c.e.Typ}, true
	case builtin.OpArrayEnd:
		addr = b.Offset(addr, n, size)
	case builtin.OpArrayBack:
		addr = b.Offset(addr, b.Op(ir.OpSub, n, b.Int(ir.TI64, 1)), size)
	case builtin.OpArrayAt:
		i := c.expr(c.e.Args[1])
		addr = b.Offset(addr, c.index64(i.v, i.typ), size)
	case builtin.OpArrayData, builtin.OpArrayFront:
	default:
		panic(c.noCase())
	}
	if _, ok := c.e.Typ.(*types.Pointer); ok {
		return c.leaf(addr), true
	}
	return c.loadAt(addr, elem, false), true
}

// fill stores a value into each of n elements.
func (c *libCall) fill(addr, n *ir.Value, elem types.Type, v val) {
	b := c.b
	loop := b.Loop([]*ir.Value{b.Int(ir.TI64, 0)})
	at := b.Enter(loop.Regions[0])
	i := loop.Regions[0].Params[0]
	in := b.If(b.Op(ir.OpULT, i, n))
	b.In(in.Regions[0], func() {
		c.storeAt(b.Offset(addr, i, int64(elem.Size())), v, false)
		b.Continue(loop, b.Op(ir.OpAdd, i, b.Int(ir.TI64, 1)))
	})
	b.In(in.Regions[1], func() { b.Break(loop) })
	b.Unreachable()
	b.Leave(at)
}
