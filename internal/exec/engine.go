package exec

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/hook"
)

// Engine runs kernels on a Crew. It is safe for concurrent use; concurrent launches share the
// workers.
type Engine struct {
	*Crew
	runs sync.Pool
}

// NewEngine returns an engine with the given number of workers, or GOMAXPROCS if it is 0. The
// goroutine that calls Run is one of them.
func NewEngine(workers int) *Engine { return &Engine{Crew: newCrew(workers)} }

// Close waits until all helper goroutines have ended. No launch may be running.
func (e *Engine) Close() { e.wait() }

// Run is a launch in progress, as a Group sees it.
type Run struct {
	Geometry
	Kernel    *Kernel
	Launch    *Launch
	Constants []Constant // values of the function's constants, in its order; empty if compiled into the program

	job     *Job
	waiting []*Waiting // the threadgroups of a cooperative launch, in the order of execution
	begun   bool       // all of them; those that no longer wait have ended
	// programs are by the axes along which the edge of the grid truncates the threadgroup, and then
	// those that report to the hook.
	programs [16]atomic.Pointer[compiled]
	first    atomic.Bool // keep programs that better ones would replace, as those do not get their memory
	fuel     atomic.Int64
	fuelStep int64

	scratch       sync.Mutex
	scratchGiven  *sync.Cond // signaled when a worker returns scratch memory
	scratchOwners int        // workers that hold scratch memory
	scratchWanted int        // workers that wait for some
	idle          []worker   // which no piece uses now

	series bool   // the worker of the only threadgroup, for the next launch of a series
	last   worker // which was kept

	kept [keptObjects]Object // of a launch in phases
}

// minGroups is the number of threadgroups that justifies another worker. chunksPerWorker is the
// number of chunks into which each worker's share is divided, so that all end at about the same
// time.
const (
	minGroups       = 2
	chunksPerWorker = 16
)

// Run executes a kernel over a grid and waits for it to end. If threadgroups fail, the error is
// that of the first one in grid order. If the stopper stops the launch, it ends soon after, with
// the stopper's error.
func (e *Engine) Run(stopper Stopper, k *Kernel, l *Launch) error {
	r, err := e.run(stopper, k, l, false)
	if r != nil {
		r.settle(l)
		r.finish()
	}
	return err
}

// settle notes how much fuel a launch has left, once no goroutine uses the run anymore.
func (r *Run) settle(l *Launch) {
	if r.series { // its only worker has paused
		l.Left = max(r.fuel.Load(), 0)
		return
	}
	r.end(&r.last)
	r.endIdle()
	l.Left = max(r.fuel.Load(), 0)
}

// run is Run, except that the caller must finish the returned Run, if there is one. keep: a next
// launch may use its state.
func (e *Engine) run(stopper Stopper, k *Kernel, l *Launch, keep bool) (*Run, error) {
	l.Left = l.Fuel
	if k.o.Whole != nil && l.Hook == nil {
		return nil, e.whole(stopper, k, l)
	}
	if done, err := e.native(stopper, k, l); done {
		return nil, err
	}
	r, _ := e.runs.Get().(*Run)
	if r == nil {
		r = &Run{}
		r.scratchGiven = sync.NewCond(&r.scratch)
		r.job = e.NewJob(r, func() { e.runs.Put(r) })
	}
	if err := r.prepare(stopper, k, l); err != nil {
		r.Kernel, r.Launch = nil, nil
		e.runs.Put(r)
		return nil, err
	}
	r.series = keep && r.Total == 1 && k.repeatable(l)
	r.job.Priority = l.Priority
	chunk, helpers := r.Total/(int64(e.Workers())*chunksPerWorker), (r.Total+minGroups-1)/minGroups-1
	if l.Schedule != nil {
		helpers = 0
	}
	var err error
	switch p := k.phases(l); {
	case p != nil:
		err = r.runPhases(stopper, p, chunk, helpers)
	case k.grid:
		err = r.cooperate(stopper, chunk, helpers)
	default:
		_, err = r.job.Share(stopper, r.Total, chunk, helpers)
	}
	if l.Cooperative != nil && !k.grid {
		*l.Cooperative = Cooperative{Phases: 1}
	}
	return r, err
}

