package analyze

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/objc"
)

var (
	// ErrNotObservable: the device does not count what kernels do. Only the software device does.
	ErrNotObservable = errors.New("launches on this device cannot be observed")
	// ErrLaunches: there were more launches than [ObserveOptions] allow.
	ErrLaunches = errors.New("too many launches")
	// ErrOptions: an option has a bad value.
	ErrOptions = errors.New("bad options")
)

// DefaultLaunches is the number of launches that [Observe] returns if the options do not say.
const DefaultLaunches = 1000

// ObserveOptions configures [Observe]. The zero value observes all threadgroups of at most
// [DefaultLaunches] launches.
type ObserveOptions struct {
	// Threadgroups is the number of threadgroups to observe of each launch, spread evenly over its
	// grid; the others run at full speed. 0 observes all.
	Threadgroups int
	// Seed selects the threadgroups: the same seed selects the same ones.
	Seed uint64
	// Launches is the number of launches to return. 0 is DefaultLaunches.
	Launches int
}

// Observe calls a function and returns what the launches did that ran on the accelerator's device
// meanwhile, in the order in which they began. It waits for all work of the accelerator before and
// after the call, and observes also launches of other accelerators of the same device.
//
// Only the software device can count: on others, Observe fails with [ErrNotObservable] before it
// calls the function. The results of kernels are the same as without, but they run unoptimized,
// many times slower; ObserveOptions.Threadgroups limits that.
//
// When the context ends, Observe returns its error. It also returns the function's own error and
// those of the launches, each with the launches so far; with [ErrLaunches] if there were more than
// the options allow.
func Observe(ctx context.Context, acc *compute.Accelerator, o ObserveOptions,
	f func(context.Context) error) ([]*event.Launch, error) {
	switch {
	case acc == nil || f == nil:
		return nil, fmt.Errorf("analyze: Observe: an accelerator and a function are needed: %w", ErrOptions)
	case o.Threadgroups < 0 || o.Launches < 0:
		return nil, fmt.Errorf("analyze: Observe: %d threadgroups of %d launches, want 0 or more: %w", o.Threadgroups,
			o.Launches, ErrOptions)
	}
	if info := acc.Info(); !info.Software {
		return nil, fmt.Errorf("analyze: Observe: %w: %s is a GPU, which does not tell the addresses that kernels access; "+
			"set PUREMETAL_DRIVER=software", ErrNotObservable, info.Name)
	}
	if err := acc.Sync(ctx); err != nil {
		return nil, fmt.Errorf("analyze: Observe: work before it: %w", err)
	}
	w := &watcher{most: cmp.Or(o.Launches, DefaultLaunches)}
	block, err := objc.TryNewBlock("v@?@", w.launched)
	if err != nil {
		return nil, fmt.Errorf("analyze: Observe: %w", err)
	}
	defer block.Release()
	device := acc.Device()
	client.Send(&extension.Measure, device.ID(), uintptr(o.Threadgroups), uintptr(o.Seed), block.Word())
	defer w.stop(func() { client.Send(&extension.StopMeasuring, device.ID(), block.Word()) }) // also if f panics
	err = f(ctx)
	err = errors.Join(err, acc.Sync(ctx))
	w.stop(func() { client.Send(&extension.StopMeasuring, device.ID(), block.Word()) })
	return w.result(err)
}

// watcher collects launches.
type watcher struct {
	stopped sync.Once

	mu       sync.Mutex
	most     int
	closed   bool
	dropped  int
	launches []*event.Launch
	err      error
}

// stop ends the collection; launches that have begun still call the block.
func (w *watcher) stop(f func()) {
	w.stopped.Do(func() {
		f()
		w.mu.Lock()
		w.closed = true
		w.mu.Unlock()
	})
}

// launched takes a launch from the device.
func (w *watcher) launched(args []uintptr) uintptr {
	l, err := client.Value[event.Launch](args)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
	case len(w.launches) >= w.most:
		w.dropped++
	default:
		if err != nil {
			w.err = fmt.Errorf("analyze: Observe: what the device reports: %w", err)
			return 0
		}
		w.launches = append(w.launches, &l)
	}
	return 0
}

// result returns the launches and the error, with that of the function.
func (w *watcher) result(err error) ([]*event.Launch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err = errors.Join(err, w.err)
	if w.dropped > 0 {
		err = errors.Join(err, fmt.Errorf("analyze: Observe: %d of %d launches are missing: %w; set ObserveOptions.Launches",
			w.dropped, w.dropped+len(w.launches), ErrLaunches))
	}
	slices.SortStableFunc(w.launches, func(a, b *event.Launch) int { return a.Start.Compare(b.Start) })
	return w.launches, err
}
