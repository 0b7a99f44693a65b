package opt

import "github.com/puremetal/puremetal/internal/ir"

// ends are the terminators that give a construct its results, or begin a loop again.
type ends struct {
	results   map[*ir.Instr][]*ir.Instr // yields and breaks
	continues map[*ir.Instr][]*ir.Instr
}

func endsOf(f *ir.Func) *ends {
	e := &ends{map[*ir.Instr][]*ir.Instr{}, map[*ir.Instr][]*ir.Instr{}}
	f.Body.Walk(func(in *ir.Instr) bool {
		switch in.Op {
		case ir.OpYield:
			if o := in.Parent.Owner; o != nil {
				e.results[o] = append(e.results[o], in)
			}
		case ir.OpBreak:
			e.results[in.Target] = append(e.results[in.Target], in)
		case ir.OpContinue:
			e.continues[in.Target] = append(e.continues[in.Target], in)
		}
		return true
	})
	return e
}
