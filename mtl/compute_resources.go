package mtl

// allUsages are the ways a kernel may use a resource.
const allUsages = uint64(ResourceUsageRead | ResourceUsageWrite | ResourceUsageSample)

// computeScopes are the scopes of a compute encoder's barriers, which has no render targets.
const computeScopes = uint64(BarrierScopeBuffers | BarrierScopeTextures)

// UseResource makes a resource that kernels access through an argument buffer resident for the
// encoder. usage says how it is used and must not be empty.
//
//	-[MTLComputeCommandEncoder useResource:usage:]
func (o ComputeCommandEncoder) UseResource(resource Resource, usage ResourceUsage) error {
	const c = check("-[MTLComputeCommandEncoder useResource:usage:]")
	return encode(o, c, c.use(resource, usage), func() { sendComputeCommandEncoderUseResource(o, resource, usage) })
}

func (c check) use(resource Resource, usage ResourceUsage) error {
	if err := c.object("resource", resource.ID()); err != nil {
		return err
	}
	if err := c.notRemote("resource", remoteFact(resource)); err != nil {
		return err
	}
	return c.flags("usage", uint64(usage), allUsages)
}

func (c check) useAll(resources []Resource, usage ResourceUsage) error {
	if err := c.ownResources(resources); err != nil {
		return err
	}
	return c.flags("usage", uint64(usage), allUsages)
}

// UseResources is UseResource for several resources, none of them nil. An empty slice has no
// effect.
//
//	-[MTLComputeCommandEncoder useResources:count:usage:]
func (o ComputeCommandEncoder) UseResources(resources []Resource, usage ResourceUsage) error {
	const c = check("-[MTLComputeCommandEncoder useResources:count:usage:]")
	return encode(o, c, c.useAll(resources, usage), func() {
		if len(resources) > 0 {
			sendComputeCommandEncoderUseResources(o, resources, usage)
		}
	})
}

// UseHeap makes all resources of a heap resident for the encoder, for reading.
//
//	-[MTLComputeCommandEncoder useHeap:]
func (o ComputeCommandEncoder) UseHeap(heap Heap) error {
	const c = check("-[MTLComputeCommandEncoder useHeap:]")
	return encode(o, c, c.object("heap", heap.ID()), func() { sendComputeCommandEncoderUseHeap(o, heap) })
}

// UseHeaps is UseHeap for several heaps, none of them nil. An empty slice has no effect.
//
//	-[MTLComputeCommandEncoder useHeaps:count:]
func (o ComputeCommandEncoder) UseHeaps(heaps []Heap) error {
	const c = check("-[MTLComputeCommandEncoder useHeaps:count:]")
	return encode(o, c, objects(c, "heap", heaps), func() {
		if len(heaps) > 0 {
			sendComputeCommandEncoderUseHeaps(o, heaps)
		}
	})
}

// MemoryBarrierWithScope makes writes to buffers, textures or both by the dispatches before it
// visible to the dispatches after it, in an encoder that dispatches concurrently. scope must not be
// empty and must not contain render targets.
//
//	-[MTLComputeCommandEncoder memoryBarrierWithScope:]
func (o ComputeCommandEncoder) MemoryBarrierWithScope(scope BarrierScope) error {
	const c = check("-[MTLComputeCommandEncoder memoryBarrierWithScope:]")
	return encode(o, c, c.flags("scope", uint64(scope), computeScopes),
		func() { sendComputeCommandEncoderMemoryBarrierWithScope(o, scope) })
}

// MemoryBarrierWithResources is MemoryBarrierWithScope limited to some resources: at least one,
// none of them nil.
//
//	-[MTLComputeCommandEncoder memoryBarrierWithResources:count:]
func (o ComputeCommandEncoder) MemoryBarrierWithResources(resources []Resource) error {
	const c = check("-[MTLComputeCommandEncoder memoryBarrierWithResources:count:]")
	if err := c.count("number of resources", len(resources)); err != nil {
		return err
	}
	return encode(o, c, c.ownResources(resources),
		func() { sendComputeCommandEncoderMemoryBarrierWithResources(o, resources) })
}

// UpdateFence signals a fence when the encoder's commands so far have completed; other encoders of
// the same queue can wait for it.
//
//	-[MTLComputeCommandEncoder updateFence:]
func (o ComputeCommandEncoder) UpdateFence(fence Fence) error {
	const c = check("-[MTLComputeCommandEncoder updateFence:]")
	return encode(o, c, c.object("fence", fence.ID()), func() { sendComputeCommandEncoderUpdateFence(o, fence) })
}

// WaitForFence makes the encoder's commands wait for a fence that an earlier encoder updates.
//
//	-[MTLComputeCommandEncoder waitForFence:]
func (o ComputeCommandEncoder) WaitForFence(fence Fence) error {
	const c = check("-[MTLComputeCommandEncoder waitForFence:]")
	return encode(o, c, c.object("fence", fence.ID()), func() { sendComputeCommandEncoderWaitForFence(o, fence) })
}

// SampleCountersInBuffer samples the GPU's counters at this point of the encoder. The index must be
// less than the buffer's sample count ([ErrIndex]). Most Apple GPUs sample only at encoder
// boundaries and refuse the call with [ErrUnsupported]; see [Device.SupportsCounterSampling].
//
//	-[MTLComputeCommandEncoder sampleCountersInBuffer:atSampleIndex:withBarrier:]
func (o ComputeCommandEncoder) SampleCountersInBuffer(sampleBuffer CounterSampleBuffer, sampleIndex uint,
	barrier bool) error {
	const c = check("-[MTLComputeCommandEncoder sampleCountersInBuffer:atSampleIndex:withBarrier:]")
	return tryEncode(o, c, c.sample(sampleBuffer, sampleIndex), func() error {
		if d := o.device(); d != nil && !d.sampleDispatches {
			return c.fail(ErrUnsupported, "counter sampling between dispatches")
		}
		sendComputeCommandEncoderSampleCountersInBuffer(o, sampleBuffer, sampleIndex, barrier)
		return nil
	})
}

// sample checks one index of a counter sample buffer.
func (c check) sample(b CounterSampleBuffer, index uint) error {
	if err := c.object("counter sample buffer", b.ID()); err != nil {
		return err
	}
	return c.entry("sample index", uint64(index), uint64(b.SampleCount()))
}
