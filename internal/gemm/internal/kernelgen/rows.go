package main

import "fmt"

// lanes is how many sums a product of rows has.
const lanes = 32

// maxTile is how many rows of x a product takes at once.
const maxTile = 3

// rowTile is how many registers of lanes a pass over rows has, by how many rows of x there are, so
// that there are at least eight sums under way and no more than there are registers.
func (s set) rowTile(m int) int {
	if s.reg == "Z" || m == 1 {
		return 2
	}
	return 1
}

// rows writes the products of four rows of weights with m rows of x.
func (w *writer) rows(s set, m int) {
	w.function(fmt.Sprintf("rows%d%s", m, s.name),
		"steps int, w *float32, wStride int, x *float32, xStride int, acc *float32, first bool",
		49, fmt.Sprintf("adds products of four rows of w and %d of x, %d elements a step, to their sums, %d of each "+
			"pair, which are 0 before if first is set. Strides are in bytes.", m, lanes, lanes))
	wide, regs := 4*s.wide, s.rowTile(m)
	acc := func(n, i, h int) string { return fmt.Sprintf("%s%d", s.reg, (n*m+i)*regs+h) }
	at := func(n, i, h int) int { return (4*i+n)*4*lanes + h*wide } // the rows of weights side by side
	x := func(i int) string { return fmt.Sprintf("%s%d", s.reg, 4*m*regs+i) }
	wr := fmt.Sprintf("%s%d", s.reg, 4*m*regs+m)
	w.i("MOVQ steps+0(FP), CX")
	w.i("MOVQ w+8(FP), DI")
	w.i("MOVQ wStride+16(FP), R8")
	w.i("MOVQ x+24(FP), SI")
	w.i("MOVQ xStride+32(FP), R10")
	w.i("MOVQ acc+40(FP), DX")
	w.i("LEAQ (R8)(R8*2), R9")
	w.i("MOVQ $%d, BX", 4*lanes/(regs*wide))
	w.label("pass")
	w.i("MOVQ CX, R11")
	w.i("MOVQ DI, R12")
	w.i("MOVQ SI, R13")
	each := func(code string, args func(at int, acc string) []any) {
		for n := range 4 {
			for i := range m {
				for h := range regs {
					w.i(code, args(at(n, i, h), acc(n, i, h))...)
				}
			}
		}
	}
	w.i("CMPB first+48(FP), $0")
	w.i("JEQ load")
	each("VXORPS %s, %s, %s", func(_ int, acc string) []any { return []any{acc, acc, acc} })
	w.i("JMP step")
	w.label("load")
	each("VMOVUPS %d(DX), %s", func(at int, acc string) []any { return []any{at, acc} })
	w.label("step")
	for h := range regs {
		for i := range m {
			w.i("VMOVUPS %d(R13)%s, %s", h*wide, []string{"", "(R10*1)", "(R10*2)"}[i], x(i))
		}
		for n := range 4 {
			from := fmt.Sprintf("%d(R12)%s", h*wide, []string{"", "(R8*1)", "(R8*2)", "(R9*1)"}[n])
			if m == 1 {
				w.i("VFMADD231PS %s, %s, %s", from, x(0), acc(n, 0, h))
				continue
			}
			w.i("VMOVUPS %s, %s", from, wr)
			for i := range m {
				w.i("VFMADD231PS %s, %s, %s", wr, x(i), acc(n, i, h))
			}
		}
	}
	w.i("ADDQ $%d, R12", 4*lanes)
	w.i("ADDQ $%d, R13", 4*lanes)
	w.i("DECQ R11")
	w.i("JNZ step")
	each("VMOVUPS %[2]s, %[1]d(DX)", func(at int, acc string) []any { return []any{at, acc} })
	w.i("ADDQ $%d, DI", regs*wide)
	w.i("ADDQ $%d, SI", regs*wide)
	w.i("ADDQ $%d, DX", regs*wide)
	w.i("DECQ BX")
	w.i("JNZ pass")
	w.end()
}

// sums writes the addition of lanes, in pairs that are 16, 8, 4, 2 and 1 apart, of four elements at
// once.
func (w *writer) sums() {
	w.function("sums", "fours int, acc, out *float32, stride int", 32, fmt.Sprintf("adds the %d sums of each of four "+
		"elements, which it writes side by side; the next four are stride bytes after them. A NaN is the plain "+
		"quiet one.", lanes))
	w.i("MOVQ fours+0(FP), CX")
	w.i("MOVQ acc+8(FP), SI")
	w.i("MOVQ out+16(FP), DI")
	w.i("MOVQ stride+24(FP), R8")
	w.i("MOVL $0x7fc00000, AX")
	w.i("VMOVD AX, X6")
	w.i("VBROADCASTSS X6, X6")
	w.label("four")
	for i := range 4 {
		at := 4 * lanes * i
		w.i("VMOVUPS %d(SI), Y%d", at, i)
		w.i("VMOVUPS %d(SI), Y4", at+32)
		w.i("VADDPS %d(SI), Y%d, Y%d", at+64, i, i)
		w.i("VADDPS %d(SI), Y4, Y4", at+96)
		w.i("VADDPS Y4, Y%d, Y%d", i, i)
	}
	for i := range 2 { // the halves of elements 0 and 1, of 2 and 3
		w.i("VPERM2F128 $0x20, Y%d, Y%d, Y4", 2*i+1, 2*i)
		w.i("VPERM2F128 $0x31, Y%d, Y%d, Y5", 2*i+1, 2*i)
		w.i("VADDPS Y5, Y4, Y%d", i)
	}
	w.i("VUNPCKLPD Y1, Y0, Y4")
	w.i("VUNPCKHPD Y1, Y0, Y5")
	w.i("VADDPS Y5, Y4, Y0")
	w.i("VSHUFPS $0x88, Y0, Y0, Y4")
	w.i("VSHUFPS $0xdd, Y0, Y0, Y5")
	w.i("VADDPS Y5, Y4, Y0") // elements 0 and 2, and 1 and 3 in the upper half
	w.i("VEXTRACTF128 $1, Y0, X1")
	w.i("VUNPCKLPS X1, X0, X0")
	w.i("VCMPPS $3, X0, X0, X1") // unordered
	w.i("VBLENDVPS X1, X6, X0, X0")
	w.i("VMOVUPS X0, (DI)")
	w.i("ADDQ $%d, SI", 16*lanes)
	w.i("ADDQ R8, DI")
	w.i("DECQ CX")
	w.i("JNZ four")
	w.end()
}
