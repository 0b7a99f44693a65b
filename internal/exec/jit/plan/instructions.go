package plan

import (
	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// onSimdgroup reports whether an instruction works among the lanes of a simdgroup.
func onSimdgroup(in *lir.Inst) bool {
	op := in.Op.IR()
	return op.Group() == ir.SimdOps || op == ir.OpMatMac || op == ir.OpMatMul ||
		op == ir.OpMatLoad || op == ir.OpMatStore || op == ir.OpStore && in.Per == lir.Simd
}

// OnMatrices reports whether an instruction among lanes works on matrices.
func OnMatrices(in *lir.Inst) bool {
	op := in.Op.IR()
	return op == ir.OpMatMac || op == ir.OpMatMul || op == ir.OpMatLoad || op == ir.OpMatStore
}

// Reduces reports whether an operation combines the values of a simdgroup's lanes to one.
func Reduces(op ir.Op) bool {
	return op.Repeats(ir.I32) != ir.OpInvalid && !Scans(op)
}

// IsTexture reports whether an instruction works on a texture for each lane.
func IsTexture(in *lir.Inst) bool {
	switch in.Op.IR() {
	case ir.OpTexRead, ir.OpTexWrite, ir.OpTexSample, ir.OpTexSampleGrad, ir.OpTexGather, ir.OpTexCompare,
		ir.OpTexGatherCompare, ir.OpTexLOD, ir.OpTexQuery, ir.OpTexAtomic:
		return in.Per == lir.Lane
	}
	return false
}

// isAtomicOnTexture reports whether an instruction is an atomic operation on a texture.
func isAtomicOnTexture(in *lir.Inst) bool {
	return in.Op.IR() == ir.OpTexAtomic || in.Op.IR() == ir.OpTexRead && in.Imm == ir.TexReadAtomic
}

// WritesTexture reports whether an instruction changes a texture.
func WritesTexture(in *lir.Inst) bool {
	return IsTexture(in) && (in.Op.IR() == ir.OpTexWrite || in.Op.IR() == ir.OpTexAtomic)
}

// IsQuery reports whether an instruction yields a property of a texture that all lanes share.
func IsQuery(in *lir.Inst) bool { return in.Op.IR() == ir.OpTexQuery && in.Per == lir.Once }

// onQuads reports whether an instruction works among the lanes of quads.
func onQuads(in *lir.Inst) bool { return in.Op.IR().Group() == ir.QuadOps }

// OnThread reports whether an instruction loads or stores thread memory.
func OnThread(in *lir.Inst) bool {
	return in.Space == ir.Thread && (in.Op.IR() == ir.OpLoad || in.Op.IR() == ir.OpStore)
}

// IsAtomic reports whether an instruction is an atomic operation on a number of each lane.
func IsAtomic(in *lir.Inst) bool {
	op := in.Op.IR()
	return op.Info().Has(ir.Atomic) && op != ir.OpTexAtomic && op != ir.OpTexAtomicCmpXchg && in.Per == lir.Lane
}

// onMatrix reports whether an instruction works on matrices, but not among lanes.
func onMatrix(p *lir.Program, in *lir.Inst) bool {
	switch op := in.Op.IR(); op {
	case ir.OpMatGet, ir.OpMatSet, ir.OpMatFill, ir.OpMatDiag:
		return true
	default:
		return in.Op == lir.OpMov && p.Var(in.D).Kind == ir.Matrix
	}
}

// IsGiven reports whether an instruction yields a number that can be given to a range: the launch
// determines it, and all threadgroups of a row have the same, or it is their position. The
// simdgroups of a strip have numbers in a row.
func IsGiven(p *lir.Program, in *lir.Inst) bool {
	if IsSimdgroup(p, in) {
		return true
	}
	if in.D == 0 || p.Var(in.D).Class != lir.Once {
		return false
	}
	switch in.Op.IR() {
	case ir.OpIn:
		return ir.Input(in.Imm) != ir.SimdgroupIndexInThreadgroup
	case ir.OpArg:
		return in.A == 0
	case ir.OpFConst, ir.OpFConstDefined, ir.OpGlobalAddr, ir.OpSharedAddr, ir.OpAlloca:
		return true
	}
	return false
}

// IsSimdgroup reports whether an instruction yields the numbers of the strip's simdgroups.
func IsSimdgroup(p *lir.Program, in *lir.Inst) bool {
	return in.Op.IR() == ir.OpIn && ir.Input(in.Imm) == ir.SimdgroupIndexInThreadgroup && in.D != 0 &&
		p.Var(in.D).Class == lir.Simd
}

// CopiesShared reports whether an instruction copies between memory that lanes share.
func CopiesShared(in *lir.Inst) bool {
	return in.Op.IR() == ir.OpCopy && in.Space != ir.Thread && in.FromSpace != ir.Thread
}

// OnWide reports whether an instruction works on numbers of 64 bits for each lane, apart from those
// in an address.
func OnWide(p *lir.Program, in *lir.Inst) bool {
	if op := in.Op.IR(); op == ir.OpLoad || op == ir.OpStore {
		return false
	}
	isWide := func(r lir.Ref) bool { return r != 0 && p.Var(r).Class == lir.Lane && Wide(p.Var(r).Kind) }
	return isWide(in.D) || isWide(in.A) || isWide(in.B)
}

// Wide reports whether numbers of a kind have 64 bits.
func Wide(k ir.Kind) bool { return k.Size() == 8 }

// OnNarrow reports whether an instruction works on narrow numbers, and does not only move them.
func OnNarrow(in *lir.Inst) bool {
	switch in.Op.IR() {
	case ir.OpInvalid, ir.OpLoad, ir.OpStore, ir.OpSelect, ir.OpBitcast:
		return false
	}
	return Narrow(in.Kind) || Narrow(in.From)
}

// Narrow reports whether numbers of a kind have 8 or 16 bits.
func Narrow(k ir.Kind) bool { return k == ir.I8 || k == ir.I16 || k == ir.F16 || k == ir.BF16 }

// InVector reports whether the lanes' numbers of a kind are in one vector register.
func InVector(k ir.Kind) bool { return k == ir.I32 || k == ir.F32 || Narrow(k) }

// onBits reports whether bitOp compiles an instruction.
func onBits(p *lir.Program, in *lir.Inst) bool {
	if in.Kind != ir.I32 {
		return false
	}
	switch in.Op.IR() {
	case ir.OpRotL, ir.OpSAbs, ir.OpPopcount, ir.OpClz, ir.OpCtz, ir.OpSMulHi, ir.OpUMulHi:
		return true
	case ir.OpSExtract, ir.OpUExtract:
		return p.Var(in.B).Const && p.Var(in.C).Const
	}
	return false
}

// Converts reports whether convert compiles an instruction.
func Converts(in *lir.Inst) bool {
	short := in.Kind == ir.F16 || in.Kind == ir.BF16
	float := short || in.Kind == ir.F32
	switch op := in.Op.IR(); op {
	case ir.OpFToSI, ir.OpFToUI:
		from := in.From == ir.F16 || in.From == ir.BF16 || in.From == ir.F32
		return from && (in.Kind == ir.I8 || in.Kind == ir.I16 || in.Kind == ir.I32)
	case ir.OpRound, ir.OpFract, ir.OpCopySign:
		return float
	case ir.OpSqrt: // rounded twice it is the same, as in narrow.go
		return short
	default:
		return short && rounds(op)
	}
}

// FunctionOf returns the program of a mathematical function, or nil. For floats of 16 bits, those
// of fast math are computed in 32 and rounded.
func FunctionOf(in *lir.Inst) *fast.Program {
	if in.Flags&ir.Fast == 0 && in.Kind == ir.F32 {
		return fast.Exact(in.Op.IR())
	}
	if in.Flags&ir.Fast == 0 || !in.Kind.IsFloat() {
		return nil
	}
	return fast.Of(in.Op.IR())
}

// Shuffles reports whether an operation gives each lane the value of another.
func Shuffles(op ir.Op) bool {
	switch op {
	case ir.OpSimdBroadcast, ir.OpSimdShuffle, ir.OpSimdShuffleXor, ir.OpSimdShuffleUp, ir.OpSimdShuffleDown,
		ir.OpSimdRotateUp, ir.OpSimdRotateDown:
		return true
	}
	return false
}

// Fills reports whether an operation moves values from lane to lane, and those of another number to
// where none arrive.
func Fills(op ir.Op) bool { return op == ir.OpSimdFillUp || op == ir.OpSimdFillDown }

// Scans reports whether an operation gives each lane the sum or product of those up to it, or of
// those below.
func Scans(op ir.Op) bool {
	return op == ir.OpSimdScanAdd || op == ir.OpSimdScanMul || Exclusive(op)
}

// Exclusive reports whether an operation gives each lane the sum or product of those below it.
func Exclusive(op ir.Op) bool { return op == ir.OpSimdXScanAdd || op == ir.OpSimdXScanMul }

// AccessesMemory reports whether an instruction is a load or a store, or an atomic operation, of
// memory that lanes share.
func AccessesMemory(in *lir.Inst) bool {
	return (in.Op.IR() == ir.OpLoad || in.Op.IR() == ir.OpMatLoad || WritesMemory(in)) && !OnThread(in)
}

// OwnAddresses reports whether each lane has an address of its own for a memory operation.
func OwnAddresses(p *lir.Program, in *lir.Inst) bool {
	own := func(r lir.Ref) bool { return r != 0 && (p.Var(r).Class == lir.Lane || p.Var(r).Class == lir.Simd) }
	return own(in.A) || own(in.B) || Wide(in.Kind) || IsAtomic(in)
}

// WritesMemory reports whether an instruction is a store or an atomic operation.
func WritesMemory(in *lir.Inst) bool {
	op := in.Op.IR()
	return (op == ir.OpStore || IsAtomic(in) || op == ir.OpMatStore) && !OnThread(in)
}

// onLanes reports whether an instruction works on each lane, masks included, and not only on
// numbers that all lanes share.
func onLanes(p *lir.Program, in *lir.Inst) bool {
	if in.Op.IsJump() || in.Op == lir.OpEnd {
		return false
	}
	if in.D != 0 {
		switch p.Var(in.D).Class {
		case lir.Once, lir.Simd, lir.Affine:
			return false
		}
		return true
	}
	return in.Per == lir.Lane
}

// isAffineAddress reports whether an instruction with an affine result of 64 bits yields an address
// that can stay affine.
func isAffineAddress(in *lir.Inst) bool { return in.Op.IR() == ir.OpOffset || in.Op == lir.OpMov }

// truncates reports whether an instruction makes an index an affine number of 32 bits.
func truncates(p *lir.Program, in *lir.Inst) bool {
	return in.Op.IR() == ir.OpTrunc && in.Kind == ir.I32 && in.From == ir.I64 && p.Var(in.A).Class == lir.Affine
}

// movesBits reports whether an atomic operation does not depend on what its numbers are.
func movesBits(op ir.Op) bool {
	return op == ir.OpAtomicLoad || op == ir.OpAtomicStore || op == ir.OpAtomicXchg || op == ir.OpAtomicCmpXchg
}

// KindOf returns the kind of an operation on lanes.
func (c *Plan) KindOf(in *lir.Inst) LaneKind {
	switch op := in.Op.IR(); {
	case in.D != 0 && c.Class(in.D) == lir.Mask:
		return MaskLaneOp
	case in.IsCopy():
		return CopyLaneOp
	case IsTexture(in):
		return TextureLaneOp
	case onQuads(in):
		return QuadLaneOp
	case OnThread(in):
		return ThreadLaneOp
	case OnWide(c.Program, in):
		return WideLaneOp
	case onMatrix(c.Program, in):
		return MatrixLaneOp
	case op == ir.OpLoad:
		return LoadLaneOp
	case IsAtomic(in):
		return AtomicLaneOp
	case op == ir.OpStore:
		return StoreLaneOp
	case FunctionOf(in) != nil:
		return FunctionLaneOp
	case Converts(in):
		return ConvertLaneOp
	case onBits(c.Program, in):
		return BitLaneOp
	case OnNarrow(in):
		return NarrowLaneOp
	case in.D != 0 && c.IsTruth(in.D):
		return TruthLaneOp
	}
	return otherLaneOp
}

// LaneKind is a kind of operation on lanes: one function emits all of them.
type LaneKind uint8

// The kinds of operations on lanes.
const (
	otherLaneOp    LaneKind = iota + 1 // 0: not known yet
	MaskLaneOp                         // on masks
	CopyLaneOp                         // of bytes
	TextureLaneOp                      // reads, writes and samples
	QuadLaneOp                         // among four lanes
	ThreadLaneOp                       // on thread memory
	WideLaneOp                         // on 64 bits
	MatrixLaneOp                       // on simdgroup matrices
	LoadLaneOp                         // from memory that lanes share
	StoreLaneOp                        // to it
	AtomicLaneOp                       // on it
	FunctionLaneOp                     // such as sine
	ConvertLaneOp                      // between integers and floats
	BitLaneOp                          // counts and moves of bits
	NarrowLaneOp                       // on 8 and 16 bits
	TruthLaneOp                        // that yield truth values
)
