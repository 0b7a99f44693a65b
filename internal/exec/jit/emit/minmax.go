package emit

import (
	"slices"

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

// findExtremes finds the selects of a segment that choose the lesser or the greater of two floats,
// as an earlier comparison of both says. They are one instruction: of two floats it yields the
// second, unless the first is less or greater. The result has that instruction for the select, and
// 0 for a comparison that nothing else reads.
func (c *compiler) findExtremes(s *plan.Segment) (ops map[int]amd64.Op) {
	for i, pc := range s.Lanes {
		in := &c.Program.Code[pc]
		if in.Op.IR() != ir.OpSelect || in.Kind != ir.F32 || c.Class(in.A) != lir.Lane || len(c.Defs[in.A]) != 1 {
			continue
		}
		compare := c.Defs[in.A][0]
		x, op := &c.Program.Code[compare], amd64.VMAXPS
		switch {
		case x.Op.IR() != ir.OpFLT || x.Kind != ir.F32:
			continue
		case in.B == x.A && in.C == x.B:
			op = amd64.VMINPS
		case in.B != x.B || in.C != x.A:
			continue
		}
		if !slices.Contains(s.Lanes[:i], compare) || c.WritesAny(s, compare, pc, x.A, x.B) {
			continue
		}
		if ops == nil {
			ops = map[int]amd64.Op{}
		}
		ops[pc] = op
		others := slices.ContainsFunc(c.readers.at(in.A), func(pc int) bool { _, ok := ops[pc]; return !ok })
		if lives := c.Homes[c.Index[in.A]].Known; !lives && !others {
			ops[compare] = 0
		}
	}
	return ops
}

// choose compiles a select that findExtremes found.
func (l *lanes) choose(in *lir.Inst, op amd64.Op) {
	x, y := l.reg(in.B, placeScratch), l.in(in.C)
	d := l.def(in.D)
	l.c.Emit(op, amd64.Args{D: d, X: x, Y: y})
	l.done(in.D, d)
}
