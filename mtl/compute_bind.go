package mtl

// Setters of the compute encoder's argument tables for all but buffers and bytes.

// SetTexture puts a texture into a slot of the texture table, up to index 127; a nil texture clears
// the slot.
func (o ComputeCommandEncoder) SetTexture(texture Texture, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setTexture:atIndex:]")
	return encode(o, c, c.bindTexture(texture, index), func() { o.sendSetTexture(texture, index) })
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

// SetSamplerState puts a sampler into a slot of the sampler table, up to index 15; a nil sampler
// clears the slot.
func (o ComputeCommandEncoder) SetSamplerState(sampler SamplerState, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerState:atIndex:]")
	return encode(o, c, c.atMost("sampler index", uint64(index), maxSamplerIndex, ErrIndex),
		func() { o.sendSetSamplerState(sampler, index) })
}

// SetSamplerStateLodMinClamp is SetSamplerState with limits of the level of detail in place of the
// sampler's own.
func (o ComputeCommandEncoder) SetSamplerStateLodMinClamp(sampler SamplerState, lodMinClamp, lodMaxClamp float32,
	index uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerState:lodMinClamp:lodMaxClamp:atIndex:]")
	return encode(o, c, c.atMost("sampler index", uint64(index), maxSamplerIndex, ErrIndex), func() {
		o.sendSetSamplerStateLodMinClamp(sampler, lodMinClamp, lodMaxClamp, index)
	})
}

// SetVisibleFunctionTable puts a table of visible functions into a buffer slot, up to index 30; a
// nil table clears the slot.
func (o ComputeCommandEncoder) SetVisibleFunctionTable(table VisibleFunctionTable, bufferIndex uint) error {
	const c = check("-[MTLComputeCommandEncoder setVisibleFunctionTable:atBufferIndex:]")
	return encode(o, c, c.atMost("buffer index", uint64(bufferIndex), maxBufferIndex, ErrIndex), func() {
		o.sendSetVisibleFunctionTable(table, bufferIndex)
		o.compute().bound(bufferIndex, 0)
	})
}

// SetIntersectionFunctionTable puts a table of intersection functions into a buffer slot, up to
// index 30; a nil table clears the slot.
func (o ComputeCommandEncoder) SetIntersectionFunctionTable(table IntersectionFunctionTable, bufferIndex uint) error {
	const c = check("-[MTLComputeCommandEncoder setIntersectionFunctionTable:atBufferIndex:]")
	return encode(o, c, c.atMost("buffer index", uint64(bufferIndex), maxBufferIndex, ErrIndex), func() {
		o.sendSetIntersectionFunctionTable(table, bufferIndex)
		o.compute().bound(bufferIndex, 0)
	})
}

// SetAccelerationStructure puts an acceleration structure into a buffer slot, up to index 30; a nil
// one clears the slot.
func (o ComputeCommandEncoder) SetAccelerationStructure(structure AccelerationStructure, bufferIndex uint) error {
	const c = check("-[MTLComputeCommandEncoder setAccelerationStructure:atBufferIndex:]")
	return encode(o, c, c.atMost("buffer index", uint64(bufferIndex), maxBufferIndex, ErrIndex), func() {
		o.sendSetAccelerationStructure(structure, bufferIndex)
		o.compute().bound(bufferIndex, 0)
	})
}

// SetTextures puts textures into the slots from index first on; nil ones clear theirs. No textures
// at all change nothing.
func (o ComputeCommandEncoder) SetTextures(textures []Texture, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setTextures:withRange:]")
	return encode(o, c, c.bindTextures(textures, first), func() {
		if len(textures) > 0 {
			o.sendSetTextures(textures, first)
		}
	})
}

// SetSamplerStates puts samplers into the slots from index first on; nil ones clear theirs. No
// samplers at all change nothing.
func (o ComputeCommandEncoder) SetSamplerStates(samplers []SamplerState, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerStates:withRange:]")
	return encode(o, c, c.slots("sampler index", first, len(samplers), maxSamplerIndex), func() {
		if len(samplers) > 0 {
			o.sendSetSamplerStates(samplers, first)
		}
	})
}

// SetSamplerStatesLodMinClamps is SetSamplerStates with limits of the level of detail, as many of
// each as samplers.
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
			o.sendSetSamplerStatesLodMinClamps(samplers, lodMinClamps, lodMaxClamps, first)
		}
	})
}

// SetVisibleFunctionTables puts tables of visible functions into the buffer slots from index first
// on; nil ones clear theirs. No tables at all change nothing.
func (o ComputeCommandEncoder) SetVisibleFunctionTables(tables []VisibleFunctionTable, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setVisibleFunctionTables:withBufferRange:]")
	return encode(o, c, c.slots("buffer index", first, len(tables), maxBufferIndex), func() {
		if len(tables) > 0 {
			o.sendSetVisibleFunctionTables(tables, first)
			o.compute().unbound(first, len(tables))
		}
	})
}

// SetIntersectionFunctionTables puts tables of intersection functions into the buffer slots from
// index first on; nil ones clear theirs. No tables at all change nothing.
func (o ComputeCommandEncoder) SetIntersectionFunctionTables(tables []IntersectionFunctionTable, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setIntersectionFunctionTables:withBufferRange:]")
	return encode(o, c, c.slots("buffer index", first, len(tables), maxBufferIndex), func() {
		if len(tables) > 0 {
			o.sendSetIntersectionFunctionTables(tables, first)
			o.compute().unbound(first, len(tables))
		}
	})
}
