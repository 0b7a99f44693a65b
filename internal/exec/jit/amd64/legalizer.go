package amd64

import "slices"

// Legalizer emits instructions of AVX-512, also for processors that have AVX2 instead. If its Asm
// uses VEX, it replaces what these processors lack:
//
//   - Registers 28 to 31 are registers 12 to 15.
//   - What is broadcast from memory is loaded to the register Spare first.
//   - A mask register is a vector in which all bits of a lane are set, or none. Each has a place in
//     memory, and those used last are in vector registers, which are written back when they are
//     needed, and where control flow leaves or joins.
//   - Other instructions are replaced by several, which change Spare, the registers of masks and
//     R15 only, and no flags.
//
// Instructions that it does not know and that have no VEX form make it fail.
type Legalizer struct {
	*Asm
	memory Memory
	masks  masks
}

// Memory is what a Legalizer needs of the memory that its code runs with.
type Memory interface {
	// VectorOf returns a constant vector.
	VectorOf(x [16]int32) Operand
	// MaskPlace returns a place for a vector that the code changes.
	MaskPlace() Operand
	// Fail says that an instruction cannot be emitted. It does not return.
	Fail(format string, args ...any)
}

// NewLegalizer returns a Legalizer without instructions. Vectors have 256 bits with VEX, else 512.
func NewLegalizer(vex bool, m Memory) *Legalizer {
	bits := 512
	if vex {
		bits = 32 * lanesOfVEX
	}
	l := &Legalizer{Asm: New(bits), memory: m}
	l.VEX = vex
	return l
}

// lanesOfVEX is the number of elements of 4 bytes of a vector of 256 bits.
const lanesOfVEX = 8

// Registers that hold no values of the code with VEX.
const (
	Spare     = 11
	FirstMask = 9   // the registers of masks
	flagless  = R15 // between vectors and memory, by instructions that leave flags alone
	maskCount = 2
)

// masks are the mask registers with VEX.
type masks struct {
	places [8]Operand // in memory
	placed [8]bool
	held   [maskCount]uint8 // the mask in each vector register; 0 if there is none
	dirty  [maskCount]bool  // it has not been written back
	last   int              // used

	// The bits in memory that each vector register has, also if it holds no mask.
	bits [maskCount][]MaskBits

	// With AVX-512, what K1 has, if those are bits in memory.
	inK1    bool
	placeK1 int32
	vector  int
}

// MaskBits identifies bits in memory, one for each lane of a vector, of which a mask may be a copy.
type MaskBits struct {
	Mask   int32 // whose bits they are
	Place  int32 // where those are
	Vector int   // which of them
}

// MaskIs says that bits in memory are those of a mask from now on.
func (l *Legalizer) MaskIs(k uint8, b MaskBits) {
	m := &l.masks
	if !l.VEX {
		if k == 1 {
			m.inK1, m.placeK1, m.vector = true, b.Place, b.Vector
		}
		return
	}
	for i := range maskCount {
		m.bits[i] = slices.DeleteFunc(m.bits[i], func(o MaskBits) bool { return o == b })
		if m.held[i] == k {
			m.bits[i] = append(m.bits[i], b)
		}
	}
}

// MaskFrom sets a mask to bits in memory, if a vector register has them.
func (l *Legalizer) MaskFrom(k uint8, b MaskBits) bool {
	m := &l.masks
	if !l.VEX {
		return k == 1 && m.inK1 && m.placeK1 == b.Place && m.vector == b.Vector
	}
	i := slices.IndexFunc(m.bits[:], func(list []MaskBits) bool { return slices.Contains(list, b) })
	if i < 0 {
		return false
	}
	if m.held[i] != 0 && m.held[i] != k {
		return false // it is a mask of its own
	}
	l.DropMask(k)
	m.held[i], m.dirty[i], m.last = k, true, i
	return true
}

