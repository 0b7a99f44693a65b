package kernel

import (
	"fmt"
	"slices"
)

// group is a running threadgroup. A fiber runs its threads: a coroutine runs one after another, and
// when one has to wait, another fiber goes on with the next. Under the race detector, each thread
// has a fiber of its own, a goroutine.
type group struct {
	launch *launch
	worker *worker
	number uint64
	pos    Index
	origin Index // its first thread's position in the grid
	size   Index

	threads int
	started int              // threads that have begun
	ended   int              // threads that have returned
	endedIn [maxSimds]uint32 // of them, in each simdgroup

	barrier meeting
	simds   []simdgroup // none before threads use them
	ready   []*fiber    // that waited and may go on
	shared  []object
	sliced  int // of them, slices
	bytes   int // of all

	failed   error
	failedBy int // the number of the thread that failed

	locking // under the race detector
}

const maxSimds = maxGroupThreads / lanes

// meeting is the barrier at which threads of a threadgroup wait.
type meeting struct {
	count   int    // of threads that wait
	first   *fiber // the first of them
	mixed   bool   // others wait elsewhere
	grid    bool   // it is a grid barrier
	opened  uint64 // how often threads have gone on
	waiting []*fiber
}

// begin makes a group of the worker run threadgroup i.
func (g *group) begin(r *launch, i uint64) {
	*g = group{launch: r, worker: g.worker, number: i, pos: r.position(i), ready: g.ready[:0],
		simds: g.simds[:0], barrier: meeting{waiting: g.barrier.waiting[:0]}}
	g.origin = Index{g.pos.X * r.size.X, g.pos.Y * r.size.Y, g.pos.Z * r.size.Z}
	g.size = Index{min(r.size.X, r.grid.X-g.origin.X), min(r.size.Y, r.grid.Y-g.origin.Y),
		min(r.size.Z, r.grid.Z-g.origin.Z)}
	g.threads = int(g.size.X * g.size.Y * g.size.Z)
}

// enter sets what all threads of a group have in common.
func (t *Thread) enter(g *group) {
	r := g.launch
	t.Group, t.GridSize, t.GroupSize, t.Groups = g.pos, r.grid, g.size, r.groups
	t.Lanes, t.Simdgroups = lanes, uint32(g.threads+lanes-1)/lanes
}

// row is a row of threads of a group, all with the same Y and Z.
type row struct {
	start, end int    // numbers of its first thread, and of that after its last
	x          uint32 // of the first thread in the grid
}

// row makes t a thread of the row of thread i, in a group that it has entered.
func (t *Thread) row(g *group, i int) row {
	width := int(g.size.X)
	y := uint32(i / width)
	t.Local.Y, t.Local.Z = y%g.size.Y, y/g.size.Y
	t.Global.Y, t.Global.Z = g.origin.Y+t.Local.Y, g.origin.Z+t.Local.Z
	start := i / width * width
	return row{start, start + width, g.origin.X}
}

// begin makes t thread i of its group, in a row that it has entered. It assigns member by member: a
// copy of an Index reads at once what was written in parts, for which processors wait.
func (t *Thread) begin(r row, i int) {
	x := uint32(i - r.start)
	t.Local.X, t.Global.X = x, r.x+x
	t.Lane, t.Simdgroup = uint32(i)%lanes, uint32(i)/lanes
}

// meet makes the thread wait at a barrier, of the grid or of its threadgroup.
//
//go:noinline
func (t *Thread) meet(grid bool) {
	f := t.running()
	f.site.stack = callers(&f.site.pcs, root.known())
	g := f.group
	if n := g.launch.threads; grid && n > maxCooperative {
		f.stop("a grid of %d threads exceeds the limit %d of grids with barriers", n, maxCooperative)
	}
	g.lock()
	defer g.unlock()
	m := &g.barrier
	if m.count == 0 {
		m.first, m.mixed, m.grid = f, false, grid
	} else if f.site.stack != m.first.site.stack {
		m.mixed = true
	}
	m.count++
	if m.count == g.threads && !m.mixed && !grid {
		g.open()
		return
	}
	for opened := m.opened; m.opened == opened; {
		// Each call between here and the switch ends with a return that processors predict wrongly.
		if o := f.successor(); o != nil {
			o.advance()
		} else {
			f.pause(&m.waiting)
		}
	}
}

// open lets all threads go on that wait at the barrier.
func (g *group) open() {
	m := &g.barrier
	m.count = 0
	m.opened++
	g.release(m.waiting)
	m.waiting = m.waiting[:0]
}

// settle is called when each thread of the group has ended or waits. It lets some go on, or reports
// that the group has to wait for the rest of the grid, has ended, or has failed.
func (g *group) settle() (paused bool) {
	m := &g.barrier
	switch {
	case g.settleSimds():
		return false
	case m.count == 0:
		return true
	case m.mixed:
		g.fail(g.differ())
		return true
	case m.count < g.threads:
		g.fail(fmt.Errorf("kernel: threadgroup %v: barrier at %s: %s there, %s", g.pos, m.first.site.where(),
			count(m.count, "waits", "wait"), count(g.ended, "has ended", "have ended")))
		return true
	}
	return m.grid // otherwise it has opened
}

func count(n int, one, several string) string {
	if n == 1 {
		return "1 thread " + one
	}
	return fmt.Sprintf("%d threads %s", n, several)
}

// differ is the error of threads that wait at different barriers.
func (g *group) differ() error {
	waiting := slices.Clone(g.barrier.waiting)
	slices.SortFunc(waiting, func(a, b *fiber) int { return a.thread.number() - b.thread.number() })
	first := waiting[0]
	others := slices.DeleteFunc(slices.Clone(waiting), func(f *fiber) bool { return f.site.stack == first.site.stack })
	err := fmt.Errorf("kernel: threadgroup %v: threads wait at different barriers: %d at %s, %d at %s", g.pos,
		len(waiting)-len(others), first.site.where(), len(others), others[0].site.where())
	if g.ended > 0 {
		err = fmt.Errorf("%w; %s", err, count(g.ended, "has ended", "have ended"))
	}
	return err
}

// fail ends the group; the first error counts.
func (g *group) fail(err error) {
	if g.failed == nil {
		g.failed = err
	}
}

// paused returns all fibers that wait.
func (g *group) paused() []*fiber {
	list := append(slices.Clone(g.ready), g.barrier.waiting...)
	for i := range g.simds {
		list = append(list, g.simds[i].paused...)
	}
	return list
}
