package amd64

import "math"

// form is what encoding an instruction takes of its row, worked out once: Emit runs for every
// instruction of all code.
type form struct {
	code   code
	format encoding
	known  bool // the Op has an encoding in this format
	places placement

	// Bounds of what fits accepts. Where the Op has no such operand, only 0 fits.
	maxD, maxX, maxY uint8
	maxK             Mask
	zero             bool  // elements may be zeroed
	broadcast        bool  // Y may be broadcast
	kinds            uint8 // of Y, as bits
	lengths          uint8 // of vectors, as bits
	minImm, maxImm   int64

	immediate arg // its kind, or 0
	immBytes  uint8
	kindD     operandKind // where ModRM.rm has D
	fixed     bool        // the vector length does not depend on the Asm's
	length    byte        // then VEX.L or EVEX.L'L
	byteDX    bool        // D or X is a byte register
	byteY     bool        // Y is one
	bare      bool        // there is no ModRM
	locked    bool        // there is a LOCK prefix
	units     [3]uint8    // of displacements of 8 bits, by the vector length
	element   uint8       // of broadcasts
}

// placement says where in the encoding the operands are: in ModRM.reg, vvvv and ModRM.rm.
type placement uint8

const (
	placeDXY      placement = iota // D, X, Y
	placeXY                        // X, none, Y
	placeDigitDY                   // part of the opcode, D, Y
	placeYXD                       // Y, X, D
	placeDigitD                    // part of the opcode, none, D
	placeInOpcode                  // none; D is in the opcode
)

// makeForms works out the forms of all Ops: without and with Asm.VEX.
func makeForms() {
	for op := range rows {
		for n, preferVEX := range []bool{false, true} {
			forms[n][op] = rows[op].form(preferVEX)
		}
	}
}

func (r *row) form(preferVEX bool) (f form) {
	format, c, err := r.encoding(preferVEX)
	f.format, f.code, f.known, f.element = format, c, err == nil, r.element
	f.bare, f.locked = r.is&(bare|plusReg) != 0, r.is&locked != 0
	for n, length := range []int{128, 256, 512} {
		if r.checkLength(format, length) == nil {
			f.lengths |= 1 << n
		}
		f.units[n] = 1
		if format == evex {
			f.units[n] = uint8(r.size.bytes(length))
			if r.unit != 0 {
				f.units[n] = r.unit
			}
		}
	}
	f.fixed = r.is&(length0|length1) != 0
	if r.is&length1 != 0 {
		f.length = 1
	}
	f.places = r.placement(c)
	f.bound(r)
	return f
}

func (r *row) placement(c code) placement {
	hasD := false
	for _, g := range r.args {
		hasD = hasD || g != 0 && g.field() == inD
	}
	switch {
	case r.is&plusReg != 0:
		return placeInOpcode
	case r.is&reversed != 0 && c&hasDigit != 0:
		return placeDigitD
	case r.is&reversed != 0:
		return placeYXD
	case c&hasDigit != 0:
		return placeDigitDY
	case hasD:
		return placeDXY
	}
	return placeXY
}

// bound sets which operands fit.
func (f *form) bound(r *row) {
	vectors := uint8(31)
	if f.format == vex {
		vectors = 15
	}
	f.kinds = 1 << noOperand
	for _, g := range r.args {
		if g == 0 {
			break
		}
		highest, kind := uint8(15), inReg
		switch {
		case g.kind() == mask:
			highest, kind = 7, inMask
		case g.vecBits(128) != 0:
			highest, kind = vectors, inVec
		}
		switch g.field() {
		case inD:
			f.maxD, f.kindD, f.byteDX = highest, kind, f.byteDX || g.kind() == reg8
		case inX:
			f.maxX, f.byteDX = highest, f.byteDX || g.kind() == reg8
		case inY:
			f.maxY, f.byteY, f.kinds = highest, g.kind() == reg8, 0
			if g.kind() == indexFull || g.kind() == indexHalf {
				break // check decides
			}
			if g.kind() != memory {
				f.kinds |= 1 << kind
			}
			if g.canMemory() && !(f.format == vex && r.is&regVEX != 0) {
				f.kinds |= 1<<inMemory | 1<<inCode
			}
			f.broadcast = f.format == evex && r.element != 0
		case inImm:
			f.immediate = g.kind()
			f.immBytes = g.immBytes()
			f.minImm, f.maxImm = r.immediates(g)
		}
	}
	if f.format == evex && r.is&noMask == 0 {
		f.maxK = K7
		f.zero = r.args[0].field() == inD && r.args[0].vecBits(128) != 0
	}
}

// fits reports whether operands are certainly right. Others may be too: check says so, or what is
// wrong with them.
func (f *form) fits(length int, x *Args) bool {
	if x.D > f.maxD || x.X > f.maxX || x.K > f.maxK || x.Imm < f.minImm || x.Imm > f.maxImm || !f.known ||
		x.Zero && (x.K == K0 || !f.zero) || f.lengths>>length&1 == 0 || f.kinds>>x.Y.kind&1 == 0 {
		return false
	}
	y := &x.Y
	switch {
	case y.broadcast && !f.broadcast:
		return false
	case y.kind == inMemory && y.scale == 0:
		return y.reg <= 15
	case y.kind == inMemory:
		const scales = 1<<1 | 1<<2 | 1<<4 | 1<<8
		return y.reg <= 15 && y.index <= 15 && Reg(y.index) != RSP && y.scale <= 8 && scales>>y.scale&1 != 0
	case y.kind == inCode:
		return true
	case y.kind == noOperand:
		return *y == Operand{}
	}
	return y.reg <= f.maxY && !y.broadcast
}

// immediates returns the least and the greatest value of an immediate.
func (r *row) immediates(g arg) (low, high int64) {
	switch g.kind() {
	case imm8:
		return math.MinInt8, math.MaxUint8
	case imm16:
		return math.MinInt16, math.MaxUint16
	case imm32, immShort:
		if r.legacy.w() == 1 { // it is sign-extended
			return math.MinInt32, math.MaxInt32
		}
		return math.MinInt32, math.MaxUint32
	case immVec, immCond:
		return 0, 15
	case regCL:
		return 0, 0
	}
	return math.MinInt64, math.MaxInt64
}

// immBytes returns how many bytes of an instruction an immediate takes, at most.
func (g arg) immBytes() uint8 {
	switch g.kind() {
	case imm8, immVec:
		return 1
	case imm16:
		return 2
	case imm32, immShort:
		return 4
	case imm64:
		return 8
	}
	return 0
}
