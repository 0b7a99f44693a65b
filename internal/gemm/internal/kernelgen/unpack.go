package main

import (
	"fmt"
	"math"
	"regexp"
)

// packed writes what multiplies rows, and the readers of packed rows.
func packed(w *writer) {
	w.constants()
	for _, s := range sets {
		for m := 1; m <= maxTile; m++ {
			w.rows(s, m)
		}
		w.linear(s, "", "VPMOVSXBD")
		w.linear(s, "Unsigned", "VPMOVZXBD")
		for _, f := range formats {
			w.unpack(s, f)
			w.dot(s, f)
		}
		w.eights(s)
	}
	w.stream()
	w.look()
	w.codesI2S()
	w.sums()
	w.ternary()
}

// A reader makes a block's scales, at scalesAt(SP), what is added, at addedAt(SP), and its codes,
// which are bytes at 0(SP). What follows makes floats of them: scale * code + added.
const (
	scalesAt = 256
	addedAt  = scalesAt + 64
	frame    = addedAt + 64
)

// format is a block of packed weights: SI points to it.
type format struct {
	name         string
	block, bytes int // elements and bytes of a block
	group        int // elements that have a scale in common
	added        bool
	scales       func(w *writer)
	codes        func(w *writer) // nil for codes that are bytes of the block, from from on
	from         int             // where codes begin
	// Where a table of 16 floats fits into a register, codes of at most four bits select from one:
	// a group's scale times a base, with what is added. base is the name of a constant, "" for
	// codes of more bits, and layout says how the codes lie.
	base   string
	layout layout
}

// layout says which bits of which byte a code is.
type layout int

const (
	nibbles16 layout = iota // the low nibbles of 16 bytes, and then the high ones
	nibbles32               // those of 32 bytes
	pairs32                 // pairs of bits of 32 bytes, the lowest first
)

