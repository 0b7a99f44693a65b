package compute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/pool"
)

// Accelerator is an open device. It is safe for concurrent use.
type Accelerator struct {
	device    mtl.Device
	pool      *pool.Pool
	timelines *eventPool
	info      Info
	config
	log    *slog.Logger
	errors errorLog
	cache  *kernelCache

	observed    atomic.Pointer[[]*observing] // nil while there are none
	launchTimes atomic.Uint32                // a LaunchTiming
	pressure    atomic.Uint32                // the pool.Pressure last reported to observers

	madeStreams atomic.Uint64

	allocated atomic.Int64 // bytes of live ones
	busy      busyStreams

	messages callbacks  // delivers the messages of kernels
	findings objc.Block // called with findings of the sanitizer
	exact    bool       // the device must know how much of each buffer is used
	// dispatchesNone: before indirect commands, encoders dispatch their kernels without
	// threadgroups, or the pipelines may not be resident.
	dispatchesNone bool

	strayed func(error) // keeps the failure of a function of the program; see stray

	poisons atomic.Bool // a command has failed, so that memory may be poisoned
	strays  failures    // of functions of the program that no stream has called; has its own lock

	calls lifetime // the calls in progress that create objects of the device

	mu          sync.Mutex
	closed      bool
	created     uint64 // objects that were ever added to live or opened
	live        memoryList
	anchors     []*anchor            // for the next buffers
	opened      map[closer]openEntry // streams, programs and events that are open
	closedStats streamCounters       // of streams that are closed

	samplersMu sync.Mutex
	samplers   map[SamplerOptions]*Sampler

	keptMu sync.Mutex
	kept   map[any]*Program // of FromBody, by programKey, and of a *SharedProgram

	sharedMu  sync.Mutex
	shared    []*Stream // those of NextStream
	handed    []uint64  // the number of the NextStream call that last returned each
	transfers *Stream   // of uploads and downloads
	next      uint64    // counts calls of NextStream
}

// openEntry is an open object's name, where it was made, and its place in the order of creation.
type openEntry struct {
	name, made string
	number     uint64
}

// callsSubject names an accelerator's calls. They are never closed.
type callsSubject struct{}

func (callsSubject) String() string { return "calls of the accelerator" }
func (callsSubject) release()       {}

// closer is an object of an accelerator that must be closed before it.
type closer interface{ drop() }

// Devices describes the devices of the machine.
func Devices() ([]Info, error) {
	var all []Info
	err := eachDevice(func(i Info, _ mtl.Device) error {
		all = append(all, i)
		return nil
	})
	return all, err
}

// eachDevice calls fn with every device; they are released afterwards.
func eachDevice(fn func(Info, mtl.Device) error) (err error) {
	devices, err := mtl.Devices()
	if err != nil {
		return fmt.Errorf("compute: %w", err)
	}
	defer mtl.ReleaseAll(devices)
	objc.Pool(func() {
		for n, d := range devices {
			var i Info
			if i, err = infoOf(n, d); err == nil {
				err = fn(i, d)
			}
			if err != nil {
				return
			}
		}
	})
	return err
}

