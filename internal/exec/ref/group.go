package ref

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
)

// group is a running threadgroup.
type group struct {
	m       *machine
	pos     [3]int // in the grid of threadgroups
	size    [3]int // threads, truncated at the edge of the grid
	threads []*thread
	shared  []exec.Object // variables declared by the kernel
	args    []exec.Object // memory set by the host, by slot
	waits   []*thread     // at a grid barrier; the others have returned
}

// state is the state of a thread.
type state uint8

const (
	running state = iota
	waiting       // at an instruction where threads synchronize
	done
)

// thread is one thread: a stack of open regions. A frame's pc is its current instruction; for all
// but the top frame, that is the If, Loop or Block whose region is the next frame.
type thread struct {
	g       *group
	index   int // in the threadgroup
	pos     [3]int
	state   state
	passed  bool // other lanes of its simdgroup have passed a barrier without it
	frames  []frame
	regs    []uint64
	private []exec.Object
	held    map[int64][4]uint64 // by number: the registers that other lanes may read
}

type frame struct {
	region *ir.Region
	which  int   // the index of the region in its owner
	iter   int64 // number of iterations of the loop so far
	pc     int
}

// at returns the thread's current instruction.
func (t *thread) at() *ir.Instr {
	top := &t.frames[len(t.frames)-1]
	return top.region.Instrs[top.pc]
}

// compare orders threads by their position in the program. A thread never moves to an earlier
// position, so threads at equal positions are at the same instance of the instruction.
func (t *thread) compare(u *thread) int {
	for i := range min(len(t.frames), len(u.frames)) {
		a, b := &t.frames[i], &u.frames[i]
		if c := cmp.Or(cmp.Compare(a.which, b.which), cmp.Compare(a.iter, b.iter), cmp.Compare(a.pc, b.pc)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(t.frames), len(u.frames))
}

// newGroup makes a threadgroup's memory and threads.
func (m *machine) newGroup(pos [3]int) (*group, error) {
	if err := m.pay(groupWork); err != nil {
		return nil, err
	}
	g := &group{m: m, pos: pos, size: m.Shape(pos)}
	for _, v := range m.f.Threadgroup {
		g.shared = append(g.shared, exec.Object{Data: make([]byte, v.Size)})
	}
	for _, n := range m.l.Threadgroup {
		g.args = append(g.args, exec.Object{Data: make([]byte, n)})
	}
	for z := range g.size[2] {
		for y := range g.size[1] {
			for x := range g.size[0] {
				t := &thread{g: g, index: len(g.threads), pos: [3]int{x, y, z}, regs: make([]uint64, m.regs)}
				t.frames = append(t.frames, frame{region: m.f.Body})
				t.private = make([]exec.Object, len(m.allocas))
				for in, i := range m.allocas {
					t.private[i].Data = make([]byte, in.Imm)
				}
				g.threads = append(g.threads, t)
			}
		}
	}
	return g, nil
}

// run runs a threadgroup up to the next grid barrier or to its end.
func (g *group) run() error {
	for {
		for _, t := range g.threads {
			if t.state == running {
				if err := t.run(); err != nil {
					return fmt.Errorf("thread (%d, %d, %d): %w", t.pos[0], t.pos[1], t.pos[2], err)
				}
			}
		}
		moved := false
		for lanes := range slices.Chunk(g.threads, ir.SimdWidth) {
			met, err := g.meet(lanes)
			if err != nil {
				return err
			}
			moved = moved || met
		}
		if moved {
			continue
		}
		if more, err := g.open(); err != nil || !more {
			return err
		}
	}
}

// behind returns the first of a simdgroup's lanes that are furthest back, or nil if none is left.
func behind(lanes []*thread) (back *thread) {
	for _, t := range lanes {
		if t.state == waiting && (back == nil || t.compare(back) < 0) {
			back = t
		}
	}
	return back
}

// meet makes the lanes of a simdgroup that are furthest back execute their operation together,
// unless it is a threadgroup barrier.
func (g *group) meet(lanes []*thread) (bool, error) {
	back := behind(lanes)
	if back == nil || back.at().Op.IsBarrier() {
		return false, nil
	}
	in := back.at()
	var active, all [ir.SimdWidth]*thread
	copy(all[:], lanes)
	for i, t := range lanes {
		if t.state == waiting && t.compare(back) == 0 {
			active[i] = t
		}
	}
	err := g.m.burn(in, ir.SimdWidth)
	if err == nil {
		err = g.together(in, &active, &all)
	}
	if err != nil {
		return false, back.fail(in, err)
	}
	for _, t := range active {
		if t != nil {
			t.resume()
		}
	}
	return true, nil
}

// open opens the barrier that all simdgroups wait at, and reports whether the threadgroup goes on.
// At a grid barrier it does not, but sets waits.
func (g *group) open() (bool, error) {
	var first *thread
	for lanes := range slices.Chunk(g.threads, ir.SimdWidth) {
		back := behind(lanes)
		switch {
		case back == nil:
		case first == nil:
			first = back
		case back.compare(first) != 0:
			return false, first.fail(first.at(),
				fmt.Errorf("%w: threads %d and %d wait at different places", exec.ErrDivergentBarrier, first.index, back.index))
		}
	}
	if first == nil {
		return false, nil
	}
	grid := first.at().Op == ir.OpGridBarrier
	var here []*thread
	for _, t := range g.threads {
		switch {
		case t.state != waiting:
		case t.compare(first) != 0 && grid:
			return false, first.fail(first.at(), fmt.Errorf("%w: thread %d is not there", exec.ErrGridSync, t.index))
		case t.compare(first) != 0:
			t.passed = true
		case t.passed:
			return false, t.fail(t.at(),
				fmt.Errorf("%w: thread %d was passed over at another", exec.ErrDivergentBarrier, t.index))
		default:
			here = append(here, t)
		}
	}
	if grid {
		g.waits = here
		return false, nil
	}
	if tr := g.m.tracer; tr != nil {
		tr.Meet(first.at(), ids(here), len(g.threads))
	}
	for _, t := range here {
		t.resume()
	}
	return true, nil
}

// resume makes a thread continue after the instruction it waited at.
func (t *thread) resume() {
	t.state = running
	t.frames[len(t.frames)-1].pc++
}

// fail adds the source position to an error.
func (t *thread) fail(in *ir.Instr, err error) error {
	if files := t.g.m.f.Module.Files; in.Loc.File > 0 && int(in.Loc.File) <= len(files) {
		return fmt.Errorf("%s:%d:%d: %v: %w", files[in.Loc.File-1], in.Loc.Line, in.Loc.Col, in.Op, err)
	}
	return fmt.Errorf("%v: %w", in.Op, err)
}

// number returns the threadgroup's index in the grid: x first, then y, then z.
func (g *group) number() int64 {
	n := g.m.Groups
	return int64(g.pos[0]) + int64(n[0])*(int64(g.pos[1])+int64(n[1])*int64(g.pos[2]))
}
