package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/exec/num/fast"
)

// chained are the f32 operations that may be links of a chain, other than selects.
var chained = []string{"FAdd", "FSub", "FMul", "FDiv", "FMin", "FMax", "Sqrt", "FNeg", "FAbs"}

// writeChain writes the loop that executes a chain of operations on the columns' blocks, with the
// value between them in registers 0 to 3, and the table of its links. Each link is code that ends
// with a jump to the next one's.
//
// R8 is the address of the result and R9 of the first operand, AX the offset of the current lanes,
// CX the number of iterations left, BX the frame, R11 the current link, R12 the table of code, and
// R13 the first link.
func writeChain(s *strings.Builder) {
	p := func(format string, args ...any) { fmt.Fprintf(s, "\t"+format+"\n", args...) }
	var labels []string
	begin := func(label string) {
		fmt.Fprintf(s, "\nTEXT %s<>(SB), NOSPLIT|NOFRAME, $0-0\n", label)
		labels = append(labels, label)
	}
	jump := func() { p("MOVLQZX link_code(R11), DX\n\tMOVQ (R12)(DX*8), DX\n\tJMP DX") }
	load := func() {
		p("MOVQ R13, R11")
		for i := range 4 {
			p("VMOVUPS %d(R9)(AX*1), Y%d", 32*i, i)
		}
		jump()
	}
	next := func() {
		p("ADDQ $link__size, R11")
		jump()
	}
	begin("chainEnd")
	for i := range 4 {
		p("VMOVUPS Y%d, %d(R8)(AX*1)", i, 32*i)
	}
	p("ADDQ $128, AX\n\tDECQ CX\n\tJEQ done")
	load()
	s.WriteString("done:\n")
	p("VZEROUPPER\n\tRET")

	fmt.Fprintf(&out, "\n// vectorChain executes the links of a chain.\nfunc vectorChain(f *frame, o *op)\n")
	fmt.Fprintf(&out, "\n// chainCode returns the code of a link, or 0 for none.\n"+
		"func chainCode(operation ir.Op, form linkForm) int32 {\n\tswitch (linkKey{operation, form}) {\n")
	entry := func(op, form, label string) {
		fmt.Fprintf(&out, "\tcase linkKey{ir.Op%s, %s}:\n\t\treturn %d\n", op, form, len(labels))
		begin(label)
	}
	for _, v := range vectorOps {
		if v.kind != "F32" || !slices.Contains(chained, v.op) {
			continue
		}
		forms := []string{"linkUniform", "uniformLink", "linkColumn", "columnLink"}
		if v.unary {
			forms = []string{"linkAlone"}
		}
		for i, form := range forms {
			entry(v.op, form, fmt.Sprintf("chain%s%d", v.op, i))
			if v.constant != 0 {
				p("MOVL $0x%x, DX\n\tVMOVD DX, X8\n\tVPBROADCASTD X8, Y8", v.constant)
			}
			if !v.unary {
				p("MOVLQSX link_b(R11), R10\n\tADDQ BX, R10")
			}
			if i < 2 && !v.unary {
				p("VBROADCASTSS (R10), Y7")
			}
			for r := range 4 {
				x, y := fmt.Sprintf("Y%d", r), "Y7"
				if i >= 2 {
					y = fmt.Sprintf("%d(R10)(AX*1)", 32*r)
				}
				if i%2 == 1 {
					p("VMOVUPS %s, Y6", y)
					x, y = "Y6", x
				}
				for _, line := range v.code {
					p("%s", replaceWords(line, map[string]string{"X": x, "Y": y, "T": "Y9", "U": "Y10", "V": "Y11"}))
				}
				if i%2 == 1 {
					p("VMOVAPS Y6, Y%d", r)
				}
			}
			next()
		}
	}
	for _, f := range fast.Programs() {
		if f == nil {
			continue
		}
		forms := []string{"linkUniform", "uniformLink", "linkColumn", "columnLink"}
		if f.Args == 1 {
			forms = []string{"linkAlone"}
		}
		for i, form := range forms {
			entry(fastName(f), form+" | linkFast", fmt.Sprintf("chain%s%d", f.Name, i))
			value, other := fastX, fastY
			if i%2 == 1 {
				value, other = fastY, fastX
			}
			if f.Args == 2 {
				p("MOVLQSX link_b(R11), R10\n\tADDQ BX, R10")
			}
			for r := range 4 {
				switch {
				case f.Args == 1:
				case i < 2:
					p("VBROADCASTSS (R10), Y%d", other)
				default:
					p("VMOVUPS %d(R10)(AX*1), Y%d", 32*r, other)
				}
				p("VMOVAPS Y%d, Y%d\n\tCALL %s<>(SB)\n\tVMOVAPS Y%d, Y%[1]d", r, value, f.Name, fastX)
			}
			next()
		}
	}
	// A comparison with a uniform operand, and a select between the value and a uniform operand.
	for _, compare := range []struct{ op, predicate string }{{"FLT", "1"}, {"FLE", "2"}} {
		for i, form := range []string{"linkUniform", "uniformLink"} {
			for k, chosen := range []string{"chooseUniform", "chooseLink"} {
				entry(compare.op, form+" | "+chosen, fmt.Sprintf("chain%s%d", compare.op, 2*i+k))
				p("MOVLQSX link_b(R11), R10\n\tVBROADCASTSS (BX)(R10*1), Y7")
				p("MOVLQSX link_c(R11), R10\n\tVBROADCASTSS (BX)(R10*1), Y8")
				for r := range 4 {
					x, y := fmt.Sprintf("Y%d", r), "Y7"
					if i == 1 {
						x, y = y, x
					}
					p("VCMPPS $%s, %s, %s, Y9", compare.predicate, y, x)
					yes, no := "Y8", fmt.Sprintf("Y%d", r)
					if k == 1 {
						yes, no = no, yes
					}
					p("VBLENDVPS Y9, %s, %s, Y%d", yes, no, r)
				}
				next()
			}
		}
	}
	fmt.Fprint(&out, "\t}\n\treturn 0\n}\n")

	for i, label := range labels {
		fmt.Fprintf(s, "\nDATA chainTable<>+%d(SB)/8, $%s<>(SB)", 8*i, label)
	}
	fmt.Fprintf(s, "\nGLOBL chainTable<>(SB), RODATA, $%d\n", 8*len(labels))
	s.WriteString("\n// func vectorChain(f *frame, o *op)\nTEXT ·vectorChain(SB), NOSPLIT, $0-16\n")
	p("MOVQ f+0(FP), DI\n\tMOVQ o+8(FP), SI\n\tMOVQ frame_base(DI), BX\n\tMOVQ frame_blocks(DI), CX")
	p("INCQ CX\n\tSHRQ $1, CX") // two blocks at a time
	p("MOVLQSX op_d(SI), R8\n\tADDQ BX, R8\n\tMOVLQSX op_a(SI), R9\n\tADDQ BX, R9")
	p("MOVQ op_chain(SI), R13\n\tLEAQ chainTable<>(SB), R12\n\tXORQ AX, AX")
	load()
}
