package lir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestVerifyErrors: each violated rule is reported.
func TestVerifyErrors(t *testing.T) {
	s := newSketch()
	ptr, x, lane, truth, aff, m := s.v(Once, ir.I64), s.v(Once, ir.I32), s.v(Lane, ir.I32), s.v(Lane, ir.I1),
		s.v(Affine, ir.I32), s.v(Mask, ir.Void)
	one, simd := s.constant(ir.I32, 1), s.v(Simd, ir.I32)
	// Instructions that define what the cases read.
	before := []Inst{
		{Op: Op(ir.OpArg), Kind: ir.I64, D: ptr},
		{Op: OpMov, Kind: ir.I32, D: x, A: one},
		{Op: OpMov, Kind: ir.I32, Per: Simd, D: simd, A: one},
		{Op: OpPos, Kind: ir.I32, Per: Affine, D: aff},
		{Op: OpMov, Kind: ir.I32, Per: Lane, D: lane, A: aff},
		{Op: Op(ir.OpEq), Kind: ir.I32, Per: Lane, D: truth, A: lane, B: one},
		{Op: OpMaskAnd, D: m, B: truth},
	}
	unwritten := s.v(Once, ir.I32)
	printing := &ir.Instr{Op: ir.OpLogMessage, Name: "%d", Args: []*ir.Value{{Type: ir.TI32}, {Type: ir.TI32}}}
	for _, c := range []struct {
		name, want string
		in         Inst
	}{
		{"unwritten", "is not written before", binary(ir.OpAdd, Once, x, unwritten, one)},
		{"constant written", "writes the constant", binary(ir.OpAdd, Once, one, x, x)},
		{"no variable", "there is no variable 99", binary(ir.OpAdd, Once, x, 99, one)},
		{"result's class", "result is o2 of i32, want [lane]", binary(ir.OpAdd, Lane, x, lane, one)},
		{"operand's class", "operand 1 is v3 of i32, want [once]", binary(ir.OpAdd, Once, x, one, lane)},
		{"simd operand", "want [lane once]", binary(ir.OpAdd, Lane, lane, simd, one)},
		{"operand missing", "operand 1 is missing", binary(ir.OpAdd, Lane, lane, lane, 0)},
		{"operand too many", "which it does not use",
			Inst{Op: Op(ir.OpNeg), Kind: ir.I32, Per: Lane, D: lane, A: lane, B: one}},
		{"kind", "want [lane once] of i32", binary(ir.OpAdd, Lane, lane, truth, one)},
		{"result's kind", "result is v3 of i32, want [lane] of i1", binary(ir.OpEq, Lane, lane, lane, one)},
		{"mask", "mask is v4", Inst{Op: Op(ir.OpStore), Kind: ir.I32, Per: Lane, Space: ir.Device, A: ptr, C: lane,
			Mask: truth}},
		{"merge without mask", "mask is missing", Inst{Op: OpMerge, Kind: ir.I32, D: lane, A: one}},
		{"mov upwards", "converts class lane to once", Inst{Op: OpMov, Kind: ir.I32, D: x, A: lane}},
		{"mov of kinds", "converts i1 to i32", Inst{Op: OpMov, Kind: ir.I32, D: lane, A: truth}},
		{"condition", "condition is v4 of i1, want [once]", Inst{Op: OpJumpIf, A: truth, Target: 8}},
		{"jump back", "jumps to 1", Inst{Op: OpJump, Target: 1}},
		{"back forwards", "jumps to 8", Inst{Op: OpBack, Target: 8}},
		{"jump out", "jumps out of the code", Inst{Op: OpJump, Target: 9}},
		{"address", "address is o2 of i32", store(Once, x, x)},
		{"index of lanes", "index is v3 of i32, want [once]",
			Inst{Op: Op(ir.OpLoad), Kind: ir.I32, Per: Once, Space: ir.Device, D: x, A: ptr, B: lane, Ext: ZExt}},
		{"index", "want [once simd affine lane] of i64",
			Inst{Op: Op(ir.OpLoad), Kind: ir.I32, Per: Lane, Space: ir.Device, D: lane, A: ptr, B: lane}},
		{"space", "has no space", Inst{Op: Op(ir.OpLoad), Kind: ir.I32, Per: Lane, D: lane, A: ptr}},
		{"coordinate", "there is no coordinate 3", Inst{Op: OpPos, Kind: ir.I32, Per: Affine, D: aff, Imm: 3}},
		{"control", "control flow that has not been lowered", Inst{Op: Op(ir.OpYield)}},
		{"barrier's round", "the round of a loop is o2 of i32, want [once] of i64",
			Inst{Op: Op(ir.OpBarrier), More: []Ref{x}}},
		{"barrier's result", "which it does not use", Inst{Op: Op(ir.OpBarrier), Outs: []Ref{ptr}}},
		{"message", "has no source instruction", Inst{Op: Op(ir.OpLogMessage), Per: Lane}},
		{"message's class", "works on once", Inst{Op: Op(ir.OpLogMessage), HIR: printing, More: []Ref{x, x}}},
		{"message's operand", "operand 1 is missing",
			Inst{Op: Op(ir.OpLogMessage), Per: Lane, HIR: printing, More: []Ref{x}}},
		{"message's operand's class", "operand is s8 of i32, want [lane once]",
			Inst{Op: Op(ir.OpLogMessage), Per: Lane, HIR: printing, More: []Ref{x, simd}}},
		{"message's operand too many", "which it does not use",
			Inst{Op: Op(ir.OpLogMessage), Per: Lane, HIR: printing, More: []Ref{x, lane, x}}},
		{"operation", "there is no such operation", Inst{Op: OpEnd + 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := *s.p
			p.Code = append(append(before[:len(before):len(before)], c.in), Inst{Op: OpEnd})
			err := p.Verify()
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
	s.add(before...)
	err := s.p.Verify()
	require.Error(t, err)
	assert.Contains(t, err.Error(), "does not end with end")
	require.NoError(t, s.add(Inst{Op: OpEnd}).p.Verify())
}

// TestVerifyPlaces: variables that share a place but are live together are reported, even if only a
// loop makes them live together.
func TestVerifyPlaces(t *testing.T) {
	s := newSketch()
	ptr, x, y := s.v(Once, ir.I64), s.v(Lane, ir.I32), s.v(Lane, ir.I32)
	one := s.constant(ir.I32, 1)
	s.add(
		Inst{Op: Op(ir.OpArg), Kind: ir.I64, D: ptr},
		Inst{Op: OpMov, Kind: ir.I32, Per: Lane, D: x, A: one},
		store(Lane, ptr, x),
		binary(ir.OpAdd, Lane, y, one, one),
		store(Lane, ptr, y),
		Inst{Op: OpBack, Target: 2},
		Inst{Op: OpEnd},
	)
	s.p.Allocate()
	require.NoError(t, s.p.Verify())
	require.NotEqual(t, s.p.Vars[x].Off, s.p.Vars[y].Off)

	s.p.Vars[y].Off = s.p.Vars[x].Off
	err := s.p.Verify()
	require.Error(t, err)
	assert.Contains(t, err.Error(), "writes v3 at the place of v2, which is read later")

	s.p.Code[5] = Inst{Op: OpEnd} // without the loop, they may share
	require.NoError(t, s.p.Verify())

	s.p.Vars[y].Off = int32(s.p.FrameBytes)
	assert.ErrorContains(t, s.p.Verify(), "of a frame of")
	s.p.Vars[y].Off = s.p.Vars[one].Off
	assert.True(t, strings.Contains(s.p.Verify().Error(), "aligned") || strings.Contains(s.p.Verify().Error(), "constant"))
}