// finish ends the use of the run.
func (r *Run) finish() {
	r.end(&r.last)
	r.endIdle()
	r.Kernel, r.Launch = nil, nil
	r.job.Release()
}

// whole runs a launch that one function executes.
func (e *Engine) whole(stopper Stopper, k *Kernel, l *Launch) (err error) {
	if err := l.checkGrid(k.grid, k.gridFlow); err != nil {
		return err
	}
	level := l.Priority.level()
	e.scheduler.enter(level)
	defer e.scheduler.leave(level)
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{p, debug.Stack()}
		}
	}()
	return k.o.Whole(stopperContext{context.Background(), stopper}, l)
}

// stopperContext is a context that ends when a stopper says so.
type stopperContext struct {
	context.Context
	stopper Stopper
}

// Err implements context.Context.
func (c stopperContext) Err() error { return c.stopper.Err() }

// prepare makes a launch ready to run.
func (r *Run) prepare(stopper Stopper, k *Kernel, l *Launch) (err error) {
	r.Kernel, r.Launch, r.Constants = k, l, r.Constants[:0]
	if r.Geometry, err = l.check(k.f); err != nil {
		return err
	}
	if err = l.checkGrid(k.grid, k.gridFlow); err != nil {
		return err
	}
	if !k.specialized || l.Hook != nil {
		if r.Constants, err = readConstants(k.f, k.constants, l.Constants, r.Constants); err != nil {
			return err
		}
	}
	for i := range r.programs {
		if r.programs[i].Load() != nil { // a store costs more
			r.programs[i].Store(nil)
		}
	}
	if r.first.Load() {
		r.first.Store(false)
	}
	r.setFuel(l)
	return nil
}

// setFuel gives a launch its fuel. The unused shares of all strips must total at most an eighth.
func (r *Run) setFuel(l *Launch) {
	r.fuel.Store(l.Fuel)
	r.fuelStep = maxFuelStep
	if shares := 8 * int64(r.Kernel.maxStrips*r.job.crew.workers); 0 < l.Fuel && l.Fuel < shares*maxFuelStep {
		r.fuelStep = max(1, l.Fuel/shares)
	}
}

// Do implements Work: it executes threadgroups in sequence.
func (r *Run) Do(first, end int64) (int64, error) {
	level := r.job.Priority.level()
	r.job.crew.scheduler.enter(level)
	defer r.job.crew.scheduler.leave(level)
	pressed := &r.job.crew.scheduler.pressed[level]
	var w worker
	alone := end-first == r.Total // no other piece leaves or wants a worker
	if alone {
		w, r.last = r.last, worker{}
	} else {
		w = r.takeIdle()
	}
	ended := false
	defer func() {
		if !ended { // the state of a group that panicked must not be reused
			r.giveScratch(w.scratch)
		}
	}()
	pos := r.position(first)
	i, err := first, error(nil)
	for i < end && !r.job.Abandoned(i) {
		if pressed.Load() {
			r.job.crew.scheduler.yield(level)
		}
		if w.p == nil || r.Total > 1 {
			if err = r.prepareFor(&w, pos); err != nil {
				break
			}
		}
		var done int64
		done, err = r.run(&w, i, pos, end-i)
		i += done
		if r.Launch.Schedule != nil {
			pos = r.position(i)
		} else {
			pos = r.after(pos, int(done))
		}
		if err != nil {
			err = r.failed(pos, err)
			break
		}
	}
	ended = true
	switch g, pauses := w.g.(Pauser); {
	case !alone:
		r.putIdle(w)
	case r.series && pauses && err == nil:
		g.Pause()
		r.last = w
	default:
		r.end(&w)
	}
	return i, err
}

// run executes the threadgroup at a position, and as many as it can of those that follow in its
// row, up to n. It returns how many have ended.
func (r *Run) run(w *worker, number int64, pos [3]int, n int64) (done int64, err error) {
	switch {
	case r.waiting != nil:
		err = r.step(w.g, number, pos)
	case w.rows != nil && r.Launch.Schedule == nil && r.Launch.Hook == nil:
		return w.rows.RunRow(number, pos, min(n, r.row(pos)))
	default:
		err = w.g.Run(number, pos)
	}
	if err != nil {
		return 0, err
	}
	return 1, nil
}

