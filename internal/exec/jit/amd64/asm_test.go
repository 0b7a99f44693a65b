package amd64

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// made returns what an Asm of 512 bits makes.
func made(t *testing.T, f func(a *Asm)) []byte {
	a := New(512)
	f(a)
	b, err := a.Bytes()
	require.NoError(t, err)
	require.Len(t, b, a.Pos())
	return b
}

func TestJumps(t *testing.T) {
	nops := func(a *Asm, n int) { a.Data(bytes.Repeat([]byte{0x90}, n)) }
	for _, c := range []struct {
		name string
		emit func(a *Asm)
		at   int // where the instruction starts
		want string
	}{
		{"back, to itself", func(a *Asm) { l := bound(a); a.Jmp(l) }, 0, "eb fe"},
		{"back, farthest in a byte", func(a *Asm) { l := bound(a); nops(a, 126); a.Jmp(l) }, 126, "eb 80"},
		{"back, one farther", func(a *Asm) { l := bound(a); nops(a, 127); a.Jmp(l) }, 127, "e9 7c ff ff ff"},
		{"back, far", func(a *Asm) { l := bound(a); nops(a, 70000); a.Jcc(NE, l) }, 70000, "0f 85 8a ee fe ff"},
		{"back if", func(a *Asm) { l := bound(a); nops(a, 2); a.Jcc(GT, l) }, 2, "7f fc"},
		{"forward, to the next", func(a *Asm) { l := a.NewLabel(); a.Jmp(l); a.Bind(l) }, 0, "e9 00 00 00 00"},
		{"forward", func(a *Asm) { l := a.NewLabel(); a.Jcc(O, l); nops(a, 300); a.Bind(l) }, 0, "0f 80 2c 01 00 00"},
		{"call back", func(a *Asm) { l := bound(a); nops(a, 3); a.Call(l) }, 3, "e8 f8 ff ff ff"},
		{"call forward", func(a *Asm) { l := a.NewLabel(); a.Call(l); nops(a, 1); a.Bind(l) }, 0, "e8 01 00 00 00"},
		{"address", func(a *Asm) { l := a.NewLabel(); a.LeaLabel(R9, l); a.Bind(l) }, 0, "4c 8d 0d 00 00 00 00"},
		{"an immediate after the distance", func(a *Asm) {
			l := a.NewLabel()
			a.Emit(VPSHUFD, Args{D: 1, Y: Code(l, 8), Imm: 5})
			a.Bind(l)
		}, 0, "62 f1 7d 48 70 0d 08 00 00 00 05"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := made(t, c.emit)
			n := len(fmt.Sprintf("%s ", c.want)) / 3
			assert.Equal(t, c.want, fmt.Sprintf("% x", b[c.at:c.at+n]))
		})
	}
}

// bound returns a label at the position of the next instruction.
func bound(a *Asm) Label {
	l := a.NewLabel()
	a.Bind(l)
	return l
}

func TestConditions(t *testing.T) {
	for c := O; c <= GT; c++ {
		assert.Equal(t, c, c.Not().Not())
		b := made(t, func(a *Asm) { a.Jcc(c, bound(a)); a.SetCC(c, RSI); a.CMov64(c, R8, At(RSP, 8)) })
		assert.Equal(t, []byte{0x70 | byte(c), 0xfe, 0x40, 0x0f, 0x90 | byte(c), 0xc6, 0x4c, 0x0f, 0x40 | byte(c), 0x44,
			0x24, 8}, b)
	}
	assert.Equal(t, AE, B.Not())
	assert.Equal(t, NP, P.Not())
}

func TestConstants(t *testing.T) {
	for v, want := range map[int64]string{
		0:                  "41 b9 00 00 00 00",
		math.MaxUint32:     "41 b9 ff ff ff ff",
		-1:                 "49 c7 c1 ff ff ff ff",
		math.MinInt32:      "49 c7 c1 00 00 00 80",
		math.MaxUint32 + 1: "49 b9 00 00 00 00 01 00 00 00",
		math.MinInt32 - 1:  "49 b9 ff ff ff 7f ff ff ff ff",
	} {
		assert.Equal(t, want, fmt.Sprintf("% x", made(t, func(a *Asm) { a.MovImm64(R9, v) })), "%d", v)
	}
}

