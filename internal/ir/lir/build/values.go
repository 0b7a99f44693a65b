package build

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// uses records which pointers and indices are needed as values, and which affine values as columns.
func (b *builder) uses() {
	b.plain = make([]bool, b.f.NumValues())
	b.f.Body.Walk(func(in *ir.Instr) bool {
		for i, a := range in.Args {
			if !addresses(in, i) {
				b.plain[a.ID] = true
			}
			if !b.keepsAffine(in, i) {
				b.column[a.ID] = true
			}
		}
		return true
	})
}

// addresses reports whether operand i of an instruction is used as an address, or as an index in
// one, so that it is not needed as a value.
func addresses(in *ir.Instr, i int) bool {
	switch in.Op {
	case ir.OpLoad, ir.OpStore, ir.OpField:
		return i == 0
	case ir.OpOffset:
		return true
	}
	return in.Op.Info().Has(ir.Atomic) && i == 0 && in.Args[0].Type.Kind == ir.Pointer
}

// keepsAffine reports whether an instruction can take an affine operand i as it is.
func (b *builder) keepsAffine(in *ir.Instr, i int) bool {
	switch in.Op {
	case ir.OpLoad, ir.OpStore, ir.OpField, ir.OpOffset:
		return addresses(in, i)
	case ir.OpExtract, ir.OpInsert, ir.OpBuild, ir.OpSwizzle, ir.OpSplat:
		return true
	case ir.OpIf, ir.OpLoop, ir.OpBlock, ir.OpYield, ir.OpBreak, ir.OpContinue:
		return true
	}
	return len(in.Results) == 1 && b.of[in.Results[0].ID][0] == lir.Affine
}

// instr lowers an instruction.
func (b *builder) instr(in *ir.Instr) {
	switch op := in.Op; {
	case op == ir.OpIf:
		b.lowerIf(in)
	case op == ir.OpLoop:
		b.lowerLoop(in)
	case op == ir.OpBlock:
		b.lowerBlock(in)
	case op == ir.OpBreak, op == ir.OpContinue, op == ir.OpReturn, op == ir.OpUnreachable:
		b.branch(in)
	case op == ir.OpYield:
	default:
		b.value(in)
		for _, r := range in.Results {
			for i := range r.Type.Lanes() {
				if b.of[r.ID][i] == lir.Affine && b.column[r.ID] && b.vals[r.ID][i] != 0 {
					b.move(b.vals[r.ID][i], lir.Lane)
				}
			}
		}
	}
}

// value lowers an instruction that is not control flow.
func (b *builder) value(in *ir.Instr) {
	info := in.Op.Info()
	switch op := in.Op; {
	case op == ir.OpConst:
		b.constants(in)
	case op == ir.OpIn:
		b.input(in)
	case op == ir.OpArg, op == ir.OpFConst, op == ir.OpFConstDefined, op == ir.OpGlobalAddr, op == ir.OpSharedAddr,
		op == ir.OpSamplerConst, op == ir.OpAlloca:
		b.outside(in)
	case op == ir.OpBuild, op == ir.OpSplat, op == ir.OpExtract, op == ir.OpInsert, op == ir.OpSwizzle,
		op == ir.OpExtractDyn, op == ir.OpInsertDyn,
		op == ir.OpAnyTrue, op == ir.OpAllTrue, op == ir.OpBitcast, op == ir.OpPtrToInt, op == ir.OpIntToPtr:
		b.vector(in)
	case op == ir.OpSelect:
		b.selects(in)
	case op == ir.OpOffset, op == ir.OpField:
		b.addressing(in)
	case op == ir.OpLoad, op == ir.OpStore:
		b.access(in)
	case op == ir.OpCopy, op == ir.OpClear:
		b.bytes(in)
	case op.IsBarrier():
		b.emit(lir.Inst{Op: lir.Op(op), A: b.ret, Mask: b.mask, Mem: in.Mem, More: slices.Clone(b.rounds)})
	case op == ir.OpSimdBarrier, op == ir.OpFence, op == ir.OpTexFence:
		b.emit(lir.Inst{Op: lir.Op(op), Mask: b.mask, Mem: in.Mem, Order: in.Order})
	case len(in.Args) > 0 && in.Args[0].Type.Kind == ir.Texture:
		b.texture(in)
	case info.Has(ir.Atomic):
		b.atomic(in)
	case info.Has(ir.Lanewise):
		b.lanewise(in)
	case info.Group == ir.MatrixOps:
		b.matrix(in)
	case op == ir.OpSimdHold:
		b.hold(in)
	case info.Has(ir.Convergent):
		b.amongLanes(in)
	default:
		b.many(in)
	}
}

