package mtl

// NewView creates a view of the whole texture in another pixel format, +1. The pixels of both
// formats must have the same size, or the error wraps [ErrArgument]. If the formats differ in more
// than sRGB, the texture needs the usage TextureUsagePixelFormatView.
//
//	-[MTLTexture newTextureViewWithPixelFormat:]
func (o Texture) NewView(format PixelFormat) (Texture, error) {
	const c = check("-[MTLTexture newTextureViewWithPixelFormat:]")
	if err := c.receiver(&zmethods[mTextureNewTextureViewWithPixelFormat], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.viewFormat(o.shape(), format); err != nil {
		return Texture{}, err
	}
	return o.madeView(c, sendTextureNewTextureViewWithPixelFormat(o, format))
}

// NewViewOf creates a view of some levels and slices of the texture, as another type, +1. Levels or
// slices that the texture does not have are an error wrapping [ErrIndex], types that cannot be
// combined one wrapping [ErrArgument].
//
//	-[MTLTexture newTextureViewWithPixelFormat:textureType:levels:slices:]
func (o Texture) NewViewOf(format PixelFormat, typ TextureType, levels, slices Range) (Texture, error) {
	const c = check("-[MTLTexture newTextureViewWithPixelFormat:textureType:levels:slices:]")
	if err := c.receiver(&zmethods[mTextureNewTextureViewWithPixelFormatTextureType], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.view(o.shape(), format, typ, levels, slices); err != nil {
		return Texture{}, err
	}
	return o.madeView(c, sendTextureNewTextureViewWithPixelFormatTextureType(o, format, typ, levels, slices))
}

// NewViewWithSwizzle is NewViewOf with the channels rearranged.
//
//	-[MTLTexture newTextureViewWithPixelFormat:textureType:levels:slices:swizzle:]
func (o Texture) NewViewWithSwizzle(format PixelFormat, typ TextureType, levels, slices Range,
	swizzle TextureSwizzleChannels) (Texture, error) {
	const c = check("-[MTLTexture newTextureViewWithPixelFormat:textureType:levels:slices:swizzle:]")
	if err := c.receiver(&zmethods[mTextureNewTextureViewWithPixelFormatSwizzle], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.view(o.shape(), format, typ, levels, slices); err != nil {
		return Texture{}, err
	}
	if err := c.swizzle(swizzle); err != nil {
		return Texture{}, err
	}
	return o.madeView(c, sendTextureNewTextureViewWithPixelFormatSwizzle(o, format, typ, levels, slices, swizzle))
}

// NewViewWithDescriptor is NewViewWithSwizzle with its arguments in a descriptor.
//
//	-[MTLTexture newTextureViewWithDescriptor:]
func (o Texture) NewViewWithDescriptor(descriptor TextureViewDescriptor) (Texture, error) {
	const c = check("-[MTLTexture newTextureViewWithDescriptor:]")
	if err := c.receiver(&zmethods[mTextureNewTextureViewWithDescriptor], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.view(o.shape(), descriptor.PixelFormat(), descriptor.TextureType(), descriptor.LevelRange(),
		descriptor.SliceRange()); err != nil {
		return Texture{}, err
	}
	t, err := sendTextureNewTextureViewWithDescriptor(o, descriptor)
	if err != nil {
		return Texture{}, err
	}
	return o.madeView(c, t)
}

// NewRemoteTextureView creates a view of a private texture for another device of the same peer
// group, +1. Errors are those of [Buffer.NewRemoteBufferView].
//
//	-[MTLTexture newRemoteTextureViewForDevice:]
func (o Texture) NewRemoteTextureView(device Device) (Texture, error) {
	const c = check("-[MTLTexture newRemoteTextureViewForDevice:]")
	if err := c.receiver(&zmethods[mTextureNewRemoteTextureViewForDevice], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.remoteView(o.Resource, device); err != nil {
		return Texture{}, err
	}
	return o.madeView(c, sendTextureNewRemoteTextureViewForDevice(o, device))
}

func (o Texture) madeView(c check, t Texture) (Texture, error) {
	if t.IsNil() {
		return Texture{}, c.fail(ErrArgument, "Metal returned nil for a view of a %v of %v", o.TextureType(), o.PixelFormat())
	}
	return t, nil
}

// viewFormat checks that a view's pixels have the size of the texture's.
func (c check) viewFormat(s textureShape, format PixelFormat) error {
	own, view := s.format.block(), format.block()
	switch {
	case view.kind == pixelNone:
		return c.fail(ErrArgument, "pixel format %v", format)
	case format == s.format:
	case own != view:
		return c.fail(ErrArgument, "pixel format %v as %v: blocks of %d and %d bytes", s.format, format, own.bytes,
			view.bytes)
	case s.format.linear() != format.linear() && s.usage != TextureUsageUnknown &&
		s.usage&TextureUsagePixelFormatView == 0:
		return c.fail(ErrArgument, "pixel format %v as %v: usage %v, want %v too", s.format, format, s.usage,
			TextureUsagePixelFormatView)
	}
	return nil
}

// view checks that a texture has what a view of it needs.
func (c check) view(s textureShape, format PixelFormat, typ TextureType, levels, slices Range) error {
	if err := c.viewFormat(s, format); err != nil {
		return err
	}
	if typ > TextureTypeTextureBuffer || typ.dimensions() != s.typ.dimensions() ||
		typ.multisample() != s.typ.multisample() ||
		(typ == TextureTypeTextureBuffer) != (s.typ == TextureTypeTextureBuffer) {
		return c.fail(ErrArgument, "texture type %v as %v", s.typ, typ)
	}
	if typ.cube() && s.width != s.height {
		return c.fail(ErrArgument, "texture type %v of %d by %d pixels, want a square", typ, s.width, s.height)
	}
	if err := c.part("levels", levels, s.levels); err != nil {
		return err
	}
	if err := c.part("slices", slices, s.slices()); err != nil {
		return err
	}
	n := slices.Length
	switch {
	case typ == TextureTypeCube && n != 6, typ == TextureTypeCubeArray && n%6 != 0, !typ.cube() && !typ.array() && n != 1:
		return c.fail(ErrArgument, "%d slices as %v", n, typ)
	}
	return nil
}

// part checks that a range is not empty and is within count elements.
func (c check) part(what string, r Range, count uint) error {
	if r.Length == 0 || r.Location > count || r.Length > count-r.Location {
		return c.fail(ErrIndex, "%d %s from %d on, there are %d", r.Length, what, r.Location, count)
	}
	return nil
}

func (c check) swizzle(s TextureSwizzleChannels) error {
	for _, v := range [...]TextureSwizzle{s.Red, s.Green, s.Blue, s.Alpha} {
		if v > TextureSwizzleAlpha {
			return c.fail(ErrArgument, "swizzle %v", v)
		}
	}
	return nil
}
