package opt

import "github.com/puremetal/puremetal/internal/ir"

// session is shared by the passes over one kernel: facts about the kernel, and memory that each
// pass would otherwise allocate again.
type session struct {
	f *ir.Func
	o *Options

	// What the kernel contains. Passes may remove these, but never introduce them.
	hasVariables bool // allocas
	hasCopies    bool // copies and clears
	hasElements  bool // addresses in the thread space with an index
	hasConstants bool // function constants
	hasLoops     bool

	unrolled bool // loops have been unrolled, or will not be

	changed bool        // the current pass has changed something
	subst   []*ir.Value // of the rewriter
	stack   []*ir.Instr // of the rewriter: the regions being built, inside out
	// every constant in the kernel, once a rewriter has walked it, and some that are no longer
	// there
	consts map[constKey]*ir.Value
	// by ID of a constant in consts: the run of a rewriter that last saw it, counted from 1
	known []int32
	run   int32                 // of a rewriter
	ends  *ends                 // of endsOf
	exprs map[exprKey]*ir.Instr // of common
}

func newSession(f *ir.Func, o *Options) *session {
	s := &session{f: f, o: o, consts: map[constKey]*ir.Value{}}
	f.Body.Walk(func(in *ir.Instr) bool {
		switch in.Op {
		case ir.OpAlloca:
			s.hasVariables = true
		case ir.OpCopy, ir.OpClear:
			s.hasCopies = true
		case ir.OpOffset:
			s.hasElements = s.hasElements || in.Args[0].Type.Space == ir.Thread
		case ir.OpFConst, ir.OpFConstDefined:
			s.hasConstants = true
		case ir.OpLoop:
			s.hasLoops = true
		}
		return true
	})
	return s
}

// worthwhile reports whether a kernel may have work for a pass.
func (s *session) worthwhile(p Pass) bool {
	switch p {
	case Specialize:
		return s.hasConstants && len(s.o.Constants) > 0
	case Copies:
		return s.hasCopies
	case Promote:
		return s.hasVariables
	case Unroll:
		return s.hasElements || s.hasLoops
	}
	return true
}
