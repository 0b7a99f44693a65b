package stream

import (
	"time"

	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/pool"
)

// Notify calls one callback of the observers that have it, and failed with its failure.
func Notify[E any](list []*Observing, failed func(error), name string, event E, of func(*observe.Observer) func(E)) {
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

// observesMemory returns when an allocation begins, or zero if nobody observes it.
func (a *Device) observesMemory() (began time.Time) {
	if a.Observers() != nil {
		began = a.Now()
	}
	return began
}

func (a *Device) observeRent(m *Memory, began time.Time, err error) {
	list := a.Observers()
	if list == nil || began.IsZero() {
		return
	}
	now := a.Now()
	e := observe.RentEvent{At: now, Label: m.Label, Bytes: uint64(m.Length), Texture: m.Texture() != "",
		Took:      now.Sub(began),
		Allocated: uint64(a.Allocated.Load()), Err: err}
	Notify(list, a.Strayed, "Rent", e, func(o *observe.Observer) func(observe.RentEvent) { return o.Rent })
	after := a.Pool.Pressure()
	if before := pool.Pressure(a.pressure.Swap(uint32(after))); before != after {
		Notify(list, a.Strayed, "Pressure",
			observe.PressureEvent{At: now, Before: before, After: after, Allocated: e.Allocated},
			func(o *observe.Observer) func(observe.PressureEvent) { return o.Pressure })
	}
}

func (m *Memory) observeReturn(allocated int64) {
	if list := m.Acc.Observers(); list != nil {
		Notify(list, m.Acc.Strayed, "Return", observe.ReturnEvent{At: m.Acc.Now(), Label: m.Label, Bytes: uint64(m.Length),
			Texture: m.Texture() != "", Allocated: uint64(allocated)},
			func(o *observe.Observer) func(observe.ReturnEvent) { return o.Return })
	}
}

// ObserveTransfer is deferred by what began with the event.
func (m *Memory) ObserveTransfer(list []*Observing, e observe.TransferEvent, err *error) {
	e.Took, e.Err = m.Acc.Now().Sub(e.Start), *err
	Notify(list, m.Acc.Strayed, "Transfer", e,
		func(o *observe.Observer) func(observe.TransferEvent) { return o.Transfer })
}

// Timing is LaunchTimes.
func (a *Device) Timing() observe.LaunchTiming {
	return observe.LaunchTiming(a.LaunchTimes.Load())
}

// Observing is an observer that was added once.
type Observing struct{ *observe.Observer }

// Observers returns the observers, nil for none. The list is not changed.
func (a *Device) Observers() []*Observing {
	if list := a.Observed.Load(); list != nil {
		return *list
	}
	return nil
}