var formats = []format{
	{name: "Q4_0", block: 32, bytes: 18, group: 32, base: "fromEight", from: 2,
		scales: func(w *writer) { w.half("(SI)", 0) },
		codes:  func(w *writer) { w.nibbles(2, 0, "VPSUBB Y8, Y0, Y0") }},
	{name: "Q4_1", block: 32, bytes: 20, group: 32, added: true, base: "iota", from: 4,
		scales: func(w *writer) {
			w.half("(SI)", 0)
			w.half("2(SI)", addedAt-scalesAt)
		},
		codes: func(w *writer) { w.nibbles(4, 0) }},
	{name: "Q5_0", block: 32, bytes: 22, group: 32,
		scales: func(w *writer) { w.half("(SI)", 0) },
		codes: func(w *writer) {
			w.fifths(2)
			w.nibbles(6, 0, "VPOR Y3, Y0, Y0", "VPSUBB Y9, Y0, Y0")
		}},
	{name: "Q5_1", block: 32, bytes: 24, group: 32, added: true,
		scales: func(w *writer) {
			w.half("(SI)", 0)
			w.half("2(SI)", addedAt-scalesAt)
		},
		codes: func(w *writer) {
			w.fifths(4)
			w.nibbles(8, 0, "VPOR Y3, Y0, Y0")
		}},
	{name: "Q8_0", block: 32, bytes: 34, group: 32, from: 2, scales: func(w *writer) { w.half("(SI)", 0) }},
	{name: "Q2_K", block: 256, bytes: 84, group: 16, added: true, base: "pairs", layout: pairs32, from: 16,
		scales: func(w *writer) {
			w.i("VMOVDQU (SI), X2")
			w.i("VPAND X7, X2, X3")
			w.i("VPSRLW $4, X2, X2")
			w.i("VPAND X7, X2, X2")
			w.scales16("80(SI)", "X3", scalesAt, false)
			w.scales16("82(SI)", "X2", addedAt, true)
		},
		codes: func(w *writer) { w.pairs(16, 2, "") }},
	{name: "Q3_K", block: 256, bytes: 110, group: 16, scales: thirdScales, codes: thirds},
	{name: "Q4_K", block: 256, bytes: 144, group: 32, added: true, base: "iota", layout: nibbles32, from: 16,
		scales: (*writer).sixBits,
		codes: func(w *writer) {
			for c := range 4 {
				w.i("VMOVDQU %d(SI), Y0", 16+32*c)
				w.i("VPAND Y7, Y0, Y1")
				w.i("VPSRLW $4, Y0, Y0")
				w.i("VPAND Y7, Y0, Y0")
				w.i("VMOVDQU Y1, %d(SP)", 64*c)
				w.i("VMOVDQU Y0, %d(SP)", 64*c+32)
			}
		}},
	{name: "Q5_K", block: 256, bytes: 176, group: 32, added: true, scales: (*writer).sixBits, codes: func(w *writer) {
		w.i("VMOVDQU 16(SI), Y3")
		for j := range 8 {
			if j%2 == 0 {
				w.i("VMOVDQU %d(SI), Y2", 48+16*j)
			}
			w.shift("Y2", "Y0", -4*(j%2))
			w.i("VPAND Y7, Y0, Y0")
			w.shift("Y3", "Y1", 4-j)
			w.i("VPAND Y9, Y1, Y1") // 16
			w.i("VPOR Y1, Y0, Y0")
			w.i("VMOVDQU Y0, %d(SP)", 32*j)
		}
	}},
	{name: "Q6_K", block: 256, bytes: 210, group: 16,
		scales: func(w *writer) {
			w.i("VMOVDQU 192(SI), X2")
			w.scales16("208(SI)", "X2", scalesAt, false)
		},
		codes: func(w *writer) {
			for g := range 8 {
				n, g := g/4, g%4
				if g == 0 {
					w.i("VMOVDQU %d(SI), Y2", 128+32*n)
				}
				w.i("VMOVDQU %d(SI), Y0", 64*n+32*(g%2))
				w.shift("Y0", "Y0", -4*(g/2))
				w.i("VPAND Y7, Y0, Y0")
				w.shift("Y2", "Y1", 4-2*g)
				w.i("VPAND Y12, Y1, Y1") // 0x30
				w.i("VPOR Y1, Y0, Y0")
				w.i("VPSUBB Y10, Y0, Y0") // 32
				w.i("VMOVDQU Y0, %d(SP)", 128*n+32*g)
			}
		}},
	{name: "IQ4_NL", block: 32, bytes: 18, group: 32, base: "iq4Floats", from: 2,
		scales: func(w *writer) { w.half("(SI)", 0) },
		codes:  func(w *writer) { w.nibbles(2, 0, "VPSHUFB Y0, Y13, Y0") }},
	{name: "IQ4_XS", block: 256, bytes: 136, group: 32, base: "iq4Floats", from: 8,
		scales: func(w *writer) {
			w.i("MOVQ $0x0f0f0f0f0f0f0f0f, R8")
			w.i("MOVL 4(SI), AX")
			w.i("PDEPQ R8, AX, AX")
			w.i("MOVQ $0x0303030303030303, R8")
			w.i("MOVWLZX 2(SI), BX")
			w.i("PDEPQ R8, BX, BX")
			w.i("SHLQ $4, BX")
			w.i("ORQ BX, AX")
			w.i("VMOVQ AX, X2")
			w.i("VPSUBB X10, X2, X2") // 32
			w.scales8("(SI)", "X2", scalesAt, false)
		},
		codes: func(w *writer) {
			for g := range 8 {
				w.nibbles(8+16*g, 32*g, "VPSHUFB Y0, Y13, Y0")
			}
		}},
	{name: "TQ1_0", block: 256, bytes: 54, group: 256,
		scales: func(w *writer) { w.half("52(SI)", 0) },
		codes:  (*writer).trits256},
	{name: "TQ2_0", block: 256, bytes: 66, group: 256, base: "pairsFromOne", layout: pairs32,
		scales: func(w *writer) { w.half("64(SI)", 0) },
		codes:  func(w *writer) { w.pairs(0, 2, "VPSUBB Y14, Y0, Y0") }},
	{name: "MXFP4", block: 32, bytes: 17, group: 32, base: "e2m1Floats", from: 1,
		scales: func(w *writer) {
			w.i("MOVBLZX (SI), CX")
			w.i("MOVL $0x00200000, AX")
			w.i("SHLL CX, AX") // only its low five bits count
			w.i("LEAL -1(CX), BX")
			w.i("SHLL $23, BX")
			w.i("CMPL CX, $2")
			w.i("CMOVLCC BX, AX")
			w.i("MOVL AX, %d(SP)", scalesAt)
		},
		codes: func(w *writer) { w.nibbles(1, 0, "VPSHUFB Y0, Y15, Y0") }},
	{name: "NVFP4", block: 64, bytes: 36, group: 16,
		scales: func(w *writer) {
			// The sign of a scale is ignored; 0x7f counts as 0, and 0xff does not.
			w.i("VPMOVZXBD (SI), X2")
			w.i("VPCMPEQD seven<>(SB), X2, X3")
			w.i("VPAND seven<>(SB), X2, X2")
			w.i("VPANDN X2, X3, X2")
			w.i("VPSLLD $20, X2, X2")
			w.i("VMULPS halfE4M3<>(SB), X2, X2")
			w.i("VMOVUPS X2, %d(SP)", scalesAt)
		},
		codes: func(w *writer) {
			for g := range 4 {
				w.i("VMOVQ %d(SI), X0", 4+8*g)
				w.i("VPSRLW $4, X0, X1")
				w.i("VPUNPCKLQDQ X1, X0, X0")
				w.i("VPAND X7, X0, X0")
				w.i("VPSHUFB X0, X15, X0")
				w.i("VMOVDQU X0, %d(SP)", 16*g)
			}
		}},
}

