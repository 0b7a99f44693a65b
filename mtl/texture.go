package mtl

import "github.com/puremetal/puremetal/objc"

// NewTexture creates a texture, +1. Errors: [ErrLength] for dimensions, levels, sample counts and
// array lengths out of range, [ErrArgument] for a format, type and usage that cannot be combined,
// [ErrStorageMode], and [ErrMemory] if the device is out of memory.
//
//	-[MTLDevice newTextureWithDescriptor:]
func (o Device) NewTexture(descriptor TextureDescriptor) (Texture, error) {
	const c = check("-[MTLDevice newTextureWithDescriptor:]")
	if err := c.receiver(&zmethods[mDeviceNewTextureWithDescriptor], o.ID()); err != nil {
		return Texture{}, err
	}
	if err := c.textureDescriptor(descriptor, o); err != nil {
		return Texture{}, err
	}
	return o.madeTexture(c, sendDeviceNewTextureWithDescriptor(o, descriptor))
}

// NewTextureWithIOSurface creates a texture on a plane of an IOSurface, +1; iosurface is the
// IOSurfaceRef.
//
//	-[MTLDevice newTextureWithDescriptor:iosurface:plane:]
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
	return o.madeTexture(c, sendDeviceNewTextureWithDescriptorIOSurface(o, descriptor, iosurface, plane))
}

// NewSharedTexture creates a texture that other processes can use through its handle, +1. It must
// be private.
//
//	-[MTLDevice newSharedTextureWithDescriptor:]
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
	return o.madeTexture(c, sendDeviceNewSharedTextureWithDescriptor(o, descriptor))
}

// NewSharedTextureWithHandle returns the texture behind a handle from another process, +1. The
// device must be the one that the texture belongs to.
//
//	-[MTLDevice newSharedTextureWithHandle:]
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
		return Texture{}, c.fail(ErrDevice, "the handle belongs to the device with registry ID %#x, not to %#x", of, own)
	}
	return o.madeTexture(c, sendDeviceNewSharedTextureWithHandle(o, handle))
}

// NewSharedTextureHandle returns a handle, +1, through which other processes can use a texture made
// by [Device.NewSharedTexture]. Any other texture is an error wrapping [ErrState].
//
//	-[MTLTexture newSharedTextureHandle]
func (o Texture) NewSharedTextureHandle() (SharedTextureHandle, error) {
	const c = check("-[MTLTexture newSharedTextureHandle]")
	if err := c.receiver(&zmethods[mTextureNewSharedTextureHandle], o.ID()); err != nil {
		return SharedTextureHandle{}, err
	}
	if !o.IsShareable() {
		return SharedTextureHandle{}, c.fail(ErrState, "the texture is not shareable")
	}
	h := sendTextureNewSharedTextureHandle(o)
	return h, c.made(h.ID(), ErrState, "nil")
}

// NewTexture creates a texture in a heap of type HeapTypeAutomatic, +1. Its storage and cache modes
// must be the heap's. Errors are those of [Device.NewTexture], [ErrMemory] if the heap has not
// enough free memory, and [ErrState] for another type of heap.
//
//	-[MTLHeap newTextureWithDescriptor:]
func (o Heap) NewTexture(descriptor TextureDescriptor) (Texture, error) {
	const c = check("-[MTLHeap newTextureWithDescriptor:]")
	if err := c.receiver(&zmethods[mHeapNewTextureWithDescriptor], o.ID()); err != nil {
		return Texture{}, err
	}
	need, err := o.needForTexture(c, descriptor)
	if err != nil {
		return Texture{}, err
	}
	if o.Type() != HeapTypeSparse { // textures of sparse heaps get their memory later
		if err := c.fits(o.Type(), need, sendHeapMaxAvailableSizeWithAlignment(o, max(need.Align, 1))); err != nil {
			return Texture{}, err
		}
	}
	t := sendHeapNewTextureWithDescriptor(o, descriptor)
	if t.IsNil() {
		return Texture{}, c.fail(ErrMemory, "Metal returned nil: %d of the heap's %d bytes are in use", o.UsedSize(),
			o.Size())
	}
	return t, nil
}

// NewTextureWithOffset creates a texture at an offset in a heap of type HeapTypePlacement, +1,
// under the rules of [Heap.NewBufferWithOffset].
//
//	-[MTLHeap newTextureWithDescriptor:offset:]
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
	t := sendHeapNewTextureWithDescriptorOffset(o, descriptor, offset)
	if t.IsNil() {
		return Texture{}, o.noMemoryAt(c, need.Size, offset)
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
		return sendDeviceHeapTextureSizeAndAlignWithDescriptor(d, descriptor), nil
	})
}

// textureDescriptor checks a descriptor, including what depends on the device.
func (c check) textureDescriptor(descriptor TextureDescriptor, d Device) error {
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return err
	}
	s := descriptor.shape()
	if err := c.texture(s, d.traits()); err != nil {
		return err
	}
	if s.typ.multisample() && !d.SupportsTextureSampleCount(s.samples) {
		return c.fail(ErrArgument, "sample count %d is not supported by the device", s.samples)
	}
	return nil
}

// madeTexture turns the nil that Metal returns when memory runs out into an error with the figures.
func (o Device) madeTexture(c check, t Texture) (Texture, error) {
	if t.IsNil() {
		return Texture{}, c.fail(ErrMemory, "Metal returned nil: %d bytes are allocated, the recommended maximum is %d",
			o.CurrentAllocatedSize(), o.RecommendedMaxWorkingSetSize())
	}
	return t, nil
}
