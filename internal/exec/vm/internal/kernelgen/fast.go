package main

import (
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/exec/num/fast"
)

// The functions of fast math are subroutines, made from the programs of package fast. Their
// argument and result is in register 4, a second argument in register 5; they use 4 to 15, and no
// general registers.
const (
	fastX        = 4
	fastY        = 5
	fastLast     = 15
	fastConstant = 32 // bytes of a constant, repeated for all lanes
)

// fastName returns the name of a function's operation in package ir.
func fastName(p *fast.Program) string { return strings.TrimPrefix(p.Name, "Fast") }

// fastRows returns the functions as operations on columns.
func fastRows() (list []row) {
	for _, p := range fast.Programs() {
		if p != nil {
			call := fmt.Sprintf("num.%s(%s)", p.Name, []string{"x", "x, y"}[p.Args-1])
			list = append(list, row{op: fastName(p), expr: call, kinds: floats, unary: p.Args == 1, fast: true})
		}
	}
	return list
}

// constantKey is a constant of 32 or 64 bits.
type constantKey struct {
	bits   uint64
	double bool
}

// fastWriter writes a function's subroutine.
type fastWriter struct {
	out       *strings.Builder
	p         *fast.Program
	constants []constantKey
	regs      [][]int // of each step's value
	free      []int
}

// writeFast writes the subroutines and the loops over columns, and prints the table of the latter.
func writeFast(s *strings.Builder) {
	w := &fastWriter{out: s}
	var table strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(s, "\t"+format+"\n", args...) }
	for _, p := range fast.Programs() {
		if p == nil {
			continue
		}
		w.function(p)
		forms := []string{"V"}
		if p.Args == 2 {
			forms = []string{"VV", "VU", "UV"}
		}
		var names []string
		for _, form := range forms {
			name := "vector" + p.Name + "F32" + form
			names = append(names, name)
			fmt.Fprintf(&out, "func %s(f *frame, o *op)\n", name)
			fmt.Fprintf(s, "\n// func %s(f *frame, o *op)\nTEXT ·%[1]s(SB), NOSPLIT, $0-16\n", name)
			line("MOVQ f+0(FP), DI\n\tMOVQ o+8(FP), SI\n\tMOVQ frame_base(DI), BX\n\tMOVQ frame_blocks(DI), CX")
			line("MOVLQSX op_d(SI), R8\n\tADDQ BX, R8\n\tMOVLQSX op_a(SI), R9\n\tADDQ BX, R9")
			if p.Args == 2 {
				line("MOVLQSX op_b(SI), R10\n\tADDQ BX, R10")
			}
			line("XORQ AX, AX")
			s.WriteString("loop:\n")
			for at := 0; at < 64; at += 32 {
				for i, c := range form {
					if c == 'U' {
						line("VBROADCASTSS (R%d), Y%d", 9+i, fastX+i)
					} else {
						line("VMOVUPS %d(R%d)(AX*1), Y%d", at, 9+i, fastX+i)
					}
				}
				line("CALL %s<>(SB)\n\tVMOVUPS Y%d, %d(R8)(AX*1)", p.Name, fastX, at)
			}
			line("ADDQ $64, AX\n\tDECQ CX\n\tJNZ loop\n\tVZEROUPPER\n\tRET")
		}
		fmt.Fprintf(&table, "\tcase ir.Op%s:\n\t\treturn []func(*frame, *op){%s}\n", fastName(p),
			strings.Join(names, ", "))
	}
	for at, c := range w.constants {
		x := c.bits
		if !c.double {
			x |= x << 32
		}
		for i := range 4 {
			fmt.Fprintf(s, "\nDATA fastNumbers<>+%d(SB)/8, $0x%016x", fastConstant*at+8*i, x)
		}
	}
	fmt.Fprintf(s, "\nGLOBL fastNumbers<>(SB), RODATA|NOPTR, $%d\n", fastConstant*len(w.constants))
	fmt.Fprintf(&out, "\n// vectorFast returns the loops of an f32 function under fast math: of one column, or in the "+
		"three\n// forms of vectorPair; or nil.\nfunc vectorFast(operation ir.Op) []func(*frame, *op) {\n"+
		"\tswitch operation {\n%s\t}\n\treturn nil\n}\n", table.String())
}