// thirdScales writes the scales of q3_K: four bits of each in 8 bytes, and two more in 4 bytes.
func thirdScales(w *writer) {
	for i, r := range []string{"AX", "BX", "DX"} {
		w.i("MOVL %d(SI), %s", 96+4*i, r)
	}
	for i, from := range []string{"AX", "BX", "AX", "BX"} {
		w.i("MOVL %s, R8", from)
		w.i("SHRL $%d, R8", i/2*4)
		w.i("ANDL $0x0f0f0f0f, R8")
		w.i("MOVL DX, R9")
		w.i("SHRL $%d, R9", 2*i)
		w.i("ANDL $0x03030303, R9")
		w.i("SHLL $4, R9")
		w.i("ORL R9, R8")
		w.i("MOVL R8, %d(SP)", 4*i)
	}
	w.i("VMOVDQU (SP), X2")
	w.i("VPSUBB X10, X2, X2") // 32
	w.scales16("108(SI)", "X2", scalesAt, false)
}

// thirds writes the codes of q3_K: pairs of bits, less 4 if a third bit is not set.
func thirds(w *writer) {
	w.i("VMOVDQU (SI), Y3")
	for g := range 8 {
		if g%4 == 0 {
			w.i("VMOVDQU %d(SI), Y2", 32+g/4*32)
		}
		w.shift("Y2", "Y0", -2*(g%4))
		w.i("VPAND Y6, Y0, Y0")
		w.shift("Y3", "Y1", 2-g)
		w.i("VPANDN Y11, Y1, Y1") // 4
		w.i("VPSUBB Y1, Y0, Y0")
		w.i("VMOVDQU Y0, %d(SP)", 32*g)
	}
}

// constants are vectors that readers need, each of 32 equal bytes or of 16 twice.
var constants = []struct {
	name  string
	bytes []int
}{
	{"three", []int{3}},    // Y6
	{"low", []int{15}},     // Y7
	{"eight", []int{8}},    // Y8
	{"sixteen", []int{16}}, // Y9
	{"half", []int{32}},    // Y10
	{"four", []int{4}},     // Y11
	{"high", []int{0x30}},  // Y12
	{"iq4", []int{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}}, // Y13
	{"one", []int{1}}, // Y14
	{"e2m1", []int{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}}, // Y15
}

