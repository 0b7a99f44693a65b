package irtest

import "github.com/puremetal/puremetal/internal/ir"

// outSlots is the number of values that each thread writes to its part of the output.
const outSlots = OutStride/16 - 1

// gridExchange makes threads of all threadgroups read what others wrote to the output, or threads
// of one what others wrote to its memory.
func (g *generator) gridExchange() {
	b := g.b
	t := g.typ("num")
	if g.chance(25) { // what the threadgroup's memory holds survives the barrier
		t = t.Element()
		index := b.OpAs(ir.OpZExt, ir.TI64, b.Input(ir.ThreadIndexInThreadgroup))
		b.Store(b.Offset(g.shared, index, sharedSlot), g.quiet(g.value(t)))
		g.gridBarrier()
		other := b.OpAs(ir.OpZExt, ir.TI64, g.value(ir.TI8))
		g.keep(g.quiet(b.Load(t, b.Offset(g.shared, other, sharedSlot))))
		b.Barrier(ir.OpBarrier, ir.MemThreadgroup, ir.Relaxed)
		return
	}
	slot := int64(g.n(outSlots)) * 16
	b.Store(b.Field(g.own, slot), g.quiet(g.value(t)))
	g.gridBarrier()
	other := b.Op(ir.OpURem, g.value(ir.TI32), g.threads())
	g.keep(g.quiet(b.Load(t, b.Field(b.Offset(g.out, b.OpAs(ir.OpZExt, ir.TI64, other), OutStride), slot))))
	g.gridBarrier()
}

func (g *generator) gridBarrier() { g.b.Barrier(ir.OpGridBarrier, 0, ir.Relaxed) }

// threads returns the number of threads of the grid.
func (g *generator) threads() *ir.Value {
	b := g.b
	size := b.Input(ir.ThreadsPerGrid)
	return b.Op(ir.OpMul, b.Op(ir.OpMul, b.Extract(size, 0), b.Extract(size, 1)), b.Extract(size, 2))
}

// gridValue returns a number from 0 to 3 that is the same in all threads of the grid: from the
// input, or one that a thread has written to the output.
func (g *generator) gridValue() *ir.Value {
	b := g.b
	from := b.Field(g.in, int64(g.n(Inputs/4))*4)
	if g.chance(60) {
		slot := int64(g.n(outSlots)) * 16
		b.Store(b.Field(g.own, slot), g.value(ir.TI32))
		g.gridBarrier()
		v := b.Load(ir.TI32, b.Field(g.out, slot))
		g.gridBarrier()
		return b.Op(ir.OpAnd, v, b.Int(ir.TI32, 3))
	}
	return b.Op(ir.OpAnd, b.Load(ir.TI32, from), b.Int(ir.TI32, 3))
}
