package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// extreme compiles the minimum or maximum of floats.
func (l *lanes) extreme(in *lir.Inst) {
	l.extremeOf(in.Op.IR(), l.reg(in.A, placeScratch), l.reg(in.B, indexScratch))
	l.set(in.D, valueScratch)
}

// extremeOf sets valueScratch to the minimum or maximum of floats. VRANGEPS orders the zeros as it
// should and prefers a number to a NaN, but not to a signaling one.
func (l *lanes) extremeOf(op ir.Op, a, b uint8) {
	c, imm := l.c, int64(4)
	if op == ir.OpFMax {
		imm = 5
	}
	c.Emit(amd64.VRANGEPS, amd64.Args{D: valueScratch, X: a, Y: amd64.V(amd64.Vec(b)), Imm: imm})
	for _, x := range [][2]uint8{{a, b}, {b, a}} {
		c.Emit(amd64.VCMPPS, amd64.Args{D: 1, X: x[0], Y: amd64.V(amd64.Vec(x[0])), Imm: 3}) // is a NaN
		c.Emit(amd64.VMOVAPS, amd64.Args{D: valueScratch, Y: amd64.V(amd64.Vec(x[1])), K: 1})
	}
}

// choose compiles a select that is the lesser or the greater of two floats.
func (l *lanes) choose(in *lir.Inst, which plan.Extreme) {
	op := amd64.VMAXPS
	if which == plan.Lesser {
		op = amd64.VMINPS
	}
	x, y := l.reg(in.B, placeScratch), l.in(in.C)
	d := l.def(in.D)
	l.c.Emit(op, amd64.Args{D: d, X: x, Y: y})
	l.done(in.D, d)
}
