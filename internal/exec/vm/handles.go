package vm

import (
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/texel"
)

// The handles of textures and samplers are their numbers in the Space, from 1 to MaxHandle. 0 is none: of textures one without texels, of
// samplers the default one.
const MaxHandle = 0xffffff

// programSampler and the following are the handles of the samplers that a program declares.
const programSampler = 1 << 32

// SetTexture gives a texture's handle its image, nil for none; nothing to one that is not from 1 to MaxHandle. It may be called while kernels run.
func (s *Space) SetTexture(handle uint32, x *texel.Image) { s.images.set(handle, x) }

// SetSampler gives a sampler's handle its meaning. It may be called while kernels run.
func (s *Space) SetSampler(handle uint32, x *texel.Sampler) { s.samplers.set(handle, x) }

// table maps numbers to things. It may be read while it is written.
type table[T any] struct {
	mu   sync.Mutex
	list atomic.Pointer[[]atomic.Pointer[T]]
}

func (t *table[T]) get(i uint64) *T {
	if list := t.list.Load(); list != nil && i < uint64(len(*list)) {
		return (*list)[i].Load()
	}
	return nil
}

func (t *table[T]) set(i uint32, x *T) {
	if i == 0 || i > MaxHandle {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.list.Load()
	if list == nil || int(i) >= len(*list) {
		longer := make([]atomic.Pointer[T], max(16, 2*int(i)))
		if list != nil {
			for k := range *list {
				longer[k].Store((*list)[k].Load())
			}
		}
		list = &longer
		defer t.list.Store(list)
	}
	(*list)[i].Store(x)
}

// image returns what a texture's handle means, nil for none.
func (f *frame) image(handle uint64) *texel.Image {
	if sp := f.g.r.l.Space; sp != nil {
		return sp.images.get(handle)
	}
	return nil
}

// samplerOf returns what a sampler's handle means, nil for the default one.
func (f *frame) samplerOf(handle uint64) *texel.Sampler {
	if i := handle - programSampler; i < uint64(len(f.g.p.samplers)) {
		return f.g.p.samplers[i]
	}
	if sp := f.g.r.l.Space; sp != nil {
		return sp.samplers.get(handle)
	}
	return nil
}
