package emit

import (
	"iter"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// number is a constant or a place of 8 bytes.
type number struct {
	plan.Step
	at amd64.Operand
}

func constantNumber(x int64) number { return number{Step: plan.ConstantOf(x)} }

// affine is an affine variable: the lower 32 bits of base are the value in lane 0 of the
// threadgroup, steps are those along x, y and z.
type affine struct {
	base  number
	steps [3]number
}

// affine returns a variable as an affine number.
func (c *compiler) affine(r lir.Ref) affine {
	zero := [3]number{constantNumber(0), constantNumber(0), constantNumber(0)}
	if k := c.Class(r); k == lir.Once || k == lir.Simd {
		return affine{number{at: c.place(r)}, zero}
	}
	n := c.Strides.Numbers[r]
	if n == 0 {
		plan.Fail("variable %d is not affine", r)
	}
	a := &c.affs[n]
	if a.base != (number{}) {
		return *a
	}
	steps, _ := c.Strides.Of(r)
	if c.Written.Has(r) { // in the context
		a.base = number{at: ctx(c.Alloc(8, 8))}
		for i := range steps {
			if a.steps[i] = (number{Step: steps[i]}); !steps[i].Constant {
				a.steps[i] = number{at: ctx(c.Alloc(8, 8))}
			}
		}
	} else { // as it was before the range
		off := c.Program.Var(r).Off
		a.base = number{at: amd64.At(frameReg, off+8)}
		for i := range steps {
			if a.steps[i] = (number{Step: steps[i]}); !steps[i].Constant {
				a.steps[i] = number{at: amd64.At(frameReg, off+16+8*int32(i))}
			}
		}
	}
	return *a
}

// Shorthands for instructions on general registers.

func (c *compiler) load64(d amd64.Reg, y amd64.Operand) {
	c.Emit(amd64.MOV64, amd64.Args{D: uint8(d), Y: y})
}
func (c *compiler) load32(d amd64.Reg, y amd64.Operand) {
	c.Emit(amd64.MOV32, amd64.Args{D: uint8(d), Y: y})
}
func (c *compiler) store64(y amd64.Operand, d amd64.Reg) {
	c.Emit(amd64.MOV64Store, amd64.Args{X: uint8(d), Y: y})
}
func (c *compiler) scalar(op amd64.Op, d amd64.Reg, y amd64.Operand) {
	c.Emit(op, amd64.Args{D: uint8(d), Y: y})
}
func (c *compiler) compare(op amd64.Op, x amd64.Reg, y amd64.Operand) {
	c.Emit(op, amd64.Args{X: uint8(x), Y: y})
}
func (c *compiler) scalarImm(op amd64.Op, d amd64.Reg, imm int64) {
	c.Emit(op, amd64.Args{Y: amd64.G(d), Imm: imm})
}

// loadNumber brings a number into a register.
func (c *compiler) loadNumber(d amd64.Reg, n number) {
	if n.Constant {
		c.MovImm64(d, n.Value)
		return
	}
	c.load64(d, n.at)
}

// keepShared saves the shared numbers that the range finds, for the blocks after the first: a block
// may write a variable in the place of another that it has finished with.
func (c *compiler) keepShared() {
	if c.Block >= c.Vectors {
		return
	}
	for r := range c.Live.At(c.From).All {
		if c.Class(r) == lir.Once && c.Touched.Has(r) {
			at := c.Alloc(8, 8)
			c.Spots[r].Saved = at
			c.load64(amd64.RAX, c.place(r))
			c.store64(ctx(at), amd64.RAX)
		}
	}
}

// restoreShared undoes what a block has done to shared numbers.
func (c *compiler) restoreShared() {
	for r := range c.Live.At(c.From).All {
		if at := c.Spots[r].Saved; at != 0 {
			c.load64(amd64.RAX, ctx(at))
			c.store64(c.place(r), amd64.RAX)
		}
	}
}

// sharedOps are operations on two shared integers that are one instruction.
var sharedOps = [ir.NumOps][2]amd64.Op{
	ir.OpAdd: {amd64.ADD32, amd64.ADD64}, ir.OpSub: {amd64.SUB32, amd64.SUB64}, ir.OpMul: {amd64.IMUL32, amd64.IMUL64},
	ir.OpAnd: {amd64.AND32, amd64.AND64}, ir.OpOr: {amd64.OR32, amd64.OR64}, ir.OpXor: {amd64.XOR32, amd64.XOR64},
}

// sharedFloats are operations on two shared floats that are one instruction.
var sharedFloats = [ir.NumOps]amd64.Op{
	ir.OpFAdd: amd64.VADDSS, ir.OpFSub: amd64.VSUBSS, ir.OpFMul: amd64.VMULSS, ir.OpFDiv: amd64.VDIVSS,
}

var sharedShifts = [ir.NumOps][2]amd64.Op{
	ir.OpShl: {amd64.SHLX32, amd64.SHLX64}, ir.OpLShr: {amd64.SHRX32, amd64.SHRX64},
	ir.OpAShr: {amd64.SARX32, amd64.SARX64},
}

var conditions = [ir.NumOps]amd64.Cond{
	ir.OpEq: amd64.E, ir.OpNe: amd64.NE, ir.OpULT: amd64.B, ir.OpULE: amd64.BE, ir.OpSLT: amd64.L, ir.OpSLE: amd64.LE,
}

// address computes an OpOffset, of which only the lower 40 bits change, for lane 0 of the
// threadgroup. It uses RCX.
func (c *compiler) address(d amd64.Reg, in *lir.Inst) {
	c.offsetIn(d, in)
	c.load64(amd64.RCX, c.pointer(in.A))
	c.scalar(amd64.AND64, amd64.RCX, ctx(c.word(^uint64(offsetMask))))
	c.scalar(amd64.OR64, d, amd64.G(amd64.RCX))
}

// byVector compiles an operation on shared numbers as one on vectors.
func (c *compiler) byVector(in *lir.Inst) {
	l := c.apart(c.simdgroup*lir.SimdWidth/c.Width, 0)
	l.op(in)
	if c.IsTruth(in.D) {
		c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(amd64.RAX), Y: amd64.K(amd64.Mask(l.truths.at(in.D)))})
		c.scalarImm(amd64.AND32Imm, amd64.RAX, 1)
	} else {
		x, ok := l.regs.get(in.D)
		if !ok {
			plan.Fail("too few registers for a shared number")
		}
		c.Emit(amd64.VMOVDToReg, amd64.Args{D: uint8(amd64.RAX), Y: amd64.V(amd64.Vec(x))})
	}
	c.setShared(in.D, amd64.RAX)
}

