package lir

import "github.com/puremetal/puremetal/internal/ir"

// Work is charged to a launch's budget. A unit is one instruction in one thread, or CopiedBytes
// bytes copied. With the figures below, all units take about the same time, within a factor of ten
// or so, so that a budget bounds the time of any kernel.
const (
	InstWork    = 32      // to start an instruction, in addition to the work of its lanes
	GroupWork   = 1 << 10 // per threadgroup, in addition to its instructions
	CopiedBytes = 4       // bytes per unit when an instruction copies or clears memory
	ZeroedBytes = 32      // bytes per unit when a threadgroup's memory is cleared
)

// groupWork is the cost of an instruction of each group, in ordinary instructions; 0 means 1.
var groupWork = [...]int64{
	ir.MathOps:    4,
	ir.AtomicOps:  32,
	ir.SimdOps:    2,
	ir.QuadOps:    2,
	ir.MatrixOps:  16,
	ir.TextureOps: 32,
	ir.CommandOps: 8,
	ir.LogOps:     256,
}

// Work returns the work of executing an instruction once for a strip, whatever its mask. A copy or
// clear counts all its bytes.
func (p *Program) Work(in *Inst) int64 {
	per := in.Per
	if in.Op == OpMov || in.Op == OpMerge {
		per = p.Var(in.D).Class
	}
	group := in.Op.IR().Group()
	n := int64(1)
	switch {
	case in.IsCopy():
		return InstWork + int64(p.Lanes)*(1+in.CopyWork(in.Imm))
	case per == Lane, per == Affine, group >= ir.SimdOps && group <= ir.LogOps:
		n = int64(p.Lanes)
	case per == Simd:
		n = int64(p.Lanes+SimdWidth-1) / SimdWidth
	}
	if int(group) < len(groupWork) {
		n *= max(groupWork[group], 1)
	}
	return InstWork + n
}

// IsCopy reports whether the instruction copies or clears bytes.
func (in *Inst) IsCopy() bool { return in.Op.IR() == ir.OpCopy || in.Op.IR() == ir.OpClear }

// CopyWork returns the work of copying or clearing n bytes in one lane. In the thread space, where
// the bytes of the lanes alternate, they are copied one by one.
func (in *Inst) CopyWork(n int64) int64 {
	if in.Space == ir.Thread || in.Op.IR() == ir.OpCopy && in.FromSpace == ir.Thread {
		return n
	}
	return n / CopiedBytes
}
