package adapter

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// RecordArray is the payload of an array class of descriptors: a fixed number of elements, each of
// which is made when it is first read.
type RecordArray struct {
	mu    sync.Mutex
	items []objcsoft.ID
}

// ArrayOf describes an array class of n objects of a plain class.
func ArrayOf(name, element string, n int) Class {
	free := func(o *objcsoft.Object) {
		if a, ok := o.Payload.(*RecordArray); ok {
			a.mu.Lock()
			items := a.items
			a.items = make([]objcsoft.ID, n)
			a.mu.Unlock()
			o.Drop(items...)
		}
	}
	inRange := func(c *objcsoft.Call, i uint64) bool {
		if i >= uint64(n) {
			Misuse(c, "index %d is past the array's %d places", i, n)
			return false
		}
		return true
	}
	return Class{
		Name:    name,
		Alloc:   func(o *objcsoft.Object) { o.Payload = &RecordArray{items: make([]objcsoft.ID, n)} },
		Dealloc: free,
		Methods: Methods{
			"objectAtIndexedSubscript:": Method(func(a *RecordArray, c *objcsoft.Call) {
				if i := c.Uint(0); inRange(c, i) {
					c.ReturnShared(a.at(c.RT, element, int(i)))
				}
			}),
			"setObject:atIndexedSubscript:": Method(func(a *RecordArray, c *objcsoft.Call) {
				i := c.Uint(1)
				if !inRange(c, i) {
					return
				}
				w, err := c.RT.Message(c.ID(0), "copy", "@@:") // nil, whose copy is nil, resets the element
				if err == nil {
					err = c.RT.Release(a.swap(int(i), objcsoft.ID(w)))
				}
				if err != nil {
					c.Fail(err)
				}
			}),
			"copyWithZone:": Method(func(a *RecordArray, c *objcsoft.Call) {
				a.mu.Lock()
				defer a.mu.Unlock()
				b := &RecordArray{items: make([]objcsoft.ID, n)}
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

func (a *RecordArray) at(rt *objcsoft.Runtime, element string, i int) objcsoft.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.items[i] == 0 {
		a.items[i] = NewInstance(rt, element)
	}
	return a.items[i]
}

func (a *RecordArray) swap(i int, id objcsoft.ID) objcsoft.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.items[i]
	a.items[i] = id
	return old
}

// Items returns the elements by index, 0 for those that were never read or set. They are not
// retained.
func (a *RecordArray) Items() []objcsoft.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]objcsoft.ID(nil), a.items...)
}
