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

// removalGrace is how long what runs may go on when the device is removed. Short work ends as a
// whole or does not begin, so that a program can tell what has been done; work that is long, or
// never ends, is stopped.
const removalGrace = 5 * time.Second

// control says whether a buffer must stop: because the device was removed, because it was
// canceled, or because it has run for too long. It is what the engine asks while the buffer's
// kernels run. Once it has given a reason it keeps to it.
type control struct {
	gpu   *GPU
	limit time.Duration // that end comes from
	end   uint64        // in the GPU's nanoseconds; 0 for none
	why   atomic.Pointer[stopError]
}

// stopError is why a buffer must stop.
type stopError struct {
	code   Code
	reason string
}

func (e *stopError) Error() string { return e.reason }

// Err implements exec.Stopper.
func (c *control) Err() error {
	if e := c.why.Load(); e != nil {
		return e
	}
	switch gone := c.gpu.removedAt.Load(); {
	case gone != 0 && c.gpu.Now() > gone+uint64(removalGrace):
		c.stop(CodeDeviceRemoved, "the device was removed")
	case c.end != 0 && c.gpu.Now() > c.end:
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

// begin starts the buffer's time.
func (c *control) begin(limit time.Duration) {
	if c.limit = limit; limit > 0 {
		c.end = c.gpu.Now() + uint64(limit)
	}
}

// pause stops the buffer's time while it waits for an event, which has a limit of its own, and
// returns what lets it go on.
func (c *control) pause() (resume func()) {
	end, since := c.end, c.gpu.Now()
	c.end = 0
	return func() {
		if end != 0 {
			c.end = end + c.gpu.Now() - since
		}
	}
}

// SetTimeout sets how long each buffer of the queue that begins from now on may run, without what
// it waits for events; 0 is no limit. Without it, the limits of the GPU say.
func (q *Queue) SetTimeout(d time.Duration) {
	if d <= 0 {
		d = -1
	}
	q.timeout.Store(int64(d))
}

// limit returns how long a buffer may run, 0 for no limit.
func (q *Queue) limit() time.Duration {
	if d := time.Duration(q.timeout.Load()); d != 0 {
		return max(d, 0)
	}
	return max(q.gpu.limits.Timeout, 0)
}

// SetFuel sets the work of each dispatch of the queue that begins from now on, in the units of
// package lir; 0 leaves it to the limits of the GPU.
func (q *Queue) SetFuel(units int64) { q.fuel.Store(max(units, 0)) }

// Cancel stops the buffers that have been committed and have not ended: the kernels of the one that
// runs end soon, those of the others do not begin. All fail, for the reason given, and signal their
// events as buffers that fail do. Buffers that are committed later run.
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