// iq4 and e2m1 are where constants has the tables of these formats.
const iq4, e2m1 = 7, 9

// constants writes the memory of the constants, and those of fifths.
func (w *writer) constants() {
	data := func(name string, bytes []int) {
		for i := range 32 {
			fmt.Fprintf(&w.asm, "DATA %s<>+%d(SB)/1, $%d\n", name, i, bytes[i%len(bytes)]&255)
		}
		fmt.Fprintf(&w.asm, "GLOBL %s<>(SB), RODATA|NOPTR, $32\n", name)
	}
	w.asm.WriteString("\n")
	for _, c := range constants {
		data(c.name, c.bytes)
	}
	spread, bits := make([]int, 32), make([]int, 32)
	for i := range 32 {
		spread[i], bits[i] = i/8, 1<<(i%8)
	}
	data("spread", spread)
	data("third", []int{86}) // a third of 256, rounded up
	data("thirds", []int{171})
	data("bits", bits)
	data("ones", []int{1, 0})
	swapped := make([]int, 16)
	for i := range swapped {
		code := []int{0, 1, 2, 1}
		swapped[i] = code[i>>2] | code[i&3]<<2
	}
	data("swapped", swapped)
	data("trits", []int{-1, 0, 1, 0})
	// Those of tables have 16 floats.
	for _, t := range []struct {
		name  string
		value func(i int) int
	}{
		{"iota", func(i int) int { return i }},
		{"fromEight", func(i int) int { return i - 8 }},
		{"pairs", func(i int) int { return i & 3 }}, // the higher bits are those of another code
		{"pairsFromOne", func(i int) int { return i&3 - 1 }},
		{"iq4Floats", func(i int) int { return constants[iq4].bytes[i] }},
		{"e2m1Floats", func(i int) int { return constants[e2m1].bytes[i] }},
	} {
		for i := range 16 {
			fmt.Fprintf(&w.asm, "DATA %s<>+%d(SB)/4, $%#08x\n", t.name, 4*i, math.Float32bits(float32(t.value(i))))
		}
		fmt.Fprintf(&w.asm, "GLOBL %s<>(SB), RODATA|NOPTR, $64\n", t.name)
	}
	data("seven", []int{127, 0, 0, 0})
	data("halfE4M3", []int{0, 0, 0, 0x7b}) // 2 to the power of 119
}

// half writes a half, widened, to memory after the scales.
func (w *writer) half(from string, at int) {
	w.i("VPBROADCASTW %s, X0", from)
	w.i("VCVTPH2PS X0, X0")
	w.i("VMOVSS X0, %d(SP)", scalesAt+at)
}

// shift shifts words to the left, or to the right; bits of their neighbors come in.
func (w *writer) shift(from, to string, by int) {
	switch {
	case by > 0:
		w.i("VPSLLW $%d, %s, %s", by, from, to)
	case by < 0:
		w.i("VPSRLW $%d, %s, %s", -by, from, to)
	case from != to:
		w.i("VMOVDQA %s, %s", from, to)
	}
}

// nibbles writes the low nibbles of 16 bytes and then the high ones, as changed by code.
func (w *writer) nibbles(from, to int, code ...string) {
	w.i("VMOVDQU %d(SI), X0", from)
	w.i("VPSRLW $4, X0, X1")
	w.i("VINSERTI128 $1, X1, Y0, Y0")
	w.i("VPAND Y7, Y0, Y0")
	for _, c := range code {
		w.i("%s", c)
	}
	w.i("VMOVDQU Y0, %d(SP)", to)
}

