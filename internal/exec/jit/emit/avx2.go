package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// The compiler emits instructions of AVX-512. For processors that have AVX2 instead, Emit replaces
// what these lack:
//
//   - Intermediate values are in registers 12 to 15 instead of 28 to 31.
//   - What is broadcast from memory is loaded to the register spare first.
//   - A mask register is a vector in which all bits of a lane are set, or none: see masks.
//   - Other instructions are replaced by several, which change spare, the registers of masks and
//     flagless only.
//
// Instructions that it does not know and that have no VEX form make the range fail.

// Registers that hold no values of the compiler with AVX2.
const (
	spare     = 11
	flagless  = amd64.R15 // between vectors and memory, by instructions that leave flags alone
	maskFirst = 9         // the registers of masks
	maskCount = 2
)

// scratchMasks are the mask registers from K1 on that hold values for one operation.
const scratchMasks = 3

// masks are the mask registers with AVX2. Each has a place in the context, and the last used are in
// vector registers. Those are written back when the register is needed, and where control flow
// leaves or joins.
type masks struct {
	places [8]int32         // in the context; 0 before the first use
	held   [maskCount]uint8 // the mask in each vector register; 0 if there is none
	dirty  [maskCount]bool  // it has not been written back
	last   int              // used

	bits [maskCount][]maskBits // the bits in memory that each vector register has, also if it holds no mask

	// With AVX-512, what K1 has, if that is bits of a mask in the frame, or of the lanes that
	// exist: their place, or fullPlace, and which vector's they are.
	inK1    bool
	placeK1 int32
	vector  int
}

// fullPlace is what placeK1 is for the mask of all lanes that exist, which has no place in the
// frame.
const fullPlace = -1

// maskBits are the bits of a vector of a mask in the frame, or of the lanes that exist.
type maskBits struct {
	r lir.Ref
	j int
}

// maskIs says that bits in memory are those of a mask from now on.
func (c *compiler) maskIs(k uint8, b maskBits) {
	m := &c.masks
	if c.evex() {
		if k == 1 {
			m.inK1, m.placeK1, m.vector = true, c.placeOf(b.r), b.j
		}
		return
	}
	for i := range maskCount {
		m.bits[i] = slices.DeleteFunc(m.bits[i], func(o maskBits) bool { return o == b })
		if m.held[i] == k {
			m.bits[i] = append(m.bits[i], b)
		}
	}
}

// maskFrom sets a mask to bits in memory, if a vector register has them.
func (c *compiler) maskFrom(k uint8, b maskBits) bool {
	m := &c.masks
	if c.evex() {
		return k == 1 && m.inK1 && m.placeK1 == c.placeOf(b.r) && m.vector == b.j
	}
	i := slices.IndexFunc(m.bits[:], func(list []maskBits) bool { return slices.Contains(list, b) })
	if i < 0 {
		return false
	}
	if m.held[i] != 0 && m.held[i] != k {
		return false // it is a mask of its own
	}
	c.dropMask(k)
	m.held[i], m.dirty[i], m.last = k, true, i
	return true
}

// forgetMasks says that the vector registers of masks hold nothing.
func (c *compiler) forgetMasks() {
	c.masks.held = [maskCount]uint8{}
	for i := range maskCount {
		c.masks.bits[i] = c.masks.bits[i][:0]
	}
	c.masks.inK1 = false
}

// placeOf returns where a mask is.
func (c *compiler) placeOf(m lir.Ref) int32 {
	if m == 0 {
		return fullPlace
	}
	return c.Program.Var(m).Off
}

// evex reports whether the code may have instructions of AVX-512.
func (c *compiler) evex() bool { return c.Width == plan.MaxWidth }

// bitOps returns the instructions that load and store the bits of a vector of a mask in the frame.
func (c *compiler) bitOps() (load, store amd64.Op) {
	if c.evex() {
		return amd64.MOVZX16To32, amd64.MOV16Store
	}
	return amd64.MOVZX8To32, amd64.MOV8Store
}

// physical returns the register that the compiler means.
func physical(r uint8) uint8 {
	if r >= 28 {
		return r - 16
	}
	return r
}

