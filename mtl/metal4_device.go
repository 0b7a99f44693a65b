package mtl

// NewCommandAllocator4 creates a command allocator, +1.
//
//	-[MTLDevice newCommandAllocator]
func (o Device) NewCommandAllocator4() (CommandAllocator4, error) {
	const c = check("-[MTLDevice newCommandAllocator]")
	if err := c.object("device", o.ID()); err != nil {
		return CommandAllocator4{}, err
	}
	a, err := sendDeviceNewCommandAllocator4(o)
	if err != nil {
		return CommandAllocator4{}, err
	}
	a.state = new(allocatorState)
	return a, c.some("command allocator", a.ID())
}

// NewCommandAllocator4WithDescriptor creates a command allocator from a descriptor, +1.
//
//	-[MTLDevice newCommandAllocatorWithDescriptor:error:]
func (o Device) NewCommandAllocator4WithDescriptor(descriptor CommandAllocatorDescriptor4) (CommandAllocator4, error) {
	const c = check("-[MTLDevice newCommandAllocatorWithDescriptor:error:]")
	if err := c.described("device", o.ID(), descriptor.ID()); err != nil {
		return CommandAllocator4{}, err
	}
	a, err := sendDeviceNewCommandAllocator4WithDescriptor(o, descriptor)
	if err != nil {
		return CommandAllocator4{}, err
	}
	a.state = new(allocatorState)
	return a, nil
}

// NewCommandBuffer4 creates a Metal 4 command buffer, +1. It does not belong to a queue and can be
// reused.
//
//	-[MTLDevice newCommandBuffer]
func (o Device) NewCommandBuffer4() (CommandBuffer4, error) {
	const c = check("-[MTLDevice newCommandBuffer]")
	if err := c.object("device", o.ID()); err != nil {
		return CommandBuffer4{}, err
	}
	b, err := sendDeviceNewCommandBuffer4(o)
	if err != nil {
		return CommandBuffer4{}, err
	}
	if err := c.some("command buffer", b.ID()); err != nil {
		return CommandBuffer4{}, err
	}
	b.state = &commandBuffer4State{bufferState: bufferState{device: deviceOf(o)}}
	return b, nil
}

// NewCommandQueue4WithDescriptor creates a Metal 4 queue from a descriptor, +1.
//
//	-[MTLDevice newMTL4CommandQueueWithDescriptor:error:]
func (o Device) NewCommandQueue4WithDescriptor(descriptor CommandQueueDescriptor4) (CommandQueue4, error) {
	const c = check("-[MTLDevice newMTL4CommandQueueWithDescriptor:error:]")
	if err := c.described("device", o.ID(), descriptor.ID()); err != nil {
		return CommandQueue4{}, err
	}
	return sendDeviceNewCommandQueue4WithDescriptor(o, descriptor)
}

// NewCompiler4WithDescriptor creates a compiler from a descriptor, +1.
//
//	-[MTLDevice newCompilerWithDescriptor:error:]
func (o Device) NewCompiler4WithDescriptor(descriptor CompilerDescriptor4) (Compiler4, error) {
	const c = check("-[MTLDevice newCompilerWithDescriptor:error:]")
	if err := c.described("device", o.ID(), descriptor.ID()); err != nil {
		return Compiler4{}, err
	}
	return sendDeviceNewCompiler4WithDescriptor(o, descriptor)
}
