package mtl

// UseResource makes a resource that a structure refers to resident for the encoder. usage says how
// it is used and must not be empty.
//
//	-[MTLAccelerationStructureCommandEncoder useResource:usage:]
func (o AccelerationStructureCommandEncoder) UseResource(resource Resource, usage ResourceUsage) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder useResource:usage:]")
	return encode(o, c, c.use(resource, usage),
		func() { sendAccelerationStructureCommandEncoderUseResource(o, resource, usage) })
}

// UseResources is UseResource for several resources, none of them nil. An empty slice has no
// effect.
//
//	-[MTLAccelerationStructureCommandEncoder useResources:count:usage:]
func (o AccelerationStructureCommandEncoder) UseResources(resources []Resource, usage ResourceUsage) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder useResources:count:usage:]")
	return encode(o, c, c.useAll(resources, usage), func() {
		if len(resources) > 0 {
			sendAccelerationStructureCommandEncoderUseResources(o, resources, usage)
		}
	})
}

// UseHeap makes all resources of a heap resident for the encoder, for reading.
//
//	-[MTLAccelerationStructureCommandEncoder useHeap:]
func (o AccelerationStructureCommandEncoder) UseHeap(heap Heap) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder useHeap:]")
	return encode(o, c, c.object("heap", heap.ID()), func() { sendAccelerationStructureCommandEncoderUseHeap(o, heap) })
}

// UseHeaps is UseHeap for several heaps, none of them nil. An empty slice has no effect.
//
//	-[MTLAccelerationStructureCommandEncoder useHeaps:count:]
func (o AccelerationStructureCommandEncoder) UseHeaps(heaps []Heap) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder useHeaps:count:]")
	return encode(o, c, objects(c, "heap", heaps), func() {
		if len(heaps) > 0 {
			sendAccelerationStructureCommandEncoderUseHeaps(o, heaps)
		}
	})
}

// UpdateFence signals a fence when the encoder's commands so far have completed; other encoders of
// the same queue can wait for it.
//
//	-[MTLAccelerationStructureCommandEncoder updateFence:]
func (o AccelerationStructureCommandEncoder) UpdateFence(fence Fence) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder updateFence:]")
	return encode(o, c, c.object("fence", fence.ID()),
		func() { sendAccelerationStructureCommandEncoderUpdateFence(o, fence) })
}

// WaitForFence makes the encoder's commands wait for a fence that an earlier encoder updates.
//
//	-[MTLAccelerationStructureCommandEncoder waitForFence:]
func (o AccelerationStructureCommandEncoder) WaitForFence(fence Fence) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder waitForFence:]")
	return encode(o, c, c.object("fence", fence.ID()),
		func() { sendAccelerationStructureCommandEncoderWaitForFence(o, fence) })
}

// SampleCountersInBuffer samples the GPU's counters at this point of the encoder. The index must be
// less than the buffer's sample count ([ErrIndex]). Devices that sample only at encoder boundaries
// refuse the call with [ErrUnsupported].
//
//	-[MTLAccelerationStructureCommandEncoder sampleCountersInBuffer:atSampleIndex:withBarrier:
//	    ]
func (o AccelerationStructureCommandEncoder) SampleCountersInBuffer(sampleBuffer CounterSampleBuffer, sampleIndex uint,
	barrier bool) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder sampleCountersInBuffer:atSampleIndex:withBarrier:]")
	return tryEncode(o, c, c.sample(sampleBuffer, sampleIndex), func() error {
		if d := o.device(); d != nil && !d.sampleDispatches {
			return c.fail(ErrUnsupported, "counter sampling inside an encoder")
		}
		sendAccelerationStructureCommandEncoderSampleCountersInBuffer(o, sampleBuffer, sampleIndex, barrier)
		return nil
	})
}
