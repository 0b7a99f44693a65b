package stream

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// useCount counts the uses of an object by recorded and running work. The object is released once
// it is closed and unused. Each launch uses all its arguments, so counting is lock-free; only
// waiting and waking take a lock. Methods are given the object: every rented buffer has a count,
// and a reference back would make it longer.
type useCount struct {
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

// Use counts a use by recorded work.
func (l *useCount) Use(of subject) error {
	for {
		switch now := l.state.Load(); {
		case now&lifetimeClosed != 0:
			return closedError(of)
		case l.state.CompareAndSwap(now, now+1):
			return nil
		}
	}
}

// Done ends a use.
func (l *useCount) Done(of subject) {
	now := l.state.Add(-1)
	if now&lifetimeUses != 0 {
		return
	}
	if now&lifetimeAwaited != 0 {
		l.wake()
	}
	if now&lifetimeClosed != 0 { // true for only one use: there are no new ones after the last
		of.release()
	}
}

// wake ends the waits. A waiter that finds the object in use again waits once more.
func (l *useCount) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.And(^lifetimeAwaited)
	if l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
}

// close closes the object, and reports whether it was open.
func (l *useCount) close(of subject) bool {
	was := l.state.Or(lifetimeClosed)
	if was == 0 || was == lifetimeAwaited {
		of.release()
	}
	return was&lifetimeClosed == 0
}

// forceClose closes the object without releasing it; the caller does that.
func (l *useCount) forceClose() { l.state.Or(lifetimeClosed) }

// open returns an error once the object is closed.
func (l *useCount) open(of subject) error {
	if l.state.Load()&lifetimeClosed != 0 {
		return closedError(of)
	}
	return nil
}

// wait waits until the object is unused.
func (l *useCount) wait(ctx context.Context, of subject) error {
	err := l.hold(ctx, of)
	if err == nil {
		l.Done(of)
	}
	return err
}

// hold waits until the object is unused, and counts a new use.
func (l *useCount) hold(ctx context.Context, of subject) error {
	for {
		now := l.state.Load()
		switch {
		case now&lifetimeClosed != 0:
			return closedError(of)
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
			return ContextError(ctx, of.String())
		}
	}
}

// await returns a channel that is closed when the last use ends, or nil if the object is unused.
func (l *useCount) await() <-chan struct{} {
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

func closedError(of subject) error {
	return fmt.Errorf("compute: %s: %w", of.String(), ErrClosed)
}

// Lifetime is the uses of an object that it refers to.
type Lifetime struct {
	name fmt.Stringer
	end  func()
	uses useCount
}

// Init begins the lifetime of an object. end is called once, when the object is closed and unused.
func (l *Lifetime) Init(name fmt.Stringer, end func()) { l.name, l.end = name, end }

// String names the object for messages.
func (l *Lifetime) String() string { return l.name.String() }

func (l *Lifetime) release() { l.end() }

// Use counts a use by recorded work.
func (l *Lifetime) Use() error { return l.uses.Use(l) }

// Done ends a use.
func (l *Lifetime) Done() { l.uses.Done(l) }

// Open returns an error once the object is closed.
func (l *Lifetime) Open() error { return l.uses.open(l) }

// Close closes the object, and reports whether it was open.
func (l *Lifetime) Close() bool { return l.uses.close(l) }

// Wait waits until the object is unused.
func (l *Lifetime) Wait(ctx context.Context) error { return l.uses.wait(ctx, l) }

// Hold waits until the object is unused, and counts a new use.
func (l *Lifetime) Hold(ctx context.Context) error { return l.uses.hold(ctx, l) }
