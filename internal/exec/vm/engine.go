package vm

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Engine runs kernels over its workers. It is safe for concurrent use; launches that run at one time share the workers.
type Engine struct {
	workers int
	jobs    chan *run // to the workers besides the callers of Run
	start   sync.Once
	closed  chan struct{}
	idle    sync.WaitGroup
	runs    sync.Pool
}

// NewEngine returns an engine with so many workers, one for each processor if workers is 0. The goroutine that calls Run is one of them; the
// others are started when they are first needed, and stop at Close.
func NewEngine(workers int) *Engine {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Engine{workers: workers, jobs: make(chan *run, workers), closed: make(chan struct{})}
}

// Close stops the workers. No launch may be running.
func (e *Engine) Close() {
	close(e.closed)
	e.idle.Wait()
}

// run is a launch that runs.
type run struct {
	k        *Kernel
	l        *Launch
	ctx      context.Context
	groups   [3]int
	total    int64
	chunk    int64
	values   []constant
	programs [8]atomic.Pointer[program] // by which of the grid's edges a threadgroup touches
	next     atomic.Int64               // the first threadgroup that nobody has taken
	fuel     atomic.Int64
	stopped  atomic.Bool
	working  sync.WaitGroup

	mu    sync.Mutex
	err   error
	errAt int64 // the threadgroup of err; the lowest counts
}

// Run runs a kernel over a grid and waits for its end.
func (e *Engine) Run(ctx context.Context, k *Kernel, l *Launch) error {
	r, _ := e.runs.Get().(*run)
	if r == nil {
		r = &run{}
	}
	defer func() {
		r.k, r.l, r.ctx, r.err = nil, nil, nil, nil
		e.runs.Put(r)
	}()
	r.k, r.l, r.ctx, r.total = k, l, ctx, 1
	threads := 1
	for i := range 3 {
		l.Grid[i], l.Group[i] = max(l.Grid[i], 1), max(l.Group[i], 1)
		r.groups[i] = (l.Grid[i] + l.Group[i] - 1) / l.Group[i]
		r.total *= int64(r.groups[i])
		threads *= min(l.Group[i], 1025)
	}
	if threads > 1024 {
		return fmt.Errorf("%w: %v is more than 1024 threads in a threadgroup", ErrLaunch, l.Group)
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
	r.fuel.Store(l.Fuel)
	r.stopped.Store(false)
	r.errAt = r.total
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() { r.stopped.Store(true) })()
	}
	helpers := min(int64(e.workers-1), (r.total-1)/minGroups)
	r.chunk = max(1, r.total/(int64(e.workers)*16))
	if helpers > 0 {
		e.start.Do(e.startWorkers)
		r.working.Add(int(helpers))
		for range helpers {
			e.jobs <- r
		}
	}
	r.work()
	r.working.Wait()
	if r.err == nil {
		r.err = ctx.Err()
	}
	return r.err
}

// minGroups is how many threadgroups are worth another worker.
const minGroups = 4

func (e *Engine) startWorkers() {
	for range e.workers - 1 {
		e.idle.Add(1)
		go func() {
			defer e.idle.Done()
			for {
				select {
				case r := <-e.jobs:
					r.work()
					r.working.Done()
				case <-e.closed:
					return
				}
			}
		}()
	}
}

// work takes threadgroups until there are none.
func (r *run) work() {
	for !r.stopped.Load() {
		first := r.next.Add(r.chunk) - r.chunk
		if first >= r.total {
			return
		}
		if at, err := r.chunkOf(first, min(first+r.chunk, r.total)); err != nil {
			r.mu.Lock()
			if at < r.errAt && err != errStopped {
				r.err, r.errAt = err, at
			}
			r.mu.Unlock()
			r.stopped.Store(true)
			return
		}
	}
}

// chunkOf runs threadgroups one after the other. It returns which of them failed.
func (r *run) chunkOf(first, end int64) (int64, error) {
	var p *program
	var g *group
	defer func() {
		if g != nil {
			g.r = nil
			p.free.Put(g)
		}
	}()
	for i := first; i < end && !r.stopped.Load(); i++ {
		pos := [3]int{int(i % int64(r.groups[0])), int(i / int64(r.groups[0]) % int64(r.groups[1])), int(i / int64(r.groups[0]) / int64(r.groups[1]))}
		next, err := r.program(pos)
		if err != nil {
			return i, err
		}
		if next != p {
			if g != nil {
				p.free.Put(g)
			}
			p = next
			if g, _ = p.free.Get().(*group); g == nil {
				g = newGroup(p)
			}
		}
		g.start(r, pos)
		if err := g.run(); err == errStopped {
			return i, err
		} else if err != nil {
			return i, fmt.Errorf("kernel %q, threadgroup (%d, %d, %d): %w", r.k.f.Name, pos[0], pos[1], pos[2], err)
		}
	}
	return 0, nil
}

// program returns the program for a threadgroup, whose shape the grid's edge may cut.
func (r *run) program(pos [3]int) (*program, error) {
	shape, edge := r.l.Group, 0
	for i := range 3 {
		if rest := r.l.Grid[i] - pos[i]*r.l.Group[i]; rest < shape[i] {
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

// fuelStep is how many back edges a strip takes at a time from the launch's fuel.
const fuelStep = 1 << 12

// refuel lets a strip go on when it has used up its share of fuel, unless the launch has none left or is stopped.
func (f *frame) refuel() error {
	r := f.g.r
	if r.stopped.Load() {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		return errStopped
	}
	f.fuel = fuelStep
	if r.l.Fuel > 0 {
		left := r.fuel.Add(-fuelStep)
		if left <= -fuelStep {
			return fmt.Errorf("%w after %d back edges", ErrFuel, r.l.Fuel)
		}
		f.fuel = min(fuelStep, fuelStep+left)
	}
	return nil
}
