package command

import "fmt"

// CommitAll hands in buffers of allocators, in order and with no other between them. What fails in
// one keeps those after it from running, and is their error too. It fails, and hands none in, where
// the commands of one are gone.
func (q *Queue) CommitAll(buffers []*Buffer) error {
	for i, b := range buffers {
		if !b.fly() {
			for _, done := range buffers[:i] {
				done.land()
			}
			return fmt.Errorf("command buffer %d: its allocator was reset after it was encoded", i)
		}
	}
	q.mu.Lock()
	for _, b := range buffers {
		q.enter(b)
		q.last = b
	}
	q.last = nil // the next commit does not depend on this one
	q.mu.Unlock()
	q.trace(buffers...)
	q.mu.Lock()
	for _, b := range buffers {
		b.order = handedIn
	}
	q.begin(len(buffers))
	q.start()
	q.mu.Unlock()
	return nil
}

// enter appends a buffer that has no queue to this queue, where it waits, under the queue's lock.
func (q *Queue) enter(b *Buffer) {
	b.queue, b.changed.L, b.after = q, &q.mu, q.last
	b.order = comingIn
	b.note()
	b.mark(KernelStart)
	b.status.Store(uint32(Committed))
	q.order = append(q.order, b)
}

// SignalEvent signals an event when the work submitted so far has ended, and WaitForEvent makes the
// work submitted from now on wait for one: if the event is never signaled, that work fails, up to
// the end of the next commit. done is called at the end, with the error, if any.
func (q *Queue) SignalEvent(call string, e *Event, value uint64, done func(error)) {
	q.aside(op{kind: opSignal, call: call, event: e, value: value}, done)
}

// WaitForEvent is described with SignalEvent.
func (q *Queue) WaitForEvent(call string, e *Event, value uint64, done func(error)) {
	q.aside(op{kind: opWait, call: call, event: e, value: value}, done)
}

// aside hands in a command that belongs to no command buffer of the program's.
func (q *Queue) aside(o op, done func(error)) {
	b := &Buffer{gpu: q.gpu, control: control{gpu: q.gpu}, bare: true, ordered: q.gpu.order.Load(),
		list: q.gpu.lists.Get().(*list)}
	b.list.ops = append(b.list.ops, o)
	b.Finish = func() { done(b.Err()) }
	q.mu.Lock()
	q.enter(b)
	b.order = handedIn
	q.begin(1)
	q.last = b
	q.start()
	q.mu.Unlock()
}

// blocked returns why a buffer does not run: what its commit needs has failed.
func (b *Buffer) blocked() error {
	a := b.after
	if a == nil {
		return nil
	}
	b.after = nil // that one has run
	if a.err != nil {
		return a.err
	}
	return nil
}
