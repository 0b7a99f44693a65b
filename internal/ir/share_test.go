package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

func TestShareConstants(t *testing.T) {
	m := &ir.Module{}
	b := ir.NewBuilder(m.NewFunc("k"))
	b.ShareConstants()
	p := b.Alloca(16, "")
	in := b.If(b.Bool(true))
	for _, r := range in.Regions {
		b.In(r, func() {
			b.Store(b.Offset(p, b.Int(ir.TI64, 3), 4), b.Int(ir.TI32, 7))
			b.Yield()
		})
	}
	x := b.Op(ir.OpAdd, b.Int(ir.TI32, 1<<31-1), b.Int(ir.TI32, 1))
	assert.Equal(t, b.Int(ir.TI32, -1<<31), x)
	assert.Equal(t, b.Int(ir.TI64, -1<<31), b.OpAs(ir.OpSExt, ir.TI64, x))
	assert.Equal(t, b.Int(ir.TI64, 1<<31), b.OpAs(ir.OpZExt, ir.TI64, x))
	assert.Equal(t, b.Int(ir.Scalar(ir.I16), 0), b.OpAs(ir.OpTrunc, ir.Scalar(ir.I16), x))
	assert.NotEqual(t, b.Const(ir.Vector(ir.I32, 2), 1, 2), b.Const(ir.Vector(ir.I32, 2), 1, 3))
	assert.Equal(t, b.Const(ir.Vector(ir.I32, 2), 1, 1), b.Const(ir.Vector(ir.I32, 2), 1))
	b.Return()
	b.Finish()
	require.NoError(t, m.Verify())
	assert.Equal(t, ir.OpConst, m.Funcs[0].Body.Instrs[0].Op)
	sevens := 0
	m.Funcs[0].Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpConst && in.Imm == 7 {
			sevens++
		}
		assert.NotEqual(t, ir.OpOffset, in.Op)
		return true
	})
	assert.Equal(t, 1, sevens)
}