func (w *fastWriter) line(format string, args ...any) {
	fmt.Fprintf(w.out, "\t"+format+"\n", args...)
}

func (w *fastWriter) take() int {
	if len(w.free) == 0 {
		log.Fatalf("%s needs too many registers", w.p.Name)
	}
	r := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	return r
}

// function writes a subroutine.
func (w *fastWriter) function(p *fast.Program) {
	w.p, w.regs, w.free = p, make([][]int, len(p.Steps)), nil
	for r := fastLast; r > fastX+p.Args-1; r-- {
		w.free = append(w.free, r)
	}
	fmt.Fprintf(w.out, "\nTEXT %s<>(SB), NOSPLIT|NOFRAME, $0-0\n", p.Name)
	last, lastArgs := p.LastUses()
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Op == fast.Const {
			continue
		}
		release := func() {
			for n, a := range s.Args[:s.Operand] {
				switch {
				case slices.Contains(s.Args[:n], a):
				case a < 0 && lastArgs[^a] == i:
					w.free = append(w.free, fastX+^a)
				case a >= 0 && last[a] == i:
					w.free = append(w.free, w.regs[a]...)
				}
			}
		}
		w.step(i, s, release)
	}
	if r := w.regs[len(p.Steps)-1][0]; r != fastX {
		w.line("VMOVAPS Y%d, Y%d", r, fastX)
	}
	w.line("RET")
}

// value returns part i of an operand: its register, or the memory of a constant.
func (w *fastWriter) value(a, part int) string {
	switch {
	case a < 0:
		return fmt.Sprintf("Y%d", fastX+^a)
	case w.p.Steps[a].Op != fast.Const:
		return fmt.Sprintf("Y%d", w.regs[a][part])
	}
	s := &w.p.Steps[a]
	return w.constant(s.Bits, s.Type == fast.Double)
}

// register returns part i of an operand in a register: a constant is loaded to the one given.
func (w *fastWriter) register(a, part, scratch int) string {
	v := w.value(a, part)
	if strings.HasPrefix(v, "Y") {
		return v
	}
	w.line("VMOVUPS %s, Y%d", v, scratch)
	return fmt.Sprintf("Y%d", scratch)
}

// fastBinary are the instructions of operations on two values, and whether the operands may change
// places.
var fastBinary = [fast.NumOps]struct {
	name     string
	commutes bool
}{
	fast.Add: {"VADDPS", true}, fast.Sub: {"VSUBPS", false}, fast.Mul: {"VMULPS", true}, fast.Div: {"VDIVPS", false},
	fast.Min: {"VMINPS", false}, fast.Max: {"VMAXPS", false}, fast.And: {"VPAND", true}, fast.Xor: {"VPXOR", true},
	fast.AddW: {"VPADDD", true}, fast.SubW: {"VPSUBD", false}, fast.Less: {"VCMPPS $1,", false},
	fast.Equal: {"VCMPPS $0,", true}, fast.AddD: {"VADDPD", true}, fast.SubD: {"VSUBPD", false},
	fast.MulD: {"VMULPD", true}, fast.MinD: {"VMINPD", false}, fast.MaxD: {"VMAXPD", false},
}

