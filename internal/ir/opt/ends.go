package opt

import "github.com/puremetal/puremetal/internal/ir"

// ends holds the terminators that supply a construct's results, or that continue a loop.
type ends struct {
	results   map[*ir.Instr][]*ir.Instr // yields and breaks
	continues map[*ir.Instr][]*ir.Instr
}

// endsOf returns the ends in a session's kernel. The result is valid until the next call.
func endsOf(s *session) *ends {
	if s.ends == nil {
		s.ends = &ends{map[*ir.Instr][]*ir.Instr{}, map[*ir.Instr][]*ir.Instr{}}
	}
	clear(s.ends.results)
	clear(s.ends.continues)
	s.ends.note(s.f.Body)
	return s.ends
}

// note records the ends in a region. Only its last instruction is a terminator.
func (e *ends) note(r *ir.Region) {
	for _, in := range r.Instrs {
		for _, sub := range in.Regions {
			e.note(sub)
		}
	}
	switch end := r.Instrs[len(r.Instrs)-1]; end.Op {
	case ir.OpYield:
		if o := r.Owner; o != nil {
			e.results[o] = append(e.results[o], end)
		}
	case ir.OpBreak:
		e.results[end.Target] = append(e.results[end.Target], end)
	case ir.OpContinue:
		e.continues[end.Target] = append(e.continues[end.Target], end)
	}
}