// fifths makes bytes of 0 or 16 of 32 bits, in Y3.
func (w *writer) fifths(from int) {
	w.i("VPBROADCASTD %d(SI), Y3", from)
	w.i("VPSHUFB spread<>(SB), Y3, Y3")
	w.i("VPAND bits<>(SB), Y3, Y3")
	w.i("VPCMPEQB bits<>(SB), Y3, Y3")
	w.i("VPAND Y9, Y3, Y3")
}

// pairs writes the pairs of bits of n times 32 bytes, the lowest of all of them first.
func (w *writer) pairs(from, n int, code string) {
	for i := range n {
		w.i("VMOVDQU %d(SI), Y2", from+32*i)
		for j := range 4 {
			w.shift("Y2", "Y0", -2*j)
			w.i("VPAND Y6, Y0, Y0")
			if code != "" {
				w.i("%s", code)
			}
			w.i("VMOVDQU Y0, %d(SP)", 128*i+32*j)
		}
	}
}

// trits256 writes the codes of a block of tq1_0.
func (w *writer) trits256() {
	w.trits("VMOVDQU (SI), Y2", "Y", 5, 0)
	w.trits("VMOVDQU 32(SI), X2", "X", 5, 160)
	w.trits("VMOVD 48(SI), X2", "D", 4, 240)
}

// trits writes n trits of each byte, the first of all of them first. A trit is the upper digit of a
// byte, a number from 0 to 255, in base 3: it grows at 86 and at 171. The next one comes up when
// the byte is tripled.
func (w *writer) trits(load, reg string, n, to int) {
	w.i("%s", load)
	r, store := reg, "VMOVDQU"
	if reg == "D" {
		r, store = "X", "VMOVD"
	}
	for i := range n {
		w.i("VPMAXUB third<>(SB), %s2, %s0", r, r)
		w.i("VPCMPEQB %s2, %s0, %s0", r, r, r)
		w.i("VPMAXUB thirds<>(SB), %s2, %s1", r, r)
		w.i("VPCMPEQB %s2, %s1, %s1", r, r, r)
		w.i("VPADDB %s1, %s0, %s0", r, r, r) // 0, -1 or -2
		w.i("VPADDB %s14, %s0, %s0", r, r, r)
		w.i("VPXOR %s1, %s1, %s1", r, r, r)
		w.i("VPSUBB %s0, %s1, %s0", r, r, r)
		size := map[string]int{"Y": 32, "X": 16, "D": 4}[reg]
		w.i("%s %s0, %d(SP)", store, r, to+size*i)
		w.i("VPADDB %s2, %s2, %s1", r, r, r)
		w.i("VPADDB %s1, %s2, %s2", r, r, r)
	}
}

// scales8 writes eight scales, the products of a half and of bytes, or the negative products.
func (w *writer) scales8(half, codes string, at int, negative bool) {
	w.i("VPBROADCASTW %s, X4", half)
	w.i("VCVTPH2PS X4, Y4")
	if negative {
		w.i("VPCMPEQD Y5, Y5, Y5")
		w.i("VPSLLD $31, Y5, Y5")
		w.i("VXORPS Y5, Y4, Y4")
	}
	w.i("VPMOVSXBD %s, Y5", codes)
	w.i("VCVTDQ2PS Y5, Y5")
	w.i("VMULPS Y4, Y5, Y5")
	w.i("VMOVUPS Y5, %d(SP)", at)
}

// scales16 is scales8 with 16 bytes, which it changes.
func (w *writer) scales16(half, codes string, at int, negative bool) {
	w.scales8(half, codes, at, negative)
	w.i("VPSRLDQ $8, %s, %s", codes, codes)
	w.i("VPMOVSXBD %s, Y5", codes)
	w.i("VCVTDQ2PS Y5, Y5")
	w.i("VMULPS Y4, Y5, Y5")
	w.i("VMOVUPS Y5, %d(SP)", at+32)
}

