package mtl

// Setters of the compute encoder's argument tables, except for buffers and bytes.

// SetTexture binds a texture at an index of the texture table, at most 127; a nil texture clears
// the index.
//
//	-[MTLComputeCommandEncoder setTexture:atIndex:]
func (o ComputeCommandEncoder) SetTexture(texture Texture, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setTexture:atIndex:]")
	return encode(o, c, c.bindTexture(texture, index), func() { sendComputeCommandEncoderSetTexture(o, texture, index) })
}

func (c check) bindTexture(texture Texture, index uint) error {
	if err := c.atMost("texture index", uint64(index), maxTextureIndex, ErrIndex); err != nil || texture.IsNil() {
		return err
	}
	return c.notRemote("texture", remoteFact(texture.Resource))
}

func (c check) bindTextures(textures []Texture, first uint) error {
	if err := c.slots("texture index", first, len(textures), maxTextureIndex); err != nil {
		return err
	}
	return c.ownTextures(textures...)
}

// SetSamplerState binds a sampler at an index of the sampler table, at most 15; a nil sampler
// clears the index.
//
//	-[MTLComputeCommandEncoder setSamplerState:atIndex:]
func (o ComputeCommandEncoder) SetSamplerState(sampler SamplerState, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerState:atIndex:]")
	return encode(o, c, c.atMost("sampler index", uint64(index), maxSamplerIndex, ErrIndex),
		func() { sendComputeCommandEncoderSetSamplerState(o, sampler, index) })
}

// SetSamplerStateLodMinClamp is SetSamplerState with level-of-detail limits that replace the
// sampler's own.
//
//	-[MTLComputeCommandEncoder setSamplerState:lodMinClamp:lodMaxClamp:atIndex:]
func (o ComputeCommandEncoder) SetSamplerStateLodMinClamp(sampler SamplerState, lodMinClamp, lodMaxClamp float32,
	index uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerState:lodMinClamp:lodMaxClamp:atIndex:]")
	return encode(o, c, c.atMost("sampler index", uint64(index), maxSamplerIndex, ErrIndex), func() {
		sendComputeCommandEncoderSetSamplerStateLodMinClamp(o, sampler, lodMinClamp, lodMaxClamp, index)
	})
}

// SetVisibleFunctionTable binds a table of visible functions at a buffer index, at most 30; a nil
// table clears the index.
//
//	-[MTLComputeCommandEncoder setVisibleFunctionTable:atBufferIndex:]
func (o ComputeCommandEncoder) SetVisibleFunctionTable(table VisibleFunctionTable, bufferIndex uint) error {
	const c = check("-[MTLComputeCommandEncoder setVisibleFunctionTable:atBufferIndex:]")
	return encode(o, c, c.atMost("buffer index", uint64(bufferIndex), maxBufferIndex, ErrIndex), func() {
		sendComputeCommandEncoderSetVisibleFunctionTable(o, table, bufferIndex)
		o.compute().bound(bufferIndex, 0)
	})
}

// SetIntersectionFunctionTable binds a table of intersection functions at a buffer index, at most
// 30; a nil table clears the index.
//
//	-[MTLComputeCommandEncoder setIntersectionFunctionTable:atBufferIndex:]
func (o ComputeCommandEncoder) SetIntersectionFunctionTable(table IntersectionFunctionTable, bufferIndex uint) error {
	const c = check("-[MTLComputeCommandEncoder setIntersectionFunctionTable:atBufferIndex:]")
	return encode(o, c, c.atMost("buffer index", uint64(bufferIndex), maxBufferIndex, ErrIndex), func() {
		sendComputeCommandEncoderSetIntersectionFunctionTable(o, table, bufferIndex)
		o.compute().bound(bufferIndex, 0)
	})
}

