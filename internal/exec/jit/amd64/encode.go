package amd64

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
)

// encoding is a format of instructions.
type encoding uint8

const (
	legacy encoding = iota
	vex
	evex
)

// maxBytes is the most that encode stores: 8 bytes before the displacement, 4 of that and 8 of the
// immediate. No instruction has more than 15.
const maxBytes = 20

var (
	forms     [2][opCount]form // of Ops, by Asm.VEX
	formsOnce sync.Once
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

// formOf returns how the Asm encodes an Op.
func (a *Asm) formOf(op Op) *form {
	if a.VEX {
		return &forms[1][op]
	}
	return &forms[0][op]
}

// encode checks an instruction and appends it. After an error nothing has been appended.
func (a *Asm) encode(bits int, op Op, x *Args) error {
	if op >= opCount {
		return fmt.Errorf("instruction %d, over %d", op, opCount-1)
	}
	f, length := a.formOf(op), lengthCode(bits)
	if length < 0 || !f.fits(length, x) {
		r := &rows[op]
		if e, _, err := r.encoding(a.VEX); err != nil {
			return err
		} else if err := r.check(e, bits, x); err != nil {
			return err
		}
		length = max(length, 0)
	}
	unit := f.units[length]
	p := f.place(x)
	opcode, imm, immBytes := f.code.opcode(), x.Imm, int(f.immBytes)
	switch f.immediate {
	case immShort:
		if f.code.w() == 0 {
			imm = int64(int32(imm))
		}
		if imm == int64(int8(imm)) {
			immBytes = 1
			opcode += 2
		}
	case immVec:
		imm <<= 4
	case immCond:
		opcode += byte(imm)
	}
	if f.places == placeInOpcode {
		opcode += x.D & 7
	}
	if f.fixed {
		length = int(f.length)
	}
	var h head
	switch f.format {
	case legacy:
		h = f.legacyPrefixes(p, x)
	case vex:
		h = f.vexPrefix(p, x, byte(length))
	case evex:
		h = f.evexPrefix(p, x, byte(length))
	}
	h = h.add(opcode)
	d := displacement{}
	if !f.bare {
		if x.Y.broadcast {
			unit = f.element
		}
		h, d = modRM(h, p, x, unit)
	}

	at := len(a.code)
	if cap(a.code)-at < maxBytes {
		a.code = slices.Grow(a.code, max(maxBytes, at)) // twice as much: copies are rare
	}
	a.code = a.code[:at+maxBytes]
	b := (*[maxBytes]byte)(a.code[at:])
	binary.LittleEndian.PutUint64(b[:], h.bytes)
	n := h.bits / 8
	binary.LittleEndian.PutUint32(b[n:], uint32(d.value))
	n += d.bytes
	binary.LittleEndian.PutUint64(b[n:], uint64(imm))
	n += immBytes
	a.code = a.code[:at+n]
	if p.kind == inCode {
		a.fixups = append(a.fixups, fixup{int32(at + n - immBytes - 4), int32(at + n), x.Y.label, x.Y.disp})
	}
	return nil
}

// places are the registers that go into ModRM.reg, vvvv and ModRM.rm. rm may be memory instead.
type places struct {
	reg, vvvv, rm uint8
	kind          operandKind // of rm
}

// place assigns the operands to ModRM.reg, vvvv and ModRM.rm.
func (f *form) place(x *Args) places {
	switch f.places {
	case placeDXY:
		return places{x.D, x.X, x.Y.reg, x.Y.kind}
	case placeXY:
		return places{x.X, 0, x.Y.reg, x.Y.kind}
	case placeDigitDY:
		return places{f.code.digit(), x.D, x.Y.reg, x.Y.kind}
	case placeYXD:
		return places{x.Y.reg, x.X, x.D, f.kindD}
	case placeDigitD:
		return places{f.code.digit(), 0, x.D, f.kindD}
	}
	return places{0, 0, x.D, inReg} // in the opcode
}

// high returns the bits 3 of the registers in ModRM.reg, SIB.index and ModRM.rm or SIB.base, as
// prefixes have them.
func (p places) high(x *Args) (reg, index, base byte) {
	reg = p.reg >> 3 & 1
	switch p.kind {
	case inCode, noOperand:
		return reg, 0, 0
	case inMemory, inMemoryVector:
		return reg, x.Y.index >> 3 & 1, p.rm >> 3 & 1
	case inVec:
		return reg, p.rm >> 4, p.rm >> 3 & 1 // EVEX has bit 4 in X; with VEX it is 0
	}
	return reg, 0, p.rm >> 3 & 1
}

// head is the bytes of an instruction before the displacement, at most 8.
type head struct {
	bytes uint64
	bits  int // of them
}

func (h head) add(b byte) head { return head{h.bytes | uint64(b)<<(h.bits&63), h.bits + 8} }

func (f *form) legacyPrefixes(p places, x *Args) (h head) {
	if f.locked {
		h = h.add(0xf0)
	}
	if prefix := f.code.prefix(); prefix != 0 {
		h = h.add([4]byte{1: 0x66, 2: 0xf3, 3: 0xf2}[prefix])
	}
	reg, index, base := p.high(x)
	rex := f.code.w()<<3 | reg<<2 | index<<1 | base
	// SPL, BPL, SIL and DIL are byte registers with a prefix alone. Of D and X there is one.
	if rex != 0 || f.byteDX && x.D|x.X >= 4 || f.byteY && x.Y.kind == inReg && x.Y.reg >= 4 {
		h = h.add(0x40 | rex)
	}
	switch f.code.opMap() {
	case 1:
		h = h.add(0x0f)
	case 2:
		h = h.add(0x0f).add(0x38)
	case 3:
		h = h.add(0x0f).add(0x3a)
	}
	return h
}

func (f *form) vexPrefix(p places, x *Args, length byte) (h head) {
	reg, index, base := p.high(x)
	last := ^p.vvvv&15<<3 | length<<2 | f.code.prefix()
	if index|base|f.code.w() == 0 && f.code.opMap() == 1 {
		return h.add(0xc5).add((reg^1)<<7 | last)
	}
	return h.add(0xc4).add((reg^1)<<7 | (index^1)<<6 | (base^1)<<5 | f.code.opMap()).add(f.code.w()<<7 | last)
}

func (f *form) evexPrefix(p places, x *Args, length byte) (h head) {
	reg, index, base := p.high(x)
	high := p.vvvv >> 4 // bit 4 of vvvv, or of a vector of indexes
	if p.kind == inMemoryVector {
		high = x.Y.index >> 4
	}
	last := length<<5 | (high^1)<<3 | byte(x.K)
	if x.Zero {
		last |= 0x80
	}
	if x.Y.broadcast {
		last |= 0x10
	}
	second := (reg^1)<<7 | (index^1)<<6 | (base^1)<<5 | (p.reg>>4^1)<<4 | f.code.opMap()
	return h.add(0x62).add(second).add(f.code.w()<<7 | ^p.vvvv&15<<3 | 4 | f.code.prefix()).add(last)
}

// displacement is that of an address, of 0, 1 or 4 bytes.
type displacement struct {
	value int32
	bytes int
}

// modRM appends ModRM and SIB, and returns the displacement. One of 8 bits counts units, which are
// powers of two.
func modRM(h head, p places, x *Args, unit uint8) (head, displacement) {
	reg, y := p.reg&7<<3, &x.Y
	switch p.kind {
	case inCode:
		return h.add(reg | 5), displacement{0, 4} // until labels are bound
	case inMemory, inMemoryVector:
	default:
		return h.add(0xc0 | reg | p.rm&7), displacement{}
	}
	mod, base, d := byte(0x80), p.rm&7, displacement{y.disp, 4}
	short := y.disp >> (bits.TrailingZeros8(unit) & 31)
	switch {
	case y.disp == 0 && base != 5: // without displacement, 5 is something else
		mod, d = 0, displacement{}
	case y.disp&int32(unit-1) == 0 && short == int32(int8(short)):
		mod, d = 0x40, displacement{short, 1}
	}
	switch {
	case y.scale != 0:
		return h.add(mod | reg | 4).add(byte(bits.TrailingZeros8(y.scale))<<6 | y.index&7<<3 | base), d
	case base == 4: // RSP and R12 have their number taken by SIB
		return h.add(mod | reg | 4).add(4<<3 | base), d
	}
	return h.add(mod | reg | base), d
}
