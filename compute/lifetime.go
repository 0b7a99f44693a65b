package compute

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// lifetime counts the uses of an object by recorded and running work. The object is released once
// it is closed and unused. Each launch uses all its arguments, so counting is lock-free; only
// waiting and waking take a lock. The object's type is a parameter because every rented buffer has
// a lifetime, and an interface would be a word longer.
type lifetime[S subject] struct {
	of S

	state atomic.Int64  // uses, lifetimeClosed and lifetimeAwaited
	mu    sync.Mutex    // guards idle
	idle  chan struct{} // closed when uses is 0; nil while nobody waits
}

// The parts of a lifetime's state.
const (
	lifetimeClosed  = 1 << 62 // no new uses are allowed
	lifetimeAwaited = 1 << 61 // somebody waits for the last use to end
	lifetimeUses    = lifetimeAwaited - 1
)

// subject is an object with a lifetime.
type subject interface {
	String() string // for messages
	release()       // called once, at the end
}

// use counts a use by recorded work.
func (l *lifetime[S]) use() error {
	for {
		switch now := l.state.Load(); {
		case now&lifetimeClosed != 0:
			return l.closedError()
		case l.state.CompareAndSwap(now, now+1):
			return nil
		}
	}
}

// done ends a use.
func (l *lifetime[S]) done() {
	now := l.state.Add(-1)
	if now&lifetimeUses != 0 {
		return
	}
	if now&lifetimeAwaited != 0 {
		l.wake()
	}
	if now&lifetimeClosed != 0 { // true for only one use: there are no new ones after the last
		l.of.release()
	}
}

// wake ends the waits. A waiter that finds the object in use again waits once more.
func (l *lifetime[S]) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.And(^lifetimeAwaited)
	if l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
}

// close closes the object, and reports whether it was open.
func (l *lifetime[S]) close() bool {
	was := l.state.Or(lifetimeClosed)
	if was == 0 || was == lifetimeAwaited {
		l.of.release()
	}
	return was&lifetimeClosed == 0
}

// forceClose closes the object without releasing it; the caller does that.
func (l *lifetime[S]) forceClose() { l.state.Or(lifetimeClosed) }

// open returns an error once the object is closed.
func (l *lifetime[S]) open() error {
	if l.state.Load()&lifetimeClosed != 0 {
		return l.closedError()
	}
	return nil
}

// wait waits until the object is unused.
func (l *lifetime[S]) wait(ctx context.Context) error {
	err := l.hold(ctx)
	if err == nil {
		l.done()
	}
	return err
}

// hold waits until the object is unused, and counts a new use.
func (l *lifetime[S]) hold(ctx context.Context) error {
	for {
		now := l.state.Load()
		switch {
		case now&lifetimeClosed != 0:
			return l.closedError()
		case now&lifetimeUses == 0:
			if l.state.CompareAndSwap(now, now+1) {
				return nil
			}
			continue
		}
		idle := l.await()
		if idle == nil { // unused meanwhile
			continue
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return contextError(ctx, l.of.String())
		}
	}
}

// await returns a channel that is closed when the last use ends, or nil if the object is unused.
func (l *lifetime[S]) await() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Either the last use ends after this and sees the flag, or it has already ended, which is seen
	// here.
	if l.state.Or(lifetimeAwaited)&lifetimeUses == 0 {
		return nil
	}
	if l.idle == nil {
		l.idle = make(chan struct{})
	}
	return l.idle
}

func (l *lifetime[S]) closedError() error {
	return fmt.Errorf("compute: %s: %w", l.of.String(), ErrClosed)
}
