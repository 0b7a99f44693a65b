package main

import "fmt"

// linear writes the loop that makes floats of codes in memory, for readers in Go.
func (w *writer) linear(s set, name, extend string) {
	w.function("linear"+name+s.name, "dst *float32, codes *byte, groups int, scales, added *float32", 40,
		"writes scale*code + added for groups of 16 codes.")
	w.i("MOVQ dst+0(FP), DI")
	w.i("MOVQ codes+8(FP), SI")
	w.i("MOVQ groups+16(FP), CX")
	w.i("MOVQ scales+24(FP), R8")
	w.i("MOVQ added+32(FP), R9")
	reg := func(n int) string { return fmt.Sprintf("%s%d", s.reg, n) }
	w.label("group")
	w.i("VBROADCASTSS (R8), %s", reg(4))
	w.i("VBROADCASTSS (R9), %s", reg(5))
	for e := 0; e < 16; e += s.wide {
		r := reg(e / s.wide)
		w.scaled(extend, fmt.Sprintf("%d(SI)", e), r, reg(4), reg(5))
		w.i("VMOVUPS %s, %d(DI)", r, 4*e)
	}
	w.i("ADDQ $64, DI")
	w.i("ADDQ $16, SI")
	w.i("ADDQ $4, R8")
	w.i("ADDQ $4, R9")
	w.i("DECQ CX")
	w.i("JNZ group")
	w.end()
}

// scaled makes floats of codes that are bytes, times a scale, with what is added unless that is "".
func (w *writer) scaled(extend, from, to, scale, added string) {
	w.i("%s %s, %s", extend, from, to)
	w.i("VCVTDQ2PS %s, %s", to, to)
	w.i("VMULPS %s, %s, %s", to, scale, to)
	if added != "" {
		w.i("VADDPS %s, %s, %s", to, added, to)
	}
}

// eights writes the loop that makes floats of numbers of 8 bits: a sign, four bits of exponent and
// three of mantissa. As the bits of a float they are too small by 2 to the power of 120, denormals
// too.
func (w *writer) eights(s set) {
	w.function("eights"+s.name, "dst *float32, src *byte, groups int, scales *float32", 32,
		"writes twice the numbers times a scale for groups of 16.")
	w.i("MOVQ dst+0(FP), DI")
	w.i("MOVQ src+8(FP), SI")
	w.i("MOVQ groups+16(FP), CX")
	w.i("MOVQ scales+24(FP), R8")
	reg := func(n int) string { return fmt.Sprintf("%s%d", s.reg, n) }
	for i, bits := range []uint32{0x7c000000, 0x07f00000, 0x80000000} { // 2 to the power of 121
		w.i("MOVL $%#x, AX", bits)
		w.i("VMOVD AX, X%d", 5+i)
		w.i("VBROADCASTSS X%d, %s", 5+i, reg(5+i))
	}
	w.label("group")
	w.i("VBROADCASTSS (R8), %s", reg(4))
	and, or := "VPAND", "VPOR"
	if s.reg == "Z" {
		and, or = "VPANDD", "VPORD"
	}
	for e := 0; e < 16; e += s.wide {
		x, sign := reg(e/s.wide), reg(2+e/s.wide)
		w.i("VPMOVZXBD %d(SI), %s", e, x)
		w.i("VPSLLD $24, %s, %s", x, sign)
		w.i("VPSLLD $20, %s, %s", x, x)
		w.i("%s %s, %s, %s", and, reg(6), x, x)
		w.i("%s %s, %s, %s", and, reg(7), sign, sign)
		w.i("%s %s, %s, %s", or, sign, x, x)
		w.i("VMULPS %s, %s, %s", reg(5), x, x)
		w.i("VMULPS %s, %s, %s", reg(4), x, x)
		w.i("VMOVUPS %s, %d(DI)", x, 4*e)
	}
	w.i("ADDQ $64, DI")
	w.i("ADDQ $16, SI")
	w.i("ADDQ $4, R8")
	w.i("DECQ CX")
	w.i("JNZ group")
	w.end()
}

// stream writes the loop that spreads a stream of bits.
func (w *writer) stream() {
	w.function("stream", "dst, src *byte, groups, bits int, mask uint64", 40,
		"writes groups of 8 codes of some bits as bytes, each of which mask has the bits of. It reads 8 "+
			"bytes for each group.")
	w.i("MOVQ dst+0(FP), DI")
	w.i("MOVQ src+8(FP), SI")
	w.i("MOVQ groups+16(FP), CX")
	w.i("MOVQ bits+24(FP), R8")
	w.i("MOVQ mask+32(FP), R9")
	w.label("group")
	w.i("MOVQ (SI), AX")
	w.i("PDEPQ R9, AX, AX")
	w.i("MOVQ AX, (DI)")
	w.i("ADDQ R8, SI")
	w.i("ADDQ $8, DI")
	w.i("DECQ CX")
	w.i("JNZ group")
	w.i("RET")
}

// look writes the loop that replaces codes by numbers of a table.
func (w *writer) look() {
	w.function("look", "codes *byte, groups int, table *byte", 24, "replaces groups of 32 codes by a table's numbers.")
	w.i("MOVQ codes+0(FP), DI")
	w.i("MOVQ groups+8(FP), CX")
	w.i("MOVQ table+16(FP), SI")
	w.i("VBROADCASTI128 (SI), Y1")
	w.label("group")
	w.i("VMOVDQU (DI), Y0")
	w.i("VPSHUFB Y0, Y1, Y0")
	w.i("VMOVDQU Y0, (DI)")
	w.i("ADDQ $32, DI")
	w.i("DECQ CX")
	w.i("JNZ group")
	w.end()
}

// codesI2S writes the loop that reads codes of I2_S. The highest two bits of a byte are its first
// code.
func (w *writer) codesI2S() {
	w.function("codesI2S", "dst, src *byte, groups int", 24, "writes the codes of groups of 128 elements of I2_S.")
	w.i("MOVQ dst+0(FP), DI")
	w.i("MOVQ src+8(FP), SI")
	w.i("MOVQ groups+16(FP), CX")
	w.i("VMOVDQU three<>(SB), Y6")
	w.i("VMOVDQU trits<>(SB), Y7")
	w.label("group")
	w.i("VMOVDQU (SI), Y2")
	for j := range 4 {
		w.shift("Y2", "Y0", 2*j-6)
		w.i("VPAND Y6, Y0, Y0")
		w.i("VPSHUFB Y0, Y7, Y0")
		w.i("VMOVDQU Y0, %d(DI)", 32*j)
	}
	w.i("ADDQ $128, DI")
	w.i("ADDQ $32, SI")
	w.i("DECQ CX")
	w.i("JNZ group")
	w.end()
}