// apart returns a vector outside of the operations on lanes of a segment. Those that are used at
// the same time have different numbers.
func (c *compiler) apart(j, number int) *lanes {
	v := c.outside[number]
	v.clear()
	return &lanes{c: c, j: j, jj: j - c.j0, values: v, laneOps: &noOps, free: c.freeRegs(), freeK: []uint8{7, 6, 5, 4}}
}

// shared compiles an instruction on numbers that all lanes share, or those of each simdgroup.
func (c *compiler) shared(in *lir.Inst) {
	if in.D == 0 || c.Class(in.D) != lir.Simd {
		c.sharedOnce(in)
		return
	}
	for c.simdgroup = range c.simdgroups() {
		c.sharedOnce(in)
	}
}

// simdgroups yields the simdgroups of the current block.
func (c *compiler) simdgroups() iter.Seq[int] {
	return func(yield func(int) bool) {
		for g := c.SimdgroupOf(c.j0); g <= c.SimdgroupOf(c.j0+c.Block-1); g++ {
			if !yield(g) {
				return
			}
		}
	}
}

// setShared makes a register the value of a shared number.
func (c *compiler) setShared(r lir.Ref, x amd64.Reg) {
	if c.Class(r) != lir.Simd {
		c.store64(c.place(r), x)
		return
	}
	c.Emit(storesOf[c.Program.Var(r).ElemSize()], amd64.Args{X: uint8(x), Y: c.place(r)})
}

