package mtl

import "github.com/puremetal/puremetal/objc"

// A queue changes the mappings of placement sparse resources in order with the command buffers
// committed to it. Regions and ranges are in tiles. Whether they are within the resource depends on
// its page size and is not checked.

// needs checks the queue and one object that the call requires.
func (o CommandQueue4) needs(c check, what string, object interface{ ID() objc.ID }) error {
	if err := c.object("command queue", o.ID()); err != nil {
		return err
	}
	return c.object(what, object.ID())
}

// UpdateTextureMappings maps tiles of a heap to regions of a texture, or unmaps them. There must be
// at least one operation and no empty region; the heap may be nil only if all operations unmap.
//
//	-[MTL4CommandQueue updateTextureMappings:heap:operations:count:]
func (o CommandQueue4) UpdateTextureMappings(texture Texture, heap Heap,
	operations []UpdateSparseTextureMappingOperation4) error {
	const c = check("-[MTL4CommandQueue updateTextureMappings:heap:operations:count:]")
	if err := o.needs(c, "texture", texture); err != nil {
		return err
	}
	if err := c.count("number of operations", len(operations)); err != nil {
		return err
	}
	f := factsOfTexture(texture)
	for _, op := range operations {
		if err := c.mapping(op.Mode, heap); err != nil {
			return err
		}
		if err := c.atLeastOne("region in tiles", op.TextureRegion.Size, ErrRegion); err != nil {
			return err
		}
		if err := c.place(f.textureShape, op.TextureSlice, op.TextureLevel); err != nil {
			return err
		}
	}
	sendCommandQueue4UpdateTextureMappings(o, texture, heap, operations)
	return nil
}

// mapping checks the mode of an operation, and that there is a heap to map from.
func (c check) mapping(mode SparseTextureMappingMode, heap Heap) error {
	if err := c.mappingMode(mode); err != nil {
		return err
	}
	if mode == SparseTextureMappingModeMap {
		return c.object("heap", heap.ID())
	}
	return nil
}

// CopyTextureMappingsFromTexture copies the mappings of regions of a texture to regions of another
// one. There must be at least one operation and no empty region.
//
//	-[MTL4CommandQueue copyTextureMappingsFromTexture:toTexture:operations:count:]
func (o CommandQueue4) CopyTextureMappingsFromTexture(sourceTexture, destinationTexture Texture,
	operations []CopySparseTextureMappingOperation4) error {
	const c = check("-[MTL4CommandQueue copyTextureMappingsFromTexture:toTexture:operations:count:]")
	if err := o.needs(c, "source texture", sourceTexture); err != nil {
		return err
	}
	if err := c.object("destination texture", destinationTexture.ID()); err != nil {
		return err
	}
	if err := c.count("number of operations", len(operations)); err != nil {
		return err
	}
	s, t := factsOfTexture(sourceTexture), factsOfTexture(destinationTexture)
	for _, op := range operations {
		if err := c.atLeastOne("region in tiles", op.SourceRegion.Size, ErrRegion); err != nil {
			return err
		}
		if err := c.place(s.textureShape, op.SourceSlice, op.SourceLevel); err != nil {
			return side(err, "source texture")
		}
		if err := c.place(t.textureShape, op.DestinationSlice, op.DestinationLevel); err != nil {
			return side(err, "destination texture")
		}
	}
	sendCommandQueue4CopyTextureMappingsFromTexture(o, sourceTexture, destinationTexture, operations)
	return nil
}

// UpdateBufferMappings maps tiles of a heap to ranges of a buffer, or unmaps them. There must be at
// least one operation and no empty range; the heap may be nil only if all operations unmap.
//
//	-[MTL4CommandQueue updateBufferMappings:heap:operations:count:]
func (o CommandQueue4) UpdateBufferMappings(buffer Buffer, heap Heap,
	operations []UpdateSparseBufferMappingOperation4) error {
	const c = check("-[MTL4CommandQueue updateBufferMappings:heap:operations:count:]")
	if err := o.needs(c, "buffer", buffer); err != nil {
		return err
	}
	if err := c.count("number of operations", len(operations)); err != nil {
		return err
	}
	for _, op := range operations {
		if err := c.mapping(op.Mode, heap); err != nil {
			return err
		}
		if err := c.atLeast("number of tiles", uint64(op.BufferRange.Length), 1, ErrLength); err != nil {
			return err
		}
	}
	sendCommandQueue4UpdateBufferMappings(o, buffer, heap, operations)
	return nil
}

// CopyBufferMappingsFromBuffer copies the mappings of ranges of a buffer to ranges of another one.
// There must be at least one operation and no empty range.
//
//	-[MTL4CommandQueue copyBufferMappingsFromBuffer:toBuffer:operations:count:]
func (o CommandQueue4) CopyBufferMappingsFromBuffer(sourceBuffer, destinationBuffer Buffer,
	operations []CopySparseBufferMappingOperation4) error {
	const c = check("-[MTL4CommandQueue copyBufferMappingsFromBuffer:toBuffer:operations:count:]")
	if err := o.needs(c, "source buffer", sourceBuffer); err != nil {
		return err
	}
	if err := c.object("destination buffer", destinationBuffer.ID()); err != nil {
		return err
	}
	if err := c.count("number of operations", len(operations)); err != nil {
		return err
	}
	for _, op := range operations {
		if err := c.atLeast("number of tiles", uint64(op.SourceRange.Length), 1, ErrLength); err != nil {
			return err
		}
	}
	sendCommandQueue4CopyBufferMappingsFromBuffer(o, sourceBuffer, destinationBuffer, operations)
	return nil
}
