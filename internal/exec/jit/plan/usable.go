package plan

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// IsUsable reports whether the compiler knows an instruction.
func (f *Facts) IsUsable(in *lir.Inst) bool {
	p := f.Program
	switch {
	case in.IsCopy():
		return f.copyUsable(in)
	case IsTexture(in):
		return textureUsable(p, in) && !(isAtomicOnTexture(in) && f.inLoop(in))
	case IsQuery(in):
		return queryUsable(p, in)
	case OnThread(in):
		return f.threadUsable(in)
	case IsAtomic(in):
		return f.atomicUsable(in)
	case onSimdgroup(in):
		return f.simdgroupUsable(in)
	case in.D != 0 && p.Var(in.D).Class == lir.Affine && Wide(p.Var(in.D).Kind) && isAffineAddress(in):
		return f.affineAddressUsable(in)
	case in.D != 0 && p.Var(in.D).Class == lir.Affine && Wide(p.Var(in.D).Kind):
		return f.indexUsable(in)
	case onMatrix(p, in):
		return f.matrixUsable(in)
	case in.Op.IR() == ir.OpSimdBarrier: // nothing to do: it ends a segment
		return true
	case in.Op == lir.OpEnd, in.Op.IR().IsBarrier():
		return false
	case in.Op.IsJump():
		return true
	case onQuads(in):
		return f.quadUsable(in)
	case onLanes(p, in):
		return LanesUsable(p, in)
	case IsGiven(p, in):
		return true
	}
	return SharedUsable(p, in)
}

// usable says for each instruction whether the compiler knows it, in a range of a single block or
// of several.
func (f *Facts) usable(single bool) []bool {
	list := make([]bool, len(f.Program.Code))
	end, _ := RowEnd(f.Program)
	for pc := range list {
		in := &f.Program.Code[pc]
		list[pc] = f.known[pc] || single && (f.onlySingle(in) || f.atomicKnown(in)) ||
			in.Op == lir.OpEnd && f.Row && pc < end
	}
	return list
}

// onlySingle reports whether the compiler knows an instruction in ranges of a single block: a
// barrier at which the threads of one strip wait, all of them, or a store of a shared number. The
// interpreter may hold back atomic additions until a barrier that orders device memory.
func (f *Facts) onlySingle(in *lir.Inst) bool {
	switch in.Op.IR() {
	case ir.OpBarrier:
		return f.Program.Strips == 1 && in.Mask == 0 && (in.Mem&^ir.MemThreadgroup == 0 || !f.adds)
	case ir.OpStore:
		return in.Per == lir.Once && sharedStoreUsable(f.Program, in)
	}
	return false
}

// LanesUsable reports whether the compiler knows an instruction on lanes.
func LanesUsable(p *lir.Program, in *lir.Inst) bool {
	if in.D2 != 0 || len(in.Outs) > 0 || len(in.More) > 0 {
		return false
	}
	classes := func(ok func(lir.Class) bool, rs ...lir.Ref) bool {
		for _, r := range rs {
			if r != 0 && !ok(p.Var(r).Class) {
				return false
			}
		}
		return true
	}
	laneOrOnce := func(c lir.Class) bool { return c == lir.Lane || c <= lir.Simd }
	op := in.Op.IR()
	if in.D != 0 && p.Var(in.D).Class == lir.Mask {
		switch in.Op {
		case lir.OpMaskAnd, lir.OpMaskAndNot:
			return laneOrOnce(p.Var(in.B).Class)
		case lir.OpMaskOr, lir.OpMaskSub, lir.OpMaskCopy, lir.OpMaskClear:
			return true
		}
		return false
	}
	if in.D != 0 && p.Var(in.D).Class != lir.Lane {
		return false
	}
	switch {
	case OnWide(p, in):
		return wideUsable(p, in)
	case in.Op == lir.OpMov:
		k := p.Var(in.D).Kind
		return classes(func(c lir.Class) bool { return laneOrOnce(c) || c == lir.Affine && k == ir.I32 }, in.A) &&
			(InVector(k) || k == ir.I1)
	case in.Op == lir.OpMerge:
		k := p.Var(in.D).Kind
		return classes(laneOrOnce, in.A) && (InVector(k) || k == ir.I1)
	case op == ir.OpLoad, op == ir.OpStore:
		if in.Disp < -maxDisp || in.Disp > maxDisp {
			return false
		}
		if in.Per != lir.Lane || !InVector(in.Kind) && !Wide(in.Kind) || in.Space == ir.Thread ||
			in.Flags&ir.Volatile != 0 {
			return false
		}
		return classes(laneOrOnce, in.C)
	case in.Per != lir.Lane, !classes(laneOrOnce, in.A, in.B, in.C):
		return false
	}
	return vectorUsable(p, in)
}