// step writes a step. release frees the registers of operands that nothing after it uses.
func (w *fastWriter) step(i int, s *fast.Step, release func()) {
	parts := 1
	if s.Type == fast.Double {
		parts = 2
	}
	define := func() {
		for range parts {
			w.regs[i] = append(w.regs[i], w.take())
		}
	}
	if b := fastBinary[s.Op]; b.name != "" {
		x, y := s.Args[0], s.Args[1]
		if b.commutes && x >= 0 && w.p.Steps[x].Op == fast.Const {
			x, y = y, x
		}
		if parts == 2 || x >= 0 && w.p.Steps[x].Op == fast.Const {
			define() // the first part or the constant must not overwrite an operand
			release()
		} else {
			release()
			define()
		}
		for part, d := range w.regs[i] {
			w.line("%s %s, %s, Y%d", b.name, w.value(y, part), w.register(x, part, d), d)
		}
		return
	}
	if s.Op == fast.Select {
		define() // for a constant
		d := w.regs[i][0]
		no := w.register(s.Args[2], 0, d)
		w.line("VBLENDVPS %s, %s, %s, Y%d", w.value(s.Args[0], 0), w.value(s.Args[1], 0), no, d)
		release()
		return
	}
	x := func(part int) string { return w.register(s.Args[0], part, 0) }
	low := func(y string) string { return "X" + y[1:] }
	switch s.Op {
	case fast.Sqrt, fast.Truncate, fast.ToFloat:
		name := map[fast.Op]string{fast.Sqrt: "VSQRTPS", fast.Truncate: "VCVTTPS2DQ", fast.ToFloat: "VCVTDQ2PS"}[s.Op]
		release()
		define()
		w.line("%s %s, Y%d", name, x(0), w.regs[i][0])
	case fast.ShiftL, fast.ShiftRA, fast.Negative: // blends read the sign bits
		name, by := "VPSRAD", 31
		if s.Op != fast.Negative {
			by = s.Imm
		}
		if s.Op == fast.ShiftL {
			name = "VPSLLD"
		}
		release()
		define()
		w.line("%s $%d, %s, Y%d", name, by, x(0), w.regs[i][0])
	case fast.Widen:
		define()
		lo, hi := w.regs[i][0], w.regs[i][1]
		w.line("VEXTRACTF128 $1, %s, X%d\n\tVCVTPS2PD X%[2]d, Y%[2]d\n\tVCVTPS2PD %s, Y%d", x(0), hi, low(x(0)), lo)
		release()
	case fast.Narrow:
		define()
		d, t := w.regs[i][0], w.take()
		w.line("VCVTPD2PSY %s, X%d\n\tVCVTPD2PSY %s, X%d\n\tVINSERTF128 $1, X%[4]d, Y%[2]d, Y%[2]d", x(0), d, x(1), t)
		w.free = append(w.free, t)
		release()
	case fast.Low:
		define()
		d := w.regs[i][0]
		w.line("VSHUFPS $0x88, %s, %s, Y%d\n\tVPERMQ $0xd8, Y%[3]d, Y%[3]d", x(1), x(0), d)
		release()
	case fast.Scale: // in two steps, since a power of two may be out of range
		define()
		d, n, half := w.regs[i][0], w.take(), w.take()
		bias := w.constant(127, false)
		w.line("VCVTPS2DQ %s, Y%d\n\tVPSRAD $1, Y%[2]d, Y%d\n\tVPSUBD Y%[3]d, Y%[2]d, Y%[2]d", w.value(s.Args[1], 0),
			n, half)
		w.line("VPADDD %s, Y%d, Y%[2]d\n\tVPSLLD $23, Y%[2]d, Y%[2]d\n\tVMULPS Y%[2]d, %[3]s, Y%[4]d", bias, half, x(0),
			d)
		w.line("VPADDD %s, Y%d, Y%[2]d\n\tVPSLLD $23, Y%[2]d, Y%[2]d\n\tVMULPS Y%[2]d, Y%[3]d, Y%[3]d", bias, n, d)
		w.free = append(w.free, n, half)
		release()
	default:
		log.Fatalf("%s: unknown operation %d", w.p.Name, s.Op)
	}
}

// constant returns the memory of a constant of 32 or 64 bits.
func (w *fastWriter) constant(bits uint64, double bool) string {
	key := constantKey{bits, double}
	at := slices.Index(w.constants, key)
	if at < 0 {
		at = len(w.constants)
		w.constants = append(w.constants, key)
	}
	return fmt.Sprintf("fastNumbers<>+%d(SB)", fastConstant*at)
}
