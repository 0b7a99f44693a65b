package mtl

import (
	"errors"
	"sync"

	"github.com/puremetal/puremetal/objc"
)

// CommandBuffer wraps an object that conforms to the protocol MTLCommandBuffer. Encoders write
// commands into it, one encoder at a time, and Commit submits it to the GPU, once. It also has the
// methods of [objc.Object], such as Release.
//
// The wrapper of a command buffer from a [CommandQueue] tracks its state, and copies of the wrapper
// share that state. One made by [CommandBufferFrom] is checked only as far as Metal's own
// properties allow. A CommandBuffer is safe for concurrent use.
type CommandBuffer struct {
	objc.Object
	state *commandBufferState
}

// CommandBufferFrom wraps id without changing its ownership.
func CommandBufferFrom(id objc.ID) CommandBuffer { return CommandBuffer{Object: objc.ObjectFrom(id)} }

// commitPhase is how far a command buffer has been committed.
type commitPhase uint8

const (
	notCommitted commitPhase = iota
	committing               // the message is being sent; no lock is held, since handlers may run before it returns
	committed
)

// commandBufferState is the state shared by copies of a command buffer's wrapper.
type commandBufferState struct {
	bufferState
	changed  sync.Cond // phase has become committed
	phase    commitPhase
	enqueued bool
	done     chan struct{} // closed by the completed handler that Commit adds
}

func newCommandBufferState(d *deviceFacts) *commandBufferState {
	s := &commandBufferState{bufferState: bufferState{device: d}, done: make(chan struct{})}
	s.changed.L = &s.mu
	return s
}

func (s *commandBufferState) memory() *bufferState {
	if s == nil {
		return nil
	}
	return &s.bufferState
}

// begin checks that the command buffer is not committed, and prevents a commit until end.
func (o CommandBuffer) begin(c check) error {
	if err := c.object("command buffer", o.ID()); err != nil {
		return err
	}
	s := o.state
	if s == nil {
		if st := o.Status(); st >= CommandBufferStatusCommitted {
			return c.fail(ErrClosed, "command buffer has status %v", st)
		}
		return nil
	}
	s.mu.Lock()
	if s.phase != notCommitted {
		s.mu.Unlock()
		return c.fail(ErrClosed, "the command buffer has been committed")
	}
	return nil
}

// idle is a command buffer for calls that allow no open encoder.
type idle struct{ CommandBuffer }

func (o idle) begin(c check) error {
	if err := o.CommandBuffer.begin(c); err != nil {
		return err
	}
	if o.state != nil && o.state.open != nil {
		o.end()
		return c.fail(ErrOpen, "an encoder of the command buffer is open")
	}
	return nil
}

func (o CommandBuffer) end() { o.state.memory().end() }

// Enqueue reserves the command buffer's place in the queue before it is committed, once. It must be
// committed afterwards, as the queue waits for it. A second call, or a call after Commit, is
// refused with [ErrState].
//
//	-[MTLCommandBuffer enqueue]
func (o CommandBuffer) Enqueue() error {
	const c = check("-[MTLCommandBuffer enqueue]")
	if err := o.begin(c); err != nil {
		return late(err)
	}
	defer o.end()
	if o.state == nil {
		if st := o.Status(); st != CommandBufferStatusNotEnqueued {
			return c.fail(ErrState, "command buffer has status %v", st)
		}
	} else if o.state.enqueued {
		return c.fail(ErrState, "the command buffer has already been enqueued")
	}
	sendCommandBufferEnqueue(o)
	if o.state != nil {
		o.state.enqueued = true
	}
	return nil
}

// late adds ErrState to the ErrClosed of a call that came after Commit: the command buffer's state
// is the reason for refusing it.
func late(err error) error {
	if errors.Is(err, ErrClosed) {
		return &lateError{err}
	}
	return err
}

type lateError struct{ err error }

func (e *lateError) Error() string   { return e.err.Error() }
func (e *lateError) Unwrap() []error { return []error{e.err, ErrState} }

