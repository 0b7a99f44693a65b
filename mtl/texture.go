package mtl

import "github.com/puremetal/puremetal/objc"

// NewTexture makes a texture, +1. The description is checked first: [ErrLength] for dimensions,
// levels, samples and array lengths out of range, [ErrArgument] for format, type and usage that do
// not go together, [ErrStorageMode], and [ErrMemory] where the device has no memory left.
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

// NewTextureWithIOSurface makes a texture of a plane of an IOSurface, +1; iosurface is the
// IOSurfaceRef.
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
		return Texture{}, c.fail(ErrArgument, "texture type %v with %d levels, want %v with one", typ,
			descriptor.MipmapLevelCount(), TextureType2D)
	}
	return o.madeTexture(c, o.sendNewTextureWithDescriptorIOSurface(descriptor, iosurface, plane))
}

// NewSharedTexture makes a texture that other processes can use through its handle, +1. It must be
// private.
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

// NewSharedTextureWithHandle makes a texture of another process's handle, +1. The device must be
// the one of the texture.
func (o Device) NewSharedTextureWithHandle(handle SharedTextureHandle) (Texture, error) {
	const c = check("-[MTLDevice newSharedTextureWithHandle:]")
	if err := c.receiver(&zmethods[mDeviceNewSharedTextureWithHandle], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.object("handle", handle.ID()); err != nil {
		return Texture{}, err
	}
	var of uint64
	objc.Pool(func() { of = handle.Device().RegistryID() })
	if own := o.RegistryID(); of != own {
		return Texture{}, c.fail(ErrDevice, "the handle is of the device of registry id %#x, not %#x", of, own)
	}
	return o.madeTexture(c, o.sendNewSharedTextureWithHandle(handle))
}

// NewSharedTextureHandle returns the handle under which other processes reach a texture that
// [Device.NewSharedTexture] made, +1. Any other texture is an error wrapping [ErrState].
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

// NewTexture makes a texture in a heap of type HeapTypeAutomatic, +1; its storage and cache modes
// must be the heap's. Errors are those of [Device.NewTexture]; too little free memory is
// [ErrMemory], another type of heap [ErrState].
func (o Heap) NewTexture(descriptor TextureDescriptor) (Texture, error) {
	const c = check("-[MTLHeap newTextureWithDescriptor:]")
	if err := c.receiver(&zmethods[mHeapNewTextureWithDescriptor], o.ID()); err != nil {
		return Texture{}, err
	}
	need, err := o.needForTexture(c, descriptor)
	if err != nil {
		return Texture{}, err
	}
	if o.Type() != HeapTypeSparse { // whose textures get their memory later
		if err := c.fits(o.Type(), need, o.sendMaxAvailableSizeWithAlignment(max(need.Align, 1))); err != nil {
			return Texture{}, err
		}
	}
	t := o.sendNewTextureWithDescriptor(descriptor)
	if t.IsNil() {
		return Texture{}, c.fail(ErrMemory, "nil: %d of %d bytes are used", o.UsedSize(), o.Size())
	}
	return t, nil
}

// NewTextureWithOffset makes a texture at an offset of a heap of type HeapTypePlacement, +1, under
// the rules of [Heap.NewBufferWithOffset].
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
	t := o.sendNewTextureWithDescriptorOffset(descriptor, offset)
	if t.IsNil() {
		return Texture{}, c.fail(ErrMemory, "nil for %d bytes at %d of %d", need.Size, offset, o.Size())
	}
	return t, nil
}

func (o Heap) needForTexture(c check, descriptor TextureDescriptor) (SizeAndAlign, error) {
	return inPool(func() (SizeAndAlign, error) {
		d := o.Device()
		if err := c.textureDescriptor(descriptor, d); err != nil {
			return SizeAndAlign{}, err
		}
		heap := MakeResourceOptions(o.StorageMode(), o.CpuCacheMode(), 0)
		if err := c.heapModes(descriptor.shape().options, heap); err != nil {
			return SizeAndAlign{}, err
		}
		return d.sendHeapTextureSizeAndAlignWithDescriptor(descriptor), nil
	})
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
	if t.IsNil() {
		return Texture{}, c.fail(ErrMemory, "nil: %d bytes are allocated, %d are recommended at most",
			o.CurrentAllocatedSize(), o.RecommendedMaxWorkingSetSize())
	}
	return t, nil
}