// vectorUsable reports whether the compiler knows an operation on numbers in vectors.
func vectorUsable(p *lir.Program, in *lir.Inst) bool {
	four := in.Kind == ir.F32 || in.Kind == ir.I32
	switch op := in.Op.IR(); {
	case FunctionOf(in) != nil, Converts(in), onBits(p, in):
		return true
	case OnNarrow(in):
		return narrowUsable(in)
	case op == ir.OpAnd || op == ir.OpOr || op == ir.OpXor || op == ir.OpNot:
		return in.Kind == ir.I1 || in.Kind == ir.I32
	case op == ir.OpSelect:
		return InVector(in.Kind) || in.Kind == ir.I1
	case op == ir.OpZExt:
		return in.From == ir.I1 && in.Kind == ir.I32
	case op == ir.OpSIToF, op == ir.OpUIToF:
		return in.From == ir.I32 && in.Kind == ir.F32
	case op == ir.OpBitcast:
		return InVector(in.Kind) && InVector(in.From) && in.From.Size() == in.Kind.Size() || in.From == ir.Void && four
	case op == ir.OpFMin, op == ir.OpFMax, op == ir.OpFNeg, op == ir.OpFAbs, op == ir.OpSqrt, op == ir.OpFMA:
		return in.Kind == ir.F32
	case op == ir.OpNeg:
		return in.Kind == ir.I32
	}
	op := in.Op.IR()
	return in.Kind == ir.I32 && (onIntegers(op) || ComparesIntegers(op) || isShift(op) || IsDivision(op)) ||
		in.Kind == ir.F32 && (onFloats(op) || comparesFloats(op) || rounds(op))
}

// maxDisp bounds the constant part of an address, so that an offset that is inside of an object, of
// at most maxObject bytes, comes from an index that has not wrapped.
const maxDisp = 1 << 29

// SharedUsable reports whether shared compiles an instruction.
func SharedUsable(p *lir.Program, in *lir.Inst) bool {
	if in.D == 0 {
		return false // stores
	}
	d := p.Var(in.D)
	once := func(rs ...lir.Ref) bool { // as widely shared as the result
		for _, r := range rs {
			if r != 0 && p.Var(r).Class > d.Class {
				return false
			}
		}
		return true
	}
	if in.D2 != 0 || len(in.Outs) > 0 || len(in.More) > 0 {
		return false
	}
	op := in.Op.IR()
	switch {
	case d.Class == lir.Affine:
		if d.Kind != ir.I32 {
			return false
		}
		if truncates(p, in) {
			return true
		}
		for _, r := range []lir.Ref{in.A, in.B} {
			if r != 0 && (p.Var(r).Kind != ir.I32 || p.Var(r).Class != lir.Once && p.Var(r).Class != lir.Affine) {
				return false
			}
		}
		return in.Op == lir.OpPos || in.Op == lir.OpMov || op == ir.OpAdd || op == ir.OpSub ||
			op == ir.OpMul && in.Kind == ir.I32
	case in.Op == lir.OpMov:
		return once(in.A) && d.Kind != ir.Matrix
	case in.Op == lir.OpMerge:
		return false
	case op == ir.OpOffset:
		return once(in.A, in.B)
	case op == ir.OpLoad:
		return once(in.A, in.B) && in.Space != ir.Thread && in.Flags&ir.Volatile == 0 &&
			in.Kind != ir.Matrix
	}
	return once(in.A, in.B, in.C) && (ScalarUsable(in) || vectorUsable(p, in))
}