// worker is what a goroutine needs to execute threadgroups.
type worker struct {
	p       *compiled // nil if there is none yet
	g       Group     // of the program
	rows    RowRunner // g, if it is one
	scratch int64     // memory of the launch that g uses
}

// prepareFor makes sure that a worker can execute the threadgroup at a position.
func (r *Run) prepareFor(w *worker, pos [3]int) error {
	next, err := r.program(pos)
	if err != nil || next == w.p {
		return err
	}
	r.end(w)
	n, err := r.takeScratch(next)
	if err != nil && next.worse != nil && r.waiting == nil { // which takes less memory
		r.first.Store(true)
		next = next.worse
		n, err = r.takeScratch(next)
	}
	if err != nil {
		return err
	}
	*w = worker{p: next, g: next.Begin(r), scratch: n}
	w.rows, _ = w.g.(RowRunner)
	return nil
}

// end ends a worker's use of its program.
func (r *Run) end(w *worker) {
	if w.g != nil {
		r.job.crew.spent(r.Kernel, w.p, w.g.End())
		r.giveScratch(w.scratch)
	}
	*w = worker{}
}

// takeIdle returns a worker that an earlier piece of the launch left, or an empty one.
func (r *Run) takeIdle() (w worker) {
	r.scratch.Lock()
	defer r.scratch.Unlock()
	return r.popIdle()
}

// popIdle is takeIdle with the lock held.
func (r *Run) popIdle() (w worker) {
	if n := len(r.idle) - 1; n >= 0 {
		w, r.idle = r.idle[n], r.idle[:n]
	}
	return w
}

// putIdle leaves a worker for later pieces, unless another waits for its memory, or a program needs
// to know the work that it has done.
func (r *Run) putIdle(w worker) {
	if w.p == nil {
		return
	}
	_, reports := w.p.Program.(Improver)
	r.scratch.Lock()
	keep := !reports && r.scratchWanted == 0
	if keep {
		r.idle = append(r.idle, w)
	}
	r.scratch.Unlock()
	if !keep {
		r.end(&w)
	}
}

// endIdle ends the workers that are left, when no goroutine uses the run anymore.
func (r *Run) endIdle() {
	for i := range r.idle {
		r.end(&r.idle[i])
	}
	r.idle = r.idle[:0]
}

// row returns how many threadgroups from a position on have the same shape: those up to the end of
// its row and, if all of a row are whole, the rows after it.
func (r *Run) row(pos [3]int) int64 {
	whole := r.Grid[0] / r.Group[0]
	if rows := r.Grid[1] / r.Group[1]; whole == r.Groups[0] && pos[1] < rows {
		return int64(rows-pos[1])*int64(whole) - int64(pos[0])
	}
	return int64(max(1, whole-pos[0]))
}

// after returns the position of the threadgroup that is a number of threadgroups behind another.
func (r *Run) after(pos [3]int, n int) [3]int {
	x := pos[0] + n
	y := pos[1] + x/r.Groups[0]
	return [3]int{x % r.Groups[0], y % r.Groups[1], pos[2] + y/r.Groups[1]}
}

// failed adds the threadgroup to an error.
func (r *Run) failed(pos [3]int, err error) error {
	if err == ErrAbandoned {
		return err
	}
	return fmt.Errorf("kernel %q, threadgroup (%d, %d, %d): %w", r.Kernel.f.Name, pos[0], pos[1], pos[2], err)
}

// position returns the position of the threadgroup that is executed as number i.
func (r *Run) position(i int64) [3]int {
	if s := r.Launch.Schedule; s != nil {
		i = s.Threadgroup(min(i, r.Total-1), r.Total)
	}
	x, y := int64(r.Groups[0]), int64(r.Groups[1])
	return [3]int{int(i % x), int(i / x % y), int(i / x / y)}
}