func vec(r uint8) amd64.Operand { return amd64.V(amd64.Vec(r)) }

// plain emits an instruction that the processor has.
func (c *compiler) plain(op amd64.Op, x amd64.Args) { c.Asm.EmitBits(256, op, x) }

// half emits an instruction on xmm registers that the processor has.
func (c *compiler) half(op amd64.Op, x amd64.Args) { c.Asm.EmitBits(128, op, x) }

// maskAt returns where a mask has its place.
func (c *compiler) maskAt(k uint8) amd64.Operand {
	if c.masks.places[k] == 0 {
		c.masks.places[k] = c.Alloc(4*c.Width, 32)
	}
	return ctx(c.masks.places[k])
}

// writeBack stores the mask in vector register i if its place has another.
func (c *compiler) writeBack(i int) {
	if m := &c.masks; m.held[i] != 0 && m.dirty[i] {
		c.plain(amd64.VMOVAPSStore, amd64.Args{X: maskFirst + uint8(i), Y: c.maskAt(m.held[i])})
		m.dirty[i] = false
	}
}

// flushMasks gives all masks their places.
func (c *compiler) flushMasks() {
	for i := range maskCount {
		c.writeBack(i)
	}
}

// dropMask says that the value of a mask is not needed any more.
func (c *compiler) dropMask(k uint8) {
	if i := slices.Index(c.masks.held[:], k); i >= 0 {
		c.masks.held[i] = 0
	}
}

// makeRoom returns the number of a vector register that holds no mask.
func (c *compiler) makeRoom() int {
	m := &c.masks
	i := (m.last + 1) % maskCount
	if m.held[i] != 0 && m.held[m.last] == 0 {
		i = m.last
	}
	c.writeBack(i)
	m.held[i], m.last, m.bits[i] = 0, i, m.bits[i][:0]
	return i
}

// maskIn returns the vector register that holds a mask.
func (c *compiler) maskIn(k uint8) uint8 {
	m := &c.masks
	i := slices.Index(m.held[:], k)
	if i < 0 {
		i = c.makeRoom()
		m.held[i], m.dirty[i] = k, false
		c.plain(amd64.VMOVAPS, amd64.Args{D: maskFirst + uint8(i), Y: c.maskAt(k)})
	}
	m.last = i
	return maskFirst + uint8(i)
}

// maskOut returns the vector register that the next instruction sets to a new value of a mask. It
// may be that of another mask, which the instruction may still read.
func (c *compiler) maskOut(k uint8) uint8 {
	m := &c.masks
	i := slices.Index(m.held[:], k)
	if i < 0 {
		i = c.makeRoom()
	}
	m.held[i], m.dirty[i], m.last, m.bits[i] = k, true, i, m.bits[i][:0]
	return maskFirst + uint8(i)
}

// Emit emits an instruction.
func (c *compiler) Emit(op amd64.Op, x amd64.Args) {
	if c.evex() {
		c.changesMask(op, x)
		c.Asm.Emit(op, x)
		return
	}
	c.EmitBits(256, op, x)
}

// changesMask forgets what K1 has if an instruction changes it.
func (c *compiler) changesMask(op amd64.Op, x amd64.Args) {
	if !c.masks.inK1 {
		return
	}
	if k, ok := op.SetsMask(x); ok && k == 1 {
		c.masks.inK1 = false
	}
}

// EmitBits emits an instruction on vectors of so many bits.
func (c *compiler) EmitBits(bits int, op amd64.Op, x amd64.Args) {
	if c.evex() {
		c.changesMask(op, x)
		c.Asm.EmitBits(bits, op, x)
		return
	}
	x.D, x.X = physical(x.D), physical(x.X)
	if v, ok := x.Y.Vector(); ok {
		x.Y = vec(physical(uint8(v)))
	}
	if x.Y.IsBroadcast() {
		load := amd64.VBROADCASTSS
		if op.Element() == 8 {
			load = amd64.VBROADCASTSD
		}
		c.plain(load, amd64.Args{D: spare, Y: x.Y.Each()})
		x.Y = vec(spare)
	}
	if x.K != 0 {
		c.masked(op, x)
		return
	}
	if !c.replace(op, x) {
		c.Asm.EmitBits(bits, op, x)
	}
}