// ForgetMasks says that the vector registers of masks hold nothing.
func (l *Legalizer) ForgetMasks() {
	l.masks.held = [maskCount]uint8{}
	for i := range maskCount {
		l.masks.bits[i] = l.masks.bits[i][:0]
	}
	l.masks.inK1 = false
}

// Physical returns the register with VEX that takes the place of one with AVX-512.
func Physical(r uint8) uint8 {
	if r >= 28 {
		return r - 16
	}
	return r
}

// Plain emits an instruction on vectors of 256 bits that the processor has.
func (l *Legalizer) Plain(op Op, x Args) { l.Asm.EmitBits(256, op, x) }

// Half emits an instruction on vectors of 128 bits that the processor has.
func (l *Legalizer) Half(op Op, x Args) { l.Asm.EmitBits(128, op, x) }

// maskAt returns where a mask has its place.
func (l *Legalizer) maskAt(k uint8) Operand {
	if m := &l.masks; !m.placed[k] {
		m.places[k], m.placed[k] = l.memory.MaskPlace(), true
	}
	return l.masks.places[k]
}

// writeBack stores the mask in vector register i if its place has another.
func (l *Legalizer) writeBack(i int) {
	if m := &l.masks; m.held[i] != 0 && m.dirty[i] {
		l.Plain(VMOVAPSStore, Args{X: FirstMask + uint8(i), Y: l.maskAt(m.held[i])})
		m.dirty[i] = false
	}
}

// FlushMasks gives all masks their places.
func (l *Legalizer) FlushMasks() {
	for i := range maskCount {
		l.writeBack(i)
	}
}

// DropMask says that the value of a mask is not needed any more.
func (l *Legalizer) DropMask(k uint8) {
	if i := slices.Index(l.masks.held[:], k); i >= 0 {
		l.masks.held[i] = 0
	}
}

// MakeRoom returns the number of a vector register that holds no mask.
func (l *Legalizer) MakeRoom() int {
	m := &l.masks
	i := (m.last + 1) % maskCount
	if m.held[i] != 0 && m.held[m.last] == 0 {
		i = m.last
	}
	l.writeBack(i)
	m.held[i], m.last, m.bits[i] = 0, i, m.bits[i][:0]
	return i
}

// MaskIn returns the vector register that holds a mask.
func (l *Legalizer) MaskIn(k uint8) uint8 {
	m := &l.masks
	i := slices.Index(m.held[:], k)
	if i < 0 {
		i = l.MakeRoom()
		m.held[i], m.dirty[i] = k, false
		l.Plain(VMOVAPS, Args{D: FirstMask + uint8(i), Y: l.maskAt(k)})
	}
	m.last = i
	return FirstMask + uint8(i)
}

// MaskOut returns the vector register that the next instruction sets to a new value of a mask. It
// may be that of another mask, which the instruction may still read.
func (l *Legalizer) MaskOut(k uint8) uint8 {
	m := &l.masks
	i := slices.Index(m.held[:], k)
	if i < 0 {
		i = l.MakeRoom()
	}
	m.held[i], m.dirty[i], m.last, m.bits[i] = k, true, i, m.bits[i][:0]
	return FirstMask + uint8(i)
}

// Emit emits an instruction.
func (l *Legalizer) Emit(op Op, x Args) {
	if !l.VEX {
		l.changesMask(op, x)
		l.Asm.Emit(op, x)
		return
	}
	l.EmitBits(256, op, x)
}

// changesMask forgets what K1 has if an instruction changes it.
func (l *Legalizer) changesMask(op Op, x Args) {
	if !l.masks.inK1 {
		return
	}
	if k, ok := op.SetsMask(x); ok && k == 1 {
		l.masks.inK1 = false
	}
}