func TestOthers(t *testing.T) {
	b := made(t, func(a *Asm) { a.Vzeroupper(); a.JmpReg(R11); a.Ret(); a.Align(16); a.Data([]byte{1, 2}) })
	assert.Equal(t, "c5 f8 77 41 ff e3 c3 00 00 00 00 00 00 00 00 00 01 02", fmt.Sprintf("% x", b))
	a := New(256)
	var log []string
	a.Log = func(at int, text string) { log = append(log, fmt.Sprintf("%d %s", at, text)) }
	l := bound(a)
	a.Emit(VADDPS, Args{D: 1, X: 2, Y: At(RAX, -4).Broadcast(), K: K3, Zero: true})
	a.Emit128(VADDPS, Args{D: 1, X: 2, Y: Index(RAX, RCX, 4, 4)})
	a.Jcc(B, l)
	at, ok := a.Offset(l)
	assert.Equal(t, []any{0, true}, []any{at, ok})
	_, ok = a.Offset(a.NewLabel())
	assert.False(t, ok)
	assert.Equal(t, []string{"0 vaddps ymm1 {k3} {z}, ymm2, dword ptr [rax - 4]{1to8}",
		"7 vaddps xmm1, xmm2, xmmword ptr [rax + 4*rcx + 4]", "18 jb L0"}, log)
}

// TestMoreAfterBytes: Bytes does not end an Asm, and what it returned does not change.
func TestMoreAfterBytes(t *testing.T) {
	a := New(512)
	l := a.NewLabel()
	a.Bind(l)
	a.Call(l)
	first, err := a.Bytes()
	require.NoError(t, err)
	a.Ret()
	second, err := a.Bytes()
	require.NoError(t, err)
	assert.Equal(t, append(first, 0xc3), second)
}

