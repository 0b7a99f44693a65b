package compute

import (
	"context"
	"fmt"
	"sync"
)

// lifetime counts the uses of an object by recorded and running work. The object ends once it is
// closed and unused.
type lifetime struct {
	what  func() string // for messages
	onEnd func()        // called once, at the end

	mu     sync.Mutex
	uses   int
	closed bool
	idle   chan struct{} // closed when uses is 0; nil where nobody waits
}

// use counts a use by recorded work.
func (l *lifetime) use() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.closedError()
	}
	l.uses++
	return nil
}

// done ends a use.
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
		l.onEnd()
	}
}

// close closes the object, and reports whether it was open.
func (l *lifetime) close() bool {
	l.mu.Lock()
	was := !l.closed
	l.closed = true
	gone := was && l.uses == 0
	l.mu.Unlock()
	if gone {
		l.onEnd()
	}
	return was
}

// open returns an error once the object is closed.
func (l *lifetime) open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.closedError()
	}
	return nil
}

// wait waits until the object is unused.
func (l *lifetime) wait(ctx context.Context) error {
	err := l.hold(ctx)
	if err == nil {
		l.done()
	}
	return err
}

// hold waits until the object is unused, and counts a use.
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
			return contextError(ctx, l.what())
		}
	}
}

func (l *lifetime) closedError() error { return fmt.Errorf("compute: %s: %w", l.what(), ErrClosed) }
