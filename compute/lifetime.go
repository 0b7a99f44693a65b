package compute

import (
	"context"
	"fmt"
	"sync"
)

// lifetime is when something that the device uses may go: when it is closed and no work that was recorded or runs needs it.
type lifetime struct {
	what func() string // for messages
	gone func()        // called once, at the end

	mu     sync.Mutex
	uses   int
	closed bool
	idle   chan struct{} // closed when uses is 0; nil where nobody waits
}

// use notes that work has been recorded which needs the thing.
func (l *lifetime) use() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.closedError()
	}
	l.uses++
	return nil
}

// done is the end of a use.
func (l *lifetime) done() {
	l.mu.Lock()
	l.uses--
	last := l.uses == 0
	if last && l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
	gone := last && l.closed
	l.mu.Unlock()
	if gone {
		l.gone()
	}
}

// close gives the thing up. It reports whether it was open.
func (l *lifetime) close() bool {
	l.mu.Lock()
	was := !l.closed
	l.closed = true
	gone := was && l.uses == 0
	l.mu.Unlock()
	if gone {
		l.gone()
	}
	return was
}

// open returns an error once the thing is closed.
func (l *lifetime) open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.closedError()
	}
	return nil
}

// wait waits until nothing uses the thing.
func (l *lifetime) wait(ctx context.Context) error {
	err := l.hold(ctx)
	if err == nil {
		l.done()
	}
	return err
}

// hold waits until nothing uses the thing, and notes a use.
func (l *lifetime) hold(ctx context.Context) error {
	for {
		l.mu.Lock()
		if l.closed {
			l.mu.Unlock()
			return l.closedError()
		}
		if l.uses == 0 {
			l.uses++
			l.mu.Unlock()
			return nil
		}
		if l.idle == nil {
			l.idle = make(chan struct{})
		}
		idle := l.idle
		l.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return ended(ctx, l.what())
		}
	}
}

func (l *lifetime) closedError() error { return fmt.Errorf("compute: %s: %w", l.what(), ErrClosed) }
