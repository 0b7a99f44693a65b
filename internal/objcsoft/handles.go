package objcsoft

import (
	"errors"
	"sync"
)

const (
	chunkBits = 12
	chunkSize = 1 << chunkBits
	maxChunks = 1 << (indexBits - chunkBits)
)

// chunk is a run of slots. The objects are read without a lock; the rest is guarded by the table's
// mutex.
type chunk struct {
	objects     [chunkSize]objectPointer
	generations [chunkSize]uint32
	lastClass   [chunkSize]*Class // for the error about a released object
}

// handleTable maps handles to objects. An object knows its own handle, so a
// lookup compares the two and needs no generation beside the slot.
type handleTable struct {
	chunks [maxChunks]chunkPointer

	mu   sync.Mutex
	next uint32   // first index never used
	free []uint32 // indices to reuse
}

var errTableFull = errors.New("objc: more than 16777215 objects")

// get returns the object of a handle, or nil if there is none (any longer).
func (t *handleTable) get(id ID) *Object {
	if c := t.chunks[id>>chunkBits%maxChunks].Load(); c != nil {
		if o := c.objects[id%chunkSize].Load(); o != nil && o.id == id {
			return o
		}
	}
	return nil
}

// add gives the object a handle and makes it visible.
func (t *handleTable) add(o *Object) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var index uint32
	if n := len(t.free); n > 0 {
		index = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		if t.next > maxIndex {
			return errTableFull
		}
		index = t.next
		t.next++
	}
	c := t.chunks[index>>chunkBits].Load()
	if c == nil {
		c = new(chunk)
		t.chunks[index>>chunkBits].Store(c)
	}
	slot := index % chunkSize
	c.generations[slot]++
	c.lastClass[slot] = o.class
	o.id = makeID(index, c.generations[slot])
	c.objects[slot].Store(o)
	return nil
}

// remove forgets the object; its handle is stale from here on.
func (t *handleTable) remove(o *Object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	index := o.id.index()
	c := t.chunks[index>>chunkBits].Load()
	slot := index % chunkSize
	c.objects[slot].Store(nil)
	if c.generations[slot] < maxGeneration {
		t.free = append(t.free, index)
	}
}

// former reports whether the handle once named an object, and of which class; the class is nil if
// the slot has been reused.
func (t *handleTable) former(id ID) (was bool, class *Class) {
	t.mu.Lock()
	defer t.mu.Unlock()
	index := id.index()
	c := t.chunks[index>>chunkBits].Load()
	if !id.IsHandle() || c == nil {
		return false, nil
	}
	slot := index % chunkSize
	switch generation := id.generation(); {
	case generation == 0 || generation > c.generations[slot]:
		return false, nil
	case generation < c.generations[slot]:
		return true, nil
	default:
		return true, c.lastClass[slot]
	}
}

// each calls f for every object, in no particular order, with no lock held.
func (t *handleTable) each(f func(*Object)) {
	for n := range t.chunks {
		c := t.chunks[n].Load()
		if c == nil {
			return
		}
		for i := range c.objects {
			if o := c.objects[i].Load(); o != nil {
				f(o)
			}
		}
	}
}
