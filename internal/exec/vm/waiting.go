package vm

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// waiting is the state of a threadgroup at a grid barrier. A group's own memory serves other
// threadgroups in the meantime, so what is kept is only what is used after the barrier: keeping all
// of it would cost more memory than the caches have.
type waiting struct {
	at       *lir.Inst // the barrier
	barriers int
	watched  *hook.Group
	strips   []waitingStrip
	shared   []byte
}

// waitingStrip is the state of a strip.
type waitingStrip struct {
	pc      int
	stopped stop
	debt    int64 // the fuel, if negative
	lanes   int
	extents []int
	passed  [lir.MaskWords]uint32
	vars    []byte // those that are live, one after the other
	thread  []byte
}

// findLive finds the variables that are live at each grid barrier.
func (p *program) findLive() {
	for pc := range p.lir.Code {
		in := &p.lir.Code[pc]
		if in.Op.IR() != ir.OpGridBarrier {
			continue
		}
		if p.live == nil {
			p.live = map[*lir.Inst][]lir.Ref{}
		}
		live, n := p.lir.LiveAfter(pc), int64(0)
		for _, r := range live {
			n += int64(p.lir.Var(r).Bytes(p.lir.Lanes))
		}
		p.live[in], p.liveBytes = live, max(p.liveBytes, n)
	}
}

// Kept implements exec.Program.
func (p *program) Kept() int64 {
	n := int64(p.lir.Shape[0] * p.lir.Shape[1] * p.lir.Shape[2] * p.lir.ThreadBytes)
	for _, v := range p.f.Threadgroup {
		n += int64(v.Size)
	}
	return n + int64(p.lir.Strips)*p.liveBytes
}

// wait moves the state of a threadgroup out of the group. A strip is given that waits at a barrier.
func (g *group) wait(first *frame, to *exec.Waiting) *exec.Waiting {
	o := &g.p.ops[first.pc-1]
	if to == nil {
		to = &exec.Waiting{State: &waiting{strips: make([]waitingStrip, len(g.strips))}}
	}
	to.Func, to.Instr, to.Loc, to.Rounds = g.p.lir.Func, o.in.HIR, o.in.Loc, to.Rounds[:0]
	for _, round := range o.more {
		to.Rounds = append(to.Rounds, *word[uint64](first, round.off))
	}
	w := to.State.(*waiting)
	w.at, w.barriers, w.watched = o.in, g.barriers, g.watched
	w.shared = append(w.shared[:0], g.shared...)
	for i := range g.strips {
		f, s := &g.strips[i], &w.strips[i]
		g.r.ReturnFuel(max(f.fuel, 0))
		s.debt, f.fuel = min(f.fuel, 0), 0
		s.pc, s.stopped, s.lanes, s.passed = f.pc, f.stopped, f.lanes, f.passed
		s.extents = append(s.extents[:0], f.extents...)
		s.thread = append(s.thread[:0], f.thread...)
		s.vars = slices.Grow(s.vars[:0], int(g.p.liveBytes))
		for _, r := range g.p.live[o.in] {
			s.vars = append(s.vars, f.kept(r)...)
		}
	}
	return to
}

// resume makes the group execute a threadgroup that waits.
func (g *group) resume(number int64, pos [3]int, from *exec.Waiting) {
	w := from.State.(*waiting)
	g.entered++
	g.number, g.pos, g.barriers, g.watched = number, pos, w.barriers, w.watched
	if g.watched != nil {
		g.watched.Threadgroup = g.threadgroup
	}
	copy(g.shared, w.shared)
	for i := range g.strips {
		f, s := &g.strips[i], &w.strips[i]
		f.fuel += s.debt
		f.pc, f.stopped, f.passed = s.pc, s.stopped, s.passed
		f.resize(s.lanes)
		copy(f.extents, s.extents)
		copy(f.thread, s.thread)
		vars := s.vars
		for _, r := range g.p.live[w.at] {
			v := g.p.lir.Var(r)
			if v.Class == lir.Affine { // its header says whether the column is there
				copy(col[byte](f, v.Off, lir.AffineBytes), vars)
			}
			vars = vars[copy(f.kept(r), vars):]
		}
	}
}

// kept returns the memory of a variable, as far as it has a meaning.
func (f *frame) kept(r lir.Ref) []byte {
	v := f.g.p.lir.Var(r)
	n := v.Bytes(f.g.p.lir.Lanes)
	if v.Class == lir.Affine && f.affine(v.Off).Valid != 0 {
		n = lir.AffineBytes
	}
	return col[byte](f, v.Off, n)
}
