package opt

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// Limits on the size of unrolled loops.
const (
	mostRounds       = 32
	mostInstructions = 2048 // of one loop
	mostUnrolled     = 8192 // of a kernel

	fewRounds       = 4 // of a loop that is unrolled because it accesses memory
	fewInstructions = 64
)

// unroll unrolls loops with a known trip count that index elements of variables by something that
// changes between iterations, so that the variables can become values. It also unrolls small loops
// of few iterations that access memory, which is often a few elements in a row. It starts with the
// innermost loops. A loop marked in the source as not to be unrolled is left alone.
func unroll(s *session) {
	f := s.f
	var loops []*ir.Instr
	var collect func(r *ir.Region)
	collect = func(r *ir.Region) {
		for _, in := range r.Instrs {
			for _, sub := range in.Regions {
				collect(sub)
			}
			if in.Op == ir.OpLoop && in.Imm != 1 && (namesElements(in) || isSmall(in)) {
				loops = append(loops, in)
			}
		}
	}
	collect(f.Body)
	u := &unroller{session: s, left: mostUnrolled}
	s.begin()
	for _, in := range f.Body.Instrs {
		if r := in.Result(); in.Op == ir.OpConst && s.lastSeen(r) != 0 {
			s.known[r.ID] = s.run // it is there already
		}
	}
	for _, in := range loops {
		u.loop(in)
	}
}

// namesElements reports whether a loop has addresses in the thread space that are computed from its
// parameters. It does not follow a parameter through memory.
func namesElements(loop *ir.Instr) bool {
	varies := map[*ir.Value]bool{}
	for _, p := range loop.Regions[0].Params {
		varies[p] = true
	}
	found := false
	loop.Regions[0].Walk(func(in *ir.Instr) bool {
		for _, a := range in.Args {
			if !varies[a] {
				continue
			}
			for _, r := range in.Results {
				varies[r] = true
			}
			found = found || in.Op == ir.OpOffset && a == in.Args[1] && in.Args[0].Type.Space == ir.Thread
		}
		return !found
	})
	return found
}

// isSmall reports whether a loop without others in it is small and accesses memory that threads
// share.
func isSmall(loop *ir.Instr) bool {
	size, accesses, inner := 0, false, false
	loop.Regions[0].Walk(func(in *ir.Instr) bool {
		size++
		inner = inner || in.Op == ir.OpLoop
		access := in.Op == ir.OpLoad || in.Op == ir.OpStore
		accesses = accesses || access && in.Args[0].Type.Space != ir.Thread
		return size <= fewInstructions && !inner
	})
	return accesses && !inner && size <= fewInstructions
}

type unroller struct {
	*session
	left int // instructions that may still be added by unrolling
}

// loop unrolls one loop, if its trip count turns out to be known while doing so.
func (u *unroller) loop(loop *ir.Instr) {
	u.keepVariables(loop.Regions[0])
	size := 0
	loop.Regions[0].Walk(func(*ir.Instr) bool {
		size++
		return true
	})
	block := &ir.Instr{Op: ir.OpBlock, Loc: loop.Loc}
	body := &ir.Region{Owner: block}
	block.Regions = []*ir.Region{body}
	args, most := loop.Args, mostRounds
	if !namesElements(loop) {
		most = fewRounds + 1 // the last one ends the loop
	}
	for round := 0; ; round++ {
		if round == most || (round+1)*size > min(mostInstructions, u.left) {
			return
		}
		ins, taken := u.round(loop, body, args)
		end := ins[len(ins)-1]
		if round == 0 && taken == 0 {
			return // no branch in it depends on the iteration number alone
		}
		if continues(ins[:len(ins)-1], loop) {
			return
		}
		if end.Op == ir.OpContinue && end.Target == loop {
			body.Instrs = append(body.Instrs, ins[:len(ins)-1]...)
			args = end.Args
			continue
		}
		if end.Op == ir.OpBreak && end.Target == loop {
			end.Op, end.Target = ir.OpYield, nil
		}
		body.Instrs = append(body.Instrs, ins...)
		break
	}
	u.left, u.changed = u.left-size, true
	body.Walk(func(in *ir.Instr) bool {
		if in.Target == loop {
			in.Target = block
		}
		return true
	})
	block.Results = loop.Results
	for _, r := range block.Results {
		r.Def = block
	}
	block.Parent = loop.Parent
	loop.Parent.Instrs[slices.Index(loop.Parent.Instrs, loop)] = block
}

// keepVariables moves the variables of a region to the function's begin: all iterations have the
// same ones, and what one leaves in them the next one finds.
func (u *unroller) keepVariables(r *ir.Region) {
	var moved []*ir.Instr
	r.Instrs = slices.DeleteFunc(r.Instrs, func(in *ir.Instr) bool {
		if in.Op == ir.OpAlloca {
			in.Parent = u.f.Body
			moved = append(moved, in)
			return true
		}
		for _, sub := range in.Regions {
			u.keepVariables(sub)
		}
		return false
	})
	u.f.Body.Instrs = append(moved, u.f.Body.Instrs...)
}

// round copies a loop's region for one iteration, folds it, and returns its instructions and the
// number of branches resolved.
func (u *unroller) round(loop *ir.Instr, body *ir.Region, args []*ir.Value) (ins []*ir.Instr, taken int) {
	c := ir.NewCloner(u.f)
	for i, p := range loop.Regions[0].Params {
		c.Map(p, args[i])
	}
	for _, in := range loop.Regions[0].Instrs {
		ins = append(ins, c.Instr(in, body))
	}
	w := u.rewriter()
	w.visit = func(in *ir.Instr) bool {
		dropped := w.fold(in)
		if dropped && in.Op == ir.OpIf {
			taken++
		}
		return dropped
	}
	w.now = body
	w.list(ins)
	u.f.Body.Instrs = append(w.prelude, u.f.Body.Instrs...)
	return slices.Clone(w.stack), taken
}

// continues reports whether instructions continue a loop.
func continues(ins []*ir.Instr, loop *ir.Instr) bool {
	r := ir.Region{Instrs: ins}
	return !r.Walk(func(in *ir.Instr) bool { return in.Op != ir.OpContinue || in.Target != loop })
}
