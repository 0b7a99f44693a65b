package build

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// address is a pointer in the form used by memory operations: root + disp + scale*ext(index).
type address struct {
	root  lir.Ref
	index lir.Ref // 0 for none
	ext   lir.Ext
	scale int64
	disp  int64
}

// address returns a pointer in that form.
func (b *builder) address(v *ir.Value) *address {
	if a := b.addrs[v.ID]; a != nil {
		return a
	}
	return &address{root: b.get(v, 0)}
}

// pointer emits the addition that turns an address into a value of the given class.
func (b *builder) pointer(a *address, class lir.Class) lir.Ref {
	if a.index == 0 && a.disp == 0 {
		return a.root
	}
	in := lir.Inst{Op: lir.Op(ir.OpOffset), Kind: ir.I64, A: a.root, B: a.index, Ext: a.ext, Scale: a.scale, Disp: a.disp}
	in.Per = b.p.Var(a.root).Class
	if a.index != 0 {
		in.Per = join(in.Per, b.p.Var(a.index).Class)
		in.B = b.as(a.index, in.Per)
	}
	in.A = b.as(a.root, in.Per)
	in.D = b.p.NewVar(in.Per, ir.I64)
	b.emit(in)
	return in.D
}

// addressing lowers the pointer arithmetic that memory operations do not do themselves.
func (b *builder) addressing(in *ir.Instr) {
	r := in.Results[0]
	a := *b.address(in.Args[0])
	if in.Op == ir.OpField {
		a.disp += in.Imm
	} else {
		b.advance(&a, in)
	}
	if b.plain[r.ID] {
		b.vals[r.ID][0] = b.pointer(&a, b.of[r.ID][0])
		return
	}
	b.addrs[r.ID] = &a
}

// advance adds Imm times the second operand of an Offset to an address.
func (b *builder) advance(a *address, in *ir.Instr) {
	v := in.Args[1]
	if def := v.Def; def != nil && def.Op == ir.OpConst {
		a.disp += int64(def.Lane(0)) * in.Imm
		return
	}
	next := address{scale: in.Imm}
	next.index, next.ext = b.narrow(v)
	if a.index == 0 {
		a.index, a.ext, a.scale = next.index, next.ext, next.scale
		return
	}
	// There are two indices: the more widely shared one goes into the root.
	if b.p.Var(next.index).Class < b.p.Var(a.index).Class {
		next.root, next.disp = a.root, 0
		a.root = b.pointer(&next, 0)
		return
	}
	inner := *a
	inner.disp = 0
	a.root = b.pointer(&inner, 0)
	a.index, a.ext, a.scale = next.index, next.ext, next.scale
}

// narrow returns a 64-bit index, or the 32-bit one that it was extended from. One of fewer bits is
// extended to 32: engines work on those faster.
func (b *builder) narrow(v *ir.Value) (lir.Ref, lir.Ext) {
	def := v.Def
	if def == nil || def.Op != ir.OpZExt && def.Op != ir.OpSExt {
		return b.get(v, 0), lir.NoExt
	}
	ext := lir.ZExt
	if def.Op == ir.OpSExt {
		ext = lir.SExt
	}
	switch from := def.Args[0].Type.Kind; {
	case isIndex(def):
		return b.get(def.Args[0], 0), ext
	case from == ir.I8 || from == ir.I16:
		return b.op(def.Op, from, ir.I32, b.get(def.Args[0], 0)), ext
	}
	return b.get(v, 0), lir.NoExt
}

// at returns a memory instruction for an address. Values may be of any class; the engine handles
// them all.
func (b *builder) at(in *ir.Instr, ptr *ir.Value) lir.Inst {
	a := b.address(ptr)
	return lir.Inst{Op: lir.Op(in.Op), Space: ptr.Type.Space, Order: in.Order, Flags: in.Flags, Mask: b.mask,
		A: a.root, B: a.index, Ext: a.ext, Scale: a.scale, Disp: a.disp}
}

// perAddress returns the class of the memory at an address.
func (b *builder) perAddress(in *lir.Inst) lir.Class {
	if in.Space == ir.Thread {
		return lir.Lane
	}
	per := flat(b.p.Var(in.A).Class)
	if in.B != 0 {
		per = join(per, flat(b.p.Var(in.B).Class))
	}
	return per
}

// access lowers a load or store, component by component.
func (b *builder) access(in *ir.Instr) {
	li := b.at(in, in.Args[0])
	li.Per = b.perAddress(&li)
	if in.Op == ir.OpLoad {
		r := in.Results[0]
		out := b.define(r)
		li.Kind = kindOf(r.Type)
		for comp := range r.Type.Lanes() {
			next := li
			next.D = out[comp]
			next.Disp += int64(comp * li.Kind.Size())
			next.Comp = uint8(comp)
			b.emit(next)
		}
		return
	}
	v := in.Args[1]
	li.Kind = kindOf(v.Type)
	for comp := range v.Type.Lanes() {
		next := li
		next.C = b.get(v, comp)
		next.Disp += int64(comp * li.Kind.Size())
		next.Comp = uint8(comp)
		if next.Per != lir.Lane {
			next.Per = join(next.Per, flat(b.p.Var(next.C).Class))
		}
		next.C = b.as(next.C, next.Per)
		b.emit(next)
	}
}

// bytes lowers copy and clear: Imm bytes at the address A, from the address B in FromSpace.
func (b *builder) bytes(in *ir.Instr) {
	li := lir.Inst{Op: lir.Op(in.Op), Kind: ir.I8, Per: lir.Lane, Space: in.Args[0].Type.Space, Mask: b.mask, Imm: in.Imm,
		Flags: in.Flags}
	li.A = b.as(b.get(in.Args[0], 0), lir.Lane)
	if len(in.Args) > 1 {
		li.B = b.as(b.get(in.Args[1], 0), lir.Lane)
		li.FromSpace = in.Args[1].Type.Space
	}
	b.emit(li)
}

// atomic lowers an atomic operation: the address, and then the operands in C and More. All lanes of
// the mask act, in ascending order.
func (b *builder) atomic(in *ir.Instr) {
	li := b.at(in, in.Args[0])
	li.Per = lir.Lane
	if len(in.Args) > 1 {
		li.Kind = in.Args[1].Type.Kind
		li.C = b.as(b.get(in.Args[1], 0), lir.Lane)
	} else {
		li.Kind = in.Results[0].Type.Kind
	}
	for _, a := range in.Args[min(2, len(in.Args)):] {
		li.More = append(li.More, b.as(b.get(a, 0), lir.Lane))
	}
	if in.Op == ir.OpAtomicLoad {
		li.Per = b.perAddress(&li)
	}
	for i, r := range in.Results {
		*[...]*lir.Ref{&li.D, &li.D2}[i] = b.define(r)[0]
	}
	b.emit(li)
}
