package command

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec"
)

// Queue runs buffers in order.
type Queue struct {
	gpu *GPU

	mu      sync.Mutex
	room    sync.Cond // a slot has become free
	slots   int       // buffers that may still be taken; negative for no limit
	bounded bool
	waiting int // calls of NewBuffer that wait for a slot

	order     []*Buffer // in order and not run yet
	running   *Buffer   // or nil
	notified  int       // how many of order are scheduled
	notifying []*Buffer // scheduled, and their handlers have not run
	done      []*Buffer // run, and their handlers have not
	last      *Buffer   // a wait or signal that the next commit depends on

	// Whether a goroutine has taken one of the queue's jobs: to run buffers, to call scheduled
	// handlers, to call completed handlers.
	runs, notifies, completes bool

	work worker // of who runs buffers

	priority exec.Priority
	claims   claims
	timeout  atomic.Int64 // of its buffers; negative for none, 0 for what the GPU's limits say
	fuel     atomic.Int64 // of each dispatch; 0 for what the GPU's limits say
	account  account      // of the buffers that run

	// Of the record of the order, under its lock.
	line   *line
	lineOf *ordering
	quiet  bool

	// Name returns what the owner calls the queue, for traces; nil for a queue without a name.
	Name func() string
}

// Label returns the queue's name.
func (q *Queue) Label() string {
	if q.Name == nil {
		return ""
	}
	return q.Name()
}

// NewQueue returns a queue. At most slots buffers that have not ended exist at a time; 0 is no
// limit.
func (g *GPU) NewQueue(slots int) *Queue {
	q := &Queue{gpu: g, slots: slots, bounded: slots > 0}
	q.room.L = &q.mu
	return q
}

// GPU returns the queue's GPU.
func (q *Queue) GPU() *GPU { return q.gpu }

// NewBuffer returns a buffer. It waits until the queue has room for one. The buffer must be
// committed or abandoned.
func (q *Queue) NewBuffer() *Buffer {
	b := &Buffer{gpu: q.gpu, queue: q, control: control{gpu: q.gpu}, ordered: q.gpu.order.Load()}
	b.changed.L = &q.mu
	b.list = q.gpu.lists.Get().(*list)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bounded {
		for q.slots == 0 {
			q.waiting++
			q.room.Wait()
			q.waiting--
		}
		q.slots--
		b.slot = true
	}
	return b
}

// free gives a buffer's slot back, under the queue's lock.
func (q *Queue) free(b *Buffer) {
	if b.slot {
		b.slot = false
		q.slots++
		q.room.Signal()
	}
}

// Enqueue gives the buffer its place in the queue's order, and returns false if it already has one.
// The queue waits for it to be committed.
func (b *Buffer) Enqueue() bool {
	q := b.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if b.order != notInOrder {
		return false
	}
	b.order = inOrder
	b.status.Store(uint32(Enqueued))
	q.order = append(q.order, b)
	return true
}

// Abandon ends a buffer that will never be committed. The queue continues without it.
func (b *Buffer) Abandon() {
	q := b.queue
	q.mu.Lock()
	if b.order > inOrder || b.list == nil {
		q.mu.Unlock()
		return
	}
	if i := slices.Index(q.order, b); i >= 0 {
		q.order = slices.Delete(q.order, i, i+1)
	}
	q.free(b)
	q.start()
	q.mu.Unlock()
	b.recycle()
}

// recycle gives the list back.
func (b *Buffer) recycle() {
	l := b.list
	b.list = nil
	if b.from != nil {
		return
	}
	b.gpu.inline.give(l.pieces)
	l.reset()
	b.gpu.lists.Put(l)
}

// Commit submits the buffer, and returns false if it was already committed. If an encoder is open,
// the buffer will fail.
func (b *Buffer) Commit(call string) bool {
	q := b.queue
	if b.encoder != nil {
		b.Misuse(call, "an encoder of the command buffer has not ended")
	}
	q.mu.Lock()
	if b.order > inOrder {
		q.mu.Unlock()
		return false
	}
	if b.order == notInOrder {
		q.order = append(q.order, b)
	}
	b.order = comingIn
	b.note()
	b.mark(KernelStart)
	b.status.Store(uint32(Committed))
	q.mu.Unlock()
	q.trace(b)
	q.mu.Lock()
	b.order = handedIn
	q.begin(1)
	q.start()
	q.mu.Unlock()
	return true
}

// trace reports commits to the observer. The buffers have their places in the order, and wait
// there.
func (q *Queue) trace(buffers ...*Buffer) {
	if fn := q.gpu.trace.Load(); fn != nil {
		for _, b := range buffers {
			(*fn)(q, b)
		}
	}
}

// start finds the buffers that can be scheduled and those that can run, under the queue's lock.
func (q *Queue) start() {
	for q.notified < len(q.order) && q.order[q.notified].order == handedIn {
		b := q.order[q.notified]
		q.notified++
		q.notifying = append(q.notifying, b)
	}
	q.notify()
	if !q.runs && q.ready() != nil {
		q.runs = true
		go q.run(nil)
	}
}

