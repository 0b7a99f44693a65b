package vm

import (
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/texel"
)

// Space is the memory of a device: what an address's upper 24 bits name. The zero Space is empty. Objects may be set and freed while kernels run: an
// access sees the object as it was or as it is. A kernel that runs may go on using memory that it found before; whoever gives memory back to the system
// waits for the launches that began before it was taken out of the Space.
type Space struct {
	mu    sync.Mutex // for those who set
	pages atomic.Pointer[[]atomic.Pointer[page]]

	images   table[texel.Image]   // by the handle of a texture
	samplers table[texel.Sampler] // by the handle of a sampler
}

// page holds the objects of pageSize numbers. Pages stay where they are, so that those who read need no lock; one without objects is given up, because numbers
// may be used up one after the other for as long as a program runs.
type page struct {
	objects [pageSize]atomic.Pointer[Object]
	live    int // how many there are, under the Space's lock
}

const pageSize = 256

// Object is a piece of memory that addresses lead to. Memory of Go is kept by the Space, and must hold no pointers.
type Object struct {
	Data     []byte
	ReadOnly bool // writes vanish
}

// The numbers that objects may have. 0 is the null pointer's, higher ones are the engine's.
const (
	MinObject = 1
	MaxObject = 0x7fffff
)

// Set gives object id its memory; an Object without Data frees it. It does nothing if id is not from MinObject to MaxObject.
func (s *Space) Set(id uint32, o Object) {
	if id < MinObject || id > MaxObject {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var pages []atomic.Pointer[page]
	if p := s.pages.Load(); p != nil {
		pages = *p
	}
	if n := int(id/pageSize) + 1; n > len(pages) {
		more := make([]atomic.Pointer[page], max(n, 2*len(pages)))
		for i := range pages {
			more[i].Store(pages[i].Load())
		}
		pages = more
		s.pages.Store(&more)
	}
	at := &pages[id/pageSize]
	p := at.Load()
	if p == nil {
		if len(o.Data) == 0 {
			return
		}
		p = new(page)
		at.Store(p)
	}
	if p.objects[id%pageSize].Load() != nil {
		p.live--
	}
	if len(o.Data) > 0 {
		p.objects[id%pageSize].Store(&o)
		p.live++
		return
	}
	p.objects[id%pageSize].Store(nil)
	if p.live == 0 {
		at.Store(nil)
	}
}

// noObject is what numbers lead to that have no memory.
var noObject Object

// object returns an object, empty if there is none of that number.
func (s *Space) object(id uint64) *Object {
	pages := s.pages.Load()
	if pages == nil || id/pageSize >= uint64(len(*pages)) {
		return &noObject
	}
	p := (*pages)[id/pageSize].Load()
	if p == nil {
		return &noObject
	}
	if o := p.objects[id%pageSize].Load(); o != nil {
		return o
	}
	return &noObject
}
