package objc

import "sync"

// Out is an out-parameter: an id * through which a call returns an object. It is on the heap,
// because a goroutine's stack may move during the call. Free recycles it.
type Out struct{ slot *uintptr }

var outSlots = sync.Pool{New: func() any { return new(uintptr) }}

// NewOut returns an empty out-parameter.
func NewOut() Out {
	o := Out{outSlots.Get().(*uintptr)}
	*o.slot = 0
	return o
}

// Word returns the address to pass as an argument word.
func (o Out) Word() uintptr { return Addr(o.slot) }

// Take returns the object that the call stored, +1, or nil. Call it before draining the autorelease
// pool in which the call was made.
func (o Out) Take() ID { return o.borrow().Retain() }

// Free recycles the out-parameter, which must not be used afterwards.
func (o Out) Free() { outSlots.Put(o.slot) }

// borrow returns the object that the call stored, +0.
func (o Out) borrow() ID {
	d := driverInUse.Load()
	if *o.slot == 0 || d == nil || d.soft != nil {
		return ID(*o.slot)
	}
	id, err := d.apple.borrow(*o.slot)
	if err != nil {
		report("out parameter", err)
	}
	return id
}
