package opt

import "github.com/puremetal/puremetal/internal/ir"

// motion hoists loop-invariant code: pure operations, and loads from the constant space that every
// iteration executes. Convergent operations stay where they are.
func motion(s *session) {
	m := &mover{session: s, home: make([]int32, s.f.NumValues())}
	m.region(s.f.Body, 0)
}

type mover struct {
	*session
	home  []int32 // by Value.ID: the number of loops that enclose its definition
	loops []*[]*ir.Instr
}

func (m *mover) define(vs []*ir.Value, depth int) {
	for _, v := range vs {
		m.home[v.ID] = int32(depth)
	}
}

// region leaves in the region the instructions that stay, and appends those that move to the lists
// of the enclosing loops.
func (m *mover) region(r *ir.Region, conditional int) {
	depth := len(m.loops)
	m.define(r.Params, depth)
	kept := make([]*ir.Instr, 0, len(r.Instrs))
	for _, in := range r.Instrs {
		switch {
		case in.Op == ir.OpLoop:
			var before []*ir.Instr
			m.loops = append(m.loops, &before)
			m.region(in.Regions[0], 0)
			m.loops = m.loops[:depth]
			// Code that moved out of this loop goes here, or further out.
			for _, x := range before {
				x.Parent = r
				kept = append(kept, x)
			}
		case len(in.Regions) > 0:
			for _, sub := range in.Regions {
				if in.Op == ir.OpIf {
					m.region(sub, conditional+1)
				} else {
					m.region(sub, conditional)
				}
			}
		case depth > 0 && movable(in) && (in.Op != ir.OpLoad || conditional == 0) && cheap(in, conditional):
			to := 0
			for _, a := range in.Args {
				to = max(to, int(m.home[a.ID]))
			}
			if to < depth {
				m.define(in.Results, to)
				*m.loops[to] = append(*m.loops[to], in)
				m.changed = true
				continue
			}
		}
		m.define(in.Results, depth)
		kept = append(kept, in)
	}
	r.Instrs = kept
}

// cheap reports whether an instruction may be executed speculatively.
func cheap(in *ir.Instr, conditional int) bool {
	if conditional == 0 {
		return true
	}
	info := in.Op.Info()
	switch in.Op {
	case ir.OpFDiv, ir.OpSqrt, ir.OpFMod, ir.OpSDiv, ir.OpUDiv, ir.OpSRem, ir.OpURem, ir.OpFMA, ir.OpNextAfter, ir.OpLdExp,
		ir.OpFrExp, ir.OpModF:
		return false
	}
	return !info.Has(ir.Approx)
}
