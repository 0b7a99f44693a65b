package lower

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// entry returns a table's entry for a library operation, or zero if there is none.
func entry[T any](table []T, op builtin.Op) (v T) {
	if int(op) < len(table) {
		v = table[op]
	}
	return v
}

// libCall is a library call being lowered.
type libCall struct {
	*lowerer
	e    *typed.Builtin
	row  *lowering
	args []val
	elem *types.Basic // of the first argument
}

// out returns the object that argument i refers to.
func (c *libCall) out(i int) place {
	if a, ok := c.e.Args[i].(*typed.AddrOf); ok {
		return c.place(a.X)
	}
	v := c.args[i]
	return place{typ: pointeeOf(v.typ).Type, addr: v.v}
}

func (l *lowerer) builtin(e *typed.Builtin) val {
	c := &libCall{lowerer: l, e: e, row: loweringOf(e.Op), args: make([]val, len(e.Args))}
	for i, a := range e.Args {
		_, address := a.(*typed.AddrOf)
		if c.row.args == argValues || c.row.args == argPlaces && !address {
			c.args[i] = l.expr(a)
		}
	}
	if len(c.args) > 0 && c.args[0].typ != nil {
		c.elem = types.ElemOf(c.args[0].typ)
	}
	l.setLoc(e.At)
	switch {
	case e.Fast:
		defer l.b.SetFlags(l.b.SetFlags(ir.Fast))
	case e.Precise:
		defer l.b.SetFlags(l.b.SetFlags(0))
	}
	v := c.lower()
	v.typ = e.Typ
	return v
}

func (c *libCall) values() []*ir.Value {
	vs := make([]*ir.Value, len(c.args))
	for i := range c.args {
		vs[i] = c.args[i].v
		if vs[i] == nil {
			c.unsupported(c.e.At, "'%s' on '%s'", c.e.Fn.Name, c.args[i].typ)
		}
	}
	return vs
}

// operands returns as many arguments as an operation takes. The compiler's own function names, such
// as __metal_floor, have one more, which selects fast math.
func (c *libCall) operands(op ir.Op) []*ir.Value {
	sig, _, _ := strings.Cut(op.Info().Sig, "->")
	if n := len(strings.Fields(sig)); n < len(c.args) {
		c.args = c.args[:n]
	}
	return c.values()
}

func (c *libCall) leaf(v *ir.Value) val { return leafVal(c.e.Typ, v) }

func (c *libCall) lower() val {
	v, ok := c.lowerBy(c.row.how)
	if !ok {
		c.unsupported(c.e.At, "'%s'", c.e.Fn.Name)
	}
	return v
}

// lowerBy lowers the call; it returns false if the operation, or these arguments, cannot be
// lowered.
func (c *libCall) lowerBy(h how) (val, bool) {
	switch h {
	case oneOp:
		return c.leaf(c.b.Op(c.row.op, c.operands(c.row.op)...)), true
	case oneOpByType:
		op := c.row.ops.of(c.elem)
		if op == ir.OpInvalid {
			return val{}, false
		}
		return c.leaf(c.b.Op(op, c.operands(op)...)), true
	case laneOp:
		vs := c.values()
		return c.leaf(c.b.Op(c.row.op, vs[0], c.index32(vs[1], c.args[1].typ))), true
	case fillOp:
		return c.fillLanes(c.row.op), true
	case byMath:
		return c.math(), true
	case byInteger:
		return c.integer(), true
	case byRelation:
		return c.relation(), true
	case byGeometry:
		return c.geometry(), true
	case byPacking:
		return c.packing(), true
	case byArray:
		return c.array()
	case byThread:
		return c.thread(), true
	case byAtomic:
		return c.atomic()
	case byMatrix:
		return c.matrix()
	case byTexture:
		return c.texture(), true
	case byCommand:
		return c.command(), true
	case byTable:
		return c.table(), true
	case byLibrary:
		return c.library()
	}
	return val{}, false
}

// noCase describes a table row whose method does not handle the operation, which is an internal
// error.
func (c *libCall) noCase() string {
	return fmt.Sprintf("lower: the method that the row of %v names has no case for it", c.e.Op)
}

// fillLanes shifts values across lanes, filling vacated lanes with other values.
func (c *libCall) fillLanes(op ir.Op) val {
	vs := c.values()
	width := int64(ir.SimdWidth)
	if op.Group() == ir.QuadOps {
		width = ir.QuadWidth
	}
	segment := c.b.Int(ir.TI32, width)
	if len(vs) > 3 {
		segment = c.index32(vs[3], c.args[3].typ)
	}
	return c.leaf(c.b.Op(op, vs[0], vs[1], c.index32(vs[2], c.args[2].typ), segment))
}
