package build

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// amongLanes lowers an operation among the lanes of a simdgroup or quad, component by component.
func (b *builder) amongLanes(in *ir.Instr) {
	r := in.Results[0]
	out := b.define(r)
	held := b.readsHeld(in)
	for comp := range r.Type.Lanes() {
		li := lir.Inst{Op: lir.Op(in.Op), Kind: kindOf(r.Type), Per: lir.Lane, D: out[comp], Mask: b.mask}
		if in.Op.Info().Has(ir.SimdUniform) {
			li.Per = lir.Simd
		}
		for i, a := range in.Args {
			if i == 0 {
				li.Kind = kindOf(a.Type)
			}
			ref := b.as(b.get(a, min(comp, a.Type.Lanes()-1)), lir.Lane)
			if li.Held = held; held && i < in.Op.Exchanged() {
				ref = b.held[a.Def.Imm][comp]
			}
			if i < 3 {
				*[...]*lir.Ref{&li.A, &li.B, &li.C}[i] = ref
			} else {
				li.More = append(li.More, ref)
			}
		}
		b.emit(li)
	}
}

// register makes the variables of a register of lanes, with 0 in all lanes.
func (b *builder) register(in *ir.Instr) {
	if _, ok := b.held[in.Imm]; ok {
		return
	}
	var refs [4]lir.Ref
	t := in.Results[0].Type
	for comp := range t.Lanes() {
		refs[comp] = b.p.NewVar(lir.Lane, t.Kind)
		b.add(lir.Inst{Op: lir.OpMov, Kind: t.Kind, Per: lir.Lane, D: refs[comp], A: b.constant(t.Kind, 0)})
	}
	if b.held == nil {
		b.held = map[int64][4]lir.Ref{}
	}
	b.held[in.Imm] = refs
}

// hold sets a register of the active lanes. Only shuffles read it; the value itself is the operand.
func (b *builder) hold(in *ir.Instr) {
	x, r := in.Args[0], in.Results[0]
	for comp := range r.Type.Lanes() {
		b.vals[r.ID][comp] = b.get(x, comp)
		li := lir.Inst{Op: lir.OpMov, Kind: r.Type.Kind, Per: lir.Lane, D: b.held[in.Imm][comp],
			A: b.as(b.vals[r.ID][comp], lir.Lane)}
		if b.mask != 0 {
			li.Op, li.Mask = lir.OpMerge, b.mask
		}
		b.add(li)
	}
}

// readsHeld reports whether a shuffle reads registers of lanes that are not active.
func (b *builder) readsHeld(in *ir.Instr) bool {
	if b.mask == 0 || !in.Op.Exchanges() {
		return false
	}
	def := in.Args[0].Def
	return def != nil && def.Op == ir.OpSimdHold
}

// matrix lowers an operation on matrices: matrices and numbers go into A, B and C. For loads and
// stores, the address goes into A and the three numbers into More; they are Once, Simd or Lane.
func (b *builder) matrix(in *ir.Instr) {
	li := lir.Inst{Op: lir.Op(in.Op), Per: lir.Lane, Mask: b.mask, Flags: in.Flags}
	args := in.Args
	switch in.Op {
	case ir.OpMatLoad:
		li = b.at(in, args[0])
		li.Per, li.Kind = lir.Lane, in.Results[0].Type.Elem
		args = args[1:]
	case ir.OpMatStore:
		li = b.at(in, args[1])
		li.Per, li.Kind, li.C = lir.Lane, args[0].Type.Elem, b.get(args[0], 0)
		args = args[2:]
	}
	if in.Op == ir.OpMatLoad || in.Op == ir.OpMatStore {
		for _, a := range args {
			li.More = append(li.More, b.flat(b.get(a, 0)))
		}
	} else {
		i := 0
		for _, a := range args {
			for comp := range a.Type.Lanes() {
				*[...]*lir.Ref{&li.A, &li.B, &li.C}[i] = b.as(b.get(a, comp), lir.Lane)
				i++
			}
		}
		if t := args[0].Type; t.Kind == ir.Matrix {
			li.Kind = t.Elem
		} else {
			li.Kind = t.Kind
		}
	}
	if r := in.Result(); r != nil {
		refs := b.define(r)
		li.D, li.D2 = refs[0], refs[1]
	}
	b.emit(li)
}

// flat returns a value with the same sharing between lanes, but not in affine form.
func (b *builder) flat(r lir.Ref) lir.Ref {
	if c := b.p.Var(r).Class; c == lir.Affine {
		return b.as(r, lir.Lane)
	}
	return r
}

// texture lowers an operation on a texture: all operands, component by component, in More; all
// results in Outs.
func (b *builder) texture(in *ir.Instr) {
	li := b.all(in)
	li.Kind = in.Args[0].Type.Elem
	b.emit(li)
}

// many lowers the remaining operations, whose operands the engine reads itself.
func (b *builder) many(in *ir.Instr) { b.emit(b.all(in)) }

func (b *builder) all(in *ir.Instr) lir.Inst {
	li := lir.Inst{Op: lir.Op(in.Op), Per: lir.Lane, Mask: b.mask, Imm: in.Imm, Order: in.Order, Flags: in.Flags}
	for _, r := range in.Results {
		refs := b.define(r)
		li.Outs = append(li.Outs, refs[:r.Type.Lanes()]...)
	}
	if r := in.Result(); r != nil {
		li.Per = b.of[r.ID][0]
	}
	for _, a := range in.Args {
		for comp := range a.Type.Lanes() {
			li.More = append(li.More, b.as(b.get(a, comp), li.Per))
		}
	}
	return li
}
