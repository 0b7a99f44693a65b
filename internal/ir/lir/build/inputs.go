package build

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// input lowers a thread's position in the launch. Inputs fixed by the shape become constants.
func (b *builder) input(in *ir.Instr) {
	r := in.Results[0]
	for comp := range r.Type.Lanes() {
		b.vals[r.ID][comp] = b.inputComponent(ir.Input(in.Imm), comp)
	}
}

func (b *builder) inputComponent(in ir.Input, comp int) lir.Ref {
	shape := b.shape
	threads := shape[0] * shape[1] * shape[2]
	word := func(n int) lir.Ref { return b.constant(ir.I32, uint64(n)) }
	switch in {
	case ir.ThreadPositionInThreadgroup:
		return b.position(comp)
	case ir.ThreadPositionInGrid:
		// Threadgroups cut off by the grid's edge are as far apart as the others.
		group := b.uniform(ir.ThreadgroupPositionInGrid, comp)
		first := b.op(ir.OpMul, ir.I32, ir.I32, group, b.uniform(ir.DispatchThreadsPerThreadgroup, comp))
		if shape[comp] == 1 {
			return first
		}
		return b.affineOp(ir.OpAdd, b.position(comp), first)
	case ir.ThreadIndexInThreadgroup:
		return b.index()
	case ir.ThreadIndexInSimdgroup:
		if shape[0] == lir.SimdWidth {
			return b.position(0)
		}
		return b.lanes(ir.OpAnd, lir.SimdWidth-1)
	case ir.ThreadIndexInQuadgroup:
		return b.lanes(ir.OpAnd, 3)
	case ir.QuadgroupIndexInThreadgroup:
		return b.lanes(ir.OpLShr, 2)
	case ir.ThreadsPerThreadgroup:
		return word(shape[comp])
	case ir.SimdgroupsPerThreadgroup:
		return word((threads + lir.SimdWidth - 1) / lir.SimdWidth)
	case ir.QuadgroupsPerThreadgroup:
		return word((threads + 3) / 4)
	case ir.ThreadsPerSimdgroup, ir.ThreadExecutionWidth:
		return word(lir.SimdWidth)
	case ir.SimdgroupIndexInThreadgroup:
		r := b.p.NewVar(b.simd(), ir.I32)
		b.emit(lir.Inst{Op: lir.Op(ir.OpIn), Kind: ir.I32, Per: lir.Simd, D: r, Imm: int64(in)})
		return r
	}
	return b.uniform(in, comp)
}

// uniform emits an input that all threads of a threadgroup share: component Disp of input Imm.
func (b *builder) uniform(in ir.Input, comp int) lir.Ref {
	r := b.p.NewVar(lir.Once, ir.I32)
	b.emit(lir.Inst{Op: lir.Op(ir.OpIn), Kind: ir.I32, D: r, Imm: int64(in), Disp: int64(comp)})
	return r
}

// position emits the thread's coordinate in the threadgroup.
func (b *builder) position(axis int) lir.Ref {
	if b.shape[axis] == 1 {
		return b.constant(ir.I32, 0)
	}
	r := b.p.NewVar(lir.Affine, ir.I32)
	b.emit(lir.Inst{Op: lir.OpPos, Kind: ir.I32, Per: lir.Affine, D: r, Imm: int64(axis)})
	return r
}

// index emits the thread's index in the threadgroup.
func (b *builder) index() lir.Ref {
	sum := b.position(0)
	stride := b.shape[0]
	for axis := 1; axis < 3; axis++ {
		if b.shape[axis] > 1 {
			x := b.affineOp(ir.OpMul, b.position(axis), b.constant(ir.I32, uint64(stride)))
			sum = b.affineOp(ir.OpAdd, x, sum)
		}
		stride *= b.shape[axis]
	}
	return sum
}

// lanes emits an operation on the thread's index and a constant.
func (b *builder) lanes(op ir.Op, by uint64) lir.Ref {
	r := b.p.NewVar(lir.Lane, ir.I32)
	b.emit(lir.Inst{Op: lir.Op(op), Kind: ir.I32, Per: lir.Lane, D: r, A: b.as(b.index(), lir.Lane),
		B: b.constant(ir.I32, by)})
	return r
}

// affineOp emits an operation with operands that may be affine.
func (b *builder) affineOp(op ir.Op, x, y lir.Ref) lir.Ref {
	per := join(b.p.Var(x).Class, b.p.Var(y).Class)
	r := b.p.NewVar(per, ir.I32)
	b.emit(lir.Inst{Op: lir.Op(op), Kind: ir.I32, Per: per, D: r, A: x, B: y})
	return r
}

// outside lowers values provided by the launch, the module or the function.
func (b *builder) outside(in *ir.Instr) {
	r := in.Results[0]
	out := b.define(r)
	for comp := range r.Type.Lanes() {
		li := lir.Inst{Op: lir.Op(in.Op), Kind: kindOf(r.Type), Per: b.of[r.ID][comp], D: out[comp], Imm: in.Imm,
			Disp: int64(comp)}
		if len(in.Args) > 0 {
			li.A = b.operand(in.Args[0], 0, li.Per)
		}
		if in.Op == ir.OpAlloca {
			li.Imm = int64(len(b.p.Allocas))
			b.p.Allocas = append(b.p.Allocas, b.p.ThreadBytes)
			b.p.AllocaSizes = append(b.p.AllocaSizes, int(in.Imm))
			b.p.ThreadBytes += (int(in.Imm) + 15) &^ 15
		}
		b.emit(li)
	}
}
