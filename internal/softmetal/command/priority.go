package command

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/exec"
)

// SetPriority ranks the queue's buffers against those of other queues of the engine by an
// exec.Priority: while a queue of higher priority has work, kernels and copies of lower priority
// make room between threadgroups and commands. It must be called before the first commit. Without
// it the priority is normal.
func (q *Queue) SetPriority(p int64) error {
	if p < int64(exec.LowPriority) || p > int64(exec.HighPriority) {
		return fmt.Errorf("the priority is %d, want %d to %d", p, exec.LowPriority, exec.HighPriority)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.claims.committed {
		return errors.New("the priority is set after the first commit")
	}
	q.priority = exec.Priority(p)
	return nil
}

// Priority returns the priority set by SetPriority.
func (q *Queue) Priority() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(q.priority)
}

// claims counts a queue's buffers that are handed in and have not ended. As long as there are any,
// the queue claims a worker, unless it waits for an event, which work of lower priority may be
// about to signal. The queue's lock guards it.
type claims struct {
	buffers   int
	waiting   bool // for an event
	committed bool // there has been a buffer
}

func (c *claims) needed() bool { return c.buffers > 0 && !c.waiting }

// change changes the claims, under the queue's lock.
func (q *Queue) change(change func(*claims)) {
	before := q.claims.needed()
	change(&q.claims)
	switch after := q.claims.needed(); {
	case after && !before:
		q.gpu.engine.Claim(q.priority)
	case before && !after:
		q.gpu.engine.Unclaim(q.priority)
	}
}

// begin counts submitted buffers, under the queue's lock.
func (q *Queue) begin(buffers int) {
	q.change(func(c *claims) { c.buffers, c.committed = c.buffers+buffers, true })
}

// end uncounts a buffer that has ended, under the queue's lock.
func (q *Queue) end() { q.change(func(c *claims) { c.buffers-- }) }

// await waits for an event.
func (b *Buffer) await(o *op) error {
	if o.event.Value() >= o.value {
		return nil
	}
	b.queue.setWaiting(true)
	defer b.queue.setWaiting(false)
	return b.awaitEvent(o)
}

func (q *Queue) setWaiting(waiting bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.change(func(c *claims) { c.waiting = waiting })
}

// do runs a command of the CPU's, such as a copy.
func (b *Buffer) do(o *op) error {
	p := b.queue.priority
	b.gpu.engine.Enter(p)
	defer b.gpu.engine.Leave(p)
	if o.copies != nil {
		return o.copies(b.sequence.copies(o))
	}
	return o.fn()
}
