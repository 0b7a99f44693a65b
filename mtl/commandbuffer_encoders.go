package mtl

import "github.com/puremetal/puremetal/objc"

// Encoders of a command buffer: one at a time. Each is +0, see [CommandEncoder]. While another is open they are refused with
// [ErrOpen], after Commit with [ErrClosed].

// opened remembers that e, which has just been made, is the open encoder. It is called under the lock.
func (o CommandBuffer) opened(c check, e objc.ID, compute bool) (*encoderState, error) {
	if err := c.some("encoder", e); err != nil || o.state == nil {
		return nil, err
	}
	s := new(encoderState)
	if compute {
		s = newComputeState()
	}
	s.device, s.owner = o.state.device, o.state
	o.state.open = s
	return s, nil
}

// ComputeCommandEncoder opens an encoder whose dispatches run one after the other.
func (o CommandBuffer) ComputeCommandEncoder() (ComputeCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer computeCommandEncoder]")
	if err := o.beginIdle(c); err != nil {
		return ComputeCommandEncoder{}, err
	}
	defer o.end()
	e := o.sendComputeCommandEncoder()
	var err error
	e.state, err = o.opened(c, e.ID(), true)
	return e, err
}

// ComputeCommandEncoderWithDispatchType opens an encoder whose dispatches run serially, or concurrently with barriers
// between those that depend on each other.
func (o CommandBuffer) ComputeCommandEncoderWithDispatchType(dispatchType DispatchType) (ComputeCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer computeCommandEncoderWithDispatchType:]")
	if err := o.beginIdle(c); err != nil {
		return ComputeCommandEncoder{}, err
	}
	defer o.end()
	e := o.sendComputeCommandEncoderWithDispatchType(dispatchType)
	var err error
	e.state, err = o.opened(c, e.ID(), true)
	return e, err
}

// ComputeCommandEncoderWithDescriptor opens an encoder with the dispatch type and the counter samples of a descriptor.
func (o CommandBuffer) ComputeCommandEncoderWithDescriptor(descriptor ComputePassDescriptor) (ComputeCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer computeCommandEncoderWithDescriptor:]")
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return ComputeCommandEncoder{}, err
	}
	if err := o.beginIdle(c); err != nil {
		return ComputeCommandEncoder{}, err
	}
	defer o.end()
	e := o.sendComputeCommandEncoderWithDescriptor(descriptor)
	var err error
	e.state, err = o.opened(c, e.ID(), true)
	return e, err
}

// BlitCommandEncoder opens an encoder that copies and fills memory.
func (o CommandBuffer) BlitCommandEncoder() (BlitCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer blitCommandEncoder]")
	if err := o.beginIdle(c); err != nil {
		return BlitCommandEncoder{}, err
	}
	defer o.end()
	e := o.sendBlitCommandEncoder()
	var err error
	e.state, err = o.opened(c, e.ID(), false)
	return e, err
}

// BlitCommandEncoderWithDescriptor opens an encoder that copies and fills memory, with the counter samples of a
// descriptor.
func (o CommandBuffer) BlitCommandEncoderWithDescriptor(descriptor BlitPassDescriptor) (BlitCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer blitCommandEncoderWithDescriptor:]")
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return BlitCommandEncoder{}, err
	}
	if err := o.beginIdle(c); err != nil {
		return BlitCommandEncoder{}, err
	}
	defer o.end()
	e := o.sendBlitCommandEncoderWithDescriptor(descriptor)
	var err error
	e.state, err = o.opened(c, e.ID(), false)
	return e, err
}

// ResourceStateCommandEncoder opens an encoder that maps tiles of sparse textures.
func (o CommandBuffer) ResourceStateCommandEncoder() (ResourceStateCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer resourceStateCommandEncoder]")
	if err := o.beginIdle(c); err != nil {
		return ResourceStateCommandEncoder{}, err
	}
	defer o.end()
	e := o.sendResourceStateCommandEncoder()
	var err error
	e.state, err = o.opened(c, e.ID(), false)
	return e, err
}

// ResourceStateCommandEncoderWithDescriptor opens an encoder that maps tiles of sparse textures, with the counter samples
// of a descriptor.
func (o CommandBuffer) ResourceStateCommandEncoderWithDescriptor(descriptor ResourceStatePassDescriptor) (ResourceStateCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer resourceStateCommandEncoderWithDescriptor:]")
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return ResourceStateCommandEncoder{}, err
	}
	if err := o.beginIdle(c); err != nil {
		return ResourceStateCommandEncoder{}, err
	}
	defer o.end()
	e := o.sendResourceStateCommandEncoderWithDescriptor(descriptor)
	var err error
	e.state, err = o.opened(c, e.ID(), false)
	return e, err
}

// AccelerationStructureCommandEncoder opens an encoder that builds, refits and copies acceleration structures.
func (o CommandBuffer) AccelerationStructureCommandEncoder() (AccelerationStructureCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer accelerationStructureCommandEncoder]")
	if err := o.beginIdle(c); err != nil {
		return AccelerationStructureCommandEncoder{}, err
	}
	defer o.end()
	e := o.sendAccelerationStructureCommandEncoder()
	var err error
	e.state, err = o.opened(c, e.ID(), false)
	return e, err
}

// AccelerationStructureCommandEncoderWithDescriptor opens an encoder that builds, refits and copies acceleration
// structures, with the counter samples of a descriptor.
func (o CommandBuffer) AccelerationStructureCommandEncoderWithDescriptor(descriptor AccelerationStructurePassDescriptor) (AccelerationStructureCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer accelerationStructureCommandEncoderWithDescriptor:]")
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return AccelerationStructureCommandEncoder{}, err
	}
	if err := o.beginIdle(c); err != nil {
		return AccelerationStructureCommandEncoder{}, err
	}
	defer o.end()
	e := o.sendAccelerationStructureCommandEncoderWithDescriptor(descriptor)
	var err error
	e.state, err = o.opened(c, e.ID(), false)
	return e, err
}
