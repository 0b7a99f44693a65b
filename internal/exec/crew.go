package exec

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Crew distributes work over goroutines, with a common limit for all concurrent jobs. It keeps no
// idle goroutines: helpers start and end with a job.
type Crew struct {
	workers   int
	scheduler *scheduler // counts helpers: the goroutines of all jobs except the callers of Share
	alive     sync.WaitGroup
	compiling atomic.Bool // a program in the background
}

// newCrew returns a crew with the given number of workers, or GOMAXPROCS if it is 0.
func newCrew(workers int) *Crew {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Crew{workers: workers, scheduler: newScheduler(workers)}
}

// Workers returns the maximum number of goroutines that work on a job, including the caller of
// Share.
func (c *Crew) Workers() int { return c.workers }

// Claim announces work of a priority. Until Unclaim, work of lower priority leaves room for one
// goroutine, and for helpers of jobs of that priority.
func (c *Crew) Claim(p Priority) { c.scheduler.claim(p.level()) }

// Unclaim ends a claim.
func (c *Crew) Unclaim(p Priority) { c.scheduler.unclaim(p.level()) }

// Enter waits until the calling goroutine may do work of a priority outside of any job, and counts
// it as running until Leave. Launches call it themselves.
func (c *Crew) Enter(p Priority) { c.scheduler.enter(p.level()) }

// Leave ends the work that Enter began.
func (c *Crew) Leave(p Priority) { c.scheduler.leave(p.level()) }

// wait waits until all helpers have ended; they may briefly outlive their job. No job may be
// running.
func (c *Crew) wait() { c.alive.Wait() }

// Work consists of independent pieces, numbered from 0.
type Work interface {
	// Do executes the pieces [first, end) in order, stopping at the first that fails, and returns
	// its number and error. It is called concurrently. If it returns ErrAbandoned, the remaining
	// pieces are dropped without an error, because an earlier piece has failed.
	Do(first, end int64) (failed int64, err error)
}

// Stopper decides when work must stop. A context.Context is a Stopper.
type Stopper interface {
	// Err returns the reason why the work must stop, or nil. Workers call it often and concurrently.
	Err() error
}

// Job distributes the pieces of a Work. Its owner may call Share any number of times, and Release
// once at the end. After the release callback the job can be reused by another owner, so jobs leave
// no garbage.
//
// Pieces are started in order. If some fail, all pieces before the first failed one have been done,
// regardless of the number of workers, and the error is that piece's. A panic in a piece becomes
// its error, a PanicError.
type Job struct {
	crew    *Crew
	work    Work
	release func() // called when the last goroutine has left the job
	help    func() // the method value helper, created once

	Priority Priority // set by the owner before its first Share

	// Set by Share before helpers start.
	stopper Stopper
	total   int64
	chunk   int64
	wanted  int64 // helpers that may still join

	next  atomic.Int64 // first piece not yet taken
	limit atomic.Int64 // first piece that failed, or total; later pieces do not matter
	users atomic.Int64 // the owner and all started helpers

	mu     sync.Mutex
	over   bool // helpers can no longer join
	helped sync.WaitGroup
	err    error // of piece limit
}

// NewJob returns a job. release, if not nil, is called after Release, once the last helper has also
// left.
func (c *Crew) NewJob(work Work, release func()) *Job {
	j := &Job{crew: c, work: work, release: release, over: true}
	j.help = j.helper
	j.users.Store(1)
	return j
}

// Share does pieces 0 to total-1 in chunks, on the calling goroutine and on up to helpers others,
// as far as other jobs leave workers. It returns the number and the error of the first piece that
// failed. If the stopper ends it early, it returns total and the stopper's error.
func (j *Job) Share(stopper Stopper, total, chunk, helpers int64) (failed int64, err error) {
	j.stopper = stopper
	j.total, j.chunk = total, max(chunk, 1)
	j.wanted = min(helpers, int64(j.crew.workers)-1)
	j.next.Store(0)
	j.limit.Store(total)
	j.mu.Lock()
	j.over, j.err = false, nil // a late helper of the previous Share may join this one
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
	j.users.Store(1) // for the next owner
	j.stopper, j.err = nil, nil
	if j.release != nil {
		j.release()
	}
}

// Abandoned reports whether a piece no longer matters, because an earlier one has failed.
func (j *Job) Abandoned(piece int64) bool { return piece >= j.limit.Load() }

// recruit starts as many helpers as other jobs leave room for. It is called again after each chunk,
// in case there is more room.
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
	j.crew.scheduler.dismiss(j.Priority.level()) // before the job ends, so that the next job can use the worker
	if !over {
		j.helped.Done()
	}
	j.Release()
}

// step does one chunk and reports whether there may be more to do.
func (j *Job) step() bool {
	// Asking the stopper reads a clock, which takes as long as a chunk of a short kernel, so the
	// end of the work is checked first.
	if j.Abandoned(j.next.Load()) || j.stopper.Err() != nil {
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

// do calls the work and turns a panic into an error of the chunk's first piece.
func (j *Job) do(first, end int64) (failed int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			failed, err = first, &PanicError{p, debug.Stack()}
		}
	}()
	return j.work.Do(first, end)
}
