package vm

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/ir"
)

// Engine runs kernels over its workers. It is safe for concurrent use; launches that run at one time share the workers. It has no goroutines of its own:
// those that help a launch start with it and end with it.
type Engine struct {
	workers int
	helpers atomic.Int64 // of all launches, besides the callers of Run
	alive   sync.WaitGroup
	runs    sync.Pool
}

// NewEngine returns an engine with so many workers, one for each processor if workers is 0. The goroutine that calls Run is one of them.
func NewEngine(workers int) *Engine {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Engine{workers: workers}
}

// Workers returns how many goroutines run a kernel at most.
func (e *Engine) Workers() int { return e.workers }

// Close waits for the goroutines that have helped launches to be gone: they may outlive a launch by a moment. No launch may be running.
func (e *Engine) Close() { e.alive.Wait() }

// run is a launch that runs.
type run struct {
	e        *Engine
	k        *Kernel
	l        *Launch
	ctx      context.Context
	cancels  bool   // the context can end
	grid     [3]int // the launch's, each at least 1
	group    [3]int
	groups   [3]int
	total    int64
	chunk    int64
	values   []constant
	programs [8]atomic.Pointer[program] // by which of the grid's edges a threadgroup touches
	next     atomic.Int64               // the first threadgroup that nobody has taken
	limit    atomic.Int64               // the lowest threadgroup that failed, or their number: those from there on do not matter
	fuel     atomic.Int64
	step     int64 // of fuel

	wanted int64        // helpers that there could be beside those that there are
	help   func()       // what they run
	users  atomic.Int64 // Run, and the goroutines that were started to help: the last of them leaves it to another launch
	mu     sync.Mutex
	over   bool // too late to help
	helped sync.WaitGroup
	err    error // of threadgroup limit
}

// Run runs a kernel over a grid and waits for its end. If threadgroups fail, the error is that of the first of them in the order of the grid.
func (e *Engine) Run(ctx context.Context, k *Kernel, l *Launch) error {
	r, _ := e.runs.Get().(*run)
	if r == nil {
		r = &run{e: e}
		r.help = r.helping
	}
	r.users.Store(1)
	err := r.prepare(ctx, k, l, e.workers)
	if err == nil {
		r.chunk = max(1, r.total/(int64(e.workers)*16))
		r.wanted = min(int64(e.workers), (r.total+minGroups-1)/minGroups) - 1
		r.over = false
		for more := true; more; more = r.work() {
			r.ask()
		}
		err = r.finish()
	}
	r.k, r.l, r.ctx, r.err = nil, nil, nil, nil
	r.leave()
	return err
}

// minGroups is how many threadgroups are worth another worker.
const minGroups = 2

