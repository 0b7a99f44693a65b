package exec

import (
	"sync"
	"sync/atomic"
	"time"
)

// Priority ranks work relative to other work of the same crew.
type Priority int8

// The priorities.
const (
	LowPriority    Priority = -1
	NormalPriority Priority = 0
	HighPriority   Priority = 1
)

// levels is the number of priorities. A priority's level is its array index, where 0 is the highest
// priority.
const levels = 3

func (p Priority) level() int { return int(HighPriority - p) }

const (
	// turn is the time slice of a goroutine while others of its priority wait, and of work that
	// runs only because of its minimum share.
	turn = 2 * time.Millisecond
	// minShare determines the minimum share of waiting work: 1/minShare of the workers' time.
	minShare = 10
	// linger is how long the limit on lower priorities lasts after the last work of higher priority
	// ends: a program that alternately launches and waits will soon have more.
	linger = 10 * time.Millisecond
)

// scheduler decides which goroutines may run pieces of work while work of different priorities
// competes. While work of higher priority holds a claim, goroutines of lower priority park at
// their preemption points (between threadgroups, and inside long ones) until no more of them run
// than the claims leave workers for. A claim takes one worker, and so does each helper of that
// priority. Goroutines of one priority take turns.
//
// Nothing starves: if the claims leave no worker, a waiting priority accumulates credit, and from
// time to time one of its goroutines runs until the credit is used up. This adds up to 1/minShare
// of the workers' time.
//
// As long as all work has the same priority, none of this happens: enter, leave and the preemption
// check are only atomic operations.
type scheduler struct {
	workers int
	now     func() time.Duration
	arm     func(time.Duration) // schedules a call of tick

	running [levels]atomic.Int64 // goroutines that run pieces, without parked ones
	helpers [levels]atomic.Int64 // goroutines started by jobs
	pressed [levels]atomic.Bool  // there are claims of higher priority, or were within linger
	parked  atomic.Int64

	mu      sync.Mutex
	claims  [levels]int
	queues  [levels]waitQueue
	last    time.Duration // when advance was last called
	alarm   time.Duration // when tick will be called
	alarmed bool
}

// waitQueue holds the parked goroutines of a level and the state of their time slices.
type waitQueue struct {
	waiting []*waiter     // in FIFO order
	began   time.Duration // of the latest turn
	until   time.Duration // when the pressure ends, unless there are new claims of higher priority
	credit  time.Duration // run time accumulated while the claims leave no worker
	sharing bool          // a goroutine is running on credit
}

// waiter is a parked goroutine.
type waiter struct{ ready chan struct{} }

var waiters = sync.Pool{New: func() any { return &waiter{make(chan struct{}, 1)} }}

// newScheduler returns a scheduler with a real clock.
func newScheduler(workers int) *scheduler {
	start := time.Now()
	s := &scheduler{workers: workers, now: func() time.Duration { return time.Since(start) }}
	var timer *time.Timer
	s.arm = func(d time.Duration) { // the lock is held
		if timer == nil {
			timer = time.AfterFunc(d, s.tick)
			return
		}
		timer.Reset(d)
	}
	return s
}

// claim announces work of a level, which needs one worker. unclaim announces its end.
func (s *scheduler) claim(level int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advance()
	s.claims[level]++
	for below := level + 1; below < levels; below++ {
		s.pressed[below].Store(true)
	}
}

// unclaim ends a claim.
func (s *scheduler) unclaim(level int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.advance()
	s.claims[level]--
	for below := level + 1; below < levels; below++ {
		s.queues[below].until = now + linger
	}
	s.dispatch(now)
}

// hire counts a helper of a level, or returns false if helpers of this and higher priorities leave
// no worker for it.
func (s *scheduler) hire(level int) bool {
	taken := func() (n int64) {
		for l := range level + 1 {
			n += s.helpers[l].Load()
		}
		return n
	}
	if taken()+1 >= int64(s.workers) {
		return false
	}
	s.helpers[level].Add(1)
	if taken() >= int64(s.workers) { // another one was faster
		s.dismiss(level)
		return false
	}
	return true
}

// dismiss removes a helper from the count.
func (s *scheduler) dismiss(level int) {
	s.helpers[level].Add(-1)
	if s.parked.Load() > 0 {
		s.update()
	}
}