// Open opens the first device that meets the options. On a machine without a Metal GPU, that is the
// software device; the log and [Info.Software] report it, and [RequireHardware] rejects it. Close
// the accelerator when done.
func Open(options ...Option) (*Accelerator, error) {
	c := config{logger: slog.Default(), now: time.Now, idle: defaultIdle, history: defaultHistory,
		kernelBytes: defaultKernelBytes, compilations: max(2, runtime.GOMAXPROCS(0))}
	for i, o := range options {
		if o == nil {
			return nil, fmt.Errorf("compute: option %d is nil: %w", i, ErrNil)
		}
		if err := o(&c); err != nil {
			return nil, err
		}
	}
	setFailure()
	a := &Accelerator{calls: lifetime{of: callsSubject{}}, config: c, log: contain.Logger(c.logger.Handler()), opened: map[closer]openEntry{}}
	a.errors.log = a.log
	a.strayed = a.stray
	for _, o := range c.observe {
		if _, err := a.Observe(o); err != nil {
			return nil, err
		}
	}
	a.messages.what = "the handler of kernel messages"
	a.messages.failed = func(_ uint64, err error) {
		a.log.Error("compute: the handler of kernel messages failed", "error", err)
	}
	a.batching = c.batching.withDefaults()
	var software error
	conditions := c.requirements()
	err := eachDevice(func(i Info, d mtl.Device) error {
		for _, f := range conditions {
			if !f.ok(i) {
				return nil
			}
		}
		if c.hardware && i.Software {
			software = ErrSoftware
			return nil
		}
		if a.device.IsNil() {
			d.Retain()
			a.device, a.info = d, i
			a.info.phases = c.phases
			a.dispatchesNone = !i.runsIndirect()
		}
		return nil
	})
	switch {
	case err != nil:
		a.device.Release()
		return nil, err
	case a.device.IsNil():
		what := make([]string, len(conditions))
		for i, f := range conditions {
			what[i] = f.what
		}
		text := "compute: no device"
		if len(what) > 0 {
			text += " " + strings.Join(what, " and ")
		}
		switch {
		case software != nil && len(what) > 0:
			return nil, fmt.Errorf("%s; there is the software device, which RequireHardware rejects: %w: %w", text,
				ErrNoDevice, software)
		case software != nil:
			return nil, fmt.Errorf("%s except the software device, which RequireHardware rejects: %w: %w", text, ErrNoDevice,
				software)
		}
		return nil, fmt.Errorf("%s: %w", text, ErrNoDevice)
	}
	if err = a.newCache(); err == nil {
		err = a.newPool()
	}
	if err != nil {
		a.device.Release()
		return nil, fmt.Errorf("compute: %w", err)
	}
	a.startSanitizer()
	a.changeObservers(func(list []*observing) []*observing { return list }) // now that there is a device to ask
	a.timelines = newEventPool(a.now, a.newTimeline)
	if a.limit == 0 {
		a.limit = defaultLimit(uint64(a.info.Limits.RecommendedMaxWorkingSetSize), a.info.Software)
	}
	if a.streams == 0 {
		a.streams = 4
		if a.info.appleSilicon() {
			a.streams = 6
		}
	}
	level := slog.LevelDebug
	if a.info.Software {
		level = slog.LevelInfo // never silent
	}
	a.log.Log(context.Background(), level, "compute: opened device", "name", a.info.Name, "software", a.info.Software,
		"workingSet", a.info.Limits.RecommendedMaxWorkingSetSize, "memoryLimit", a.limit)
	return a, nil
}

// OpenAll opens an accelerator for each device that meets the options, in the order of [Devices].
// If one cannot be opened, those opened before are closed. If no device meets the options, the
// error wraps [ErrNoDevice].
func OpenAll(options ...Option) ([]*Accelerator, error) {
	infos, err := Devices()
	if err != nil {
		return nil, err
	}
	var all []*Accelerator
	var none error
	for _, i := range infos {
		a, err := Open(append(slices.Clip(options), WithDeviceIndex(i.Index))...)
		switch {
		case errors.Is(err, ErrNoDevice):
			none = err
		case err != nil:
			for _, a := range all {
				err = errors.Join(err, a.Close(context.Background())) // which has no work
			}
			return nil, err
		default:
			all = append(all, a)
		}
	}
	if len(all) == 0 {
		return nil, none
	}
	return all, nil
}

// Info describes the device, as it was when it was opened.
func (a *Accelerator) Info() Info {
	if a.missing() {
		return Info{}
	}
	return a.info
}

// Device returns Metal's device, for features that this package does not wrap. It is valid until
// the accelerator is closed.
func (a *Accelerator) Device() mtl.Device {
	if a.missing() {
		return mtl.Device{}
	}
	return a.device
}

