package compute

import (
	"context"
	"time"

	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/pool"
)

// These functions call an accelerator's observers.

// observe calls one callback of the observers that have it. Its failure is that of a callback of
// the stream; without a stream, the accelerator keeps it.
func observe[E any](a *Accelerator, s *Stream, number uint64, list []*observing, name string, event E,
	of func(*Observer) func(E)) {
	for _, o := range list {
		call := of(o.Observer)
		if call == nil {
			continue
		}
		err := contain.Call(func() string { return "an observer's " + name }, func() error { call(event); return nil })
		switch {
		case err == nil:
		case s != nil:
			s.callbackFailed(number, err)
		default:
			a.stray(err)
		}
	}
}

// id identifies the stream.
func (s *Stream) id() StreamID { return StreamID{Number: s.number, Label: s.label} }

// id identifies the batch.
func (b *batch) id() BufferID {
	return BufferID{Stream: b.stream.id(), Number: b.number, First: b.works[0].number, Last: b.last(),
		Commands: len(b.works)}
}

// observeRecord is called with the stream's lock held.
func (s *Stream) observeRecord(ctx context.Context, list []*observing, w *work) {
	e := RecordEvent{Ctx: ctx, At: s.acc.now(), Stream: s.id(), Number: w.number, Site: w.site,
		Depth: s.submission.recorded - s.submission.completed}
	w.observe(&e)
	observe(s.acc, s, w.number, list, "Record", e, func(o *Observer) func(RecordEvent) { return o.Record })
}

// observeEncode is deferred by makeCommands, with what was when it began.
func (b *batch) observeEncode(list []*observing, began time.Time, encoders, barriers uint64, err *error) {
	s := &b.stream.stats
	e := EncodeEvent{Buffer: b.id(), Start: began, Took: b.stream.acc.now().Sub(began),
		Encoders: int(s.encoders.Load() - encoders), Barriers: int(s.barriers.Load() - barriers), Err: *err}
	observe(b.stream.acc, b.stream, b.last(), list, "Encode", e, func(o *Observer) func(EncodeEvent) { return o.Encode })
}

func (b *batch) observeCommit() {
	if list := b.stream.acc.observers(); list != nil {
		observe(b.stream.acc, b.stream, b.last(), list, "Commit", CommitEvent{Buffer: b.id(), At: b.stream.acc.now()},
			func(o *Observer) func(CommitEvent) { return o.Commit })
	}
}

func (b *batch) observeComplete(err error) {
	if list := b.stream.acc.observers(); list != nil {
		e := CompleteEvent{Buffer: b.id(), At: b.stream.acc.now(), DeviceStart: b.times[0], DeviceEnd: b.times[1],
			Launches: b.launchTimes, Err: err}
		observe(b.stream.acc, b.stream, b.last(), list, "Complete", e,
			func(o *Observer) func(CompleteEvent) { return o.Complete })
	}
}

// observeCompile completes the event.
func (a *Accelerator) observeCompile(e CompileEvent) {
	if list := a.observers(); list != nil {
		e.Took = a.now().Sub(e.Start)
		observe(a, nil, 0, list, "Compile", e, func(o *Observer) func(CompileEvent) { return o.Compile })
	}
}

func (a *Accelerator) observeCache(e CacheEvent) {
	observe(a, nil, 0, a.observers(), "Cache", e, func(o *Observer) func(CacheEvent) { return o.Cache })
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
	e := RentEvent{At: now, Label: m.label, Bytes: uint64(m.length), Texture: m.texture() != "", Took: now.Sub(began),
		Allocated: a.Allocated(), Err: err}
	observe(a, nil, 0, list, "Rent", e, func(o *Observer) func(RentEvent) { return o.Rent })
	after := a.pool.Pressure()
	if before := pool.Pressure(a.pressure.Swap(uint32(after))); before != after {
		observe(a, nil, 0, list, "Pressure", PressureEvent{At: now, Before: before, After: after, Allocated: e.Allocated},
			func(o *Observer) func(PressureEvent) { return o.Pressure })
	}
}

func (m *memory) observeReturn(allocated int64) {
	if list := m.acc.observers(); list != nil {
		observe(m.acc, nil, 0, list, "Return", ReturnEvent{At: m.acc.now(), Label: m.label, Bytes: uint64(m.length),
			Texture: m.texture() != "", Allocated: uint64(allocated)},
			func(o *Observer) func(ReturnEvent) { return o.Return })
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
	m.observeTransfer(list, TransferEvent{Start: began, Bytes: c.bytes, Upload: c.upload, Label: m.label,
		Stream: b.stream.id(), Number: w.number}, &err)
}

// observeTransfer is deferred by what began with the event.
func (m *memory) observeTransfer(list []*observing, e TransferEvent, err *error) {
	e.Took, e.Err = m.acc.now().Sub(e.Start), *err
	observe(m.acc, nil, 0, list, "Transfer", e, func(o *Observer) func(TransferEvent) { return o.Transfer })
}
