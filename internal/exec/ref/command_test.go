package ref

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestCommands encodes commands into a buffer of two.
func TestCommands(t *testing.T) {
	m := &ir.Module{}
	f := m.NewFunc("encode")
	f.Args = []ir.Arg{{Kind: ir.ArgBuffer}}
	b := ir.NewBuilder(f)
	out := b.Arg(0, ir.PointerTo(ir.Device))
	icb, none := b.Int(ir.TI64, 9), b.Int(ir.TI64, 0)
	triple := func(x, y, z uint64) *ir.Value { return b.Const(ir.Vector(ir.I32, 3), x, y, z) }
	at := func(i int64) *ir.Value { return b.Op(ir.OpCommandAt, icb, b.Int(ir.TI32, i)) }
	set := func(c *ir.Value, op ir.CommandOp, handle, v, w *ir.Value) {
		b.OpImm(ir.OpCommandSet, ir.TVoid, int64(op), c, handle, v, w)
	}
	b.Store(out, b.Op(ir.OpCommandCount, icb))
	b.Store(b.Field(out, 4), b.Op(ir.OpCommandCount, none))
	b.Store(b.Field(out, 8), at(2))
	zero := triple(0, 0, 0)
	set(at(2), ir.CommandPipeline, icb, zero, zero) // there is no such command
	first, second := at(0), at(1)
	set(first, ir.CommandReset, none, zero, zero)
	set(first, ir.CommandPipeline, b.Int(ir.TI64, 77), zero, zero)
	set(first, ir.CommandBuffer, b.Op(ir.OpPtrToInt, out), triple(3, 16, 0), zero)
	set(first, ir.CommandThreadgroupMemory, none, triple(64, 1, 0), zero)
	set(first, ir.CommandStageIn, none, triple(1, 2, 3), triple(4, 5, 6))
	set(first, ir.CommandBarrier, none, triple(1, 0, 0), zero)
	set(first, ir.CommandThreads, none, triple(100, 1, 1), triple(32, 1, 1))
	set(second, ir.CommandCopy, first, zero, zero)
	set(second, ir.CommandBarrier, none, zero, zero)
	set(second, ir.CommandThreadgroups, none, triple(7, 1, 1), triple(8, 1, 1))
	set(second, ir.CommandBuffer, none, triple(3, 0, 0), zero)
	b.Return()
	again, err := ir.Parse(m.String())
	require.NoError(t, err, m)
	require.Equal(t, m.String(), again.String())
	covered(m)
	icbs := &testlaunch.CommandBuffer{Commands: []testlaunch.Command{{Pipeline: 5}, {}}}
	data := []byte{0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}
	require.NoError(t, testlaunch.Launch{CommandBuffers: map[uint64]*testlaunch.CommandBuffer{9: icbs},
		Buffers: map[int]testlaunch.Buffer{0: {Data: data}}}.Run(context.Background(), again.Funcs[0], Run))
	assert.Equal(t, append([]byte{2}, make([]byte, 15)...), data)
	want := testlaunch.Command{Pipeline: 77, Buffers: map[int]testlaunch.BoundAddress{3: {Address: 1 << 40, Stride: 16}},
		ThreadgroupMemory: map[int]int{1: 64},
		StageIn:           [2][3]uint32{{1, 2, 3}, {4, 5, 6}}, Barrier: true, Threads: true, Grid: [3]uint32{100, 1, 1},
		Group: [3]uint32{32, 1, 1}}
	assert.Equal(t, want, icbs.Commands[0])
	want.Barrier, want.Threads, want.Grid, want.Group = false, false, [3]uint32{7, 1, 1}, [3]uint32{8, 1, 1}
	want.Buffers = map[int]testlaunch.BoundAddress{3: {}}
	assert.Equal(t, want, icbs.Commands[1])
}
