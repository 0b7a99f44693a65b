package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// source is where an operand is: in a register, or in memory, in one element for all lanes or a
// whole vector.
type source struct {
	reg    int // negative: in memory
	memory amd64.Operand
	one    bool
}

// fixedAt returns the register of a value that is the same for all vectors.
func (l *lanes) fixedAt(r lir.Ref) (x uint8, ok bool) {
	if l.fixed == nil {
		return 0, false
	}
	return l.fixed.get(r)
}

func inRegister(r int) source { return source{reg: r} }

// operand returns the source as an operand of an instruction on vectors of 4-byte elements.
func (s source) operand() amd64.Operand {
	switch {
	case s.reg >= 0:
		return amd64.V(amd64.Vec(s.reg))
	case s.one:
		return s.memory.Broadcast()
	}
	return s.memory
}

// load brings the source into a register, under a mask if k is not 0.
func (c *compiler) loadSource(d uint8, s source, k amd64.Mask) {
	if s.reg < 0 && s.one {
		c.Emit(amd64.VBROADCASTSS, amd64.Args{D: d, Y: s.memory, K: k})
		return
	}
	c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: s.operand(), K: k})
}

// column returns the vector of a variable that has no register.
func (l *lanes) column(h *plan.Home) amd64.Operand {
	if h.Apart {
		return ctx(l.c.Column(h.Offset, 4, l.jj))
	}
	return amd64.At(frameReg, l.c.Column(h.Offset, 4, l.j))
}

// source returns where an operand is.
func (l *lanes) source(r lir.Ref) source {
	c := l.c
	if c.Class(r) <= lir.Simd {
		v := c.Program.Var(r)
		if v.Const && v.Kind.Size() == 4 && !c.evex() { // instructions cannot broadcast
			return source{reg: -1, memory: c.constant32(uint32(v.Bits))}
		}
		if plan.Narrow(v.Kind) {
			return source{reg: -1, memory: c.narrowShared(r), one: true}
		}
		return source{reg: -1, memory: c.place(r), one: true}
	}
	if x, ok := l.fixedAt(r); ok {
		return inRegister(int(x))
	}
	if m, ok := l.folded.get(r); ok {
		return m
	}
	if at, ok := l.memory(r); ok {
		return source{reg: -1, memory: at}
	}
	if h, ok := c.HomeOf(r); ok {
		return inRegister(h.Reg + l.jj)
	}
	x, ok := l.regs.get(r)
	if !ok {
		plan.Fail("instruction %d reads a value that nothing has written", l.pc)
	}
	return inRegister(int(x))
}

// in returns an operand, in a register or in memory.
func (l *lanes) in(r lir.Ref) amd64.Operand { return l.source(r).operand() }

// reg returns an operand in a register: its own, or the one given.
func (l *lanes) reg(r lir.Ref, scratch uint8) uint8 {
	s := l.source(r)
	if s.reg >= 0 {
		return uint8(s.reg)
	}
	l.c.loadSource(scratch, s, 0)
	return scratch
}

// maskBits returns where the vector's lanes of a mask are.
func (l *lanes) maskBits(m lir.Ref) amd64.Operand {
	return amd64.At(frameReg, l.c.Bits(l.c.Program.Var(m).Off, l.j))
}

// bitsOf returns where a bit for each lane of the vector is that an instruction's mask has.
func (l *lanes) bitsOf(m lir.Ref) amd64.Operand {
	if m == 0 {
		return ctx(l.c.Bits(CtxFull, l.j))
	}
	return l.maskBits(m)
}

// mask brings the lanes of a mask into a mask register.
func (l *lanes) mask(k uint8, r lir.Ref) {
	switch {
	case r != 0 || l.c.Partial():
		if !l.c.MaskFrom(k, l.c.bitsAt(r, l.j)) {
			l.c.Emit(amd64.KMOVWLoad, amd64.Args{D: k, Y: l.bitsOf(r)})
			l.c.MaskIs(k, l.c.bitsAt(r, l.j))
		}
	default:
		l.c.Emit(amd64.KXNORW, amd64.Args{D: k, X: k, Y: amd64.K(amd64.Mask(k))})
	}
}

