package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Matrices are in the context, 64 elements for each simdgroup, row by row. With AVX-512 a vector of
// lanes has four rows, two of which fill a register if the elements have 32 bits. AVX2 is in
// avx2_matrix.go.
const (
	matrixSide     = ir.MatrixSide
	matrixElements = matrixSide * matrixSide
)

// rows returns where the four rows of a vector of the block are, or two of them.
func (c *compiler) rows(r lir.Ref, jj, part int) amd64.Operand {
	return ctx(c.Column(c.MatrixSlot(r), c.Program.Var(r).ElemSize(), jj) + int32(64*part))
}

// matrixOp compiles an operation on the matrix elements of a vector's lanes.
func (l *lanes) matrixOp(in *lir.Inst) {
	c := l.c
	if !c.evex() {
		l.narrowMatrixOp(in)
		return
	}
	const x, y, v, t = uint8(indexScratch), uint8(startScratch), uint8(valueScratch), uint8(placeScratch)
	m := in.D
	if in.Op.IR() == ir.OpMatGet {
		m = in.A
	}
	half := c.Program.Var(m).ElemSize() == 4 // two elements of 16 bits are one of 32
	parts := 2
	if half {
		parts = 1
	}
	switch in.Op.IR() {
	case ir.OpMatGet:
		var index [2][plan.MaxWidth]int32
		for lane := range plan.MaxWidth {
			pair := ir.MatrixPair(lane)
			index[0][lane], index[1][lane] = int32(2*pair), int32(2*pair+1)
			if half {
				index[0][lane] = int32(pair)
			}
		}
		if half {
			c.Emit(amd64.VMOVUPS, amd64.Args{D: x, Y: ctx(c.vector(index[0]))})
			c.Emit(amd64.VPERMD, amd64.Args{D: x, X: x, Y: c.rows(m, l.jj, 0)})
			c.Emit(amd64.VPANDD, amd64.Args{D: v, X: x, Y: c.constant32(0xffff)})
			c.Emit(amd64.VPSRLDImm, amd64.Args{D: t, Y: vec(x), Imm: 16})
		} else {
			c.Emit(amd64.VMOVUPS, amd64.Args{D: x, Y: c.rows(m, l.jj, 0)})
			for i, d := range []uint8{v, t} {
				c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: ctx(c.vector(index[i]))})
				c.Emit(amd64.VPERMI2PS, amd64.Args{D: d, X: x, Y: c.rows(m, l.jj, 1)})
			}
		}
		l.set(in.D, v)
		l.set(in.D2, t)
	case ir.OpMatSet:
		var index [2][plan.MaxWidth]int32
		for lane := range plan.MaxWidth {
			if half {
				index[0][ir.MatrixPair(lane)] = int32(lane)
				continue
			}
			for e := range 2 {
				at := 2*ir.MatrixPair(lane) + e
				index[at/plan.MaxWidth][at%plan.MaxWidth] = int32(lane + plan.MaxWidth*e)
			}
		}
		a, b := l.reg(in.A, x), l.reg(in.B, y)
		if half {
			c.Emit(amd64.VPSLLDImm, amd64.Args{D: v, Y: vec(b), Imm: 16})
			c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(a)})
			c.Emit(amd64.VMOVUPS, amd64.Args{D: t, Y: ctx(c.vector(index[0]))})
			c.Emit(amd64.VPERMD, amd64.Args{D: v, X: t, Y: vec(v)})
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: c.rows(m, l.jj, 0)})
			return
		}
		for part := range 2 {
			c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: ctx(c.vector(index[part]))})
			c.Emit(amd64.VPERMI2PS, amd64.Args{D: v, X: a, Y: vec(b)})
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: c.rows(m, l.jj, part)})
		}
	case ir.OpMatFill, ir.OpMatDiag:
		a := l.reg(in.A, x)
		if half {
			c.Emit(amd64.VPSLLDImm, amd64.Args{D: v, Y: vec(a), Imm: 16})
			c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(a)})
			a = v
		}
		for part := range parts {
			r := a
			if in.Op.IR() == ir.OpMatDiag {
				r = t
				first := l.j%2*matrixElements/2 + part*plan.MaxWidth
				c.Emit(amd64.VPANDD, amd64.Args{D: r, X: a, Y: c.diagonal(first, half)})
			}
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: r, Y: c.rows(m, l.jj, part)})
		}
	default: // a copy
		for part := range parts {
			c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: c.rows(in.A, l.jj, part)})
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: c.rows(m, l.jj, part)})
		}
	}
}

