package compute

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/objc"
)

// errNotRun is the failure of commands that were canceled before they reached the device.
var errNotRun = errors.New("the device has not run it")

// cancel cancels the stream's unfinished commands. Commands that have not reached the device do not
// run and fail. The software device stops those that have reached it; a GPU runs them to
// completion, and they then end as if they had not been canceled.
func (s *Stream) cancel(cause error) {
	cause = fmt.Errorf("%w: %w", ErrCanceled, cause)
	s.mu.Lock()
	pending := s.submission.cancel(cause)
	if !s.submission.submitting {
		s.cancelDevice()
	}
	s.mu.Unlock()
	for _, b := range pending {
		b.stream = s
		s.finish(b, b.executionError(errNotRun))
	}
}

// cancelDevice makes the device stop canceled batches. The caller holds the lock and owns s.metal.
func (s *Stream) cancelDevice() {
	if cause := s.submission.canceled; cause != nil {
		s.submission.canceled = nil
		s.metal.cancel(s.acc, cause)
	}
}

// cancel marks the batches in flight as canceled, and moves the pending commands behind them into
// canceled batches, which the caller must finish. The owner of the stream's queue must then call
// cancelDevice.
func (s *submission) cancel(cause error) (pending []*batch) {
	if s.idle() {
		return nil
	}
	for _, b := range s.inFlight {
		b.canceled = cause
		if b.stop != nil {
			b.stop(cause)
		}
		s.canceled = cause
	}
	for s.pending.len() > 0 {
		b := &batch{works: s.pending.cut(s.batching), canceled: cause}
		s.inFlight = append(s.inFlight, b)
		pending = append(pending, b)
	}
	return pending
}

// canceledBy returns why the batch was canceled, nil if it was not.
func (b *batch) canceledBy() error {
	b = b.whole()
	b.stream.mu.Lock()
	defer b.stream.mu.Unlock()
	return b.canceled
}

// watch cancels the stream's work when the stream's own context ends.
func (s *Stream) watch() {
	if s.context != nil {
		s.unwatch = context.AfterFunc(s.context, func() { s.cancel(stream.CanceledBy(s.context)) })
	}
}

// ended returns an error once the stream's own context has ended.
func (s *Stream) ended() error {
	if s.context == nil || s.context.Err() == nil {
		return nil
	}
	return fmt.Errorf("compute: stream %q: its context has ended: %w", s.label, stream.CanceledBy(s.context))
}

// cancelCompilation lets the software device stop a compilation, by a message to a device or a
// library, once ctx has ended and nobody else wants the same one. The caller calls done once, after
// the message.
func (a *Accelerator) cancelCompilation(ctx context.Context, receiver objc.ID, what string) (done func()) {
	if !a.info.Software {
		return func() {}
	}
	key := objc.NewString(extension.CompilationKey(uintptr(receiver), what))
	ticket := client.Send(&extension.BeginCompilation, a.device.ID(), uintptr(key))
	objc.Release(key)
	cancel := func() { client.Send(&extension.CancelCompilation, a.device.ID(), ticket) }
	if ctx.Err() != nil {
		cancel() // now, not when AfterFunc's goroutine runs
	}
	over := make(chan struct{}) // closed once no cancellation is on its way
	stop := context.AfterFunc(ctx, func() {
		defer close(over)
		cancel()
	})
	return func() {
		if !stop() {
			<-over
		}
		client.Send(&extension.EndCompilation, a.device.ID(), ticket)
	}
}
