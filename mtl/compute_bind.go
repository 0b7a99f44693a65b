package mtl

// Setters of the compute encoder's argument tables for all but buffers and bytes.

// SetTexture puts a texture into a slot of the texture table, up to index 127; a nil texture clears the slot.
func (o ComputeCommandEncoder) SetTexture(texture Texture, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setTexture:atIndex:]")
	if err := c.atMost("texture index", uint64(index), maxTextureIndex, ErrIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendSetTexture(texture, index)
	return nil
}

// SetSamplerState puts a sampler into a slot of the sampler table, up to index 15; a nil sampler clears the slot.
func (o ComputeCommandEncoder) SetSamplerState(sampler SamplerState, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerState:atIndex:]")
	if err := c.atMost("sampler index", uint64(index), maxSamplerIndex, ErrIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendSetSamplerState(sampler, index)
	return nil
}

// SetSamplerStateLodMinClamp is SetSamplerState with limits of the level of detail in place of the sampler's own.
func (o ComputeCommandEncoder) SetSamplerStateLodMinClamp(sampler SamplerState, lodMinClamp, lodMaxClamp float32, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerState:lodMinClamp:lodMaxClamp:atIndex:]")
	if err := c.atMost("sampler index", uint64(index), maxSamplerIndex, ErrIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendSetSamplerStateLodMinClamp(sampler, lodMinClamp, lodMaxClamp, index)
	return nil
}

// SetVisibleFunctionTable puts a table of visible functions into a buffer slot, up to index 30; a nil table clears the
// slot.
func (o ComputeCommandEncoder) SetVisibleFunctionTable(table VisibleFunctionTable, bufferIndex uint) error {
	const c = check("-[MTLComputeCommandEncoder setVisibleFunctionTable:atBufferIndex:]")
	if err := c.atMost("buffer index", uint64(bufferIndex), maxBufferIndex, ErrIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendSetVisibleFunctionTable(table, bufferIndex)
	if s := o.compute(); s != nil {
		s.buffers[bufferIndex] = 0
	}
	return nil
}

// SetIntersectionFunctionTable puts a table of intersection functions into a buffer slot, up to index 30; a nil table
// clears the slot.
func (o ComputeCommandEncoder) SetIntersectionFunctionTable(table IntersectionFunctionTable, bufferIndex uint) error {
	const c = check("-[MTLComputeCommandEncoder setIntersectionFunctionTable:atBufferIndex:]")
	if err := c.atMost("buffer index", uint64(bufferIndex), maxBufferIndex, ErrIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendSetIntersectionFunctionTable(table, bufferIndex)
	if s := o.compute(); s != nil {
		s.buffers[bufferIndex] = 0
	}
	return nil
}

// SetAccelerationStructure puts an acceleration structure into a buffer slot, up to index 30; a nil one clears the slot.
func (o ComputeCommandEncoder) SetAccelerationStructure(structure AccelerationStructure, bufferIndex uint) error {
	const c = check("-[MTLComputeCommandEncoder setAccelerationStructure:atBufferIndex:]")
	if err := c.atMost("buffer index", uint64(bufferIndex), maxBufferIndex, ErrIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendSetAccelerationStructure(structure, bufferIndex)
	if s := o.compute(); s != nil {
		s.buffers[bufferIndex] = 0
	}
	return nil
}

// SetTextures puts textures into the slots from index first on; nil ones clear theirs. No textures at all change nothing.
func (o ComputeCommandEncoder) SetTextures(textures []Texture, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setTextures:withRange:]")
	if err := c.slots("texture index", first, len(textures), maxTextureIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	if len(textures) == 0 {
		return nil
	}
	o.sendSetTextures(textures, first)
	return nil
}

// SetSamplerStates puts samplers into the slots from index first on; nil ones clear theirs. No samplers at all change
// nothing.
func (o ComputeCommandEncoder) SetSamplerStates(samplers []SamplerState, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerStates:withRange:]")
	if err := c.slots("sampler index", first, len(samplers), maxSamplerIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	if len(samplers) == 0 {
		return nil
	}
	o.sendSetSamplerStates(samplers, first)
	return nil
}

// SetSamplerStatesLodMinClamps is SetSamplerStates with limits of the level of detail, as many of each as samplers.
func (o ComputeCommandEncoder) SetSamplerStatesLodMinClamps(samplers []SamplerState, lodMinClamps, lodMaxClamps []float32, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setSamplerStates:lodMinClamps:lodMaxClamps:withRange:]")
	if err := c.slots("sampler index", first, len(samplers), maxSamplerIndex); err != nil {
		return err
	}
	if err := c.same("minima", len(lodMinClamps), len(samplers)); err != nil {
		return err
	}
	if err := c.same("maxima", len(lodMaxClamps), len(samplers)); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	if len(samplers) == 0 {
		return nil
	}
	o.sendSetSamplerStatesLodMinClamps(samplers, lodMinClamps, lodMaxClamps, first)
	return nil
}

// SetVisibleFunctionTables puts tables of visible functions into the buffer slots from index first on; nil ones clear
// theirs. No tables at all change nothing.
func (o ComputeCommandEncoder) SetVisibleFunctionTables(tables []VisibleFunctionTable, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setVisibleFunctionTables:withBufferRange:]")
	if err := c.slots("buffer index", first, len(tables), maxBufferIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	if len(tables) == 0 {
		return nil
	}
	o.sendSetVisibleFunctionTables(tables, first)
	if s := o.compute(); s != nil {
		clear(s.buffers[first : first+uint(len(tables))])
	}
	return nil
}

// SetIntersectionFunctionTables puts tables of intersection functions into the buffer slots from index first on; nil ones
// clear theirs. No tables at all change nothing.
func (o ComputeCommandEncoder) SetIntersectionFunctionTables(tables []IntersectionFunctionTable, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setIntersectionFunctionTables:withBufferRange:]")
	if err := c.slots("buffer index", first, len(tables), maxBufferIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	if len(tables) == 0 {
		return nil
	}
	o.sendSetIntersectionFunctionTables(tables, first)
	if s := o.compute(); s != nil {
		clear(s.buffers[first : first+uint(len(tables))])
	}
	return nil
}