// truth returns a mask register with a truth value.
func (l *lanes) truth(r lir.Ref, scratch uint8) uint8 {
	if k, ok := l.truths.get(r); ok {
		return k
	}
	c := l.c
	if c.Class(r) <= lir.Simd {
		c.scalar(amd64.MOVZX8To32, amd64.RAX, c.place(r))
		c.Emit(amd64.NEG32, amd64.Args{Y: amd64.G(amd64.RAX)})
		if c.evex() {
			c.Emit(amd64.KMOVWFromReg, amd64.Args{D: scratch, Y: amd64.G(amd64.RAX)})
			return scratch
		}
		c.BroadcastRegister(amd64.VPBROADCASTDReg, amd64.Args{D: c.MaskOut(scratch), Y: amd64.G(amd64.RAX)})
		return scratch
	}
	c.Emit(amd64.KMOVWLoad, amd64.Args{D: scratch, Y: ctx(l.c.Bits(l.c.truthSlot(r), l.j))})
	return scratch
}

// truthSlot returns where the truth values of a variable are in the context.
func (c *compiler) truthSlot(r lir.Ref) int32 {
	if h, ok := c.HomeOf(r); ok {
		return h.Offset
	}
	at := &c.Spots[r].Own
	if *at == 0 {
		*at = c.Alloc(int(c.Bits(0, max(c.Vectors, 32))), 8)
	}
	return *at
}

// defTruth returns the mask register for a truth value. doneTruth must follow.
func (l *lanes) defTruth(r lir.Ref) uint8 {
	if _, ok := l.c.HomeOf(r); ok {
		return 3
	}
	if k, ok := l.truths.get(r); ok {
		return k
	}
	if len(l.freeK) == 0 {
		return 3
	}
	k := l.freeK[len(l.freeK)-1]
	l.freeK = l.freeK[:len(l.freeK)-1]
	l.truths.set(r, k)
	return k
}

func (l *lanes) doneTruth(r lir.Ref, k uint8) {
	if k == 3 || slices.Contains(l.kept, r) {
		l.c.Emit(amd64.KMOVWStore, amd64.Args{X: k, Y: ctx(l.c.Bits(l.c.truthSlot(r), l.j))})
	}
}

// vectorOps are operations on two vectors of 32-bit numbers that are one instruction. The second
// operand may be in memory; commutes says that the operands may change places.
var vectorOps = [ir.NumOps]struct {
	kind     ir.Kind
	op       amd64.Op
	imm      int64
	commutes bool
}{
	ir.OpFAdd: {ir.F32, amd64.VADDPS, 0, true}, ir.OpFSub: {ir.F32, amd64.VSUBPS, 0, false},
	ir.OpFMul: {ir.F32, amd64.VMULPS, 0, true}, ir.OpFDiv: {ir.F32, amd64.VDIVPS, 0, false},
	ir.OpAdd: {ir.I32, amd64.VPADDD, 0, true}, ir.OpSub: {ir.I32, amd64.VPSUBD, 0, false},
	ir.OpMul: {ir.I32, amd64.VPMULLD, 0, true}, ir.OpAnd: {ir.I32, amd64.VPANDD, 0, true},
	ir.OpOr: {ir.I32, amd64.VPORD, 0, true}, ir.OpXor: {ir.I32, amd64.VPXORD, 0, true},
	ir.OpSMin: {ir.I32, amd64.VPMINSD, 0, true}, ir.OpSMax: {ir.I32, amd64.VPMAXSD, 0, true},
	ir.OpUMin: {ir.I32, amd64.VPMINUD, 0, true}, ir.OpUMax: {ir.I32, amd64.VPMAXUD, 0, true},
}

