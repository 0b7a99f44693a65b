package exec

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec/texel"
)

// The types below are atomic.Pointer[T] by hand: each package that can see a type with a field of
// type atomic.Pointer[T] compiles the methods of atomic.Pointer[T] again, and many see Space.

// objectPointer is an atomic *Object.
type objectPointer struct{ p unsafe.Pointer }

func (p *objectPointer) Load() *Object   { return (*Object)(atomic.LoadPointer(&p.p)) }
func (p *objectPointer) Store(x *Object) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// pagePointer is an atomic *page.
type pagePointer struct{ p unsafe.Pointer }

func (p *pagePointer) Load() *page   { return (*page)(atomic.LoadPointer(&p.p)) }
func (p *pagePointer) Store(x *page) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// pagesPointer is an atomic *[]pagePointer.
type pagesPointer struct{ p unsafe.Pointer }

func (p *pagesPointer) Load() *[]pagePointer   { return (*[]pagePointer)(atomic.LoadPointer(&p.p)) }
func (p *pagesPointer) Store(x *[]pagePointer) { atomic.StorePointer(&p.p, unsafe.Pointer(x)) }

// table maps numbers to pointers. Reads are lock-free and may be concurrent with writes.
type table struct {
	mu   sync.Mutex
	list unsafe.Pointer // *[]unsafe.Pointer
}

func (t *table) get(i uint64) unsafe.Pointer {
	list := (*[]unsafe.Pointer)(atomic.LoadPointer(&t.list))
	if list != nil && i < uint64(len(*list)) {
		return atomic.LoadPointer(&(*list)[i])
	}
	return nil
}

func (t *table) set(i uint32, x unsafe.Pointer) {
	if i == 0 || i > MaxHandle {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	list := (*[]unsafe.Pointer)(t.list)
	if list == nil || int(i) >= len(*list) {
		longer := make([]unsafe.Pointer, max(16, 2*int(i)))
		if list != nil {
			copy(longer, *list) // which only writers change
		}
		list = &longer
		defer atomic.StorePointer(&t.list, unsafe.Pointer(list))
	}
	atomic.StorePointer(&(*list)[i], x)
}

// images and samplers are tables of images and samplers.
type (
	images   struct{ table table }
	samplers struct{ table table }
)

func (t *images) get(i uint64) *texel.Image        { return (*texel.Image)(t.table.get(i)) }
func (t *images) set(i uint32, x *texel.Image)     { t.table.set(i, unsafe.Pointer(x)) }
func (t *samplers) get(i uint64) *texel.Sampler    { return (*texel.Sampler)(t.table.get(i)) }
func (t *samplers) set(i uint32, x *texel.Sampler) { t.table.set(i, unsafe.Pointer(x)) }

// share makes the table have the contents of another one.
func (t *samplers) share(other *samplers) {
	atomic.StorePointer(&t.table.list, atomic.LoadPointer(&other.table.list))
}
