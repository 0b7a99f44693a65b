package mtl

import "github.com/puremetal/puremetal/objc"

// The methods below write arguments. All of them refuse an index that belongs to no argument
// ([ErrIndex]) and an encoder without an argument buffer ([ErrState]). A nil object clears the
// argument.

// SetBuffer writes the address of a buffer and offset. An offset beyond the buffer's end is an
// error wrapping [ErrOffset].
//
//	-[MTLArgumentEncoder setBuffer:offset:atIndex:]
func (o ArgumentEncoder) SetBuffer(buffer Buffer, offset, index uint) error {
	const c = check("-[MTLArgumentEncoder setBuffer:offset:atIndex:]")
	if err := o.slots(c, &zmethods[mArgumentEncoderSetBuffer], index, 1); err != nil {
		return err
	}
	if err := c.bufferOffset(buffer, offset); err != nil {
		return err
	}
	sendArgumentEncoderSetBuffer(o, buffer, offset, index)
	return nil
}

// SetBuffers writes the addresses of several buffers, starting at index first. There must be as
// many offsets as buffers.
//
//	-[MTLArgumentEncoder setBuffers:offsets:withRange:]
func (o ArgumentEncoder) SetBuffers(buffers []Buffer, offsets []uint, first uint) error {
	const c = check("-[MTLArgumentEncoder setBuffers:offsets:withRange:]")
	if err := o.slots(c, &zmethods[mArgumentEncoderSetBuffers], first, len(buffers)); err != nil {
		return err
	}
	if len(offsets) != len(buffers) {
		return &LimitError{Call: string(c), What: "number of offsets", Value: uint64(len(offsets)),
			Limit: uint64(len(buffers)), Rule: Exactly, Err: ErrArgument}
	}
	for i, b := range buffers {
		if err := c.bufferOffset(b, offsets[i]); err != nil {
			return err
		}
	}
	if len(buffers) > 0 {
		sendArgumentEncoderSetBuffers(o, buffers, offsets, first)
	}
	return nil
}

// bufferOffset checks an offset into a buffer, which may be nil.
func (c check) bufferOffset(b Buffer, offset uint) error {
	if b.IsNil() {
		return nil
	}
	if err := c.notRemote("buffer", remoteFact(b.Resource)); err != nil {
		return err
	}
	return c.atMost("offset in bytes", uint64(offset), uint64(b.Length()), ErrOffset)
}

// SetTexture writes a texture.
//
//	-[MTLArgumentEncoder setTexture:atIndex:]
func (o ArgumentEncoder) SetTexture(texture Texture, index uint) error {
	const c = check("-[MTLArgumentEncoder setTexture:atIndex:]")
	if err := c.ownTextures(texture); err != nil {
		return err
	}
	return setOne(o, c, mArgumentEncoderSetTexture, index, texture, sendArgumentEncoderSetTexture)
}

// SetTextures writes several textures, starting at index first.
//
//	-[MTLArgumentEncoder setTextures:withRange:]
func (o ArgumentEncoder) SetTextures(textures []Texture, first uint) error {
	const c = check("-[MTLArgumentEncoder setTextures:withRange:]")
	if err := c.ownTextures(textures...); err != nil {
		return err
	}
	return setMany(o, c, mArgumentEncoderSetTextures, first, textures, sendArgumentEncoderSetTextures)
}

// SetSamplerState writes a sampler, which must have been created with support for argument buffers.
//
//	-[MTLArgumentEncoder setSamplerState:atIndex:]
func (o ArgumentEncoder) SetSamplerState(sampler SamplerState, index uint) error {
	const c = check("-[MTLArgumentEncoder setSamplerState:atIndex:]")
	return setOne(o, c, mArgumentEncoderSetSamplerState, index, sampler, sendArgumentEncoderSetSamplerState)
}

// SetSamplerStates writes several samplers, starting at index first.
//
//	-[MTLArgumentEncoder setSamplerStates:withRange:]
func (o ArgumentEncoder) SetSamplerStates(samplers []SamplerState, first uint) error {
	const c = check("-[MTLArgumentEncoder setSamplerStates:withRange:]")
	return setMany(o, c, mArgumentEncoderSetSamplerStates, first, samplers, sendArgumentEncoderSetSamplerStates)
}

// SetComputePipelineState writes a pipeline state.
//
//	-[MTLArgumentEncoder setComputePipelineState:atIndex:]
func (o ArgumentEncoder) SetComputePipelineState(pipeline ComputePipelineState, index uint) error {
	const c = check("-[MTLArgumentEncoder setComputePipelineState:atIndex:]")
	return setOne(o, c, mArgumentEncoderSetComputePipelineState, index, pipeline,
		sendArgumentEncoderSetComputePipelineState)
}

// SetComputePipelineStates writes several pipeline states, starting at index first.
//
//	-[MTLArgumentEncoder setComputePipelineStates:withRange:]
func (o ArgumentEncoder) SetComputePipelineStates(pipelines []ComputePipelineState, first uint) error {
	const c = check("-[MTLArgumentEncoder setComputePipelineStates:withRange:]")
	return setMany(o, c, mArgumentEncoderSetComputePipelineStates, first, pipelines,
		sendArgumentEncoderSetComputePipelineStates)
}

