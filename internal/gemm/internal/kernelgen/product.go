package main

import "fmt"

// product writes the product of two panels, added to a tile. All accumulators stay in registers:
// those of row r are 2r and 2r+1. The four registers after them hold the row of B and elements of
// A.
func (w *writer) product(s set, kind string) {
	w.function("product"+kind+s.name, "k int, a, b *uint32, stride int, acc *uint32, first bool", 41,
		"adds the product of panels of A and B, k words deep, to a tile, which is 0 before if first is set. "+
			"Rows of B are stride bytes apart.")
	reg := func(n int) string { return fmt.Sprintf("%s%d", s.reg, n) }
	bytes := 4 * s.wide
	free := 2 * s.rows
	b0, b1, x, y := reg(free), reg(free+1), reg(free+2), reg(free+3)
	w.i("MOVQ k+0(FP), CX")
	w.i("MOVQ a+8(FP), SI")
	w.i("MOVQ b+16(FP), DI")
	w.i("MOVQ stride+24(FP), R8")
	w.i("MOVQ acc+32(FP), DX")
	w.i("CMPB first+40(FP), $0")
	w.i("JEQ load")
	for r := range 2 * s.rows {
		w.i("VXORPS %s, %s, %s", reg(r), reg(r), reg(r))
	}
	w.i("JMP loaded")
	w.label("load")
	for r := range 2 * s.rows {
		w.i("VMOVUPS %d(DX), %s", r*bytes, reg(r))
	}
	w.label("loaded")
	// The next tile follows this one.
	for line := 0; line < 2*s.rows*bytes; line += 64 {
		w.i("PREFETCHT0 %d(DX)", 2*s.rows*bytes+line)
	}
	step := func(i int) {
		w.i("VMOVUPS (DI), %s", b0)
		w.i("VMOVUPS %d(DI), %s", bytes, b1)
		for line := 0; line < 2*bytes; line += 64 {
			w.i("PREFETCHT0 %d(DI)(R8*8)", line)
		}
		w.i("ADDQ R8, DI")
		for r := range s.rows {
			at := 4 * (i*s.rows + r)
			switch kind {
			case "F32", "VNNI":
				op, bcast, a := "VFMADD231PS", "VBROADCASTSS", x
				if kind == "VNNI" {
					op, bcast = "VPDPWSSD", "VPBROADCASTD"
				}
				if r%2 == 1 {
					a = y
				}
				w.i("%s %d(SI), %s", bcast, at, a)
				w.i("%s %s, %s, %s", op, b0, a, reg(2*r))
				w.i("%s %s, %s, %s", op, b1, a, reg(2*r+1))
			case "I16":
				w.i("VPBROADCASTD %d(SI), %s", at, x)
				w.i("VPMADDWD %s, %s, %s", b0, x, y)
				w.i("VPADDD %s, %s, %s", y, reg(2*r), reg(2*r))
				w.i("VPMADDWD %s, %s, %s", b1, x, x)
				w.i("VPADDD %s, %s, %s", x, reg(2*r+1), reg(2*r+1))
			}
		}
	}
	const unroll = 4
	w.i("SUBQ $%d, CX", unroll)
	w.i("JLT rest")
	w.i("PCALIGN $64")
	w.label("loop")
	for i := range unroll {
		step(i)
	}
	w.i("ADDQ $%d, SI", unroll*4*s.rows)
	w.i("SUBQ $%d, CX", unroll)
	w.i("JGE loop")
	w.label("rest")
	w.i("ADDQ $%d, CX", unroll)
	w.i("JEQ done")
	w.label("one")
	step(0)
	w.i("ADDQ $%d, SI", 4*s.rows)
	w.i("DECQ CX")
	w.i("JNZ one")
	w.label("done")
	for r := range 2 * s.rows {
		w.i("VMOVUPS %s, %d(DX)", reg(r), r*bytes)
	}
	w.end()
}
