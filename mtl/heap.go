package mtl

import "math/bits"

// NewHeap creates a heap, +1. Errors: [ErrLength] for a size of zero, [ErrArgument] for an unknown
// type, [ErrStorageMode] for managed and memoryless heaps, which do not exist, and for sparse heaps
// that are not private, [ErrMemory] if the device does not have enough memory.
//
//	-[MTLDevice newHeapWithDescriptor:]
func (o Device) NewHeap(descriptor HeapDescriptor) (Heap, error) {
	const c = check("-[MTLDevice newHeapWithDescriptor:]")
	if err := c.receiver(&zmethods[mDeviceNewHeapWithDescriptor], o.ID()); err != nil {
		return Heap{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return Heap{}, err
	}
	options := MakeResourceOptions(descriptor.StorageMode(), descriptor.CpuCacheMode(), descriptor.HazardTrackingMode())
	if err := c.heap(uint64(descriptor.Size()), descriptor.Type(), options, o.traits()); err != nil {
		return Heap{}, err
	}
	h := sendDeviceNewHeapWithDescriptor(o, descriptor)
	if h.IsNil() {
		return Heap{}, o.noMemory(c, descriptor.Size())
	}
	return h, nil
}

// heap checks the description of a heap.
func (c check) heap(size uint64, typ HeapType, options ResourceOptions, tr traits) error {
	if err := c.atLeast("size in bytes", size, 1, ErrLength); err != nil {
		return err
	}
	if typ < HeapTypeAutomatic || typ > HeapTypeSparse {
		return c.fail(ErrArgument, "type %v", typ)
	}
	if err := c.options(options, tr); err != nil {
		return err
	}
	switch m := options.StorageMode(); {
	case m == StorageModeManaged, m == StorageModeMemoryless:
		return c.fail(ErrStorageMode, "storage mode %v: heaps must be %v or %v", m, StorageModeShared, StorageModePrivate)
	case m == StorageModeShared && !tr.unified:
		return c.fail(ErrStorageMode, "storage mode %v: the device has its own memory, so heaps must be %v", m,
			StorageModePrivate)
	case m != StorageModePrivate && typ == HeapTypeSparse:
		return c.fail(ErrStorageMode, "storage mode %v: sparse heaps must be %v", m, StorageModePrivate)
	}
	return nil
}

// HeapBufferSizeAndAlign returns the size that a buffer takes in a heap and the alignment of its
// offset.
//
//	-[MTLDevice heapBufferSizeAndAlignWithLength:options:]
func (o Device) HeapBufferSizeAndAlign(length uint, options ResourceOptions) (SizeAndAlign, error) {
	const c = check("-[MTLDevice heapBufferSizeAndAlignWithLength:options:]")
	if err := c.receiver(&zmethods[mDeviceHeapBufferSizeAndAlignWithLength], o.ID()); err != nil {
		return SizeAndAlign{}, err
	}
	if err := c.buffer(uint64(length), options, uint64(o.MaxBufferLength()), o.traits()); err != nil {
		return SizeAndAlign{}, err
	}
	return sendDeviceHeapBufferSizeAndAlignWithLength(o, length, options), nil
}

// HeapTextureSizeAndAlign returns the size that a texture takes in a heap and the alignment of its
// offset.
//
//	-[MTLDevice heapTextureSizeAndAlignWithDescriptor:]
func (o Device) HeapTextureSizeAndAlign(descriptor TextureDescriptor) (SizeAndAlign, error) {
	const c = check("-[MTLDevice heapTextureSizeAndAlignWithDescriptor:]")
	if err := c.receiver(&zmethods[mDeviceHeapTextureSizeAndAlignWithDescriptor], o.ID()); err != nil {
		return SizeAndAlign{}, err
	}
	if err := c.textureDescriptor(descriptor, o); err != nil {
		return SizeAndAlign{}, err
	}
	return sendDeviceHeapTextureSizeAndAlignWithDescriptor(o, descriptor), nil
}

// MaxAvailableSize returns the size of the largest resource with a given alignment that still fits
// in the heap. The alignment must be a power of two, or the error wraps [ErrAlignment].
//
//	-[MTLHeap maxAvailableSizeWithAlignment:]
func (o Heap) MaxAvailableSize(alignment uint) (uint, error) {
	const c = check("-[MTLHeap maxAvailableSizeWithAlignment:]")
	if err := c.receiver(&zmethods[mHeapMaxAvailableSizeWithAlignment], o.ID()); err != nil {
		return 0, err
	}
	if bits.OnesCount(alignment) != 1 {
		return 0, c.fail(ErrAlignment, "alignment %d is not a power of two", alignment)
	}
	return sendHeapMaxAvailableSizeWithAlignment(o, alignment), nil
}

// NewBuffer creates a buffer in a heap of type HeapTypeAutomatic, +1. Its storage and cache modes
// must be the heap's. Errors are those of [Device.NewBuffer], [ErrMemory] if the heap has not
// enough free memory, and [ErrState] for another type of heap.
//
//	-[MTLHeap newBufferWithLength:options:]
func (o Heap) NewBuffer(length uint, options ResourceOptions) (Buffer, error) {
	const c = check("-[MTLHeap newBufferWithLength:options:]")
	if err := c.receiver(&zmethods[mHeapNewBufferWithLength], o.ID()); err != nil {
		return Buffer{}, err
	}
	need, err := o.needForBuffer(c, length, options)
	if err != nil {
		return Buffer{}, err
	}
	if err := c.fits(o.Type(), need, sendHeapMaxAvailableSizeWithAlignment(o, max(need.Align, 1))); err != nil {
		return Buffer{}, err
	}
	b := sendHeapNewBufferWithLength(o, length, options)
	if b.IsNil() {
		return Buffer{}, o.noMemory(c, length)
	}
	return b, nil
}

// NewBufferWithOffset creates a buffer at an offset in a heap of type HeapTypePlacement, +1. The
// offset must have the alignment that [Device.HeapBufferSizeAndAlign] returns, and the buffer must
// end within the heap; the errors are [ErrAlignment], [ErrOffset] and [ErrLength].
//
//	-[MTLHeap newBufferWithLength:options:offset:]
func (o Heap) NewBufferWithOffset(length uint, options ResourceOptions, offset uint) (Buffer, error) {
	const c = check("-[MTLHeap newBufferWithLength:options:offset:]")
	if err := c.receiver(&zmethods[mHeapNewBufferWithLengthOffset], o.ID()); err != nil {
		return Buffer{}, err
	}
	need, err := o.needForBuffer(c, length, options)
	if err != nil {
		return Buffer{}, err
	}
	if err := c.placed(o.Type(), need, uint64(offset), uint64(o.Size())); err != nil {
		return Buffer{}, err
	}
	b := sendHeapNewBufferWithLengthOffset(o, length, options, offset)
	if b.IsNil() {
		return Buffer{}, o.noMemoryAt(c, length, offset)
	}
	return b, nil
}

// noMemory is the error for a resource of size bytes that the heap could not create.
func (o Heap) noMemory(c check, size uint) error {
	return c.fail(ErrMemory, "Metal returned nil for %d bytes: %d of the heap's %d are in use", size, o.UsedSize(),
		o.Size())
}

// noMemoryAt is noMemory for a resource at an offset.
func (o Heap) noMemoryAt(c check, size, offset uint) error {
	return c.fail(ErrMemory, "Metal returned nil for %d bytes at offset %d of a heap of %d", size, offset, o.Size())
}

// needForBuffer checks the description of a buffer against the heap and returns the size and
// alignment that it needs.
func (o Heap) needForBuffer(c check, length uint, options ResourceOptions) (SizeAndAlign, error) {
	return inPool(func() (SizeAndAlign, error) {
		d := o.Device()
		if err := c.buffer(uint64(length), options, uint64(d.MaxBufferLength()), d.traits()); err != nil {
			return SizeAndAlign{}, err
		}
		if err := c.heapModes(options, MakeResourceOptions(o.StorageMode(), o.CpuCacheMode(), 0)); err != nil {
			return SizeAndAlign{}, err
		}
		return sendDeviceHeapBufferSizeAndAlignWithLength(d, length, options), nil
	})
}

// heapModes checks that a resource has the modes of its heap.
func (c check) heapModes(options, heap ResourceOptions) error {
	if options.StorageMode() != heap.StorageMode() {
		return c.fail(ErrStorageMode, "storage mode %v, the heap's is %v", options.StorageMode(), heap.StorageMode())
	}
	if options.CPUCacheMode() != heap.CPUCacheMode() {
		return c.fail(ErrArgument, "cpu cache mode %v, the heap's is %v", options.CPUCacheMode(), heap.CPUCacheMode())
	}
	return nil
}

// fits checks that the heap chooses offsets itself and has room for a resource.
func (c check) fits(typ HeapType, need SizeAndAlign, free uint) error {
	if typ != HeapTypeAutomatic {
		return c.fail(ErrState, "the heap is a %v, want %v", typ, HeapTypeAutomatic)
	}
	return c.atMost("size in bytes, of what is free in the heap,", uint64(need.Size), uint64(free), ErrMemory)
}

// placed checks that the caller chooses offsets in the heap, and that the given one is valid.
func (c check) placed(typ HeapType, need SizeAndAlign, offset, size uint64) error {
	if typ != HeapTypePlacement {
		return c.fail(ErrState, "the heap is a %v, want %v", typ, HeapTypePlacement)
	}
	if err := c.multipleOf("offset in bytes", offset, uint64(need.Align)); err != nil {
		return err
	}
	return c.within("heap", offset, uint64(need.Size), size)
}
