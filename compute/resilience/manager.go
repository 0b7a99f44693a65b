package resilience

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/guard"
	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/objc"
)

// Kinds of error. Returned errors also wrap the failure that led to them.
var (
	// ErrNotRepeatable: a batch failed, and repeating it could apply a command twice.
	ErrNotRepeatable = errors.New("not safe to repeat")
	// ErrExhausted: all attempts have failed, or the stream's budget for retries is used up.
	ErrExhausted = errors.New("retries exhausted")
	// ErrOpen: a circuit breaker refuses the work, because earlier work like it failed.
	ErrOpen = errors.New("circuit breaker is open")
	// ErrLost: what a command uses was lost with the device: the contents of a buffer or texture
	// without a host copy, or an address, a handle or a command of the program that was made for it.
	ErrLost = guard.ErrLost
	// ErrHostCopies: the host copies would take more memory than [Options].HostCopies allows.
	ErrHostCopies = errors.New("too much memory for host copies")
)

// Opener opens a device. It is called again when the device was lost: then the manager takes over
// what the new accelerator has opened, and closes it. Observers, loggers and other options are
// those of the first accelerator.
type Opener func(ctx context.Context) (*compute.Accelerator, error)

// Options configures a [Manager]. Zero fields mean the default. A function that panics or ends its
// goroutine fails what it is called for, with a *[compute.PanicError]; Machine leaves the number of
// batches as it is.
type Options struct {
	// Open opens the device. The default is compute.Open without options.
	Open Opener
	// Fallback opens the device for work that the first one keeps failing. It is opened when it is
	// needed first. The default is none.
	Fallback Opener
	// CPU runs the launches of batches that the device keeps failing on the CPU, before they move
	// to the fallback device, and all batches while the device is removed and cannot be opened
	// again. Open must open the device with [compute.WithFallback].
	CPU bool

	// Attempts is how often a batch is tried on a device. The default is 6.
	Attempts int
	// Backoff returns the delays between the attempts of a batch. The default is exponential with
	// jitter: 1 ms, doubled up to 1 s, and each up to a half longer or shorter.
	Backoff func() backoff.BackOff
	// Budget limits the retries of a stream: it has so many at first, each retry takes one, and
	// each ten batches that succeed return one. The default is 100.
	Budget int
	// Batch is how many commands a stream executes at once, at most. The default is 64.
	Batch int
	// Concurrent is how many batches run at once. The default is 8. Heat and low power lower it.
	Concurrent int
	// HostCopies is how many bytes all host copies may have. The default is 1 GiB.
	HostCopies uint64
	// KeepAll gives every buffer and texture of the accelerator a host copy, also those that other
	// packages make, such as tensors.
	KeepAll bool
	// Delay is how long a command waits for more commands of its batch, unless somebody waits for it.
	// The default is 1 ms.
	Delay time.Duration
	// Wedged is how long a batch may run before its device counts as lost. The default is 10
	// minutes.
	Wedged time.Duration

	// Trip is how many failures in a row open a circuit breaker: of a kernel, or of the device. The
	// default is 10.
	Trip int
	// Cooldown is how long an open circuit breaker refuses work before a probe. The default is 1 s.
	Cooldown time.Duration

	// Machine reads the machine's state, from which follows how many batches may run at once. The
	// default is [objc.ReadProcessInfo]. Poll is how often it is called at most, by default each 5
	// s, and Calm how long the state must be better before more batches may run, by default 30 s.
	Machine    func() (objc.ProcessInfo, error)
	Poll, Calm time.Duration

	// Now and Sleep replace the clock, for tests.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error

	// Logger receives resets, lost buffers and open circuit breakers. The default is
	// slog.Default().
	Logger *slog.Logger
}