// EmitBits emits an instruction on vectors of so many bits.
func (l *Legalizer) EmitBits(bits int, op Op, x Args) {
	if !l.VEX {
		l.changesMask(op, x)
		l.Asm.EmitBits(bits, op, x)
		return
	}
	x.D, x.X = Physical(x.D), Physical(x.X)
	if v, ok := x.Y.Vector(); ok {
		x.Y = vec(Physical(uint8(v)))
	}
	if x.Y.IsBroadcast() {
		load := VBROADCASTSS
		if op.Element() == 8 {
			load = VBROADCASTSD
		}
		l.Plain(load, Args{D: Spare, Y: x.Y.Each()})
		x.Y = vec(Spare)
	}
	if x.K != 0 {
		l.masked(op, x)
		return
	}
	if !l.replace(op, x) {
		l.Asm.EmitBits(bits, op, x)
	}
}

// Bind binds a label to the next instruction.
func (l *Legalizer) Bind(to Label) {
	l.FlushMasks()
	l.ForgetMasks()
	l.Asm.Bind(to)
}

// Rebind binds a label to the next instruction instead of another.
func (l *Legalizer) Rebind(to Label) {
	l.FlushMasks()
	l.ForgetMasks()
	l.Asm.Rebind(to)
}

// Jmp jumps to a label.
func (l *Legalizer) Jmp(to Label) {
	l.FlushMasks()
	l.Asm.Jmp(to)
}

// Jcc jumps to a label if a condition holds.
func (l *Legalizer) Jcc(cond Cond, to Label) {
	l.FlushMasks()
	l.Asm.Jcc(cond, to)
}

// masked emits an instruction that a mask restricts to some lanes.
func (l *Legalizer) masked(op Op, x Args) {
	if l.maskedWide(op, x) {
		return
	}
	k := l.MaskIn(uint8(x.K))
	switch op {
	case VBROADCASTSS:
		l.Plain(op, Args{D: Spare, Y: x.Y})
		x.Y = vec(Spare)
	case VMOVUPS, VMOVAPS:
	case VBLENDMPS:
		l.Plain(VBLENDVPS, Args{D: x.D, X: x.X, Y: x.Y, Imm: int64(k)})
		return
	default:
		l.memory.Fail("%v with a mask", op)
	}
	if x.Zero {
		l.Plain(VPANDD, Args{D: x.D, X: k, Y: x.Y})
	} else {
		l.Plain(VBLENDVPS, Args{D: x.D, X: x.D, Y: x.Y, Imm: int64(k)})
	}
}

// invert makes a register its complement.
func (l *Legalizer) invert(r uint8) {
	l.Plain(VPCMPEQD, Args{D: Spare, X: Spare, Y: vec(Spare)})
	l.Plain(VPXORD, Args{D: r, X: r, Y: vec(Spare)})
}

// InRegister returns an operand in a register: its own or Spare.
func (l *Legalizer) InRegister(y Operand) uint8 {
	if v, ok := y.Vector(); ok {
		return uint8(v)
	}
	l.Plain(VMOVUPS, Args{D: Spare, Y: y})
	return Spare
}

