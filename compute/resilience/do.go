package resilience

import (
	"context"
	"errors"
	"fmt"

	"github.com/cenkalti/backoff/v5"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/contain"
)

// Do gives fn a stream of a priority that nobody else uses, executes what fn adds to it, and
// returns the errors of fn and of the work. Calls run concurrently, as many as [Options].Concurrent
// allows. The streams are kept for later calls. If fn panics, the error is a *[compute.PanicError],
// and what fn has added since the last batch is not executed.
func (m *Manager) Do(ctx context.Context, p compute.Priority, fn func(context.Context, *Stream) error) error {
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
			s.drop()
		}
		m.giveStream(s)
	}()
	var failed error
	contain.Protect(func() string { return "the function of Do" }, func() error { return fn(ctx, s) },
		func(err error) { failed = err })
	returned = true
	if panicked := (*compute.PanicError)(nil); errors.As(failed, &panicked) {
		s.drop()
	}
	return errors.Join(failed, s.Sync(ctx))
}

func (m *Manager) takeStream(p compute.Priority) (*Stream, error) {
	m.mu.Lock()
	list := m.idle[p]
	if n := len(list) - 1; n >= 0 && !m.closed {
		s := list[n]
		m.idle[p] = list[:n]
		m.mu.Unlock()
		return s, nil
	}
	m.mu.Unlock()
	return m.NewStream(compute.StreamOptions{Label: "work", Priority: p})
}

func (m *Manager) giveStream(s *Stream) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.idle == nil {
		m.idle = map[compute.Priority][]*Stream{}
	}
	m.idle[s.priority] = append(m.idle[s.priority], s)
}

// persist calls fn until it succeeds, as often as a batch is tried. Between the calls it does what
// batches do, except that memory is only trimmed.
func (m *Manager) persist(ctx context.Context, what string, fn func() error) error {
	var delays backoff.BackOff
	for attempt := 1; ; attempt++ {
		_, epoch, err := m.device.current(ctx)
		if err == nil {
			m.device.running.RLock() // or what fn makes might be that of an accelerator that is replaced now
			err = fn()
			m.device.running.RUnlock()
		}
		class := compute.ClassOf(err)
		switch class {
		case compute.ClassNone, compute.ClassInvalid, compute.ClassCanceled, compute.ClassPageFault:
			return err
		case compute.ClassDeviceLost:
			err = errors.Join(err, m.device.replace(ctx, epoch, err))
		case compute.ClassOutOfMemory:
			if acc, _, current := m.device.current(ctx); current == nil {
				acc.Trim()
			}
		}
		if attempt >= m.o.Attempts {
			return fmt.Errorf("resilience: %s: %w after %d attempts: %w", what, ErrExhausted, attempt, err)
		}
		if err := m.pause(ctx, what, attempt, &delays, err); err != nil {
			return fmt.Errorf("resilience: %s: %w", what, err)
		}
	}
}
