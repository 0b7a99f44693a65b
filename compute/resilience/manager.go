package resilience

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
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
	// ErrLost: the contents of a buffer were lost with the device, and it has no host copy.
	ErrLost = errors.New("contents lost")
	// ErrHostCopies: the host copies would take more memory than [Options].HostCopies allows.
	ErrHostCopies = errors.New("too much memory for host copies")
)

// Opener opens a device. It is called again when the device was lost.
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
	// Batch is how many commands a stream executes at once. The default is 64.
	Batch int
	// Concurrent is how many batches run at once. The default is 8. Heat and low power lower it.
	Concurrent int
	// HostCopies is how many bytes the host copies of all buffers may have. The default is 1 GiB.
	HostCopies uint64
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
		{"Cooldown", int64(o.Cooldown)}, {"Poll", int64(o.Poll)}, {"Calm", int64(o.Calm)}} {
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

// Manager runs work on a device, and deals with its failures. It is safe for concurrent use.
type Manager struct {
	o        Options
	device   *device
	fallback *device // nil if there is none
	breakers breakers
	governor governor
	stats    counters

	mu      sync.Mutex
	closed  bool
	copies  uint64 // bytes of host copies
	buffers []*bufferState
	streams []*Stream
	idle    map[compute.Priority][]*Stream // of Do
	lost    []string                       // buffers whose contents were lost, in the order in which that was noticed
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
	if _, _, err := m.device.current(ctx); err != nil {
		return nil, err
	}
	return m, nil
}

// missing reports whether the manager is nil or was not made by [New].
func (m *Manager) missing() bool { return m == nil || m.device == nil }

// Accelerator returns the device's accelerator now. It is closed when the device is lost; with
// [Options].CPU, when another one has been opened in its place.
func (m *Manager) Accelerator(ctx context.Context) (*compute.Accelerator, error) {
	if m.missing() || ctx == nil {
		return nil, errMissing("Accelerator", "manager or context")
	}
	acc, _, err := m.device.current(ctx)
	return acc, err
}

// Close executes what the streams still have, releases all handles and closes the devices. The
// error joins the streams' failures and those of closing the devices. If ctx ends first, it wraps
// [compute.ErrStaysOpen], and Close may be called again.
func (m *Manager) Close(ctx context.Context) error {
	if m.missing() || ctx == nil {
		return errMissing("Close", "manager or context")
	}
	m.mu.Lock()
	m.closed = true
	streams, buffers := slices.Clone(m.streams), slices.Clone(m.buffers)
	m.mu.Unlock()
	var errs []error
	for _, s := range streams {
		errs = append(errs, s.Close(ctx))
	}
	for _, b := range buffers {
		b.close()
	}
	for _, d := range []*device{m.device, m.fallback} {
		if d != nil {
			errs = append(errs, d.close(ctx))
		}
	}
	return errors.Join(errs...)
}

// usable returns an error once the manager is closed.
func (m *Manager) usable(what string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("resilience: %s: manager: %w", what, compute.ErrClosed)
	}
	return nil
}

// device is an accelerator that is opened again when it is lost.
type device struct {
	manager *Manager
	open    Opener

	// running is held for reading while a batch runs, and for writing while the device is replaced.
	running sync.RWMutex

	mu    sync.Mutex
	acc   *compute.Accelerator
	epoch uint64 // counts the accelerators, and those that are gone once more
	forms sync.Map

	// gone is why acc, which is lost, could not be replaced; nil if it is not lost. With
	// [Options].CPU it stays open, because the CPU works in its memory. tried is when it was last
	// tried to open another one.
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

// replace puts a new accelerator in the place of that of an epoch, unless another goroutine has. No
// batch may be running on it by the caller. If it returns an error, there is none, or with
// [Options].CPU only one that is gone.
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
	m.noteLost(d)
	if m.o.CPU && d == m.device {
		return d.reopen(ctx, old)
	}
	d.mu.Lock()
	d.acc = nil
	d.mu.Unlock()
	for _, b := range m.allBuffers() {
		b.unbind(d)
	}
	d.abandon(ctx, old)
	_, _, err := d.current(ctx)
	return err
}