// vectorCompares are comparisons of vectors, into a mask.
var vectorCompares = [ir.NumOps]struct {
	kind ir.Kind
	op   amd64.Op
	imm  int64
}{
	ir.OpEq: {ir.I32, amd64.VPCMPUD, 0}, ir.OpNe: {ir.I32, amd64.VPCMPUD, 4},
	ir.OpULT: {ir.I32, amd64.VPCMPUD, 1}, ir.OpULE: {ir.I32, amd64.VPCMPUD, 2},
	ir.OpSLT: {ir.I32, amd64.VPCMPD, 1}, ir.OpSLE: {ir.I32, amd64.VPCMPD, 2},
	ir.OpFEq: {ir.F32, amd64.VCMPPS, 0}, ir.OpFNe: {ir.F32, amd64.VCMPPS, 4},
	ir.OpFLT: {ir.F32, amd64.VCMPPS, 0x11}, ir.OpFLE: {ir.F32, amd64.VCMPPS, 0x12},
}

// vectorShifts are shifts: by an amount that counts modulo 32, and by a constant.
var vectorShifts = [ir.NumOps][2]amd64.Op{
	ir.OpShl: {amd64.VPSLLVD, amd64.VPSLLDImm}, ir.OpLShr: {amd64.VPSRLVD, amd64.VPSRLDImm},
	ir.OpAShr: {amd64.VPSRAVD, amd64.VPSRADImm},
}

// vectorRounds are roundings to integers, with the immediate operand.
var vectorRounds = [ir.NumOps]int64{ir.OpRint: 8, ir.OpFloor: 9, ir.OpCeil: 10, ir.OpFTrunc: 11}

// op compiles an instruction.
func (l *lanes) op(in *lir.Inst) { l.opOf(l.c.KindOf(in), in) }

// opOf compiles an instruction of a kind.
func (l *lanes) opOf(kind plan.LaneKind, in *lir.Inst) {
	switch kind {
	case plan.MaskLaneOp:
		l.maskOp(in)
	case plan.CopyLaneOp:
		l.copy(in)
	case plan.TextureLaneOp:
		l.texture(in)
	case plan.QuadLaneOp:
		l.quadOp(in)
	case plan.ThreadLaneOp:
		l.thread(in)
	case plan.WideLaneOp:
		l.wideOp(in)
	case plan.MatrixLaneOp:
		l.matrixOp(in)
	case plan.LoadLaneOp:
		l.load(in)
	case plan.StoreLaneOp:
		l.storeOp(in)
	case plan.AtomicLaneOp:
		l.atomic(l.access.at(l.pc))
	case plan.FunctionLaneOp:
		l.function(in, plan.FunctionOf(in))
	case plan.ConvertLaneOp:
		l.convert(in)
	case plan.BitLaneOp:
		l.bitOp(in)
	case plan.NarrowLaneOp:
		l.narrowOp(in)
	case plan.TruthLaneOp:
		l.truthOp(in)
	default:
		l.vectorOp(in)
	}
}

