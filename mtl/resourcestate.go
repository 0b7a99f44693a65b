package mtl

import "github.com/puremetal/puremetal/objc"

// UpdateTextureMapping maps or unmaps a region of one level of one slice of a sparse texture. The
// region is in tiles, see [Device.SparseTileSizeWithTextureType], and must be within the level.
//
//	-[MTLResourceStateCommandEncoder updateTextureMapping:mode:region:mipLevel:slice:]
func (o ResourceStateCommandEncoder) UpdateTextureMapping(texture Texture, mode SparseTextureMappingMode, region Region,
	mipLevel, slice uint) error {
	const c = check("-[MTLResourceStateCommandEncoder updateTextureMapping:mode:region:mipLevel:slice:]")
	if err := c.mappingMode(mode); err != nil {
		return err
	}
	return tryEncode(o, c, c.tiles(texture, region, mipLevel, slice, o.device()), func() error {
		return sendResourceStateCommandEncoderUpdateTextureMapping(o, texture, mode, region, mipLevel, slice)
	})
}

// UpdateTextureMappings is UpdateTextureMapping for several regions, at least one, each with a
// level and a slice.
//
//	-[MTLResourceStateCommandEncoder updateTextureMappings:mode:regions:mipLevels:slices:
//	    numRegions:]
func (o ResourceStateCommandEncoder) UpdateTextureMappings(texture Texture, mode SparseTextureMappingMode,
	regions []Region, mipLevels, slices []uint) error {
	const c = check("-[MTLResourceStateCommandEncoder updateTextureMappings:mode:regions:mipLevels:slices:numRegions:]")
	if err := c.mappingMode(mode); err != nil {
		return err
	}
	if err := c.count("number of regions", len(regions)); err != nil {
		return err
	}
	if err := c.same("levels", len(mipLevels), len(regions)); err != nil {
		return err
	}
	if err := c.same("slices", len(slices), len(regions)); err != nil {
		return err
	}
	for i, r := range regions {
		if err := c.tiles(texture, r, mipLevels[i], slices[i], o.device()); err != nil {
			return err
		}
	}
	return tryEncode(o, c, nil, func() error {
		return sendResourceStateCommandEncoderUpdateTextureMappings(o, texture, mode, regions, mipLevels, slices)
	})
}

// UpdateTextureMappingIndirect is UpdateTextureMapping with the regions in a buffer: a 4-byte count
// and as many [MapIndirectArguments], at a multiple of 4. What the GPU reads there cannot be
// checked.
//
//	-[MTLResourceStateCommandEncoder updateTextureMapping:mode:indirectBuffer:
//	    indirectBufferOffset:]
func (o ResourceStateCommandEncoder) UpdateTextureMappingIndirect(texture Texture, mode SparseTextureMappingMode,
	indirectBuffer Buffer, indirectBufferOffset uint) error {
	const c = check("-[MTLResourceStateCommandEncoder updateTextureMapping:mode:indirectBuffer:indirectBufferOffset:]")
	if err := c.mappingMode(mode); err != nil {
		return err
	}
	if err := c.anyTexture(texture, o.device()); err != nil {
		return err
	}
	return tryEncode(o, c, c.indirect("indirect buffer", indirectBuffer, indirectBufferOffset, 4, o.device()),
		func() error {
			return sendResourceStateCommandEncoderUpdateTextureMappingIndirect(o, texture, mode, indirectBuffer,
				indirectBufferOffset)
		})
}