// diagonal returns a constant vector with all bits of the elements of a matrix that are on its
// diagonal. first is the number of the vector's first element, row by row. Elements have 16 bits if
// short is true.
func (c *compiler) diagonal(first int, short bool) amd64.Operand {
	var mask [plan.MaxWidth]int32
	on := func(e int) bool { return e/matrixSide == e%matrixSide }
	for i := range mask {
		switch {
		case !short && on(first+i):
			mask[i] = -1
		case short && on(first+2*i):
			mask[i] = 0xffff
		case short && on(first+2*i+1):
			mask[i] = -0x10000
		}
	}
	return ctx(c.vector(mask))
}

// matrixRow returns where row i of a simdgroup's matrix is.
func (c *compiler) matrixRow(r lir.Ref, g, i int) amd64.Operand {
	size := c.Program.Var(r).ElemSize() / 2
	return ctx(c.MatrixSlot(r) + int32(size*((g-c.SimdgroupOf(c.j0))*matrixElements+i*matrixSide)))
}

// loadRows loads as many rows of a matrix as a vector has room for, from row i on, as floats of 32
// bits: two, or one with AVX2.
func (c *compiler) loadRows(d uint8, r lir.Ref, g, i int) {
	from := c.matrixRow(r, g, i)
	switch c.Program.Var(r).Elem {
	case ir.F32:
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: from})
	case ir.F16:
		c.Emit(amd64.VCVTPH2PS, amd64.Args{D: d, Y: from})
	default:
		c.Emit(amd64.VPMOVZXWD, amd64.Args{D: d, Y: from})
		c.Emit(amd64.VPSLLDImm, amd64.Args{D: d, Y: amd64.V(amd64.Vec(d)), Imm: 16})
	}
}

// multiply sets the matrix of a simdgroup to the product of two plus a third, if there is one. The
// products are added in ascending order, and each product and sum is rounded.
func (c *compiler) multiply(in *lir.Inst, g int) {
	if !c.evex() {
		c.narrowMultiply(in, g)
		return
	}
	free := c.freeRegs()
	if len(free) < 8 {
		plan.Fail("too few registers for matrices")
	}
	sum, a := free[:4], free[4:8]
	const index, row, pair, t = uint8(indexScratch), uint8(startScratch), uint8(placeScratch), uint8(valueScratch)
	for i, d := range sum {
		if in.C == 0 {
			c.Emit(amd64.VPXORD, amd64.Args{D: d, X: d, Y: vec(d)})
		} else {
			c.loadRows(d, in.C, g, 2*i)
		}
		c.loadRows(a[i], in.A, g, 2*i)
	}
	for k := range matrixSide {
		var at [plan.MaxWidth]int32
		for i := range at {
			at[i] = int32(i/matrixSide*matrixSide + k)
		}
		c.Emit(amd64.VMOVUPS, amd64.Args{D: index, Y: ctx(c.vector(at))})
		if k%2 == 0 {
			c.loadRows(pair, in.B, g, k)
		}
		c.Emit(amd64.VSHUFF64X2, amd64.Args{D: row, X: pair, Y: vec(pair), Imm: []int64{0x44, 0xee}[k%2]})
		for i, d := range sum {
			c.Emit(amd64.VPERMPS, amd64.Args{D: t, X: index, Y: vec(a[i])})
			c.Emit(amd64.VMULPS, amd64.Args{D: t, X: t, Y: vec(row)})
			c.Emit(amd64.VADDPS, amd64.Args{D: d, X: d, Y: vec(t)})
		}
	}
	for i, x := range sum {
		to := c.matrixRow(in.D, g, 2*i)
		if c.Program.Var(in.D).Elem == ir.F32 {
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: x, Y: to})
		} else {
			c.Emit(amd64.VCVTPS2PHStore, amd64.Args{X: x, Y: to, Imm: 0}) // to nearest even
		}
	}
}

// moveMatrix loads or stores the matrix of a simdgroup. If not all of it is inside of the object,
// each element is checked.
func (c *compiler) moveMatrix(in *lir.Inst, g int) {
	c.simdgroup = g
	store := in.Op.IR() == ir.OpMatStore
	m := in.D
	if store {
		m = in.C
	}
	size := int64(c.Program.Var(m).ElemSize() / 2)
	obj := c.accessed[in]
	const base, step, end = amd64.RBX, amd64.R8, amd64.R9
	cold, done := c.NewLabel(), c.NewLabel()
	c.resolve(in)
	c.offsetIn(base, in)
	c.load64(step, c.place(in.More[0]))
	c.scale(step, size)
	if c.forced.Cold {
		c.Jmp(cold)
	}
	c.compare(amd64.CMP64, step, ctx(c.word(1<<29)))
	c.Jcc(amd64.A, cold)
	if store { // overlapping rows are stored element by element
		c.compare(amd64.CMP64, step, ctx(c.word(uint64(matrixSide*size))))
		c.Jcc(amd64.B, cold)
	}
	c.scalar(amd64.MOV64, end, amd64.G(step))
	c.scale(end, matrixSide-1)
	c.scalar(amd64.ADD64, end, amd64.G(base))
	c.addConstant(end, matrixSide*size)
	c.compare(amd64.CMP64, end, ctx(obj+ObjLength))
	c.Jcc(amd64.A, cold)
	c.scalar(amd64.ADD64, base, ctx(obj))
	const s = uint8(valueScratch)
	bits := int(8 * matrixSide * size)
	for i := range matrixSide {
		from, to := amd64.At(base, 0), c.matrixRow(m, g, i)
		if store {
			from, to = to, from
		}
		c.EmitBits(bits, amd64.VMOVUPS, amd64.Args{D: s, Y: from})
		c.EmitBits(bits, amd64.VMOVUPSStore, amd64.Args{X: s, Y: to})
		c.scalar(amd64.ADD64, base, amd64.G(step))
	}
	c.Bind(done)
	c.addPart(cold, 1, func() {
		c.moveElements(in, m, g, base, step, store)
		c.Jmp(done)
	})
}

