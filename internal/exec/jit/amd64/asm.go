package amd64

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
)

// Args are the operands of an instruction. The package comment says what D, X and Y are.
type Args struct {
	D, X uint8   // numbers of registers of the kinds that the Op has
	Y    Operand // register or memory
	K    Mask    // write mask; K0: none
	Zero bool    // elements that the mask excludes become 0 instead of keeping D's
	Imm  int64   // immediate; Cond of CMOV and SET; third vector of VBLENDV
}

// Label is a place in the code of one Asm, known or not yet.
type Label int32

// Asm appends instructions to code. It is not safe for concurrent use.
type Asm struct {
	// VEX selects VEX for vector instructions that have both encodings, and refuses those that have
	// only EVEX. Vector length and registers are then limited to 256 bits and 0 to 15.
	VEX bool
	// Log, if not nil, is called with the position and text of each instruction.
	Log func(at int, text string)
	// OnBind, if not nil, is called with the position of each label that is bound.
	OnBind func(at int, l Label)

	bits int
	err  error
	parts
	shared *parts // that parts grew from, until Bytes gives it back
}

// parts are the growing parts of an Asm.
type parts struct {
	code   []byte
	labels []int32 // positions, or unbound
	fixups []fixup
}

// unused are parts that are long enough for most code, so that an Asm rarely has to let them grow.
var unused sync.Pool

const unbound = -1

// fixup is a distance of 32 bits to a label, which is added when all labels are bound.
type fixup struct {
	at, end int32 // of the distance, and of the instruction, where the distance counts from
	to      Label
	disp    int32
}

// New returns an empty Asm whose vector instructions have 512, 256 or 128 bits. For another length,
// Bytes returns an error.
func New(bits int) *Asm {
	formsOnce.Do(makeForms)
	a := &Asm{bits: bits}
	if a.shared, _ = unused.Get().(*parts); a.shared == nil {
		a.shared = &parts{}
	}
	a.parts = *a.shared
	if lengthCode(bits) < 0 {
		a.fail(fmt.Errorf("vector length %d; want 128, 256 or 512 bits", bits))
	}
	return a
}

// lengthCode returns the encoding of a vector length, or -1.
func lengthCode(bits int) int {
	switch bits {
	case 128:
		return 0
	case 256:
		return 1
	case 512:
		return 2
	}
	return -1
}

// fail keeps the first error.
func (a *Asm) fail(err error) {
	if a.err == nil {
		a.err = fmt.Errorf("amd64: at %d: %w", len(a.code), err)
	}
}

// Emit appends an instruction. An operand that the Op cannot have is an error, which Bytes returns.
func (a *Asm) Emit(op Op, x Args) { a.EmitBits(a.bits, op, x) }

// Emit128 appends an instruction with vectors of 128 bits.
func (a *Asm) Emit128(op Op, x Args) { a.EmitBits(128, op, x) }

// EmitBits appends an instruction with vectors of 512, 256 or 128 bits.
func (a *Asm) EmitBits(bits int, op Op, x Args) {
	at := len(a.code)
	if err := a.encode(bits, op, &x); err != nil {
		a.fail(fmt.Errorf("%s: %w", a.text(bits, op, x), err))
		return
	}
	if a.Log != nil {
		a.Log(at, a.text(bits, op, x))
	}
}

// NewLabel returns a label that is not bound yet.
func (a *Asm) NewLabel() Label {
	a.labels = append(a.labels, unbound)
	return Label(len(a.labels) - 1)
}

// Bind binds a label to the position of the next instruction.
func (a *Asm) Bind(l Label) {
	switch {
	case !a.known(l):
		a.fail(fmt.Errorf("bind: label %d is not of this Asm", l))
	case a.labels[l] != unbound:
		a.fail(fmt.Errorf("bind: label %d is bound already, at %d", l, a.labels[l]))
	default:
		a.labels[l] = int32(len(a.code))
		if a.OnBind != nil {
			a.OnBind(len(a.code), l)
		}
	}
}

// Rebind binds a label to the position of the next instruction instead of another. Only jumps that
// were emitted before the label was bound at all lead there: later ones may have a short form.
func (a *Asm) Rebind(l Label) {
	if !a.known(l) {
		a.fail(fmt.Errorf("rebind: label %d is not of this Asm", l))
		return
	}
	a.labels[l] = unbound
	a.Bind(l)
}

func (a *Asm) known(l Label) bool { return l >= 0 && int(l) < len(a.labels) }

// Offset returns the position that a label is bound to, or false if it is not.
func (a *Asm) Offset(l Label) (int, bool) {
	if !a.known(l) || a.labels[l] == unbound {
		return 0, false
	}
	return int(a.labels[l]), true
}

// Pos returns the number of bytes so far.
func (a *Asm) Pos() int { return len(a.code) }

// Jmp jumps to a label.
func (a *Asm) Jmp(l Label) { a.branch("jmp", "", l, 0xeb, 0xe9) }