// program returns the program for the threadgroup at a position; at the edge of the grid, the
// threadgroup may be smaller.
func (r *Run) program(pos [3]int) (*compiled, error) {
	shape, edge := r.Shape(pos), 0
	for i := range 3 {
		if shape[i] < r.Group[i] {
			edge |= 1 << i
		}
	}
	watched := r.watches(pos)
	if watched {
		edge |= 8
	}
	p := r.programs[edge].Load()
	if p == nil {
		p, err := r.Kernel.program(r.job.stopper, programKey{shape, watched, r.Launch.Schedule != nil})
		if err != nil {
			return nil, err
		}
		if !r.programs[edge].CompareAndSwap(nil, p) {
			p = r.programs[edge].Load()
		}
		return p, nil
	}
	// The program that a threadgroup waits in is the one that continues it.
	if b := p.better.Load(); b != nil && r.waiting == nil {
		r.programs[edge].Store(b)
		p = b
	}
	if p.worse != nil && r.first.Load() {
		p = p.worse
	}
	return p, nil
}

// watches reports whether the launch's hook observes the threadgroup at a position.
func (r *Run) watches(pos [3]int) bool {
	if s, ok := r.Launch.Hook.(hook.Sampler); ok {
		return s.Wants(pos)
	}
	return r.Launch.Hook != nil
}

// maxFuelStep is the maximum fuel that a strip takes from the launch at a time. After that much
// work, about a millisecond, it checks whether to stop or to yield to work of higher priority.
const maxFuelStep = 1 << 20

// Refuel returns a share of the launch's fuel for a strip of a threadgroup, at least as much as its
// debt. It waits while work of higher priority needs the worker. It fails if not enough fuel is
// left or the launch is stopped, and with ErrAbandoned if the threadgroup no longer matters.
func (r *Run) Refuel(number, debt int64) (int64, error) {
	if level := r.job.Priority.level(); r.job.crew.scheduler.pressed[level].Load() {
		r.job.crew.scheduler.yield(level)
	}
	if r.job.Abandoned(number) {
		return 0, ErrAbandoned
	}
	if err := r.job.stopper.Err(); err != nil {
		return 0, err
	}
	step := max(r.fuelStep, debt)
	if r.Launch.Fuel <= 0 {
		return step, nil
	}
	left := r.fuel.Add(-step)
	if left < debt-step {
		return 0, &BudgetError{Work: cmp.Or(r.Launch.Budget, r.Launch.Fuel)}
	}
	return step + min(left, 0), nil
}

// ReturnFuel returns a strip's unused fuel to the launch.
func (r *Run) ReturnFuel(n int64) { r.fuel.Add(n) }

// takeScratch reserves the working memory of a group and returns its size. If other workers of the
// launch hold too much of it, takeScratch waits for them: a launch that one worker can run must not
// fail because more of them help.
func (r *Run) takeScratch(p Program) (int64, error) {
	account := r.Launch.Scratch
	if account == nil {
		return 0, nil
	}
	n := p.Scratch()
	for _, size := range r.Launch.Threadgroup {
		n += int64(size)
	}
	if n == 0 {
		return 0, nil
	}
	r.scratch.Lock()
	defer r.scratch.Unlock()
	for {
		err := account.TakeScratch(n)
		if err == nil {
			r.scratchOwners++
			return n, nil
		}
		if w := r.popIdle(); w.p != nil {
			r.scratch.Unlock()
			r.end(&w)
			r.scratch.Lock()
			continue
		}
		if r.scratchOwners == 0 {
			return 0, fmt.Errorf("%w: kernel %q needs %d bytes for each running threadgroup: %w",
				ErrScratch, r.Kernel.f.Name, n, err)
		}
		r.scratchWanted++
		r.scratchGiven.Wait()
		r.scratchWanted--
	}
}

func (r *Run) giveScratch(n int64) {
	if n == 0 {
		return
	}
	r.scratch.Lock()
	defer r.scratch.Unlock()
	r.Launch.Scratch.GiveScratch(n)
	r.scratchOwners--
	r.scratchGiven.Broadcast()
}