// ScalarUsable reports whether sharedOnce knows an operation on numbers in general registers.
func ScalarUsable(in *lir.Inst) bool {
	word := in.Kind == ir.I32 || in.Kind == ir.I64
	switch op := in.Op.IR(); op {
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot:
		return word || in.Kind == ir.I1
	case ir.OpZExt:
		return true
	case ir.OpSExt:
		return in.From != ir.I1
	case ir.OpTrunc:
		return in.Kind != ir.I1
	case ir.OpFConv:
		return in.Kind == ir.F32
	case ir.OpSIToF, ir.OpUIToF:
		return in.From == ir.I32 && in.Kind == ir.F32
	case ir.OpBitcast:
		return in.Kind.Size() == 4
	case ir.OpSelect:
		return in.Kind.Size() >= 4
	default:
		return word && (ComparesIntegers(op) || onIntegers(op) && !isExtreme(op) || isShift(op)) ||
			in.Kind == ir.F32 && onFloats(op)
	}
}

// sharedStoreUsable reports whether shared compiles the store of a shared number.
func sharedStoreUsable(p *lir.Program, in *lir.Inst) bool {
	for _, r := range []lir.Ref{in.A, in.B, in.C} {
		if r != 0 && p.Var(r).Class > in.Per {
			return false
		}
	}
	return in.Space != ir.Thread && in.Flags&ir.Volatile == 0 && in.Kind != ir.Matrix
}

// wideUsable reports whether wideOp compiles an instruction.
func wideUsable(p *lir.Program, in *lir.Inst) bool {
	for _, r := range []lir.Ref{in.A, in.B, in.C} {
		if r == 0 || p.Var(r).Class != lir.Affine {
			continue
		}
		switch op := in.Op.IR(); {
		case op == ir.OpOffset && r == in.B && in.Ext != lir.NoExt, in.Op == lir.OpMov:
		case (op == ir.OpZExt || op == ir.OpSExt) && in.From == ir.I32:
		default:
			return false
		}
	}
	integer := func(k ir.Kind) bool { return k == ir.I8 || k == ir.I16 || k == ir.I32 }
	switch op := in.Op.IR(); {
	case in.Op == lir.OpMov, in.Op == lir.OpMerge, op == ir.OpSelect, op == ir.OpOffset:
		return Wide(p.Var(in.D).Kind)
	case op == ir.OpZExt, op == ir.OpSExt:
		return in.Kind == ir.I64 && (integer(in.From) || op == ir.OpZExt && in.From == ir.I1)
	case op == ir.OpTrunc:
		return in.From == ir.I64 && integer(in.Kind)
	case op == ir.OpNot, op == ir.OpNeg:
		return in.Kind == ir.I64
	default:
		return in.Kind == ir.I64 && (onIntegers(op) || isShift(op) || ComparesIntegers(op))
	}
}

// narrowUsable reports whether narrowOp compiles an instruction whose operands are numbers of lanes
// or shared.
func narrowUsable(in *lir.Inst) bool {
	integer := func(k ir.Kind) bool { return k == ir.I8 || k == ir.I16 || k == ir.I32 }
	float := func(k ir.Kind) bool { return k == ir.F16 || k == ir.BF16 || k == ir.F32 }
	switch op := in.Op.IR(); op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpUMin, ir.OpUMax, ir.OpSMin, ir.OpSMax, ir.OpShl,
		ir.OpLShr, ir.OpAShr, ir.OpNot, ir.OpNeg, ir.OpEq, ir.OpNe, ir.OpULT, ir.OpULE, ir.OpSLT, ir.OpSLE:
		return integer(in.Kind)
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFMin, ir.OpFMax, ir.OpFNeg, ir.OpFAbs, ir.OpFEq, ir.OpFNe,
		ir.OpFLT, ir.OpFLE:
		return float(in.Kind)
	case ir.OpZExt:
		return integer(in.Kind) && (integer(in.From) || in.From == ir.I1)
	case ir.OpSExt, ir.OpTrunc:
		return integer(in.Kind) && integer(in.From)
	case ir.OpFConv:
		return float(in.Kind) && float(in.From)
	case ir.OpSIToF, ir.OpUIToF: // 32 bits to bfloat would round twice
		return integer(in.From) && float(in.Kind) && (in.From != ir.I32 || in.Kind != ir.BF16)
	}
	return false
}

