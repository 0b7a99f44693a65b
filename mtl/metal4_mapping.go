package mtl

import "github.com/puremetal/puremetal/objc"

// Mappings of placement sparse resources, which a queue changes between the command buffers
// committed before and after. Regions and ranges are in tiles; whether they lie in the resource
// depends on its page size and is not checked.

// needs checks the queue and one object that the call takes.
func (o CommandQueue4) needs(c check, what string, object interface{ ID() objc.ID }) error {
	if err := c.object("command queue", o.ID()); err != nil {
		return err
	}
	return c.object(what, object.ID())
}

// UpdateTextureMappings maps tiles of a heap to regions of a texture, or unmaps them. There is at
// least 1 operation, no region is empty, and only operations that all unmap go without a heap.
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
	o.sendUpdateTextureMappings(texture, heap, operations)
	return nil
}

// mapping checks the mode of an operation and that a heap is there to map from.
func (c check) mapping(mode SparseTextureMappingMode, heap Heap) error {
	if err := c.mappingMode(mode); err != nil {
		return err
	}
	if mode == SparseTextureMappingModeMap {
		return c.object("heap", heap.ID())
	}
	return nil
}

// CopyTextureMappingsFromTexture maps what regions of a texture are mapped to, to regions of
// another. There is at least 1 operation, and no region is empty.
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
	o.sendCopyTextureMappingsFromTexture(sourceTexture, destinationTexture, operations)
	return nil
}

// UpdateBufferMappings maps tiles of a heap to ranges of a buffer, or unmaps them. There is at
// least 1 operation, no range is empty, and only operations that all unmap go without a heap.
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
	o.sendUpdateBufferMappings(buffer, heap, operations)
	return nil
}

// CopyBufferMappingsFromBuffer maps what ranges of a buffer are mapped to, to ranges of another.
// There is at least 1 operation, and no range is empty.
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
	o.sendCopyBufferMappingsFromBuffer(sourceBuffer, destinationBuffer, operations)
	return nil
}
