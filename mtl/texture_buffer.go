package mtl

// NewTexture creates a texture on the buffer's memory, +1: a 2D texture with rows of bytesPerRow
// bytes, or a texture buffer. A 2D texture's offset and bytes per row must have the alignment that
// [Device.MinimumLinearTextureAlignment] returns, a texture buffer's offset that of
// [Device.MinimumTextureBufferAlignment]. Storage and cache modes must be the buffer's.
//
//	-[MTLBuffer newTextureWithDescriptor:offset:bytesPerRow:]
func (o Buffer) NewTexture(descriptor TextureDescriptor, offset, bytesPerRow uint) (Texture, error) {
	const c = check("-[MTLBuffer newTextureWithDescriptor:offset:bytesPerRow:]")
	if err := c.receiver(&zmethods[mBufferNewTextureWithDescriptor], o.ID()); err != nil {
		return Texture{}, err
	}
	return inPool(func() (Texture, error) { return o.newTexture(c, descriptor, offset, bytesPerRow) })
}

func (o Buffer) newTexture(c check, descriptor TextureDescriptor, offset, bytesPerRow uint) (Texture, error) {
	d := o.Device()
	if err := c.textureDescriptor(descriptor, d); err != nil {
		return Texture{}, err
	}
	if err := c.notRemote("buffer", remoteFact(o.Resource)); err != nil {
		return Texture{}, err
	}
	s := descriptor.shape()
	if err := c.heapModes(s.options, MakeResourceOptions(o.StorageMode(), o.CpuCacheMode(), 0)); err != nil {
		return Texture{}, err
	}
	if err := c.plainFormat(s.format); err != nil {
		return Texture{}, err
	}
	unit := sendDeviceMinimumLinearTextureAlignmentForPixelFormat(d, s.format)
	if s.typ == TextureTypeTextureBuffer {
		unit = sendDeviceMinimumTextureBufferAlignmentForPixelFormat(d, s.format)
	}
	if err := c.linearTexture(s, offset, bytesPerRow, o.Length(), unit); err != nil {
		return Texture{}, err
	}
	return d.madeTexture(c, sendBufferNewTextureWithDescriptor(o, descriptor, offset, bytesPerRow))
}

// linearTexture checks the position of a texture in a buffer of length bytes; unit is the device's
// alignment for the format.
func (c check) linearTexture(s textureShape, offset, bytesPerRow, length, unit uint) error {
	if s.typ != TextureType2D && s.typ != TextureTypeTextureBuffer {
		return c.fail(ErrArgument, "texture type %v, want %v or %v", s.typ, TextureType2D, TextureTypeTextureBuffer)
	}
	if s.levels != 1 {
		return c.fail(ErrArgument, "%d mipmap levels, want 1", s.levels)
	}
	if err := c.multipleOf("offset in bytes", uint64(offset), uint64(unit)); err != nil {
		return err
	}
	if s.typ == TextureType2D {
		if err := c.multipleOf("bytes per row", uint64(bytesPerRow), uint64(unit)); err != nil {
			return err
		}
	}
	row := uint64(s.width) * s.format.block().bytes
	if err := c.atLeast("bytes per row", uint64(bytesPerRow), row, ErrLength); err != nil {
		return err
	}
	return c.within("texture", uint64(offset), mulSat(uint64(bytesPerRow), uint64(s.height)), uint64(length))
}
