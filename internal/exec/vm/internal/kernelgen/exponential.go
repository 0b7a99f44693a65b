package main

import (
	"fmt"
	"math"
	"strings"
)

// exponential is an f32 power function, computed in float64 with the same steps as in package num:
// any other order would give different bits.
type exponential struct {
	op     string
	factor float64 // factor of x in the exponent of 2; 0 for x itself
}

var exponentials = []exponential{{"Exp", 1 / math.Ln2}, {"Exp2", 0}, {"Exp10", math.Ln10 / math.Ln2}}

// The constants shared by all lanes, in registers from Y3 on: the limits of the exponent, the
// number whose addition rounds to an integer, the polynomial's coefficients in descending order,
// the exponent's bias as an integer, and the factor.
var exponentialNumbers = []float64{300, -300, 3 << 51, 1.5297323760701075e-05, 0.0001546144469856913,
	0.001333350238616277, 0.009618056678524637,
	0.055504108839096185, 0.24022650922288757, 0.6931471805599453, 1}

const (
	exponentBias      = 1023
	firstCoefficient  = 6 // the register
	firstFree         = 14
	exponentialFactor = 15
)

// writeExponentials prints the declarations, writes the assembly, and returns the lines of the
// table.
func writeExponentials(s *strings.Builder) (table []string) {
	for i, x := range exponentialNumbers {
		fmt.Fprintf(s, "\nDATA exponential<>+%d(SB)/8, $0x%016x", 8*i, math.Float64bits(x))
	}
	fmt.Fprintf(s, "\nGLOBL exponential<>(SB), RODATA|NOPTR, $%d\n", 8*len(exponentialNumbers))
	for _, e := range exponentials {
		name := "vector" + e.op + "F32V"
		fmt.Fprintf(&out, "func %s(f *frame, o *op)\n", name)
		e.write(s, name)
		table = append(table,
			fmt.Sprintf("\tcase vectorKey{ir.Op%s, ir.F32}:\n\t\treturn &[...]func(*frame, *op){%s}\n",
				e.op, name))
	}
	return table
}

func (e exponential) write(s *strings.Builder, name string) {
	p := func(format string, args ...any) { fmt.Fprintf(s, "\t"+format+"\n", args...) }
	fmt.Fprintf(s, "\n// func %s(f *frame, o *op)\nTEXT ·%s(SB), NOSPLIT, $0-16\n", name, name)
	p("MOVQ f+0(FP), DI\n\tMOVQ o+8(FP), SI\n\tMOVQ frame_base(DI), BX\n\tMOVQ frame_blocks(DI), CX")
	p("MOVLQSX op_d(SI), R8\n\tADDQ BX, R8\n\tMOVLQSX op_a(SI), R9\n\tADDQ BX, R9")
	for i := range exponentialNumbers {
		p("VBROADCASTSD exponential<>+%d(SB), Y%d", 8*i, 3+i)
	}
	everywhere := func(register int, bits uint64) {
		p("MOVQ $0x%016x, AX\n\tVMOVQ AX, X%d\n\tVPBROADCASTQ X%d, Y%d", bits, register, register, register)
	}
	everywhere(firstFree, exponentBias)
	if e.factor != 0 {
		everywhere(exponentialFactor, math.Float64bits(e.factor))
	}
	p("XORQ AX, AX")
	fmt.Fprint(s, "loop:\n")
	for at := 0; at < 64; at += 16 { // four lanes
		p("VCVTPS2PD %d(R9)(AX*1), Y0", at)
		if e.factor != 0 {
			p("VMULPD Y%d, Y0, Y0", exponentialFactor)
		}
		p("VMINPD Y0, Y3, Y0\n\tVMAXPD Y0, Y4, Y0")                      // a NaN stays: the second operand is the result then
		p("VADDPD Y5, Y0, Y1\n\tVSUBPD Y5, Y1, Y2\n\tVSUBPD Y2, Y0, Y0") // the nearest integer and the remainder
		p("VMULPD Y%d, Y0, Y2", firstCoefficient)
		for c := firstCoefficient + 1; c < firstFree; c++ { // the polynomial
			if c > firstCoefficient+1 {
				p("VMULPD Y0, Y2, Y2")
			}
			p("VADDPD Y%d, Y2, Y2", c)
		}
		p("VPADDQ Y%d, Y1, Y1\n\tVPSLLQ $52, Y1, Y1\n\tVMULPD Y1, Y2, Y2", firstFree) // times the power
		p("VCVTPD2PSY Y2, X2\n\tVMOVUPS X2, %d(R8)(AX*1)", at)
	}
	p("ADDQ $64, AX\n\tDECQ CX\n\tJNZ loop\n\tVZEROUPPER\n\tRET")
}