// moveElements loads or stores the elements of a matrix one by one; out of bounds a load is 0 and a
// store does nothing. base is the offset of the matrix and step the distance of its rows.
func (c *compiler) moveElements(in *lir.Inst, m lir.Ref, g int, base, step amd64.Reg, store bool) {
	size := c.Program.Var(m).ElemSize() / 2
	obj := c.accessed[in]
	var order [2 * matrixElements]byte // of the elements' rows and columns in bytes, in the order of the lanes
	for lane := range lir.SimdWidth {
		e := 2 * ir.MatrixPair(lane)
		for i := range 2 {
			order[4*lane+2*i], order[4*lane+2*i+1] = byte((e+i)/matrixSide), byte((e+i)%matrixSide*size)
		}
	}
	const at, row, column = amd64.R9, amd64.R10, amd64.R11
	table := c.bytes(order[:])
	element := amd64.Index(ctxReg, column, 1, c.MatrixSlot(m))
	element = element.Plus(int32(size * (g - c.SimdgroupOf(c.j0)) * matrixElements))
	next, over := c.NewLabel(), c.NewLabel()
	c.MovImm64(at, 0)
	c.Bind(next)
	c.scalar(amd64.MOVZX8To32, row, amd64.Index(ctxReg, at, 2, table))
	c.scalar(amd64.MOVZX8To32, column, amd64.Index(ctxReg, at, 2, table+1))
	c.scalar(amd64.MOV64, amd64.RDX, amd64.G(row))
	c.scalar(amd64.IMUL64, amd64.RDX, amd64.G(step))
	c.scalar(amd64.ADD64, amd64.RDX, amd64.G(base))
	c.scalar(amd64.ADD64, amd64.RDX, amd64.G(column))
	c.scalar(amd64.AND64, amd64.RDX, ctx(c.word(offsetMask)))
	c.scale(row, int64(matrixSide*size))
	c.scalar(amd64.ADD64, column, amd64.G(row))
	c.Emit(amd64.LEA64, amd64.Args{D: uint8(amd64.RCX), Y: amd64.At(amd64.RDX, int32(size))})
	c.scalar(amd64.XOR32, amd64.RAX, amd64.G(amd64.RAX))
	c.compare(amd64.CMP64, amd64.RCX, ctx(obj+ObjLength))
	c.Jcc(amd64.A, over)
	c.scalar(amd64.ADD64, amd64.RDX, ctx(obj))
	if store {
		c.scalar(zeroExtended[size], amd64.RAX, element)
		c.Emit(storesOf[size], amd64.Args{X: uint8(amd64.RAX), Y: amd64.At(amd64.RDX, 0)})
		c.Bind(over)
	} else {
		c.scalar(zeroExtended[size], amd64.RAX, amd64.At(amd64.RDX, 0))
		c.Bind(over)
		c.Emit(storesOf[size], amd64.Args{X: uint8(amd64.RAX), Y: element})
	}
	c.scalarImm(amd64.ADD64Imm, at, 1)
	c.compare(amd64.CMP64, at, ctx(c.word(matrixElements)))
	c.Jcc(amd64.NE, next)
}

// copyMatrices brings the matrices of a block from the frame, or back.
func (c *compiler) copyMatrices(r lir.Ref, back bool) {
	const s = uint8(valueScratch)
	size := c.Program.Var(r).ElemSize()
	for at := int32(0); at < c.Column(0, size, c.Block); at += int32(4 * c.Width) {
		frame := amd64.At(frameReg, c.Column(c.Program.Var(r).Off, size, c.j0)+at)
		here := ctx(c.MatrixSlot(r) + at)
		if back {
			frame, here = here, frame
		}
		c.Emit(amd64.VMOVUPS, amd64.Args{D: s, Y: frame})
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: s, Y: here})
	}
}
