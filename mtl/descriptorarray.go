package mtl

// At returns the descriptor of one of the pipeline's buffers, +0. An index of 31 or more is an
// error wrapping [ErrIndex].
//
//	-[MTLPipelineBufferDescriptorArray objectAtIndexedSubscript:]
func (o PipelineBufferDescriptorArray) At(index uint) (PipelineBufferDescriptor, error) {
	const c = check("-[MTLPipelineBufferDescriptorArray objectAtIndexedSubscript:]")
	if err := c.receiver(&zmethods[mPipelineBufferDescriptorArrayObjectAtIndexedSubscript], o.ID()); err != nil {
		return PipelineBufferDescriptor{}, err
	}
	if err := c.atMost("index", uint64(index), MaxBufferSlots-1, ErrIndex); err != nil {
		return PipelineBufferDescriptor{}, err
	}
	return sendPipelineBufferDescriptorArrayObjectAtIndexedSubscript(o, index), nil
}

// Set replaces the descriptor of one of the pipeline's buffers; nil restores the default.
//
//	-[MTLPipelineBufferDescriptorArray setObject:atIndexedSubscript:]
func (o PipelineBufferDescriptorArray) Set(index uint, descriptor PipelineBufferDescriptor) error {
	const c = check("-[MTLPipelineBufferDescriptorArray setObject:atIndexedSubscript:]")
	if err := c.receiver(&zmethods[mPipelineBufferDescriptorArraySetObject], o.ID()); err != nil {
		return err
	}
	if err := c.atMost("index", uint64(index), MaxBufferSlots-1, ErrIndex); err != nil {
		return err
	}
	sendPipelineBufferDescriptorArraySetObject(o, descriptor, index)
	return nil
}

// At returns the descriptor of a stage-input attribute, +0. An index of 31 or more is an error
// wrapping [ErrIndex].
//
//	-[MTLAttributeDescriptorArray objectAtIndexedSubscript:]
func (o AttributeDescriptorArray) At(index uint) (AttributeDescriptor, error) {
	const c = check("-[MTLAttributeDescriptorArray objectAtIndexedSubscript:]")
	if err := c.receiver(&zmethods[mAttributeDescriptorArrayObjectAtIndexedSubscript], o.ID()); err != nil {
		return AttributeDescriptor{}, err
	}
	if err := c.atMost("index", uint64(index), MaxBufferSlots-1, ErrIndex); err != nil {
		return AttributeDescriptor{}, err
	}
	return sendAttributeDescriptorArrayObjectAtIndexedSubscript(o, index), nil
}

// Set replaces the descriptor of a stage-input attribute; nil restores the default.
//
//	-[MTLAttributeDescriptorArray setObject:atIndexedSubscript:]
func (o AttributeDescriptorArray) Set(index uint, descriptor AttributeDescriptor) error {
	const c = check("-[MTLAttributeDescriptorArray setObject:atIndexedSubscript:]")
	if err := c.receiver(&zmethods[mAttributeDescriptorArraySetObject], o.ID()); err != nil {
		return err
	}
	if err := c.atMost("index", uint64(index), MaxBufferSlots-1, ErrIndex); err != nil {
		return err
	}
	sendAttributeDescriptorArraySetObject(o, descriptor, index)
	return nil
}

// At returns the layout of a stage-input buffer, +0. An index of 31 or more is an error wrapping
// [ErrIndex].
//
//	-[MTLBufferLayoutDescriptorArray objectAtIndexedSubscript:]
func (o BufferLayoutDescriptorArray) At(index uint) (BufferLayoutDescriptor, error) {
	const c = check("-[MTLBufferLayoutDescriptorArray objectAtIndexedSubscript:]")
	if err := c.receiver(&zmethods[mBufferLayoutDescriptorArrayObjectAtIndexedSubscript], o.ID()); err != nil {
		return BufferLayoutDescriptor{}, err
	}
	if err := c.atMost("index", uint64(index), MaxBufferSlots-1, ErrIndex); err != nil {
		return BufferLayoutDescriptor{}, err
	}
	return sendBufferLayoutDescriptorArrayObjectAtIndexedSubscript(o, index), nil
}

// Set replaces the layout of a stage-input buffer; nil restores the default.
//
//	-[MTLBufferLayoutDescriptorArray setObject:atIndexedSubscript:]
func (o BufferLayoutDescriptorArray) Set(index uint, descriptor BufferLayoutDescriptor) error {
	const c = check("-[MTLBufferLayoutDescriptorArray setObject:atIndexedSubscript:]")
	if err := c.receiver(&zmethods[mBufferLayoutDescriptorArraySetObject], o.ID()); err != nil {
		return err
	}
	if err := c.atMost("index", uint64(index), MaxBufferSlots-1, ErrIndex); err != nil {
		return err
	}
	sendBufferLayoutDescriptorArraySetObject(o, descriptor, index)
	return nil
}