// SetIndirectCommandBuffer writes an indirect command buffer.
//
//	-[MTLArgumentEncoder setIndirectCommandBuffer:atIndex:]
func (o ArgumentEncoder) SetIndirectCommandBuffer(buffer IndirectCommandBuffer, index uint) error {
	const c = check("-[MTLArgumentEncoder setIndirectCommandBuffer:atIndex:]")
	return setOne(o, c, mArgumentEncoderSetIndirectCommandBuffer, index, buffer,
		sendArgumentEncoderSetIndirectCommandBuffer)
}

// SetIndirectCommandBuffers writes several indirect command buffers, starting at index first.
//
//	-[MTLArgumentEncoder setIndirectCommandBuffers:withRange:]
func (o ArgumentEncoder) SetIndirectCommandBuffers(buffers []IndirectCommandBuffer, first uint) error {
	const c = check("-[MTLArgumentEncoder setIndirectCommandBuffers:withRange:]")
	return setMany(o, c, mArgumentEncoderSetIndirectCommandBuffers, first, buffers,
		sendArgumentEncoderSetIndirectCommandBuffers)
}

// SetAccelerationStructure writes an acceleration structure.
//
//	-[MTLArgumentEncoder setAccelerationStructure:atIndex:]
func (o ArgumentEncoder) SetAccelerationStructure(structure AccelerationStructure, index uint) error {
	const c = check("-[MTLArgumentEncoder setAccelerationStructure:atIndex:]")
	return setOne(o, c, mArgumentEncoderSetAccelerationStructure, index, structure,
		sendArgumentEncoderSetAccelerationStructure)
}

// SetVisibleFunctionTable writes a table of visible functions.
//
//	-[MTLArgumentEncoder setVisibleFunctionTable:atIndex:]
func (o ArgumentEncoder) SetVisibleFunctionTable(table VisibleFunctionTable, index uint) error {
	const c = check("-[MTLArgumentEncoder setVisibleFunctionTable:atIndex:]")
	return setOne(o, c, mArgumentEncoderSetVisibleFunctionTable, index, table, sendArgumentEncoderSetVisibleFunctionTable)
}

// SetVisibleFunctionTables writes several tables of visible functions, starting at index first.
//
//	-[MTLArgumentEncoder setVisibleFunctionTables:withRange:]
func (o ArgumentEncoder) SetVisibleFunctionTables(tables []VisibleFunctionTable, first uint) error {
	const c = check("-[MTLArgumentEncoder setVisibleFunctionTables:withRange:]")
	return setMany(o, c, mArgumentEncoderSetVisibleFunctionTables, first, tables,
		sendArgumentEncoderSetVisibleFunctionTables)
}

// SetIntersectionFunctionTable writes a table of intersection functions.
//
//	-[MTLArgumentEncoder setIntersectionFunctionTable:atIndex:]
func (o ArgumentEncoder) SetIntersectionFunctionTable(table IntersectionFunctionTable, index uint) error {
	const c = check("-[MTLArgumentEncoder setIntersectionFunctionTable:atIndex:]")
	return setOne(o, c, mArgumentEncoderSetIntersectionFunctionTable, index, table,
		sendArgumentEncoderSetIntersectionFunctionTable)
}

// SetIntersectionFunctionTables writes several tables of intersection functions, starting at index
// first.
//
//	-[MTLArgumentEncoder setIntersectionFunctionTables:withRange:]
func (o ArgumentEncoder) SetIntersectionFunctionTables(tables []IntersectionFunctionTable, first uint) error {
	const c = check("-[MTLArgumentEncoder setIntersectionFunctionTables:withRange:]")
	return setMany(o, c, mArgumentEncoderSetIntersectionFunctionTables, first, tables,
		sendArgumentEncoderSetIntersectionFunctionTables)
}

// SetConstant writes the bytes of a constant that is stored in the argument buffer itself. The CPU
// must be able to access the buffer: a private one is an error wrapping [ErrStorageMode]. Bytes
// beyond the buffer's end are [ErrLength].
//
//	-[MTLArgumentEncoder constantDataAtIndex:]
func (o ArgumentEncoder) SetConstant(index uint, data []byte) error {
	const c = check("-[MTLArgumentEncoder constantDataAtIndex:]")
	if err := o.slots(c, &zmethods[mArgumentEncoderConstantDataAtIndex], index, 1); err != nil {
		return err
	}
	if o.state == nil {
		return c.fail(ErrState, "the encoder's argument buffer is not known")
	}
	base := o.state.data.Load()
	if base == 0 {
		return c.fail(ErrStorageMode, "the CPU cannot access the argument buffer")
	}
	p := uint64(sendArgumentEncoderConstantDataAtIndex(o, index))
	if p < base {
		return c.fail(ErrIndex, "no constant at index %d", index)
	}
	if err := c.within("constant", p-base, uint64(len(data)), o.state.room.Load()); err != nil {
		return err
	}
	copy(objc.View(uintptr(p), len(data)), data)
	return nil
}

// setOne checks one argument and writes it.
func setOne[T any](o ArgumentEncoder, c check, method int, index uint, value T, send func(ArgumentEncoder, T,
	uint)) error {
	if err := o.slots(c, &zmethods[method], index, 1); err != nil {
		return err
	}
	send(o, value, index)
	return nil
}

// setMany checks several arguments and writes them.
func setMany[T any](o ArgumentEncoder, c check, method int, first uint, values []T, send func(ArgumentEncoder, []T,
	uint)) error {
	if err := o.slots(c, &zmethods[method], first, len(values)); err != nil || len(values) == 0 {
		return err
	}
	send(o, values, first)
	return nil
}
