package opt

import "github.com/puremetal/puremetal/internal/ir"

// redundant replaces loop parameters that never change, and results of constructs that are the same
// however the construct is exited. It also inlines blocks that nothing leaves before their end, and
// turns loops that are never continued into blocks.
func redundant(s *session) {
	e := endsOf(s)
	w := newRewriter(s)
	w.visit = func(in *ir.Instr) bool {
		switch in.Op {
		case ir.OpLoop:
			w.parameters(in, e)
			if len(e.continues[in]) == 0 {
				for i, p := range in.Regions[0].Params {
					w.replace(p, in.Args[i])
				}
				in.Op, in.Imm, in.Args, in.Regions[0].Params, w.changed = ir.OpBlock, 0, nil, nil, true
			}
		case ir.OpBlock:
			body := in.Regions[0]
			if rs := e.results[in]; len(rs) == 1 && rs[0] == body.Instrs[len(body.Instrs)-1] {
				w.splice(in, body)
				return true
			}
		}
		return false
	}
	w.after = func(in *ir.Instr) {
		for i, r := range in.Results {
			if v := w.same(e.results[in], i, r); v != nil && visible(v, in) {
				w.replace(r, v)
			}
		}
	}
	w.rewrite()
}

// parameters replaces the parameters of a loop for which every continue passes either the parameter
// itself or its initial value.
func (w *rewriter) parameters(in *ir.Instr, e *ends) {
	for i, p := range in.Regions[0].Params {
		init, fixed := in.Args[i], true
		for _, c := range e.continues[in] {
			v := w.of(c.Args[i])
			fixed = fixed && (v == p || v == init)
		}
		if fixed {
			w.replace(p, init)
		}
	}
}

// same returns the value that all terminators supply for result i, or nil if they differ.
func (w *rewriter) same(list []*ir.Instr, i int, r *ir.Value) *ir.Value {
	var v *ir.Value
	for _, t := range list {
		switch a := w.of(t.Args[i]); {
		case v == nil:
			v = a
		case v != a:
			return nil
		}
	}
	return v
}
