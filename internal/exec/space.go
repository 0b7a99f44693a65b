package exec

import (
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/texel"
)

// Space is the memory of a device: it maps the numbers in addresses to objects, and handles to
// textures and samplers. The zero Space is empty. Objects may be set and freed while kernels run:
// an access sees the object before or after the change. A running kernel may keep using memory that
// it has already looked up, so the owner of the memory must wait, before unmapping it, for launches
// that began before the object was freed.
type Space struct {
	mu    sync.Mutex // held by writers
	pages atomic.Pointer[[]atomic.Pointer[page]]

	images   table[texel.Image]   // by the handle of a texture
	samplers table[texel.Sampler] // by the handle of a sampler
}

// page holds the objects of pageSize numbers. Pages never move, so readers need no lock. A page
// without objects is dropped, since a long-running program may use up one number after the other.
type page struct {
	objects [pageSize]atomic.Pointer[Object]
	live    int // number of objects, under the Space's lock
}

const pageSize = 256

// Object is a piece of memory with an address. The Space keeps Go memory alive; it must hold no
// pointers.
type Object struct {
	Data     []byte
	ReadOnly bool // stores vanish
}

// Set gives object id its memory; an Object without Data frees it. An id outside of MinObject to
// MaxObject is ignored.
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

// noObject stands for every number without memory.
var noObject Object

// Object returns the object with a number, an empty one if there is none.
func (s *Space) Object(id uint64) *Object {
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

// Bytes returns the memory from an address to the end of its object: nil where there is no object,
// empty past its end.
func (s *Space) Bytes(address uint64) []byte {
	data := s.Object(address >> OffsetBits).Data
	return data[min(OffsetOf(address), uint64(len(data))):]
}

// Part returns a Space that leads to a part of s as it is now: to the objects and textures that the
// maps name, and to all samplers, which have no memory. A kernel may write those with the value
// true, unless s says otherwise.
func (s *Space) Part(objects, textures map[uint32]bool) *Space {
	p := &Space{}
	for id, writable := range objects {
		if o := s.Object(uint64(id)); len(o.Data) > 0 {
			p.Set(id, Object{Data: o.Data, ReadOnly: o.ReadOnly || !writable})
		}
	}
	for handle, writable := range textures {
		x := s.Texture(uint64(handle))
		if x != nil && !writable && !x.ReadOnly {
			fixed := *x
			fixed.ReadOnly = true
			x = &fixed
		}
		if x != nil {
			p.SetTexture(handle, x)
		}
	}
	p.samplers.list.Store(s.samplers.list.Load())
	return p
}
