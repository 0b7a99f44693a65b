package softmetal

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// recordArray is the payload of an array of descriptors, such as MTLPipelineBufferDescriptorArray: a fixed number of places, each with an
// object that is made when it is first asked for.
type recordArray struct {
	mu    sync.Mutex
	items []objcsoft.ID
}

// arrayOf describes an array class of n descriptors of a class.
func arrayOf(name, element string, n int) class {
	free := func(o *objcsoft.Object) {
		if a, ok := o.Payload.(*recordArray); ok {
			a.mu.Lock()
			items := a.items
			a.items = make([]objcsoft.ID, n)
			a.mu.Unlock()
			o.Drop(items...)
		}
	}
	inRange := func(c *objcsoft.Call, i uint64) bool {
		if i >= uint64(n) {
			misuse(c, "index %d is past the array's %d places", i, n)
			return false
		}
		return true
	}
	return class{
		name:    name,
		alloc:   func(o *objcsoft.Object) { o.Payload = &recordArray{items: make([]objcsoft.ID, n)} },
		dealloc: free,
		methods: methods{
			"objectAtIndexedSubscript:": on(func(a *recordArray, c *objcsoft.Call) {
				if i := c.Uint(0); inRange(c, i) {
					c.ReturnShared(a.at(c.RT, element, int(i)))
				}
			}),
			"setObject:atIndexedSubscript:": on(func(a *recordArray, c *objcsoft.Call) {
				i := c.Uint(1)
				if !inRange(c, i) {
					return
				}
				w, err := c.RT.Message(c.ID(0), "copy", "@@:") // of nil it is nil, which resets the place
				if err == nil {
					err = c.RT.Release(a.swap(int(i), objcsoft.ID(w)))
				}
				if err != nil {
					c.Fail(err)
				}
			}),
			"copyWithZone:": on(func(a *recordArray, c *objcsoft.Call) {
				a.mu.Lock()
				defer a.mu.Unlock()
				b := &recordArray{items: make([]objcsoft.ID, n)}
				id := c.RT.NewObject(c.Self.Class(), b)
				for i, item := range a.items {
					w, err := c.RT.Message(item, "copy", "@@:")
					if err != nil {
						c.Fail(err)
						break
					}
					b.items[i] = objcsoft.ID(w)
				}
				c.ReturnID(id)
			}),
		},
	}
}

func (a *recordArray) at(rt *objcsoft.Runtime, element string, i int) objcsoft.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.items[i] == 0 {
		a.items[i] = newInstance(rt, element)
	}
	return a.items[i]
}

func (a *recordArray) swap(i int, id objcsoft.ID) objcsoft.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.items[i]
	a.items[i] = id
	return old
}

// set returns the items that have been asked for or set, by place; the others are 0. They are not retained.
func (a *recordArray) set() []objcsoft.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]objcsoft.ID(nil), a.items...)
}