// reopen opens an accelerator in the place of one that is lost. If it cannot, the lost one stays
// for the CPU: its memory and what reflection tells of its kernels need no device. The caller holds
// running.
func (d *device) reopen(ctx context.Context, old *compute.Accelerator) error {
	m := d.manager
	acc, err := d.open(ctx)
	if err == nil && acc == old { // the opener shares it
		err = fmt.Errorf("%w: Open returned the accelerator that is lost", compute.ErrOption)
	}
	now := m.o.Now() // a function of the program, which is called without the lock
	d.mu.Lock()
	d.tried = now
	before := d.gone
	if err != nil {
		err = fmt.Errorf("resilience: opening the device: %w", errors.Join(compute.ErrDeviceLost, err))
		if d.gone = err; before == nil {
			d.epoch++ // so that streams begin anew: old ones may have work that never ends
		}
		d.mu.Unlock()
		if before == nil {
			m.o.Logger.Warn("resilience: the device is gone; work runs on the CPU", "error", err)
			for _, b := range m.allBuffers() {
				b.toHost(d)
			}
		}
		return err
	}
	d.acc, d.gone = acc, nil
	d.epoch++
	d.mu.Unlock()
	if before != nil {
		m.o.Logger.Info("resilience: the device is back", "device", acc.Info().Name)
	}
	for _, b := range m.allBuffers() {
		b.carry(ctx, d, acc)
	}
	d.abandon(ctx, old)
	return nil
}

// lost returns why the accelerator is gone, nil if it is not.
func (d *device) lost() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.gone
}

// absent returns why there is no device that could run work, nil if there is one. Once in each
// Cooldown it tries to open one that is gone.
func (d *device) absent(ctx context.Context) error {
	if d.lost() == nil {
		return nil
	}
	now := d.manager.o.Now() // a function of the program, which is called without the lock
	d.mu.Lock()
	gone, due := d.gone, now.Sub(d.tried) >= d.manager.o.Cooldown
	d.mu.Unlock()
	if gone == nil || !due {
		return gone
	}
	d.running.Lock()
	defer d.running.Unlock()
	d.mu.Lock()
	old, gone, due := d.acc, d.gone, now.Sub(d.tried) >= d.manager.o.Cooldown
	d.mu.Unlock()
	if gone == nil || !due {
		return gone
	}
	return d.reopen(ctx, old)
}

// closeAfter is how long an accelerator that was lost may take to close before it is left alone.
const closeAfter = 10 * time.Second

// abandon closes the accelerator of a lost device, in which no buffer is left.
func (d *device) abandon(ctx context.Context, acc *compute.Accelerator) {
	d.forms.Clear()
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeAfter)
	defer cancel()
	if err := acc.Close(limited); err != nil {
		d.manager.o.Logger.Warn("resilience: closing a lost device", "error", err)
	}
}

// close closes the accelerator.
func (d *device) close(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.acc == nil {
		return nil
	}
	d.forms.Range(func(_, p any) bool {
		p.(*compute.Program).Close()
		return true
	})
	acc, gone := d.acc, d.gone
	if gone != nil {
		d.acc, d.gone = nil, nil
		d.abandon(ctx, acc)
		return nil
	}
	err := acc.Close(ctx)
	if !errors.Is(err, compute.ErrStaysOpen) {
		d.acc = nil
	}
	return err
}

func (m *Manager) allBuffers() []*bufferState {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.buffers)
}

// noteLost notes the buffers that have no host copy and were on a device that is lost.
func (m *Manager) noteLost(d *device) {
	for _, b := range m.allBuffers() {
		m.noteLostBuffer(b, d)
	}
}

func (m *Manager) noteLostBuffer(b *bufferState, d *device) {
	if b.lose(d) {
		m.o.Logger.Error("resilience: the contents of a buffer were lost with the device", "buffer", b.label)
		m.mu.Lock()
		m.lost = append(m.lost, b.label)
		m.mu.Unlock()
	}
}

// counters count what the manager did.
type counters struct {
	batches, commands, failures, retries, resets, fallbacks, onCPU atomic.Uint64
	refused, divided, inParts, trims, exhausted                    atomic.Uint64
	cpuFailed                                                      atomic.Bool // the last batch on the CPU
	byClass                                                        [16]atomic.Uint64
}