func TestMistakes(t *testing.T) {
	zmm := func(op Op, x Args) func(a *Asm) { return func(a *Asm) { a.Emit(op, x) } }
	withVEX := func(op Op, x Args) func(a *Asm) { return func(a *Asm) { a.VEX = true; a.EmitBits(256, op, x) } }
	for _, c := range []struct {
		want string
		emit func(a *Asm)
	}{
		{"vaddps zmm32, zmm0, zmm0: D is register 32, over 31", zmm(VADDPS, Args{D: 32, Y: V(0)})},
		{"vaddps zmm0, zmm99, zmm0: X is register 99, over 31", zmm(VADDPS, Args{X: 99, Y: V(0)})},
		{"vaddps zmm0, zmm0, zmm32: Y is register 32, over 31", zmm(VADDPS, Args{Y: V(32)})},
		{"vaddps ymm16, ymm0, ymm0: D is register 16, over 15", withVEX(VADDPS, Args{D: 16, Y: V(0)})},
		{"kaddw k8, k0, k0: D is register 8, over 7", zmm(KADDW, Args{D: 8, Y: K(0)})},
		{"add r16, rax: D is register 16, over 15", zmm(ADD64, Args{D: 16, Y: G(0)})},
		{"vaddps zmm0, zmm0, ?: operand Y is missing", zmm(VADDPS, Args{})},
		{"vaddps zmm0, zmm0, rax: operand Y cannot be a general-purpose register", zmm(VADDPS, Args{Y: G(RAX)})},
		{"vaddps zmm0, zmm0, k1: operand Y cannot be a mask register", zmm(VADDPS, Args{Y: K(1)})},
		{"add rax, xmm1: operand Y cannot be a vector register", zmm(ADD64, Args{Y: V(1)})},
		{"vmovups zmm0, [rax + 4*zmm1]: operand Y cannot be memory at a vector of indexes",
			zmm(VMOVUPS, Args{Y: VIndex(RAX, 1, 4, 0)})},
		{"vmovups zmmword ptr [rax], zmm0: has no operand D, which is 3", zmm(VMOVUPSStore, Args{D: 3, Y: At(RAX, 0)})},
		{"vmovups zmm0, zmm0: has no operand X, which is 3", zmm(VMOVUPS, Args{X: 3, Y: V(0)})},
		{"bswap rax: has no operand Y", zmm(BSWAP64, Args{Y: G(RAX)})},
		{"ret: has no operand D, which is 1", zmm(RET, Args{D: 1})},
		{"vaddps zmm0, zmm0, zmm0: has no immediate, which is 1", zmm(VADDPS, Args{Y: V(0), Imm: 1})},
		{"vpshufd zmm0, zmm0, 256: immediate 256; want -128 to 255", zmm(VPSHUFD, Args{Y: V(0), Imm: 256})},
		{"add rax, 2147483648: immediate 2147483648; want -2147483648 to 2147483647",
			zmm(ADD64Imm, Args{Y: G(RAX), Imm: 1 << 31})},
		{"mov word ptr [rax], 65536: immediate 65536; want -32768 to 65535",
			zmm(MOV16StoreImm, Args{Y: At(RAX, 0), Imm: 1 << 16})},
		{"cmov rax, rax: immediate 16; want 0 to 15", func(a *Asm) { a.CMov64(16, RAX, G(RAX)) }},
		{"vblendvps ymm0, ymm0, ymm0, ymm16: immediate 16; want 0 to 15", withVEX(VBLENDVPS, Args{Y: V(0), Imm: 16})},
		{"shl rax, cl: immediate 3; want 0 to 0", zmm(SHL64CL, Args{Y: G(RAX), Imm: 3})},
		{"vaddps zmm0 {k8}, zmm0, zmm0: write mask 8, over 7", zmm(VADDPS, Args{Y: V(0), K: 8})},
		{"vaddps ymm0 {k1}, ymm0, ymm0: has no write mask", withVEX(VADDPS, Args{Y: V(0), K: 1})},
		{"vucomiss xmm0 {k1}, xmm0: has no write mask", zmm(VUCOMISS, Args{Y: V(0), K: 1})},
		{"add rax {k1}, rax: has no write mask", zmm(ADD64, Args{Y: G(0), K: 1})},
		{"vpgatherdd zmm0, [rax + 4*zmm1]: needs a write mask", zmm(VPGATHERDD, Args{Y: VIndex(RAX, 1, 4, 0)})},
		{"vaddps zmm0 {z}, zmm0, zmm0: zeroing needs a write mask", zmm(VADDPS, Args{Y: V(0), Zero: true})},
		{"vcmpps k0 {k1} {z}, zmm0, zmm0, 0: cannot zero what the mask excludes",
			zmm(VCMPPS, Args{Y: V(0), K: 1, Zero: true})},
		{"vmovups zmmword ptr [rax] {k1} {z}, zmm0: cannot zero what the mask excludes",
			zmm(VMOVUPSStore, Args{Y: At(RAX, 0), K: 1, Zero: true})},
		{"vpgatherdd zmm1 {k1}, [rax + 4*zmm1]: the registers of result, indexes and mask must differ",
			zmm(VPGATHERDD, Args{D: 1, Y: VIndex(RAX, 1, 4, 0), K: 1})},
		{"vpgatherdd ymm1, [rax + 4*ymm2], ymm2: the registers of result, indexes and mask must differ",
			withVEX(VPGATHERDDVec, Args{D: 1, X: 2, Y: VIndex(RAX, 2, 4, 0)})},
		{"operand Y cannot be broadcast", zmm(VMOVUPS, Args{Y: At(RAX, 0).Broadcast()})},
		{"vaddps ymm0, ymm0, dword ptr [rax]{1to8}: operand Y cannot be broadcast",
			withVEX(VADDPS, Args{Y: At(RAX, 0).Broadcast()})},
		{"vaddps zmm0, zmm0, zmm1: operand Y cannot be broadcast", zmm(VADDPS, Args{Y: V(1).Broadcast()})},
		{"vmovups zmm0, zmmword ptr [r16]: base register 16, over 15", zmm(VMOVUPS, Args{Y: At(16, 0)})},
		{"vmovups zmm0, zmmword ptr [rax + 1*rsp]: rsp cannot be an index", zmm(VMOVUPS, Args{Y: Index(RAX, RSP, 1, 0)})},
		{"vmovups zmm0, zmmword ptr [rax + 1*r16]: index register 16, over 15",
			zmm(VMOVUPS, Args{Y: Index(RAX, 16, 1, 0)})},
		{"vmovups zmm0, zmmword ptr [rax + 3*rcx]: scale 3 of an index; want 1, 2, 4 or 8",
			zmm(VMOVUPS, Args{Y: Index(RAX, RCX, 3, 0)})},
		{"scale 0 of an index; want 1, 2, 4 or 8", zmm(VMOVUPS, Args{Y: Index(RAX, RCX, 0, 0)})},
		{"vpgatherdd zmm0 {k1}, [rax + 4*zmm32]: index register 32, over 31",
			zmm(VPGATHERDD, Args{Y: VIndex(RAX, 32, 4, 0), K: 1})},
		{"vpgatherdd ymm0, [rax + 4*ymm16], ymm1: index register 16, over 15",
			withVEX(VPGATHERDDVec, Args{X: 1, Y: VIndex(RAX, 16, 4, 0)})},
		{"vpslld ymm0, ymmword ptr [rax], 1: operand Y cannot be memory",
			withVEX(VPSLLDImm, Args{Y: At(RAX, 0), Imm: 1})},
		{"vpternlogd ymm0, ymm0, ymm0, 0: has no VEX form", withVEX(VPTERNLOGD, Args{Y: V(0)})},
		{"vroundps zmm0, zmm0, 0: with VEX has no form with 512 bits", zmm(VROUNDPS, Args{Y: V(0)})},
		{"vaddps zmm0, zmm0, zmm0: with VEX has no form with 512 bits",
			func(a *Asm) { a.VEX = true; a.Emit(VADDPS, Args{Y: V(0)}) }},
		{"vpermd xmm0, xmm0, xmm0: has no form with 128 bits", func(a *Asm) { a.Emit128(VPERMD, Args{Y: V(0)}) }},
		{"vextractf64x4 ymm0, ymm0, 1: has no form with 256 bits",
			func(a *Asm) { a.EmitBits(256, VEXTRACTF64X4, Args{Y: V(0), Imm: 1}) }},
		{"vector length 100; want 128, 256 or 512 bits", func(a *Asm) { a.EmitBits(100, VADDPS, Args{Y: V(0)}) }},
		{"unknown instruction: instruction 65535, over", zmm(math.MaxUint16, Args{})},
		{"jmp: label 7 is not of this Asm", func(a *Asm) { a.Jmp(7) }},
		{"je: label -1 is not of this Asm", func(a *Asm) { a.Jcc(E, -1) }},
		{"jcc: condition 16, over 15", func(a *Asm) { a.Jcc(16, a.NewLabel()) }},
		{"bind: label 0 is not of this Asm", func(a *Asm) { a.Bind(0) }},
		{"bind: label 0 is bound already, at 0", func(a *Asm) { a.Bind(bound(a)) }},
		{"label 0 is not bound", func(a *Asm) { a.Call(a.NewLabel()) }},
		{"label 9 is not bound", func(a *Asm) { a.LeaLabel(RAX, 9) }},
		{"distance -2147483655 to label 0, over 32 bits",
			func(a *Asm) { a.Emit(LEA64, Args{Y: Code(bound(a), math.MinInt32)}) }},
		{"align: 0; want 1 to 4096 bytes", func(a *Asm) { a.Align(0) }},
		{"align: 4097; want 1 to 4096 bytes", func(a *Asm) { a.Align(4097) }},
	} {
		a := New(512)
		c.emit(a)
		_, err := a.Bytes()
		assert.ErrorContains(t, err, c.want)
	}
}