// replace emits what an instruction is replaced by; ok is false if it is not.
func (l *Legalizer) replace(op Op, x Args) (ok bool) {
	switch op {
	case KMOVW, KNOTW, KANDW, KANDNW, KORW, KXORW, KXNORW:
		l.logicOfMasks(op, x)
	case KMOVWLoad, KMOVWFromReg:
		l.expandMask(op, x)
	case KMOVWStore:
		l.packMask(x)
	case KMOVWToReg:
		k, _ := x.Y.Mask()
		l.Plain(VMOVMSKPS, Args{D: x.D, Y: vec(l.MaskIn(uint8(k)))})
	case KSHIFTRW:
		l.upperMask(op, x)
	case KUNPCKBW:
		l.joinMasks(x)
	case VPCMPD, VPCMPUD, VCMPPS, VPTESTMD, VPMOVD2M:
		l.compareToMask(op, x)
	case VPCMPQ, VPCMPUQ:
		l.compareWide(op, x)
	case VRNDSCALEPS:
		l.Plain(VROUNDPS, x)
	case VRNDSCALEPD:
		l.Plain(VROUNDPD, x)
	case VEXTRACTI64X4:
		l.Plain(VEXTRACTI32X4, x)
	case VEXTRACTF64X4:
		l.Plain(VEXTRACTF32X4, x)
	case VINSERTI64X4:
		l.Plain(VINSERTI32X4, x)
	case VINSERTF64X4:
		l.Plain(VINSERTF32X4, x)
	case VPBROADCASTDReg, VPBROADCASTQReg:
		l.BroadcastRegister(op, x)
	case VPSLLDImm, VPSRLDImm, VPSRADImm:
		x.Y = vec(l.InRegister(x.Y))
		l.Plain(op, x)
	case VRANGEPS:
		l.extremeOfNumbers(x)
	case VPMINSQ, VPMAXSQ, VPMINUQ, VPMAXUQ:
		l.extremeWide(op, x)
	case VPMULLQ:
		l.multiplyWide(x)
	case VPSRAVQ:
		l.shiftSigned(x)
	case VPTERNLOGQ:
		l.chooseBits(op, x)
	case VCVTUDQ2PS:
		l.unsignedToFloat(x)
	case VCVTUDQ2PD:
		l.unsignedToDouble(x)
	case VCVTTPD2UDQ:
		l.doubleToUnsigned(x)
	case VSCALEFPS:
		l.scaleFloat(x)
	case VPMOVQD, VPMOVDW:
		l.lowerHalves(op, x)
	case VPMOVDWStore, VPMOVDBStore:
		l.storeLowerHalves(op, x)
	default:
		return false
	}
	return true
}

func (l *Legalizer) logicOfMasks(op Op, x Args) {
	y, _ := x.Y.Mask()
	switch op {
	case KMOVW:
		from := l.MaskIn(uint8(y))
		if to := l.MaskOut(x.D); to != from {
			l.Plain(VMOVAPS, Args{D: to, Y: vec(from)})
		}
		return
	case KNOTW:
		from := l.MaskIn(uint8(y))
		l.Plain(VPCMPEQD, Args{D: Spare, X: Spare, Y: vec(Spare)})
		l.Plain(VPXORD, Args{D: l.MaskOut(x.D), X: from, Y: vec(Spare)})
		return
	case KXORW, KXNORW: // of the same mask: no lanes, or all
		if x.X == uint8(y) {
			to := l.MaskOut(x.D)
			set := VPXORD
			if op == KXNORW {
				set = VPCMPEQD
			}
			l.Plain(set, Args{D: to, X: to, Y: vec(to)})
			return
		}
		if op == KXNORW {
			l.memory.Fail("%v of two masks", op)
		}
	}
	a, b := l.MaskIn(x.X), l.MaskIn(uint8(y))
	to := map[Op]Op{KANDW: VPANDD, KANDNW: VPANDND, KORW: VPORD,
		KXORW: VPXORD}[op]
	l.Plain(to, Args{D: l.MaskOut(x.D), X: a, Y: vec(b)})
}

// expandMask makes a mask of the lowest bits of a register, or of a byte.
func (l *Legalizer) expandMask(op Op, x Args) {
	to := l.MaskOut(x.D)
	if op == KMOVWFromReg {
		l.Half(VMOVD, Args{D: to, Y: x.Y})
		x.Y = vec(to)
	}
	var bits [16]int32
	for i := range lanesOfVEX {
		bits[i] = 1 << i
	}
	each := l.memory.VectorOf(bits)
	l.Plain(VPBROADCASTB, Args{D: to, Y: x.Y})
	l.Plain(VPANDD, Args{D: to, X: to, Y: each})
	l.Plain(VPCMPEQD, Args{D: to, X: to, Y: each})
}

// packMask stores a bit for each lane of a mask.
func (l *Legalizer) packMask(x Args) {
	l.Plain(VMOVMSKPS, Args{D: uint8(flagless), Y: vec(l.MaskIn(x.X))})
	l.Plain(MOV8Store, Args{X: uint8(flagless), Y: x.Y})
}