// Allocated returns the total size of the accelerator's live buffers and textures in bytes. A
// texture counts with the size of its texels.
func (a *Accelerator) Allocated() uint64 {
	if a.missing() {
		return 0
	}
	return uint64(a.allocated.Load())
}

// Memory returns the statistics of the accelerator's memory pool: how much is rented, idle and
// reserved, how well blocks are reused, and the memory pressure according to the watermarks of
// [WithPool].
func (a *Accelerator) Memory() pool.Stats {
	if a.missing() {
		return pool.Stats{}
	}
	return a.pool.Stats()
}

// Trim releases pooled memory and events that have been idle for a long time. The pools also do
// this by themselves from time to time.
func (a *Accelerator) Trim() {
	if a.missing() {
		return
	}
	a.pool.Trim()
	a.timelines.trim()
}

// Sync waits until all commands that were recorded on any of the accelerator's streams before the
// call have ended. It returns their failures, except those that another Sync has already returned,
// and those of functions of the program that belong to no stream, such as observers of memory.
func (a *Accelerator) Sync(ctx context.Context) error {
	if err := checkCall(ctx, "accelerator: Sync", a.missing()); err != nil {
		return err
	}
	var errs []error
	for _, s := range a.openStreams() {
		errs = append(errs, s.sync(ctx))
	}
	errs = append(errs, a.strays.take("", math.MaxUint64))
	return errors.Join(errs...)
}

func (a *Accelerator) openStreams() (streams []*Stream) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := range a.opened {
		if s, ok := c.(*Stream); ok {
			streams = append(streams, s)
		}
	}
	return streams
}

// NextStream returns one of the accelerator's shared streams: the one with the fewest unfinished
// commands, and among equals the one that was returned longest ago. They are made at first use and
// closed with the accelerator. [WithStreams] sets their number.
func (a *Accelerator) NextStream() (*Stream, error) {
	if a.missing() {
		return nil, nilError("accelerator: NextStream")
	}
	a.sharedMu.Lock()
	defer a.sharedMu.Unlock()
	i := len(a.shared)
	if i < a.streams {
		s, err := a.NewStream(StreamOptions{Label: fmt.Sprintf("shared %d", i)})
		if err != nil {
			return nil, err
		}
		a.shared, a.handed = append(a.shared, s), append(a.handed, 0)
	} else {
		load := make([]uint64, len(a.shared))
		for i, s := range a.shared {
			load[i] = s.outstanding()
		}
		i = leastLoaded(load, a.handed)
	}
	a.next++
	a.handed[i] = a.next
	return a.shared[i], nil
}

// leastLoaded returns the index of the stream with the least load, and among equals of the one that
// was handed out longest ago.
func leastLoaded(load, handed []uint64) int {
	best := 0
	for i := range load {
		if load[i] < load[best] || load[i] == load[best] && handed[i] < handed[best] {
			best = i
		}
	}
	return best
}

// usable returns an error once the accelerator is closed. The lock is held.
func (a *Accelerator) usable() error {
	if a.closed {
		return fmt.Errorf("compute: accelerator %s: %w", a.info.Name, ErrClosed)
	}
	return nil
}

// beginCall counts a call that creates an object of the device. Close waits until the call has
// ended, which calls.done reports.
func (a *Accelerator) beginCall() error {
	if a.missing() {
		return nilError("a method")
	}
	return a.begin()
}

// begin is beginCall of an accelerator that is not missing.
func (a *Accelerator) begin() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.usable(); err != nil {
		return err
	}
	return a.calls.use()
}

// addOpen registers an object that must be closed before the accelerator.
func (a *Accelerator) addOpen(c closer, name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.usable(); err != nil {
		return err
	}
	a.opened[c] = openEntry{name, a.madeHere(), a.nextCreated()}
	return nil
}

// nextCreated numbers an object in the order of creation. The lock is held.
func (a *Accelerator) nextCreated() uint64 {
	a.created++
	return a.created
}

// removeOpen unregisters an object that was closed.
func (a *Accelerator) removeOpen(c closer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.opened, c)
}

