package mtl

import (
	"context"
	"fmt"
	"time"

	"github.com/puremetal/puremetal/objc"
)

// NewSharedEventWithHandle returns the event behind a handle that another process has sent, +1.
//
//	-[MTLDevice newSharedEventWithHandle:]
func (o Device) NewSharedEventWithHandle(handle SharedEventHandle) (SharedEvent, error) {
	const c = check("-[MTLDevice newSharedEventWithHandle:]")
	if err := c.object("device", o.ID()); err != nil {
		return SharedEvent{}, err
	}
	if err := c.object("handle", handle.ID()); err != nil {
		return SharedEvent{}, err
	}
	e := sendDeviceNewSharedEventWithHandle(o, handle)
	return e, c.some("event", e.ID())
}

// NewSharedEventHandle returns a handle, +1, through which another process can use the event.
//
//	-[MTLSharedEvent newSharedEventHandle]
func (o SharedEvent) NewSharedEventHandle() (SharedEventHandle, error) {
	const c = check("-[MTLSharedEvent newSharedEventHandle]")
	if err := c.object("event", o.ID()); err != nil {
		return SharedEventHandle{}, err
	}
	h := sendSharedEventNewSharedEventHandle(o)
	return h, c.some("handle", h.ID())
}

// NewSharedEventListenerWithDispatchQueue creates a listener, +1, that runs its callbacks on the
// given dispatch queue. A listener from [NewSharedEventListener] has a queue of its own.
func NewSharedEventListenerWithDispatchQueue(dispatchQueue objc.Object) (SharedEventListener, error) {
	const c = check("-[MTLSharedEventListener initWithDispatchQueue:]")
	if err := c.object("dispatch queue", dispatchQueue.ID()); err != nil {
		return SharedEventListener{}, err
	}
	l, err := sendNewSharedEventListenerWithDispatchQueue(dispatchQueue)
	if err != nil {
		return SharedEventListener{}, err
	}
	return l, c.some("listener", l.ID())
}

// NotifyListener registers fn to be called on the listener's queue when the event has reached
// value, or at once if it already has. fn receives an event that lives until it returns, and the
// event's value at that time. The registration lasts until the call, or until the event is
// deallocated.
//
//	-[MTLSharedEvent notifyListener:atValue:block:]
func (o SharedEvent) NotifyListener(listener SharedEventListener, value uint64, fn func(SharedEvent, uint64)) error {
	const c = check("-[MTLSharedEvent notifyListener:atValue:block:]")
	if err := c.object("event", o.ID()); err != nil {
		return err
	}
	if err := c.object("listener", listener.ID()); err != nil {
		return err
	}
	if fn == nil {
		return c.fail(ErrNil, "function")
	}
	sendSharedEventNotifyListener(o, listener, value, fn)
	return nil
}

// SetSignaledValue signals the event from the CPU. An event's value only increases: a value below
// the current one is refused with [ErrValue]. Only one party should signal an event, since another
// could signal it between the check and the signal.
//
//	-[MTLSharedEvent setSignaledValue:]
func (o SharedEvent) SetSignaledValue(value uint64) error {
	const c = check("-[MTLSharedEvent setSignaledValue:]")
	if err := c.object("event", o.ID()); err != nil {
		return err
	}
	if err := c.atLeast("value", value, o.SignaledValue(), ErrValue); err != nil {
		return err
	}
	sendSharedEventSetSignaledValue(o, value)
	return nil
}

// WaitUntilSignaledValue blocks until the event has reached value, or until the given number of
// milliseconds has passed, and reports whether it has reached it.
//
//	-[MTLSharedEvent waitUntilSignaledValue:timeoutMS:]
func (o SharedEvent) WaitUntilSignaledValue(value, milliseconds uint64) (bool, error) {
	const c = check("-[MTLSharedEvent waitUntilSignaledValue:timeoutMS:]")
	if err := c.object("event", o.ID()); err != nil {
		return false, err
	}
	return sendSharedEventWaitUntilSignaledValue(o, value, milliseconds), nil
}

// waitSlice is how long a wait blocks in Metal before it checks its context again.
const waitSlice = 10 * time.Millisecond

// Wait waits until the event has reached value and returns nil. If ctx ends first, Wait returns its
// error, at most ten milliseconds late. It registers nothing with Metal, so a canceled wait leaves
// nothing behind.
//
//	-[MTLSharedEvent waitUntilSignaledValue:timeoutMS:]
func (o SharedEvent) Wait(ctx context.Context, value uint64) error {
	const c = check("-[MTLSharedEvent waitUntilSignaledValue:timeoutMS:]")
	if err := c.object("event", o.ID()); err != nil {
		return err
	}
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("mtl: %s: value %d, waiting for %d: %w", string(c), o.SignaledValue(), value, err)
		}
		slice := waitSlice
		if end, ok := ctx.Deadline(); ok {
			slice = max(min(slice, time.Until(end)), 0)
		}
		// Rounded up: with a slice of 0 milliseconds the loop would spin until the deadline.
		if sendSharedEventWaitUntilSignaledValue(o, value, uint64((slice+time.Millisecond-1)/time.Millisecond)) {
			return nil
		}
	}
}
