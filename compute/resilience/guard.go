package resilience

import (
	"context"
	"errors"
	"fmt"

	"github.com/cenkalti/backoff/v5"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/guard"
)

// managed implements guard.Guard.
type managed struct{ *Manager }

func (m *Manager) guard() guard.Guard { return managed{m} }

// Run implements guard.Guard.
func (m managed) Run(ctx context.Context, w guard.Work) error { return m.run(ctx, w) }

// Copies implements guard.Guard.
func (m managed) Copies(bytes int64, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes > 0 && m.copies+uint64(bytes) > m.o.HostCopies {
		return fmt.Errorf("resilience: %s: a host copy takes %d bytes, with %d in use of %d: %w", name, bytes,
			m.copies, m.o.HostCopies, ErrHostCopies)
	}
	m.copies += uint64(bytes)
	return nil
}

// Do implements guard.Guard: it calls fn until it succeeds, as often as a batch is tried. Between
// the calls it does what batches do, except that memory is only trimmed.
func (m managed) Do(ctx context.Context, what string, fn func() error) error {
	d := m.device
	var delays backoff.BackOff
	for attempt := 1; ; attempt++ {
		err := d.ready(ctx)
		var epoch uint64
		if err == nil {
			d.running.RLock() // or what fn makes might be that of a device that is replaced now
			_, epoch, err = d.current(ctx)
			if err == nil {
				err = fn()
			}
			d.running.RUnlock()
		}
		if errors.Is(err, ErrLost) {
			return err
		}
		switch compute.ClassOf(err) {
		case compute.ClassNone, compute.ClassInvalid, compute.ClassCanceled, compute.ClassPageFault:
			return err
		case compute.ClassDeviceLost:
			err = errors.Join(err, d.replace(ctx, epoch, err))
		case compute.ClassOutOfMemory:
			m.Accelerator().Trim()
		}
		if attempt >= m.o.Attempts {
			return fmt.Errorf("resilience: %s: %w after %d attempts: %w", what, ErrExhausted, attempt, err)
		}
		if err := m.pause(ctx, what, attempt, &delays, err); err != nil {
			return fmt.Errorf("resilience: %s: %w", what, err)
		}
	}
}
