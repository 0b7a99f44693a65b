package mtl

// NewTexture makes a texture, +1. The description is checked first: [ErrLength] for dimensions, levels, samples and array lengths
// out of range, [ErrArgument] for format, type and usage that do not go together, [ErrStorageMode], and [ErrMemory] where the
// device has no memory left.
func (o Device) NewTexture(descriptor TextureDescriptor) (Texture, error) {
	const c = check("-[MTLDevice newTextureWithDescriptor:]")
	if err := c.receiver(&zmethods[mDeviceNewTextureWithDescriptor], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.textureDescriptor(descriptor, o); err != nil {
		return Texture{}, err
	}
	return o.madeTexture(c, o.sendNewTextureWithDescriptor(descriptor))
}

// NewTextureWithIOSurface makes a texture of a plane of an IOSurface, +1; iosurface is the IOSurfaceRef.
func (o Device) NewTextureWithIOSurface(descriptor TextureDescriptor, iosurface uintptr, plane uint) (Texture, error) {
	const c = check("-[MTLDevice newTextureWithDescriptor:iosurface:plane:]")
	if err := c.receiver(&zmethods[mDeviceNewTextureWithDescriptorIOSurface], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.textureDescriptor(descriptor, o); err != nil {
		return Texture{}, err
	}
	if iosurface == 0 {
		return Texture{}, c.fail(ErrNil, "iosurface")
	}
	if typ := descriptor.TextureType(); typ != TextureType2D || descriptor.MipmapLevelCount() != 1 {
		return Texture{}, c.fail(ErrArgument, "texture type %v with %d levels, want %v with one", typ, descriptor.MipmapLevelCount(), TextureType2D)
	}
	return o.madeTexture(c, o.sendNewTextureWithDescriptorIOSurface(descriptor, iosurface, plane))
}

// NewSharedTexture makes a texture that other processes can use through its handle, +1. It must be private.
func (o Device) NewSharedTexture(descriptor TextureDescriptor) (Texture, error) {
	const c = check("-[MTLDevice newSharedTextureWithDescriptor:]")
	if err := c.receiver(&zmethods[mDeviceNewSharedTextureWithDescriptor], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.textureDescriptor(descriptor, o); err != nil {
		return Texture{}, err
	}
	if m := descriptor.StorageMode(); m != StorageModePrivate {
		return Texture{}, c.fail(ErrStorageMode, "storage mode %v, want %v", m, StorageModePrivate)
	}
	return o.madeTexture(c, o.sendNewSharedTextureWithDescriptor(descriptor))
}

// NewSharedTextureWithHandle makes a texture of another process's handle, +1. The device must be the one of the texture.
func (o Device) NewSharedTextureWithHandle(handle SharedTextureHandle) (Texture, error) {
	const c = check("-[MTLDevice newSharedTextureWithHandle:]")
	if err := c.receiver(&zmethods[mDeviceNewSharedTextureWithHandle], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.object("handle", handle.ID()); err != nil {
		return Texture{}, err
	}
	if d := handle.Device(); d.RegistryID() != o.RegistryID() {
		return Texture{}, c.fail(ErrDevice, "the handle is of device %q", d.Name())
	}
	return o.madeTexture(c, o.sendNewSharedTextureWithHandle(handle))
}

// NewSharedTextureHandle returns the handle under which other processes reach a texture that [Device.NewSharedTexture] made, +1. Any
// other texture is an error wrapping [ErrState].
func (o Texture) NewSharedTextureHandle() (SharedTextureHandle, error) {
	const c = check("-[MTLTexture newSharedTextureHandle]")
	if err := c.receiver(&zmethods[mTextureNewSharedTextureHandle], o.ID()); err != nil {
		return SharedTextureHandle{}, err
	}
	if !o.IsShareable() {
		return SharedTextureHandle{}, c.fail(ErrState, "the texture is not shareable")
	}
	h := o.sendNewSharedTextureHandle()
	return h, c.made(h.ID(), ErrState, "nil")
}

// NewTexture makes a texture in a heap of type HeapTypeAutomatic, +1; its storage and cache modes must be the heap's. Errors are those
// of [Device.NewTexture]; too little free memory is [ErrMemory], another type of heap [ErrState].
func (o Heap) NewTexture(descriptor TextureDescriptor) (Texture, error) {
	const c = check("-[MTLHeap newTextureWithDescriptor:]")
	if err := c.receiver(&zmethods[mHeapNewTextureWithDescriptor], o.ID()); err != nil {
		return Texture{}, err
	}
	need, err := o.needForTexture(c, descriptor)
	if err != nil {
		return Texture{}, err
	}
	if o.Type() == HeapTypeSparse { // whose textures get their memory later
		return o.Device().madeTexture(c, o.sendNewTextureWithDescriptor(descriptor))
	}
	if err := c.fits(o.Type(), need, o.sendMaxAvailableSizeWithAlignment(max(need.Align, 1))); err != nil {
		return Texture{}, err
	}
	return o.Device().madeTexture(c, o.sendNewTextureWithDescriptor(descriptor))
}

// NewTextureWithOffset makes a texture at an offset of a heap of type HeapTypePlacement, +1, under the rules of
// [Heap.NewBufferWithOffset].
func (o Heap) NewTextureWithOffset(descriptor TextureDescriptor, offset uint) (Texture, error) {
	const c = check("-[MTLHeap newTextureWithDescriptor:offset:]")
	if err := c.receiver(&zmethods[mHeapNewTextureWithDescriptorOffset], o.ID()); err != nil {
		return Texture{}, err
	}
	need, err := o.needForTexture(c, descriptor)
	if err != nil {
		return Texture{}, err
	}
	if err := c.placed(o.Type(), need, uint64(offset), uint64(o.Size())); err != nil {
		return Texture{}, err
	}
	return o.Device().madeTexture(c, o.sendNewTextureWithDescriptorOffset(descriptor, offset))
}

func (o Heap) needForTexture(c check, descriptor TextureDescriptor) (SizeAndAlign, error) {
	d := o.Device()
	if err := c.textureDescriptor(descriptor, d); err != nil {
		return SizeAndAlign{}, err
	}
	heap := MakeResourceOptions(o.StorageMode(), o.CpuCacheMode(), 0)
	if err := c.heapModes(descriptor.shape().options, heap); err != nil {
		return SizeAndAlign{}, err
	}
	return d.sendHeapTextureSizeAndAlignWithDescriptor(descriptor), nil
}

// textureDescriptor checks a descriptor and what only the device knows of it.
func (c check) textureDescriptor(descriptor TextureDescriptor, d Device) error {
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return err
	}
	s := descriptor.shape()
	if err := c.texture(s, d.traits()); err != nil {
		return err
	}
	if s.typ.multisample() && !d.SupportsTextureSampleCount(s.samples) {
		return c.fail(ErrArgument, "sample count %d, which the device does not have", s.samples)
	}
	return nil
}

// madeTexture turns the nil that Metal answers when memory runs out into an error with the figures.
func (o Device) madeTexture(c check, t Texture) (Texture, error) {
	return t, c.made(t.ID(), ErrMemory, "nil: %d bytes are allocated, %d are recommended at most", o.CurrentAllocatedSize(), o.RecommendedMaxWorkingSetSize())
}

// NewTexture makes a texture of the buffer's memory, +1: a 2D texture of rows of bytesPerRow bytes, or a texture buffer. Offset and bytes
// per row keep to [Device.MinimumLinearTextureAlignment], a texture buffer's offset to [Device.MinimumTextureBufferAlignment];
// storage and cache modes are the buffer's.
func (o Buffer) NewTexture(descriptor TextureDescriptor, offset, bytesPerRow uint) (Texture, error) {
	const c = check("-[MTLBuffer newTextureWithDescriptor:offset:bytesPerRow:]")
	if err := c.receiver(&zmethods[mBufferNewTextureWithDescriptor], o.ID()); err != nil {
		return Texture{}, err
	}
	d := o.Device()
	if err := c.textureDescriptor(descriptor, d); err != nil {
		return Texture{}, err
	}
	s := descriptor.shape()
	if err := c.heapModes(s.options, MakeResourceOptions(o.StorageMode(), o.CpuCacheMode(), 0)); err != nil {
		return Texture{}, err
	}
	if err := c.plainFormat(s.format); err != nil {
		return Texture{}, err
	}
	unit := d.sendMinimumLinearTextureAlignmentForPixelFormat(s.format)
	if s.typ == TextureTypeTextureBuffer {
		unit = d.sendMinimumTextureBufferAlignmentForPixelFormat(s.format)
	}
	if err := c.linearTexture(s, offset, bytesPerRow, o.Length(), unit); err != nil {
		return Texture{}, err
	}
	return d.madeTexture(c, o.sendNewTextureWithDescriptor(descriptor, offset, bytesPerRow))
}

// linearTexture checks the place of a texture in a buffer of length bytes; unit is the device's alignment for the format.
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