// enter counts a goroutine that is going to run pieces of a level, and waits until it may.
func (s *scheduler) enter(level int) {
	s.running[level].Add(1)
	if s.pressed[level].Load() {
		s.yield(level)
	}
}

// leave removes a goroutine that called enter.
func (s *scheduler) leave(level int) {
	s.running[level].Add(-1)
	if s.pressed[level].Load() {
		s.update()
	}
}

// yield waits until a goroutine between enter and leave may continue. It need be called only if the
// level is pressed.
func (s *scheduler) yield(level int) {
	if w := s.park(level); w != nil {
		<-w.ready
		waiters.Put(w)
	}
}

// park returns nil if a running goroutine may continue. Otherwise the goroutine no longer counts as
// running, and must wait for the returned waiter.
func (s *scheduler) park(level int) *waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.advance()
	q := &s.queues[level]
	if !s.pressed[level].Load() || s.running[level].Load() <= s.limit(level) &&
		(len(q.waiting) == 0 || now-q.began < turn) {
		return nil
	}
	w := waiters.Get().(*waiter)
	q.waiting = append(q.waiting, w)
	s.parked.Add(1)
	s.running[level].Add(-1)
	s.dispatch(now)
	return w
}

// update resumes goroutines that may run after a change.
func (s *scheduler) update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatch(s.advance())
}

// tick is called by the timer that arm sets.
func (s *scheduler) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alarmed = false
	s.dispatch(s.advance())
}

// free returns how many workers the claims and helpers of higher priorities leave for a level.
func (s *scheduler) free(level int) int64 {
	n := int64(s.workers)
	for above := range level {
		n -= int64(s.claims[above]) + s.helpers[above].Load()
	}
	return max(n, 0)
}

// limit returns how many goroutines of a pressed level may run.
func (s *scheduler) limit(level int) int64 {
	n := s.free(level)
	if n == 0 && s.queues[level].sharing {
		return 1
	}
	return n
}

// claimed reports whether there are claims of higher priority than a level.
func (s *scheduler) claimed(level int) bool {
	for above := range level {
		if s.claims[above] > 0 {
			return true
		}
	}
	return false
}

// advance accounts for the time since its last call, and ends pressure that has expired.
func (s *scheduler) advance() (now time.Duration) {
	now = s.now()
	passed := now - s.last
	s.last = now
	for level := 1; level < levels; level++ {
		q := &s.queues[level]
		if !s.pressed[level].Load() {
			continue
		}
		if !s.claimed(level) && now >= q.until {
			s.pressed[level].Store(false)
			q.credit, q.sharing = 0, false
			continue
		}
		running := s.running[level].Load()
		if s.free(level) > 0 || running == 0 && len(q.waiting) == 0 {
			continue
		}
		q.credit += passed*time.Duration(s.workers)/minShare - passed*time.Duration(running)
		q.credit = min(q.credit, turn)
		if q.credit >= turn {
			q.sharing = true
		} else if q.credit <= 0 {
			q.sharing = false
		}
	}
	return now
}

// dispatch resumes parked goroutines as far as the limits of their levels allow. If others can only
// be resumed after some time, it schedules tick.
func (s *scheduler) dispatch(now time.Duration) {
	for level := 1; level < levels; level++ {
		q := &s.queues[level]
		n := len(q.waiting)
		if s.pressed[level].Load() {
			n = min(n, int(max(s.limit(level)-s.running[level].Load(), 0)))
		}
		if n > 0 {
			q.began = now
			s.running[level].Add(int64(n))
			s.parked.Add(-int64(n))
			for _, w := range q.waiting[:n] {
				w.ready <- struct{}{}
			}
			rest := copy(q.waiting, q.waiting[n:])
			clear(q.waiting[rest:])
			q.waiting = q.waiting[:rest]
		}
		if len(q.waiting) == 0 {
			continue
		}
		switch {
		case !s.claimed(level):
			s.wake(now, q.until)
		case s.limit(level) == 0:
			s.wake(now, now+(turn-q.credit)*minShare/time.Duration(s.workers)+1)
		}
	}
}

// wake schedules a call of tick at the given time or earlier.
func (s *scheduler) wake(now, at time.Duration) {
	if !s.alarmed || at < s.alarm {
		s.alarmed, s.alarm = true, at
		s.arm(max(at-now, 1))
	}
}
