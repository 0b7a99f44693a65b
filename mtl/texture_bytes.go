package mtl

import "math/bits"

// GetBytes copies a region of one level of a texture, which must not be an array or a cube, into
// pixels, with rows bytesPerRow apart. The CPU must be able to access the texture: a private one is
// an error wrapping [ErrStorageMode]. A region that is empty or beyond the level's edge is
// [ErrRegion]; a slice or row that is too short is [ErrLength].
//
//	-[MTLTexture getBytes:bytesPerRow:fromRegion:mipmapLevel:]
func (o Texture) GetBytes(pixels []byte, bytesPerRow uint, region Region, level uint) error {
	const c = check("-[MTLTexture getBytes:bytesPerRow:fromRegion:mipmapLevel:]")
	if err := c.receiver(&zmethods[mTextureGetBytes], o.ID()); err != nil {
		return err
	}
	if err := c.texels(o.shape(), region, level, 0, pixelRows{uint64(len(pixels)), uint64(bytesPerRow), 0}); err != nil {
		return err
	}
	sendTextureGetBytes(o, pixels, bytesPerRow, region, level)
	return nil
}

// GetBytesSlice is GetBytes for a slice of an array or cube texture, and for 3D textures, whose
// images are bytesPerImage apart.
//
//	-[MTLTexture getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:]
func (o Texture) GetBytesSlice(pixels []byte, bytesPerRow, bytesPerImage uint, region Region, level, slice uint) error {
	const c = check("-[MTLTexture getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:]")
	if err := c.receiver(&zmethods[mTextureGetBytesBytesPerImage], o.ID()); err != nil {
		return err
	}
	if err := c.texels(o.shape(), region, level, slice,
		pixelRows{uint64(len(pixels)), uint64(bytesPerRow), uint64(bytesPerImage)}); err != nil {
		return err
	}
	sendTextureGetBytesBytesPerImage(o, pixels, bytesPerRow, bytesPerImage, region, level, slice)
	return nil
}

// ReplaceRegion copies pixels, with rows bytesPerRow apart, into a region of one level of a
// texture, which must not be an array or a cube. Errors are those of [Texture.GetBytes]. The GPU
// must not be using the texture at the same time.
//
//	-[MTLTexture replaceRegion:mipmapLevel:withBytes:bytesPerRow:]
func (o Texture) ReplaceRegion(region Region, level uint, pixels []byte, bytesPerRow uint) error {
	const c = check("-[MTLTexture replaceRegion:mipmapLevel:withBytes:bytesPerRow:]")
	if err := c.receiver(&zmethods[mTextureReplaceRegion], o.ID()); err != nil {
		return err
	}
	if err := c.texels(o.shape(), region, level, 0, pixelRows{uint64(len(pixels)), uint64(bytesPerRow), 0}); err != nil {
		return err
	}
	sendTextureReplaceRegion(o, region, level, pixels, bytesPerRow)
	return nil
}

// ReplaceRegionSlice is ReplaceRegion for a slice of an array or cube texture, and for 3D textures,
// whose images are bytesPerImage apart.
//
//	-[MTLTexture replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:]
func (o Texture) ReplaceRegionSlice(region Region, level, slice uint, pixels []byte, bytesPerRow,
	bytesPerImage uint) error {
	const c = check("-[MTLTexture replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:]")
	if err := c.receiver(&zmethods[mTextureReplaceRegionSlice], o.ID()); err != nil {
		return err
	}
	if err := c.texels(o.shape(), region, level, slice,
		pixelRows{uint64(len(pixels)), uint64(bytesPerRow), uint64(bytesPerImage)}); err != nil {
		return err
	}
	sendTextureReplaceRegionSlice(o, region, level, slice, pixels, bytesPerRow, bytesPerImage)
	return nil
}

// pixelRows is the layout of pixels in memory.
type pixelRows struct {
	length, bytesPerRow, bytesPerImage uint64
}