// ready returns the buffer to run next, nil if there is none.
func (q *Queue) ready() *Buffer {
	if len(q.order) > 0 && q.order[0].order == handedIn {
		return q.order[0]
	}
	return nil
}

// notify schedules buffers, under the queue's lock. Those with handlers need a goroutine: the one
// that commits may hold locks that a handler needs.
func (q *Queue) notify() {
	for !q.notifies && len(q.notifying) > 0 {
		b := q.notifying[0]
		b.mark(KernelEnd)
		b.status.CompareAndSwap(uint32(Committed), uint32(Scheduled))
		b.changed.Broadcast()
		if len(b.scheduled) > 0 {
			q.notifies = true
			go q.callScheduled(b)
			return
		}
		b.notified = true
		q.notifying = pop(q.notifying)
	}
}

func (q *Queue) callScheduled(b *Buffer) {
	for _, fn := range b.scheduled {
		fn()
	}
	q.mu.Lock()
	b.scheduled, b.notified = nil, true
	b.changed.Broadcast()
	q.notifying = pop(q.notifying)
	q.notifies = false
	q.notify()
	q.mu.Unlock()
}

// pop takes the first element out and keeps the memory.
func pop(list []*Buffer) []*Buffer {
	n := copy(list, list[1:])
	list[n] = nil
	return list[:n]
}

// run runs buffers until there are none, or until one that somebody waits for has ended. Who calls
// it has set q.runs.
func (q *Queue) run(until *Buffer) {
	q.mu.Lock()
	for {
		b := q.ready()
		if b == nil || until != nil && until.executed {
			q.runs = false
			break
		}
		q.order = pop(q.order)
		q.notified-- // every buffer that runs is scheduled
		q.running = b
		q.mu.Unlock()

		q.gpu.execute(b, &q.work)

		q.mu.Lock()
		q.running, b.executed = nil, true
		q.done = append(q.done, b)
		if q.ready() == nil || b == until {
			q.runs = false
			break
		}
		if !q.completes {
			q.completes = true
			go q.complete(nil)
		}
	}
	if !q.runs && q.ready() != nil {
		q.runs = true
		go q.run(nil)
	}
	if len(q.done) == 0 || q.completes {
		q.mu.Unlock()
		return
	}
	q.completes = true
	q.mu.Unlock()
	q.complete(until)
}

// complete calls completed handlers until there are none, or until those of a buffer that somebody
// waits for have run. Who calls it has set q.completes.
func (q *Queue) complete(until *Buffer) {
	q.mu.Lock()
	for len(q.done) > 0 {
		b := q.done[0]
		for !b.notified {
			b.changed.Wait()
		}
		q.end() // before the handlers: who they wake must not find work of lower priority in its way
		q.mu.Unlock()
		b.end()
		q.mu.Lock()
		q.done = pop(q.done)
		b.ended = true
		q.free(b)
		b.changed.Broadcast()
		if b == until && len(q.done) > 0 {
			go q.complete(nil)
			q.mu.Unlock()
			return
		}
	}
	q.completes = false
	q.mu.Unlock()
}

// end gives the buffer its last status and calls its handlers.
func (b *Buffer) end() {
	if b.err != nil {
		b.status.Store(uint32(Failed))
	} else {
		b.status.Store(uint32(Completed))
	}
	if b.Traced != nil {
		b.Traced(b)
	}
	if b.Release != nil {
		b.Release()
	}
	if len(b.completed) > 0 {
		b.seen()
	}
	for _, fn := range b.completed {
		fn()
	}
	b.completed = nil
	b.recycle()
	if b.Finish != nil {
		b.Finish()
	}
}

// WaitScheduled waits until the buffer is scheduled and its scheduled handlers have run. The buffer
// must be committed.
func (b *Buffer) WaitScheduled() {
	b.queue.mu.Lock()
	defer b.queue.mu.Unlock()
	for !b.notified {
		b.changed.Wait()
	}
}

// WaitCompleted waits until the buffer has completed or failed and its handlers have run. The
// buffer must be committed. If nobody runs the queue yet, the caller does.
func (b *Buffer) WaitCompleted() {
	q := b.queue
	q.mu.Lock()
	if !b.ended && !q.runs && !b.executed && q.ready() != nil {
		q.runs = true
		q.mu.Unlock()
		q.run(b)
		q.mu.Lock()
	}
	for !b.ended {
		b.changed.Wait()
	}
	q.mu.Unlock()
	b.seen()
}

// Boundary reports to the observer of commits that a unit of work ends here, as programs mark
// frames.
func (q *Queue) Boundary() {
	if fn := q.gpu.trace.Load(); fn != nil {
		(*fn)(q, nil)
	}
}