// sharedOnce compiles an instruction on shared numbers, once.
func (c *compiler) sharedOnce(in *lir.Inst) {
	op := in.Op.IR()
	switch {
	case op == ir.OpStore:
		c.sharedStore(in)
		return
	case plan.IsQuery(in):
		c.query(in)
		return
	}
	const x = uint8(31) // scratch
	wide := 0
	if in.Kind == ir.I64 {
		wide = 1
	}
	loadA := func(d amd64.Reg, r lir.Ref) {
		if c.Program.Var(r).Kind.Size() == 8 || c.Program.Var(r).Kind == ir.Pointer {
			c.load64(d, c.place(r))
		} else {
			c.load32(d, c.place(r))
		}
	}
	switch {
	case plan.IsGiven(c.Program, in):
		c.given(in)
	case c.Class(in.D) == lir.Affine:
		c.sharedAffine(in)
	case in.Op == lir.OpMov:
		c.load64(amd64.RAX, c.place(in.A))
		c.setShared(in.D, amd64.RAX)
	case op == ir.OpOffset:
		c.address(amd64.RAX, in)
		c.setShared(in.D, amd64.RAX)
	case op == ir.OpLoad:
		c.sharedLoad(in)
	case !plan.ScalarUsable(in):
		c.byVector(in)
	case in.Kind == ir.I1 && (op == ir.OpAnd || op == ir.OpOr || op == ir.OpXor):
		c.scalar(amd64.MOVZX8To32, amd64.RAX, c.place(in.A))
		c.scalar(amd64.MOVZX8To32, amd64.RCX, c.place(in.B))
		c.scalar(sharedOps[op][0], amd64.RAX, amd64.G(amd64.RCX))
		c.setShared(in.D, amd64.RAX)
	case in.Kind == ir.I1 && op == ir.OpNot:
		c.scalar(amd64.MOVZX8To32, amd64.RAX, c.place(in.A))
		c.scalarImm(amd64.XOR32Imm, amd64.RAX, 1)
		c.setShared(in.D, amd64.RAX)
	case sharedOps[op] != [2]amd64.Op{}:
		loadA(amd64.RAX, in.A)
		c.scalar(sharedOps[op][wide], amd64.RAX, c.place(in.B))
		c.setShared(in.D, amd64.RAX)
	case sharedShifts[op] != [2]amd64.Op{}: // the amount counts modulo the width, as in the processor
		loadA(amd64.RCX, in.B)
		c.Emit(sharedShifts[op][wide], amd64.Args{D: uint8(amd64.RAX), X: uint8(amd64.RCX), Y: c.place(in.A)})
		c.setShared(in.D, amd64.RAX)
	case sharedFloats[op] != 0:
		c.Emit(amd64.VMOVSS, amd64.Args{D: x, Y: c.place(in.A)})
		c.Emit(sharedFloats[op], amd64.Args{D: x, X: x, Y: c.place(in.B)})
		c.Emit(amd64.VMOVSSStore, amd64.Args{X: x, Y: c.place(in.D)})
	case op == ir.OpZExt:
		c.scalar(zeroExtended[in.From.Size()], amd64.RAX, c.place(in.A))
		c.setShared(in.D, amd64.RAX)
	case op == ir.OpSExt:
		c.scalar([5]amd64.Op{1: amd64.MOVSX8To64, 2: amd64.MOVSX16To64, 4: amd64.MOVSX32To64}[in.From.Size()], amd64.RAX,
			c.place(in.A))
		c.setShared(in.D, amd64.RAX)
	case op == ir.OpFConv:
		c.scalar(amd64.MOVZX16To32, amd64.RAX, c.place(in.A))
		if in.From == ir.BF16 {
			c.scalarImm(amd64.SHL32Imm, amd64.RAX, 16)
			c.setShared(in.D, amd64.RAX)
			return
		}
		c.Emit(amd64.VPBROADCASTDReg, amd64.Args{D: x, Y: amd64.G(amd64.RAX)})
		c.EmitBits(128, amd64.VCVTPH2PS, amd64.Args{D: x, Y: amd64.V(amd64.Vec(x))})
		c.Emit(amd64.VMOVSSStore, amd64.Args{X: x, Y: c.place(in.D)})
	case op == ir.OpTrunc, op == ir.OpBitcast:
		c.load32(amd64.RAX, c.place(in.A))
		c.setShared(in.D, amd64.RAX)
	case op == ir.OpSIToF, op == ir.OpUIToF:
		if op == ir.OpSIToF {
			c.scalar(amd64.MOVSX32To64, amd64.RAX, c.place(in.A))
		} else {
			c.load32(amd64.RAX, c.place(in.A))
		}
		c.Emit(amd64.VPXORD, amd64.Args{D: x, X: x, Y: amd64.V(amd64.Vec(x))})
		c.Emit(amd64.VCVTSI2SS64, amd64.Args{D: x, X: x, Y: amd64.G(amd64.RAX)})
		c.Emit(amd64.VMOVSSStore, amd64.Args{X: x, Y: c.place(in.D)})
	case op == ir.OpNot:
		c.load64(amd64.RAX, c.place(in.A))
		c.Emit(amd64.NOT64, amd64.Args{Y: amd64.G(amd64.RAX)})
		c.setShared(in.D, amd64.RAX)
	case op == ir.OpSelect:
		c.load64(amd64.RAX, c.place(in.B))
		c.scalar(amd64.MOVZX8To32, amd64.RCX, c.place(in.A))
		c.compare(amd64.TEST32, amd64.RCX, amd64.G(amd64.RCX))
		c.CMov64(amd64.E, amd64.RAX, c.place(in.C))
		c.setShared(in.D, amd64.RAX)
	default:
		cond := conditions[op]
		if cond == 0 {
			plan.Fail("%v of shared numbers", in.Op)
		}
		loadA(amd64.RAX, in.A)
		c.compare([2]amd64.Op{amd64.CMP32, amd64.CMP64}[wide], amd64.RAX, c.place(in.B))
		c.SetCC(cond, amd64.RAX)
		c.scalar(amd64.MOVZX8To32, amd64.RAX, amd64.G(amd64.RAX))
		c.setShared(in.D, amd64.RAX)
	}
}

