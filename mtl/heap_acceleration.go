package mtl

import "github.com/puremetal/puremetal/objc"

// NewAccelerationStructure creates an acceleration structure in a heap of type HeapTypeAutomatic,
// +1, under the rules of [Heap.NewBuffer]. The heap must be private, or the error wraps
// [ErrStorageMode], and its device must support ray tracing, or the error wraps [ErrDevice].
//
//	-[MTLHeap newAccelerationStructureWithSize:]
func (o Heap) NewAccelerationStructure(size uint) (AccelerationStructure, error) {
	const c = check("-[MTLHeap newAccelerationStructureWithSize:]")
	if err := c.receiver(&zmethods[mHeapNewAccelerationStructureWithSize], o.ID()); err != nil {
		return AccelerationStructure{}, err
	}
	need, err := o.needForStructure(c, size)
	if err != nil {
		return AccelerationStructure{}, err
	}
	if err := c.fits(o.Type(), need, sendHeapMaxAvailableSizeWithAlignment(o, max(need.Align, 1))); err != nil {
		return AccelerationStructure{}, err
	}
	a := sendHeapNewAccelerationStructureWithSize(o, size)
	if a.IsNil() {
		return AccelerationStructure{}, o.noMemory(c, size)
	}
	return a, nil
}

// NewAccelerationStructureWithDescriptor is NewAccelerationStructure with the size that a
// descriptor needs.
//
//	-[MTLHeap newAccelerationStructureWithDescriptor:]
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
	if err := c.fits(o.Type(), need, sendHeapMaxAvailableSizeWithAlignment(o, max(need.Align, 1))); err != nil {
		return AccelerationStructure{}, err
	}
	a := sendHeapNewAccelerationStructureWithDescriptor(o, descriptor)
	if a.IsNil() {
		return AccelerationStructure{}, o.noMemory(c, need.Size)
	}
	return a, nil
}

// NewAccelerationStructureWithOffset creates an acceleration structure at an offset in a heap of
// type HeapTypePlacement, +1, under the rules of [Heap.NewBufferWithOffset].
//
//	-[MTLHeap newAccelerationStructureWithSize:offset:]
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
	a := sendHeapNewAccelerationStructureWithSizeOffset(o, size, offset)
	if a.IsNil() {
		return AccelerationStructure{}, o.noMemoryAt(c, size, offset)
	}
	return a, nil
}

// NewAccelerationStructureWithDescriptorOffset is NewAccelerationStructureWithOffset with the size
// that a descriptor needs.
//
//	-[MTLHeap newAccelerationStructureWithDescriptor:offset:]
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
	a := sendHeapNewAccelerationStructureWithDescriptorOffset(o, descriptor, offset)
	if a.IsNil() {
		return AccelerationStructure{}, o.noMemoryAt(c, need.Size, offset)
	}
	return a, nil
}

// needForStructure returns the size and alignment that a structure of size bytes needs in the heap.
// It fails if the heap cannot hold structures.
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

// structureNeed asks the heap's device, with a method that takes one word, for the size and
// alignment of a structure.
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

// rays checks that a device supports ray tracing and that a heap has the storage mode of
// acceleration structures.
func (c check) rays(supported bool, mode StorageMode) error {
	if !supported {
		return c.fail(ErrDevice, "the device does not support ray tracing")
	}
	if mode != StorageModePrivate {
		return c.fail(ErrStorageMode, "storage mode %v of the heap, want %v", mode, StorageModePrivate)
	}
	return nil
}
