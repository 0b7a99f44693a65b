package compute

import (
	"cmp"
	"context"
	"time"

	"github.com/puremetal/puremetal/pool"
)

// These methods call an accelerator's observers.

// id identifies the stream.
func (s *Stream) id() StreamID { return StreamID{Number: s.number, Label: s.label} }

// id identifies the batch.
func (b *batch) id() BufferID {
	return BufferID{Stream: b.stream.id(), Number: b.number, First: b.works[0].number, Last: b.last(),
		Commands: len(b.works)}
}

// commandKind returns the kind for observers.
func (w *work) commandKind() CommandKind {
	switch w.kind {
	case launchWork:
		return CommandLaunch
	case copyWork, textureWork, synchronizeWork:
		return CommandCopy
	case fallbackWork:
		return CommandFallback
	case hostWork:
		return CommandHostCopy
	case fillWork:
		return CommandFill
	case signalWork, waitWork:
		return CommandEvent
	case callWork:
		return CommandCallback
	case encodeWork:
		return CommandEncode
	case executeWork, commandsWork:
		return CommandIndirect
	}
	return CommandFunction
}

// observeRecord is called with the stream's lock held.
func (s *Stream) observeRecord(ctx context.Context, list []*observing, w *work) {
	e := RecordEvent{Ctx: ctx, At: s.acc.now(), Stream: s.id(), Number: w.number, Kind: w.commandKind(), Site: w.site,
		Depth: s.submission.recorded - s.submission.completed}
	switch w.kind {
	case launchWork, fallbackWork:
		e.Kernel, e.Threads, e.Bytes = w.launch.kernel.name, w.launch.count, uint64(w.launch.bytes)
	case hostWork, textureWork:
		e.Bytes = w.value
	case copyWork, fillWork:
		e.Bytes = uint64(w.to.length)
	case executeWork, commandsWork:
		e.Kernel = w.commands.String()
	}
	for _, o := range list {
		if o.Record != nil {
			o.Record(e)
		}
	}
}

// observeEncode is deferred by makeCommands, with what was when it began.
func (b *batch) observeEncode(list []*observing, began time.Time, encoders, barriers uint64, err *error) {
	s := &b.stream.stats
	e := EncodeEvent{Buffer: b.id(), Start: began, Took: b.stream.acc.now().Sub(began),
		Encoders: int(s.encoders.Load() - encoders), Barriers: int(s.barriers.Load() - barriers), Err: *err}
	for _, o := range list {
		if o.Encode != nil {
			o.Encode(e)
		}
	}
}

func (b *batch) observeCommit() {
	for _, o := range b.stream.acc.observers() {
		if o.Commit != nil {
			o.Commit(CommitEvent{Buffer: b.id(), At: b.stream.acc.now()})
		}
	}
}

func (b *batch) observeComplete(err error) {
	for _, o := range b.stream.acc.observers() {
		if o.Complete != nil {
			o.Complete(CompleteEvent{Buffer: b.id(), At: b.stream.acc.now(), DeviceStart: b.times[0], DeviceEnd: b.times[1],
				Launches: b.launchTimes, Err: err})
		}
	}
}

// observeCompile completes the event.
func (a *Accelerator) observeCompile(e CompileEvent) {
	for _, o := range a.observers() {
		if o.Compile != nil {
			e.Took = a.now().Sub(e.Start)
			o.Compile(e)
		}
	}
}

func (a *Accelerator) observeCache(e CacheEvent) {
	for _, o := range a.observers() {
		if o.Cache != nil {
			o.Cache(e)
		}
	}
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
	for _, o := range list {
		if o.Rent != nil {
			o.Rent(e)
		}
	}
	after := a.pool.Pressure()
	if before := pool.Pressure(a.pressure.Swap(uint32(after))); before != after {
		for _, o := range list {
			if o.Pressure != nil {
				o.Pressure(PressureEvent{At: now, Before: before, After: after, Allocated: e.Allocated})
			}
		}
	}
}

func (m *memory) observeReturn(allocated int64) {
	for _, o := range m.acc.observers() {
		if o.Return != nil {
			o.Return(ReturnEvent{At: m.acc.now(), Label: m.label, Bytes: uint64(m.length), Texture: m.texture() != "",
				Allocated: uint64(allocated)})
		}
	}
}

// observeHost is called when the host has done a copy.
func (b *batch) observeHost(w *work, began time.Time, err error) {
	m := cmp.Or(w.to.mem, w.from.mem)
	list := b.stream.acc.observers()
	if list == nil || w.kind != hostWork || w.value == 0 || w.run != nil { // a stage's copy is a part of a transfer
		return
	}
	m.observeTransfer(list, TransferEvent{Start: began, Bytes: w.value, Upload: w.to.mem != nil, Label: m.label,
		Stream: b.stream.id(), Number: w.number}, &err)
}

// observeTransfer is deferred by what began with the event.
func (m *memory) observeTransfer(list []*observing, e TransferEvent, err *error) {
	e.Took, e.Err = m.acc.now().Sub(e.Start), *err
	for _, o := range list {
		if o.Transfer != nil {
			o.Transfer(e)
		}
	}
}
