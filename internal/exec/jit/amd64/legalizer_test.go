package amd64_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
)

// places is the memory of a test's Legalizer.
type places struct{ constants, masks int32 }

func (p *places) VectorOf([16]int32) amd64.Operand {
	p.constants++
	return amd64.At(amd64.RDI, 1000+32*p.constants)
}

func (p *places) MaskPlace() amd64.Operand {
	p.masks++
	return amd64.At(amd64.RDI, 32*p.masks)
}

// unable is what Fail panics with.
type unable string

func (p *places) Fail(format string, args ...any) { panic(unable(fmt.Sprintf(format, args...))) }

// legalized returns the instructions of a Legalizer with VEX in the place of those that emit emits.
func legalized(t *testing.T, emit func(l *amd64.Legalizer)) string {
	t.Helper()
	l := amd64.NewLegalizer(true, &places{})
	var list []string
	l.Log = func(_ int, text string) { list = append(list, text) }
	emit(l)
	_, err := l.Bytes()
	require.NoError(t, err)
	return strings.Join(list, "; ")
}

// TestLegalizer: instructions of AVX-512 become those of AVX2, with registers that exist, masks in
// vectors, and operands that are loaded before they are broadcast.
func TestLegalizer(t *testing.T) {
	v := func(r int) amd64.Operand { return amd64.V(amd64.Vec(r)) }
	at := amd64.At(amd64.RSI, 64)
	for _, c := range []struct {
		op   amd64.Op
		x    amd64.Args
		want string
	}{
		{amd64.VADDPS, amd64.Args{D: 28, X: 29, Y: v(30)}, "vaddps ymm12, ymm13, ymm14"},
		{amd64.VADDPS, amd64.Args{D: 1, X: 2, Y: at.Broadcast()},
			"vbroadcastss ymm11, dword ptr [rsi + 64]; vaddps ymm1, ymm2, ymm11"},
		{amd64.VRNDSCALEPS, amd64.Args{D: 1, Y: v(2), Imm: 8}, "vroundps ymm1, ymm2, 8"},
		{amd64.VPCMPD, amd64.Args{D: 1, X: 2, Y: v(3), Imm: 1}, "vpcmpgtd ymm10, ymm3, ymm2"},
		{amd64.VPCMPUD, amd64.Args{D: 1, X: 2, Y: v(3), Imm: 2}, "vpminud ymm10, ymm2, ymm3; vpcmpeqd ymm10, ymm2, ymm10"},
		{amd64.VCMPPS, amd64.Args{D: 1, X: 2, Y: v(3), Imm: 3}, "vcmpps ymm10, ymm2, ymm3, 3"},
		{amd64.VBLENDMPS, amd64.Args{D: 1, X: 2, Y: v(3), K: 1},
			"vmovaps ymm10, ymmword ptr [rdi + 32]; vblendvps ymm1, ymm2, ymm3, ymm10"},
		{amd64.VMOVUPS, amd64.Args{D: 1, Y: at, K: 1, Zero: true},
			"vmovaps ymm10, ymmword ptr [rdi + 32]; vpand ymm1, ymm10, ymmword ptr [rsi + 64]"},
		{amd64.VCVTUDQ2PD, amd64.Args{D: 1, Y: v(2)}, "vpmovzxdq ymm1, xmm2; " +
			"vpor ymm1, ymm1, ymmword ptr [rdi + 1032]; vsubpd ymm1, ymm1, ymmword ptr [rdi + 1064]"},
	} {
		require.Equal(t, c.want, legalized(t, func(l *amd64.Legalizer) { l.Emit(c.op, c.x) }), "%v", c.op)
	}
	require.PanicsWithValue(t, unable("vaddps with a mask"), func() {
		legalized(t, func(l *amd64.Legalizer) { l.Emit(amd64.VADDPS, amd64.Args{D: 1, X: 2, Y: v(3), K: 1}) })
	})
}

// TestLegalizerMasks: two masks are in registers; a third writes the one back that was used before,
// and all are in their places where control flow leaves.
func TestLegalizerMasks(t *testing.T) {
	compare := func(l *amd64.Legalizer, k uint8) {
		l.Emit(amd64.VPCMPD, amd64.Args{D: k, X: 2, Y: amd64.V(amd64.Vec(3))})
	}
	require.Equal(t, "vpcmpeqd ymm10, ymm2, ymm3; vpcmpeqd ymm9, ymm2, ymm3; "+
		"vmovaps ymmword ptr [rdi + 32], ymm10; vpcmpeqd ymm10, ymm2, ymm3; "+
		"vmovaps ymmword ptr [rdi + 64], ymm9; vmovaps ymmword ptr [rdi + 96], ymm10; jmp L0",
		legalized(t, func(l *amd64.Legalizer) {
			compare(l, 1)
			compare(l, 2)
			compare(l, 3)
			to := l.NewLabel()
			l.Jmp(to)
			l.Bind(to)
		}))
	require.Equal(t, "vpcmpeqd ymm10, ymm2, ymm3", legalized(t, func(l *amd64.Legalizer) {
		bits := amd64.MaskBits{Mask: 1, Place: 8}
		compare(l, 1)
		l.MaskIs(1, bits)
		l.DropMask(1)
		require.True(t, l.MaskFrom(2, bits), "the register still has the bits")
		l.ForgetMasks()
		require.False(t, l.MaskFrom(2, bits))
	}))
}
