package amd64

// Op is an instruction in one form.
type Op uint16

// String returns the mnemonic, which several Ops may share.
func (op Op) String() string {
	if op >= opCount {
		return "unknown instruction"
	}
	return rows[op].name
}

// Feature returns the name of the CPU feature, such as "avx512vbmi", which the instruction needs
// beyond those of its encoding: AVX-512 F, VL, BW, DQ and CD for EVEX and mask registers; AVX2, FMA
// and F16C for VEX; BMI1, BMI2, LZCNT and POPCNT for general registers. Otherwise it returns "".
func (op Op) Feature() string {
	if op >= opCount {
		return ""
	}
	return rows[op].needs
}

// Element returns the bytes of an element that the instruction can broadcast from memory, or 0.
func (op Op) Element() int {
	if op >= opCount {
		return 0
	}
	return int(rows[op].element)
}

// row is what instructions.def says of an Op.
type row struct {
	name    string // mnemonic
	vexName string // with VEX, if another
	args    [4]arg // in the assembler's order
	evex    code   // 0: has no such encoding
	vex     code
	legacy  code
	size    size  // of the memory operand
	element uint8 // bytes that may be broadcast, or 0
	unit    uint8 // of compressed displacements, if not size
	needs   string
	is      condition
}

// code is an opcode with its map, mandatory prefix, W and digit.
type code uint32

const (
	m0F   code = 1 << 8
	m0F38 code = 2 << 8
	m0F3A code = 3 << 8
	p66   code = 1 << 10
	pF3   code = 2 << 10
	pF2   code = 3 << 10
	w1    code = 1 << 12

	hasDigit code = 1 << 13
	digitAt       = 14 // three bits
)

func (c code) opcode() byte { return byte(c) }
func (c code) opMap() byte  { return byte(c>>8) & 3 }
func (c code) prefix() byte { return byte(c>>10) & 3 }
func (c code) w() byte      { return byte(c>>12) & 1 }
func (c code) digit() byte  { return byte(c>>digitAt) & 7 }

// arg is an operand: its kind, its field of Args, and whether it may be in memory too.
type arg uint8

const (
	vecFull arg = iota + 1
	vecHalf
	vecQuarter
	vecEighth
	vecXMM
	vecYMM
	mask
	reg8
	reg16
	reg32
	reg64
	memory
	indexFull
	indexHalf
	imm8
	imm16
	imm32
	imm64
	immShort
	immVec
	immCond
	regCL

	inD      arg = 0
	inX      arg = 1 << 5
	inY      arg = 2 << 5
	inImm    arg = 3 << 5
	orMemory arg = 1 << 7
)

func (g arg) kind() arg       { return g & 31 }
func (g arg) field() arg      { return g & (3 << 5) }
func (g arg) canMemory() bool { return g&orMemory != 0 || g.kind() == memory }

// vecBits returns the bits of a vector operand of an instruction at a vector length, or 0 if the
// operand is no vector.
func (g arg) vecBits(length int) int {
	switch g.kind() {
	case vecFull, indexFull:
		return length
	case vecHalf, indexHalf:
		return max(length/2, 128)
	case vecQuarter:
		return max(length/4, 128)
	case vecEighth, vecXMM:
		return 128
	case vecYMM:
		return 256
	}
	return 0
}

// regBits returns the bits of an operand in a general-purpose register, or 0.
func (g arg) regBits() int {
	if k := g.kind(); k >= reg8 && k <= reg64 {
		return 8 << (k - reg8)
	}
	return 0
}

// size is a number of bytes, or a part of the vector's length.
type size uint8

const (
	full size = 0x80 + iota
	half
	quarter
	eighth
)

// bytes returns the size at a vector length in bits.
func (s size) bytes(length int) int {
	if s < full {
		return int(s)
	}
	return length / 8 >> (s - full)
}

// condition is a set of what else holds for an Op.
type condition uint16

const (
	length0 condition = 1 << iota // VEX.L or EVEX.L'L is fixed
	length1
	from256  // has no 128-bit form
	only512  // has a 512-bit form alone
	noMask   // takes no write mask
	regVEX   // has no memory operand with VEX
	reversed // D is encoded in ModRM.rm, and Y in ModRM.reg
	plusReg  // D is encoded in the opcode
	locked
	bare // has no operands and no ModRM
)
