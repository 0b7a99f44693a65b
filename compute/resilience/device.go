package resilience

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/guard"
	"github.com/puremetal/puremetal/compute/observe"
)

// device is an accelerator whose device is opened again when it is lost: the manager's in its
// place, so that all handles go on, and that of the fallback device as another accelerator.
type device struct {
	manager *Manager
	open    Opener

	// running is held for reading while the device is used, and for writing while it is replaced.
	running sync.RWMutex

	mu    sync.Mutex
	acc   *compute.Accelerator
	epoch uint64 // counts how often it was opened, and lost for good

	// gone is why what is lost could not be opened again; nil if nothing is lost. With [Options].CPU,
	// memory is the host's meanwhile. tried is when that was last tried.
	gone  error
	tried time.Time
}

// current returns the accelerator and its epoch; it opens the device if it is not open.
func (d *device) current(ctx context.Context) (*compute.Accelerator, uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.acc == nil {
		acc, err := d.open(ctx)
		if err != nil && d.epoch > 0 { // it was there, and may come back
			err = errors.Join(compute.ErrDeviceLost, err)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("resilience: opening the device: %w", err)
		}
		d.acc = acc
		d.epoch++
	}
	return d.acc, d.epoch, nil
}

// ready tries to open the device again if it is gone, unless the CPU takes its place.
func (d *device) ready(ctx context.Context) error {
	if d.lost() == nil || d.manager.o.CPU {
		return nil
	}
	d.running.Lock()
	defer d.running.Unlock()
	if d.lost() == nil {
		return nil
	}
	return d.reopen(ctx)
}

// replace opens another device in the place of that of an epoch, unless another goroutine has. The
// caller does not use the device.
func (d *device) replace(ctx context.Context, epoch uint64, cause error) error {
	d.running.Lock()
	defer d.running.Unlock()
	d.mu.Lock()
	old, other, gone := d.acc, d.epoch != epoch, d.gone
	d.mu.Unlock()
	m := d.manager
	switch {
	case gone != nil:
		return gone
	case other || old == nil:
		_, _, err := d.current(ctx)
		return err
	}
	m.stats.resets.Add(1)
	m.o.Logger.Warn("resilience: the device is opened again", "device", old.Info().Name, "error", cause)
	old.Recovered(observe.RecoverEvent{Ctx: ctx, Kind: observe.RecoveryReset, What: old.Info().Name, Err: cause})
	if d == m.device {
		m.noteLost(guard.Compute.Lose(old, func(name string) error {
			return fmt.Errorf("resilience: %s has no host copy: %w", name, ErrLost)
		}))
		return d.reopen(ctx)
	}
	d.mu.Lock()
	d.acc = nil
	d.mu.Unlock()
	d.abandon(ctx, old)
	_, _, err := d.current(ctx)
	return err
}

// reopen opens the manager's device again. If it cannot, all memory becomes the host's for the CPU.
// The caller holds running.
func (d *device) reopen(ctx context.Context) error {
	m := d.manager
	opened, err := d.open(ctx)
	if err == nil {
		if err = guard.Compute.Adopt(ctx, d.acc, opened); err != nil && opened != d.acc {
			d.abandon(ctx, opened)
		}
	}
	now := m.o.Now() // a function of the program, which is called without the lock
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.gone
	d.tried = now
	if err != nil {
		err = fmt.Errorf("resilience: opening the device: %w", errors.Join(compute.ErrDeviceLost, err))
		if d.gone = err; before != nil {
			return err
		}
		d.epoch++
		if m.o.CPU {
			m.o.Logger.Warn("resilience: the device is gone; work runs on the CPU", "error", err)
			if failed := guard.Compute.ToHost(ctx, d.acc); failed != nil {
				err = errors.Join(err, failed)
			}
		}
		return err
	}
	d.gone = nil
	d.epoch++
	if before != nil {
		m.o.Logger.Info("resilience: the device is back", "device", d.acc.Info().Name)
	}
	return nil
}

// lost returns why the device is gone, nil if it is not.
func (d *device) lost() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.gone
}

// absent returns why there is no device that could run work, nil if there is one. Once in each
// Cooldown it tries to open one that is gone.
func (d *device) absent(ctx context.Context) error {
	if d.lost() == nil || !d.manager.o.CPU {
		return nil
	}
	now := d.manager.o.Now() // a function of the program, which is called without the lock
	due := func() (gone error, due bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.gone, now.Sub(d.tried) >= d.manager.o.Cooldown
	}
	if gone, due := due(); gone == nil || !due {
		return gone
	}
	d.running.Lock()
	defer d.running.Unlock()
	if gone, due := due(); gone == nil || !due {
		return gone
	}
	return d.reopen(ctx)
}

// closeAfter is how long an accelerator that was lost may take to close before it is left alone.
const closeAfter = 10 * time.Second

// abandon closes an accelerator that the program has nothing of.
func (d *device) abandon(ctx context.Context, acc *compute.Accelerator) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeAfter)
	defer cancel()
	if err := guard.Compute.Leaked(acc.Close(limited)); err != nil {
		d.manager.o.Logger.Warn("resilience: closing a lost device", "error", err)
	}
}

// close closes the accelerator.
func (d *device) close(ctx context.Context) error {
	d.mu.Lock()
	acc := d.acc
	d.mu.Unlock()
	if acc == nil {
		return nil
	}
	err := guard.Compute.Leaked(acc.Close(ctx)) // the manager releases what is open
	if !errors.Is(err, compute.ErrStaysOpen) && d != d.manager.device {
		d.mu.Lock()
		d.acc = nil
		d.mu.Unlock()
	}
	return err
}

// noteLost notes what had no host copy on a device that is lost.
func (m *Manager) noteLost(names []string) {
	for _, name := range names {
		m.o.Logger.Error("resilience: contents were lost with the device", "of", name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost = append(m.lost, names...)
}