func (b *builder) constants(in *ir.Instr) {
	r := in.Results[0]
	for i := range r.Type.Lanes() {
		b.vals[r.ID][i] = b.constant(r.Type.Kind, in.Lane(i))
	}
}

// operand returns a component of an operand for an instruction on elements of class per. A scalar
// is used for all components.
func (b *builder) operand(v *ir.Value, comp int, per lir.Class) lir.Ref {
	return b.as(b.get(v, min(comp, v.Type.Lanes()-1)), per)
}

// lanewise lowers an operation that works component by component.
func (b *builder) lanewise(in *ir.Instr) {
	from, to := in.Args[0].Type.Kind, in.Results[0].Type.Kind
	if !b.plain[in.Results[0].ID] && isIndex(in) {
		return // narrow takes what it extends
	}
	if b.fold(in) {
		return
	}
	var outs [2][4]lir.Ref
	for i, r := range in.Results {
		outs[i] = b.define(r)
	}
	for comp := range in.Results[0].Type.Lanes() {
		per := b.of[in.Results[0].ID][comp]
		li := lir.Inst{Op: lir.Op(in.Op), Kind: kindOf(in.Args[0].Type), Per: per, Flags: in.Flags, D: outs[0][comp],
			D2: outs[1][comp], Comp: uint8(comp)}
		if in.Op.Group() == ir.ConversionOps {
			li.From, li.Kind = from, to
		}
		for i, a := range in.Args {
			r := b.operand(a, comp, per)
			switch i {
			case 0:
				li.A = r
			case 1:
				li.B = r
			case 2:
				li.C = r
			default:
				li.More = append(li.More, r)
			}
		}
		b.emit(li)
	}
}

// isIndex reports whether an instruction extends an i32 to the i64 that addresses are computed
// with.
func isIndex(in *ir.Instr) bool {
	return (in.Op == ir.OpZExt || in.Op == ir.OpSExt) && in.Args[0].Type == ir.TI32 && in.Results[0].Type == ir.TI64
}

func (b *builder) selects(in *ir.Instr) {
	r := in.Results[0]
	out := b.define(r)
	for comp := range r.Type.Lanes() {
		per := b.of[r.ID][comp]
		b.emit(lir.Inst{Op: lir.Op(in.Op), Kind: kindOf(r.Type), Per: per, D: out[comp],
			A: b.operand(in.Args[0], comp, per), B: b.operand(in.Args[1], comp, per), C: b.operand(in.Args[2], comp, per)})
	}
}

// op emits an operation with one result on values of any class, and returns the result.
func (b *builder) op(op ir.Op, k ir.Kind, result ir.Kind, args ...lir.Ref) lir.Ref {
	per := lir.Once
	for _, a := range args {
		per = join(per, flat(b.p.Var(a).Class))
	}
	in := lir.Inst{Op: lir.Op(op), Kind: k, Per: per}
	if op.Group() == ir.ConversionOps {
		in.From, in.Kind = k, result
	}
	for i, a := range args {
		*[...]*lir.Ref{&in.A, &in.B, &in.C}[i] = b.as(a, per)
	}
	in.D = b.p.NewVar(per, result)
	b.emit(in)
	return in.D
}

