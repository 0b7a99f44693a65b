package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// commandOp returns the command that a library operation encodes.
func commandOp(op builtin.Op) (ir.CommandOp, bool) {
	switch op {
	case builtin.OpCommandReset:
		return ir.CommandReset, true
	case builtin.OpCommandSetPipeline:
		return ir.CommandPipeline, true
	case builtin.OpCommandSetBuffer:
		return ir.CommandBuffer, true
	case builtin.OpCommandSetThreadgroupMemory:
		return ir.CommandThreadgroupMemory, true
	case builtin.OpCommandSetStageIn:
		return ir.CommandStageIn, true
	case builtin.OpCommandSetBarrier, builtin.OpCommandClearBarrier:
		return ir.CommandBarrier, true
	case builtin.OpCommandDispatchThreadgroups:
		return ir.CommandThreadgroups, true
	case builtin.OpCommandDispatchThreads:
		return ir.CommandThreads, true
	case builtin.OpCommandCopy:
		return ir.CommandCopy, true
	}
	return 0, false
}

// handle returns a handle argument, even if it is passed by address.
func (c *libCall) handle(i int) *ir.Value {
	v := c.args[i]
	if v.v != nil && v.v.Type.Kind == ir.Pointer {
		if _, ok := pointeeOf(v.typ).Type.(*types.Opaque); ok {
			v = c.loadAt(v.v, pointeeOf(v.typ).Type, false)
		}
	}
	if v.v == nil {
		c.unsupported(c.e.At, "'%s' on '%s'", c.e.Fn.Name, v.typ)
	}
	return v.v
}

// command lowers methods of indirect command buffers and of their commands.
func (c *libCall) command() val {
	b := c.b
	switch c.e.Op {
	case builtin.OpCommandBufferSize:
		return c.leaf(b.Op(ir.OpCommandCount, c.handle(0)))
	case builtin.OpCommandBufferIsNull:
		return c.leaf(c.isNull(c.handle(0)))
	case builtin.OpCommandConstruct:
		return c.leaf(b.Op(ir.OpCommandAt, c.handle(0), c.args[1].v))
	}
	op, ok := commandOp(c.e.Op)
	if !ok {
		panic(c.noCase())
	}
	zero := b.Int(ir.TI32, 0)
	none := b.Int(ir.Vector(ir.I32, 3), 0)
	triple := func(lanes ...*ir.Value) *ir.Value {
		for len(lanes) < 3 {
			lanes = append(lanes, zero)
		}
		return b.OpAs(ir.OpBuild, none.Type, lanes...)
	}
	word := func(i int) *ir.Value { return c.index32(c.args[i].v, c.args[i].typ) }
	handle, first, second := b.Int(ir.TI64, 0), none, none
	switch c.e.Op {
	case builtin.OpCommandSetPipeline, builtin.OpCommandCopy:
		handle = c.handle(1)
	case builtin.OpCommandSetBuffer:
		handle = b.Op(ir.OpPtrToInt, c.args[1].v)
		if len(c.args) > 3 {
			first = triple(word(3), word(2))
		} else {
			first = triple(word(2))
		}
	case builtin.OpCommandSetThreadgroupMemory:
		first = triple(word(1), word(2))
	case builtin.OpCommandSetBarrier:
		first = triple(b.Int(ir.TI32, 1))
	case builtin.OpCommandSetStageIn, builtin.OpCommandDispatchThreadgroups, builtin.OpCommandDispatchThreads:
		first, second = c.args[1].v, c.args[2].v
	}
	b.OpImm(ir.OpCommandSet, ir.TVoid, int64(op), c.handle(0), handle, first, second)
	return val{typ: c.e.Typ}
}
