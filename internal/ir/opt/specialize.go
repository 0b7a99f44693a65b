package opt

import "github.com/puremetal/puremetal/internal/ir"

// specialize replaces function constants with their values, where those are given.
func specialize(s *session) {
	o := s.o
	w := newRewriter(s)
	w.visit = func(in *ir.Instr) bool {
		if in.Op != ir.OpFConst && in.Op != ir.OpFConstDefined || int(in.Imm) >= len(o.Constants) ||
			!o.Constants[in.Imm].Given {
			return false
		}
		c := &o.Constants[in.Imm]
		t := in.Results[0].Type
		lanes := c.Lanes[:t.Lanes()]
		switch {
		case in.Op == ir.OpFConstDefined && c.Defined:
			lanes = []uint64{1}
		case !c.Defined:
			lanes = []uint64{0}
		}
		w.replace(in.Results[0], w.constant(t, lanes...))
		return true
	}
	w.rewrite()
}
