package amd64

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// encoding is a format of instructions.
type encoding uint8

const (
	legacy encoding = iota
	vex
	evex
)

// encoding returns the format in which an instruction is encoded, with its opcode, or an error if
// it has none.
func (r *row) encoding(preferVEX bool) (encoding, code, error) {
	switch {
	case r.legacy != 0:
		return legacy, r.legacy, nil
	case r.evex != 0 && !preferVEX:
		return evex, r.evex, nil
	case r.vex != 0:
		return vex, r.vex, nil
	}
	return evex, r.evex, errors.New("has no VEX form")
}

// encode checks an instruction and appends it. After an error nothing has been appended.
func (a *Asm) encode(length int, op Op, x Args) error {
	if op >= opCount {
		return fmt.Errorf("instruction %d, over %d", op, opCount-1)
	}
	r := &rows[op]
	e, c, err := r.encoding(a.VEX)
	if err != nil {
		return err
	}
	if err := r.check(e, length, x); err != nil {
		return err
	}
	i := instruction{row: r, code: c, unit: 1}
	i.place(x)
	i.immediate(x.Imm)
	switch {
	case r.is&length1 != 0:
		i.length = 1
	case r.is&length0 == 0:
		i.length = byte(lengthCode(length))
	}
	switch e {
	case legacy:
		a.legacyPrefixes(&i)
	case vex:
		a.vexPrefix(&i)
	case evex:
		switch {
		case i.rm.broadcast:
			i.unit = int32(r.element)
		case r.unit != 0:
			i.unit = int32(r.unit)
		default:
			i.unit = int32(r.size.bytes(length))
		}
		a.evexPrefix(&i, x)
	}
	a.code = append(a.code, i.opcode)
	if r.is&(bare|plusReg) == 0 {
		a.modRM(&i)
	}
	switch i.immBytes {
	case 1:
		a.code = append(a.code, byte(i.imm))
	case 2:
		a.code = binary.LittleEndian.AppendUint16(a.code, uint16(i.imm))
	case 4:
		a.code = binary.LittleEndian.AppendUint32(a.code, uint32(i.imm))
	case 8:
		a.code = binary.LittleEndian.AppendUint64(a.code, uint64(i.imm))
	}
	return nil
}

// instruction is an instruction whose operands have places in the encoding.
type instruction struct {
	row      *row
	code     code
	opcode   byte
	length   byte // VEX.L or EVEX.L'L
	reg      uint8
	vvvv     uint8
	rm       Operand
	rex      bool  // a byte register needs a REX prefix to be SPL, BPL, SIL or DIL
	unit     int32 // of displacements of 8 bits
	imm      int64
	immBytes int
}

// place assigns the operands to ModRM.reg, vvvv and ModRM.rm.
func (i *instruction) place(x Args) {
	hasD := false
	for _, g := range i.row.args {
		hasD = hasD || g != 0 && g.field() == inD
		if g.kind() == reg8 && g.field() != inY {
			n := x.D | x.X // it has one of the two
			i.rex = i.rex || n >= 4
		}
		if g.kind() == reg8 && g.field() == inY && x.Y.kind == inReg {
			i.rex = i.rex || x.Y.reg >= 4
		}
	}
	i.opcode, i.rm, i.vvvv = i.code.opcode(), x.Y, x.X
	switch {
	case i.row.is&plusReg != 0:
		i.opcode += x.D & 7
		i.rm = Operand{kind: inReg, reg: x.D}
	case i.row.is&reversed != 0:
		i.reg, i.rm = x.Y.reg, Operand{kind: inReg, reg: x.D}
		if i.row.args[0].vecBits(128) != 0 {
			i.rm.kind = inVec
		}
	case i.code&hasDigit != 0:
		i.vvvv = x.D
	case hasD:
		i.reg = x.D
	default:
		i.reg, i.vvvv = x.X, 0
	}
	if i.code&hasDigit != 0 {
		i.reg = i.code.digit()
	}
}

// immediate sets the immediate, and the parts of the opcode that come from it.
func (i *instruction) immediate(imm int64) {
	i.imm = imm
	for _, g := range i.row.args {
		switch g.kind() {
		case imm8:
			i.immBytes = 1
		case imm16:
			i.immBytes = 2
		case imm32:
			i.immBytes = 4
		case imm64:
			i.immBytes = 8
		case immShort:
			i.immBytes = 4
			if i.code.w() == 0 {
				imm = int64(int32(imm))
			}
			if imm == int64(int8(imm)) {
				i.immBytes = 1
				i.opcode += 2
			}
		case immVec:
			i.immBytes = 1
			i.imm <<= 4
		case immCond:
			i.opcode += byte(imm)
		}
	}
}

