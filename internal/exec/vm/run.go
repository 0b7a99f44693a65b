package vm

import (
	"fmt"
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// group executes threadgroups of one launch in sequence.
type group struct {
	r      *exec.Run
	p      *program
	number int64 // of the threadgroup in the grid
	// asserted is the first assertion that failed.
	asserted error
	pos      [3]int
	strips   []frame
	shared   []byte
	objs     []exec.Object // threadgroup memory: the program's variables
	args     []exec.Object // threadgroup memory set by the host, by slot

	fueled   int64       // fuel that strips got, with what is left of it
	machine  int64       // work of machine code
	inRow    bool        // the context of machine code for rows has the launch's objects
	launch   int         // counts launches, from 1
	entered  int         // counts threadgroups, also those that continue, from 1
	barriers int         // so far in the threadgroup
	order    []int       // of the strips; with a schedule, until the next barrier
	tally    *tally      // or nil
	watched  *hook.Group // the hook's view of the threadgroup, if there is a hook
}

// stop says why a strip is not running.
type stop uint8

const (
	running stop = iota
	atBarrier
	ended
)

func newGroup(p *program) *group {
	g := &group{p: p, strips: make([]frame, p.lir.Strips), order: make([]int, p.lir.Strips)}
	if p.tallied {
		g.tally = &tally{}
	}
	threads := p.lir.Shape[0] * p.lir.Shape[1] * p.lir.Shape[2]
	for i := range g.strips {
		f := &g.strips[i]
		f.g, f.first = g, i*p.lir.Lanes
		f.width = min(p.lir.Lanes, threads-f.first)
		f.counts[lir.Once] = 1
		f.resize(f.width)
		f.all = f.full
		f.extents = make([]int, p.regions)
		f.extents[0] = f.width
		f.coords = &p.coords[i]
		for axis, n := range p.lir.Shape {
			f.far[axis] = int64(n - 1)
		}
		if f.width%p.lir.Shape[0] == 0 && f.first%p.lir.Shape[0] == 0 && f.far[2] == 0 {
			f.rowWidth = p.lir.Shape[0]
		}
		f.oneRow = f.far[1] == 0 && f.far[2] == 0
		f.newVars(p.lir.FrameBytes)
		for _, c := range p.consts {
			v := p.lir.Var(c)
			*word[uint64](f, v.Off) = v.Bits
		}
		n := p.lir.ThreadBytes * f.width
		f.thread = make([]byte, n, pieces(n))
	}
	return g
}

// Begin implements exec.Program.
func (p *program) Begin(r *exec.Run) exec.Group {
	g, _ := p.free.Get().(*group)
	if g == nil {
		g = newGroup(p)
	}
	g.begin(r)
	return g
}

// pieces returns the length of the pieces in which machine code clears n bytes.
func pieces(n int) int { return (n + exec.PieceAlign - 1) &^ (exec.PieceAlign - 1) }

// begin prepares a group for a launch's threadgroups.
func (g *group) begin(r *exec.Run) {
	g.r, g.inRow = r, false
	g.launch++
	for i := range g.order {
		g.order[i] = i
	}
	need := 0
	for _, v := range g.p.f.Threadgroup {
		need += (v.Size + 15) &^ 15
	}
	for _, n := range r.Launch.Threadgroup {
		need += (n + 15) &^ 15
	}
	if whole := pieces(need); cap(g.shared) < whole {
		g.shared = make([]byte, need, whole)
	}
	g.shared = g.shared[:need]
	g.objs, g.args = g.objs[:0], g.args[:0]
	at := 0
	for _, v := range g.p.f.Threadgroup {
		g.objs = append(g.objs, exec.Object{Data: g.shared[at : at+v.Size : at+v.Size]})
		at += (v.Size + 15) &^ 15
	}
	for _, n := range r.Launch.Threadgroup {
		g.args = append(g.args, exec.Object{Data: g.shared[at : at+n : at+n]})
		at += (n + 15) &^ 15
	}
}

// start prepares the group for one threadgroup, and pays for the work known in advance.
func (g *group) start(number int64, pos [3]int) error {
	g.number, g.pos, g.barriers, g.asserted = number, pos, 0, nil
	g.entered++
	clear(g.shared)
	for i := range g.strips {
		f := &g.strips[i]
		f.pc, f.stopped, f.passed, f.suspended, f.broken = 0, running, noLanes, false, nil
		f.resize(f.width)
		clear(f.thread)
	}
	if g.p.watched {
		g.watched = &hook.Group{Func: g.p.f, Position: pos, Shape: g.p.lir.Shape, Threadgroup: g.threadgroup}
		g.r.Launch.Hook.GroupBegin(g.watched)
	}
	for i := range g.strips {
		work := g.p.work
		if i == 0 {
			work += g.p.start
		}
		if err := g.strips[i].pay(work); err != nil {
			return err
		}
	}
	return nil
}

// Pause implements exec.Pauser.
func (g *group) Pause() {
	g.inRow = false
	g.launch++
	for i := range g.strips { // the next launch has its own fuel
		g.fueled -= g.strips[i].fuel
		g.r.ReturnFuel(max(g.strips[i].fuel, 0))
		g.strips[i].fuel = 0
	}
	g.settle()
}

// End implements exec.Group.
func (g *group) End() exec.Spent {
	s := exec.Spent{All: g.fueled, Machine: g.machine}
	for i := range g.strips {
		s.All -= g.strips[i].fuel
		g.r.ReturnFuel(max(g.strips[i].fuel, 0))
		g.strips[i].fuel = 0
	}
	g.fueled, g.machine = 0, 0
	g.settle()
	g.r = nil
	if g.p.scratch <= keptScratch {
		g.p.free.Put(g)
	}
	return s
}

// keptScratch is the maximum size in bytes of a group kept for the next launch.
const keptScratch = 16 << 20

// Scratch implements exec.Program.
func (p *program) Scratch() int64 { return p.scratch }

// Run implements exec.Group.
func (g *group) Run(number int64, pos [3]int) error {
	_, err := g.Step(number, pos, nil)
	return err
}

// RunRow implements exec.RowRunner.
func (g *group) RunRow(number int64, pos [3]int, n int64) (done int64, err error) {
	o := &g.p.ops[0]
	x := o.machine
	if x == nil || !x.Row {
		if err := g.Run(number, pos); err != nil {
			return 0, err
		}
		return 1, nil
	}
	if err := g.start(number, pos); err != nil {
		return 0, err
	}
	f := &g.strips[0]
	if !g.inRow { // it assumes nothing that could not hold at the begin of a program
		g.inRow = f.prepareMachine(x)
	}
	c := f.contexts[x.number].MachineContext
	c.SetGroups(&g.pos, n, x.work, g.shared[:pieces(len(g.shared))], g.r.Groups[0])
	f.fuel -= x.work - g.p.work - g.p.start // start has paid for the rest
	for f.continueMachine(x) < 0 {
		g.number = number + n - c.GroupsLeft()
		if err := f.refuel(o); err != nil {
			return n - c.GroupsLeft(), err
		}
	}
	done = n - c.GroupsLeft()
	if done < n { // the code has paid for one that it has not begun
		f.fuel += x.work
		g.machine -= x.work
	}
	g.machine += x.Work + (done-1)*(x.Work-x.work) // only of the range's instructions
	return done, nil
}

// Step implements exec.Group.
func (g *group) Step(number int64, pos [3]int, from *exec.Waiting) (*exec.Waiting, error) {
	if from != nil {
		g.resume(number, pos, from)
	} else if err := g.start(number, pos); err != nil {
		return nil, err
	}
	first, err := g.run()
	if first == nil || err != nil {
		return nil, err
	}
	return g.wait(first, from), nil
}

// run runs the strips from barrier to barrier, up to the end or a grid barrier; then it returns a
// strip that waits there. A strip that has used up its share of fuel lets the
// others run before it continues, since it may be waiting for another's write.
func (g *group) run() (*frame, error) {
	for ; ; g.barriers++ {
		if s := g.r.Launch.Schedule; s != nil {
			n := g.r.Groups
			number := int64(g.pos[0]) + int64(n[0])*(int64(g.pos[1])+int64(n[1])*int64(g.pos[2]))
			g.order = s.Simdgroups(number, g.barriers, len(g.strips), g.order)
		}
		var first *frame // that waits at a barrier
		for more := true; more; {
			more = false
			for _, i := range g.order {
				f := &g.strips[i]
				if f.stopped == running {
					if err := f.run(); err != nil {
						return nil, err
					}
					if g.asserted != nil {
						return nil, g.asserted
					}
					more = more || f.stopped == running
				}
				if f.stopped != atBarrier {
					continue
				}
				if first == nil {
					first = f
				} else if !f.waitsWith(first) {
					return nil, g.fail(&g.p.ops[first.pc-1],
						fmt.Errorf("%w: threads %d and %d wait at different places", exec.ErrDivergentBarrier, first.first, f.first))
				}
			}
		}
		if g.p.watched {
			g.report(first)
		}
		if first == nil {
			return nil, nil
		}
		for i := range g.strips {
			if f := &g.strips[i]; f.stopped == atBarrier {
				f.stopped = running
			}
		}
		if g.p.ops[first.pc-1].code == lir.Op(ir.OpGridBarrier) {
			g.barriers++
			return first, nil
		}
	}
}

// waitsWith reports whether two strips wait at the same instance of a barrier.
func (f *frame) waitsWith(other *frame) bool {
	if f.pc != other.pc {
		return false
	}
	for _, round := range f.g.p.ops[f.pc-1].more {
		if *word[uint64](f, round.off) != *word[uint64](other, round.off) {
			return false
		}
	}
	return true
}

var noLanes [lir.MaskWords]uint32

// allHere checks that all of a strip's lanes are at a grid barrier or have returned.
func (f *frame) allHere(o *op, here *[lir.MaskWords]uint32) error {
	returned := &noLanes
	if o.a >= 0 {
		returned = f.mask(o.a)
	}
	for w, x := range here {
		if missing := f.all[w] &^ (x | returned[w]); missing != 0 {
			return f.g.fail(o, fmt.Errorf("%w: thread %d is not there", exec.ErrGridSync,
				f.first+w*lir.SimdWidth+bits.TrailingZeros32(missing)))
		}
	}
	return nil
}

// passOver records which lanes are not at a barrier and have not returned, if part of a strip waits
// at it.
func (f *frame) passOver(o *op, here, returned *[lir.MaskWords]uint32) error {
	for w, x := range here {
		if again := x & f.passed[w]; again != 0 {
			return f.g.fail(o, fmt.Errorf("%w: thread %d was passed over at another", exec.ErrDivergentBarrier,
				f.first+w*lir.SimdWidth+bits.TrailingZeros32(again)))
		}
		f.passed[w] |= f.all[w] &^ (x | returned[w])
	}
	return nil
}

// fail adds the failed operation and its source position to an error.
func (g *group) fail(o *op, err error) error { return g.locate(o, fmt.Errorf("%v: %w", o.code, err)) }

// locate adds an operation's source position, if known, to an error.
func (g *group) locate(o *op, err error) error {
	files := g.p.lir.Func.Module.Files
	if loc := o.in.Loc; loc.File > 0 && int(loc.File) <= len(files) {
		return fmt.Errorf("%s:%d:%d: %w", files[loc.File-1], loc.Line, loc.Col, err)
	}
	return err
}

// run runs a strip up to the next barrier or the end.
func (f *frame) run() error {
	ops := f.g.p.ops
	pc := f.pc
	for {
		o := &ops[pc]
		pc++
		if o.fn != nil {
			o.fn(f, o)
			continue
		}
		switch o.code {
		case lir.OpJump:
			f.fuel -= int64(o.work)
			pc = int(o.target)
		case lir.OpJumpNone:
			if m := f.mask(o.a); isEmpty(m) {
				f.fuel -= int64(o.work)
				pc = int(o.target)
			} else if o.region != 0 {
				f.enter(o.region, m)
			}
		case opWiden:
			f.resize(f.extents[o.region])
		case opMachine:
			next, done := f.runMachine(o)
			if !done {
				f.pc = pc - 1
				return f.refuel(o)
			}
			pc += next
		case lir.OpJumpIf:
			if *word[uint8](f, o.a) != 0 {
				f.fuel -= int64(o.work)
				pc = int(o.target)
			}
		case lir.OpJumpUnless:
			if *word[uint8](f, o.a) == 0 {
				f.fuel -= int64(o.work)
				pc = int(o.target)
			}
		case lir.OpBack:
			if o.a >= 0 && isEmpty(f.mask(o.a)) {
				continue
			}
			pc = int(o.target)
			if f.fuel -= int64(o.work); f.fuel < 0 {
				f.pc = pc
				return f.stopAt(o, f.pay(0)) // it continues after the other strips had their turn
			}
		case lir.Op(ir.OpCopy), lir.Op(ir.OpClear): // large ones
			if err := f.stopAt(o, f.copyLarge(o)); err != nil {
				return err
			}
		case lir.Op(ir.OpBarrier):
			if here := f.mask(o.m); !sameLanes(here, &f.all) || !isEmpty(&f.passed) {
				returned := &noLanes
				if o.a >= 0 {
					returned = f.mask(o.a)
				}
				if err := f.passOver(o, here, returned); err != nil {
					return err
				}
			}
			if o.in.Mem&^ir.MemThreadgroup != 0 {
				f.g.settle()
			}
			f.pc, f.stopped = pc, atBarrier
			return nil
		case lir.Op(ir.OpGridBarrier):
			if err := f.allHere(o, f.mask(o.m)); err != nil {
				return err
			}
			f.g.settle()
			f.pc, f.stopped = pc, atBarrier
			return nil
		case lir.OpEnd:
			f.pc, f.stopped = pc, ended
			return nil
		default:
			return f.g.fail(o, exec.ErrUnsupported)
		}
	}
}

// stopAt adds the source location to the reason why a strip must stop. The operation is merely
// where the stop was noticed, so the text does not name it.
func (f *frame) stopAt(o *op, err error) error {
	if err == nil || err == exec.ErrAbandoned {
		return err
	}
	return f.g.locate(o, err)
}
