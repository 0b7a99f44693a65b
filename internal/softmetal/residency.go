package softmetal

import (
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// residencySet is the state of an MTLResidencySet. All memory of the device is resident always; the set keeps account, and keeps what is in it
// alive, as Metal does.
type residencySet struct {
	device   *device
	label    string
	mu       sync.Mutex
	members  []objcsoft.ID            // retained, from the last commit
	found    map[objcsoft.ID]struct{} // members, once somebody looks for one; never changed
	coming   []objcsoft.ID            // retained, as they will be at the next commit
	resident bool
}

func residencyClasses() []class {
	return []class{
		{
			name: "MTLResidencySetDescriptor", protocols: []string{"NSCopying"},
			record: &recordSpec{props: []prop{{name: "label", copied: true}, {name: "initialCapacity"}}},
		},
		{
			name: "PMSoftResidencySet", protocols: []string{"MTLResidencySet"},
			methods: methods{
				"device": on(func(s *residencySet, c *objcsoft.Call) { c.ReturnShared(s.device.id) }),
				"label": on(func(s *residencySet, c *objcsoft.Call) {
					if s.label != "" {
						c.ReturnAutoreleased(c.RT.NewString(s.label))
					}
				}),
				"addAllocation:":           on(func(s *residencySet, c *objcsoft.Call) { s.add(c, []objcsoft.ID{c.ID(0)}) }),
				"addAllocations:count:":    on(func(s *residencySet, c *objcsoft.Call) { s.add(c, c.IDs(0, c.Uint(1))) }),
				"removeAllocation:":        on(func(s *residencySet, c *objcsoft.Call) { s.remove(c, []objcsoft.ID{c.ID(0)}) }),
				"removeAllocations:count:": on(func(s *residencySet, c *objcsoft.Call) { s.remove(c, c.IDs(0, c.Uint(1))) }),
				"removeAllAllocations":     on((*residencySet).removeAll),
				"commit":                   on((*residencySet).commit),
				"containsAllocation:":      on((*residencySet).contains),
				"allAllocations":           on((*residencySet).all),
				"allocationCount":          on((*residencySet).count),
				"allocatedSize":            on((*residencySet).size),
				"requestResidency":         on(func(s *residencySet, _ *objcsoft.Call) { s.reside(true) }),
				"endResidency":             on(func(s *residencySet, _ *objcsoft.Call) { s.reside(false) }),
			},
			dealloc: freed((*residencySet).free),
		},
		{name: "PMSoftDevice", methods: methods{"newResidencySetWithDescriptor:error:": on((*device).newResidencySet)}},
	}
}

func (d *device) newResidencySet(c *objcsoft.Call) {
	r := recordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	text, err := c.RT.GoString(r.id("label"))
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnID(d.world.new("PMSoftResidencySet", &residencySet{device: d, label: text}))
}

func (s *residencySet) reside(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resident = on
}

// allocation is a payload that takes memory.
type allocation interface{ allocatedSize() uint64 }

func (h *heap) allocatedSize() uint64 { return h.block.Size() }

func (s *residencySet) add(c *objcsoft.Call, ids []objcsoft.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if _, ok := payloadOf[allocation](c.RT, id); !ok {
			misuse(c, "an allocation is nil or takes no memory of the device")
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

// Metal counts what is in the set before the commit too: allocationCount and the like show the changes at once.
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
		if a, ok := payloadOf[allocation](c.RT, id); ok {
			n += a.allocatedSize()
		}
	}
	c.ReturnUint(n)
}

func (s *residencySet) free(o *objcsoft.Object) { o.Drop(append(s.members, s.coming...)...) }
