package resilience

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/guard"
	"github.com/puremetal/puremetal/internal/contain"
)

// Do gives fn a stream of a priority that nobody else uses, executes what fn records on it, and
// returns the errors of fn and of the work. Calls run concurrently, as many as [Options].Concurrent
// allows. The streams are kept for later calls. If fn panics, the error is a *[compute.PanicError],
// and what fn has recorded since the last batch is not executed.
func (m *Manager) Do(ctx context.Context, p compute.Priority, fn func(context.Context, *compute.Stream) error) error {
	if m.missing() || fn == nil || ctx == nil {
		return errMissing("Do", "manager, context or function")
	}
	s, err := m.takeStream(p)
	if err != nil {
		return err
	}
	returned := false
	defer func() {
		if !returned { // fn has ended the goroutine
			guard.Compute.Discard(s)
			s.Flush()
		}
		m.giveStream(p, s)
	}()
	var failed error
	contain.Protect(func() string { return "the function of Do" }, func() error { return fn(ctx, s) },
		func(err error) { failed = err })
	returned = true
	if panicked := (*compute.PanicError)(nil); errors.As(failed, &panicked) {
		guard.Compute.Discard(s)
	}
	return errors.Join(failed, s.Sync(ctx))
}

func (m *Manager) takeStream(p compute.Priority) (*compute.Stream, error) {
	m.mu.Lock()
	list := m.idle[p]
	if n := len(list) - 1; n >= 0 && !m.closed {
		s := list[n]
		m.idle[p] = list[:n]
		m.mu.Unlock()
		return s, nil
	}
	closed := m.closed
	m.mu.Unlock()
	if closed {
		return nil, fmt.Errorf("resilience: Do: manager: %w", compute.ErrClosed)
	}
	s, err := m.Accelerator().NewStream(compute.StreamOptions{Label: "work", Priority: p})
	if err == nil {
		guard.Compute.Hold(s)
	}
	return s, err
}

func (m *Manager) giveStream(p compute.Priority, s *compute.Stream) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.idle == nil {
		m.idle = map[compute.Priority][]*compute.Stream{}
	}
	m.idle[p] = append(m.idle[p], s)
}
