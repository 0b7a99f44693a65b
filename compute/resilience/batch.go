package resilience

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
)

// run executes commands, with all that is done about failures.
func (m *Manager) run(ctx context.Context, s *Stream, all []command) error {
	m.stats.batches.Add(1)
	m.stats.commands.Add(uint64(len(all)))
	if err := m.governor.enter(ctx, m); err != nil {
		return err
	}
	defer m.governor.leave()
	err := m.device.absent(ctx)
	untouched := err != nil // nothing of the batch has been executed
	if err == nil {
		var done int
		done, err = m.runOn(ctx, m.device, s, all)
		all = all[done:]
		untouched = errors.Is(err, ErrOpen)
	}
	if err != nil && m.o.CPU && movable(err) && (untouched || repeatable(all, false)) {
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryFallback, What: s.label, Err: err,
			Details: "on the CPU"})
		_, failed := m.attempt(ctx, m.device, s, all, manner{cpu: true})
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
		if !repeatable(all, true) {
			return fmt.Errorf("%w; not moved to the fallback device: a buffer that it uses has no host copy", err)
		}
		m.stats.fallbacks.Add(1)
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryFallback, What: s.label, Err: err})
		_, err = m.runOn(ctx, m.fallback, s, all)
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

// manner is how the commands of a batch are executed.
type manner struct {
	part time.Duration // of launches in parts; 0 for whole launches
	cpu  bool          // on the CPU
}