// prepare makes a launch ready to run.
func (r *run) prepare(ctx context.Context, k *Kernel, l *Launch, workers int) error {
	r.k, r.l, r.ctx, r.cancels, r.total = k, l, ctx, ctx.Done() != nil, 1
	threads := 1
	for i := range 3 {
		if l.Grid[i] < 0 || l.Group[i] < 0 {
			return fmt.Errorf("%w: a grid of %v threads in threadgroups of %v", ErrLaunch, l.Grid, l.Group)
		}
		r.grid[i], r.group[i] = max(l.Grid[i], 1), max(l.Group[i], 1)
		r.groups[i] = (r.grid[i]-1)/r.group[i] + 1
		if int64(r.groups[i]) > maxGroups/r.total {
			return fmt.Errorf("%w: a grid of %v threads in threadgroups of %v has more than %d threadgroups", ErrLaunch, l.Grid, l.Group, int64(maxGroups))
		}
		r.total *= int64(r.groups[i])
		threads *= min(r.group[i], ir.MaxThreads+1)
	}
	if threads > ir.MaxThreads {
		return fmt.Errorf("%w: %v is more than %d threads in a threadgroup", ErrLaunch, l.Group, ir.MaxThreads)
	}
	for slot, n := range l.Threadgroup {
		if n < 0 || n > ir.MaxThreadgroupBytes {
			return fmt.Errorf("%w: %d bytes of threadgroup memory in slot %d, not 0 to %d", ErrLaunch, n, slot, ir.MaxThreadgroupBytes)
		}
	}
	if err := r.constants(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range r.programs {
		r.programs[i].Store(nil)
	}
	r.next.Store(0)
	r.limit.Store(r.total)
	r.fuel.Store(l.Fuel)
	r.step = fuelStep
	if l.Fuel > 0 { // what strips have taken and not used is at most an eighth
		r.step = max(1, min(fuelStep, l.Fuel/int64(8*maxStrips*workers)))
	}
	return nil
}

// maxStrips is how many strips a threadgroup has at most with strips of lir.MaxLanes.
const maxStrips = 4

// maxGroups is how many threadgroups a grid may have.
const maxGroups = 1 << 48

// ask starts goroutines that help, as many as other launches leave. What they do not leave now they may leave later.
func (r *run) ask() {
	for ; r.wanted > 0; r.wanted-- {
		if r.e.helpers.Add(1) >= int64(r.e.workers) {
			r.e.helpers.Add(-1)
			return
		}
		r.users.Add(1)
		r.e.alive.Add(1)
		go r.help()
	}
}

// helping works for a launch, unless it is over.
func (r *run) helping() {
	defer r.e.alive.Done()
	r.mu.Lock()
	over := r.over
	if !over {
		r.helped.Add(1)
	}
	r.mu.Unlock()
	for !over && r.work() {
	}
	r.e.helpers.Add(-1) // before the launch ends, so that the next finds it
	if !over {
		r.helped.Done()
	}
	r.leave()
}

// leave ends one goroutine's use of a run.
func (r *run) leave() {
	if r.users.Add(-1) == 0 {
		r.e.runs.Put(r)
	}
}

// finish waits for the goroutines that help, keeps others from beginning to, and returns the launch's error.
func (r *run) finish() error {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.helped.Wait()
	if r.err != nil {
		return r.err
	}
	if r.limit.Load() < r.total || r.next.Load() < r.total {
		return r.ctx.Err()
	}
	return nil
}

// work takes a chunk of threadgroups; it reports whether there may be more that matter.
func (r *run) work() bool {
	if r.cancelled() {
		return false
	}
	first := r.next.Add(r.chunk) - r.chunk
	if first >= r.limit.Load() {
		return false
	}
	at, err := r.chunkOf(first, min(first+r.chunk, r.total))
	if err == nil || err == errStopped {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if at < r.limit.Load() {
		r.limit.Store(at)
		r.err = err
	}
	return true
}

// cancelled reports whether the context has ended.
func (r *run) cancelled() bool { return r.cancels && r.ctx.Err() != nil }

// chunkOf runs threadgroups one after the other, as long as they matter. It returns which of them failed.
func (r *run) chunkOf(first, end int64) (int64, error) {
	var p *program
	var g *group
	defer func() { g.release() }()
	pos := [3]int{int(first % int64(r.groups[0])), int(first / int64(r.groups[0]) % int64(r.groups[1])), int(first / int64(r.groups[0]) / int64(r.groups[1]))}
	for i := first; i < end && i < r.limit.Load(); i++ {
		if r.cancelled() {
			return i, r.ctx.Err()
		}
		next, err := r.program(pos)
		if err != nil {
			return i, err
		}
		if next != p {
			g.release()
			p = next
			if g, _ = p.free.Get().(*group); g == nil {
				g = newGroup(p)
			}
			g.begin(r)
		}
		g.start(i, pos)
		if err := g.run(); err == errStopped {
			return i, err
		} else if err != nil {
			return i, fmt.Errorf("kernel %q, threadgroup (%d, %d, %d): %w", r.k.f.Name, pos[0], pos[1], pos[2], err)
		}
		for axis := range pos {
			if pos[axis]++; pos[axis] < r.groups[axis] {
				break
			}
			pos[axis] = 0
		}
	}
	return 0, nil
}

// program returns the program for a threadgroup, whose shape the grid's edge may cut.
func (r *run) program(pos [3]int) (*program, error) {
	shape, edge := r.group, 0
	for i := range 3 {
		if rest := r.grid[i] - pos[i]*r.group[i]; rest < shape[i] {
			shape[i], edge = rest, edge|1<<i
		}
	}
	if p := r.programs[edge].Load(); p != nil {
		return p, nil
	}
	p, err := r.k.program(shape)
	if err == nil {
		r.programs[edge].Store(p)
	}
	return p, err
}

// fuelStep is how many back edges a strip takes at most at a time from the launch's fuel, and after how many it looks whether it is to stop.
const fuelStep = 1 << 12

// refuel lets a strip go on when it has used up its share of fuel, unless the launch has none left, is cancelled, or does not need the threadgroup.
func (f *frame) refuel() error {
	f.g.settle()
	r := f.g.r
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if f.g.number >= r.limit.Load() {
		return errStopped
	}
	f.fuel = r.step - 1 // one for the edge that is here
	if r.l.Fuel > 0 {
		left := r.fuel.Add(-r.step)
		if left <= -r.step {
			return fmt.Errorf("%w after %d back edges", ErrFuel, r.l.Fuel)
		}
		f.fuel += min(left, 0)
	}
	return nil
}
