package mtl

// A command buffer has at most one open encoder. Encoders are +0; see [CommandEncoder]. Opening one
// is refused with [ErrOpen] while another is open, and with [ErrClosed] after Commit.

// open opens an encoder. err is the result of earlier checks, send sends the message and stores its
// result in e, and remember makes the encoder's state.
func (o CommandBuffer) open(c check, err error, e *CommandEncoder, remember func() *encoderState, send func()) error {
	return tryEncode(idle{o}, c, err, func() (err error) {
		send()
		e.state, err = o.state.memory().opened(c, e.ID(), remember)
		return err
	})
}

// ComputeCommandEncoder opens an encoder whose dispatches run serially.
//
//	-[MTLCommandBuffer computeCommandEncoder]
func (o CommandBuffer) ComputeCommandEncoder() (ComputeCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer computeCommandEncoder]")
	var e ComputeCommandEncoder
	err := o.open(c, nil, &e.CommandEncoder, newComputeState, func() { e = sendCommandBufferComputeCommandEncoder(o) })
	return e, err
}

// ComputeCommandEncoderWithDispatchType opens an encoder whose dispatches run serially, or
// concurrently with barriers between those that depend on each other.
//
//	-[MTLCommandBuffer computeCommandEncoderWithDispatchType:]
func (o CommandBuffer) ComputeCommandEncoderWithDispatchType(dispatchType DispatchType) (ComputeCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer computeCommandEncoderWithDispatchType:]")
	var e ComputeCommandEncoder
	err := o.open(c, nil, &e.CommandEncoder, newComputeState,
		func() { e = sendCommandBufferComputeCommandEncoderWithDispatchType(o, dispatchType) })
	return e, err
}

// ComputeCommandEncoderWithDescriptor opens an encoder with the dispatch type and the counter
// samples of a descriptor.
//
//	-[MTLCommandBuffer computeCommandEncoderWithDescriptor:]
func (o CommandBuffer) ComputeCommandEncoderWithDescriptor(descriptor ComputePassDescriptor) (ComputeCommandEncoder,
	error) {
	const c = check("-[MTLCommandBuffer computeCommandEncoderWithDescriptor:]")
	var e ComputeCommandEncoder
	err := o.open(c, c.object("descriptor", descriptor.ID()), &e.CommandEncoder, newComputeState,
		func() { e = sendCommandBufferComputeCommandEncoderWithDescriptor(o, descriptor) })
	return e, err
}

// BlitCommandEncoder opens an encoder that copies and fills memory.
//
//	-[MTLCommandBuffer blitCommandEncoder]
func (o CommandBuffer) BlitCommandEncoder() (BlitCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer blitCommandEncoder]")
	var e BlitCommandEncoder
	err := o.open(c, nil, &e.CommandEncoder, newEncoderState, func() { e = sendCommandBufferBlitCommandEncoder(o) })
	return e, err
}

// BlitCommandEncoderWithDescriptor opens an encoder that copies and fills memory, with the counter
// samples of a descriptor.
//
//	-[MTLCommandBuffer blitCommandEncoderWithDescriptor:]
func (o CommandBuffer) BlitCommandEncoderWithDescriptor(descriptor BlitPassDescriptor) (BlitCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer blitCommandEncoderWithDescriptor:]")
	var e BlitCommandEncoder
	err := o.open(c, c.object("descriptor", descriptor.ID()), &e.CommandEncoder, newEncoderState,
		func() { e = sendCommandBufferBlitCommandEncoderWithDescriptor(o, descriptor) })
	return e, err
}

// ResourceStateCommandEncoder opens an encoder that maps tiles of sparse textures.
//
//	-[MTLCommandBuffer resourceStateCommandEncoder]
func (o CommandBuffer) ResourceStateCommandEncoder() (ResourceStateCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer resourceStateCommandEncoder]")
	var e ResourceStateCommandEncoder
	err := o.open(c, nil, &e.CommandEncoder, newEncoderState,
		func() { e = sendCommandBufferResourceStateCommandEncoder(o) })
	return e, err
}

// ResourceStateCommandEncoderWithDescriptor opens an encoder that maps tiles of sparse textures,
// with the counter samples of a descriptor.
//
//	-[MTLCommandBuffer resourceStateCommandEncoderWithDescriptor:]
func (o CommandBuffer) ResourceStateCommandEncoderWithDescriptor(descriptor ResourceStatePassDescriptor) (ResourceStateCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer resourceStateCommandEncoderWithDescriptor:]")
	var e ResourceStateCommandEncoder
	err := o.open(c, c.object("descriptor", descriptor.ID()), &e.CommandEncoder, newEncoderState,
		func() { e = sendCommandBufferResourceStateCommandEncoderWithDescriptor(o, descriptor) })
	return e, err
}

// AccelerationStructureCommandEncoder opens an encoder that builds, refits and copies acceleration
// structures.
//
//	-[MTLCommandBuffer accelerationStructureCommandEncoder]
func (o CommandBuffer) AccelerationStructureCommandEncoder() (AccelerationStructureCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer accelerationStructureCommandEncoder]")
	var e AccelerationStructureCommandEncoder
	err := o.open(c, nil, &e.CommandEncoder, newEncoderState,
		func() { e = sendCommandBufferAccelerationStructureCommandEncoder(o) })
	return e, err
}

// AccelerationStructureCommandEncoderWithDescriptor opens an encoder that builds, refits and copies
// acceleration structures, with the counter samples of a descriptor.
//
//	-[MTLCommandBuffer accelerationStructureCommandEncoderWithDescriptor:]
func (o CommandBuffer) AccelerationStructureCommandEncoderWithDescriptor(descriptor AccelerationStructurePassDescriptor) (AccelerationStructureCommandEncoder, error) {
	const c = check("-[MTLCommandBuffer accelerationStructureCommandEncoderWithDescriptor:]")
	var e AccelerationStructureCommandEncoder
	err := o.open(c, c.object("descriptor", descriptor.ID()), &e.CommandEncoder, newEncoderState,
		func() { e = sendCommandBufferAccelerationStructureCommandEncoderWithDescriptor(o, descriptor) })
	return e, err
}