// MoveTextureMappingsFromTexture moves the tiles of a region of a sparse texture to another texture
// of the same format. Regions are in tiles.
//
//	-[MTLResourceStateCommandEncoder moveTextureMappingsFromTexture:sourceSlice:sourceLevel:
//	    sourceOrigin:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:
//	    ]
func (o ResourceStateCommandEncoder) MoveTextureMappingsFromTexture(sourceTexture Texture, sourceSlice,
	sourceLevel uint, sourceOrigin Origin, sourceSize Size, destinationTexture Texture, destinationSlice,
	destinationLevel uint, destinationOrigin Origin) error {
	const c = check("-[MTLResourceStateCommandEncoder moveTextureMappingsFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:]")
	s, t, err := c.pair(sourceTexture, destinationTexture, o.device())
	if err != nil {
		return err
	}
	if err := c.formats(s.textureShape, t.textureShape); err != nil {
		return err
	}
	if err := c.tiles(sourceTexture, Region{sourceOrigin, sourceSize}, sourceLevel, sourceSlice, o.device()); err != nil {
		return side(err, "source texture")
	}
	if err := c.tiles(destinationTexture, Region{destinationOrigin, sourceSize}, destinationLevel, destinationSlice,
		o.device()); err != nil {
		return side(err, "destination texture")
	}
	return tryEncode(o, c, nil, func() error {
		return sendResourceStateCommandEncoderMoveTextureMappingsFromTexture(o, sourceTexture, sourceSlice, sourceLevel,
			sourceOrigin, sourceSize,
			destinationTexture, destinationSlice, destinationLevel, destinationOrigin)
	})
}

// UpdateFence signals a fence when the encoder's commands have completed; other encoders of the
// same queue can wait for it.
//
//	-[MTLResourceStateCommandEncoder updateFence:]
func (o ResourceStateCommandEncoder) UpdateFence(fence Fence) error {
	const c = check("-[MTLResourceStateCommandEncoder updateFence:]")
	return tryEncode(o, c, c.object("fence", fence.ID()),
		func() error { return sendResourceStateCommandEncoderUpdateFence(o, fence) })
}

// WaitForFence makes the encoder's commands wait for a fence that an earlier encoder updates.
//
//	-[MTLResourceStateCommandEncoder waitForFence:]
func (o ResourceStateCommandEncoder) WaitForFence(fence Fence) error {
	const c = check("-[MTLResourceStateCommandEncoder waitForFence:]")
	return tryEncode(o, c, c.object("fence", fence.ID()),
		func() error { return sendResourceStateCommandEncoderWaitForFence(o, fence) })
}

func (c check) mappingMode(mode SparseTextureMappingMode) error {
	return c.atMost("mapping mode", uint64(mode), uint64(SparseTextureMappingModeUnmap), ErrArgument)
}

// tiles checks a region, in tiles, of a sparse texture.
func (c check) tiles(texture Texture, region Region, level, slice uint, d *deviceFacts) error {
	f, err := c.ofTexture("texture", texture, d)
	if err != nil {
		return err
	}
	var tile Size
	objc.Pool(func() {
		tile = texture.Device().SparseTileSizeWithTextureType(f.typ, f.format, f.samples)
	})
	return c.tileRegion(f.textureShape, tile, region, level, slice)
}

// tileRegion checks a region in tiles of a given size. Without a tile size the device has no sparse
// textures of that kind.
func (c check) tileRegion(s textureShape, tile Size, region Region, level, slice uint) error {
	if tile.Width == 0 || tile.Height == 0 || tile.Depth == 0 {
		return c.fail(ErrUnsupported, "sparse textures of type %v and format %v", s.typ, s.format)
	}
	if err := c.place(s, slice, level); err != nil {
		return err
	}
	if err := c.atLeastOne("region in tiles", region.Size, ErrRegion); err != nil {
		return err
	}
	size := s.levelSize(level)
	for _, n := range [3]struct {
		name                 string
		at, size, edge, tile uint
	}{
		{"width", region.Origin.X, region.Size.Width, size.Width, tile.Width},
		{"height", region.Origin.Y, region.Size.Height, size.Height, tile.Height},
		{"depth", region.Origin.Z, region.Size.Depth, size.Depth, tile.Depth},
	} {
		all := (n.edge + n.tile - 1) / n.tile
		if n.at > all || n.size > all-n.at {
			return c.fail(ErrRegion, "%d tiles from %d on, the %s of level %d has %d", n.size, n.at, n.name, level, all)
		}
	}
	return nil
}
