package compute

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// Stream is an in-order queue of work. Commands behave as if run one at a time; launches whose
// memory does not overlap may run concurrently. Different streams run concurrently: two streams
// must not access the same memory unless an event ([Stream.Record], [Stream.WaitFor]) or Sync
// orders them. A Stream is safe for concurrent use.
//
// Commands are batched into command buffers. While the stream has few command buffers in flight, a
// command is submitted immediately; otherwise it waits, and joins the next batch. See [Batching].
type Stream struct {
	acc      *Accelerator
	label    string
	number   uint64 // unique in the accelerator
	priority Priority
	context  context.Context // cancels its work; nil for none
	unwatch  func() bool     // stops watching the context

	stats     stream.Counters // atomic
	failures  failures        // has its own lock
	callbacks callbacks       // has its own lock

	capture atomic.Pointer[stream.Capture] // takes its commands; nil for none

	accounts atomic.Uint64 // of work that were given out; see Stream.share

	guarded *streamGuard // nil unless package resilience deals with its failures

	queueNumber atomic.Uint64 // of its queue, for the sanitizer; 0 without one

	// mu guards the fields below. It may be held while the locks of failures, callbacks and the
	// accelerator are taken, never the other way around.
	mu         sync.Mutex
	submission submission
	retirement retirement
	history    commandHistory
	metal      metal // owned by the submitting goroutine while there is one

	// The accelerator's lock guards these.
	counted   bool // already added to the accelerator's closedStats
	abandoned bool // not a leak, because the program cannot close it
}

// StreamOptions configures a stream.
type StreamOptions struct {
	Label    string // for errors, the log and Metal's tools
	Priority Priority

	// Context, if not nil, cancels the stream's work when it ends: commands that have not reached the
	// device fail with [ErrCanceled] and the context's cause, the software device stops kernels in
	// progress, and new commands are rejected. A GPU cannot stop work that it has begun. If the
	// context of a [Stream.Sync] on such a stream ends, that cancels the work as well.
	Context context.Context
}

// NewStream makes a stream. Close it when done. A stream itself is small, and makes a Metal command
// queue with its first submission, which Apple's documentation recommends to create rarely and to
// keep: a server had better keep a few streams than make one for each request. On the software
// device, where a queue is cheap too, a new stream for each launch added 5 µs and 4 kB to the 16 µs
// of launch and Sync (BenchmarkNewStream).
func (a *Accelerator) NewStream(o StreamOptions) (*Stream, error) {
	if a.missing() {
		return nil, stream.NilError("accelerator: NewStream")
	}
	return a.newStream(o, a.core.Guard != nil)
}

func (a *Accelerator) newStream(o StreamOptions, guarded bool) (*Stream, error) {
	if o.Label == "" {
		o.Label = "stream"
	}
	if o.Priority < LowPriority || o.Priority > HighPriority {
		return nil, fmt.Errorf("compute: stream %q: priority %d, want %d to %d: %w",
			o.Label, o.Priority, LowPriority, HighPriority, ErrOption)
	}
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.core.Calls.Done()
	s := &Stream{
		acc: a, label: o.Label, number: a.madeStreams.Add(1), priority: o.Priority, context: o.Context,
		submission: submission{batching: a.batching},
		retirement: retirement{after: a.idle, now: a.now},
		history:    commandHistory{ring: make([]stream.CommandSummary, a.history)},
	}
	s.retirement.retire = s.retire
	if guarded {
		s.guardStream()
	}
	s.callbacks.failed = s.callbackFailed
	if err := a.core.AddOpen(s, fmt.Sprintf("stream %q", o.Label), s.drop); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.metal.acquire(s); err != nil {
		a.core.RemoveOpen(s)
		return nil, err
	}
	s.retirement.idle()
	s.watch()
	return s, nil
}

// Accelerator returns the accelerator that the stream belongs to; nil for a nil stream and for one
// that no function of this package made.
func (s *Stream) Accelerator() *Accelerator {
	if s == nil {
		return nil
	}
	return s.acc
}

// Label returns the stream's label.
func (s *Stream) Label() string {
	if s.missing() {
		return ""
	}
	return s.label
}

// Flush submits pending commands without waiting for a larger batch.
func (s *Stream) Flush() {
	if s.missing() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hurry()
}

// Sync waits until all commands recorded before the call have ended. It returns their failures,
// each an *[ExecutionError], except those that another Sync has already returned; from the 65th on,
// failures are only counted. If ctx ends first, Sync returns its error and the work goes on. Only
// if [StreamOptions] has a Context is the unfinished work canceled; a later Sync then returns its
// failure.
func (s *Stream) Sync(ctx context.Context) error {
	if err := stream.CheckCall(ctx, "stream: Sync", s.missing()); err != nil {
		if !s.missing() && s.context != nil && ctx != nil {
			s.cancel(stream.CanceledBy(ctx))
		}
		return err
	}
	if err := s.capturing("Sync"); err != nil {
		return err
	}
	return s.sync(ctx)
}