// runOn executes commands on a device. It returns how many have been executed for good: all, or
// some of them if memory was short.
func (m *Manager) runOn(ctx context.Context, d *device, s *Stream, all []command) (done int, err error) {
	var delays backoff.BackOff
	var how manner
	for attempt := 1; ; attempt++ {
		end, err := m.breakers.allow(ctx, d, all)
		if err != nil {
			return 0, err
		}
		epoch, err := m.attempt(ctx, d, s, all, how)
		class := compute.ClassOf(err)
		end(err)
		if err == nil {
			s.retries = min(s.retries+0.1, float64(m.o.Budget))
			return len(all), nil
		}
		m.stats.failures.Add(1)
		m.stats.byClass[class].Add(1)
		if class == compute.ClassDeviceLost { // for later work too
			err = errors.Join(err, d.replace(ctx, epoch, err))
		}
		switch {
		case class == compute.ClassInvalid || class == compute.ClassCanceled || class == compute.ClassPageFault:
			return 0, err
		case m.device == d && d.lost() != nil && repeatable(all, true): // the CPU is next
			return 0, err
		case !repeatable(all, class == compute.ClassDeviceLost):
			return 0, fmt.Errorf("resilience: stream %q: %w: a command reads a buffer that it or a later one writes, "+
				"and the buffer has no host copy: %w", s.label, ErrNotRepeatable, err)
		case attempt >= m.o.Attempts || s.retries < 1:
			m.stats.exhausted.Add(1)
			return 0, fmt.Errorf("resilience: stream %q: %w after %d attempts, with a budget of %.0f: %w", s.label,
				ErrExhausted, attempt, s.retries, err)
		}
		s.retries--
		if class == compute.ClassTimeout {
			if how.part = how.part / shorterParts; how.part == 0 {
				how.part = firstParts
			}
		}
		if class == compute.ClassOutOfMemory {
			if over, done, err := m.relieve(ctx, d, s, all, attempt, err); over {
				return done, err
			}
		}
		if err := m.pause(ctx, s.label, attempt, &delays, err); err != nil {
			return 0, fmt.Errorf("resilience: stream %q: %w", s.label, err)
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

// repeatable reports whether commands may be executed again after they were executed in part. If
// everything is lost, all buffers need a host copy.
func repeatable(all []command, lost bool) bool {
	read := map[*bufferState]bool{}
	for i := range all {
		for _, a := range all[i].accesses {
			if a.reads && a.state.copied == 0 {
				if lost {
					return false
				}
				read[a.state] = true
			}
		}
		for _, a := range all[i].accesses {
			if a.writes && read[a.state] {
				return false
			}
		}
	}
	return true
}

// attempt executes commands once. If it fails, buffers with a host copy have its contents again for
// the next attempt.
func (m *Manager) attempt(ctx context.Context, d *device, s *Stream, all []command, how manner) (epoch uint64,
	err error) {
	d.running.RLock()
	defer d.running.RUnlock()
	if _, epoch, err = d.current(ctx); err == nil && !how.cpu {
		err = d.lost() // by another batch
	}
	if err != nil {
		return epoch, err
	}
	defer func() {
		if err == nil {
			return
		}
		for i := range all {
			for _, a := range all[i].accesses {
				if a.writes {
					a.state.spoil(d)
				}
			}
		}
	}()
	stream, err := s.stream(ctx, d)
	if err != nil {
		return epoch, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, m.o.Wedged, compute.ErrDeviceLost)
	defer cancel()
	if err := m.record(limited, d, stream, all, how); err != nil {
		_ = stream.Sync(limited) // what was recorded must not run into the next attempt
		return epoch, wedged(ctx, err)
	}
	if err := stream.Sync(limited); err != nil {
		return epoch, wedged(ctx, err)
	}
	var keep []func()
	saved := map[*bufferState]bool{}
	for i := range all {
		for _, a := range all[i].accesses {
			if !a.writes || a.state.copied == 0 || saved[a.state] {
				continue
			}
			k, err := a.state.save(limited, d)
			if err != nil {
				return epoch, wedged(ctx, err)
			}
			saved[a.state] = true
			keep = append(keep, k)
		}
	}
	for _, k := range keep {
		k()
	}
	return epoch, nil
}

// wedged makes the end of the time that a batch may take the loss of the device: the cause of that
// context is ErrDeviceLost, which the error wraps, unless the caller's context has ended.
func wedged(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, compute.ErrDeviceLost) {
		return err
	}
	return fmt.Errorf("%w: %w", compute.ErrCanceled, context.Cause(ctx))
}

// record gives a batch to a stream of the device.
func (m *Manager) record(ctx context.Context, d *device, stream *compute.Stream, all []command,
	how manner) error {
	for i := range all {
		c := &all[i]
		for _, a := range c.accesses {
			if a.whole && !a.reads {
				a.state.replace()
			}
		}
		if c.kernel == nil {
			to, err := c.copyTo.argument(ctx, d)
			if err != nil {
				return err
			}
			from, err := c.copyFrom.argument(ctx, d)
			switch {
			case err != nil:
			case how.cpu:
				if err = stream.Sync(ctx); err == nil {
					err = c.hostCopy(ctx, to, from)
				}
			default:
				err = c.copy(ctx, stream, to, from)
			}
			if err != nil {
				return err
			}
			continue
		}
		k, err := c.kernel.on(ctx, d)
		if err != nil {
			return err
		}
		args := make([]any, len(c.args))
		for n, arg := range c.args {
			if h, ok := arg.(handle); ok {
				if args[n], err = h.argument(ctx, d); err != nil {
					return err
				}
				continue
			}
			args[n] = arg
		}
		args = append(args, c.overwritten(args))
		if how.part > 0 {
			_, err = stream.LaunchParts(ctx, k, c.grid, compute.PartOptions{Target: how.part}, args...)
			if !errors.Is(err, compute.ErrParts) {
				m.stats.inParts.Add(1)
			}
		}
		switch {
		case how.cpu:
			err = stream.LaunchFallback(ctx, k, c.grid, args...)
		case how.part == 0 || errors.Is(err, compute.ErrParts):
			err = stream.Launch(ctx, k, c.grid, args...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// relieve frees memory of a device, a little more with each attempt. over: there is no other
// attempt, and done and err are what runOn returns.
func (m *Manager) relieve(ctx context.Context, d *device, s *Stream, all []command, attempt int,
	cause error) (over bool, done int, err error) {
	acc, _, err := d.current(ctx)
	if err != nil {
		return true, 0, err
	}
	switch attempt {
	case 1:
		m.stats.trims.Add(1)
		released := acc.TrimKernels()
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryTrim, What: s.label, Err: cause,
			Details: fmt.Sprintf("%d programs and kernels", released)})
		return false, 0, nil
	case 2:
		m.stats.trims.Add(1)
		acc.Trim()
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryTrim, What: s.label, Err: cause, Details: "pools"})
		return false, 0, nil
	case 3:
		m.stats.trims.Add(1)
		_, err := acc.Defragment(ctx, 0)
		if err != nil {
			m.o.Logger.Warn("resilience: defragmenting memory", "error", err)
		}
		acc.Trim()
		m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryTrim, What: s.label, Err: cause,
			Details: "defragmented"})
		return false, 0, nil
	case 4:
		if len(all) > 1 {
			m.stats.divided.Add(1)
			m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoverySplit, What: s.label, Err: cause})
			half := len(all) / 2
			done, err := m.runOn(ctx, d, s, all[:half])
			if err == nil {
				done, err = m.runOn(ctx, d, s, all[half:])
				done += half
			}
			return true, done, err
		}
		return false, 0, nil
	}
	m.stats.refused.Add(1)
	memory := acc.Memory()
	m.recovered(ctx, observe.RecoverEvent{Kind: observe.RecoveryRefuse, What: s.label, Err: cause})
	return true, 0, fmt.Errorf("resilience: stream %q: refused a batch of %d commands: %d bytes are allocated, "+
		"%d rented of %d reserved by the pool, pressure %v: %w", s.label, len(all), acc.Allocated(), memory.Rented,
		memory.Reserved, memory.Pressure, cause)
}