// withDefaults replaces zero fields by defaults, and contains the functions of the program whose
// failure has a place: what panics or ends its goroutine returns a *[compute.PanicError].
func (o Options) withDefaults() (Options, error) {
	for _, n := range []struct {
		name  string
		value int64
	}{{"Attempts", int64(o.Attempts)}, {"Budget", int64(o.Budget)}, {"Batch", int64(o.Batch)},
		{"Concurrent", int64(o.Concurrent)}, {"Trip", int64(o.Trip)}, {"Wedged", int64(o.Wedged)},
		{"Cooldown", int64(o.Cooldown)}, {"Delay", int64(o.Delay)}, {"Poll", int64(o.Poll)}, {"Calm", int64(o.Calm)}} {
		if n.value < 0 {
			return o, fmt.Errorf("resilience: Options.%s is %d, want at least 0: %w", n.name, n.value, compute.ErrOption)
		}
	}
	o.Attempts = cmp.Or(o.Attempts, 6)
	o.Budget = cmp.Or(o.Budget, 100)
	o.Batch = cmp.Or(o.Batch, 64)
	o.Concurrent = cmp.Or(o.Concurrent, 8)
	o.HostCopies = cmp.Or(o.HostCopies, 1<<30)
	o.Wedged = cmp.Or(o.Wedged, 10*time.Minute)
	o.Trip = cmp.Or(o.Trip, 10)
	o.Delay = cmp.Or(o.Delay, time.Millisecond)
	o.Cooldown = cmp.Or(o.Cooldown, time.Second)
	o.Poll = cmp.Or(o.Poll, 5*time.Second)
	o.Calm = cmp.Or(o.Calm, 30*time.Second)
	o.Logger = contain.Logger(cmp.Or(o.Logger, slog.Default()).Handler())
	if o.Open == nil {
		o.Open = func(context.Context) (*compute.Accelerator, error) { return compute.Open() }
	}
	o.Open, o.Fallback = contained("Open", o.Open), contained("Fallback", o.Fallback)
	if o.Backoff == nil {
		o.Backoff = func() backoff.BackOff {
			return &backoff.ExponentialBackOff{InitialInterval: time.Millisecond, Multiplier: 2, RandomizationFactor: 0.5,
				MaxInterval: time.Second}
		}
	}
	if o.Machine == nil {
		o.Machine = objc.ReadProcessInfo
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	machine, wait := o.Machine, o.Sleep
	o.Machine = func() (p objc.ProcessInfo, err error) {
		err = called("Machine", func() error { p, err = machine(); return err })
		return p, err
	}
	o.Sleep = func(ctx context.Context, d time.Duration) error {
		return called("Sleep", func() error { return wait(ctx, d) })
	}
	return o, nil
}

// called calls a function of [Options] so that it cannot take the caller's goroutine with it.
func called(name string, fn func() error) error {
	return contain.Call(func() string { return "Options." + name }, fn)
}

// contained returns an opener that returns what the given one fails with.
func contained(name string, open Opener) Opener {
	if open == nil {
		return nil
	}
	return func(ctx context.Context) (acc *compute.Accelerator, err error) {
		err = called(name, func() error {
			made, err := open(ctx)
			if err == nil && made == nil {
				err = fmt.Errorf("no accelerator from Options.%s: %w", name, compute.ErrNil)
			}
			if err == nil {
				acc = made
			}
			return err
		})
		return acc, err
	}
}

// delay returns the next delay of a program's back-off, which it makes first if it is nil.
func (o *Options) delay(b *backoff.BackOff) (d time.Duration, err error) {
	err = called("Backoff", func() error {
		if *b == nil {
			*b = o.Backoff()
		}
		if *b == nil {
			return fmt.Errorf("Options.Backoff returned nil: %w", compute.ErrNil)
		}
		d = (*b).NextBackOff()
		return nil
	})
	return d, err
}

// sleep waits for a time, or for the context's end.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Manager deals with the failures of an accelerator. It is safe for concurrent use.
type Manager struct {
	o        Options
	device   *device
	fallback *device // nil if there is none
	breakers breakers
	governor governor
	stats    counters

	mu     sync.Mutex
	closed bool
	copies uint64                                 // bytes of host copies
	idle   map[compute.Priority][]*compute.Stream // of Do
	lost   []string                               // what was lost, in the order in which that was noticed
}

// New opens a manager's device. Close the manager when done.
func New(ctx context.Context, o Options) (*Manager, error) {
	if ctx == nil {
		return nil, errMissing("New", "context")
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &Manager{o: o}
	m.device = &device{manager: m, open: o.Open}
	if o.Fallback != nil {
		m.fallback = &device{manager: m, open: o.Fallback}
	}
	m.breakers.manager = m
	m.governor.start(o.Concurrent)
	acc, _, err := m.device.current(ctx)
	if err != nil {
		return nil, err
	}
	guard.Compute.Attach(acc, m.guard(), guard.Options{Commands: o.Batch, Delay: o.Delay, All: o.KeepAll})
	return m, nil
}

// missing reports whether the manager is nil or was not made by [New].
func (m *Manager) missing() bool { return m == nil || m.device == nil }

// errMissing is the error of a call on a handle that is nil or that no function of this package
// made.
func errMissing(call, what string) error {
	return fmt.Errorf("resilience: %s: the %s is nil or was never made: %w", call, what, compute.ErrNil)
}

// Accelerator returns the manager's accelerator, which stays the same when its device is opened
// again. The program makes its programs, memory and streams with it, and does not close it: Close
// of the manager does.
func (m *Manager) Accelerator() *compute.Accelerator {
	if m.missing() {
		return nil
	}
	m.device.mu.Lock()
	defer m.device.mu.Unlock()
	return m.device.acc
}

// Close executes what the streams still have, releases everything that is open and closes the
// devices. The error joins the streams' failures and those of closing the devices. If ctx ends
// first, it wraps [compute.ErrStaysOpen], and Close may be called again.
func (m *Manager) Close(ctx context.Context) error {
	if m.missing() || ctx == nil {
		return errMissing("Close", "manager or context")
	}
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	var errs []error
	for _, d := range []*device{m.device, m.fallback} {
		if d != nil {
			errs = append(errs, d.close(ctx))
		}
	}
	return errors.Join(errs...)
}

// counters count what the manager did.
type counters struct {
	batches, commands, failures, retries, resets, fallbacks, onCPU atomic.Uint64
	refused, divided, inParts, trims, exhausted                    atomic.Uint64
	cpuFailed                                                      atomic.Bool // the last batch on the CPU
	byClass                                                        [16]atomic.Uint64
}
