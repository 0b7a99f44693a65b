package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// settle notes what the sets of the recording and of its queue hold.
func (r *residency) settle(rt *objcsoft.Runtime, queue []objcsoft.ID) {
	r.found = nil
	for _, ids := range [][]objcsoft.ID{r.sets, queue} {
		for _, id := range ids {
			if s, ok := adapter.PayloadOf[*residencySet](rt, id); ok {
				r.found = append(r.found, s.snapshot())
			}
		}
	}
}

func (r *resource) ResidentIn(f *residency) bool {
	return f.has(r.id) || r.heap != nil && f.has(r.heap.id)
}

func (t *texture) ResidentIn(f *residency) bool {
	switch {
	case t.resource.ResidentIn(f):
		return true
	case t.parent != nil:
		return t.parent.ResidentIn(f)
	case t.buffer != nil:
		return t.buffer.ResidentIn(f)
	}
	return false
}
