package compute

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/pool"
)

// These functions call an accelerator's observers.

// notify calls one callback of the observers that have it, and failed with its failure.
func notify[E any](list []*observing, failed func(error), name string, event E, of func(*observe.Observer) func(E)) {
	for _, o := range list {
		call := of(o.Observer)
		if call == nil {
			continue
		}
		if err := contain.Call(func() string { return "an observer's " + name },
			func() error { call(event); return nil }); err != nil {
			failed(err)
		}
	}
}

// observerFailed returns a function that keeps the failure of an observer as that of a callback.
func (s *Stream) observerFailed(number uint64) func(error) {
	return func(err error) { s.callbackFailed(number, err) }
}

// id identifies the stream.
func (s *Stream) id() observe.StreamID { return observe.StreamID{Number: s.number, Label: s.label} }

// id identifies the batch.
func (b *batch) id() observe.BufferID {
	return observe.BufferID{Stream: b.stream.id(), Number: b.number, First: b.works[0].number, Last: b.last(),
		Commands: len(b.works)}
}

// observeRecord is called with the stream's lock held.
func (s *Stream) observeRecord(ctx context.Context, list []*observing, w *work) {
	e := observe.RecordEvent{Ctx: ctx, At: s.acc.now(), Stream: s.id(), Number: w.number, Site: w.site,
		Depth: s.submission.recorded - s.submission.completed}
	w.observe(&e)
	notify(list, s.observerFailed(w.number), "Record", e,
		func(o *observe.Observer) func(observe.RecordEvent) { return o.Record })
}

// observeEncode is deferred by makeCommands, with what was when it began.
func (b *batch) observeEncode(list []*observing, began time.Time, encoders, barriers uint64, err *error) {
	s := &b.stream.stats
	e := observe.EncodeEvent{Buffer: b.id(), Start: began, Took: b.stream.acc.now().Sub(began),
		Encoders: int(s.encoders.Load() - encoders), Barriers: int(s.barriers.Load() - barriers), Err: *err}
	notify(list, b.stream.observerFailed(b.last()), "Encode", e,
		func(o *observe.Observer) func(observe.EncodeEvent) { return o.Encode })
}

func (b *batch) observeCommit() {
	if list := b.stream.acc.observers(); list != nil {
		notify(list, b.stream.observerFailed(b.last()), "Commit", observe.CommitEvent{Buffer: b.id(), At: b.stream.acc.now()},
			func(o *observe.Observer) func(observe.CommitEvent) { return o.Commit })
	}
}

func (b *batch) observeComplete(err error) {
	if list := b.stream.acc.observers(); list != nil {
		e := observe.CompleteEvent{Buffer: b.id(), At: b.stream.acc.now(),
			DeviceStart: b.times[0], DeviceEnd: b.times[1],
			Launches: b.launchTimes, Err: err}
		notify(list, b.stream.observerFailed(b.last()), "Complete", e,
			func(o *observe.Observer) func(observe.CompleteEvent) { return o.Complete })
	}
}

// observeCompile completes the event.
func (a *Accelerator) observeCompile(e observe.CompileEvent) {
	if list := a.observers(); list != nil {
		e.Took = a.now().Sub(e.Start)
		notify(list, a.strayed, "Compile", e,
			func(o *observe.Observer) func(observe.CompileEvent) { return o.Compile })
	}
}

func (a *Accelerator) observeCache(e observe.CacheEvent) {
	notify(a.observers(), a.strayed, "Cache", e,
		func(o *observe.Observer) func(observe.CacheEvent) { return o.Cache })
}

// observesMemory returns when an allocation begins, or zero if nobody observes it.
func (a *Accelerator) observesMemory() (began time.Time) {
	if a.observers() != nil {
		began = a.now()
	}
	return began
}

func (a *Accelerator) observeRent(m *memory, began time.Time, err error) {
	list := a.observers()
	if list == nil || began.IsZero() {
		return
	}
	now := a.now()
	e := observe.RentEvent{At: now, Label: m.label, Bytes: uint64(m.length), Texture: m.texture() != "",
		Took:      now.Sub(began),
		Allocated: uint64(a.allocated.Load()), Err: err}
	notify(list, a.strayed, "Rent", e, func(o *observe.Observer) func(observe.RentEvent) { return o.Rent })
	after := a.pool.Pressure()
	if before := pool.Pressure(a.pressure.Swap(uint32(after))); before != after {
		notify(list, a.strayed, "Pressure",
			observe.PressureEvent{At: now, Before: before, After: after, Allocated: e.Allocated},
			func(o *observe.Observer) func(observe.PressureEvent) { return o.Pressure })
	}
}

