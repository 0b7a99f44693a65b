package mtl

import "github.com/puremetal/puremetal/objc"

// NewAccelerationStructure makes an acceleration structure in a heap of type HeapTypeAutomatic, +1,
// under the rules of [Heap.NewBuffer]. The heap must be private and its device must trace rays, or
// the error wraps [ErrStorageMode] or [ErrDevice].
func (o Heap) NewAccelerationStructure(size uint) (AccelerationStructure, error) {
	const c = check("-[MTLHeap newAccelerationStructureWithSize:]")
	if err := c.receiver(&zmethods[mHeapNewAccelerationStructureWithSize], o.ID()); err != nil {
		return AccelerationStructure{}, err
	}
	need, err := o.needForStructure(c, size)
	if err != nil {
		return AccelerationStructure{}, err
	}
	if err := c.fits(o.Type(), need, o.sendMaxAvailableSizeWithAlignment(max(need.Align, 1))); err != nil {
		return AccelerationStructure{}, err
	}
	a := o.sendNewAccelerationStructureWithSize(size)
	if a.IsNil() {
		return AccelerationStructure{}, c.fail(ErrMemory, "nil for %d bytes: %d of %d are used", size, o.UsedSize(), o.Size())
	}
	return a, nil
}

// NewAccelerationStructureWithDescriptor is NewAccelerationStructure for the structure that a
// descriptor describes.
func (o Heap) NewAccelerationStructureWithDescriptor(descriptor AccelerationStructureDescriptor) (AccelerationStructure,
	error) {
	const c = check("-[MTLHeap newAccelerationStructureWithDescriptor:]")
	if err := c.receiver(&zmethods[mHeapNewAccelerationStructureWithDescriptor], o.ID()); err != nil {
		return AccelerationStructure{}, err
	}
	need, err := o.needForDescribed(c, descriptor)
	if err != nil {
		return AccelerationStructure{}, err
	}
	if err := c.fits(o.Type(), need, o.sendMaxAvailableSizeWithAlignment(max(need.Align, 1))); err != nil {
		return AccelerationStructure{}, err
	}
	a := o.sendNewAccelerationStructureWithDescriptor(descriptor)
	if a.IsNil() {
		return AccelerationStructure{},
			c.fail(ErrMemory, "nil for %d bytes: %d of %d are used", need.Size, o.UsedSize(), o.Size())
	}
	return a, nil
}

// NewAccelerationStructureWithOffset makes an acceleration structure at an offset of a heap of type
// HeapTypePlacement, +1, under the rules of [Heap.NewBufferWithOffset].
func (o Heap) NewAccelerationStructureWithOffset(size, offset uint) (AccelerationStructure, error) {
	const c = check("-[MTLHeap newAccelerationStructureWithSize:offset:]")
	if err := c.receiver(&zmethods[mHeapNewAccelerationStructureWithSizeOffset], o.ID()); err != nil {
		return AccelerationStructure{}, err
	}
	need, err := o.needForStructure(c, size)
	if err != nil {
		return AccelerationStructure{}, err
	}
	if err := c.placed(o.Type(), need, uint64(offset), uint64(o.Size())); err != nil {
		return AccelerationStructure{}, err
	}
	a := o.sendNewAccelerationStructureWithSizeOffset(size, offset)
	if a.IsNil() {
		return AccelerationStructure{}, c.fail(ErrMemory, "nil for %d bytes at %d of %d", size, offset, o.Size())
	}
	return a, nil
}

// NewAccelerationStructureWithDescriptorOffset is NewAccelerationStructureWithOffset for the
// structure that a descriptor describes.
func (o Heap) NewAccelerationStructureWithDescriptorOffset(descriptor AccelerationStructureDescriptor,
	offset uint) (AccelerationStructure, error) {
	const c = check("-[MTLHeap newAccelerationStructureWithDescriptor:offset:]")
	if err := c.receiver(&zmethods[mHeapNewAccelerationStructureWithDescriptorOffset], o.ID()); err != nil {
		return AccelerationStructure{}, err
	}
	need, err := o.needForDescribed(c, descriptor)
	if err != nil {
		return AccelerationStructure{}, err
	}
	if err := c.placed(o.Type(), need, uint64(offset), uint64(o.Size())); err != nil {
		return AccelerationStructure{}, err
	}
	a := o.sendNewAccelerationStructureWithDescriptorOffset(descriptor, offset)
	if a.IsNil() {
		return AccelerationStructure{}, c.fail(ErrMemory, "nil for %d bytes at %d of %d", need.Size, offset, o.Size())
	}
	return a, nil
}

// needForStructure returns the room that a structure of size bytes needs in the heap, and whether
// the heap can hold one at all.
func (o Heap) needForStructure(c check, size uint) (SizeAndAlign, error) {
	if err := c.atLeast("size in bytes", uint64(size), 1, ErrLength); err != nil {
		return SizeAndAlign{}, err
	}
	return o.structureNeed(c, mDeviceHeapAccelerationStructureSizeAndAlignWithSize, uintptr(size))
}

// needForDescribed is needForStructure for a descriptor.
func (o Heap) needForDescribed(c check, descriptor AccelerationStructureDescriptor) (SizeAndAlign, error) {
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return SizeAndAlign{}, err
	}
	return o.structureNeed(c, mDeviceHeapAccelerationStructureSizeAndAlignWithDescriptor, descriptor.Word())
}

// structureNeed asks the heap's device, by a method of one word, for the room that a structure
// needs.
func (o Heap) structureNeed(c check, method int, argument uintptr) (SizeAndAlign, error) {
	return inPool(func() (SizeAndAlign, error) {
		d := o.Device()
		if err := c.rays(d.SupportsRaytracing(), o.StorageMode()); err != nil {
			return SizeAndAlign{}, err
		}
		var ret [2]uintptr
		zmethods[method].CallRet(ret[:], d.ID(), argument)
		return objc.Unpack[SizeAndAlign](ret[:]...), nil
	})
}

// rays checks that a device traces rays and that a heap has the storage mode of its structures.
func (c check) rays(supported bool, mode StorageMode) error {
	if !supported {
		return c.fail(ErrDevice, "the device does not trace rays")
	}
	if mode != StorageModePrivate {
		return c.fail(ErrStorageMode, "storage mode %v of the heap, want %v", mode, StorageModePrivate)
	}
	return nil
}