// compareToMask compares vectors. The registers of masks are no operands, so the result may be set
// in several steps.
func (l *Legalizer) compareToMask(op Op, x Args) {
	to := l.MaskOut(x.D)
	cmp := func(op Op, a uint8, b Operand) { l.Plain(op, Args{D: to, X: a, Y: b}) }
	switch {
	case op == VCMPPS:
		l.Plain(VCMPPSVec, Args{D: to, X: x.X, Y: x.Y, Imm: x.Imm})
	case op == VPMOVD2M:
		l.Plain(VPSRADImm, Args{D: to, Y: vec(l.InRegister(x.Y)), Imm: 31})
	case op == VPTESTMD: // not zero
		l.Plain(VPANDD, Args{D: Spare, X: x.X, Y: x.Y})
		cmp(VPXORD, to, vec(to))
		cmp(VPCMPEQD, to, vec(Spare))
		l.invert(to)
	case x.Imm == 0:
		cmp(VPCMPEQD, x.X, x.Y)
	case x.Imm == 4:
		cmp(VPCMPEQD, x.X, x.Y)
		l.invert(to)
	case op == VPCMPD && x.Imm == 1: // less
		cmp(VPCMPGTD, l.InRegister(x.Y), vec(x.X))
	case op == VPCMPD && x.Imm == 2: // X is the least of both
		cmp(VPMINSD, x.X, x.Y)
		cmp(VPCMPEQD, x.X, vec(to))
	case op == VPCMPUD && x.Imm == 1: // Y is not the least of both
		cmp(VPMINUD, x.X, x.Y)
		cmp(VPCMPEQD, to, x.Y)
		l.invert(to)
	case op == VPCMPUD && x.Imm == 2:
		cmp(VPMINUD, x.X, x.Y)
		cmp(VPCMPEQD, x.X, vec(to))
	default:
		l.memory.Fail("%v with predicate %d", op, x.Imm)
	}
}

// BroadcastRegister sets all lanes to a general register, for VPBROADCASTDReg or VPBROADCASTQReg.
func (l *Legalizer) BroadcastRegister(op Op, x Args) {
	move, spread := VMOVD, VPBROADCASTD
	if op == VPBROADCASTQReg {
		move, spread = VMOVQ, VPBROADCASTQ
	}
	l.Half(move, Args{D: x.D, Y: x.Y})
	l.Plain(spread, Args{D: x.D, Y: vec(x.D)})
}

// extremeOfNumbers sets D to the minimum or maximum of numbers, where -0 is less than 0. For a NaN
// it may be anything.
func (l *Legalizer) extremeOfNumbers(x Args) {
	op, join := VMINPS, VPORD // of two zeros the instructions return the second
	if x.Imm == 5 {
		op, join = VMAXPS, VPANDD
	}
	l.Plain(op, Args{D: Spare, X: l.InRegister(x.Y), Y: vec(x.X)})
	l.Plain(op, Args{D: x.D, X: x.X, Y: x.Y})
	l.Plain(join, Args{D: x.D, X: x.D, Y: vec(Spare)})
}

// unsignedToFloat converts the upper and the lower half of each number, which is exact, and rounds
// their sum.
func (l *Legalizer) unsignedToFloat(x Args) {
	y := l.InRegister(x.Y)
	i := l.MakeRoom()
	low := FirstMask + uint8(i)
	l.Plain(VPANDD, Args{D: low, X: y, Y: l.constant32(0xffff)})
	l.Plain(VPSRLDImm, Args{D: x.D, Y: vec(y), Imm: 16})
	l.Plain(VCVTDQ2PS, Args{D: low, Y: vec(low)})
	l.Plain(VCVTDQ2PS, Args{D: x.D, Y: vec(x.D)})
	l.Plain(VMULPS, Args{D: x.D, X: x.D, Y: l.constant32(0x47800000)}) // 65536
	l.Plain(VADDPS, Args{D: x.D, X: x.D, Y: vec(low)})
}

