package objc

import "sync"

// Out receives an object from a call: an id * parameter points to it. It is not on the stack, which
// may move during the call. Free recycles it.
type Out struct{ slot *uintptr }

var outSlots = sync.Pool{New: func() any { return new(uintptr) }}

// NewOut returns an empty place.
func NewOut() Out {
	o := Out{outSlots.Get().(*uintptr)}
	*o.slot = 0
	return o
}

// Word returns the place's address as an argument word.
func (o Out) Word() uintptr { return Addr(o.slot) }

// Take returns the object that a call has left, +1, or nil. It must come before the end of the
// autorelease pool in which the call was made.
func (o Out) Take() ID { return o.borrow().Retain() }

// Free recycles the place, which must not be used any more.
func (o Out) Free() { outSlots.Put(o.slot) }

// borrow returns the object that a call has left, +0.
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
