package main

import "fmt"

// store writes the loop that writes a tile to C.
func (w *writer) store(s set, to string) {
	w.function("store"+to+s.name, "c *byte, stride int, acc *uint32, rows int, alpha, beta float32", 40,
		fmt.Sprintf("writes rows of a tile to %s rows that are stride bytes apart.", to))
	bytes := 4 * s.wide
	size := map[string]int{"F32": 4, "I32": 4, "F16": 2, "BF16": 2}[to]
	half := map[string]string{"Y": "X", "Z": "Y"}[s.reg] // for elements of 2 bytes
	reg := func(n int) string { return fmt.Sprintf("%s%d", s.reg, n) }
	w.i("MOVQ c+0(FP), DI")
	w.i("MOVQ stride+8(FP), R8")
	w.i("MOVQ acc+16(FP), SI")
	w.i("MOVQ rows+24(FP), CX")
	w.i("VBROADCASTSS alpha+32(FP), %s", reg(4))
	w.i("VBROADCASTSS beta+36(FP), %s", reg(5))
	w.i("MOVL beta+36(FP), AX")
	w.i("ADDL AX, AX") // without the sign of a zero
	w.i("MOVL $0x7fc00000, R9")
	w.broadcast(s, "R9", 6)
	if to == "BF16" {
		w.i("MOVL $0x7fff, R9")
		w.broadcast(s, "R9", 7)
		w.i("MOVL $1, R9")
		w.broadcast(s, "R9", 8)
	}
	row := func(scaled bool) {
		for i := range 2 {
			r, c := reg(i), reg(2+i)
			w.i("VMOVUPS %d(SI), %s", i*bytes, r)
			at := i * s.wide * size
			if to == "I32" {
				if scaled {
					w.i("VPADDD %d(DI), %s, %s", at, r, r)
				}
				w.i("VMOVUPS %s, %d(DI)", r, at)
				continue
			}
			if scaled {
				switch to {
				case "F32":
					w.i("VMOVUPS %d(DI), %s", at, c)
				case "F16":
					w.i("VCVTPH2PS %d(DI), %s", at, c)
				case "BF16":
					w.i("VPMOVZXWD %d(DI), %s", at, c)
					w.i("VPSLLD $16, %s, %s", c, c)
				}
				w.i("VMULPS %s, %s, %s", reg(5), c, c)
				w.i("VFMADD213PS %s, %s, %s", c, reg(4), r) // r = r*alpha + c
			} else {
				w.i("VMULPS %s, %s, %s", reg(4), r, r)
			}
			// A NaN becomes the plain one.
			if s.reg == "Z" {
				w.i("VCMPPS $3, %s, %s, K1", r, r)
				w.i("VMOVAPS %s, K1, %s", reg(6), r)
			} else {
				w.i("VCMPPS $3, %s, %s, %s", r, r, c)
				w.i("VBLENDVPS %s, %s, %s, %s", c, reg(6), r, r)
			}
			switch to {
			case "F32":
				w.i("VMOVUPS %s, %d(DI)", r, at)
			case "F16":
				w.i("VCVTPS2PH $0, %s, %d(DI)", r, at)
			case "BF16":
				w.i("VPSRLD $16, %s, %s", r, c)
				if s.reg == "Z" {
					w.i("VPANDD %s, %s, %s", reg(8), c, c)
				} else {
					w.i("VPAND %s, %s, %s", reg(8), c, c)
				}
				w.i("VPADDD %s, %s, %s", reg(7), r, r)
				w.i("VPADDD %s, %s, %s", c, r, r)
				w.i("VPSRLD $16, %s, %s", r, r)
				if s.reg == "Z" {
					w.i("VPMOVDW %s, %s%d", r, half, 2+i)
				} else {
					w.i("VPACKUSDW %s, %s, %s", r, r, c)
					w.i("VPERMQ $0xd8, %s, %s", c, c)
				}
				w.i("VMOVUPS %s%d, %d(DI)", half, 2+i, at)
			}
		}
		w.i("ADDQ $%d, SI", 2*bytes)
		w.i("ADDQ R8, DI")
		w.i("DECQ CX")
	}
	w.i("TESTL AX, AX")
	w.i("JNE scaled")
	w.label("plain")
	row(false)
	w.i("JNZ plain")
	w.i("JMP done")
	w.label("scaled")
	row(true)
	w.i("JNZ scaled")
	w.label("done")
	w.end()
}

// broadcast fills a register with a general one's 32 bits.
func (w *writer) broadcast(s set, from string, n int) {
	w.i("VMOVD %s, X%d", from, n)
	w.i("VPBROADCASTD X%d, %s%d", n, s.reg, n)
}

// convert writes the conversion of a tile of integers to floats, in place.
func (w *writer) convert(s set) {
	w.function("convert"+s.name, "acc *uint32", 8, "converts a tile of integers to floats.")
	w.i("MOVQ acc+0(FP), SI")
	for r := range 2 * s.rows {
		w.i("VCVTDQ2PS %d(SI), %s%d", r*4*s.wide, s.reg, r%4)
		w.i("VMOVUPS %s%d, %d(SI)", s.reg, r%4, r*4*s.wide)
	}
	w.end()
}