// TestRandomOperands: good instructions with random changes, to other instructions too. Either
// Emit appends an instruction that LLVM knows, where it is installed, or Bytes returns an error.
func TestRandomOperands(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bases := make([][]Args, opCount)
	for op := range opCount {
		r := &rows[op]
		f, _, err := r.encoding(false)
		require.NoError(t, err)
		bits := 128
		for r.checkLength(f, bits) != nil {
			bits *= 2
		}
		v := newVariants(r, f, bits)
		v.all()
		bases[op] = v.list
	}
	var good []encoded
	wrong := 0
	for range 100_000 {
		op := Op(rng.IntN(int(opCount)))
		x := bases[op][rng.IntN(len(bases[op]))]
		for range rng.IntN(3) {
			from := rng.IntN(int(opCount))
			y := bases[from][rng.IntN(len(bases[from]))]
			switch rng.IntN(10) {
			case 0:
				x.D = uint8(rng.IntN(34))
			case 1:
				x.X = uint8(rng.IntN(34))
			case 2:
				x.Y = y.Y
			case 3:
				x.Y.reg = uint8(rng.IntN(34))
			case 4:
				index, scale := uint8(rng.IntN(34)), uint8(rng.IntN(9))
				switch x.Y.kind {
				case inMemory:
					x.Y = Index(Reg(x.Y.reg), Reg(index), scale, x.Y.disp)
				case inMemoryVector:
					x.Y = VIndex(Reg(x.Y.reg), Vec(index), scale, x.Y.disp)
				}
			case 5:
				x.K = Mask(rng.IntN(9))
			case 6:
				x.Zero = !x.Zero
			case 7:
				x.Y.broadcast = !x.Y.broadcast
			case 8:
				x.Imm = y.Imm
			case 9:
				op = Op(from)
			}
		}
		a := New([]int{128, 256, 512}[rng.IntN(3)])
		a.VEX = rng.IntN(3) == 0
		a.Bind(a.NewLabel())
		a.Emit(op, x)
		b, err := a.Bytes()
		if err != nil {
			wrong++
			assert.Zero(t, a.Pos(), "%v", err)
			assert.False(t, a.formOf(op).fits(lengthCode(a.bits), &x), "%v", err)
			continue
		}
		assert.True(t, len(b) >= 1 && len(b) <= 15, "% x", b)
		f, _, err := rows[op].encoding(a.VEX)
		require.NoError(t, err)
		good = append(good, assembled(t, f, a.bits, op, x))
	}
	assert.Greater(t, len(good), 20_000)
	assert.Greater(t, wrong, 20_000)
	t.Logf("%d are instructions, %d mistakes", len(good), wrong)
	agree(t, good)
}

