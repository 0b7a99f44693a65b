package resource

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// Settle records the contents of the recording's and its queue's sets.
func Settle(r *device.Residency, rt *objcsoft.Runtime, queue []objcsoft.ID) {
	r.Found = nil
	for _, ids := range [][]objcsoft.ID{r.Sets, queue} {
		for _, id := range ids {
			if s, ok := adapter.PayloadOf[*residencySet](rt, id); ok {
				r.Found = append(r.Found, s.snapshot())
			}
		}
	}
}

// Allocations yields the resource and its heap.
func (r *Resource) Allocations(yield func(objcsoft.ID) bool) bool {
	return yield(r.ID) && (r.heap == nil || yield(r.heap.id))
}

// Allocations yields the texture and the resources it is a view of, with their heaps.
func (t *Texture) Allocations(yield func(objcsoft.ID) bool) bool {
	return t.Resource.Allocations(yield) && (t.parent == nil || t.parent.Allocations(yield)) &&
		(t.buffer == nil || t.buffer.Allocations(yield))
}
