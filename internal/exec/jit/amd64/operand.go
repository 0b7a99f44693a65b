package amd64

import (
	"fmt"
	"strconv"
)

// Reg is a general-purpose register of any width.
type Reg uint8

// The general-purpose registers.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Vec is a vector register, 0 to 31. Instructions with VEX reach 0 to 15.
type Vec uint8

// Mask is a mask register. As a write mask, K0 means that there is none.
type Mask uint8

// The mask registers.
const (
	K0 Mask = iota
	K1
	K2
	K3
	K4
	K5
	K6
	K7
)

// Cond is a condition on the flags, as instructions encode it.
type Cond uint8

// The conditions. GT is the manual's G, a name that the function G has.
const (
	O Cond = iota
	NO
	B
	AE
	E
	NE
	BE
	A
	S
	NS
	P
	NP
	L
	GE
	LE
	GT
)

// Not returns the opposite condition.
func (c Cond) Not() Cond { return c ^ 1 }

// Operand is a register, or a place in memory. The zero Operand is none.
type Operand struct {
	registers // in a struct of their own: Go keeps structs of at most four fields in registers
	broadcast bool
	disp      int32
	label     Label
}

type registers struct {
	kind  operandKind
	reg   uint8 // register, or base
	index uint8
	scale uint8 // 0: no index
}

type operandKind uint8

const (
	noOperand operandKind = iota
	inVec
	inReg
	inMask
	inMemory       // base + scale*index + disp
	inMemoryVector // base + scale*vector of indexes + disp
	inCode         // label + disp
)

// V returns a vector register as an operand.
func V(v Vec) Operand { return Operand{registers: registers{kind: inVec, reg: uint8(v)}} }

// G returns a general-purpose register as an operand.
func G(r Reg) Operand { return Operand{registers: registers{kind: inReg, reg: uint8(r)}} }

// K returns a mask register as an operand.
func K(m Mask) Operand { return Operand{registers: registers{kind: inMask, reg: uint8(m)}} }

// At returns the memory at base + disp.
func At(base Reg, disp int32) Operand {
	return Operand{registers: registers{kind: inMemory, reg: uint8(base)}, disp: disp}
}

// Index returns the memory at base + scale*index + disp. The scale is 1, 2, 4 or 8, and the index
// is not RSP.
func Index(base, index Reg, scale uint8, disp int32) Operand {
	return indexed(inMemory, base, uint8(index), scale, disp)
}

// VIndex returns, for gathers and scatters, the memory at base + scale*element + disp for each
// element of a vector of indexes.
func VIndex(base Reg, index Vec, scale uint8, disp int32) Operand {
	return indexed(inMemoryVector, base, uint8(index), scale, disp)
}

func indexed(k operandKind, base Reg, index, scale uint8, disp int32) Operand {
	if scale == 0 {
		scale = badScale // 0 means no index
	}
	return Operand{registers: registers{k, uint8(base), index, scale}, disp: disp}
}

const badScale = 0xff

// Code returns the memory at a label of the same Asm plus disp, for constants behind the code.
func Code(l Label, disp int32) Operand {
	return Operand{registers: registers{kind: inCode}, label: l, disp: disp}
}

// Broadcast returns the memory operand such that the instruction reads one element of it for all
// lanes. Only EVEX instructions on elements of 4 or 8 bytes can.
func (o Operand) Broadcast() Operand {
	o.broadcast = true
	return o
}

// Each returns a memory operand that is read as a whole, for instructions that cannot broadcast.
func (o Operand) Each() Operand {
	o.broadcast = false
	return o
}

// IsBroadcast reports whether one element is read for all lanes.
func (o Operand) IsBroadcast() bool { return o.broadcast }

// Vector returns the number of the operand's vector register; ok is false if it is something else.
func (o Operand) Vector() (v Vec, ok bool) { return Vec(o.reg), o.kind == inVec }

// Mask returns the number of the operand's mask register; ok is false if it is something else.
func (o Operand) Mask() (m Mask, ok bool) { return Mask(o.reg), o.kind == inMask }

// isMemory reports whether an operand is in memory, at one address.
// Plus returns the memory disp bytes after that of an operand.
func (o Operand) Plus(disp int32) Operand {
	o.disp += disp
	return o
}

func (o Operand) isMemory() bool { return o.kind == inMemory || o.kind == inCode }

// checkAddress returns what is wrong with the parts of an address.
func (o Operand) checkAddress() error {
	if o.kind == inCode {
		return nil // labels are checked when the code is complete
	}
	if o.reg > 15 {
		return fmt.Errorf("base register %d, over 15", o.reg)
	}
	switch o.scale {
	case 0:
		return nil
	case 1, 2, 4, 8:
	case badScale:
		return fmt.Errorf("scale 0 of an index; want 1, 2, 4 or 8")
	default:
		return fmt.Errorf("scale %d of an index; want 1, 2, 4 or 8", o.scale)
	}
	switch {
	case o.kind == inMemoryVector && o.index > 31:
		return fmt.Errorf("index register %d, over 31", o.index)
	case o.kind == inMemory && o.index > 15:
		return fmt.Errorf("index register %d, over 15", o.index)
	case o.kind == inMemory && Reg(o.index) == RSP:
		return fmt.Errorf("rsp cannot be an index")
	}
	return nil
}

var (
	regNames  = [8]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}
	condNames = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}
)

// regName returns the name of so many bits of a general-purpose register.
func regName(r uint8, bits int) string {
	number := "r" + strconv.Itoa(int(r))
	switch {
	case bits == 64 && r < 8:
		return "r" + regNames[r]
	case bits == 64:
		return number
	case bits == 32 && r < 8:
		return "e" + regNames[r]
	case bits == 32:
		return number + "d"
	case bits == 16 && r < 8:
		return regNames[r]
	case bits == 16:
		return number + "w"
	case r < 4:
		return regNames[r][:1] + "l"
	case r < 8:
		return regNames[r] + "l"
	}
	return number + "b"
}

// vecName returns the name of so many bits of a vector register, at least 128.
func vecName(v uint8, bits int) string {
	switch {
	case bits > 256:
		return "zmm" + strconv.Itoa(int(v))
	case bits > 128:
		return "ymm" + strconv.Itoa(int(v))
	}
	return "xmm" + strconv.Itoa(int(v))
}