// sharedAffine compiles an operation with an affine result.
func (c *compiler) sharedAffine(in *lir.Inst) {
	d := c.affine(in.D)
	if in.Op == lir.OpPos {
		c.MovImm64(amd64.RAX, 0)
		c.store64(d.base.at, amd64.RAX)
		return
	}
	op := in.Op.IR()
	if plan.Wide(c.Program.Var(in.D).Kind) { // an address or an index with constant steps
		switch {
		case op == ir.OpOffset:
			c.address(amd64.RAX, in)
		case in.Op == lir.OpMov:
			c.load64(amd64.RAX, c.pointer(in.A))
		default:
			c.sharedIndex(in)
			return
		}
		c.store64(d.base.at, amd64.RAX)
		return
	}
	a := c.affine(in.A)
	var b affine
	if in.B != 0 {
		b = c.affine(in.B)
	}
	for i := range d.steps { // first, since an operand may be the result
		if d.steps[i].Constant {
			continue
		}
		switch {
		case in.Op == lir.OpMov, op == ir.OpTrunc:
			c.loadNumber(amd64.RAX, a.steps[i])
		case op == ir.OpMul:
			by, step := in.B, a.steps[i]
			if c.Class(in.A) == lir.Once {
				by, step = in.A, b.steps[i]
			}
			c.loadNumber(amd64.RCX, step)
			c.scalar(amd64.MOVSX32To64, amd64.RAX, c.place(by))
			c.scalar(amd64.IMUL64, amd64.RAX, amd64.G(amd64.RCX))
		default:
			c.loadNumber(amd64.RAX, a.steps[i])
			c.loadNumber(amd64.RCX, b.steps[i])
			c.scalar(sharedOps[op][1], amd64.RAX, amd64.G(amd64.RCX))
		}
		c.store64(d.steps[i].at, amd64.RAX)
	}
	c.load32(amd64.RAX, a.base.at)
	if in.Op != lir.OpMov && op != ir.OpTrunc {
		c.scalar(sharedOps[op][0], amd64.RAX, b.base.at)
	}
	c.store64(d.base.at, amd64.RAX)
}

// sharedLoad compiles the load of one element; out of bounds it is 0.
func (c *compiler) sharedLoad(in *lir.Inst) {
	size := in.Kind.Size()
	obj := c.accessed[in]
	c.resolve(in)
	c.offsetIn(amd64.RDX, in)
	c.Emit(amd64.LEA64, amd64.Args{D: uint8(amd64.RCX), Y: amd64.At(amd64.RDX, int32(size))})
	c.scalar(amd64.XOR32, amd64.RAX, amd64.G(amd64.RAX))
	over := c.NewLabel()
	c.compare(amd64.CMP64, amd64.RCX, ctx(obj+ObjLength))
	c.Jcc(amd64.A, over)
	c.scalar(amd64.ADD64, amd64.RDX, ctx(obj))
	c.scalar(zeroExtended[size], amd64.RAX, amd64.At(amd64.RDX, 0))
	if in.Kind == ir.I1 {
		c.compare(amd64.TEST32, amd64.RAX, amd64.G(amd64.RAX))
		c.SetCC(amd64.NE, amd64.RAX)
		c.scalar(amd64.MOVZX8To32, amd64.RAX, amd64.G(amd64.RAX))
	}
	c.Bind(over)
	c.setShared(in.D, amd64.RAX)
}

// zeroExtended and storesOf are loads and stores of a number of bytes.
var (
	zeroExtended = [9]amd64.Op{1: amd64.MOVZX8To32, 2: amd64.MOVZX16To32, 4: amd64.MOV32, 8: amd64.MOV64}
	storesOf     = [9]amd64.Op{1: amd64.MOV8Store, 2: amd64.MOV16Store, 4: amd64.MOV32Store, 8: amd64.MOV64Store}
)

// sharedStore compiles the store of one element; out of bounds it does nothing.
func (c *compiler) sharedStore(in *lir.Inst) {
	size := in.Kind.Size()
	obj := c.accessed[in]
	c.resolve(in)
	c.offsetIn(amd64.RDX, in)
	c.Emit(amd64.LEA64, amd64.Args{D: uint8(amd64.RCX), Y: amd64.At(amd64.RDX, int32(size))})
	over := c.NewLabel()
	c.compare(amd64.CMP64, amd64.RCX, ctx(obj+ObjLength))
	c.Jcc(amd64.A, over)
	c.scalar(amd64.ADD64, amd64.RDX, ctx(obj))
	c.scalar(zeroExtended[size], amd64.RAX, c.place(in.C))
	c.Emit(storesOf[size], amd64.Args{X: uint8(amd64.RAX), Y: amd64.At(amd64.RDX, 0)})
	c.Bind(over)
}
