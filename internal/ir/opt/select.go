package opt

import "github.com/puremetal/puremetal/internal/ir"

// mostSelected is the maximum number of operations, on both sides of a branch together, that may
// become unconditional.
const mostSelected = 8

// selects turns branches into selects if both sides contain only a few cheap operations.
func selects(s *session) {
	w := newRewriter(s)
	w.visit = func(in *ir.Instr) bool {
		if in.Op != ir.OpIf || !selectable(in) {
			return false
		}
		a, b := in.Regions[0].Instrs, in.Regions[1].Instrs
		w.list(a[:len(a)-1])
		w.list(b[:len(b)-1])
		for i, r := range in.Results {
			x, y := w.of(a[len(a)-1].Args[i]), w.of(b[len(b)-1].Args[i])
			if x == y {
				w.replace(r, x)
				continue
			}
			w.loc = in.Loc
			w.replace(r, w.op(ir.OpSelect, r.Type, 0, in.Args[0], x, y))
		}
		return true
	}
	w.rewrite()
}

// selectable reports whether a branch should become selects. An inner branch that should, too,
// counts as one operation.
func selectable(in *ir.Instr) bool {
	n := len(in.Results)
	for _, r := range in.Results {
		if r.Type.Kind == ir.Matrix {
			return false
		}
	}
	return n <= mostSelected/2 && cheapRegions(in, &n)
}

func cheapRegions(in *ir.Instr, n *int) bool {
	for _, r := range in.Regions {
		for _, x := range r.Instrs {
			if x.Op == ir.OpYield {
				continue
			}
			if *n++; *n > mostSelected {
				return false
			}
			if x.Op == ir.OpIf {
				*n += len(x.Results)
				if !cheapRegions(x, n) {
					return false
				}
				continue
			}
			if !x.Op.Info().Has(ir.Pure) || !cheap(x, 1) {
				return false
			}
		}
		if r.Terminator().Op != ir.OpYield {
			return false
		}
	}
	return true
}