// sixBits writes the scales and minima of q4_K and q5_K.
func (w *writer) sixBits() {
	for i, r := range []string{"AX", "BX", "DX"} {
		w.i("MOVL %d(SI), %s", 4+4*i, r)
	}
	for i, first := range []string{"AX", "BX"} { // scales, minima
		w.i("MOVL %s, R8", first)
		w.i("ANDL $0x3f3f3f3f, R8")
		w.i("SHRL $6, %s", first)
		w.i("ANDL $0x03030303, %s", first)
		w.i("SHLL $4, %s", first)
		w.i("MOVL DX, R9")
		if i == 1 {
			w.i("SHRL $4, R9")
		}
		w.i("ANDL $0x0f0f0f0f, R9")
		w.i("ORL %s, R9", first)
		w.i("SHLQ $32, R9")
		w.i("ORQ R9, R8")
		w.i("VMOVQ R8, X2")
		w.scales8(fmt.Sprintf("%d(SI)", 2*i), "X2", []int{scalesAt, addedAt}[i], i == 1)
	}
}

// unpack writes a format's reader.
func (w *writer) unpack(s set, f format) {
	w.functionWith(frame, "unpack"+f.name+s.name, "dst *float32, src *byte, blocks int", 24, "unpacks blocks of a row.")
	w.i("MOVQ dst+0(FP), DI")
	w.i("MOVQ src+8(FP), SI")
	w.i("MOVQ blocks+16(FP), R10")
	w.constantsOf(s, f)
	w.label("block")
	w.elements(s, f, func(r string, e int) { w.i("VMOVUPS %s, %d(DI)", r, 4*e) })
	w.i("ADDQ $%d, DI", 4*f.block)
	w.i("ADDQ $%d, SI", f.bytes)
	w.i("DECQ R10")
	w.i("JNZ block")
	w.end()
}

// dot writes the products of rows with one of x: what rows and unpack do, without the memory
// between them.
func (w *writer) dot(s set, f format) {
	rows := s.dotRows(f)
	w.functionWith(frame, "dot"+f.name+s.name, "x *float32, src *byte, stride, blocks int, acc *float32", 40,
		fmt.Sprintf("writes the sums of rows times x, %d at once.", rows))
	w.i("MOVQ x+0(FP), DI")
	w.i("MOVQ src+8(FP), SI")
	w.i("MOVQ stride+16(FP), R12")
	w.i("MOVQ blocks+24(FP), R10")
	w.i("MOVQ acc+32(FP), R11")
	w.i("ADDQ SI, R12")
	var acc []string
	for i := 0; len(acc) < rows*lanes/s.wide; i++ { // registers that are free
		if s.reg == "Z" {
			acc = append(acc, s.high(8+i))
		} else if !f.uses(6 + i) {
			acc = append(acc, s.high(6+i))
		}
	}
	for _, r := range acc {
		w.i("VXORPS %s, %s, %s", r, r, r)
	}
	w.constantsOf(s, f)
	w.label("block")
	for row := range rows {
		var one writer
		one.elements(s, f, func(r string, e int) {
			one.i("VFMADD231PS %d(DI), %s, %s", 4*e, r, acc[row*lanes/s.wide+e/s.wide%(lanes/s.wide)])
		})
		one.i("ADDQ $%d, SI", f.bytes)
		text := one.asm.String()
		if row == 1 {
			text = regexp.MustCompile(`\bSI\b`).ReplaceAllString(text, "R12")
		}
		w.asm.WriteString(text)
	}
	w.i("ADDQ $%d, DI", 4*f.block)
	w.i("DECQ R10")
	w.i("JNZ block")
	for i, r := range acc {
		w.i("VMOVUPS %s, %d(R11)", r, 4*s.wide*i)
	}
	w.end()
}

// dotRows is how many rows dot takes at once: where an element costs little, the additions of one
// row would wait for each other.
func (s set) dotRows(f format) int {
	if s.reg == "Z" && f.name == "TQ2_0" {
		return 2
	}
	return 1
}

// uses reports whether the reader needs the constant of a register.
func (f format) uses(register int) bool {
	var w writer
	f.scales(&w)
	if f.codes != nil {
		f.codes(&w)
	}
	return regexp.MustCompile(fmt.Sprintf(`[XY]%d\b`, register)).MatchString(w.asm.String())
}

