package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// With AVX2, the eight lanes of a vector have half of four rows: the first or the last four
// elements of each. A register holds a row of floats.

// part returns where a vector of lanes has its elements of the row with a number from 0 to 3.
func (l *lanes) part(r lir.Ref, row int) amd64.Operand {
	c, quarter := l.c, l.j%l.c.VectorsOfSimdgroup()
	at := c.matrixRow(r, c.SimdgroupOf(l.j), quarter/2*4+row)
	return at.Plus(int32(quarter % 2 * matrixSide / 2 * c.Program.Var(r).ElemSize() / 2))
}

// narrowMatrixOp is matrixOp with AVX2.
func (l *lanes) narrowMatrixOp(in *lir.Inst) {
	c := l.c
	const x, y, v, t = uint8(indexScratch), uint8(startScratch), uint8(valueScratch), uint8(placeScratch)
	m := in.D
	if in.Op.IR() == ir.OpMatGet {
		m = in.A
	}
	short := c.Program.Var(m).ElemSize() == 4 // two elements of 16 bits are one of 32
	load, store := amd64.VMOVUPS, amd64.VMOVUPSStore
	if short {
		load, store = amd64.VMOVQ, amd64.VMOVQStore
	}
	move := func(op amd64.Op, args amd64.Args) { c.EmitBits(128, op, args) }
	switch in.Op.IR() {
	case ir.OpMatGet:
		from := func(row int) amd64.Operand { return l.part(m, row) }
		imm := int64(0x88)
		if short { // whole rows
			imm = []int64{0x44, 0xee}[l.j%2]
			from = func(row int) amd64.Operand { return l.part(m, row).Plus(-8 * int32(l.j%2)) }
		}
		for row, d := range []uint8{x, y} {
			move(amd64.VMOVUPS, amd64.Args{D: d, Y: from(row)})
			c.Emit(amd64.VINSERTF32X4, amd64.Args{D: d, X: d, Y: from(row + 2), Imm: 1})
		}
		c.Emit(amd64.VSHUFPS, amd64.Args{D: v, X: x, Y: vec(y), Imm: imm})
		if short {
			c.Emit(amd64.VPSRLDImm, amd64.Args{D: t, Y: vec(v), Imm: 16})
			c.Emit(amd64.VPANDD, amd64.Args{D: v, X: v, Y: c.constant32(0xffff)})
		} else {
			c.Emit(amd64.VSHUFPS, amd64.Args{D: t, X: x, Y: vec(y), Imm: 0xdd})
		}
		l.set(in.D, v)
		l.set(in.D2, t)
	case ir.OpMatSet:
		a, b := l.reg(in.A, x), l.reg(in.B, y)
		if short {
			c.Emit(amd64.VPSLLDImm, amd64.Args{D: v, Y: vec(b), Imm: 16})
			c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(a)})
			c.Emit(amd64.VPSHUFD, amd64.Args{D: t, Y: vec(v), Imm: 0xee})
		} else {
			c.Emit(amd64.VUNPCKLPS, amd64.Args{D: v, X: a, Y: vec(b)})
			c.Emit(amd64.VUNPCKHPS, amd64.Args{D: t, X: a, Y: vec(b)})
		}
		for row, r := range []uint8{v, t} {
			move(store, amd64.Args{X: r, Y: l.part(m, row)})
			c.Emit(amd64.VEXTRACTF32X4, amd64.Args{D: x, Y: vec(r), Imm: 1})
			move(store, amd64.Args{X: x, Y: l.part(m, row+2)})
		}
	case ir.OpMatFill, ir.OpMatDiag:
		a := l.reg(in.A, x)
		if short {
			c.Emit(amd64.VPSLLDImm, amd64.Args{D: v, Y: vec(a), Imm: 16})
			c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(a)})
			a = v
		}
		for row := range 4 {
			r := a
			if in.Op.IR() == ir.OpMatDiag {
				q := l.j % c.VectorsOfSimdgroup()
				r = t
				c.Emit(amd64.VPANDD, amd64.Args{D: r, X: a, Y: c.diagonal((q/2*4+row)*matrixSide+q%2*4, short)})
			}
			move(store, amd64.Args{X: r, Y: l.part(m, row)})
		}
	default: // a copy
		for row := range 4 {
			move(load, amd64.Args{D: v, Y: l.part(in.A, row)})
			move(store, amd64.Args{X: v, Y: l.part(m, row)})
		}
	}
}

// rowBytes is the size of a row of floats of 32 bits.
const rowBytes = 4 * matrixSide

// converted returns where the rows of a factor are with floats of 32 bits: its own place, or a
// copy. n is 0 for the first factor, else 1.
func (c *compiler) converted(n int, r lir.Ref, g int, copied bool) amd64.Operand {
	if !copied && c.Program.Var(r).Elem == ir.F32 {
		return c.matrixRow(r, g, 0)
	}
	if c.factors[n] == 0 {
		c.factors[n] = c.Alloc(matrixSide*rowBytes, 32)
	}
	at := c.factors[n]
	for i := range matrixSide {
		c.loadRows(valueScratch, r, g, i)
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: valueScratch, Y: ctx(at + rowBytes*int32(i))})
	}
	return ctx(at)
}

// narrowMultiply is multiply with AVX2. Without registers for all rows of the result, it computes
// the first four and then the others.
func (c *compiler) narrowMultiply(in *lir.Inst, g int) {
	const row, t = uint8(startScratch), uint8(placeScratch)
	sum := c.freeRegs()
	sum = sum[:min(len(sum), matrixSide)/4*4]
	a := c.converted(0, in.A, g, false)
	b := c.converted(1, in.B, g, in.D == in.B)
	for first := 0; first < matrixSide; first += len(sum) {
		sum := sum[:min(len(sum), matrixSide-first)]
		for i, d := range sum {
			if in.C == 0 {
				c.Emit(amd64.VPXORD, amd64.Args{D: d, X: d, Y: vec(d)})
			} else {
				c.loadRows(d, in.C, g, first+i)
			}
		}
		for k := range matrixSide {
			c.Emit(amd64.VMOVUPS, amd64.Args{D: row, Y: b.Plus(int32(rowBytes * k))})
			for i, d := range sum {
				c.Emit(amd64.VBROADCASTSS, amd64.Args{D: t, Y: a.Plus(int32(rowBytes*(first+i) + 4*k))})
				c.Emit(amd64.VMULPS, amd64.Args{D: t, X: t, Y: vec(row)})
				c.Emit(amd64.VADDPS, amd64.Args{D: d, X: d, Y: vec(t)})
			}
		}
		for i, x := range sum {
			to := c.matrixRow(in.D, g, first+i)
			if c.Program.Var(in.D).Elem == ir.F32 {
				c.Emit(amd64.VMOVUPSStore, amd64.Args{X: x, Y: to})
			} else {
				c.Emit(amd64.VCVTPS2PHStore, amd64.Args{X: x, Y: to, Imm: 0}) // to nearest even
			}
		}
	}
}
