package exec

import (
	"sync"
)

// Space is the address space of a device: it maps object numbers to memory, and handles to textures
// and samplers. The zero Space is empty. Objects may be set and freed while kernels run: an access
// sees the object before or after the change. A running kernel may keep using memory that it has
// already looked up. So before unmapping memory, its owner must wait for all launches that began
// before the object was freed.
type Space struct {
	mu    sync.Mutex // held by writers
	pages pagesPointer

	images   images   // by the handle of a texture
	samplers samplers // by the handle of a sampler
}

// page holds the objects of pageSize consecutive numbers. Pages never move, so readers need no
// lock. A page without objects is dropped, because a long-running program uses ever new numbers.
type page struct {
	objects [pageSize]objectPointer
	live    int // number of objects, under the Space's lock
}

const pageSize = 256

// Object is a piece of memory with an address. The Space keeps Go memory alive; it must hold no
// pointers.
type Object struct {
	Data     []byte
	ReadOnly bool // stores are discarded
}

// Set sets the memory of object id; an Object without Data frees the number. Ids outside of
// MinObject to MaxObject are ignored.
func (s *Space) Set(id uint32, o Object) {
	if id < MinObject || id > MaxObject {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var pages []pagePointer
	if p := s.pages.Load(); p != nil {
		pages = *p
	}
	if n := int(id/pageSize) + 1; n > len(pages) {
		more := make([]pagePointer, max(n, 2*len(pages)))
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

// noObject is the object of all numbers without memory.
var noObject Object

// Object returns the object with a number, or an empty one if there is none.
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

// Bytes returns the memory from an address to the end of its object. It is nil if there is no
// object, and empty beyond the end.
func (s *Space) Bytes(address uint64) []byte {
	data := s.Object(address >> OffsetBits).Data
	return data[min(OffsetOf(address), uint64(len(data))):]
}

// Part returns a Space that contains a part of the current contents of s: the objects and textures
// in the maps, and all samplers, which have no memory. Kernels may write objects and textures whose
// map value is true, unless they are read-only in s.
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
	p.samplers.share(&s.samplers)
	return p
}