// vectorOp compiles an operation on numbers in vectors of 32-bit elements.
func (l *lanes) vectorOp(in *lir.Inst) {
	c, op := l.c, in.Op.IR()
	const s = uint8(placeScratch)
	if in.Op == lir.OpMerge {
		l.mask(1, in.Mask)
		d := l.def(in.D)
		if to, ok := l.memory(in.D); ok {
			v := l.reg(in.A, s)
			// Processors forward no masked store to a load.
			c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: to})
			c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: vec(v), K: 1})
			l.done(in.D, d)
			return
		}
		c.loadSource(d, l.source(in.A), 1)
		return
	}
	switch x := &vectorOps[op]; {
	case in.Op == lir.OpMov, op == ir.OpBitcast:
		l.move(in)
		return
	case x.op != 0:
		a, b := in.A, in.B
		if x.commutes && l.source(a).reg < 0 { // only the second may be in memory
			a, b = b, a
		}
		v, y := l.reg(a, s), l.in(b)
		d := l.def(in.D)
		c.Emit(x.op, amd64.Args{D: d, X: v, Y: y, Imm: x.imm})
		l.done(in.D, d)
		return
	}
	if shifts := vectorShifts[op]; shifts[0] != 0 {
		v := l.reg(in.A, s)
		d := l.def(in.D)
		if b := c.Program.Var(in.B); b.Const {
			c.Emit(shifts[1], amd64.Args{D: d, Y: amd64.V(amd64.Vec(v)), Imm: int64(b.Bits & 31)})
		} else {
			n := l.reg(in.B, indexScratch)
			c.Emit(amd64.VPANDD, amd64.Args{D: indexScratch, X: n, Y: c.constant32(31)})
			c.Emit(shifts[0], amd64.Args{D: d, X: v, Y: amd64.V(indexScratch)})
		}
		l.done(in.D, d)
		return
	}
	if divisions[op] != (division{}) {
		l.divide(in)
		return
	}
	if imm := vectorRounds[op]; imm != 0 {
		y := l.in(in.A)
		d := l.def(in.D)
		c.Emit(amd64.VRNDSCALEPS, amd64.Args{D: d, Y: y, Imm: imm})
		l.done(in.D, d)
		return
	}
	switch op {
	case ir.OpFMin, ir.OpFMax:
		l.extreme(in)
	case ir.OpFNeg:
		v := l.reg(in.A, s)
		d := l.def(in.D)
		c.Emit(amd64.VPXORD, amd64.Args{D: d, X: v, Y: c.constant32(1 << 31)})
		l.done(in.D, d)
	case ir.OpFAbs:
		v := l.reg(in.A, s)
		d := l.def(in.D)
		c.Emit(amd64.VPANDD, amd64.Args{D: d, X: v, Y: c.constant32(1<<31 - 1)})
		l.done(in.D, d)
	case ir.OpNeg:
		v := l.in(in.A)
		c.Emit(amd64.VPXORD, amd64.Args{D: s, X: s, Y: amd64.V(amd64.Vec(s))})
		d := l.def(in.D)
		c.Emit(amd64.VPSUBD, amd64.Args{D: d, X: s, Y: v})
		l.done(in.D, d)
	case ir.OpNot:
		v := l.reg(in.A, s)
		d := l.def(in.D)
		c.Emit(amd64.VPXORD, amd64.Args{D: d, X: v, Y: c.constant32(^uint32(0))})
		l.done(in.D, d)
	case ir.OpSqrt:
		y := l.in(in.A)
		d := l.def(in.D)
		c.Emit(amd64.VSQRTPS, amd64.Args{D: d, Y: y})
		l.done(in.D, d)
	case ir.OpSIToF, ir.OpUIToF:
		conv := amd64.VCVTDQ2PS
		if op == ir.OpUIToF {
			conv = amd64.VCVTUDQ2PS
		}
		y := l.in(in.A)
		d := l.def(in.D)
		c.Emit(conv, amd64.Args{D: d, Y: y})
		l.done(in.D, d)
	case ir.OpFMA: // in scratch, since the result may be an operand
		x, y, z := l.reg(in.A, indexScratch), l.reg(in.B, s), l.in(in.C)
		if x != indexScratch {
			c.Emit(amd64.VMOVAPS, amd64.Args{D: indexScratch, Y: amd64.V(amd64.Vec(x))})
		}
		c.Emit(amd64.VFMADD213PS, amd64.Args{D: indexScratch, X: y, Y: z})
		d := l.def(in.D)
		c.Emit(amd64.VMOVAPS, amd64.Args{D: d, Y: amd64.V(indexScratch)})
		l.done(in.D, d)
	case ir.OpSelect:
		k := l.truth(in.A, 1)
		no, yes := l.reg(in.C, s), l.in(in.B)
		d := l.def(in.D)
		c.Emit(amd64.VBLENDMPS, amd64.Args{D: d, X: no, Y: yes, K: amd64.Mask(k)})
		l.done(in.D, d)
	case ir.OpZExt:
		k := l.truth(in.A, 1)
		d := l.def(in.D)
		c.Emit(amd64.VBROADCASTSS, amd64.Args{D: d, Y: ctx(c.word(1)), K: amd64.Mask(k), Zero: true})
		l.done(in.D, d)
	default:
		plan.Fail("%v", in.Op)
	}
}

