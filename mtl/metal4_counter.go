package mtl

// NewCounterHeap4WithDescriptor creates a counter heap, +1, with at least 1 entry.
//
//	-[MTLDevice newCounterHeapWithDescriptor:error:]
func (o Device) NewCounterHeap4WithDescriptor(descriptor CounterHeapDescriptor4) (CounterHeap4, error) {
	const c = check("-[MTLDevice newCounterHeapWithDescriptor:error:]")
	if err := c.described("device", o.ID(), descriptor.ID()); err != nil {
		return CounterHeap4{}, err
	}
	if err := c.atLeast("number of entries", uint64(descriptor.Count()), 1, ErrLength); err != nil {
		return CounterHeap4{}, err
	}
	return sendDeviceNewCounterHeap4WithDescriptor(o, descriptor)
}

// heapEntry checks the index of an entry of a counter heap.
func (c check) heapEntry(h CounterHeap4, index uint) error {
	if err := c.object("counter heap", h.ID()); err != nil {
		return err
	}
	return c.entry("entry", uint64(index), uint64(h.Count()))
}

// ResolveCounterRange returns a range of entries, which must be within the heap's count, to the
// CPU. The GPU must have finished writing them.
//
//	-[MTL4CounterHeap resolveCounterRange:]
func (o CounterHeap4) ResolveCounterRange(rng Range) ([]byte, error) {
	const c = check("-[MTL4CounterHeap resolveCounterRange:]")
	if err := o.within(c, rng); err != nil {
		return nil, err
	}
	return sendCounterHeap4ResolveCounterRange(o, rng), nil
}

// InvalidateCounterRange clears a range of entries, which must be within the heap's count.
//
//	-[MTL4CounterHeap invalidateCounterRange:]
func (o CounterHeap4) InvalidateCounterRange(rng Range) error {
	const c = check("-[MTL4CounterHeap invalidateCounterRange:]")
	if err := o.within(c, rng); err != nil {
		return err
	}
	sendCounterHeap4InvalidateCounterRange(o, rng)
	return nil
}

func (o CounterHeap4) within(c check, r Range) error {
	if err := c.object("counter heap", o.ID()); err != nil {
		return err
	}
	return c.entries("entry", r, uint64(o.Count()))
}

// WriteTimestampIntoHeap writes a timestamp to an entry of a counter heap. The index must be less
// than the heap's count.
//
//	-[MTL4CommandBuffer writeTimestampIntoHeap:atIndex:]
func (o CommandBuffer4) WriteTimestampIntoHeap(counterHeap CounterHeap4, index uint) error {
	const c = check("-[MTL4CommandBuffer writeTimestampIntoHeap:atIndex:]")
	return encode(o, c, c.heapEntry(counterHeap, index),
		func() { sendCommandBuffer4WriteTimestampIntoHeap(o, counterHeap, index) })
}

// ResolveCounterHeap writes a range of entries to memory, at least 8 bytes each. It waits for one
// fence and updates another; either may be nil.
//
//	-[MTL4CommandBuffer resolveCounterHeap:withRange:intoBuffer:waitFence:updateFence:]
func (o CommandBuffer4) ResolveCounterHeap(counterHeap CounterHeap4, rng Range, bufferRange BufferRange4, fenceToWait,
	fenceToUpdate Fence) error {
	const c = check("-[MTL4CommandBuffer resolveCounterHeap:withRange:intoBuffer:waitFence:updateFence:]")
	if err := counterHeap.within(c, rng); err != nil {
		return err
	}
	return encode(o, c, c.addresses("buffer", bufferRange, 8*uint64(rng.Length)), func() {
		sendCommandBuffer4ResolveCounterHeap(o, counterHeap, rng, bufferRange, fenceToWait, fenceToUpdate)
	})
}
