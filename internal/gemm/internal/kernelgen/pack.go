package main

import "fmt"

// packing writes the loops that pack, all in AVX2: they wait for memory, not for the processor.
func (w *writer) packing() {
	for _, from := range []struct {
		name, doc string
		bytes     int // that one step takes from a row; it makes 8 words
		code      []string
	}{
		{"F32", "copies F32 elements, 8 to a group", 32, []string{"VMOVUPS (R11), Y0"}},
		{"F16", "widens F16 elements, 8 to a group", 16, []string{"VCVTPH2PS (R11), Y0"}},
		{"BF16", "widens BF16 elements, 8 to a group", 16, []string{"VPMOVZXWD (R11), Y0", "VPSLLD $16, Y0, Y0"}},
		{"I8", "widens I8 elements to 16 bits, 16 to a group: a word has two neighbors of a row", 16,
			[]string{"VPMOVSXBW (R11), Y0"}},
		{"I8Pairs", "widens I8 elements to 16 bits, 8 to a group: a word has neighbors of two rows", 8,
			[]string{"VPMOVSXBD (R11), Y0", "VPMOVSXBD (R11)(R12*1), Y1", "VPSLLD $16, Y1, Y1",
				"VPBLENDW $0xaa, Y1, Y0, Y0"}},
	} {
		w.function("lines"+from.name, "dst *uint32, dstStride int, src *byte, srcStride, rows, groups int", 48,
			from.doc+". Strides are in bytes.")
		w.i("MOVQ dst+0(FP), DI")
		w.i("MOVQ dstStride+8(FP), R8")
		w.i("MOVQ src+16(FP), SI")
		w.i("MOVQ srcStride+24(FP), R12")
		w.i("MOVQ rows+32(FP), CX")
		w.i("MOVQ groups+40(FP), DX")
		w.label("row")
		w.i("MOVQ DI, R10")
		w.i("MOVQ SI, R11")
		w.i("MOVQ DX, AX")
		w.label("group")
		for _, code := range from.code {
			w.i("%s", code)
		}
		w.i("PREFETCHT0 (R11)(R12*8)")
		w.i("VMOVUPS Y0, (R10)")
		w.i("ADDQ $32, R10")
		w.i("ADDQ $%d, R11", from.bytes)
		w.i("DECQ AX")
		w.i("JNZ group")
		w.i("ADDQ R8, DI")
		w.i("ADDQ R12, SI")
		if from.name == "I8Pairs" {
			w.i("ADDQ R12, SI")
		}
		w.i("DECQ CX")
		w.i("JNZ row")
		w.end()
	}
	w.transpose()
}

// transpose writes the transposition of 8 rows of words.
func (w *writer) transpose() {
	w.function("transpose", "dst *uint32, dstStride int, src *byte, srcStride, groups int", 40,
		"writes 8 rows of words as columns, groups of 8 words of each row. Strides are in bytes.")
	w.i("MOVQ dst+0(FP), DI")
	w.i("MOVQ dstStride+8(FP), R8")
	w.i("MOVQ src+16(FP), SI")
	w.i("MOVQ srcStride+24(FP), R9")
	w.i("MOVQ groups+32(FP), CX")
	w.i("LEAQ (R9)(R9*2), R10")
	w.i("LEAQ (SI)(R9*4), R11") // row 4
	w.label("group")
	for r := range 8 {
		base := "SI"
		if r >= 4 {
			base = "R11"
		}
		index := []string{"", "(R9*1)", "(R9*2)", "(R10*1)"}[r%4]
		w.i("VMOVUPS (%s)%s, Y%d", base, index, r)
	}
	for p := range 4 {
		w.i("VUNPCKLPS Y%d, Y%d, Y%d", 2*p+1, 2*p, 8+2*p)
		w.i("VUNPCKHPS Y%d, Y%d, Y%d", 2*p+1, 2*p, 9+2*p)
	}
	for h := range 2 { // rows 0 to 3, then 4 to 7
		for o := range 2 {
			w.i("VUNPCKLPD Y%d, Y%d, Y%d", 10+4*h+o, 8+4*h+o, 4*h+2*o)
			w.i("VUNPCKHPD Y%d, Y%d, Y%d", 10+4*h+o, 8+4*h+o, 4*h+2*o+1)
		}
	}
	for k := range 8 {
		half := "0x20"
		if k >= 4 {
			half = "0x31"
		}
		w.i("VPERM2F128 $%s, Y%d, Y%d, Y8", half, 4+k%4, k%4)
		w.i("VMOVUPS Y8, (DI)")
		w.i("ADDQ R8, DI")
	}
	w.i("ADDQ $32, SI")
	w.i("ADDQ $32, R11")
	w.i("DECQ CX")
	w.i("JNZ group")
	w.end()
}

// widen writes the loops that widen numbers of 16 bits that follow each other.
func (w *writer) widen(s set) {
	for _, from := range []string{"F16", "BF16"} {
		w.function("widen"+from+s.name, "dst *float32, src *byte, groups int", 24, "widens groups of 32 elements.")
		w.i("MOVQ dst+0(FP), DI")
		w.i("MOVQ src+8(FP), SI")
		w.i("MOVQ groups+16(FP), CX")
		w.label("group")
		for e := 0; e < 32; e += s.wide {
			r := fmt.Sprintf("%s%d", s.reg, e/s.wide)
			if from == "F16" {
				w.i("VCVTPH2PS %d(SI), %s", 2*e, r)
			} else {
				w.i("VPMOVZXWD %d(SI), %s", 2*e, r)
				w.i("VPSLLD $16, %s, %s", r, r)
			}
			w.i("VMOVUPS %s, %d(DI)", r, 4*e)
		}
		w.i("PREFETCHT0 640(SI)")
		w.i("ADDQ $128, DI")
		w.i("ADDQ $64, SI")
		w.i("DECQ CX")
		w.i("JNZ group")
		w.end()
	}
}