func BenchmarkEmit(b *testing.B) {
	a := New(512)
	for b.Loop() {
		a.code = a.code[:0]
		for range 250 {
			a.Emit(VADDPS, Args{D: 1, X: 2, Y: V(30)})
			a.Emit(VMOVUPS, Args{D: 17, Y: Index(RBX, R13, 8, 640), K: K3, Zero: true})
			a.Emit(ADD64Imm, Args{Y: G(R9), Imm: 64})
			a.Emit(MOV64, Args{D: 3, Y: At(R12, 8)})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/instruction")
}

// TestOperandParts: an operand says what it is.
func TestOperandParts(t *testing.T) {
	v, ok := V(7).Vector()
	require.True(t, ok)
	require.Equal(t, Vec(7), v)
	m, ok := K(K3).Mask()
	require.True(t, ok)
	require.Equal(t, K3, m)
	for _, o := range []Operand{G(RAX), At(RAX, 8)} {
		_, ok = o.Vector()
		require.False(t, ok)
		_, ok = o.Mask()
		require.False(t, ok)
	}
	require.False(t, V(7).IsBroadcast())
	require.True(t, At(RAX, 8).Broadcast().IsBroadcast())
	require.Equal(t, At(RAX, 8), At(RAX, 8).Broadcast().Each())
	require.Equal(t, 4, VADDPS.Element())
	require.Equal(t, 8, VADDPD.Element())
	require.Zero(t, VPSHUFB.Element())
	require.Zero(t, opCount.Element())
}
