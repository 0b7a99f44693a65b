package exec

import (
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/texel"
)

// SetTexture sets the image of a texture handle; nil frees the handle. Handles outside of 1 to
// MaxHandle are ignored. It may be called while kernels run.
func (s *Space) SetTexture(handle uint32, x *texel.Image) { s.images.set(handle, x) }

// SetSampler sets the sampler of a handle. The rules of SetTexture apply.
func (s *Space) SetSampler(handle uint32, x *texel.Sampler) { s.samplers.set(handle, x) }

// table maps numbers to values. Reads are lock-free and may be concurrent with writes.
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

// Texture returns the image of a texture handle, or nil if there is none.
func (s *Space) Texture(handle uint64) *texel.Image { return s.images.get(handle) }

// Sampler returns the sampler of a handle, or nil for the default sampler.
func (s *Space) Sampler(handle uint64) *texel.Sampler { return s.samplers.get(handle) }
