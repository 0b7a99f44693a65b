package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
)

// texelOps are the operations of a texture's atomic method.
func texelOps(name string) ops {
	switch name {
	case "atomic_exchange":
		return ops{signed: ir.OpAtomicXchg, unsigned: ir.OpAtomicXchg}
	case "atomic_fetch_add":
		return ops{signed: ir.OpAtomicAdd, unsigned: ir.OpAtomicAdd}
	case "atomic_fetch_sub":
		return ops{signed: ir.OpAtomicSub, unsigned: ir.OpAtomicSub}
	case "atomic_fetch_and":
		return ops{signed: ir.OpAtomicAnd, unsigned: ir.OpAtomicAnd}
	case "atomic_fetch_or":
		return ops{signed: ir.OpAtomicOr, unsigned: ir.OpAtomicOr}
	case "atomic_fetch_xor":
		return ops{signed: ir.OpAtomicXor, unsigned: ir.OpAtomicXor}
	case "atomic_fetch_max", "atomic_max":
		return ops{signed: ir.OpAtomicSMax, unsigned: ir.OpAtomicUMax}
	case "atomic_fetch_min", "atomic_min":
		return ops{signed: ir.OpAtomicSMin, unsigned: ir.OpAtomicUMin}
	}
	return ops{}
}

// atomic lowers the atomic methods of textures. Their operands and results are vectors, of which
// only the first component is used.
func (a *texArgs) atomic() val {
	b := a.b
	first := func(v *ir.Value) *ir.Value { return b.Extract(v, 0) }
	whole := func(v *ir.Value) *ir.Value {
		zero := b.Const(v.Type, 0)
		return b.OpAs(ir.OpBuild, v.Type.Widen(4), v, zero, zero, zero)
	}
	if a.e.Op == builtin.OpTexAtomicStore {
		color := a.arg()
		at, layer := a.texel()
		b.OpImm(ir.OpTexAtomic, ir.TVoid, int64(ir.OpAtomicXchg), a.tex, at, layer, first(color.v))
		return val{typ: a.e.Typ}
	}
	at, layer := a.texel()
	switch a.e.Op {
	case builtin.OpTexAtomicLoad:
		return a.leaf(whole(first(b.OpImm(ir.OpTexRead, ir.TVoid, ir.TexReadAtomic, a.tex, at, layer, b.Int(ir.TI32, 0)))))
	case builtin.OpTexAtomicCompareExchange:
		p := a.out(a.next)
		expected, desired := a.load(p).v, a.args[a.next+1].v
		old, done := b.Op2(ir.OpTexAtomicCmpXchg, a.tex, at, layer, first(expected), first(desired))
		a.store(p, leafVal(p.typ, b.OpImm(ir.OpInsert, ir.TVoid, 0, expected, b.Op(ir.OpSelect, done, first(expected), old))))
		return a.leaf(done)
	}
	op := texelOps(a.e.Fn.Name).of(a.typ.Elem)
	old := b.OpImm(ir.OpTexAtomic, ir.TVoid, int64(op), a.tex, at, layer, first(a.arg().v))
	if a.e.Op == builtin.OpTexAtomicMinMax {
		return val{typ: a.e.Typ}
	}
	return a.leaf(whole(old))
}
