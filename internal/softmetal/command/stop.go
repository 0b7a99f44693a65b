package command

import (
	"fmt"
	"sync/atomic"
	"time"
)

// The environment variables that bound what kernels may take, as errors name them.
const (
	FuelVariable    = "PUREMETAL_SOFTWARE_FUEL"
	TimeoutVariable = "PUREMETAL_SOFTWARE_TIMEOUT"
)

// removalGrace is how long running work may continue after the device is removed. Short work
// completes or does not start, so that a program can tell what has been done; work that takes long,
// or never ends, is stopped.
const removalGrace = 5 * time.Second

// control decides whether a buffer must stop: because the device was removed, because it was
// canceled, or because it has run for too long. The engine polls it while the buffer's kernels run.
// Once it has given a reason, the reason does not change.
type control struct {
	gpu   *GPU
	limit time.Duration // that end comes from
	end   uint64        // in the GPU's nanoseconds; 0 for none
	polls atomic.Uint32 // of end
	why   stopPointer
}

// stopError is why a buffer must stop.
type stopError struct {
	code   Code
	reason string
}

func (e *stopError) Error() string { return e.reason }

// pollsPerClock is how many polls share one reading of the clock, which takes as long as much of a
// small launch does.
const pollsPerClock = 8

// Err implements exec.Stopper.
func (c *control) Err() error {
	if e := c.why.Load(); e != nil {
		return e
	}
	switch gone := c.gpu.removedAt.Load(); {
	case gone != 0 && c.gpu.Now() > gone+uint64(removalGrace):
		c.stop(CodeDeviceRemoved, "the device was removed")
	case c.end != 0 && c.polls.Add(1)%pollsPerClock == 0 && c.gpu.Now() > c.end:
		c.stop(CodeTimeout, fmt.Sprintf("the command buffer has run for %v, the limit; "+
			"%s=duration or compute.WithTimeout sets another, 0 none", c.limit, TimeoutVariable))
	default:
		return nil
	}
	return c.why.Load()
}

// stop makes the buffer stop, unless there is a reason already.
func (c *control) stop(code Code, reason string) {
	c.why.CompareAndSwap(nil, &stopError{code, reason})
}

// begin starts the buffer's clock.
func (c *control) begin(limit time.Duration) {
	if c.limit = limit; limit > 0 {
		c.end = c.gpu.Now() + uint64(limit)
	}
}

// pause stops the buffer's clock while it waits for an event, which has its own limit, and returns
// a function that resumes it.
func (c *control) pause() (resume func()) {
	end, since := c.end, c.gpu.Now()
	c.end = 0
	return func() {
		if end != 0 {
			c.end = end + c.gpu.Now() - since
		}
	}
}

// SetTimeout sets how long each buffer of the queue that starts from now on may run, not counting
// waits for events; 0 is no limit. The default is the GPU's limit.
func (q *Queue) SetTimeout(d time.Duration) {
	if d <= 0 {
		d = -1
	}
	q.timeout.Store(int64(d))
}

// Timeout returns how long a buffer may run, 0 for no limit.
func (q *Queue) Timeout() time.Duration {
	if d := time.Duration(q.timeout.Load()); d != 0 {
		return max(d, 0)
	}
	return max(q.gpu.limits.Timeout, 0)
}

// SetFuel sets the work of each dispatch of the queue that begins from now on, in the units of
// package lir; 0 leaves it to the limits of the GPU.
func (q *Queue) SetFuel(units int64) { q.fuel.Store(max(units, 0)) }

// Cancel stops the buffers that have been committed and have not ended: the kernels of the running
// one end soon, those of the others do not start. All fail with the given reason, and signal their
// events like any buffer that fails. Buffers committed later run.
func (q *Queue) Cancel(reason string) {
	q.mu.Lock()
	if q.running != nil {
		q.running.control.stop(CodeInternal, reason)
	}
	for _, b := range q.order {
		if b.order >= comingIn {
			b.control.stop(CodeInternal, reason)
		}
	}
	q.mu.Unlock()
	q.gpu.wake()
}

// wake has buffers that wait for events see whether they must stop.
func (g *GPU) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for e := range g.waiting {
		go e.Wake()
	}
}
