package jit

import (
	"iter"
	"math"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// number is a constant or a place of 8 bytes.
type number struct {
	constant bool
	value    int64
	at       amd64.Operand
}

func constantOf(x int64) number { return number{constant: true, value: x} }

func (n number) is(x int64) bool { return n.constant && n.value == x }

// affine is an affine variable: the lower 32 bits of base are the value in lane 0 of the
// threadgroup, steps are those along x, y and z.
type affine struct {
	base  number
	steps [3]number
}

// strides are the steps of affine variables as far as they are known in advance.
type strides struct {
	numbers []int32  // of affine variables from 1 on, by variable; 0 for others
	list    []stride // by number
}

type stride struct {
	steps [3]number
	known bool
}

// of returns the steps of a variable, or false.
func (s *strides) of(r lir.Ref) (steps [3]number, known bool) {
	x := &s.list[s.numbers[r]]
	return x.steps, x.known
}

// findStrides finds the steps of a program's affine variables.
func findStrides(p *lir.Program) strides {
	s, n := strides{numbers: make([]int32, len(p.Vars))}, int32(0)
	for r := range p.Vars {
		if p.Vars[r].Class == lir.Affine {
			n++
			s.numbers[r] = n
		}
	}
	s.list = make([]stride, n+1)
	for changed := true; changed; {
		changed = false
		for pc := range p.Code {
			in := &p.Code[pc]
			if in.D == 0 || p.Var(in.D).Class != lir.Affine {
				continue
			}
			steps, ok := s.after(p, in)
			if !ok {
				continue
			}
			x := &s.list[s.numbers[in.D]]
			if !x.known {
				*x, changed = stride{steps, true}, true
				continue
			}
			for i, old := range x.steps {
				if old.constant && old != steps[i] {
					x.steps[i], changed = number{}, true
				}
			}
		}
	}
	return s
}

// after returns the steps of an instruction's result; ok is false as long as an operand has none.
func (s *strides) after(p *lir.Program, in *lir.Inst) (steps [3]number, ok bool) {
	get := func(r lir.Ref) ([3]number, bool) {
		if p.Var(r).Class == lir.Once {
			return [3]number{constantOf(0), constantOf(0), constantOf(0)}, true
		}
		return s.of(r)
	}
	if in.Op == lir.OpPos {
		steps = [3]number{constantOf(0), constantOf(0), constantOf(0)}
		steps[in.Imm] = constantOf(1)
		return steps, true
	}
	a, ok := get(in.A)
	if !ok {
		return steps, false
	}
	var b [3]number
	if in.B != 0 {
		if b, ok = get(in.B); !ok {
			return steps, false
		}
	}
	for i := range steps {
		both := a[i].constant && (in.B == 0 || b[i].constant)
		switch op := in.Op.IR(); {
		case in.Op == lir.OpMov, op == ir.OpZExt, op == ir.OpSExt, op == ir.OpTrunc:
			steps[i] = a[i]
		case op == ir.OpAdd && both:
			steps[i] = constantOf(a[i].value + b[i].value)
		case op == ir.OpSub && both:
			steps[i] = constantOf(a[i].value - b[i].value)
		case op == ir.OpNeg && both:
			steps[i] = constantOf(-a[i].value)
		case op == ir.OpMul && both && p.Var(in.A).Const:
			steps[i] = constantOf(factor(p.Var(in.A)) * b[i].value)
		case op == ir.OpMul && both && p.Var(in.B).Const:
			steps[i] = constantOf(factor(p.Var(in.B)) * a[i].value)
		case op == ir.OpMul && a[i].is(0) && b[i].is(0):
			steps[i] = constantOf(0)
		case op == ir.OpShl && both && p.Var(in.B).Const:
			steps[i] = constantOf(a[i].value << (p.Var(in.B).Bits & uint64(8*in.Kind.Size()-1)))
		case op == ir.OpShl && a[i].is(0):
			steps[i] = constantOf(0)
		case op == ir.OpOffset && both:
			steps[i] = a[i]
			if in.B != 0 {
				steps[i].value += b[i].value * in.Scale
			}
		}
	}
	return steps, true
}

// factor returns a constant as a signed number.
func factor(v *lir.Var) int64 {
	if wide(v.Kind) {
		return int64(v.Bits)
	}
	return int64(int32(v.Bits))
}

// findBounded finds affine numbers of 32 bits that are not negative in any lane, and the most that
// each can be. Extended to 64 bits, they are still affine.
func (f *facts) findBounded() {
	f.most = make([]int64, len(f.s.list))
	for i := range f.most {
		f.most[i] = -1
	}
	most := func(r lir.Ref) (n int64, ok bool) {
		if v := f.p.Var(r); v.Const {
			return int64(uint32(v.Bits)), true
		}
		return f.most[f.s.numbers[r]], f.isBounded(r)
	}
	for pc := range f.p.Code {
		in := &f.p.Code[pc]
		if in.D == 0 || f.p.Var(in.D).Class != lir.Affine || f.p.Var(in.D).Kind != ir.I32 || len(f.defs[in.D]) > 1 {
			continue
		}
		if in.Op == lir.OpPos {
			f.most[f.s.numbers[in.D]] = int64(f.p.Shape[in.Imm] - 1)
			continue
		}
		n, ok := most(in.A)
		if in.B != 0 {
			m, known := most(in.B)
			ok = ok && known
			switch in.Op.IR() {
			case ir.OpAdd:
				n += m
			case ir.OpMul:
				n *= m
			default:
				ok = false
			}
		} else {
			ok = ok && in.Op == lir.OpMov
		}
		if ok && n <= math.MaxInt32 {
			f.most[f.s.numbers[in.D]] = n
		}
	}
}

// isBounded reports whether findBounded has found a variable.
func (f *facts) isBounded(r lir.Ref) bool { return f.most[f.s.numbers[r]] >= 0 }

// affineAddressUsable reports whether sharedAffine computes an affine address.
func (f *facts) affineAddressUsable(in *lir.Inst) bool {
	p := f.p
	steps, known := f.s.of(in.D)
	for _, s := range steps {
		if !s.constant {
			return false
		}
	}
	if a := p.Var(in.A).Class; !known || a != lir.Once && a != lir.Affine {
		return false
	}
	if in.B == 0 || p.Var(in.B).Class == lir.Once {
		return true
	}
	return f.isBounded(in.B) && in.Ext != lir.NoExt || in.Ext == lir.NoExt && p.Var(in.B).Class == lir.Affine
}

// affine returns a variable as an affine number.
func (c *compiler) affine(r lir.Ref) affine {
	zero := [3]number{constantOf(0), constantOf(0), constantOf(0)}
	if k := c.class(r); k == lir.Once || k == lir.Simd {
		return affine{number{at: c.place(r)}, zero}
	}
	n := c.s.numbers[r]
	if n == 0 {
		fail("variable %d is not affine", r)
	}
	a := &c.affs[n]
	if a.base != (number{}) {
		return *a
	}
	steps, _ := c.s.of(r)
	if c.written.has(r) { // in the context
		a.base = number{at: ctx(c.alloc(8, 8))}
		for i := range steps {
			if a.steps[i] = steps[i]; !steps[i].constant {
				a.steps[i] = number{at: ctx(c.alloc(8, 8))}
			}
		}
	} else { // as it was before the range
		off := c.p.Var(r).Off
		a.base = number{at: amd64.At(frameReg, off+8)}
		for i := range steps {
			if a.steps[i] = steps[i]; !steps[i].constant {
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
	if n.constant {
		c.MovImm64(d, n.value)
		return
	}
	c.load64(d, n.at)
}

// keepShared saves the shared numbers that the range finds, for the blocks after the first: a block
// may write a variable in the place of another that it has finished with.
func (c *compiler) keepShared() {
	if c.u >= c.vecs {
		return
	}
	for r := range c.live.at(c.from).all {
		if c.class(r) == lir.Once && c.touched.has(r) {
			at := c.alloc(8, 8)
			c.spots[r].saved = at
			c.load64(amd64.RAX, c.place(r))
			c.store64(ctx(at), amd64.RAX)
		}
	}
}

// restoreShared undoes what a block has done to shared numbers.
func (c *compiler) restoreShared() {
	for r := range c.live.at(c.from).all {
		if at := c.spots[r].saved; at != 0 {
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

// sharedUsable reports whether shared compiles an instruction.
func sharedUsable(p *lir.Program, in *lir.Inst) bool {
	if in.D == 0 {
		return false // stores
	}
	d := p.Var(in.D)
	once := func(rs ...lir.Ref) bool { // as widely shared as the result
		for _, r := range rs {
			if r != 0 && p.Var(r).Class > d.Class {
				return false
			}
		}
		return true
	}
	if in.D2 != 0 || len(in.Outs) > 0 || len(in.More) > 0 {
		return false
	}
	op := in.Op.IR()
	switch {
	case d.Class == lir.Affine:
		if d.Kind != ir.I32 {
			return false
		}
		if truncates(p, in) {
			return true
		}
		for _, r := range []lir.Ref{in.A, in.B} {
			if r != 0 && (p.Var(r).Kind != ir.I32 || p.Var(r).Class != lir.Once && p.Var(r).Class != lir.Affine) {
				return false
			}
		}
		return in.Op == lir.OpPos || in.Op == lir.OpMov || op == ir.OpAdd || op == ir.OpSub ||
			op == ir.OpMul && in.Kind == ir.I32
	case in.Op == lir.OpMov:
		return once(in.A) && d.Kind != ir.Matrix
	case in.Op == lir.OpMerge:
		return false
	case op == ir.OpOffset:
		return once(in.A, in.B)
	case op == ir.OpLoad:
		return once(in.A, in.B) && in.Space != ir.Thread && in.Flags&ir.Volatile == 0 &&
			in.Kind != ir.Matrix
	}
	return once(in.A, in.B, in.C) && (scalarUsable(in) || vectorUsable(p, in))
}

// scalarUsable reports whether sharedOnce knows an operation on numbers in general registers.
func scalarUsable(in *lir.Inst) bool {
	word := in.Kind == ir.I32 || in.Kind == ir.I64
	switch op := in.Op.IR(); op {
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot:
		return word || in.Kind == ir.I1
	case ir.OpZExt:
		return true
	case ir.OpSExt:
		return in.From != ir.I1
	case ir.OpTrunc:
		return in.Kind != ir.I1
	case ir.OpFConv:
		return in.Kind == ir.F32
	case ir.OpSIToF, ir.OpUIToF:
		return in.From == ir.I32 && in.Kind == ir.F32
	case ir.OpBitcast:
		return in.Kind.Size() == 4
	case ir.OpSelect:
		return in.Kind.Size() >= 4
	default:
		return word && (conditions[op] != 0 || sharedOps[op] != [2]amd64.Op{} || sharedShifts[op] != [2]amd64.Op{}) ||
			in.Kind == ir.F32 && sharedFloats[op] != 0
	}
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
	l := c.apart(c.simdgroup*lir.SimdWidth/c.width, 0)
	l.op(in)
	if c.isTruth(in.D) {
		c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(amd64.RAX), Y: amd64.K(amd64.Mask(l.truths.at(in.D)))})
		c.scalarImm(amd64.AND32Imm, amd64.RAX, 1)
	} else {
		x, ok := l.regs.get(in.D)
		if !ok {
			fail("too few registers for a shared number")
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

// sharedStoreUsable reports whether shared compiles the store of a shared number.
func sharedStoreUsable(p *lir.Program, in *lir.Inst) bool {
	for _, r := range []lir.Ref{in.A, in.B, in.C} {
		if r != 0 && p.Var(r).Class > in.Per {
			return false
		}
	}
	return in.Space != ir.Thread && in.Flags&ir.Volatile == 0 && in.Kind != ir.Matrix
}

// shared compiles an instruction on numbers that all lanes share, or those of each simdgroup.
func (c *compiler) shared(in *lir.Inst) {
	if in.D == 0 || c.class(in.D) != lir.Simd {
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
		for g := c.simdgroupOf(c.j0); g <= c.simdgroupOf(c.j0+c.u-1); g++ {
			if !yield(g) {
				return
			}
		}
	}
}

// setShared makes a register the value of a shared number.
func (c *compiler) setShared(r lir.Ref, x amd64.Reg) {
	if c.class(r) != lir.Simd {
		c.store64(c.place(r), x)
		return
	}
	c.Emit(storesOf[c.p.Var(r).ElemSize()], amd64.Args{X: uint8(x), Y: c.place(r)})
}

// sharedOnce compiles an instruction on shared numbers, once.
func (c *compiler) sharedOnce(in *lir.Inst) {
	op := in.Op.IR()
	switch {
	case op == ir.OpStore:
		c.sharedStore(in)
		return
	case isQuery(in):
		c.query(in)
		return
	}
	const x = uint8(31) // scratch
	wide := 0
	if in.Kind == ir.I64 {
		wide = 1
	}
	loadA := func(d amd64.Reg, r lir.Ref) {
		if c.p.Var(r).Kind.Size() == 8 || c.p.Var(r).Kind == ir.Pointer {
			c.load64(d, c.place(r))
		} else {
			c.load32(d, c.place(r))
		}
	}
	switch {
	case isGiven(c.p, in):
		c.given(in)
	case c.class(in.D) == lir.Affine:
		c.sharedAffine(in)
	case in.Op == lir.OpMov:
		c.load64(amd64.RAX, c.place(in.A))
		c.setShared(in.D, amd64.RAX)
	case op == ir.OpOffset:
		c.address(amd64.RAX, in)
		c.setShared(in.D, amd64.RAX)
	case op == ir.OpLoad:
		c.sharedLoad(in)
	case !scalarUsable(in):
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
			fail("%v of shared numbers", in.Op)
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
	if wide(c.p.Var(in.D).Kind) { // an address or an index with constant steps
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
		if d.steps[i].constant {
			continue
		}
		switch {
		case in.Op == lir.OpMov, op == ir.OpTrunc:
			c.loadNumber(amd64.RAX, a.steps[i])
		case op == ir.OpMul:
			by, step := in.B, a.steps[i]
			if c.class(in.A) == lir.Once {
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
	c.compare(amd64.CMP64, amd64.RCX, ctx(obj+objLength))
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
	c.compare(amd64.CMP64, amd64.RCX, ctx(obj+objLength))
	c.Jcc(amd64.A, over)
	c.scalar(amd64.ADD64, amd64.RDX, ctx(obj))
	c.scalar(zeroExtended[size], amd64.RAX, c.place(in.C))
	c.Emit(storesOf[size], amd64.Args{X: uint8(amd64.RAX), Y: amd64.At(amd64.RDX, 0)})
	c.Bind(over)
}