// sync is Sync, but succeeds with a context that has ended if there is nothing to wait for.
func (s *Stream) sync(ctx context.Context) error {
	number, err := s.drain(ctx)
	if err != nil {
		if s.context != nil {
			s.cancel(stream.CanceledBy(ctx))
		}
		return err
	}
	return s.failures.take(s.label, number)
}

// drain waits until all commands recorded before the call have ended, and returns the number of the
// last one.
func (s *Stream) drain(ctx context.Context) (uint64, error) {
	s.mu.Lock()
	number := s.submission.recorded
	s.mu.Unlock()
	return number, s.waitNumber(ctx, number, "stream "+s.label)
}

// outstanding returns how many commands have not ended.
func (s *Stream) outstanding() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submission.recorded - s.submission.completed
}

// failedBatches returns how many batches of the stream have failed.
func (s *Stream) failedBatches() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submission.failed
}

// callbackFailed logs the panic of a callback, identified by the number of its command, and keeps
// it for Sync.
func (s *Stream) callbackFailed(number uint64, err error) {
	err = fmt.Errorf("compute: stream %s: %w", s.label, err)
	s.acc.log.Error("compute: a callback failed", "stream", s.label, "error", err)
	s.failures.addLate(number, err)
}

// unfinished describes the commands that have not ended, "" for none.
func (s *Stream) unfinished() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.submission.idle() {
		return ""
	}
	recorded := s.submission.recorded
	return fmt.Sprintf("stream %q with %d of %d commands", s.label, recorded-s.submission.completed, recorded)
}

// Close waits until the stream's work and callbacks have ended and closes the stream. It returns
// the same errors as [Stream.Sync]. If ctx ends first, Close cancels the work and leaves the stream
// open; the error tells how much work was left, and Close may be called again. Only the software
// device stops kernels in progress; a GPU runs them to completion. Closing a closed stream does
// nothing.
func (s *Stream) Close(ctx context.Context) error {
	if s.missing() {
		return stream.NilError("stream: Close")
	}
	if !s.beginClose() {
		return nil
	}
	left, err := s.finishAll(ctx)
	if left != "" {
		s.cancelClose()
		return fmt.Errorf("compute: %s %w: %w", left, ErrStaysOpen, err)
	}
	s.drop()
	return err
}

// finishAll waits until the work and the callbacks of a stream that refuses new commands have
// ended, and returns the failures that no Sync has returned. If ctx ends first, finishAll cancels
// the work and returns what is left and the context's error.
func (s *Stream) finishAll(ctx context.Context) (left string, err error) {
	number, err := s.drain(ctx)
	if what := s.unfinished(); err != nil && what != "" {
		s.cancel(stream.CanceledBy(ctx))
		return what, err
	}
	if err := s.callbacks.wait(ctx); err != nil { // they may still panic
		return fmt.Sprintf("stream %q with callbacks", s.label), err
	}
	return "", s.failures.take(s.label, number)
}

// beginClose makes the stream refuse new commands, and reports whether it accepted them before.
func (s *Stream) beginClose() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.submission.closed
	s.submission.closed = true
	s.submission.wake()
	return !was
}

// cancelClose undoes beginClose.
func (s *Stream) cancelClose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submission.closed = false
}

// abandon leaves it to the accelerator's Close to close the stream.
func (s *Stream) abandon() {
	s.acc.core.Mu.Lock()
	defer s.acc.core.Mu.Unlock()
	s.abandoned = true
}

// drop releases the stream's Metal objects. Its work has ended.
func (s *Stream) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submission.closed = true
	s.metal.release()
	s.acc.core.Mu.Lock()
	delete(s.acc.core.Opened, s)
	if !s.counted {
		s.counted = true
		s.acc.closedStats.Add(&s.stats)
	}
	s.acc.core.Mu.Unlock()
	s.retirement.stop()
	if s.unwatch != nil {
		s.unwatch()
	}
}

// retire releases the Metal objects of a stream that has been idle for long enough; the next batch
// makes new ones.
func (s *Stream) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retirement.due(s.submission.closed || s.submission.submitting || !s.submission.idle()) {
		s.metal.release()
	}
}

// capturing returns an error while the stream is being captured.
func (s *Stream) capturing(what string) error {
	if c := s.capture.Load(); c != nil {
		return c.Refuse(what)
	}
	return nil
}
