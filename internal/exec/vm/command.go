package vm

import (
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// command executes an operation on indirect command buffers.
func command(f *frame, o *op) {
	host := f.g.r.Launch.Commands
	f.each(f.mask(o.m), func(lane int) {
		operand := func(i int) uint64 {
			p := &o.more[i]
			return f.operand(p.off, p.class, p.size, lane)
		}
		var x uint64
		switch operation := o.code.IR(); {
		case operation == ir.OpCommandSet:
			if host != nil {
				triple := func(i int) [3]uint32 {
					return [3]uint32{uint32(operand(i)), uint32(operand(i + 1)), uint32(operand(i + 2))}
				}
				host.Set(operand(0), ir.CommandOp(o.in.Imm), operand(1), triple(2), triple(5))
			}
			return
		case host == nil:
		case operation == ir.OpCommandCount:
			x = uint64(host.Count(operand(0)))
		default:
			x = host.At(operand(0), uint32(operand(1)))
		}
		out := &o.more[len(o.in.More)]
		if out.off >= 0 {
			f.setBits(out.off, out.size, lane, x)
		}
	})
}

// watchCommands reports an operation that encodes commands, before it is executed.
func (f *frame) watchCommands(o *op) {
	c := &hook.Commands{Event: f.newEvent(o)}
	for l := range c.Lanes.All {
		to, from := &o.more[0], &o.more[1]
		c.To[l] = f.operand(to.off, to.class, to.size, l)
		if ir.CommandOp(o.in.Imm) == ir.CommandCopy {
			c.From[l] = f.operand(from.off, from.class, from.size, l)
		}
	}
	f.hook().Commands(c)
}
