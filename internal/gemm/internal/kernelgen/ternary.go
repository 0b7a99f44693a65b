package main

import "fmt"

// ternary writes the products of rows of two-bit codes with a row of int8, in AVX2 and with VNNI.
func (w *writer) ternary() {
	for _, set := range []string{"AVX2", "VNNI"} {
		w.codes(set, true)
		w.codes(set, false)
	}
	w.spread()
	w.recode()
}

// spread writes the loop that converts codes of I2_S to those of tq2_0: in I2_S the highest two
// bits of a byte come first, and 3 means zero, as 1 does.
func (w *writer) spread() {
	w.function("spreadI2S", "dst, src *byte, groups int", 24,
		"writes groups of 32 bytes of I2_S as tq2_0 has its codes.")
	w.i("MOVQ dst+0(FP), DI")
	w.i("MOVQ src+8(FP), SI")
	w.i("MOVQ groups+16(FP), CX")
	w.i("VMOVDQU low<>(SB), Y7")
	w.i("VMOVDQU swapped<>(SB), Y6")
	w.label("group")
	w.i("VMOVDQU (SI), Y0")
	w.i("VPAND Y7, Y0, Y1")
	w.i("VPSRLW $4, Y0, Y0")
	w.i("VPAND Y7, Y0, Y0")
	w.i("VPSHUFB Y0, Y6, Y0")
	w.i("VPSHUFB Y1, Y6, Y1")
	w.i("VPSLLW $4, Y1, Y1")
	w.i("VPOR Y1, Y0, Y0")
	w.i("VMOVDQU Y0, (DI)")
	w.i("ADDQ $32, SI")
	w.i("ADDQ $32, DI")
	w.i("DECQ CX")
	w.i("JNZ group")
	w.end()
}

// codes writes the product of four rows. A row is blocks of 64 bytes of codes, in the order of
// tq2_0, and of a half, its scale, if they are scaled. A code is a trit plus 1, so the sum of the
// row of int8 is taken off.
func (w *writer) codes(set string, scaled bool) {
	name, out, block, doc := "trits"+set, "totals *float32", 66,
		"adds scaled sums of four rows of codes to totals, block by block."
	if !scaled {
		name, out, block, doc = "tritsWhole"+set, "totals *int32", 64, "adds sums of four rows of codes to totals."
	}
	w.function(name, "blocks int, w *byte, wStride int, x *byte, sums *int32, "+out, 48,
		doc+" sums has the sum of x for each block of 256.")
	w.i("MOVQ blocks+0(FP), CX")
	w.i("MOVQ w+8(FP), DI")
	w.i("MOVQ wStride+16(FP), R8")
	w.i("MOVQ x+24(FP), SI")
	w.i("MOVQ sums+32(FP), DX")
	w.i("MOVQ totals+40(FP), BX")
	w.i("LEAQ (R8)(R8*2), R9")
	w.i("VMOVDQU three<>(SB), Y3")
	w.label("block")
	for i := range 8 {
		w.i("VMOVDQU %d(SI), Y%d", 32*i, 8+i)
	}
	row := []string{"(DI)", "(DI)(R8*1)", "(DI)(R8*2)", "(DI)(R9*1)"}
	for n := range 4 {
		acc := 4 + n
		w.i("VPXOR Y%d, Y%d, Y%d", acc, acc, acc)
		w.i("PREFETCHT0 512%s", row[n])
		for h := range 2 {
			w.i("VMOVDQU %d%s, Y0", 32*h, row[n])
			for j := range 4 {
				w.shift("Y0", "Y1", -2*j)
				w.i("VPAND Y3, Y1, Y1")
				x := 8 + 4*h + j
				if set == "VNNI" {
					w.i("VPDPBUSD Y%d, Y1, Y%d", x, acc)
					continue
				}
				w.i("VPMADDUBSW Y%d, Y1, Y1", x) // at most 2*3*128, and eight of them fit too
				w.i("VPADDW Y1, Y%d, Y%d", acc, acc)
			}
		}
		if set != "VNNI" {
			w.i("VPMADDWD ones<>(SB), Y%d, Y%d", acc, acc)
		}
	}
	w.i("VPHADDD Y5, Y4, Y4")
	w.i("VPHADDD Y7, Y6, Y6")
	w.i("VPHADDD Y6, Y4, Y4")
	w.i("VEXTRACTI128 $1, Y4, X5")
	w.i("VPADDD X5, X4, X4")
	w.i("VPBROADCASTD (DX), X5")
	w.i("VPSUBD X5, X4, X4")
	if scaled {
		w.i("VPXOR X5, X5, X5")
		for n := range 4 {
			w.i("VPINSRW $%d, 64%s, X5, X5", n, row[n])
		}
		w.i("VCVTPH2PS X5, X5")
		w.i("VCVTDQ2PS X4, X4")
		w.i("VMULPS X5, X4, X4")
		w.i("VADDPS (BX), X4, X4")
	} else {
		w.i("VPADDD (BX), X4, X4")
	}
	w.i("VMOVDQU X4, (BX)")
	w.i("ADDQ $256, SI")
	w.i("ADDQ $4, DX")
	w.i("ADDQ $%d, DI", block)
	w.i("DECQ CX")
	w.i("JNZ block")
	w.end()
}

// recode writes the loop that writes blocks of tq1_0 as those of tq2_0.
func (w *writer) recode() {
	w.functionWith(256, "recodeTQ1", "dst, src *byte, blocks int", 24, "writes blocks of tq1_0 as those of tq2_0.")
	w.i("MOVQ dst+0(FP), DI")
	w.i("MOVQ src+8(FP), SI")
	w.i("MOVQ blocks+16(FP), CX")
	w.i("VMOVDQU one<>(SB), Y14")
	w.label("block")
	w.trits256()
	for h := range 2 {
		for j := range 4 {
			w.i("VPADDB %d(SP), Y14, Y%d", 128*h+32*j, j)
			w.shift(fmt.Sprintf("Y%d", j), fmt.Sprintf("Y%d", j), 2*j)
		}
		w.i("VPOR Y1, Y0, Y0")
		w.i("VPOR Y3, Y2, Y2")
		w.i("VPOR Y2, Y0, Y0")
		w.i("VMOVDQU Y0, %d(DI)", 32*h)
	}
	w.i("MOVW 52(SI), AX")
	w.i("MOVW AX, 64(DI)")
	w.i("ADDQ $54, SI")
	w.i("ADDQ $66, DI")
	w.i("DECQ CX")
	w.i("JNZ block")
	w.end()
}