// matrixUsable reports whether the compiler knows an instruction on matrices. Simdgroups must have
// all lanes.
func (f *Facts) matrixUsable(in *lir.Inst) bool {
	p := f.Program
	if !f.wholeSimdgroups() || f.Partial() {
		return false
	}
	lane := func(r lir.Ref) bool { return p.Var(r).Class == lir.Lane }
	shared := func(r lir.Ref) bool { return p.Var(r).Class <= lir.Simd }
	zero := func(r lir.Ref) bool { return p.Var(r).Const && p.Var(r).Bits == 0 }
	switch in.Op.IR() {
	case ir.OpMatLoad, ir.OpMatStore:
		stride := p.Var(in.More[0])
		return in.Space != ir.Thread && in.Flags&(ir.Transposed|ir.Volatile) == 0 && shared(in.A) &&
			(in.B == 0 || shared(in.B)) && stride.Class == lir.Once && zero(in.More[1]) && zero(in.More[2])
	case ir.OpMatMac, ir.OpMatMul:
		return lane(in.D) && p.Var(in.D).Elem != ir.BF16
	case ir.OpMatFill, ir.OpMatDiag:
		return p.Var(in.A).Class == lir.Once
	case ir.OpMatSet:
		return (lane(in.A) || p.Var(in.A).Class == lir.Once) && (lane(in.B) || p.Var(in.B).Class == lir.Once)
	case ir.OpMatGet:
		return lane(in.D) && lane(in.D2)
	}
	return true // a copy
}

// quadUsable reports whether the compiler knows an instruction on quads.
func (f *Facts) quadUsable(in *lir.Inst) bool {
	known := func(rs ...lir.Ref) bool {
		for _, r := range rs {
			if k := f.Program.Var(r).Class; r != 0 && k != lir.Lane && k != lir.Once {
				return false
			}
		}
		return true
	}
	if !known(in.A, in.B, in.D) || in.Per != lir.Lane || f.Program.Var(in.D).Class != lir.Lane {
		return false
	}
	word := in.Kind == ir.I32 || in.Kind == ir.F32
	some := in.Mask != 0 || f.Partial()
	switch op := in.Op.IR().OfSimdgroup(); {
	case Reduces(op):
		return word
	case Scans(op): // of no active lane, the sum is not the number that sums ignore
		return word && !(some && Exclusive(op) && op.Repeats(in.Kind) == ir.OpFAdd)
	case Shuffles(op):
		return InVector(in.Kind)
	case op == ir.OpSimdFirst:
		return InVector(in.Kind) && !some
	default:
		return op == ir.OpSimdAny || op == ir.OpSimdAll
	}
}

// simdgroupUsable reports whether among compiles an instruction.
func (f *Facts) simdgroupUsable(in *lir.Inst) bool {
	p := f.Program
	if in.Op.IR() == ir.OpStore {
		return sharedStoreUsable(p, in)
	}
	if !f.wholeSimdgroups() {
		return false
	}
	word := in.Kind == ir.I32 || in.Kind == ir.F32
	shared := in.D != 0 && p.Var(in.D).Class <= lir.Simd
	switch op := in.Op.IR(); {
	case Reduces(op):
		return word && shared
	case Scans(op):
		return word
	case Shuffles(op):
		return InVector(in.Kind)
	case Fills(op):
		return InVector(in.Kind) && p.Var(in.C).Const && p.Var(in.More[0]).Const
	}
	switch in.Op.IR() {
	case ir.OpSimdBallot, ir.OpSimdAny, ir.OpSimdAll, ir.OpSimdActive:
		return shared
	case ir.OpSimdFirst:
		return shared && InVector(in.Kind)
	case ir.OpSimdIsFirst:
		return true
	}
	return in.Mask == 0 && OnMatrices(in) && f.matrixUsable(in)
}

