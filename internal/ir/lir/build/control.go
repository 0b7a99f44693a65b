package build

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// function lowers the body.
func (b *builder) function() {
	b.f.Body.Walk(func(in *ir.Instr) bool {
		if (in.Op == ir.OpReturn || in.Op == ir.OpUnreachable) && b.indirect[in] && b.ret == 0 {
			b.ret = b.newMask()
		}
		b.p.HasBarrier = b.p.HasBarrier || in.Op.IsBarrier()
		if in.Op == ir.OpSimdHold {
			b.register(in)
		}
		return true
	})
	if b.ret != 0 {
		b.emit(lir.Inst{Op: lir.OpMaskClear, D: b.ret})
	}
	end := b.region(b.f.Body, nil)
	b.patch(end)
	b.cur = nil
	b.emit(lir.Inst{Op: lir.OpEnd})
}

// region lowers a region with its terminator, and calls atEnd if it yields. It returns the jumps
// from inside to after the region, taken when no lanes are left.
func (b *builder) region(r *ir.Region, atEnd func(yield *ir.Instr)) (skips []int32) {
	b.skips = append(b.skips, nil)
	b.movs = append(b.movs, map[moved]lir.Ref{})
	stopped := false
	for _, in := range r.Instrs {
		b.cur = in
		b.instr(in)
		if stopped = b.stops[in]; stopped {
			break
		}
	}
	if yield := yielding(r); yield != nil && !stopped {
		atEnd(yield)
	}
	b.movs = b.movs[:len(b.movs)-1]
	skips = b.skips[len(b.skips)-1]
	b.skips = b.skips[:len(b.skips)-1]
	return skips
}

// left records that from here on only the lanes of a mask are active, perhaps none.
func (b *builder) left(mask lir.Ref) {
	b.mask = mask
	at := b.emit(lir.Inst{Op: lir.OpJumpNone, A: mask})
	b.skips[len(b.skips)-1] = append(b.skips[len(b.skips)-1], at)
}

// gather adds the active lanes to a mask.
func (b *builder) gather(mask lir.Ref) {
	if mask != 0 {
		b.emit(lir.Inst{Op: lir.OpMaskOr, D: mask, A: mask, B: b.mask})
	}
}

func (b *builder) jump() int32 { return b.emit(lir.Inst{Op: lir.OpJump}) }

// yielding returns the region's yield, or nil if it ends otherwise.
func yielding(r *ir.Region) *ir.Instr {
	if t := r.Terminator(); t.Op == ir.OpYield {
		return t
	}
	return nil
}

// isEmpty reports whether a region only yields nothing.
func isEmpty(r *ir.Region) bool {
	return len(r.Instrs) == 1 && yielding(r) != nil && len(r.Instrs[0].Args) == 0
}

func (b *builder) lowerIf(in *ir.Instr) {
	results := b.results(in)
	entry, divergent := b.mask, b.divergent[in]
	merge := divergent && yielding(in.Regions[0]) != nil && yielding(in.Regions[1]) != nil
	cond := b.get(in.Args[0], 0)
	var here lir.Ref // the lanes that reach the end, if some depart
	if b.departs[in] {
		here = b.newMask()
		b.emit(lir.Inst{Op: lir.OpMaskClear, D: here})
	}
	branch := func(r *ir.Region) {
		b.patch(b.region(r, func(yield *ir.Instr) {
			b.assign(results, yield.Args, merge)
			b.gather(here)
		}))
		b.cur = in
	}
	if r := b.known(in, cond); r != nil {
		if !isEmpty(r) || here != 0 {
			branch(r)
		}
		if yielding(r) == nil { // what follows the If never runs
			b.stops[in] = true
			b.mask = entry
			return
		}
	} else if !divergent {
		elseOp, thenOp := lir.OpJumpUnless, lir.OpJumpIf
		switch {
		case isEmpty(in.Regions[1]) && here == 0:
			over := b.emit(lir.Inst{Op: elseOp, A: cond})
			branch(in.Regions[0])
			b.patch([]int32{over})
		case isEmpty(in.Regions[0]) && here == 0:
			over := b.emit(lir.Inst{Op: thenOp, A: cond})
			branch(in.Regions[1])
			b.patch([]int32{over})
		default:
			over := b.emit(lir.Inst{Op: elseOp, A: cond})
			branch(in.Regions[0])
			end := b.jump()
			b.patch([]int32{over})
			b.mask = entry
			branch(in.Regions[1])
			b.patch([]int32{end})
		}
	} else {
		var then lir.Ref // the lanes of the first region, if it has code
		for i, r := range in.Regions {
			if isEmpty(r) && here == 0 {
				continue
			}
			b.cur = in
			m := b.newMask()
			switch {
			case i == 0:
				b.emit(lir.Inst{Op: lir.OpMaskAnd, D: m, A: entry, B: cond})
				then = m
			case then != 0: // not by the condition, which may be a variable that the first region has changed
				b.emit(lir.Inst{Op: lir.OpMaskSub, D: m, A: entry, B: then})
			default:
				b.emit(lir.Inst{Op: lir.OpMaskAndNot, D: m, A: entry, B: cond})
			}
			b.mask = m
			if isEmpty(r) {
				b.gather(here)
				continue
			}
			over := b.emit(lir.Inst{Op: lir.OpJumpNone, A: m})
			branch(r)
			b.patch([]int32{over})
		}
	}
	b.cur = in
	b.mask = entry
	if here != 0 {
		b.left(here)
	}
}

