package opt

import "github.com/puremetal/puremetal/internal/ir"

// addresses moves constants out of the indices of addresses, so that the engine adds them for free,
// and to the end of a chain, so that addresses that differ only in a constant share the rest. An
// address's arithmetic is modulo 2^40, so that the order of additions does not matter.
func addresses(s *session) {
	w, z := newRewriter(s), &zeros{known: map[*ir.Value]int{}}
	w.visit = func(in *ir.Instr) bool {
		switch in.Op {
		case ir.OpField:
			if base := in.Args[0].Def; base != nil && base.Op == ir.OpField {
				in.Args[0], in.Imm, w.changed = base.Args[0], in.Imm+base.Imm, true
			}
			if in.Imm == 0 {
				w.replace(in.Results[0], in.Args[0])
				return true
			}
		case ir.OpOffset:
			return w.offset(in, z)
		}
		return false
	}
	w.rewrite()
}

// offset rewrites an address plus a multiple of an index.
func (w *rewriter) offset(in *ir.Instr, z *zeros) bool {
	base, index, scale, disp := in.Args[0], in.Args[1], in.Imm, int64(0)
	for def := base.Def; def != nil && def.Op == ir.OpField; def = base.Def {
		base, disp = def.Args[0], disp+def.Imm
	}
	for index != nil {
		if c, ok := allLanes(index); ok {
			disp, index = disp+int64(c)*scale, nil
			break
		}
		def := index.Def
		if def != nil {
			if x, c := z.addend(def); x != nil {
				index, disp = w.op(def.Op, index.Type, 0, x), disp+int64(c)*scale
				continue
			}
		}
		if def == nil || len(def.Args) != 2 {
			break
		}
		c, ok := allLanes(def.Args[1])
		x := def.Args[0]
		if !ok && (def.Op == ir.OpAdd || def.Op == ir.OpMul) {
			c, ok = allLanes(x)
			x = def.Args[1]
		}
		if !ok {
			break
		}
		switch {
		case def.Op == ir.OpAdd:
			index, disp = x, disp+int64(c)*scale
		case def.Op == ir.OpSub:
			index, disp = x, disp-int64(c)*scale
		case def.Op == ir.OpMul && small(int64(c)) && small(scale):
			index, scale = x, scale*int64(c)
		case def.Op == ir.OpShl && c < 16 && small(scale):
			index, scale = x, scale<<c
		default:
			ok = false
		}
		if !ok {
			break
		}
	}
	if base == in.Args[0] && index == in.Args[1] {
		return false
	}
	if index != nil {
		base = w.op(ir.OpOffset, base.Type, scale, base, index)
	}
	if disp != 0 {
		base = w.op(ir.OpField, base.Type, disp, base)
	}
	w.replace(in.Results[0], base)
	return true
}

// small numbers have products that the engine's affine addresses can hold.
func small(x int64) bool { return x > -1<<15 && x < 1<<15 }