// Bind binds a label to the next instruction.
func (c *compiler) Bind(l amd64.Label) {
	c.flushMasks()
	c.forgetMasks()
	c.Asm.Bind(l)
}

// Rebind binds a label to the next instruction instead of another.
func (c *compiler) Rebind(l amd64.Label) {
	c.flushMasks()
	c.forgetMasks()
	c.Asm.Rebind(l)
}

// Jmp jumps to a label.
func (c *compiler) Jmp(l amd64.Label) {
	c.flushMasks()
	c.Asm.Jmp(l)
}

// Jcc jumps to a label if a condition holds.
func (c *compiler) Jcc(cond amd64.Cond, l amd64.Label) {
	c.flushMasks()
	c.Asm.Jcc(cond, l)
}

// masked emits an instruction that a mask restricts to some lanes.
func (c *compiler) masked(op amd64.Op, x amd64.Args) {
	if c.maskedWide(op, x) {
		return
	}
	k := c.maskIn(uint8(x.K))
	switch op {
	case amd64.VBROADCASTSS:
		c.plain(op, amd64.Args{D: spare, Y: x.Y})
		x.Y = vec(spare)
	case amd64.VMOVUPS, amd64.VMOVAPS:
	case amd64.VBLENDMPS:
		c.plain(amd64.VBLENDVPS, amd64.Args{D: x.D, X: x.X, Y: x.Y, Imm: int64(k)})
		return
	default:
		plan.Fail("%v with a mask", op)
	}
	if x.Zero {
		c.plain(amd64.VPANDD, amd64.Args{D: x.D, X: k, Y: x.Y})
	} else {
		c.plain(amd64.VBLENDVPS, amd64.Args{D: x.D, X: x.D, Y: x.Y, Imm: int64(k)})
	}
}

// invert makes a register its complement.
func (c *compiler) invert(r uint8) {
	c.plain(amd64.VPCMPEQD, amd64.Args{D: spare, X: spare, Y: vec(spare)})
	c.plain(amd64.VPXORD, amd64.Args{D: r, X: r, Y: vec(spare)})
}

// inRegister returns an operand in a register: its own or spare.
func (c *compiler) inRegister(y amd64.Operand) uint8 {
	if v, ok := y.Vector(); ok {
		return uint8(v)
	}
	c.plain(amd64.VMOVUPS, amd64.Args{D: spare, Y: y})
	return spare
}

// replace emits what an instruction is replaced by; ok is false if it is not.
func (c *compiler) replace(op amd64.Op, x amd64.Args) (ok bool) {
	switch op {
	case amd64.KMOVW, amd64.KNOTW, amd64.KANDW, amd64.KANDNW, amd64.KORW, amd64.KXORW, amd64.KXNORW:
		c.logicOfMasks(op, x)
	case amd64.KMOVWLoad, amd64.KMOVWFromReg:
		c.expandMask(op, x)
	case amd64.KMOVWStore:
		c.packMask(x)
	case amd64.KMOVWToReg:
		k, _ := x.Y.Mask()
		c.plain(amd64.VMOVMSKPS, amd64.Args{D: x.D, Y: vec(c.maskIn(uint8(k)))})
	case amd64.KSHIFTRW:
		c.upperMask(op, x)
	case amd64.KUNPCKBW:
		c.joinMasks(x)
	case amd64.VPCMPD, amd64.VPCMPUD, amd64.VCMPPS, amd64.VPTESTMD, amd64.VPMOVD2M:
		c.compareToMask(op, x)
	case amd64.VPCMPQ, amd64.VPCMPUQ:
		c.compareWide(op, x)
	case amd64.VRNDSCALEPS:
		c.plain(amd64.VROUNDPS, x)
	case amd64.VRNDSCALEPD:
		c.plain(amd64.VROUNDPD, x)
	case amd64.VEXTRACTI64X4:
		c.plain(amd64.VEXTRACTI32X4, x)
	case amd64.VEXTRACTF64X4:
		c.plain(amd64.VEXTRACTF32X4, x)
	case amd64.VINSERTI64X4:
		c.plain(amd64.VINSERTI32X4, x)
	case amd64.VINSERTF64X4:
		c.plain(amd64.VINSERTF32X4, x)
	case amd64.VPBROADCASTDReg, amd64.VPBROADCASTQReg:
		c.broadcastRegister(op, x)
	case amd64.VPSLLDImm, amd64.VPSRLDImm, amd64.VPSRADImm:
		x.Y = vec(c.inRegister(x.Y))
		c.plain(op, x)
	case amd64.VRANGEPS:
		c.extremeOfNumbers(x)
	case amd64.VPMINSQ, amd64.VPMAXSQ, amd64.VPMINUQ, amd64.VPMAXUQ:
		c.extremeWide(op, x)
	case amd64.VPMULLQ:
		c.multiplyWide(x)
	case amd64.VPSRAVQ:
		c.shiftSigned(x)
	case amd64.VPTERNLOGQ:
		c.chooseBits(op, x)
	case amd64.VCVTUDQ2PS:
		c.unsignedToFloat(x)
	case amd64.VCVTUDQ2PD:
		c.unsignedToDouble(x)
	case amd64.VCVTTPD2UDQ:
		c.doubleToUnsigned(x)
	case amd64.VSCALEFPS:
		c.scaleFloat(x)
	case amd64.VPMOVQD, amd64.VPMOVDW:
		c.lowerHalves(op, x)
	case amd64.VPMOVDWStore, amd64.VPMOVDBStore:
		c.storeLowerHalves(op, x)
	default:
		return false
	}
	return true
}

