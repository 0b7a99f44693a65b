package mtl

import "github.com/puremetal/puremetal/objc"

// NewCommandQueue creates a queue with at most 64 command buffers in flight, +1. A device supports
// a limited number of queues, so reuse them.
//
//	-[MTLDevice newCommandQueue]
func (o Device) NewCommandQueue() (CommandQueue, error) {
	const c = check("-[MTLDevice newCommandQueue]")
	if err := c.object("device", o.ID()); err != nil {
		return CommandQueue{}, err
	}
	q := sendDeviceNewCommandQueue(o)
	return q, c.some("command queue", q.ID())
}

// NewCommandQueueWithMaxCommandBufferCount creates a queue with at most the given number of command
// buffers, at least 1, that are not yet completed or released, +1. [CommandQueue.CommandBuffer]
// blocks while that many exist.
//
//	-[MTLDevice newCommandQueueWithMaxCommandBufferCount:]
func (o Device) NewCommandQueueWithMaxCommandBufferCount(maxCommandBufferCount uint) (CommandQueue, error) {
	const c = check("-[MTLDevice newCommandQueueWithMaxCommandBufferCount:]")
	if err := c.object("device", o.ID()); err != nil {
		return CommandQueue{}, err
	}
	if err := c.atLeast("number of command buffers", uint64(maxCommandBufferCount), 1, ErrLength); err != nil {
		return CommandQueue{}, err
	}
	q := sendDeviceNewCommandQueueWithMaxCommandBufferCount(o, maxCommandBufferCount)
	return q, c.some("command queue", q.ID())
}

// NewCommandQueueWithDescriptor creates a queue from a descriptor, +1, which must allow at least 1
// command buffer. Since macOS 15.0.
//
//	-[MTLDevice newCommandQueueWithDescriptor:]
func (o Device) NewCommandQueueWithDescriptor(descriptor CommandQueueDescriptor) (CommandQueue, error) {
	const c = check("-[MTLDevice newCommandQueueWithDescriptor:]")
	if err := c.described("device", o.ID(), descriptor.ID()); err != nil {
		return CommandQueue{}, err
	}
	if err := c.atLeast("number of command buffers", uint64(descriptor.MaxCommandBufferCount()), 1,
		ErrLength); err != nil {
		return CommandQueue{}, err
	}
	q, err := sendDeviceNewCommandQueueWithDescriptor(o, descriptor)
	if err != nil {
		return CommandQueue{}, err
	}
	return q, c.some("command queue", q.ID())
}

// some turns a nil result into an error.
func (c check) some(what string, id objc.ID) error {
	if id.IsNil() {
		return c.fail(objc.ErrNil, "no %s was created", what)
	}
	return nil
}

// CommandBuffer returns a new command buffer, +0. Call it inside [objc.Pool], and retain a command
// buffer that must outlive the pool; outside any pool it is never freed. CommandBuffer blocks while
// all of the queue's command buffers are in use.
//
//	-[MTLCommandQueue commandBuffer]
func (o CommandQueue) CommandBuffer() (CommandBuffer, error) {
	const c = check("-[MTLCommandQueue commandBuffer]")
	if err := c.object("command queue", o.ID()); err != nil {
		return CommandBuffer{}, err
	}
	return o.track(c, sendCommandQueueCommandBuffer(o))
}

// CommandBufferWithUnretainedReferences is CommandBuffer without retaining the resources that the
// commands use: the caller must keep them alive until the command buffer has completed.
//
//	-[MTLCommandQueue commandBufferWithUnretainedReferences]
func (o CommandQueue) CommandBufferWithUnretainedReferences() (CommandBuffer, error) {
	const c = check("-[MTLCommandQueue commandBufferWithUnretainedReferences]")
	if err := c.object("command queue", o.ID()); err != nil {
		return CommandBuffer{}, err
	}
	return o.track(c, sendCommandQueueCommandBufferWithUnretainedReferences(o))
}

// CommandBufferWithDescriptor is CommandBuffer with options. With
// [CommandBufferErrorOptionEncoderExecutionStatus], the error of a failed command buffer says which
// encoder failed; see [CommandError].
//
//	-[MTLCommandQueue commandBufferWithDescriptor:]
func (o CommandQueue) CommandBufferWithDescriptor(descriptor CommandBufferDescriptor) (CommandBuffer, error) {
	const c = check("-[MTLCommandQueue commandBufferWithDescriptor:]")
	if err := c.object("command queue", o.ID()); err != nil {
		return CommandBuffer{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return CommandBuffer{}, err
	}
	return o.track(c, sendCommandQueueCommandBufferWithDescriptor(o, descriptor))
}

// track gives a new command buffer its state.
func (o CommandQueue) track(c check, b CommandBuffer) (CommandBuffer, error) {
	if err := c.some("command buffer", b.ID()); err != nil {
		return CommandBuffer{}, err
	}
	b.state = newCommandBufferState(deviceOfQueue(o))
	return b, nil
}

// AddResidencySet makes a residency set apply to all command buffers committed from now on. Since
// macOS 15.0.
//
//	-[MTLCommandQueue addResidencySet:]
func (o CommandQueue) AddResidencySet(residencySet ResidencySet) error {
	const c = check("-[MTLCommandQueue addResidencySet:]")
	if err := c.object("residency set", residencySet.ID()); err != nil {
		return err
	}
	return sendCommandQueueAddResidencySet(o, residencySet)
}

// AddResidencySets is AddResidencySet for several sets, none of them nil. Since macOS 15.0.
//
//	-[MTLCommandQueue addResidencySets:count:]
func (o CommandQueue) AddResidencySets(residencySets []ResidencySet) error {
	const c = check("-[MTLCommandQueue addResidencySets:count:]")
	if err := c.object("queue", o.ID()); err != nil {
		return err
	}
	if err := objects(c, "residency set", residencySets); err != nil || len(residencySets) == 0 {
		return err
	}
	return sendCommandQueueAddResidencySets(o, residencySets)
}

// RemoveResidencySet undoes AddResidencySet. Since macOS 15.0.
//
//	-[MTLCommandQueue removeResidencySet:]
func (o CommandQueue) RemoveResidencySet(residencySet ResidencySet) error {
	const c = check("-[MTLCommandQueue removeResidencySet:]")
	if err := c.object("residency set", residencySet.ID()); err != nil {
		return err
	}
	return sendCommandQueueRemoveResidencySet(o, residencySet)
}

// RemoveResidencySets undoes AddResidencySets. Since macOS 15.0.
//
//	-[MTLCommandQueue removeResidencySets:count:]
func (o CommandQueue) RemoveResidencySets(residencySets []ResidencySet) error {
	const c = check("-[MTLCommandQueue removeResidencySets:count:]")
	if err := c.object("queue", o.ID()); err != nil {
		return err
	}
	if err := objects(c, "residency set", residencySets); err != nil || len(residencySets) == 0 {
		return err
	}
	return sendCommandQueueRemoveResidencySets(o, residencySets)
}
