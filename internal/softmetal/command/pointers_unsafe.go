package command

import (
	"sync/atomic"
	"unsafe"
)

// The types below are atomic.Pointer[T] by hand: each package that can see a type with a field of
// type atomic.Pointer[T] compiles the methods of atomic.Pointer[T] again, and many see GPU.

// faultsPointer is an atomic *Faults.
type faultsPointer struct{ p unsafe.Pointer }

func (p *faultsPointer) Load() *Faults   { return (*Faults)(atomic.LoadPointer(&p.p)) }
func (p *faultsPointer) Store(x *Faults) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// observerPointer is an atomic *Observer.
type observerPointer struct{ p unsafe.Pointer }

func (p *observerPointer) Load() *Observer   { return (*Observer)(atomic.LoadPointer(&p.p)) }
func (p *observerPointer) Store(x *Observer) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// orderingPointer is an atomic *ordering.
type orderingPointer struct{ p unsafe.Pointer }

func (p *orderingPointer) Load() *ordering   { return (*ordering)(atomic.LoadPointer(&p.p)) }
func (p *orderingPointer) Store(x *ordering) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// arrangerPointer is an atomic *Arranger.
type arrangerPointer struct{ p unsafe.Pointer }

func (p *arrangerPointer) Load() *Arranger   { return (*Arranger)(atomic.LoadPointer(&p.p)) }
func (p *arrangerPointer) Store(x *Arranger) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// tracePointer is an atomic *func(*Queue, *Buffer).
type tracePointer struct{ p unsafe.Pointer }

func (p *tracePointer) Load() *func(*Queue, *Buffer) {
	return (*func(*Queue, *Buffer))(atomic.LoadPointer(&p.p))
}
func (p *tracePointer) Store(x *func(*Queue, *Buffer)) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// attachedPointer is an atomic *func(here bool).
type attachedPointer struct{ p unsafe.Pointer }

func (p *attachedPointer) Load() *func(here bool) {
	return (*func(here bool))(atomic.LoadPointer(&p.p))
}
func (p *attachedPointer) Store(x *func(here bool)) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// stopPointer is an atomic *stopError.
type stopPointer struct{ p unsafe.Pointer }

func (p *stopPointer) Load() *stopError { return (*stopError)(atomic.LoadPointer(&p.p)) }

func (p *stopPointer) CompareAndSwap(old, x *stopError) bool {
	return atomic.CompareAndSwapPointer(&p.p, unsafe.Pointer(old), unsafe.Pointer(x))
}