func (b *builder) vector(in *ir.Instr) {
	r := in.Results[0]
	out := &b.vals[r.ID]
	n := r.Type.Lanes()
	a := in.Args[0]
	switch in.Op {
	case ir.OpBuild:
		for i, a := range in.Args {
			out[i] = b.get(a, 0)
		}
	case ir.OpSplat:
		for i := range n {
			out[i] = b.get(a, 0)
		}
	case ir.OpExtract:
		out[0] = b.get(a, int(in.Imm))
	case ir.OpInsert:
		for i := range n {
			out[i] = b.get(a, i)
		}
		out[in.Imm] = b.get(in.Args[1], 0)
	case ir.OpSwizzle:
		for i := range n {
			v, lane := swizzled(in, i)
			out[i] = b.get(v, lane)
		}
	case ir.OpExtractDyn:
		at := b.get(in.Args[1], 0)
		res := b.constant(r.Type.Kind, 0)
		for i := range a.Type.Lanes() {
			is := b.op(ir.OpEq, ir.I32, ir.I1, at, b.constant(ir.I32, uint64(i)))
			res = b.op(ir.OpSelect, r.Type.Kind, r.Type.Kind, is, b.get(a, i), res)
		}
		out[0] = res
	case ir.OpInsertDyn:
		at, x := b.get(in.Args[2], 0), b.get(in.Args[1], 0)
		for i := range n {
			is := b.op(ir.OpEq, ir.I32, ir.I1, at, b.constant(ir.I32, uint64(i)))
			out[i] = b.op(ir.OpSelect, r.Type.Kind, r.Type.Kind, is, x, b.get(a, i))
		}
	case ir.OpAnyTrue, ir.OpAllTrue:
		op := ir.OpOr
		if in.Op == ir.OpAllTrue {
			op = ir.OpAnd
		}
		res := b.get(a, 0)
		for i := 1; i < a.Type.Lanes(); i++ {
			res = b.op(op, ir.I1, ir.I1, res, b.get(a, i))
		}
		out[0] = res
	case ir.OpPtrToInt, ir.OpIntToPtr:
		out[0] = b.get(a, 0)
	case ir.OpBitcast:
		b.bitcast(a, r)
	}
}

// intKind returns the integer kind with the given number of bits.
func intKind(bits int) ir.Kind {
	switch bits {
	case 8:
		return ir.I8
	case 16:
		return ir.I16
	case 32:
		return ir.I32
	}
	return ir.I64
}

// bits reinterprets a number as an integer of the same width, or an integer as a number.
func (b *builder) bits(r lir.Ref, from, to ir.Kind) lir.Ref {
	if from == to {
		return r
	}
	per := flat(b.p.Var(r).Class)
	d := b.p.NewVar(per, to)
	b.emit(lir.Inst{Op: lir.Op(ir.OpBitcast), From: from, Kind: to, Per: per, D: d, A: b.as(r, per)})
	return d
}

// bitcast splits or joins components if their widths differ.
func (b *builder) bitcast(a, r *ir.Value) {
	out := &b.vals[r.ID]
	from, to := a.Type.Kind, r.Type.Kind
	w, v := from.Bits(), to.Bits()
	wide, narrow := intKind(w), intKind(v)
	switch {
	case w == v:
		for i := range r.Type.Lanes() {
			out[i] = b.bits(b.get(a, i), from, to)
		}
	case w > v:
		for i := range r.Type.Lanes() {
			x := b.bits(b.get(a, i*v/w), from, wide)
			if shift := i * v % w; shift > 0 {
				x = b.op(ir.OpLShr, wide, wide, x, b.constant(wide, uint64(shift)))
			}
			out[i] = b.bits(b.op(ir.OpTrunc, wide, narrow, x), narrow, to)
		}
	default:
		for i := range r.Type.Lanes() {
			var sum lir.Ref
			for k := range v / w {
				x := b.op(ir.OpZExt, wide, narrow, b.bits(b.get(a, i*v/w+k), from, wide))
				if k == 0 {
					sum = x
					continue
				}
				x = b.op(ir.OpShl, narrow, narrow, x, b.constant(narrow, uint64(k*w)))
				sum = b.op(ir.OpOr, narrow, narrow, sum, x)
			}
			out[i] = b.bits(sum, narrow, to)
		}
	}
}
