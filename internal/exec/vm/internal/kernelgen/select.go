package main

import (
	"fmt"
	"strings"
)

// writeQuick writes the loop of an operation's quick code, and the test whether the uniform operand
// in register 7 allows it. column is the register with the address of the other operand.
func (v vectorOp) writeQuick(s *strings.Builder, column string) {
	p := func(format string, args ...any) { fmt.Fprintf(s, "\t"+format+"\n", args...) }
	// Without the sign, a zero is 0 and a NaN is above infinity.
	p("VMOVD X7, DX\n\tADDL DX, DX\n\tJEQ loop\n\tCMPL DX, $0xff000000\n\tJHI loop\nquick:")
	for i, r := range []string{"Y0", "Y1"} {
		p("VMOVUPS %d(%s)(AX*1), %s", 32*i, column, r)
		p("%s", replaceWords(v.quick, map[string]string{"X": r, "Y": "Y7"}))
		p("VMOVUPS %s, %d(R8)(AX*1)", r, 32*i)
	}
	p("ADDQ $64, AX\n\tDECQ CX\n\tJNZ quick\n\tVZEROUPPER\n\tRET")
}

// writeChoices writes what a loop that selects does first. It leaves in R11 and R12 the addresses
// of a block of the operands for true, whose place is d2, and for false, c, and in R13 and R14 how
// far they are from the next block: a uniform operand is expanded to one block in the scratch
// memory of the frame, and stays there.
func writeChoices(s *strings.Builder) {
	p := func(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }
	for i, operand := range []struct{ place, class, address, step string }{
		{"op_d2", "op_ba", "R11", "R13"}, {"op_c", "op_ca", "R12", "R14"}} {
		label := []string{"second", "third"}[i]
		p("\tMOVLQSX %s(SI), %s\n\tADDQ BX, %[2]s\n\tMOVQ $64, %s", operand.place, operand.address, operand.step)
		p("\tCMPB %s(SI), $0\n\tJNE %s", operand.class, label)
		p("\tVBROADCASTSS (%[1]s), Y9\n\tLEAQ frame_addrs+%d(DI), %[1]s", operand.address, 64*i)
		p("\tVMOVUPS Y9, (%[1]s)\n\tVMOVUPS Y9, 32(%[1]s)\n\tXORQ %s, %[2]s\n%s:", operand.address, operand.step, label)
	}
}

// writeSelect writes the loop of a select between columns of 4 bytes.
func writeSelect(s *strings.Builder) {
	const name = "vectorSelectLanes"
	fmt.Fprintf(&out, "\n// %s selects between columns or uniform operands of 4 bytes. d2 has the place of b.\n"+
		"func %[1]s(f *frame, o *op)\n", name)
	p := func(format string, args ...any) { fmt.Fprintf(s, "\t"+format+"\n", args...) }
	fmt.Fprintf(s, "\n// func %s(f *frame, o *op)\nTEXT ·%[1]s(SB), NOSPLIT, $0-16\n", name)
	p("MOVQ f+0(FP), DI\n\tMOVQ o+8(FP), SI\n\tMOVQ frame_base(DI), BX\n\tMOVQ frame_blocks(DI), CX")
	p("MOVLQSX op_d(SI), R8\n\tADDQ BX, R8\n\tMOVLQSX op_a(SI), R9\n\tADDQ BX, R9\n\tVPXOR Y8, Y8, Y8")
	writeChoices(s)
	s.WriteString("loop:\n")
	p("VPMOVZXBD (R9), Y0\n\tVPMOVZXBD 8(R9), Y1\n\tVPCMPEQD Y8, Y0, Y0\n\tVPCMPEQD Y8, Y1, Y1")
	p("VMOVUPS (R11), Y2\n\tVMOVUPS 32(R11), Y3")
	p("VBLENDVPS Y0, (R12), Y2, Y0\n\tVBLENDVPS Y1, 32(R12), Y3, Y1") // all ones for false
	p("VMOVUPS Y0, (R8)\n\tVMOVUPS Y1, 32(R8)\n\tADDQ R13, R11\n\tADDQ R14, R12\n\tADDQ $16, R9")
	p("ADDQ $64, R8\n\tDECQ CX\n\tJNZ loop\n\tVZEROUPPER\n\tRET")
}