// wholeSimdgroups reports whether all simdgroups of a strip have all of their vectors.
func (f *Facts) wholeSimdgroups() bool {
	return f.vectorsOf(f.Program)%f.VectorsOfSimdgroup() == 0
}

// atomicUsable reports whether atomic compiles an instruction.
func (f *Facts) atomicUsable(in *lir.Inst) bool {
	return f.atomicKnown(in) && !(f.hasResult(in) && f.inLoop(in))
}

// atomicKnown reports whether atomic compiles an instruction in a block of all vectors.
func (f *Facts) atomicKnown(in *lir.Inst) bool {
	if !IsAtomic(in) {
		return false
	}
	p, op := f.Program, in.Op.IR()
	shared := in.Space == ir.Threadgroup
	float := op == ir.OpAtomicFAdd || op == ir.OpAtomicFSub
	if op == ir.OpAtomicFMin || op == ir.OpAtomicFMax || in.Kind != ir.I32 && in.Kind != ir.F32 ||
		float != (in.Kind == ir.F32) && !movesBits(op) || !shared && in.Space != ir.Device || in.Order != ir.Relaxed ||
		in.Flags&ir.Volatile != 0 || in.Disp < -maxDisp || in.Disp > maxDisp {
		return false
	}
	lane := func(r lir.Ref) bool { return r == 0 || p.Var(r).Class == lir.Lane }
	for _, r := range append([]lir.Ref{in.C}, in.More...) {
		if !lane(r) && p.Var(r).Class > lir.Simd {
			return false
		}
	}
	if !lane(in.D) || !lane(in.D2) || p.Var(in.A).Class == lir.Affine ||
		in.B != 0 && in.Ext == lir.NoExt && p.Var(in.B).Class == lir.Affine {
		return false
	}
	if shared || op == ir.OpAtomicLoad || op == ir.OpAtomicCmpXchg {
		return true
	}
	apart := func(r lir.Ref) bool { return r != 0 && p.Var(r).Class != lir.Once }
	if !apart(in.A) && (!apart(in.B) || op == ir.OpAtomicAdd && lane(in.B) && !f.hasResult(in)) {
		return false
	}
	return true
}

// hasResult reports whether something reads what an instruction writes.
func (f *Facts) hasResult(in *lir.Inst) (read bool) {
	for pc := range f.Program.Code {
		f.Program.Code[pc].Reads(func(r lir.Ref) { read = read || r == in.D || r == in.D2 })
	}
	return read
}

// inLoop reports whether an instruction is in a loop.
func (f *Facts) inLoop(in *lir.Inst) bool {
	for _, l := range f.Loops {
		for pc := l[0]; pc <= l[1]; pc++ {
			if &f.Program.Code[pc] == in {
				return true
			}
		}
	}
	return false
}

// copyUsable reports whether the compiler knows a copy.
func (f *Facts) copyUsable(in *lir.Inst) bool {
	if in.Per != lir.Lane || in.Imm <= 0 || in.Imm%4 != 0 {
		return false
	}
	if CopiesShared(in) {
		return in.Imm <= MaxCopied
	}
	if f.Width < MaxWidth {
		return false
	}
	to, ok := f.ThreadPlace(in.A, in.Imm)
	if !ok || in.Space != ir.Thread || in.Op.IR() == ir.OpClear {
		return ok && in.Space == ir.Thread
	}
	from, ok := f.ThreadPlace(in.B, in.Imm)
	return ok && in.FromSpace == ir.Thread && from.number != to.number
}

