package mtl

import (
	"errors"
	"sync"

	"github.com/puremetal/puremetal/objc"
)

// CommandBuffer wraps an object that adopts the protocol MTLCommandBuffer: encoders write commands
// into it, one at a time, and Commit hands it to the GPU, once.
//
// A command buffer of a [CommandQueue] remembers where it is in that life, and copies of the
// wrapper share the memory. One made by [CommandBufferFrom] has no such memory and is checked as
// far as Metal's own properties tell. It is safe for concurrent use.
type CommandBuffer struct {
	objc.Object
	state *commandBufferState
}

// CommandBufferFrom wraps id without changing its ownership.
func CommandBufferFrom(id objc.ID) CommandBuffer { return CommandBuffer{Object: objc.ObjectFrom(id)} }

// commitPhase is how far a command buffer is on its way to the GPU.
type commitPhase uint8

const (
	notCommitted commitPhase = iota
	committing               // the message is under way; no lock is held, since handlers may run before it returns
	committed
)

// commandBufferState is the memory of a command buffer.
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

// begin checks that the command buffer is not committed and keeps it so until end.
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
		return c.fail(ErrClosed, "command buffer is committed")
	}
	return nil
}

// idle is a command buffer where no encoder may be open.
type idle struct{ CommandBuffer }

func (o idle) begin(c check) error {
	if err := o.CommandBuffer.begin(c); err != nil {
		return err
	}
	if o.state != nil && o.state.open != nil {
		o.end()
		return c.fail(ErrOpen, "an encoder of the command buffer")
	}
	return nil
}

func (o CommandBuffer) end() { o.state.memory().end() }

// Enqueue reserves the command buffer's place in the queue before it is committed, once. It must
// then be committed: the queue waits for it. A second call, or one after Commit, is refused with
// [ErrState].
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
		return c.fail(ErrState, "command buffer is enqueued")
	}
	o.sendEnqueue()
	if o.state != nil {
		o.state.enqueued = true
	}
	return nil
}

// late makes an error of a call that came after Commit an ErrState besides an ErrClosed: it is
// refused for what the command buffer is doing.
func late(err error) error {
	if errors.Is(err, ErrClosed) {
		return &lateError{err}
	}
	return err
}

type lateError struct{ err error }

func (e *lateError) Error() string   { return e.err.Error() }
func (e *lateError) Unwrap() []error { return []error{e.err, ErrState} }

// Commit hands the command buffer to the GPU, once. With an encoder open it is refused with
// [ErrOpen], a second time with [ErrClosed] and [ErrState]. Everything that the command buffer
// needs is retained by Metal until it has completed, unless it was made with unretained references.
func (o CommandBuffer) Commit() error {
	const c = check("-[MTLCommandBuffer commit]")
	if err := (idle{o}).begin(c); err != nil {
		return late(err)
	}
	s := o.state
	if s == nil {
		o.sendCommit()
		return nil
	}
	s.phase = committing
	// The last of the handlers, so that the others have run when Wait returns. It holds no object,
	// only the channel.
	done := s.done
	o.sendAddCompletedHandler(func(CommandBuffer) { close(done) })
	s.mu.Unlock()

	o.sendCommit()

	s.mu.Lock()
	s.phase = committed
	s.changed.Broadcast()
	s.mu.Unlock()
	return nil
}

// settled waits until a commit under way has been sent and reports whether the command buffer is
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
		return c.fail(ErrState, "command buffer is not committed")
	}
	return nil
}

// EncodeSignalEvent sets an event to value when the commands before it are done. An event must be
// given, and no encoder be open.
func (o CommandBuffer) EncodeSignalEvent(event Event, value uint64) error {
	const c = check("-[MTLCommandBuffer encodeSignalEvent:value:]")
	return encode(idle{o}, c, c.object("event", event.ID()), func() { o.sendEncodeSignalEvent(event, value) })
}

// EncodeWaitForEvent makes the commands after it wait until an event has reached value. An event
// must be given, and no encoder be open. An event that nobody signals ends in a timeout of the GPU.
func (o CommandBuffer) EncodeWaitForEvent(event Event, value uint64) error {
	const c = check("-[MTLCommandBuffer encodeWaitForEvent:value:]")
	return encode(idle{o}, c, c.object("event", event.ID()), func() { o.sendEncodeWaitForEvent(event, value) })
}

// PushDebugGroup opens a named group of encoders, which PopDebugGroup closes.
func (o CommandBuffer) PushDebugGroup(name string) error {
	return pushGroup(o, "-[MTLCommandBuffer pushDebugGroup:]", o.state.memory().debugGroups(),
		func() { o.sendPushDebugGroup(name) })
}

// PopDebugGroup closes the group opened last. Without one it is refused with [ErrState].
func (o CommandBuffer) PopDebugGroup() error {
	return popGroup(o, "-[MTLCommandBuffer popDebugGroup]", o.state.memory().debugGroups(), o.sendPopDebugGroup)
}

// UseResidencySet makes a residency set apply to the command buffer. Since macOS 15.0.
func (o CommandBuffer) UseResidencySet(residencySet ResidencySet) error {
	const c = check("-[MTLCommandBuffer useResidencySet:]")
	return tryEncode(o, c, c.object("residency set", residencySet.ID()),
		func() error { return o.sendUseResidencySet(residencySet) })
}

// UseResidencySets is UseResidencySet for several sets, none of them nil. Since macOS 15.0.
func (o CommandBuffer) UseResidencySets(residencySets []ResidencySet) error {
	const c = check("-[MTLCommandBuffer useResidencySets:count:]")
	return tryEncode(o, c, objects(c, "residency set", residencySets), func() error {
		if len(residencySets) == 0 {
			return nil
		}
		return o.sendUseResidencySets(residencySets)
	})
}
