package compute

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/puremetal/puremetal/mtl"
)

// Stream is a line of work for the device: what it is given runs as if one after the other, though launches whose memory does not meet run side by
// side. Streams run beside each other; only events ([Stream.Record], [Stream.WaitFor]) and Sync order one after another, so two of them must not touch the
// same memory without. It is safe for any number of goroutines.
//
// Work is collected and goes to the device in command buffers: at once while the device has room for more of the stream's, else when it has; see [Batching].
type Stream struct {
	acc      *Accelerator
	label    string
	priority Priority
	metal    // touched by the goroutine that submits, and with the lock while there is none

	mu        sync.Mutex
	closed    bool
	pending   []work // from head on
	head      int
	spare     []work // a batch's slice, to be used again
	running   bool   // a goroutine submits
	delayed   bool   // a timer will start one
	urgent    uint64 // do not wait for more work up to this number
	inFlight  []*batch
	recorded  uint64 // number of the last command
	completed uint64 // number of the last command of those that have ended without a gap
	waiters   []waiter
	failures  []failure
	unheard   failure  // the first one since the last callback, with the last command of the latest one
	calls     []func() // completed callbacks that have not run
	calling   bool     // a goroutine runs them

	retirement *time.Timer // gives queue and fence back when the stream has long been idle
	idleSince  time.Time

	stats     streamCounters
	counted   bool // in the accelerator's figures of closed streams; guarded by its lock
	abandoned bool // nobody has it who could close it; guarded by the accelerator's lock
	history   pastCommands
}

// waiter waits until a number is completed, or until there is room.
type waiter struct {
	number uint64
	room   bool
	done   chan struct{}
}

// failure is a command buffer that failed.
type failure struct {
	number uint64 // of its last command
	err    error
	more   int // command buffers that failed after it, where there was no room for them; number is then of the last one
}

// maxFailures is how many failures a stream keeps for a Sync that may never come.
const maxFailures = 64

// StreamOptions says what a stream is.
type StreamOptions struct {
	Label    string // for messages, and for Metal's tools
	Priority Priority
}

// Priority is how a stream's work stands to that of others. Metal's queues have none; so while a stream of higher priority has work, one of lower
// priority has a single command buffer on the device, and it goes on without ever starving.
type Priority int8

// The priorities.
const (
	LowPriority    Priority = -1
	NormalPriority Priority = 0
	HighPriority   Priority = 1
)

// metal is what a stream has of Metal's: a queue, what its command buffers are made by, and a fence that orders its encoders. An idle stream gives it back.
type metal struct {
	queue      mtl.CommandQueue
	descriptor mtl.CommandBufferDescriptor
	fence      mtl.Fence
}

// release gives it back.
func (m *metal) release() {
	m.queue.Release()
	m.descriptor.Release()
	m.fence.Release()
	*m = metal{}
}

// NewStream makes a stream. Close it when done.
func (a *Accelerator) NewStream(o StreamOptions) (*Stream, error) {
	if o.Label == "" {
		o.Label = "stream"
	}
	if o.Priority < LowPriority || o.Priority > HighPriority {
		return nil, fmt.Errorf("compute: stream %q: priority %d, want %d to %d: %w", o.Label, o.Priority, LowPriority, HighPriority, ErrOption)
	}
	if err := a.begin(); err != nil {
		return nil, err
	}
	defer a.calls.done()
	s := &Stream{acc: a, label: o.Label, priority: o.Priority, history: pastCommands{ring: make([]past, a.history)}}
	if err := a.enter(s, fmt.Sprintf("stream %q", o.Label)); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.acquire(); err != nil {
		a.leave(s)
		return nil, err
	}
	s.retireLater()
	return s, nil
}

// acquire makes what the stream has of Metal's, where it has none.
func (s *Stream) acquire() (err error) {
	if !s.queue.IsNil() {
		return nil
	}
	var m metal
	if m.queue, err = s.acc.device.NewCommandQueue(); err == nil {
		m.descriptor, err = mtl.NewCommandBufferDescriptor()
	}
	if err == nil {
		if m.fence = s.acc.device.NewFence(); m.fence.IsNil() {
			err = fmt.Errorf("the device made no fence: %w", ErrOutOfMemory)
		}
	}
	if err != nil {
		m.release()
		return fmt.Errorf("compute: stream %q: %w", s.label, err)
	}
	m.queue.SetLabel(s.label)
	m.descriptor.SetErrorOptions(mtl.CommandBufferErrorOptionEncoderExecutionStatus)
	s.metal = m
	return nil
}

// Label returns the stream's label.
func (s *Stream) Label() string { return s.label }

// maxPending is how many commands wait in a stream before it makes the caller wait.
const maxPending = 4096

// record adds a command, whose uses have been counted; they end also where it is refused.
func (s *Stream) record(ctx context.Context, w work) error {
	_, err := s.recordNumber(ctx, w)
	return err
}