// Commit submits the command buffer to the GPU, once. While an encoder is open it is refused with
// [ErrOpen], a second time with [ErrClosed] and [ErrState]. Metal retains everything that the
// command buffer needs until it has completed, unless it was created with unretained references.
//
//	-[MTLCommandBuffer commit]
func (o CommandBuffer) Commit() error {
	const c = check("-[MTLCommandBuffer commit]")
	if err := (idle{o}).begin(c); err != nil {
		return late(err)
	}
	s := o.state
	if s == nil {
		sendCommandBufferCommit(o)
		return nil
	}
	s.phase = committing
	// This is the last handler, so the others have run when Wait returns. It refers to the channel
	// only, not to any object.
	done := s.done
	sendCommandBufferAddCompletedHandler(o, func(CommandBuffer) { close(done) })
	s.mu.Unlock()

	sendCommandBufferCommit(o)

	s.mu.Lock()
	s.phase = committed
	s.changed.Broadcast()
	s.mu.Unlock()
	return nil
}

// settled waits until a commit in progress has been sent, and reports whether the command buffer is
// committed.
func (o CommandBuffer) settled(c check) error {
	if err := c.object("command buffer", o.ID()); err != nil {
		return err
	}
	s := o.state
	if s == nil {
		if st := o.Status(); st < CommandBufferStatusCommitted {
			return c.fail(ErrState, "command buffer has status %v", st)
		}
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.phase == committing {
		s.changed.Wait()
	}
	if s.phase != committed {
		return c.fail(ErrState, "the command buffer has not been committed")
	}
	return nil
}

// EncodeSignalEvent sets an event to value when the commands before it have completed. The event
// must not be nil, and no encoder may be open.
//
//	-[MTLCommandBuffer encodeSignalEvent:value:]
func (o CommandBuffer) EncodeSignalEvent(event Event, value uint64) error {
	const c = check("-[MTLCommandBuffer encodeSignalEvent:value:]")
	return encode(idle{o}, c, c.object("event", event.ID()),
		func() { sendCommandBufferEncodeSignalEvent(o, event, value) })
}

// EncodeWaitForEvent makes the commands after it wait until an event has reached value. The event
// must not be nil, and no encoder may be open. If nobody signals the event, the GPU times out.
//
//	-[MTLCommandBuffer encodeWaitForEvent:value:]
func (o CommandBuffer) EncodeWaitForEvent(event Event, value uint64) error {
	const c = check("-[MTLCommandBuffer encodeWaitForEvent:value:]")
	return encode(idle{o}, c, c.object("event", event.ID()),
		func() { sendCommandBufferEncodeWaitForEvent(o, event, value) })
}

// PushDebugGroup opens a named group of encoders; PopDebugGroup closes it.
//
//	-[MTLCommandBuffer pushDebugGroup:]
func (o CommandBuffer) PushDebugGroup(name string) error {
	return pushGroup(o, "-[MTLCommandBuffer pushDebugGroup:]", o.state.memory().debugGroups(),
		func() { sendCommandBufferPushDebugGroup(o, name) })
}

// PopDebugGroup closes the innermost open group. If none is open, it is refused with [ErrState].
//
//	-[MTLCommandBuffer popDebugGroup]
func (o CommandBuffer) PopDebugGroup() error {
	return popGroup(o, "-[MTLCommandBuffer popDebugGroup]", o.state.memory().debugGroups(),
		func() { sendCommandBufferPopDebugGroup(o) })
}

// UseResidencySet makes a residency set apply to the command buffer. Since macOS 15.0.
//
//	-[MTLCommandBuffer useResidencySet:]
func (o CommandBuffer) UseResidencySet(residencySet ResidencySet) error {
	const c = check("-[MTLCommandBuffer useResidencySet:]")
	return tryEncode(o, c, c.object("residency set", residencySet.ID()),
		func() error { return sendCommandBufferUseResidencySet(o, residencySet) })
}

// UseResidencySets is UseResidencySet for several sets, none of them nil. Since macOS 15.0.
//
//	-[MTLCommandBuffer useResidencySets:count:]
func (o CommandBuffer) UseResidencySets(residencySets []ResidencySet) error {
	const c = check("-[MTLCommandBuffer useResidencySets:count:]")
	return tryEncode(o, c, objects(c, "residency set", residencySets), func() error {
		if len(residencySets) == 0 {
			return nil
		}
		return sendCommandBufferUseResidencySets(o, residencySets)
	})
}