// texels checks a copy between memory and a region of a texture.
func (c check) texels(s textureShape, region Region, level, slice uint, rows pixelRows) error {
	if m := s.options.StorageMode(); m != StorageModeShared && m != StorageModeManaged {
		return c.fail(ErrStorageMode, "storage mode %v: the CPU cannot access the texture", m)
	}
	if err := c.region(s, region, level, slice); err != nil {
		return err
	}
	return c.rows(s, region, level, rows)
}

// region checks that a region is within a level of a slice of a texture, and aligned to the
// format's blocks.
func (c check) region(s textureShape, region Region, level, slice uint) error {
	if level >= s.levels {
		return c.fail(ErrIndex, "mipmap level %d, there are %d", level, s.levels)
	}
	if slice >= s.slices() {
		return c.fail(ErrIndex, "slice %d, there are %d", slice, s.slices())
	}
	size, b := s.levelSize(level), s.format.block()
	for _, d := range [...]struct {
		what                       string
		origin, length, all, block uint64
	}{
		{"x", uint64(region.Origin.X), uint64(region.Size.Width), uint64(size.Width), b.width},
		{"y", uint64(region.Origin.Y), uint64(region.Size.Height), uint64(size.Height), b.height},
		{"z", uint64(region.Origin.Z), uint64(region.Size.Depth), uint64(size.Depth), 1},
	} {
		if d.length == 0 || d.origin > d.all || d.length > d.all-d.origin {
			return c.fail(ErrRegion, "%d pixels from %s %d on, level %d has %d", d.length, d.what, d.origin, level, d.all)
		}
		if d.block > 1 && (d.origin%d.block != 0 || d.length%d.block != 0 && d.origin+d.length != d.all) {
			return c.fail(ErrAlignment, "%d pixels from %s %d on, %v has blocks of %d", d.length, d.what, d.origin, s.format,
				d.block)
		}
	}
	if b.kind == pixelPVRTC && (region.Origin != Origin{} || region.Size != size) {
		return c.fail(ErrRegion, "part of a level; %v allows only whole levels", s.format)
	}
	return nil
}

// rows checks that the memory is large enough for a region.
func (c check) rows(s textureShape, region Region, level uint, r pixelRows) error {
	b := s.format.block()
	if b.bytes == 0 {
		return c.fail(ErrArgument, "pixel format %v", s.format)
	}
	blocks := func(n uint, block uint64) uint64 { return (uint64(n) + block - 1) / block }
	row := blocks(region.Size.Width, b.width) * b.bytes
	count := blocks(region.Size.Height, b.height)
	if b.kind == pixelPVRTC {
		if r.bytesPerRow != 0 || r.bytesPerImage != 0 {
			return c.fail(ErrLength, "%d bytes per row, want 0 for %v", r.bytesPerRow, s.format)
		}
		return c.atLeast("length of the pixels in bytes", r.length, row*count, ErrLength)
	}
	if err := c.multipleOf("bytes per row", r.bytesPerRow, b.bytes); err != nil {
		return err
	}
	if err := c.atLeast("bytes per row", r.bytesPerRow, row, ErrLength); err != nil {
		return err
	}
	need := addSat(mulSat(r.bytesPerRow, count-1), row)
	if depth := uint64(region.Size.Depth); depth > 1 {
		if err := c.multipleOf("bytes per image", r.bytesPerImage, b.bytes); err != nil {
			return err
		}
		if err := c.atLeast("bytes per image", r.bytesPerImage, mulSat(r.bytesPerRow, count), ErrLength); err != nil {
			return err
		}
		need = addSat(mulSat(r.bytesPerImage, depth-1), need)
	}
	return c.atLeast("length of the pixels in bytes", r.length, need, ErrLength)
}

// mulSat returns a*b, or the largest uint64 on overflow.
func mulSat(a, b uint64) uint64 {
	if hi, lo := bits.Mul64(a, b); hi == 0 {
		return lo
	}
	return ^uint64(0)
}

// addSat returns a+b, or the largest uint64 on overflow.
func addSat(a, b uint64) uint64 {
	if sum, carry := bits.Add64(a, b, 0); carry == 0 {
		return sum
	}
	return ^uint64(0)
}