func (c *compiler) logicOfMasks(op amd64.Op, x amd64.Args) {
	y, _ := x.Y.Mask()
	switch op {
	case amd64.KMOVW:
		from := c.maskIn(uint8(y))
		if to := c.maskOut(x.D); to != from {
			c.plain(amd64.VMOVAPS, amd64.Args{D: to, Y: vec(from)})
		}
		return
	case amd64.KNOTW:
		from := c.maskIn(uint8(y))
		c.plain(amd64.VPCMPEQD, amd64.Args{D: spare, X: spare, Y: vec(spare)})
		c.plain(amd64.VPXORD, amd64.Args{D: c.maskOut(x.D), X: from, Y: vec(spare)})
		return
	case amd64.KXORW, amd64.KXNORW: // of the same mask: no lanes, or all
		if x.X == uint8(y) {
			to := c.maskOut(x.D)
			set := amd64.VPXORD
			if op == amd64.KXNORW {
				set = amd64.VPCMPEQD
			}
			c.plain(set, amd64.Args{D: to, X: to, Y: vec(to)})
			return
		}
		if op == amd64.KXNORW {
			plan.Fail("%v of two masks", op)
		}
	}
	a, b := c.maskIn(x.X), c.maskIn(uint8(y))
	to := map[amd64.Op]amd64.Op{amd64.KANDW: amd64.VPANDD, amd64.KANDNW: amd64.VPANDND, amd64.KORW: amd64.VPORD,
		amd64.KXORW: amd64.VPXORD}[op]
	c.plain(to, amd64.Args{D: c.maskOut(x.D), X: a, Y: vec(b)})
}

// expandMask makes a mask of the lowest bits of a register, or of a byte.
func (c *compiler) expandMask(op amd64.Op, x amd64.Args) {
	to := c.maskOut(x.D)
	if op == amd64.KMOVWFromReg {
		c.half(amd64.VMOVD, amd64.Args{D: to, Y: x.Y})
		x.Y = vec(to)
	}
	var bits [plan.MaxWidth]int32
	for i := range c.Width {
		bits[i] = 1 << i
	}
	each := ctx(c.vector(bits))
	c.plain(amd64.VPBROADCASTB, amd64.Args{D: to, Y: x.Y})
	c.plain(amd64.VPANDD, amd64.Args{D: to, X: to, Y: each})
	c.plain(amd64.VPCMPEQD, amd64.Args{D: to, X: to, Y: each})
}

