package resilience

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/guard"
	"github.com/puremetal/puremetal/compute/observe"
)

// run executes commands, with all that is done about failures.
func (m *Manager) run(ctx context.Context, all guard.Work) error {
	m.stats.batches.Add(1)
	m.stats.commands.Add(uint64(all.Len()))
	if err := m.governor.enter(ctx, m); err != nil {
		return err
	}
	defer m.governor.leave()
	err := m.device.absent(ctx)
	untouched := err != nil // nothing of the batch has been executed
	if err == nil {
		var done int
		done, err = m.runOn(ctx, m.device, all)
		all = all.Part(done, all.Len())
		untouched = errors.Is(err, ErrOpen)
	}
	if err != nil && m.o.CPU && movable(err) && (untouched || all.Repeatable(false) == nil) {
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryFallback, What: all.Stream(), Err: err,
			Details: "on the CPU"})
		_, failed := m.attempt(ctx, m.device, all, guard.Manner{CPU: true})
		if failed == nil {
			m.stats.cpuFailed.Store(false)
			m.stats.onCPU.Add(1)
			return nil
		}
		if movable(failed) || errors.Is(failed, compute.ErrFallback) { // rather than the program's fault
			m.stats.cpuFailed.Store(true)
		}
		err = errors.Join(err, fmt.Errorf("on the CPU: %w", failed))
	}
	if err != nil && m.fallback != nil && movable(err) {
		if why := all.Repeatable(true); why != nil {
			return fmt.Errorf("%w; not moved to the fallback device: %w", err, why)
		}
		m.stats.fallbacks.Add(1)
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryFallback, What: all.Stream(), Err: err})
		_, err = m.runOn(ctx, m.fallback, all)
	}
	return err
}

// movable reports whether another device may do what one has failed.
func movable(err error) bool {
	if errors.Is(err, ErrNotRepeatable) || errors.Is(err, ErrLost) {
		return false
	}
	switch compute.ClassOf(err) {
	case compute.ClassCanceled, compute.ClassPageFault:
		return false
	case compute.ClassInvalid:
		return errors.Is(err, ErrOpen)
	}
	return true
}

// After a timeout, launches run in parts of firstParts, and after each further one in parts that
// are shorterParts times as short.
const (
	firstParts   = 250 * time.Millisecond
	shorterParts = 16
)

// runOn executes commands on a device. It returns how many have been executed for good: all, or
// some of them if memory was short.
func (m *Manager) runOn(ctx context.Context, d *device, all guard.Work) (done int, err error) {
	var delays backoff.BackOff
	how := guard.Manner{InParts: func() { m.stats.inParts.Add(1) }}
	retries := all.Retries()
	if math.IsNaN(*retries) {
		*retries = float64(m.o.Budget)
	}
	for attempt := 1; ; attempt++ {
		end, err := m.breakers.allow(ctx, d, all)
		if err != nil {
			return 0, err
		}
		epoch, err := m.attempt(ctx, d, all, how)
		class := compute.ClassOf(err)
		end(err)
		if err == nil {
			*retries = min(*retries+0.1, float64(m.o.Budget))
			return all.Len(), nil
		}
		m.stats.failures.Add(1)
		m.stats.byClass[class].Add(1)
		lost := errors.Is(err, ErrLost)
		if class == compute.ClassDeviceLost && !lost { // for later work too
			err = errors.Join(err, d.replace(ctx, epoch, err))
		}
		why := all.Repeatable(class == compute.ClassDeviceLost)
		switch {
		case class == compute.ClassInvalid || class == compute.ClassCanceled || class == compute.ClassPageFault ||
			lost:
			return 0, err
		case m.device == d && m.o.CPU && d.lost() != nil && all.Repeatable(true) == nil: // the CPU is next
			return 0, err
		case why != nil:
			return 0, fmt.Errorf("resilience: stream %q: %w: %w: %w", all.Stream(), ErrNotRepeatable, why, err)
		case attempt >= m.o.Attempts || *retries < 1:
			m.stats.exhausted.Add(1)
			return 0, fmt.Errorf("resilience: stream %q: %w after %d attempts, with a budget of %.0f: %w", all.Stream(),
				ErrExhausted, attempt, *retries, err)
		}
		*retries--
		if class == compute.ClassTimeout {
			if how.Part = how.Part / shorterParts; how.Part == 0 {
				how.Part = firstParts
			}
		}
		if class == compute.ClassOutOfMemory {
			if over, done, err := m.relieve(ctx, d, all, attempt, err); over {
				return done, err
			}
		}
		if err := m.pause(ctx, all.Stream(), attempt, &delays, err); err != nil {
			return 0, fmt.Errorf("resilience: stream %q: %w", all.Stream(), err)
		}
	}
}

