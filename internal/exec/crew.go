package exec

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Crew shares work out among goroutines, at most a given number at a time, over all jobs together.
// It has no goroutines of its own: helpers start with a job and end with it.
type Crew struct {
	workers   int
	scheduler *scheduler // counts helpers: the goroutines of all jobs besides those that called Share
	alive     sync.WaitGroup
}

// newCrew returns a crew of so many workers, one for each processor if workers is 0.
func newCrew(workers int) *Crew {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Crew{workers: workers, scheduler: newScheduler(workers)}
}

// Workers returns how many goroutines work on a job at most, the caller of Share included.
func (c *Crew) Workers() int { return c.workers }

// Claim says that there is work of a priority: work of lower priority makes room for one goroutine,
// and for helpers of jobs of that priority, until Unclaim.
func (c *Crew) Claim(p Priority) { c.scheduler.claim(p.level()) }

// Unclaim ends a claim.
func (c *Crew) Unclaim(p Priority) { c.scheduler.unclaim(p.level()) }

// Enter waits until the calling goroutine may do work of a priority that no job shares out, and
// counts it as running until Leave. What launches do need not be entered: they do so themselves.
func (c *Crew) Enter(p Priority) { c.scheduler.enter(p.level()) }

// Leave ends what Enter began.
func (c *Crew) Leave(p Priority) { c.scheduler.leave(p.level()) }

// wait waits for helpers to be gone; they may outlive their job by a moment. No job may be running.
func (c *Crew) wait() { c.alive.Wait() }

// Work is divided into pieces that are numbered from 0 and independent of each other.
type Work interface {
	// Do does the pieces from first to before end, in order, up to the first that fails: it returns
	// the number of that one and its error. Several goroutines call it at the same time. ErrAbandoned
	// gives the pieces up without an error, because an earlier piece has failed.
	Do(first, end int64) (failed int64, err error)
}

// Stopper tells work when to stop; a context.Context is one.
type Stopper interface {
	// Err returns why the work must stop, nil to go on. Workers ask often, and concurrently.
	Err() error
}

// Job shares the pieces of a Work out. Its owner may call Share any number of times, and Release
// once at the end; when release has been called the job can be owned again, so that jobs leave no
// garbage.
//
// Pieces begin in their order. If some fail, all pieces before the first of them have been done,
// whatever the number of workers, and the error is that piece's. A panic in a piece is its error, a
// PanicError.
type Job struct {
	crew    *Crew
	work    Work
	release func() // called when the last goroutine has left the job
	help    func() // the method helper, made once

	Priority Priority // the owner sets it before its first Share

	// Set by Share before helpers start.
	stopper Stopper
	total   int64
	chunk   int64
	wanted  int64 // helpers that could still join

	next  atomic.Int64 // the first piece that nobody has taken
	limit atomic.Int64 // the first piece that failed, or total: pieces from there on do not matter
	users atomic.Int64 // the owner, and goroutines that were started to help

	mu     sync.Mutex
	over   bool // too late to help
	helped sync.WaitGroup
	err    error // of piece limit
}

// NewJob returns a job. release, if not nil, is called after Release, once the last helper has left
// as well.
func (c *Crew) NewJob(work Work, release func()) *Job {
	j := &Job{crew: c, work: work, release: release, over: true}
	j.help = j.helper
	j.users.Store(1)
	return j
}

// Share does pieces 0 to total-1, chunk of them at a time, on the calling goroutine and on as many
// as helpers others, as far as other jobs leave them. It returns the number of the first piece that
// failed with its error, and total and the stopper's error if that stops it before all pieces were
// done.
func (j *Job) Share(stopper Stopper, total, chunk, helpers int64) (failed int64, err error) {
	j.stopper = stopper
	j.total, j.chunk = total, max(chunk, 1)
	j.wanted = min(helpers, int64(j.crew.workers)-1)
	j.next.Store(0)
	j.limit.Store(total)
	j.mu.Lock()
	j.over, j.err = false, nil // a late helper of the Share before may join in this one
	j.mu.Unlock()
	for more := true; more; more = j.step() {
		j.recruit()
	}
	j.mu.Lock()
	j.over = true
	j.mu.Unlock()
	j.helped.Wait()
	if j.err == nil && j.next.Load() < total {
		j.err = stopper.Err()
	}
	return j.limit.Load(), j.err
}

// Release ends the owner's use of the job.
func (j *Job) Release() {
	if j.users.Add(-1) > 0 {
		return
	}
	j.users.Store(1) // the next owner
	j.stopper, j.err = nil, nil
	if j.release != nil {
		j.release()
	}
}

// Abandoned reports whether a piece no longer matters, because an earlier one has failed.
func (j *Job) Abandoned(piece int64) bool { return piece >= j.limit.Load() }

// recruit starts helpers, as many as other jobs leave. Those that they do not leave now they may
// leave later.
func (j *Job) recruit() {
	for ; j.wanted > 0; j.wanted-- {
		if !j.crew.scheduler.hire(j.Priority.level()) {
			return
		}
		j.users.Add(1)
		j.crew.alive.Add(1)
		go j.help()
	}
}

// helper works on the job, unless it is over.
func (j *Job) helper() {
	defer j.crew.alive.Done()
	j.mu.Lock()
	over := j.over
	if !over {
		j.helped.Add(1)
	}
	j.mu.Unlock()
	for !over && j.step() {
	}
	j.crew.scheduler.dismiss(j.Priority.level()) // before the job ends, so that the next one finds the place free
	if !over {
		j.helped.Done()
	}
	j.Release()
}

// step does one chunk; it reports whether there may be more that matter.
func (j *Job) step() bool {
	if j.stopper.Err() != nil {
		return false
	}
	first := j.next.Add(j.chunk) - j.chunk
	if j.Abandoned(first) {
		return false
	}
	failed, err := j.do(first, min(first+j.chunk, j.total))
	if err == nil || err == ErrAbandoned {
		return true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if failed < j.limit.Load() {
		j.limit.Store(failed)
		j.err = err
	}
	return true
}

// do calls the work and makes an error of a panic, of all pieces of the chunk.
func (j *Job) do(first, end int64) (failed int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			failed, err = first, &PanicError{p, debug.Stack()}
		}
	}()
	return j.work.Do(first, end)
}
