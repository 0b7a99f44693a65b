package lir

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestWork: the work of an instruction grows with its number of elements, the cost of its group and
// the bytes it copies.
func TestWork(t *testing.T) {
	p := &Program{Lanes: 64}
	once, lane := p.NewVar(Once, ir.I32), p.NewVar(Lane, ir.I32)
	for _, c := range []struct {
		in   Inst
		want int64
	}{
		{Inst{Op: Op(ir.OpAdd), Per: Once}, 1},
		{Inst{Op: Op(ir.OpAdd), Per: Simd}, 2},
		{Inst{Op: Op(ir.OpAdd), Per: Lane}, 64},
		{Inst{Op: Op(ir.OpAdd), Per: Affine}, 64},
		{Inst{Op: OpMov, D: once}, 1},
		{Inst{Op: OpMerge, D: lane}, 64},
		{Inst{Op: OpJump}, 1},
		{Inst{Op: Op(ir.OpSimdAdd), Per: Simd}, 2 * 64},
		{Inst{Op: Op(ir.OpClear), Imm: 40, Space: ir.Device}, 64 * (1 + 10)},
		{Inst{Op: Op(ir.OpCopy), Imm: 40, Space: ir.Device, FromSpace: ir.Thread}, 64 * (1 + 40)},
	} {
		assert.Equal(t, InstWork+c.want, p.Work(&c.in), "%v %v", c.in.Op, c.in.Per)
	}
}
