package amd64

import (
	"fmt"
	"strings"
)

// text returns an instruction in Intel's syntax as LLVM's assembler reads it, except for labels. It
// takes operands as they are, so that it can describe a wrong instruction too.
func (a *Asm) text(bits int, op Op, x Args) string {
	if op >= opCount {
		return op.String()
	}
	r := &rows[op]
	var b strings.Builder
	if r.is&locked != 0 {
		b.WriteString("lock ")
	}
	name := r.name
	if e, _, err := r.encoding(a.VEX); e == vex && err == nil && r.vexName != "" {
		name = r.vexName
	}
	for _, g := range r.args {
		if g.kind() == immCond && x.Imm >= 0 && x.Imm < 16 {
			name += condNames[x.Imm]
		}
	}
	b.WriteString(name)
	separator := " "
	for n, g := range r.args {
		if g == 0 {
			break
		}
		if g.kind() == immCond {
			continue // it is a part of the name
		}
		b.WriteString(separator)
		separator = ", "
		switch g.field() {
		case inD:
			b.WriteString(g.register(x.D, bits))
		case inX:
			b.WriteString(g.register(x.X, bits))
		case inY:
			b.WriteString(r.operand(g, x.Y, bits))
		case inImm:
			switch g.kind() {
			case immVec:
				b.WriteString(vecName(uint8(x.Imm), bits))
			case regCL:
				b.WriteString("cl")
			default:
				fmt.Fprint(&b, x.Imm)
			}
		}
		if n == 0 && x.K != K0 {
			fmt.Fprintf(&b, " {k%d}", x.K)
		}
		if n == 0 && x.Zero {
			b.WriteString(" {z}")
		}
	}
	return b.String()
}

// register returns the name of a register of an operand's kind.
func (g arg) register(n uint8, bits int) string {
	switch {
	case g.kind() == mask:
		return fmt.Sprintf("k%d", n)
	case g.regBits() != 0:
		return regName(n, g.regBits())
	}
	return vecName(n, g.vecBits(bits))
}

// operand returns the text of an operand that may be in memory.
func (r *row) operand(g arg, o Operand, bits int) string {
	switch o.kind {
	case noOperand:
		return "?"
	case inVec:
		return vecName(o.reg, max(g.vecBits(bits), 128))
	case inReg:
		if g.regBits() == 0 {
			return regName(o.reg, 64)
		}
		return regName(o.reg, g.regBits())
	case inMask:
		return fmt.Sprintf("k%d", o.reg)
	}
	var b strings.Builder
	size := r.size.bytes(bits)
	if o.broadcast {
		size = int(r.element)
	}
	if o.kind != inMemoryVector {
		b.WriteString(map[int]string{1: "byte ptr ", 2: "word ptr ", 4: "dword ptr ", 8: "qword ptr ",
			16: "xmmword ptr ", 32: "ymmword ptr ", 64: "zmmword ptr "}[size])
	}
	if o.kind == inCode {
		fmt.Fprintf(&b, "[rip + L%d", o.label)
	} else {
		b.WriteString("[" + regName(o.reg, 64))
	}
	if o.scale != 0 {
		index := regName(o.index, 64)
		if o.kind == inMemoryVector {
			index = vecName(o.index, g.vecBits(bits))
		}
		fmt.Fprintf(&b, " + %d*%s", o.scale, index)
	}
	switch {
	case o.disp > 0:
		fmt.Fprintf(&b, " + %d", o.disp)
	case o.disp < 0:
		fmt.Fprintf(&b, " - %d", -int64(o.disp))
	}
	b.WriteString("]")
	if o.broadcast && size > 0 {
		fmt.Fprintf(&b, "{1to%d}", r.size.bytes(bits)/size)
	}
	return b.String()
}