// SetAccelerationStructure binds an acceleration structure at a buffer index, at most 30; a nil
// structure clears the index.
//
//	-[MTLComputeCommandEncoder setAccelerationStructure:atBufferIndex:]
func (o ComputeCommandEncoder) SetAccelerationStructure(structure AccelerationStructure, bufferIndex uint) error {
	const c = check("-[MTLComputeCommandEncoder setAccelerationStructure:atBufferIndex:]")
	return encode(o, c, c.atMost("buffer index", uint64(bufferIndex), maxBufferIndex, ErrIndex), func() {
		sendComputeCommandEncoderSetAccelerationStructure(o, structure, bufferIndex)
		o.compute().bound(bufferIndex, 0)
	})
}

// SetTextures binds textures at consecutive indices starting at first; nil textures clear theirs.
// An empty slice has no effect.
//
//	-[MTLComputeCommandEncoder setTextures:withRange:]
func (o ComputeCommandEncoder) SetTextures(textures []Texture, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setTextures:withRange:]")
	return encode(o, c, c.bindTextures(textures, first), func() {
		if len(textures) > 0 {
			sendComputeCommandEncoderSetTextures(o, textures, first)
		}
	})
}

// SetSamplerStates binds samplers at consecutive indices starting at first; nil samplers clear
// theirs. An empty slice has no effect.
//
//	-[MTLComputeCommandEncoder setSamplerStates:withRange:]
func (o ComputeCommandEncoder) SetSamplerStates(samplers []SamplerState, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerStates:withRange:]")
	return encode(o, c, c.slots("sampler index", first, len(samplers), maxSamplerIndex), func() {
		if len(samplers) > 0 {
			sendComputeCommandEncoderSetSamplerStates(o, samplers, first)
		}
	})
}

// SetSamplerStatesLodMinClamps is SetSamplerStates with level-of-detail limits; there must be as
// many of each as samplers.
//
//	-[MTLComputeCommandEncoder setSamplerStates:lodMinClamps:lodMaxClamps:withRange:]
func (o ComputeCommandEncoder) SetSamplerStatesLodMinClamps(samplers []SamplerState, lodMinClamps,
	lodMaxClamps []float32, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerStates:lodMinClamps:lodMaxClamps:withRange:]")
	if err := c.slots("sampler index", first, len(samplers), maxSamplerIndex); err != nil {
		return err
	}
	if err := c.same("minima", len(lodMinClamps), len(samplers)); err != nil {
		return err
	}
	return encode(o, c, c.same("maxima", len(lodMaxClamps), len(samplers)), func() {
		if len(samplers) > 0 {
			sendComputeCommandEncoderSetSamplerStatesLodMinClamps(o, samplers, lodMinClamps, lodMaxClamps, first)
		}
	})
}

// SetVisibleFunctionTables binds tables of visible functions at consecutive buffer indices starting
// at first; nil tables clear theirs. An empty slice has no effect.
//
//	-[MTLComputeCommandEncoder setVisibleFunctionTables:withBufferRange:]
func (o ComputeCommandEncoder) SetVisibleFunctionTables(tables []VisibleFunctionTable, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setVisibleFunctionTables:withBufferRange:]")
	return encode(o, c, c.slots("buffer index", first, len(tables), maxBufferIndex), func() {
		if len(tables) > 0 {
			sendComputeCommandEncoderSetVisibleFunctionTables(o, tables, first)
			o.compute().unbound(first, len(tables))
		}
	})
}

// SetIntersectionFunctionTables binds tables of intersection functions at consecutive buffer
// indices starting at first; nil tables clear theirs. An empty slice has no effect.
//
//	-[MTLComputeCommandEncoder setIntersectionFunctionTables:withBufferRange:]
func (o ComputeCommandEncoder) SetIntersectionFunctionTables(tables []IntersectionFunctionTable, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setIntersectionFunctionTables:withBufferRange:]")
	return encode(o, c, c.slots("buffer index", first, len(tables), maxBufferIndex), func() {
		if len(tables) > 0 {
			sendComputeCommandEncoderSetIntersectionFunctionTables(o, tables, first)
			o.compute().unbound(first, len(tables))
		}
	})
}