// packMask stores a bit for each lane of a mask.
func (c *compiler) packMask(x amd64.Args) {
	c.plain(amd64.VMOVMSKPS, amd64.Args{D: uint8(flagless), Y: vec(c.maskIn(x.X))})
	c.plain(amd64.MOV8Store, amd64.Args{X: uint8(flagless), Y: x.Y})
}

// compareToMask compares vectors. The registers of masks are no operands, so the result may be set
// in several steps.
func (c *compiler) compareToMask(op amd64.Op, x amd64.Args) {
	to := c.maskOut(x.D)
	cmp := func(op amd64.Op, a uint8, b amd64.Operand) { c.plain(op, amd64.Args{D: to, X: a, Y: b}) }
	switch {
	case op == amd64.VCMPPS:
		c.plain(amd64.VCMPPSVec, amd64.Args{D: to, X: x.X, Y: x.Y, Imm: x.Imm})
	case op == amd64.VPMOVD2M:
		c.plain(amd64.VPSRADImm, amd64.Args{D: to, Y: vec(c.inRegister(x.Y)), Imm: 31})
	case op == amd64.VPTESTMD: // not zero
		c.plain(amd64.VPANDD, amd64.Args{D: spare, X: x.X, Y: x.Y})
		cmp(amd64.VPXORD, to, vec(to))
		cmp(amd64.VPCMPEQD, to, vec(spare))
		c.invert(to)
	case x.Imm == 0:
		cmp(amd64.VPCMPEQD, x.X, x.Y)
	case x.Imm == 4:
		cmp(amd64.VPCMPEQD, x.X, x.Y)
		c.invert(to)
	case op == amd64.VPCMPD && x.Imm == 1: // less
		cmp(amd64.VPCMPGTD, c.inRegister(x.Y), vec(x.X))
	case op == amd64.VPCMPD && x.Imm == 2: // X is the least of both
		cmp(amd64.VPMINSD, x.X, x.Y)
		cmp(amd64.VPCMPEQD, x.X, vec(to))
	case op == amd64.VPCMPUD && x.Imm == 1: // Y is not the least of both
		cmp(amd64.VPMINUD, x.X, x.Y)
		cmp(amd64.VPCMPEQD, to, x.Y)
		c.invert(to)
	case op == amd64.VPCMPUD && x.Imm == 2:
		cmp(amd64.VPMINUD, x.X, x.Y)
		cmp(amd64.VPCMPEQD, x.X, vec(to))
	default:
		plan.Fail("%v with predicate %d", op, x.Imm)
	}
}

func (c *compiler) broadcastRegister(op amd64.Op, x amd64.Args) {
	move, spread := amd64.VMOVD, amd64.VPBROADCASTD
	if op == amd64.VPBROADCASTQReg {
		move, spread = amd64.VMOVQ, amd64.VPBROADCASTQ
	}
	c.half(move, amd64.Args{D: x.D, Y: x.Y})
	c.plain(spread, amd64.Args{D: x.D, Y: vec(x.D)})
}

// extremeOfNumbers sets D to the minimum or maximum of numbers, where -0 is less than 0. For a NaN
// it may be anything.
func (c *compiler) extremeOfNumbers(x amd64.Args) {
	op, join := amd64.VMINPS, amd64.VPORD // of two zeros the instructions return the second
	if x.Imm == 5 {
		op, join = amd64.VMAXPS, amd64.VPANDD
	}
	c.plain(op, amd64.Args{D: spare, X: c.inRegister(x.Y), Y: vec(x.X)})
	c.plain(op, amd64.Args{D: x.D, X: x.X, Y: x.Y})
	c.plain(join, amd64.Args{D: x.D, X: x.D, Y: vec(spare)})
}

// unsignedToFloat converts the upper and the lower half of each number, which is exact, and rounds
// their sum.
func (c *compiler) unsignedToFloat(x amd64.Args) {
	y := c.inRegister(x.Y)
	i := c.makeRoom()
	low := maskFirst + uint8(i)
	c.plain(amd64.VPANDD, amd64.Args{D: low, X: y, Y: c.constant32(0xffff)})
	c.plain(amd64.VPSRLDImm, amd64.Args{D: x.D, Y: vec(y), Imm: 16})
	c.plain(amd64.VCVTDQ2PS, amd64.Args{D: low, Y: vec(low)})
	c.plain(amd64.VCVTDQ2PS, amd64.Args{D: x.D, Y: vec(x.D)})
	c.plain(amd64.VMULPS, amd64.Args{D: x.D, X: x.D, Y: c.constant32(0x47800000)}) // 65536
	c.plain(amd64.VADDPS, amd64.Args{D: x.D, X: x.D, Y: vec(low)})
}