// threadUsable reports whether thread compiles an instruction.
func (f *Facts) threadUsable(in *lir.Inst) bool {
	p := f.Program
	if in.Per != lir.Lane || in.Flags&ir.Volatile != 0 || in.Disp < -maxDisp || in.Disp > maxDisp ||
		!InVector(in.Kind) && !Wide(in.Kind) {
		return false
	}
	for _, r := range []lir.Ref{in.A, in.B, in.C, in.D} {
		if r == 0 {
			continue
		}
		switch c := p.Var(r).Class; {
		case c == lir.Mask, r == in.D && c != lir.Lane, c == lir.Affine && (r != in.B || in.Ext == lir.NoExt):
			return false
		}
	}
	_, known := f.Alloca(in.A)
	return known && f.aligned(in, int64(min(in.Kind.Size(), 4)))
}

// textureUsable reports whether texture compiles an instruction.
func textureUsable(p *lir.Program, in *lir.Inst) bool {
	if in.HIR == nil {
		return false
	}
	for _, r := range in.More {
		if v := p.Var(r); v.Class != lir.Once && (v.Class != lir.Lane || !InVector(v.Kind)) {
			return false
		}
	}
	for _, r := range in.Outs {
		if r != 0 && (p.Var(r).Class != lir.Lane || !InVector(p.Var(r).Kind)) {
			return false
		}
	}
	return p.Var(in.More[0]).Class == lir.Once
}

// queryUsable reports whether query compiles an instruction.
func queryUsable(p *lir.Program, in *lir.Inst) bool {
	return in.HIR != nil && len(in.Outs) == 1 && p.Var(in.Outs[0]).Class == lir.Once && p.Var(in.More[1]).Const
}

// indexUsable reports whether sharedIndex computes an index.
func (f *Facts) indexUsable(in *lir.Inst) bool {
	p := f.Program
	shared := func(r lir.Ref) bool { return p.Var(r).Class == lir.Once || p.Var(r).Class == lir.Affine }
	steps, known := f.Strides.Of(in.D)
	if !known || p.Var(in.D).Class != lir.Affine || !steps[0].Constant || !steps[1].Constant || !steps[2].Constant {
		return false
	}
	switch op := in.Op.IR(); op {
	case ir.OpZExt, ir.OpSExt:
		return f.isBounded(in.A) && in.From == ir.I32
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return in.Kind == ir.I64 && shared(in.A) && shared(in.B)
	case ir.OpNeg:
		return in.Kind == ir.I64 && shared(in.A)
	case ir.OpShl:
		return in.Kind == ir.I64 && shared(in.A) && p.Var(in.B).Const
	}
	return in.Op == lir.OpMov && shared(in.A)
}

// takesIndex reports whether an instruction may read an index as it is.
func (f *Facts) takesIndex(in *lir.Inst, r lir.Ref) bool {
	if in.D != 0 && f.Program.Var(in.D).Class == lir.Affine {
		switch {
		case in.Op.IR() == ir.OpTrunc:
			return truncates(f.Program, in)
		case in.Op.IR() == ir.OpOffset:
			return f.affineAddressUsable(in)
		}
		return f.indexUsable(in)
	}
	op := in.Op.IR()
	return (op == ir.OpLoad || op == ir.OpStore) && r == in.B && in.Ext == lir.NoExt && in.Per == lir.Lane &&
		in.Space != ir.Thread
}

// affineAddressUsable reports whether sharedAffine computes an affine address.
func (f *Facts) affineAddressUsable(in *lir.Inst) bool {
	p := f.Program
	steps, known := f.Strides.Of(in.D)
	for _, s := range steps {
		if !s.Constant {
			return false
		}
	}
	if a := p.Var(in.A).Class; !known || a != lir.Once && a != lir.Affine {
		return false
	}
	if in.B == 0 || p.Var(in.B).Class == lir.Once {
		return true
	}
	return f.isBounded(in.B) && in.Ext != lir.NoExt || in.Ext == lir.NoExt && p.Var(in.B).Class == lir.Affine
}

// MaxCopied is the most bytes that a lane copies between memory that lanes share.
const MaxCopied = 64