func (m *memory) observeReturn(allocated int64) {
	if list := m.acc.observers(); list != nil {
		notify(list, m.acc.strayed, "Return", observe.ReturnEvent{At: m.acc.now(), Label: m.label, Bytes: uint64(m.length),
			Texture: m.texture() != "", Allocated: uint64(allocated)},
			func(o *observe.Observer) func(observe.ReturnEvent) { return o.Return })
	}
}

// observeHost is called when the host has done a copy.
func (b *batch) observeHost(w *work, began time.Time, err error) {
	list := b.stream.acc.observers()
	c, ok := w.command.(*hostCopy)
	if list == nil || !ok || c.bytes == 0 || w.of != nil { // a stage's copy is a part of a transfer
		return
	}
	m := c.at.mem
	m.observeTransfer(list, observe.TransferEvent{Start: began, Bytes: c.bytes, Upload: c.upload, Label: m.label,
		Stream: b.stream.id(), Number: w.number}, &err)
}

// observeTransfer is deferred by what began with the event.
func (m *memory) observeTransfer(list []*observing, e observe.TransferEvent, err *error) {
	e.Took, e.Err = m.acc.now().Sub(e.Start), *err
	notify(list, m.acc.strayed, "Transfer", e,
		func(o *observe.Observer) func(observe.TransferEvent) { return o.Transfer })
}

// LaunchTimes returns how launches are measured at the moment: what the observers ask for, as far
// as the device can do it.
func (a *Accelerator) LaunchTimes() observe.LaunchTiming {
	if a.missing() {
		return observe.LaunchTimesOff
	}
	return a.timing()
}

// timing is LaunchTimes.
func (a *Accelerator) timing() observe.LaunchTiming {
	return observe.LaunchTiming(a.launchTimes.Load())
}

// WithObserver adds an observer. The option can be given several times.
func WithObserver(o *observe.Observer) Option {
	return func(c *config) error {
		if o == nil {
			return nilError("WithObserver: observer")
		}
		c.observe = append(slices.Clip(c.observe), o)
		return nil
	}
}

// Observe adds an observer until stop is called. Events in progress may still call it after that.
func (a *Accelerator) Observe(o *observe.Observer) (stop func(), err error) {
	if a.missing() {
		return nil, nilError("accelerator: Observe")
	}
	if o == nil {
		return nil, nilError("Observe: observer")
	}
	if o.LaunchTimes > observe.LaunchTimesBySplit {
		return nil, fmt.Errorf("compute: Observe: LaunchTimes %v, want at most %v: %w",
			o.LaunchTimes, observe.LaunchTimesBySplit,
			ErrOption)
	}
	added := &observing{o}
	a.changeObservers(func(list []*observing) []*observing { return append(list, added) })
	return func() {
		a.changeObservers(func(list []*observing) []*observing {
			return slices.DeleteFunc(list, func(x *observing) bool { return x == added })
		})
	}, nil
}

// Recovered tells the observers of something that was done about a failure. At and Ctx are set if
// they are zero.
func (a *Accelerator) Recovered(e observe.RecoverEvent) {
	if a.missing() {
		return
	}
	if e.Ctx == nil {
		e.Ctx = context.Background()
	}
	if e.At.IsZero() {
		e.At = a.now()
	}
	notify(a.observers(), a.strayed, "Recover", e,
		func(o *observe.Observer) func(observe.RecoverEvent) { return o.Recover })
}

// observing is an observer that was added once.
type observing struct{ *observe.Observer }

// observers returns the observers, nil for none. The list is not changed.
func (a *Accelerator) observers() []*observing {
	if list := a.observed.Load(); list != nil {
		return *list
	}
	return nil
}

// changeObservers replaces the list of observers.
func (a *Accelerator) changeObservers(change func([]*observing) []*observing) {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := change(slices.Clone(a.observers()))
	times := observe.LaunchTimesOff
	for _, o := range list {
		times = max(times, o.LaunchTimes)
	}
	if times == observe.LaunchTimesByCounter && !a.closed && !a.device.IsNil() && !canTimeLaunches(a.device) {
		times = observe.LaunchTimesBySplit
	}
	a.launchTimes.Store(uint32(times))
	if len(list) == 0 {
		a.observed.Store(nil)
		return
	}
	a.observed.Store(&list)
}