// recordNumber is record, and returns the command's number.
func (s *Stream) recordNumber(ctx context.Context, w work) (uint64, error) {
	s.mu.Lock()
	for s.waiting() >= maxPending && !s.closed {
		done := s.wait(waiter{room: true})
		s.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			w.end()
			return 0, ended(ctx, "room in stream "+s.label)
		}
		s.mu.Lock()
	}
	if s.closed {
		s.mu.Unlock()
		w.end()
		return 0, fmt.Errorf("compute: stream %q: %w", s.label, ErrClosed)
	}
	if s.recorded == s.completed {
		s.acc.busy[s.priority-LowPriority].Add(1)
	}
	s.recorded++
	w.number = s.recorded
	if len(s.pending) == cap(s.pending) && s.head > 0 { // move down rather than grow
		n := copy(s.pending, s.pending[s.head:])
		clear(s.pending[n:])
		s.pending, s.head = s.pending[:n], 0
	}
	s.pending = append(s.pending, w)
	s.stats.count(&w)
	s.start()
	s.mu.Unlock()
	return w.number, nil
}

// waitNumber waits until a command has ended.
func (s *Stream) waitNumber(ctx context.Context, number uint64, what string) error {
	s.mu.Lock()
	if s.completed >= number {
		s.mu.Unlock()
		return nil
	}
	s.hurry()
	done := s.wait(waiter{number: number})
	s.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ended(ctx, what)
	}
}

// wait adds a waiter. The lock is held.
func (s *Stream) wait(w waiter) <-chan struct{} {
	w.done = make(chan struct{})
	s.waiters = append(s.waiters, w)
	return w.done
}

// wake ends the waits that are over; those for room also when the stream is closed, for there will be none. The lock is held.
func (s *Stream) wake() {
	kept := s.waiters[:0]
	for _, w := range s.waiters {
		if w.room && (s.closed || s.waiting() < maxPending) || !w.room && w.number <= s.completed {
			close(w.done)
		} else {
			kept = append(kept, w)
		}
	}
	clear(s.waiters[len(kept):])
	s.waiters = kept
}

// start has the pending work submitted, if the device has room for it. The lock is held.
func (s *Stream) start() {
	b := s.acc.batching
	switch {
	case s.running, s.waiting() == 0, len(s.inFlight) >= s.room():
	case b.Delay > 0 && s.pending[s.head].number > s.urgent && s.waiting() < b.Commands:
		if !s.delayed {
			s.delayed = true
			time.AfterFunc(b.Delay, s.late)
		}
	default:
		s.running = true
		go s.submit()
	}
}

// room is how many command buffers the stream may have on the device now. The lock is held.
func (s *Stream) room() int {
	for p := s.priority + 1; p <= HighPriority; p++ {
		if s.acc.busy[p-LowPriority].Load() > 0 {
			return 1
		}
	}
	return s.acc.batching.InFlight
}

// late is the end of the delay that batching allows.
func (s *Stream) late() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delayed = false
	s.hurry()
}

// hurry has everything submitted that is pending now. The lock is held.
func (s *Stream) hurry() {
	s.urgent = s.recorded
	s.start()
}

// submit makes command buffers of the pending work while the device takes them.
func (s *Stream) submit() {
	for {
		s.mu.Lock()
		if s.waiting() == 0 || len(s.inFlight) >= s.room() {
			s.running = false
			s.mu.Unlock()
			return
		}
		b := s.take()
		s.inFlight = append(s.inFlight, b)
		s.wake()
		s.mu.Unlock()
		b.submit()
	}
}

// take cuts the next batch off the pending work. The lock is held.
func (s *Stream) take() *batch {
	limit, bytes := s.acc.batching, 0
	n := s.head
	for n < len(s.pending) && n-s.head < limit.Commands && bytes < limit.Bytes {
		w := &s.pending[n]
		n++
		bytes += w.bytes()
		if w.kind == signalWork && w.event.timing {
			break // its time is that of the command buffer's end
		}
	}
	b := &batch{stream: s, works: append(s.spare, s.pending[s.head:n]...)}
	s.spare = nil
	clear(s.pending[s.head:n])
	if s.head = n; n == len(s.pending) {
		s.pending, s.head = s.pending[:0], 0
	}
	return b
}

// waiting is how many commands have not gone to the device. The lock is held.
func (s *Stream) waiting() int { return len(s.pending) - s.head }