// twoTo52 is a double: the last bit of its fraction is worth 1.
const twoTo52 = 0x4330 << 48

func (c *compiler) unsignedToDouble(x amd64.Args) {
	c.plain(amd64.VPMOVZXDQ, amd64.Args{D: x.D, Y: x.Y})
	c.plain(amd64.VPORQ, amd64.Args{D: x.D, X: x.D, Y: c.constant64(twoTo52)})
	c.plain(amd64.VSUBPD, amd64.Args{D: x.D, X: x.D, Y: c.constant64(twoTo52)})
}

// doubleToUnsigned truncates doubles from 0 to 2^32 - 1.
func (c *compiler) doubleToUnsigned(x amd64.Args) {
	c.plain(amd64.VROUNDPD, amd64.Args{D: spare, Y: x.Y, Imm: 11})
	c.plain(amd64.VADDPD, amd64.Args{D: spare, X: spare, Y: c.constant64(twoTo52)})
	c.plain(amd64.VEXTRACTI32X4, amd64.Args{D: x.D, Y: vec(spare), Imm: 1})
	c.half(amd64.VSHUFPS, amd64.Args{D: x.D, X: spare, Y: vec(x.D), Imm: 0x88})
}

// scaleFloat multiplies X by two to the power of Y in two steps, since one factor may be out of
// range. Package fast says which powers there are.
func (c *compiler) scaleFloat(x amd64.Args) {
	half := maskFirst + uint8(c.makeRoom())
	times := func(power, by uint8) {
		c.plain(amd64.VPSLLDImm, amd64.Args{D: power, Y: vec(power), Imm: 23})
		c.plain(amd64.VMULPS, amd64.Args{D: x.D, X: by, Y: vec(power)})
	}
	c.plain(amd64.VCVTPS2DQ, amd64.Args{D: spare, Y: x.Y})
	c.plain(amd64.VPADDD, amd64.Args{D: spare, X: spare, Y: c.constant32(2 * 127)}) // a bias for each factor
	c.plain(amd64.VPSRADImm, amd64.Args{D: half, Y: vec(spare), Imm: 1})
	c.plain(amd64.VPSUBD, amd64.Args{D: spare, X: spare, Y: vec(half)})
	times(half, x.X)
	times(spare, x.D)
}

// lowerHalves sets an xmm register to the lower halves of a vector's elements. The upper halves of
// elements of 32 bits are 0, as those of all narrow numbers are.
func (c *compiler) lowerHalves(op amd64.Op, x amd64.Args) {
	y, _ := x.Y.Vector()
	c.plain(amd64.VEXTRACTI32X4, amd64.Args{D: spare, Y: x.Y, Imm: 1})
	if op == amd64.VPMOVQD {
		c.half(amd64.VSHUFPS, amd64.Args{D: x.D, X: uint8(y), Y: vec(spare), Imm: 0x88})
		return
	}
	c.half(amd64.VPACKUSDW, amd64.Args{D: x.D, X: uint8(y), Y: vec(spare)})
}

// storeLowerHalves stores narrow numbers.
func (c *compiler) storeLowerHalves(op amd64.Op, x amd64.Args) {
	c.lowerHalves(amd64.VPMOVDW, amd64.Args{D: spare, Y: vec(x.X)})
	if op == amd64.VPMOVDWStore {
		c.half(amd64.VMOVUPSStore, amd64.Args{X: spare, Y: x.Y})
		return
	}
	c.half(amd64.VPACKUSWB, amd64.Args{D: spare, X: spare, Y: vec(spare)})
	c.half(amd64.VMOVQStore, amd64.Args{X: spare, Y: x.Y})
}
