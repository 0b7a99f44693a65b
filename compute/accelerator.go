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

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/pool"
)

// Accelerator is an open device. It is safe for concurrent use.
type Accelerator struct {
	readWrite mtl.ReadWriteTextureTier // of the device
	core      stream.Device

	device    mtl.Device
	pool      *pool.Pool
	timelines *eventPool
	info      Info
	config
	log    *slog.Logger
	errors errorLog
	cache  *kernelCache

	madeStreams atomic.Uint64

	busy busyStreams

	messages callbacks  // delivers the messages of kernels
	findings objc.Block // called with findings of the sanitizer

	strays failures // of functions of the program that no stream has called; has its own lock

	// The lock of core guards these.
	closedStats stream.Counters // of streams that are closed

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
	setHooks()
	setDoor()
	a := &Accelerator{config: c, log: contain.Logger(c.logger.Handler())}
	a.errors.log = a.log
	a.core.Init(a, a.log, a.stray)
	a.core.Now, a.core.LeakCheck, a.core.Protect = a.now, a.leakCheck, a.protect
	a.core.NewShared = func(length uint, label string) (*stream.Memory, error) {
		shared := mtl.StorageModeShared
		return a.newMemory(length, BufferOptions{Label: label, Storage: &shared})
	}
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
			a.readWrite = d.ReadWriteTextureSupport()
			a.core.Device, a.core.DispatchesNone = d, !i.runsIndirect()
			a.core.Info = stream.Info{Name: i.Name, Software: i.Software, Limits: i.Limits}
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
	a.core.Pool = a.pool
	a.startSanitizer()
	// Now there is a device to ask.
	a.changeObservers(func(list []*stream.Observing) []*stream.Observing { return list })
	a.timelines = newEventPool(a.now, a.newTimeline)
	if a.limit == 0 {
		a.limit = defaultLimit(uint64(a.info.Limits.RecommendedMaxWorkingSetSize), a.info.Software)
	}
	a.core.Limit = a.limit
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
	return uint64(a.core.Allocated.Load())
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
	if err := stream.CheckCall(ctx, "accelerator: Sync", a.missing()); err != nil {
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
	a.core.Mu.Lock()
	defer a.core.Mu.Unlock()
	for c := range a.core.Opened {
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
		return nil, stream.NilError("accelerator: NextStream")
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

// beginCall counts a call that creates an object of the device. Close waits until the call has
// ended, which calls.done reports.
func (a *Accelerator) beginCall() error {
	if a.missing() {
		return stream.NilError("a method")
	}
	return a.core.Begin()
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
	if a.core.Waits.Wait(ctx) != nil || a.core.Calls.Wait(ctx) != nil {
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
	for c, e := range a.core.Opened {
		if s, ok := c.(*Stream); !ok || !s.abandoned && s != a.transfers && !slices.Contains(a.shared, s) {
			leak.Objects = append(leak.Objects, e.Name+e.Made)
		}
		objects = append(objects, object{e.Number, e.Drop})
	}
	for _, m := range a.core.Live.TakeAll() {
		leak.Objects = append(leak.Objects, m.String()+m.Made())
		objects = append(objects, object{m.Id, m.Destroy})
	}
	a.core.Opened = nil
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
		return stream.NilError("accelerator: Close")
	}
	a.core.Mu.Lock()
	if a.core.Closed {
		a.core.Mu.Unlock()
		return nil
	}
	a.core.Closed = true
	a.core.Mu.Unlock()

	var closing []*Stream // they refuse new commands
	for _, s := range a.openStreams() {
		if s.beginClose() {
			closing = append(closing, s)
		}
	}
	left, err := a.drain(ctx)
	if len(left) > 0 {
		a.core.Mu.Lock()
		a.core.Closed = false
		a.core.Mu.Unlock()
		for _, s := range closing {
			s.cancelClose()
		}
		return errors.Join(fmt.Errorf("compute: accelerator %s %w, waiting for %s: %w", a.info.Name, ErrStaysOpen,
			strings.Join(left, ", "), stream.CanceledBy(ctx)), err)
	}
	a.sharedMu.Lock()
	defer a.sharedMu.Unlock()
	a.core.Mu.Lock()
	leak := LeakError{lines: a.leakCheck}
	drops := a.takeOpen(&leak)
	a.core.Mu.Unlock()
	_ = a.core.Calls.Wait(context.Background()) // for closed buffers that are being released
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