// twoTo52 is a double: the last bit of its fraction is worth 1.
const twoTo52 = 0x4330 << 48

func (l *Legalizer) unsignedToDouble(x Args) {
	l.Plain(VPMOVZXDQ, Args{D: x.D, Y: x.Y})
	l.Plain(VPORQ, Args{D: x.D, X: x.D, Y: l.constant64(twoTo52)})
	l.Plain(VSUBPD, Args{D: x.D, X: x.D, Y: l.constant64(twoTo52)})
}

// doubleToUnsigned truncates doubles from 0 to 2^32 - 1.
func (l *Legalizer) doubleToUnsigned(x Args) {
	l.Plain(VROUNDPD, Args{D: Spare, Y: x.Y, Imm: 11})
	l.Plain(VADDPD, Args{D: Spare, X: Spare, Y: l.constant64(twoTo52)})
	l.Plain(VEXTRACTI32X4, Args{D: x.D, Y: vec(Spare), Imm: 1})
	l.Half(VSHUFPS, Args{D: x.D, X: Spare, Y: vec(x.D), Imm: 0x88})
}

// scaleFloat multiplies X by two to the power of Y in two steps, since one factor may be out of
// range. Package fast says which powers there are.
func (l *Legalizer) scaleFloat(x Args) {
	half := FirstMask + uint8(l.MakeRoom())
	times := func(power, by uint8) {
		l.Plain(VPSLLDImm, Args{D: power, Y: vec(power), Imm: 23})
		l.Plain(VMULPS, Args{D: x.D, X: by, Y: vec(power)})
	}
	l.Plain(VCVTPS2DQ, Args{D: Spare, Y: x.Y})
	l.Plain(VPADDD, Args{D: Spare, X: Spare, Y: l.constant32(2 * 127)}) // a bias for each factor
	l.Plain(VPSRADImm, Args{D: half, Y: vec(Spare), Imm: 1})
	l.Plain(VPSUBD, Args{D: Spare, X: Spare, Y: vec(half)})
	times(half, x.X)
	times(Spare, x.D)
}

// lowerHalves sets an xmm register to the lower halves of a vector's elements. The upper halves of
// elements of 32 bits are 0, as those of all narrow numbers are.
func (l *Legalizer) lowerHalves(op Op, x Args) {
	y, _ := x.Y.Vector()
	l.Plain(VEXTRACTI32X4, Args{D: Spare, Y: x.Y, Imm: 1})
	if op == VPMOVQD {
		l.Half(VSHUFPS, Args{D: x.D, X: uint8(y), Y: vec(Spare), Imm: 0x88})
		return
	}
	l.Half(VPACKUSDW, Args{D: x.D, X: uint8(y), Y: vec(Spare)})
}

// storeLowerHalves stores narrow numbers.
func (l *Legalizer) storeLowerHalves(op Op, x Args) {
	l.lowerHalves(VPMOVDW, Args{D: Spare, Y: vec(x.X)})
	if op == VPMOVDWStore {
		l.Half(VMOVUPSStore, Args{X: Spare, Y: x.Y})
		return
	}
	l.Half(VPACKUSWB, Args{D: Spare, X: Spare, Y: vec(Spare)})
	l.Half(VMOVQStore, Args{X: Spare, Y: x.Y})
}

func vec(r uint8) Operand { return V(Vec(r)) }

// constant32 returns a vector of which each lane of 4 bytes is a constant.
func (l *Legalizer) constant32(x uint32) Operand { return l.constant64(uint64(x) | uint64(x)<<32) }

// constant64 returns a vector of which each lane of 8 bytes is a constant.
func (l *Legalizer) constant64(x uint64) Operand {
	var v [16]int32
	for i := 0; i < lanesOfVEX; i += 2 {
		v[i], v[i+1] = int32(uint32(x)), int32(uint32(x>>32))
	}
	return l.memory.VectorOf(v)
}
