package resource

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// Settle notes what the sets of the recording and of its queue hold.
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

// ResidentIn reports whether the resource or its heap is resident.
func (r *Resource) ResidentIn(f *device.Residency) bool {
	return f.Has(r.ID) || r.heap != nil && f.Has(r.heap.id)
}

// ResidentIn reports whether the texture, or the resource that it is a view of, is resident.
func (t *Texture) ResidentIn(f *device.Residency) bool {
	switch {
	case t.Resource.ResidentIn(f):
		return true
	case t.parent != nil:
		return t.parent.ResidentIn(f)
	case t.buffer != nil:
		return t.buffer.ResidentIn(f)
	}
	return false
}