// Jcc jumps to a label if a condition holds.
func (a *Asm) Jcc(c Cond, l Label) {
	if c > GT {
		a.fail(fmt.Errorf("jcc: condition %d, over 15", c))
		return
	}
	a.branch("j", condNames[c], l, 0x70|byte(c), 0x0f, 0x80|byte(c))
}

// Call calls the code at a label.
func (a *Asm) Call(l Label) { a.branch("call", "", l, 0, 0xe8) }

// branch appends a jump, whose mnemonic is in two parts: to a bound label the short form if there
// is one and it reaches, otherwise the one with 32 bits, because code that was emitted does not
// move.
func (a *Asm) branch(name, cond string, l Label, short byte, near ...byte) {
	if !a.known(l) {
		a.fail(fmt.Errorf("%s%s: label %d is not of this Asm", name, cond, l))
		return
	}
	at := len(a.code)
	if back := int(a.labels[l]) - (at + 2); short != 0 && a.labels[l] != unbound && back >= math.MinInt8 {
		a.code = append(a.code, short, byte(back))
	} else {
		a.code = append(a.code, near...)
		a.distance(l)
	}
	if a.Log != nil {
		a.Log(at, fmt.Sprintf("%s%s L%d", name, cond, l))
	}
}

// distance appends 32 bits that become the distance to a label.
func (a *Asm) distance(l Label) {
	at := int32(len(a.code))
	a.fixups = append(a.fixups, fixup{at: at, end: at + 4, to: l})
	a.code = append(a.code, 0, 0, 0, 0)
}

// LeaLabel sets a register to the address of a label.
func (a *Asm) LeaLabel(r Reg, l Label) { a.Emit(LEA64, Args{D: uint8(r), Y: Code(l, 0)}) }

// JmpReg jumps to the address in a register.
func (a *Asm) JmpReg(r Reg) { a.Emit(JMPReg, Args{Y: G(r)}) }

// Ret returns.
func (a *Asm) Ret() { a.Emit(RET, Args{}) }

// Vzeroupper clears all but the lower 128 bits of vector registers 0 to 15.
func (a *Asm) Vzeroupper() { a.Emit(VZEROUPPER, Args{}) }

// MovImm64 sets a register to a constant, by the shortest instruction that leaves the flags alone.
func (a *Asm) MovImm64(r Reg, v int64) {
	switch {
	case v == int64(uint32(v)):
		a.Emit(MOV32Imm, Args{D: uint8(r), Imm: v})
	case v == int64(int32(v)):
		a.Emit(MOV64Imm, Args{D: uint8(r), Imm: v})
	default:
		a.Emit(MOVABS64, Args{D: uint8(r), Imm: v})
	}
}

// SetCC sets the lowest byte of a register to 1 if a condition holds, else to 0.
func (a *Asm) SetCC(c Cond, r Reg) { a.Emit(SET8, Args{Y: G(r), Imm: int64(c)}) }

// CMov64 copies an operand to a register if a condition holds. Memory is read even if it does not.
func (a *Asm) CMov64(c Cond, r Reg, y Operand) {
	a.Emit(CMOV64, Args{D: uint8(r), Y: y, Imm: int64(c)})
}

// Align appends zeros until the position is a multiple of n bytes, at most 4096 (a page), for data
// behind the code.
func (a *Asm) Align(n int) {
	if n < 1 || n > 4096 {
		a.fail(fmt.Errorf("align: %d; want 1 to 4096 bytes", n))
		return
	}
	for len(a.code)%n != 0 {
		a.code = append(a.code, 0)
	}
}

// Data appends bytes that are no instructions.
func (a *Asm) Data(b []byte) { a.code = append(a.code, b...) }

// Bytes returns the code with all distances to labels, or the first error: an instruction with a
// wrong operand, or a label that nothing was bound to. Further instructions may follow.
func (a *Asm) Bytes() ([]byte, error) {
	if a.err != nil {
		return nil, a.err
	}
	if len(a.code) > math.MaxInt32 {
		return nil, errors.New("amd64: code of 2 GiB or more")
	}
	out := slices.Clone(a.code)
	for _, f := range a.fixups {
		to, ok := a.Offset(f.to)
		if !ok {
			return nil, fmt.Errorf("amd64: at %d: label %d is not bound", f.at, f.to)
		}
		d := int64(to) - int64(f.end) + int64(f.disp)
		if d != int64(int32(d)) {
			return nil, fmt.Errorf("amd64: at %d: distance %d to label %d, over 32 bits", f.at, d, f.to)
		}
		binary.LittleEndian.PutUint32(out[f.at:], uint32(d))
	}
	out = slices.Clip(out) // what follows is appended to a copy
	if a.shared != nil {
		*a.shared = parts{a.code[:0], a.labels[:0], a.fixups[:0]}
		a.parts = parts{out, slices.Clone(a.labels), slices.Clone(a.fixups)}
		unused.Put(a.shared)
		a.shared = nil
	}
	return out, nil
}