// finish takes the result of a batch. It is called once for each, on a thread of Metal's.
func (s *Stream) finish(b *batch, err error) {
	for i := range b.works {
		if w := &b.works[i]; err == nil || w.kind != signalWork {
			w.end()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b.ended, b.err = true, err
	before := s.completed
	// Buffers may end out of order when one of them failed before it was committed.
	for len(s.inFlight) > 0 && s.inFlight[0].ended {
		first := s.inFlight[0]
		s.completed = first.last()
		s.settle(first)
		s.history.add(first.works)
		clear(first.works)
		s.spare = first.works[:0]
		s.inFlight = append(s.inFlight[:0], s.inFlight[1:]...)
	}
	if s.completed == s.recorded && s.completed != before {
		s.acc.busy[s.priority-LowPriority].Add(-1)
		s.retireLater()
	}
	s.wake()
	s.start()
	if len(s.calls) > 0 && !s.calling {
		s.calling = true
		go s.callBack()
	}
}

// settle does what had to wait until a batch and all before it have ended: it keeps the failure for Sync, signals what the device never will, and adds the batch's
// callbacks to those that are to run. The lock is held.
func (s *Stream) settle(b *batch) {
	if b.err != nil {
		s.keep(b)
	}
	for i := range b.works {
		switch w := &b.works[i]; {
		case w.kind == signalWork && b.err != nil: // not earlier, or who waits for an earlier record of the event would go on too soon
			w.point.force(w.value) // or another stream would wait for ever
			w.end()
		case w.call == nil:
		case w.kind == callWork: // it asks for what came before, too, which may have been in other command buffers
			s.callLater(w.call, s.unheard.err)
			if s.unheard.number <= w.number {
				s.unheard = failure{}
			}
		default: // a transfer
			s.callLater(w.call, b.err)
		}
	}
}

// keep keeps a batch's failure for Sync and for the next callback. The lock is held.
func (s *Stream) keep(b *batch) {
	if n := len(s.failures); n < maxFailures {
		s.failures = append(s.failures, failure{number: b.last(), err: b.err})
	} else {
		s.failures[n-1].more++
		s.failures[n-1].number = b.last()
	}
	s.unheard.number = b.last()
	if s.unheard.err == nil {
		s.unheard.err = b.err
	}
}

// callLater adds a callback. The lock is held.
func (s *Stream) callLater(call func(error), err error) {
	s.calls = append(s.calls, func() { call(err) })
}

// callBack runs the callbacks in order.
func (s *Stream) callBack() {
	for {
		s.mu.Lock()
		if len(s.calls) == 0 {
			s.calling = false
			s.mu.Unlock()
			return
		}
		fn := s.calls[0]
		s.calls = s.calls[1:]
		s.mu.Unlock()
		fn()
	}
}

// Flush sends what is waiting to the device without waiting for more of it.
func (s *Stream) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hurry()
}

// Sync waits until everything that the stream was given before the call has ended, and returns the failures among it that no other Sync has
// returned, each an *[ExecutionError]; where they are more than 64, those that follow are only counted. When ctx ends first, its error comes back and the work
// goes on.
func (s *Stream) Sync(ctx context.Context) error {
	number, err := s.drain(ctx)
	if err != nil {
		return err
	}
	return s.failed(number)
}

// drain waits until everything that the stream was given before the call has ended, and returns the number of the last command.
func (s *Stream) drain(ctx context.Context) (uint64, error) {
	s.mu.Lock()
	number := s.recorded
	s.mu.Unlock()
	return number, s.waitNumber(ctx, number, "stream "+s.label)
}

// left says how much of what the stream was given has not ended, "" for nothing.
func (s *Stream) left() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recorded == s.completed {
		return ""
	}
	return fmt.Sprintf("stream %q with %d of %d commands", s.label, s.recorded-s.completed, s.recorded)
}

// failed returns the failures of commands up to a number, which no other call returns then.
func (s *Stream) failed(number uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	kept := s.failures[:0]
	for _, f := range s.failures {
		if f.number > number {
			kept = append(kept, f)
			continue
		}
		errs = append(errs, f.err)
		if f.more > 0 {
			errs = append(errs, fmt.Errorf("compute: stream %s: %d more command buffers failed, which the log tells of: %w", s.label, f.more, ErrExecution))
		}
	}
	s.failures = kept
	return errors.Join(errs...)
}

// Close waits until the stream's work has ended and gives the stream up. It returns what [Stream.Sync] would. When ctx ends before the work, the stream stays
// open, and the error says how much is left. A second Close does nothing.
func (s *Stream) Close(ctx context.Context) error {
	if !s.shut() {
		return nil
	}
	number, err := s.drain(ctx)
	if what := s.left(); err != nil && what != "" {
		s.reopen()
		return fmt.Errorf("compute: %s stays open: %w", what, err)
	}
	s.drop()
	return s.failed(number)
}

// shut has the stream take nothing new, and reports whether it did before.
func (s *Stream) shut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.closed
	s.closed = true
	s.wake()
	return !was
}

// reopen is the end of shut, where the stream could not be closed.
func (s *Stream) reopen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = false
}

// abandon leaves the stream to the accelerator's Close.
func (s *Stream) abandon() {
	s.acc.mu.Lock()
	defer s.acc.mu.Unlock()
	s.abandoned = true
}

// drop releases what the stream has of Metal's. Its work has ended.
func (s *Stream) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.metal.release()
	s.acc.mu.Lock()
	delete(s.acc.opened, s)
	if !s.counted {
		s.counted = true
		s.stats.addTo(&s.acc.ended)
	}
	s.acc.mu.Unlock()
	if s.retirement != nil {
		s.retirement.Stop()
	}
}
