package mtl

import "github.com/puremetal/puremetal/objc"

// NewCommandQueue makes a queue of at most 64 command buffers under way, +1. A device makes a
// limited number of queues: keep them.
func (o Device) NewCommandQueue() (CommandQueue, error) {
	const c = check("-[MTLDevice newCommandQueue]")
	if err := c.object("device", o.ID()); err != nil {
		return CommandQueue{}, err
	}
	q := o.sendNewCommandQueue()
	return q, c.some("command queue", q.ID())
}

// NewCommandQueueWithMaxCommandBufferCount makes a queue, +1. Once the given number of command
// buffers, at least 1, has been taken from it and not completed or released, the next one has to
// wait: [CommandQueue.CommandBuffer] blocks.
func (o Device) NewCommandQueueWithMaxCommandBufferCount(maxCommandBufferCount uint) (CommandQueue, error) {
	const c = check("-[MTLDevice newCommandQueueWithMaxCommandBufferCount:]")
	if err := c.object("device", o.ID()); err != nil {
		return CommandQueue{}, err
	}
	if err := c.atLeast("number of command buffers", uint64(maxCommandBufferCount), 1, ErrLength); err != nil {
		return CommandQueue{}, err
	}
	q := o.sendNewCommandQueueWithMaxCommandBufferCount(maxCommandBufferCount)
	return q, c.some("command queue", q.ID())
}

// NewCommandQueueWithDescriptor makes a queue, +1, as the descriptor says, which allows at least 1
// command buffer. Since macOS 15.0.
func (o Device) NewCommandQueueWithDescriptor(descriptor CommandQueueDescriptor) (CommandQueue, error) {
	const c = check("-[MTLDevice newCommandQueueWithDescriptor:]")
	if err := c.described("device", o.ID(), descriptor.ID()); err != nil {
		return CommandQueue{}, err
	}
	if err := c.atLeast("number of command buffers", uint64(descriptor.MaxCommandBufferCount()), 1,
		ErrLength); err != nil {
		return CommandQueue{}, err
	}
	q, err := o.sendNewCommandQueueWithDescriptor(descriptor)
	if err != nil {
		return CommandQueue{}, err
	}
	return q, c.some("command queue", q.ID())
}

// some turns a nil that Metal answered into an error.
func (c check) some(what string, id objc.ID) error {
	if id.IsNil() {
		return c.fail(objc.ErrNil, "no %s was made", what)
	}
	return nil
}

// CommandBuffer returns a new command buffer, +0: call it inside [objc.Pool], and retain what must
// outlive the pool. Outside any pool the object is never given back. It blocks while the queue's
// command buffers are all in use.
func (o CommandQueue) CommandBuffer() (CommandBuffer, error) {
	const c = check("-[MTLCommandQueue commandBuffer]")
	if err := c.object("command queue", o.ID()); err != nil {
		return CommandBuffer{}, err
	}
	return o.track(c, o.sendCommandBuffer())
}

// CommandBufferWithUnretainedReferences is CommandBuffer for one that does not retain the resources
// its commands use: they must live until it has completed.
func (o CommandQueue) CommandBufferWithUnretainedReferences() (CommandBuffer, error) {
	const c = check("-[MTLCommandQueue commandBufferWithUnretainedReferences]")
	if err := c.object("command queue", o.ID()); err != nil {
		return CommandBuffer{}, err
	}
	return o.track(c, o.sendCommandBufferWithUnretainedReferences())
}

// CommandBufferWithDescriptor is CommandBuffer with options. With
// [CommandBufferErrorOptionEncoderExecutionStatus] among them the error of a failed command buffer
// says which encoder failed, see [CommandError].
func (o CommandQueue) CommandBufferWithDescriptor(descriptor CommandBufferDescriptor) (CommandBuffer, error) {
	const c = check("-[MTLCommandQueue commandBufferWithDescriptor:]")
	if err := c.object("command queue", o.ID()); err != nil {
		return CommandBuffer{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return CommandBuffer{}, err
	}
	return o.track(c, o.sendCommandBufferWithDescriptor(descriptor))
}

// track gives a new command buffer its memory.
func (o CommandQueue) track(c check, b CommandBuffer) (CommandBuffer, error) {
	if err := c.some("command buffer", b.ID()); err != nil {
		return CommandBuffer{}, err
	}
	b.state = newCommandBufferState(deviceOfQueue(o))
	return b, nil
}

// AddResidencySet makes a residency set apply to all command buffers committed from now on. Since
// macOS 15.0.
func (o CommandQueue) AddResidencySet(residencySet ResidencySet) error {
	const c = check("-[MTLCommandQueue addResidencySet:]")
	if err := c.object("residency set", residencySet.ID()); err != nil {
		return err
	}
	return o.sendAddResidencySet(residencySet)
}

// AddResidencySets is AddResidencySet for several sets, none of them nil. Since macOS 15.0.
func (o CommandQueue) AddResidencySets(residencySets []ResidencySet) error {
	const c = check("-[MTLCommandQueue addResidencySets:count:]")
	if err := objects(c, "residency set", residencySets); err != nil || len(residencySets) == 0 {
		return err
	}
	return o.sendAddResidencySets(residencySets)
}

// RemoveResidencySet undoes AddResidencySet. Since macOS 15.0.
func (o CommandQueue) RemoveResidencySet(residencySet ResidencySet) error {
	const c = check("-[MTLCommandQueue removeResidencySet:]")
	if err := c.object("residency set", residencySet.ID()); err != nil {
		return err
	}
	return o.sendRemoveResidencySet(residencySet)
}

// RemoveResidencySets undoes AddResidencySets. Since macOS 15.0.
func (o CommandQueue) RemoveResidencySets(residencySets []ResidencySet) error {
	const c = check("-[MTLCommandQueue removeResidencySets:count:]")
	if err := objects(c, "residency set", residencySets); err != nil || len(residencySets) == 0 {
		return err
	}
	return o.sendRemoveResidencySets(residencySets)
}
