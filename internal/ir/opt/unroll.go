package opt

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
)

// The most that a loop may become.
const (
	mostRounds       = 32
	mostInstructions = 1024 // of one loop
	mostUnrolled     = 8192 // of a kernel
)

// unroll writes out loops of a known number of rounds that name elements of variables by what
// changes from round to round, so that the variables can become values. The innermost come first. A
// loop whose source says that it is not to be unrolled stays.
func unroll(s *session) {
	f := s.f
	var loops []*ir.Instr
	var collect func(r *ir.Region)
	collect = func(r *ir.Region) {
		for _, in := range r.Instrs {
			for _, sub := range in.Regions {
				collect(sub)
			}
			if in.Op == ir.OpLoop && in.Imm != 1 && namesElements(in) {
				loops = append(loops, in)
			}
		}
	}
	collect(f.Body)
	u := &unroller{session: s, left: mostUnrolled}
	s.begin()
	for _, in := range f.Body.Instrs {
		if r := in.Result(); in.Op == ir.OpConst && s.lastSeen(r) != 0 {
			s.known[r.ID] = s.run // it stands there already
		}
	}
	for _, in := range loops {
		u.loop(in)
	}
}

// namesElements reports whether a loop has addresses in the thread space that are worked out from
// its parameters. A parameter's way into the index is not followed through memory.
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

type unroller struct {
	*session
	left int // instructions that loops may yet become
}

// loop writes out one loop if its number of rounds shows while that is done.
func (u *unroller) loop(loop *ir.Instr) {
	size := 0
	loop.Regions[0].Walk(func(*ir.Instr) bool {
		size++
		return true
	})
	block := &ir.Instr{Op: ir.OpBlock, Loc: loop.Loc}
	body := &ir.Region{Owner: block}
	block.Regions = []*ir.Region{body}
	args := loop.Args
	for round := 0; ; round++ {
		if round == mostRounds || (round+1)*size > min(mostInstructions, u.left) {
			return
		}
		ins, taken := u.round(loop, body, args)
		end := ins[len(ins)-1]
		if round == 0 && taken == 0 {
			return // no branch in it depends on the number of the round alone
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

// round copies a loop's region for one round, folds it, and returns its instructions and how many
// branches were decided.
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

// continues reports whether instructions begin a loop again.
func continues(ins []*ir.Instr, loop *ir.Instr) bool {
	r := ir.Region{Instrs: ins}
	return !r.Walk(func(in *ir.Instr) bool { return in.Op != ir.OpContinue || in.Target != loop })
}
