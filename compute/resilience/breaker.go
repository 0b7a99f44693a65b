package resilience

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/sony/gobreaker/v2"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/guard"
	"github.com/puremetal/puremetal/compute/observe"
)

// breakers are the circuit breakers of the devices and of their kernels. One that is open refuses
// work for a while. Then the next batch is a test: of a kernel, the batch itself; of a device, a
// small kernel before it.
type breakers struct {
	manager *Manager
	mu      sync.Mutex
	all     map[breakerKey]*gobreaker.TwoStepCircuitBreaker[any]
}

// breakerKey identifies a circuit breaker.
type breakerKey struct {
	device *device
	kernel string // "" for the device's own
}

func (k breakerKey) String() string {
	if k.kernel == "" {
		return "device"
	}
	return "kernel " + k.kernel
}

// errNotTried is the result of work that was allowed and then not done.
var errNotTried = errors.New("not tried")

// of returns a circuit breaker, which is made at first use.
func (b *breakers) of(key breakerKey) *gobreaker.TwoStepCircuitBreaker[any] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.all[key]; c != nil {
		return c
	}
	m := b.manager
	c := gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		Name:        key.String(),
		MaxRequests: 1,
		Timeout:     m.o.Cooldown,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= uint32(m.o.Trip) },
		IsExcluded:  func(err error) bool { return errors.Is(err, errNotTried) },
		OnStateChange: func(name string, from, to gobreaker.State) {
			kind := map[gobreaker.State]observe.Recovery{gobreaker.StateOpen: observe.RecoveryOpen,
				gobreaker.StateHalfOpen: observe.RecoveryProbe, gobreaker.StateClosed: observe.RecoveryClose}[to]
			m.o.Logger.Warn("resilience: circuit breaker", "of", name, "from", from, "to", to)
			m.recovered(context.Background(), observe.RecoverEvent{Kind: kind, What: name})
		},
	})
	if b.all == nil {
		b.all = map[breakerKey]*gobreaker.TwoStepCircuitBreaker[any]{}
	}
	b.all[key] = c
	return c
}

// allow asks the circuit breakers of a device and of a batch's kernels. end tells them the result.
func (b *breakers) allow(ctx context.Context, d *device, all guard.Work) (end func(error), err error) {
	keys := []breakerKey{{device: d}}
	for _, name := range all.Kernels() {
		keys = append(keys, breakerKey{d, name})
	}
	var ends []func(error)
	for _, key := range keys {
		c := b.of(key)
		done, err := c.Allow()
		if err == nil {
			if ends = append(ends, done); key.kernel != "" || c.State() != gobreaker.StateHalfOpen {
				continue
			}
			if err = b.manager.probe(ctx, d); err == nil {
				continue
			}
			done(err)
			ends = ends[1:]
		}
		for _, done := range ends {
			done(errNotTried)
		}
		return nil, fmt.Errorf("resilience: %v: %w: %w", key, ErrOpen, err)
	}
	return func(err error) {
		for i, done := range ends {
			done(blamed(keys[i], err, len(keys) == 2))
		}
	}, nil
}

// blamed returns an error if it counts against what a circuit breaker is for, otherwise nil. only:
// there is one kernel.
func blamed(key breakerKey, err error, only bool) error {
	switch compute.ClassOf(err) {
	case compute.ClassNone:
		return nil
	case compute.ClassInvalid, compute.ClassCanceled:
		return errNotTried
	case compute.ClassDeviceLost, compute.ClassTransient, compute.ClassOutOfMemory:
		if key.kernel != "" {
			return errNotTried
		}
		return err
	}
	var failed *compute.ExecutionError
	if key.kernel == "" || only || !errors.As(err, &failed) {
		return err
	}
	for _, c := range failed.Commands {
		if c == key.kernel || strings.HasPrefix(c, key.kernel+" (") {
			return err
		}
	}
	return errNotTried
}

// probeSource is the small kernel that tests a device.
const probeSource = `
kernel void probe(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = i * i + 7; }`

// probe tests a device with a small kernel of a known result.
func (m *Manager) probe(ctx context.Context, d *device) error {
	d.running.RLock()
	defer d.running.RUnlock()
	ctx = guard.Inside(ctx)
	acc, _, err := d.current(ctx)
	if err != nil {
		return err
	}
	p, err := acc.Compile(ctx, probeSource, compute.CompileOptions{Name: "probe"})
	if err != nil {
		return err
	}
	defer p.Close()
	k, err := p.KernelContext(ctx, "probe")
	if err != nil {
		return err
	}
	const n = 64
	x, err := compute.NewZeroed[uint32](ctx, acc, n, compute.BufferOptions{Label: "probe"})
	if err != nil {
		return err
	}
	defer x.Close()
	made, err := guard.Compute.NewStream(acc, "probe")
	if err != nil {
		return err
	}
	s := made.(*compute.Stream)
	err = s.Launch(ctx, k, compute.Threads1D(n), x)
	err = errors.Join(err, s.Close(ctx)) // waits
	got := make([]uint32, n)
	if err == nil {
		err = x.Download(ctx, got)
	}
	for i, v := range got {
		if want := uint32(i*i + 7); err == nil && v != want {
			err = fmt.Errorf("resilience: the probe got %d in place of %d", v, want)
		}
	}
	return err
}
