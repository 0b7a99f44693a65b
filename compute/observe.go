package compute

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
)

// These functions call an accelerator's observers.

// observerFailed returns a function that keeps the failure of an observer as that of a callback.
func (s *Stream) observerFailed(number uint64) func(error) {
	return func(err error) { s.callbackFailed(number, err) }
}

// id identifies the stream.
func (s *Stream) id() observe.StreamID { return observe.StreamID{Number: s.number, Label: s.label} }

// id identifies the batch.
func (b *batch) id() observe.BufferID {
	return observe.BufferID{Stream: b.stream.id(), Number: b.number, First: b.works[0].Number, Last: b.last(),
		Commands: len(b.works)}
}

// observeRecord is called with the stream's lock held.
func (s *Stream) observeRecord(ctx context.Context, list []*stream.Observing, w *stream.Work) {
	e := observe.RecordEvent{Ctx: ctx, At: s.acc.now(), Stream: s.id(), Number: w.Number, Site: w.Site,
		Depth: s.submission.recorded - s.submission.completed}
	w.Observe(&e)
	stream.Notify(list, s.observerFailed(w.Number), "Record", e,
		func(o *observe.Observer) func(observe.RecordEvent) { return o.Record })
}

// observeEncode is deferred by makeCommands, with what was when it began.
func (b *batch) observeEncode(list []*stream.Observing, began time.Time, encoders, barriers uint64, err *error) {
	s := &b.stream.stats
	e := observe.EncodeEvent{Buffer: b.id(), Start: began, Took: b.stream.acc.now().Sub(began),
		Encoders: int(s.Encoders.Load() - encoders), Barriers: int(s.Barriers.Load() - barriers), Err: *err}
	stream.Notify(list, b.stream.observerFailed(b.last()), "Encode", e,
		func(o *observe.Observer) func(observe.EncodeEvent) { return o.Encode })
}

func (b *batch) observeCommit() {
	if list := b.stream.acc.core.Observers(); list != nil {
		stream.Notify(list, b.stream.observerFailed(b.last()), "Commit", observe.CommitEvent{Buffer: b.id(),
			At: b.stream.acc.now()},
			func(o *observe.Observer) func(observe.CommitEvent) { return o.Commit })
	}
}

func (b *batch) observeComplete(err error) {
	if list := b.stream.acc.core.Observers(); list != nil {
		e := observe.CompleteEvent{Buffer: b.id(), At: b.stream.acc.now(),
			DeviceStart: b.times[0], DeviceEnd: b.times[1],
			Launches: b.launchTimes, Err: err}
		stream.Notify(list, b.stream.observerFailed(b.last()), "Complete", e,
			func(o *observe.Observer) func(observe.CompleteEvent) { return o.Complete })
	}
}

// observeCompile completes the event.
func (a *Accelerator) observeCompile(e observe.CompileEvent) {
	if list := a.core.Observers(); list != nil {
		e.Took = a.now().Sub(e.Start)
		stream.Notify(list, a.core.Strayed, "Compile", e,
			func(o *observe.Observer) func(observe.CompileEvent) { return o.Compile })
	}
}

func (a *Accelerator) observeCache(e observe.CacheEvent) {
	stream.Notify(a.core.Observers(), a.core.Strayed, "Cache", e,
		func(o *observe.Observer) func(observe.CacheEvent) { return o.Cache })
}

// observeHost is called when the host has done a copy.
func (b *batch) observeHost(w *stream.Work, began time.Time, err error) {
	list := b.stream.acc.core.Observers()
	c, ok := w.Command.(*stream.HostCopy)
	if list == nil || !ok || c.Bytes == 0 || w.Of != nil { // a stage's copy is a part of a transfer
		return
	}
	m := c.At.Mem
	m.ObserveTransfer(list, observe.TransferEvent{Start: began, Bytes: c.Bytes, Upload: c.Upload, Label: m.Label,
		Stream: b.stream.id(), Number: w.Number}, &err)
}

// LaunchTimes returns how launches are measured at the moment: what the observers ask for, as far
// as the device can do it.
func (a *Accelerator) LaunchTimes() observe.LaunchTiming {
	if a.missing() {
		return observe.LaunchTimesOff
	}
	return a.core.Timing()
}

// WithObserver adds an observer. The option can be given several times.
func WithObserver(o *observe.Observer) Option {
	return func(c *config) error {
		if o == nil {
			return stream.NilError("WithObserver: observer")
		}
		c.observe = append(slices.Clip(c.observe), o)
		return nil
	}
}

// Observe adds an observer until stop is called. Events in progress may still call it after that.
func (a *Accelerator) Observe(o *observe.Observer) (stop func(), err error) {
	if a.missing() {
		return nil, stream.NilError("accelerator: Observe")
	}
	if o == nil {
		return nil, stream.NilError("Observe: observer")
	}
	if o.LaunchTimes > observe.LaunchTimesBySplit {
		return nil, fmt.Errorf("compute: Observe: LaunchTimes %v, want at most %v: %w",
			o.LaunchTimes, observe.LaunchTimesBySplit,
			ErrOption)
	}
	added := &stream.Observing{Observer: o}
	a.changeObservers(func(list []*stream.Observing) []*stream.Observing { return append(list, added) })
	return func() {
		a.changeObservers(func(list []*stream.Observing) []*stream.Observing {
			return slices.DeleteFunc(list, func(x *stream.Observing) bool { return x == added })
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
	stream.Notify(a.core.Observers(), a.core.Strayed, "Recover", e,
		func(o *observe.Observer) func(observe.RecoverEvent) { return o.Recover })
}

// changeObservers replaces the list of observers.
func (a *Accelerator) changeObservers(change func([]*stream.Observing) []*stream.Observing) {
	a.core.Mu.Lock()
	defer a.core.Mu.Unlock()
	list := change(slices.Clone(a.core.Observers()))
	times := observe.LaunchTimesOff
	for _, o := range list {
		times = max(times, o.LaunchTimes)
	}
	if times == observe.LaunchTimesByCounter && !a.core.Closed && !a.device.IsNil() && !stream.CanTimeLaunches(a.device) {
		times = observe.LaunchTimesBySplit
	}
	a.core.LaunchTimes.Store(uint32(times))
	if len(list) == 0 {
		a.core.Observed.Store(nil)
		return
	}
	a.core.Observed.Store(&list)
}