// drain waits until the streams' work has ended and nothing is being created or compiled. It
// returns descriptions of the work that was left when ctx ended, and the failures of the rest.
func (a *Accelerator) drain(ctx context.Context) (left []string, failures error) {
	var errs []error
	for _, s := range a.openStreams() {
		if what, err := s.finishAll(ctx); what != "" {
			left = append(left, what)
		} else {
			errs = append(errs, err)
		}
	}
	if a.calls.wait(ctx) != nil {
		left = append(left, "calls that make objects of the device")
	}
	if a.cache.memory.Wait(ctx) != nil { // no call is left that could start another compilation
		left = append(left, "the compiler")
	}
	if a.pool.Settle(ctx) != nil {
		left = append(left, "the pool's defragmentation")
	}
	slices.Sort(left)
	return left, errors.Join(errs...)
}

// takeOpen unregisters all open objects and returns the functions that release them, newest object
// first. It lists the objects in leak, except streams that the program need not close. The lock is
// held.
func (a *Accelerator) takeOpen(leak *LeakError) []func() {
	type object struct {
		number uint64
		drop   func()
	}
	var objects []object
	for c, e := range a.opened {
		if s, ok := c.(*Stream); !ok || !s.abandoned && s != a.transfers && !slices.Contains(a.shared, s) {
			leak.Objects = append(leak.Objects, e.name+e.made)
		}
		objects = append(objects, object{e.number, c.drop})
	}
	for _, m := range a.live.takeAll() {
		leak.Objects = append(leak.Objects, m.String()+m.made())
		objects = append(objects, object{m.id, m.destroy})
	}
	a.opened = map[closer]openEntry{}
	slices.SortFunc(objects, func(x, y object) int { return cmp.Compare(y.number, x.number) })
	drops := make([]func(), len(objects))
	for i := range objects {
		drops[i] = objects[i].drop
	}
	return drops
}

// Close waits until the streams' work and callbacks have ended, then releases everything that is
// still open, in reverse order of creation. It returns failures that no Sync has returned, and a
// *[LeakError] that lists the objects that the program should have closed; the streams of
// [Accelerator.NextStream] are not among them. If ctx ends first, Close cancels the work as
// [Stream.Close] does and closes nothing; the error wraps that of ctx and lists the remaining work,
// and Close may be called again. Closing a closed accelerator does nothing.
func (a *Accelerator) Close(ctx context.Context) error {
	if a.missing() {
		return nilError("accelerator: Close")
	}
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil
	}
	a.closed = true
	a.mu.Unlock()

	var closing []*Stream // they refuse new commands
	for _, s := range a.openStreams() {
		if s.beginClose() {
			closing = append(closing, s)
		}
	}
	left, err := a.drain(ctx)
	if len(left) > 0 {
		a.mu.Lock()
		a.closed = false
		a.mu.Unlock()
		for _, s := range closing {
			s.cancelClose()
		}
		return errors.Join(fmt.Errorf("compute: accelerator %s %w, waiting for %s: %w", a.info.Name, ErrStaysOpen,
			strings.Join(left, ", "), canceledBy(ctx)), err)
	}
	a.sharedMu.Lock()
	defer a.sharedMu.Unlock()
	a.mu.Lock()
	leak := LeakError{lines: a.leakCheck}
	drops := a.takeOpen(&leak)
	a.mu.Unlock()
	_ = a.calls.wait(context.Background()) // for closed buffers that are being released
	for _, drop := range drops {
		drop()
	}
	a.closeSamplers()
	a.closeKept()
	a.timelines.close()
	a.errors.close()
	err = errors.Join(err, a.pool.Close())
	a.cache.memory.Close()
	a.stopSanitizer()
	a.device.Release()
	if len(leak.Objects) > 0 {
		slices.Sort(leak.Objects)
		a.log.Warn("compute: objects were open at Close", "objects", leak.Objects)
		err = errors.Join(err, &leak)
	}
	return err
}
