package resource

import (
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// residencySet is the state of an MTLResidencySet. All memory of the device is always resident; the
// set records its allocations and keeps them alive, as Metal does.
type residencySet struct {
	device   *device.Device
	label    string
	mu       sync.Mutex
	members  []objcsoft.ID            // retained, from the last commit
	found    map[objcsoft.ID]struct{} // members, once somebody looks for one; never changed
	coming   []objcsoft.ID            // retained, as they will be at the next commit
	resident bool
}

func residencyClasses() []adapter.Class {
	return []adapter.Class{
		{
			Name: "MTLResidencySetDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{{Name: "label", Copied: true}, {Name: "initialCapacity"}},
		},
		{
			Name: "PMSoftResidencySet", Protocols: []string{"MTLResidencySet"},
			Methods: adapter.Methods{
				"device": adapter.Method(func(s *residencySet, c *objcsoft.Call) { c.ReturnShared(s.device.ID) }),
				"label": adapter.Method(func(s *residencySet, c *objcsoft.Call) {
					if s.label != "" {
						c.ReturnAutoreleased(c.RT.NewString(s.label))
					}
				}),
				"addAllocation:": adapter.Method(func(s *residencySet,
					c *objcsoft.Call) {
					s.add(c, []objcsoft.ID{c.ID(0)})
				}),
				"addAllocations:count:": adapter.Method(func(s *residencySet,
					c *objcsoft.Call) {
					s.add(c, c.IDs(0, c.Uint(1)))
				}),
				"removeAllocation:": adapter.Method(func(s *residencySet,
					c *objcsoft.Call) {
					s.remove(c, []objcsoft.ID{c.ID(0)})
				}),
				"removeAllocations:count:": adapter.Method(func(s *residencySet, c *objcsoft.Call) {
					s.remove(c, c.IDs(0, c.Uint(1)))
				}),
				"removeAllAllocations": adapter.Method((*residencySet).removeAll),
				"commit":               adapter.Method((*residencySet).commit),
				"containsAllocation:":  adapter.Method((*residencySet).contains),
				"allAllocations":       adapter.Method((*residencySet).all),
				"allocationCount":      adapter.Method((*residencySet).count),
				"allocatedSize":        adapter.Method((*residencySet).size),
				"requestResidency":     adapter.Method(func(s *residencySet, _ *objcsoft.Call) { s.reside(true) }),
				"endResidency":         adapter.Method(func(s *residencySet, _ *objcsoft.Call) { s.reside(false) }),
			},
			Dealloc: adapter.DeallocHook((*residencySet).free),
		},
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newResidencySetWithDescriptor:error:": adapter.Method(newResidencySet)}},
	}
}

func newResidencySet(d *device.Device, c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	text, err := c.RT.GoString(r.ID("label"))
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnID(d.Driver.New("PMSoftResidencySet", &residencySet{device: d, label: text}))
}

func (s *residencySet) reside(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resident = on
}

// allocation is a payload that takes memory.
type allocation interface{ AllocatedSize() uint64 }

// AllocatedSize returns the memory of the heap in bytes.
func (h *Heap) AllocatedSize() uint64 { return h.block.Size() }

func (s *residencySet) add(c *objcsoft.Call, ids []objcsoft.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if _, ok := adapter.PayloadOf[allocation](c.RT, id); !ok {
			adapter.Misuse(c, "an allocation is nil or takes no memory of the device")
			return
		}
		if slices.Contains(s.coming, id) {
			continue
		}
		if err := c.RT.Retain(id); err != nil {
			c.Fail(err)
			return
		}
		s.coming = append(s.coming, id)
	}
}

func (s *residencySet) remove(c *objcsoft.Call, ids []objcsoft.ID) {
	s.mu.Lock()
	var gone []objcsoft.ID
	s.coming = slices.DeleteFunc(s.coming, func(id objcsoft.ID) bool {
		if slices.Contains(ids, id) {
			gone = append(gone, id)
			return true
		}
		return false
	})
	s.mu.Unlock()
	releaseAll(c, gone)
}

func (s *residencySet) removeAll(c *objcsoft.Call) {
	s.mu.Lock()
	gone := s.coming
	s.coming = nil
	s.mu.Unlock()
	releaseAll(c, gone)
}

func releaseAll(c *objcsoft.Call, ids []objcsoft.ID) {
	for _, id := range ids {
		if err := c.RT.Release(id); err != nil {
			c.Fail(err)
		}
	}
}

func (s *residencySet) commit(c *objcsoft.Call) {
	s.mu.Lock()
	gone := s.members
	s.members, s.found = slices.Clone(s.coming), nil
	for _, id := range s.members {
		if err := c.RT.Retain(id); err != nil {
			c.Fail(err)
		}
	}
	s.mu.Unlock()
	releaseAll(c, gone)
}

// snapshot returns what the set has held since its last commit.
func (s *residencySet) snapshot() map[objcsoft.ID]struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		s.found = make(map[objcsoft.ID]struct{}, len(s.members))
		for _, id := range s.members {
			s.found[id] = struct{}{}
		}
	}
	return s.found
}

// Metal counts what is in the set before the commit too: allocationCount and the like show the
// changes at once.
func (s *residencySet) contains(c *objcsoft.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.ReturnBool(slices.Contains(s.coming, c.ID(0)))
}

func (s *residencySet) all(c *objcsoft.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := c.RT.NewArray(s.coming)
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(a)
}

func (s *residencySet) count(c *objcsoft.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.ReturnUint(uint64(len(s.coming)))
}

func (s *residencySet) size(c *objcsoft.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var n uint64
	for _, id := range s.coming {
		if a, ok := adapter.PayloadOf[allocation](c.RT, id); ok {
			n += a.AllocatedSize()
		}
	}
	c.ReturnUint(n)
}

func (s *residencySet) free(o *objcsoft.Object) { o.Drop(append(s.members, s.coming...)...) }
