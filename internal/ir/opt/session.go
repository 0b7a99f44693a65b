package opt

import "github.com/puremetal/puremetal/internal/ir"

// session is what the passes over one kernel have in common: what is known of it, and memory that
// each would otherwise make anew.
type session struct {
	f *ir.Func
	o *Options

	// What the kernel has. Passes take these away and never bring them in.
	hasVariables bool // allocas
	hasCopies    bool // copies and clears
	hasElements  bool // addresses in the thread space with an index
	hasConstants bool // function constants

	changed bool        // the pass that runs has changed something
	subst   []*ir.Value // of the rewriter
	stack   []*ir.Instr // of the rewriter: the regions that are being built, inside out
	// every constant that stands in the kernel, once a rewriter has been over it, and some that do not
	// any more
	consts map[constKey]*ir.Value
	// by ID of a constant in consts: the run of a rewriter that last came by it, counted from 1
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
		}
		return true
	})
	return s
}

// worthwhile reports whether a kernel may have work for a pass.
func (s *session) worthwhile(p Pass) bool {
	switch p {
	case Specialise:
		return s.hasConstants && len(s.o.Constants) > 0
	case Copies:
		return s.hasCopies
	case Promote:
		return s.hasVariables
	case Unroll:
		return s.hasElements
	}
	return true
}
