package resource

import (
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// maxResidencySets is how many residency sets a queue takes.
const maxResidencySets = 32

// QueueSets are the residency sets that apply to all that a queue runs.
type QueueSets struct {
	mu  sync.Mutex
	ids []objcsoft.ID // retained
}

// List returns the sets. They are not retained.
func (q *QueueSets) List() []objcsoft.ID {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.ids)
}

// ResidencyMethods adds a queue's methods that take residency sets.
func ResidencyMethods[T any](of func(T) *QueueSets, m adapter.Methods) adapter.Methods {
	m["addResidencySet:"] = adapter.Method(func(q T, c *objcsoft.Call) { of(q).add(c, c.ID(0)) })
	m["addResidencySets:count:"] = adapter.Method(func(q T, c *objcsoft.Call) { of(q).add(c, c.IDs(0, c.Uint(1))...) })
	m["removeResidencySet:"] = adapter.Method(func(q T, c *objcsoft.Call) { of(q).remove(c, c.ID(0)) })
	m["removeResidencySets:count:"] = adapter.Method(func(q T, c *objcsoft.Call) {
		of(q).remove(c, c.IDs(0, c.Uint(1))...)
	})
	return m
}

func (q *QueueSets) add(c *objcsoft.Call, sets ...objcsoft.ID) {
	if !AreResidencySets(c, sets) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, id := range sets {
		if slices.Contains(q.ids, id) {
			continue
		}
		if len(q.ids) == maxResidencySets {
			adapter.Misuse(c, "the queue has %d residency sets, want at most %d", maxResidencySets+1, maxResidencySets)
			return
		}
		if err := c.RT.Retain(id); err != nil {
			c.Fail(err)
			return
		}
		q.ids = append(q.ids, id)
	}
}

func (q *QueueSets) remove(c *objcsoft.Call, sets ...objcsoft.ID) {
	if !AreResidencySets(c, sets) {
		return
	}
	q.mu.Lock()
	var gone []objcsoft.ID
	for _, id := range sets {
		if i := slices.Index(q.ids, id); i >= 0 {
			q.ids = slices.Delete(q.ids, i, i+1)
			gone = append(gone, id)
		}
	}
	q.mu.Unlock()
	adapter.Release(c.RT, gone...)
}

// AreResidencySets checks that all objects are residency sets. Another object fails the call.
func AreResidencySets(c *objcsoft.Call, sets []objcsoft.ID) bool {
	for i, id := range sets {
		if _, ok := adapter.PayloadOf[*residencySet](c.RT, id); !ok {
			adapter.Misuse(c, "residency set %d is nil or no residency set of this device", i)
			return false
		}
	}
	return !c.Failed()
}
