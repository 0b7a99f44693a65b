package objcsoft

import (
	"sync/atomic"
	"unsafe"
)

// The types below are atomic.Pointer[T] by hand: each package that can see a type with a field of
// type atomic.Pointer[T] compiles the methods of atomic.Pointer[T] again, and many see Runtime.

// objectPointer is an atomic *Object.
type objectPointer struct{ p unsafe.Pointer }

func (p *objectPointer) Load() *Object   { return (*Object)(atomic.LoadPointer(&p.p)) }
func (p *objectPointer) Store(x *Object) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// chunkPointer is an atomic *chunk.
type chunkPointer struct{ p unsafe.Pointer }

func (p *chunkPointer) Load() *chunk   { return (*chunk)(atomic.LoadPointer(&p.p)) }
func (p *chunkPointer) Store(x *chunk) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// tablePointer is an atomic *methodTable.
type tablePointer struct{ p unsafe.Pointer }

func (p *tablePointer) Load() *methodTable   { return (*methodTable)(atomic.LoadPointer(&p.p)) }
func (p *tablePointer) Store(x *methodTable) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// pinnedPointer is an atomic *pinned.
type pinnedPointer struct{ p unsafe.Pointer }

func (p *pinnedPointer) Load() *pinned { return (*pinned)(atomic.LoadPointer(&p.p)) }

func (p *pinnedPointer) CompareAndSwap(old, x *pinned) bool {
	return atomic.CompareAndSwapPointer(&p.p, unsafe.Pointer(old), unsafe.Pointer(x))
}

// unitsPointer is an atomic *[]uint16.
type unitsPointer struct{ p unsafe.Pointer }

func (p *unitsPointer) Load() *[]uint16   { return (*[]uint16)(atomic.LoadPointer(&p.p)) }
func (p *unitsPointer) Store(x *[]uint16) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }
