package main

import (
	"fmt"
	"strings"
)

// writeFused prints the declarations, writes the assembly, and prints the table of the f32 fma, by
// the FMA instructions. Bit i of the index in the table is set if operand i is uniform; there is no
// loop for three uniform operands.
func writeFused(s *strings.Builder) {
	var names []string
	for uniform := range 7 {
		var form strings.Builder
		for i := range 3 {
			form.WriteByte("VU"[uniform>>i&1])
		}
		name := "vectorFMAF32" + form.String()
		names = append(names, name)
		writeFusedForm(s, name, uniform)
	}
	fmt.Fprint(&out, "\n")
	for _, name := range names {
		fmt.Fprintf(&out, "func %s(f *frame, o *op)\n", name)
	}
	fmt.Fprintf(&out, "\n// vectorFused returns the loops of the f32 fma, which need the FMA instructions. "+
		"Bit i of the index\n// is set if operand i is uniform.\nfunc vectorFused() *[7]func(*frame, *op) {\n"+
		"\treturn &[...]func(*frame, *op){%s}\n}\n", strings.Join(names, ", "))
}

// writeFusedForm writes one loop. The sum starts as the third operand, so the result may replace
// any of the operands.
func writeFusedForm(s *strings.Builder, name string, uniform int) {
	p := func(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }
	p("\n// func %s(f *frame, o *op)", name)
	p("TEXT ·%s(SB), NOSPLIT, $0-16", name)
	p("\tMOVQ f+0(FP), DI\n\tMOVQ o+8(FP), SI\n\tMOVQ frame_base(DI), BX\n\tMOVQ frame_blocks(DI), CX")
	p("\tMOVLQSX op_d(SI), R8\n\tADDQ BX, R8")
	operand := func(i, by int) string { // for the register at byte by of a block
		if uniform>>i&1 != 0 {
			return fmt.Sprintf("Y%d", 7+i)
		}
		if by == 0 {
			return fmt.Sprintf("(R%d)(AX*1)", 9+i)
		}
		return fmt.Sprintf("%d(R%d)(AX*1)", by, 9+i)
	}
	for i, field := range []string{"a", "b", "c"} {
		p("\tMOVLQSX op_%s(SI), R%d\n\tADDQ BX, R%d", field, 9+i, 9+i)
		if uniform>>i&1 != 0 {
			p("\tVBROADCASTSS (R%d), Y%d", 9+i, 7+i)
		}
	}
	p("\tXORQ AX, AX\nloop:")
	for r := range 2 {
		p("\tVMOVUPS %s, Y%d\n\tVMOVUPS %s, Y%d", operand(2, 32*r), r, operand(0, 32*r), 2+r)
	}
	for r := range 2 {
		p("\tVFMADD231PS %s, Y%d, Y%d", operand(1, 32*r), 2+r, r)
	}
	p("\tVMOVUPS Y0, (R8)(AX*1)\n\tVMOVUPS Y1, 32(R8)(AX*1)")
	p("\tADDQ $64, AX\n\tDECQ CX\n\tJNZ loop\n\tVZEROUPPER\n\tRET")
}