// pause waits before another attempt. An error, which wraps the attempt's, means that there is
// none.
func (m *Manager) pause(ctx context.Context, what string, attempt int, delays *backoff.BackOff, err error) error {
	delay, failed := m.o.delay(delays)
	if failed != nil {
		return fmt.Errorf("%w: %w: %w", ErrExhausted, failed, err)
	}
	if delay == backoff.Stop {
		return fmt.Errorf("%w: the back-off ended: %w", ErrExhausted, err)
	}
	m.stats.retries.Add(1)
	m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryRetry, What: what, Attempt: attempt,
		Delay: delay, Err: err})
	if slept := m.o.Sleep(ctx, delay); slept != nil {
		if panicked := (*compute.PanicError)(nil); errors.As(slept, &panicked) {
			return fmt.Errorf("%w: %w: %w", ErrExhausted, slept, err)
		}
		return fmt.Errorf("%w: %w: %w", compute.ErrCanceled, slept, err)
	}
	return nil
}

// recovered tells the device's observers.
func (m *Manager) recovered(ctx context.Context, e observe.RecoverEvent) {
	e.Ctx = ctx
	m.device.mu.Lock()
	acc := m.device.acc
	m.device.mu.Unlock()
	acc.Recovered(e)
}

// attempt executes commands once. If it fails, memory with a host copy has its contents again for
// the next attempt.
func (m *Manager) attempt(ctx context.Context, d *device, w guard.Work, how guard.Manner) (epoch uint64, err error) {
	if d == m.device {
		if err := d.ready(ctx); err != nil {
			return 0, err
		}
	}
	d.running.RLock()
	defer d.running.RUnlock()
	acc, epoch, err := d.current(ctx)
	if err == nil && !how.CPU {
		err = d.lost() // by another batch
	}
	if err != nil {
		return epoch, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, m.o.Wedged, compute.ErrDeviceLost)
	defer cancel()
	if d == m.device {
		err = w.Run(guard.Inside(limited), how)
	} else {
		err = w.RunOn(guard.Inside(limited), acc)
	}
	return epoch, wedged(ctx, err)
}

// wedged makes the end of the time that a batch may take the loss of the device: the cause of that
// context is ErrDeviceLost, which the error wraps, unless the caller's context has ended.
func wedged(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, compute.ErrDeviceLost) {
		return err
	}
	return fmt.Errorf("%w: %w", compute.ErrCanceled, context.Cause(ctx))
}

// relieve frees memory of a device, a little more with each attempt. over: there is no other
// attempt, and done and err are what runOn returns.
func (m *Manager) relieve(ctx context.Context, d *device, all guard.Work, attempt int,
	cause error) (over bool, done int, err error) {
	acc, _, err := d.current(ctx)
	if err != nil {
		return true, 0, err
	}
	switch attempt {
	case 1:
		m.stats.trims.Add(1)
		released := acc.TrimKernels()
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryTrim, What: all.Stream(), Err: cause,
			Details: fmt.Sprintf("%d programs and kernels", released)})
		return false, 0, nil
	case 2:
		m.stats.trims.Add(1)
		acc.Trim()
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryTrim, What: all.Stream(), Err: cause, Details: "pools"})
		return false, 0, nil
	case 3:
		m.stats.trims.Add(1)
		_, err := acc.Defragment(ctx, 0)
		if err != nil {
			m.o.Logger.Warn("resilience: defragmenting memory", "error", err)
		}
		acc.Trim()
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryTrim, What: all.Stream(), Err: cause,
			Details: "defragmented"})
		return false, 0, nil
	case 4:
		if n := all.Len(); n > 1 {
			m.stats.divided.Add(1)
			m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoverySplit, What: all.Stream(), Err: cause})
			half := n / 2
			done, err := m.runOn(ctx, d, all.Part(0, half))
			if err == nil {
				done, err = m.runOn(ctx, d, all.Part(half, n))
				done += half
			}
			return true, done, err
		}
		return false, 0, nil
	}
	m.stats.refused.Add(1)
	memory := acc.Memory()
	m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryRefuse, What: all.Stream(), Err: cause})
	return true, 0, fmt.Errorf("resilience: stream %q: refused a batch of %d commands: %d bytes are allocated, "+
		"%d rented of %d reserved by the pool, pressure %v: %w", all.Stream(), all.Len(), acc.Allocated(), memory.Rented,
		memory.Reserved, memory.Pressure, cause)
}