// results makes the variables of a construct's results.
func (b *builder) results(in *ir.Instr) (refs [][4]lir.Ref) {
	for _, v := range in.Results {
		refs = append(refs, b.define(v))
	}
	return refs
}

func (b *builder) lowerBlock(in *ir.Instr) {
	t := &target{results: b.results(in)}
	b.targets[in] = t
	entry := b.mask
	if b.departs[in] {
		t.out = b.newMask()
		b.emit(lir.Inst{Op: lir.OpMaskClear, D: t.out})
	}
	b.patch(b.region(in.Regions[0], func(yield *ir.Instr) {
		b.assign(t.results, yield.Args, b.mergesResults(in, yield))
		b.gather(t.out)
	}))
	b.cur = in
	b.patch(t.end)
	b.mask = entry
	if t.out != 0 {
		b.left(t.out)
	}
}

func (b *builder) lowerLoop(in *ir.Instr) {
	t := &target{results: b.results(in), masks: b.masked[in] || b.departs[in]}
	b.targets[in] = t
	entry, body := b.mask, in.Regions[0]
	for _, v := range body.Params {
		t.params = append(t.params, b.define(v))
	}
	b.assign(t.params, in.Args, false)
	if b.departs[in] {
		t.out = b.newMask()
		b.emit(lir.Inst{Op: lir.OpMaskClear, D: t.out})
	}
	var live lir.Ref
	if t.masks {
		live, t.again = b.newMask(), b.newMask()
		b.emit(lir.Inst{Op: lir.OpMaskCopy, D: live, A: entry})
		b.mask = live
	}
	round := b.countRounds(in)
	head := b.here()
	if t.masks {
		b.emit(lir.Inst{Op: lir.OpMaskClear, D: t.again})
	}
	b.patch(b.region(body, nil))
	b.cur = in
	b.patch(t.next)
	if round != 0 {
		b.rounds = b.rounds[:len(b.rounds)-1]
		b.add(lir.Inst{Op: lir.Op(ir.OpAdd), Kind: ir.I64, Per: lir.Once, D: round, A: round, B: b.constant(ir.I64, 1)})
	}
	switch {
	case b.backs[in] == 0:
	case t.masks:
		b.emit(lir.Inst{Op: lir.OpMaskCopy, D: live, A: t.again})
		b.emit(lir.Inst{Op: lir.OpBack, A: live, Target: head})
	default:
		b.emit(lir.Inst{Op: lir.OpBack, Target: head})
	}
	b.patch(t.end)
	b.mask = entry
	if t.out != 0 {
		b.left(t.out)
	}
}

// countRounds creates an iteration counter for a loop if strips, or threadgroups, may reach a
// barrier in different iterations, and returns 0 otherwise.
func (b *builder) countRounds(in *ir.Instr) lir.Ref {
	if barrier, grid := hasBarrier(in); b.backs[in] == 0 || !grid && (b.p.Strips == 1 || !barrier) {
		return 0
	}
	round := b.p.NewVar(lir.Once, ir.I64)
	b.rounds = append(b.rounds, round)
	b.add(lir.Inst{Op: lir.OpMov, Kind: ir.I64, Per: lir.Once, D: round, A: b.constant(ir.I64, 0)})
	return round
}

// hasBarrier reports whether there is a barrier inside, and whether there is one of the grid.
func hasBarrier(in *ir.Instr) (barrier, grid bool) {
	for _, r := range in.Regions {
		r.Walk(func(in *ir.Instr) bool {
			barrier, grid = barrier || in.Op.IsBarrier(), grid || in.Op == ir.OpGridBarrier
			return !grid
		})
	}
	return barrier, grid
}

// branch lowers break, continue and return.
func (b *builder) branch(in *ir.Instr) {
	direct := !b.indirect[in]
	t := b.targets[in.Target]
	switch in.Op {
	case ir.OpBreak:
		b.assign(t.results, in.Args, b.mergesResults(in.Target, in))
		b.gather(t.out)
		switch {
		case !direct:
		case t.masks: // others may be waiting to continue the loop
			t.next = append(t.next, b.jump())
		default:
			t.end = append(t.end, b.jump())
		}
	case ir.OpContinue:
		b.assign(t.params, in.Args, b.mergesParams(in.Target, in))
		b.gather(t.again)
		if direct {
			t.next = append(t.next, b.jump())
		}
	default:
		switch {
		case direct:
			b.emit(lir.Inst{Op: lir.OpEnd})
		default:
			b.gather(b.ret)
		}
	}
}
