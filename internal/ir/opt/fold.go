package opt

import "github.com/puremetal/puremetal/internal/ir"

// fold evaluates operations on constants, and resolves branches on them.
func fold(s *session) {
	w := newRewriter(s)
	w.visit = func(in *ir.Instr) bool { return w.fold(in) }
	w.rewrite()
}

// fold replaces an instruction with its result, if that is known.
func (w *rewriter) fold(in *ir.Instr) bool {
	if in.Op == ir.OpIf {
		if c, ok := allLanes(in.Args[0]); ok {
			w.splice(in, in.Regions[1-c&1])
			return true
		}
		return false
	}
	if !in.Op.Info().Has(ir.Pure) || in.Op == ir.OpConst || len(in.Args) == 0 {
		return false
	}
	for _, a := range in.Args {
		if !isConst(a) {
			return false
		}
	}
	lanes, ok := evaluate(in, w.o)
	if !ok {
		return false
	}
	for i, r := range in.Results {
		w.replace(r, w.constant(r.Type, lanes[i][:r.Type.Lanes()]...))
	}
	return true
}

// evaluate returns the lanes of the results of an operation on constants.
func evaluate(in *ir.Instr, o *Options) (out [2][4]uint64, ok bool) {
	a := in.Args[0]
	lane := func(i, l int) uint64 {
		v := in.Args[i]
		return v.Def.Lane(min(l, v.Type.Lanes()-1))
	}
	if len(in.Results) == 0 || in.Results[0].Type.Kind.Bits() == 0 {
		return out, false
	}
	t := in.Results[0].Type
	info := in.Op.Info()
	switch {
	case info.Has(ir.Approx), in.Flags&ir.Fast != 0:
		return out, false // an engine may have its own, faster way
	case info.Has(ir.Lanewise):
		for l := range t.Lanes() {
			var x [4]uint64
			for i := range in.Args {
				x[i] = lane(i, l)
			}
			r := o.Scalar(in.Op, a.Type.Kind, t.Kind, x)
			out[0][l], out[1][l] = r[0], r[1]
		}
		return out, true
	}
	switch in.Op {
	case ir.OpSelect:
		for l := range t.Lanes() {
			out[0][l] = lane(2-int(lane(0, l)&1), l)
		}
	case ir.OpBuild:
		for l := range t.Lanes() {
			out[0][l] = lane(l, 0)
		}
	case ir.OpSplat:
		for l := range t.Lanes() {
			out[0][l] = lane(0, 0)
		}
	case ir.OpExtract:
		out[0][0] = lane(0, int(in.Imm))
	case ir.OpInsert:
		for l := range t.Lanes() {
			out[0][l] = lane(0, l)
		}
		out[0][in.Imm] = lane(1, 0)
	case ir.OpSwizzle:
		n := uint64(a.Type.Lanes())
		for l := range t.Lanes() {
			if p := in.Lane(l); p < n {
				out[0][l] = lane(0, int(p))
			} else {
				out[0][l] = lane(1, int(p-n))
			}
		}
	case ir.OpExtractDyn:
		if l := uint32(lane(1, 0)); int64(l) < int64(a.Type.Lanes()) {
			out[0][0] = lane(0, int(l))
		}
	case ir.OpInsertDyn:
		for l := range t.Lanes() {
			out[0][l] = lane(0, l)
			if uint32(lane(2, 0)) == uint32(l) {
				out[0][l] = lane(1, 0)
			}
		}
	case ir.OpAnyTrue, ir.OpAllTrue:
		any, all := uint64(0), uint64(1)
		for l := range a.Type.Lanes() {
			any, all = any|lane(0, l), all&lane(0, l)
		}
		out[0][0] = any
		if in.Op == ir.OpAllTrue {
			out[0][0] = all
		}
	case ir.OpBitcast:
		from, to := a.Type.Kind.Bits(), t.Kind.Bits()
		if a.Type.Kind == ir.I1 || t.Kind == ir.I1 {
			return out, false
		}
		for bit := range t.Lanes() * to {
			out[0][bit/to] |= lane(0, bit/from) >> (bit % from) & 1 << (bit % to)
		}
	default:
		return out, false
	}
	return out, true
}