// high returns a register that has no constant: of AVX2, the first six.
func (s set) high(n int) string {
	if s.reg == "Z" {
		n += 16
	}
	return fmt.Sprintf("%s%d", s.reg, n)
}

// constantsOf loads the constants that a reader needs.
func (w *writer) constantsOf(s set, f format) {
	for i, c := range constants {
		if f.uses(6 + i) {
			w.i("VMOVDQU %s<>(SB), Y%d", c.name, 6+i)
		}
	}
}

// table reports whether the elements of a format are in tables: of AVX2, whose registers have eight
// floats, those of two bits with one scale.
func (s set) table(f format) bool {
	return f.base != "" && (s.reg == "Z" || f.layout == pairs32 && f.group == f.block)
}

// elements writes the elements of the block that SI points to. sink takes registers of them, in
// their order of each lane.
func (w *writer) elements(s set, f format, sink func(r string, e int)) {
	w.i("PREFETCHT0 640(SI)")
	f.scales(w)
	if s.table(f) {
		w.tables(s, f, sink)
		return
	}
	from, at := "SI", f.from
	if f.codes != nil {
		f.codes(w)
		from, at = "SP", 0
	}
	scale, added := s.high(4), ""
	if f.added {
		added = s.high(5)
	}
	for e := 0; e < f.block; e += s.wide {
		if e%f.group == 0 {
			w.i("VBROADCASTSS %d(SP), %s", scalesAt+4*(e/f.group), scale)
			if f.added {
				w.i("VBROADCASTSS %d(SP), %s", addedAt+4*(e/f.group), added)
			}
		}
		r := s.high(1 + e/s.wide%3)
		w.scaled("VPMOVSXBD", fmt.Sprintf("%d(%s)", at+e, from), r, scale, added)
		sink(r, e)
	}
}

// tables writes the elements of a block as they are in tables.
func (w *writer) tables(s set, f format, sink func(r string, e int)) {
	codes, element := s.high(0), s.high(1)
	// table makes that of the group of an element.
	table := func(e int, r string) string {
		at := 4 * (e / f.group)
		w.i("VBROADCASTSS %d(SP), %s", scalesAt+at, r)
		w.i("VMULPS %s<>(SB), %s, %s", f.base, r, r)
		if f.added {
			w.i("VADDPS.BCST %d(SP), %s, %s", addedAt+at, r, r)
		}
		return r
	}
	look := func(table string, e int) {
		w.i("VPERMPS %s, %s, %s", table, codes, element)
		sink(element, e)
	}
	t := s.high(2)
	switch f.layout {
	case nibbles16:
		for e := 0; e < f.block; e += 32 {
			table(e, t)
			w.i("VPMOVZXBD %d(SI), %s", f.from+e/2, codes)
			look(t, e)
			w.i("VPSRLD $4, %s, %s", codes, codes)
			look(t, e+16)
		}
	case nibbles32:
		for e := 0; e < f.block; e += 64 {
			low, high := table(e, t), table(e+32, s.high(3))
			for half := 0; half < 32; half += s.wide {
				w.i("VPMOVZXBD %d(SI), %s", f.from+e/2+half, codes)
				look(low, e+half)
				w.i("VPSRLD $4, %s, %s", codes, codes)
				look(high, e+32+half)
			}
		}
	case pairs32:
		if f.group == f.block {
			table(0, t)
		}
		for e := 0; e < f.block; e += 128 {
			for part := 0; part < 32; part += s.wide {
				w.i("VPMOVZXBD %d(SI), %s", f.from+e/4+part, codes)
				for j := range 4 {
					if f.group < f.block {
						table(e+32*j+part, t)
					}
					look(t, e+32*j+part)
					if j < 3 {
						w.i("VPSRLD $2, %s, %s", codes, codes)
					}
				}
			}
		}
	}
}