// high returns the bits 3 of the registers in ModRM.reg, SIB.index and ModRM.rm or SIB.base, as
// prefixes have them.
func (i *instruction) high() (r, x, b byte) {
	r = i.reg >> 3 & 1
	switch i.rm.kind {
	case inCode, noOperand:
		return r, 0, 0
	case inVec:
		return r, i.rm.reg >> 4, i.rm.reg >> 3 & 1 // EVEX has bit 4 in X; with VEX it is 0
	}
	return r, i.rm.index >> 3 & 1, i.rm.reg >> 3 & 1
}

func (a *Asm) legacyPrefixes(i *instruction) {
	if i.row.is&locked != 0 {
		a.code = append(a.code, 0xf0)
	}
	if p := i.code.prefix(); p != 0 {
		a.code = append(a.code, [...]byte{1: 0x66, 2: 0xf3, 3: 0xf2}[p])
	}
	r, x, b := i.high()
	if rex := i.code.w()<<3 | r<<2 | x<<1 | b; rex != 0 || i.rex {
		a.code = append(a.code, 0x40|rex)
	}
	switch i.code.opMap() {
	case 1:
		a.code = append(a.code, 0x0f)
	case 2:
		a.code = append(a.code, 0x0f, 0x38)
	case 3:
		a.code = append(a.code, 0x0f, 0x3a)
	}
}

func (a *Asm) vexPrefix(i *instruction) {
	r, x, b := i.high()
	last := ^i.vvvv&15<<3 | i.length<<2 | i.code.prefix()
	if x|b|i.code.w() == 0 && i.code.opMap() == 1 {
		a.code = append(a.code, 0xc5, (r^1)<<7|last)
		return
	}
	a.code = append(a.code, 0xc4, (r^1)<<7|(x^1)<<6|(b^1)<<5|i.code.opMap(), i.code.w()<<7|last)
}

func (a *Asm) evexPrefix(i *instruction, args Args) {
	r, x, b := i.high()
	high := i.vvvv >> 4 // bit 4 of vvvv, or of a vector of indexes
	if i.rm.kind == inMemoryVector {
		high = i.rm.index >> 4
	}
	third := i.length<<5 | (high^1)<<3 | byte(args.K)
	if args.Zero {
		third |= 0x80
	}
	if i.rm.broadcast {
		third |= 0x10
	}
	a.code = append(a.code, 0x62,
		(r^1)<<7|(x^1)<<6|(b^1)<<5|(i.reg>>4^1)<<4|i.code.opMap(),
		i.code.w()<<7|^i.vvvv&15<<3|4|i.code.prefix(),
		third)
}

// modRM appends ModRM, SIB and displacement.
func (a *Asm) modRM(i *instruction) {
	reg := i.reg & 7 << 3
	o := &i.rm
	switch o.kind {
	case inCode:
		a.code = append(a.code, reg|5)
		a.distance(o.label, o.disp, i.immBytes)
		return
	case inMemory, inMemoryVector:
	default:
		a.code = append(a.code, 0xc0|reg|o.reg&7)
		return
	}
	mod, base := byte(0x80), o.reg&7
	short := o.disp / i.unit
	switch {
	case o.disp == 0 && base != 5: // without displacement, 5 is something else
		mod = 0
	case o.disp%i.unit == 0 && short >= math.MinInt8 && short <= math.MaxInt8:
		mod = 0x40
	}
	switch {
	case o.scale != 0:
		scale := byte(bits.TrailingZeros8(o.scale))
		a.code = append(a.code, mod|reg|4, scale<<6|o.index&7<<3|base)
	case base == 4: // RSP and R12 have their number taken by SIB
		a.code = append(a.code, mod|reg|4, 4<<3|base)
	default:
		a.code = append(a.code, mod|reg|base)
	}
	switch mod {
	case 0x40:
		a.code = append(a.code, byte(short))
	case 0x80:
		a.code = binary.LittleEndian.AppendUint32(a.code, uint32(o.disp))
	}
}