// storeOp compiles a store.
func (l *lanes) storeOp(in *lir.Inst) {
	switch a := l.access.at(l.pc); {
	case a.group != nil && !l.cold:
		l.storeGroup(a.group, in)
	case plan.Wide(in.Kind):
		l.storeWide(a)
	case plan.Narrow(in.Kind):
		l.storeNarrow(a)
	case a.gather || l.cold:
		l.scatter(a)
	default:
		l.store(l.c.at(a, l.jj), l.reg(in.C, valueScratch), in)
	}
}

// store stores a register in the lanes of an instruction's mask.
func (l *lanes) store(to amd64.Operand, v uint8, in *lir.Inst) {
	c := l.c
	if in.Mask == 0 && !c.Partial() {
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: to})
		return
	}
	if c.evex() {
		l.mask(1, in.Mask)
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: to, K: 1})
		return
	}
	l.unlessAll(in, func() { c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: to}) }, func(l *lanes) {
		l.mask(1, in.Mask)
		c.Plain(amd64.VPMASKMOVDStore, amd64.Args{D: amd64.Physical(v), X: c.MaskIn(1), Y: to})
	})
}

// move compiles a Mov, or a change of kind.
func (l *lanes) move(in *lir.Inst) {
	c := l.c
	if c.Class(in.A) == lir.Affine {
		d := l.def(in.D)
		if at, ok := l.sums[in.A]; ok {
			c.Emit(amd64.VBROADCASTSS, amd64.Args{D: d, Y: ctx(at)})
			c.addSteps(d, c.affine(in.A), l.j)
		} else {
			c.materialize(d, c.affine(in.A), l.j)
		}
		l.done(in.D, d)
		return
	}
	y := l.source(in.A)
	d := l.def(in.D)
	if y.reg != int(d) {
		c.loadSource(d, y, 0)
	}
	l.done(in.D, d)
}

// load compiles a load.
func (l *lanes) load(in *lir.Inst) {
	c, a := l.c, l.access.at(l.pc)
	if a.group != nil && !l.cold {
		l.loadGroup(a.group, in)
		return
	}
	if plan.Wide(in.Kind) {
		l.loadWide(a)
		return
	}
	if plan.Narrow(in.Kind) {
		l.loadNarrow(a)
		return
	}
	if a.gather || l.cold {
		l.gather(a)
		return
	}
	_, lives := c.HomeOf(in.D)
	lives = lives || len(c.Defs[in.D]) > 1
	if a.fixed && !lives && !l.guarded && !l.stored() {
		if l.fixed.has(in.D) {
			return
		}
		if l.jj == 0 && c.Block > 1 && len(l.free) > c.MinLocals/2 {
			x := l.take()
			c.loadSource(x, source{reg: -1, memory: c.at(a, 0), one: a.same}, 0)
			l.fixed.set(in.D, x)
			return
		}
	}
	from := source{reg: -1, memory: c.at(a, l.jj), one: a.same}
	if !lives && !l.stored() {
		l.folded.set(in.D, from)
		return
	}
	d := l.def(in.D)
	c.loadSource(d, from, 0)
	l.done(in.D, d)
}

// stored reports whether the segment stores between the current load and the last use of its value.
func (l *lanes) stored() bool {
	d := l.c.Program.Code[l.pc].D
	for _, pc := range l.stores {
		if pc > l.pc && pc < l.last(d) {
			return true
		}
	}
	return false
}
