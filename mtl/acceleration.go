package mtl

import "github.com/puremetal/puremetal/objc"

// BuildAccelerationStructure builds a structure from a descriptor.
// [Device.AccelerationStructureSizesWithDescriptor] returns the sizes that the structure and the
// scratch buffer need; smaller ones are refused with [ErrLength].
//
//	-[MTLAccelerationStructureCommandEncoder buildAccelerationStructure:descriptor:
//	    scratchBuffer:scratchBufferOffset:]
func (o AccelerationStructureCommandEncoder) BuildAccelerationStructure(accelerationStructure AccelerationStructure,
	descriptor AccelerationStructureDescriptor, scratchBuffer Buffer, scratchBufferOffset uint) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder buildAccelerationStructure:descriptor:scratchBuffer:scratchBufferOffset:]")
	sizes, err := c.structureSizes(accelerationStructure, descriptor, o.device())
	if err != nil {
		return err
	}
	if err := c.holds("acceleration structure", accelerationStructure, uint64(sizes.AccelerationStructureSize),
		o.device()); err != nil {
		return err
	}
	return encode(o, c, c.span("scratch buffer", scratchBuffer, uint64(scratchBufferOffset),
		uint64(sizes.BuildScratchBufferSize), o.device()), func() {
		sendAccelerationStructureCommandEncoderBuildAccelerationStructure(o, accelerationStructure, descriptor,
			scratchBuffer, scratchBufferOffset)
	})
}

// RefitAccelerationStructure updates a structure for geometry that has moved, in place if the
// destination is nil or the source. Sizes are checked as in BuildAccelerationStructure. If the
// device reports that a refit needs no scratch memory, the scratch buffer may be nil.
//
//	-[MTLAccelerationStructureCommandEncoder refitAccelerationStructure:descriptor:
//	    destination:scratchBuffer:scratchBufferOffset:]
func (o AccelerationStructureCommandEncoder) RefitAccelerationStructure(sourceAccelerationStructure AccelerationStructure, descriptor AccelerationStructureDescriptor, destinationAccelerationStructure AccelerationStructure, scratchBuffer Buffer, scratchBufferOffset uint) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder refitAccelerationStructure:descriptor:destination:scratchBuffer:scratchBufferOffset:]")
	return encode(o, c, c.refit(sourceAccelerationStructure, descriptor, destinationAccelerationStructure, scratchBuffer,
		scratchBufferOffset, o.device()), func() {
		sendAccelerationStructureCommandEncoderRefitAccelerationStructure(o, sourceAccelerationStructure, descriptor,
			destinationAccelerationStructure,
			scratchBuffer, scratchBufferOffset)
	})
}

// RefitAccelerationStructureOptions is like RefitAccelerationStructure, limited to the data that
// the options name.
//
//	-[MTLAccelerationStructureCommandEncoder refitAccelerationStructure:descriptor:
//	    destination:scratchBuffer:scratchBufferOffset:options:]
func (o AccelerationStructureCommandEncoder) RefitAccelerationStructureOptions(sourceAccelerationStructure AccelerationStructure, descriptor AccelerationStructureDescriptor, destinationAccelerationStructure AccelerationStructure, scratchBuffer Buffer, scratchBufferOffset uint, options AccelerationStructureRefitOptions) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder refitAccelerationStructure:descriptor:destination:scratchBuffer:scratchBufferOffset:options:]")
	if err := c.refit(sourceAccelerationStructure, descriptor, destinationAccelerationStructure, scratchBuffer,
		scratchBufferOffset, o.device()); err != nil {
		return err
	}
	return encode(o, c, c.flags("options", uint64(options), allRefits), func() {
		sendAccelerationStructureCommandEncoderRefitAccelerationStructureOptions(o, sourceAccelerationStructure, descriptor,
			destinationAccelerationStructure,
			scratchBuffer, scratchBufferOffset, options)
	})
}

// allRefits are the data that a refit may read.
const allRefits = uint64(AccelerationStructureRefitOptionVertexData | AccelerationStructureRefitOptionPerPrimitiveData)

// structureSizes asks the device which sizes a descriptor needs.
func (c check) structureSizes(a AccelerationStructure, descriptor AccelerationStructureDescriptor,
	d *deviceFacts) (s AccelerationStructureSizes, err error) {
	if err := c.object("acceleration structure", a.ID()); err != nil {
		return s, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return s, err
	}
	objc.Pool(func() { s = a.Device().AccelerationStructureSizesWithDescriptor(descriptor) })
	return s, nil
}

// holds checks that a structure is not nil, belongs to the device and has at least n bytes.
func (c check) holds(what string, a AccelerationStructure, n uint64, d *deviceFacts) error {
	if err := c.object(what, a.ID()); err != nil {
		return err
	}
	f := factsOfStructure(a)
	if err := c.device(what, f.device, d); err != nil {
		return err
	}
	if f.length < n {
		return c.atLeast("size of the "+what+" in bytes", f.length, n, ErrLength)
	}
	return nil
}

func (c check) refit(from AccelerationStructure, descriptor AccelerationStructureDescriptor, to AccelerationStructure,
	scratch Buffer, offset uint, d *deviceFacts) error {
	sizes, err := c.structureSizes(from, descriptor, d)
	if err != nil {
		return err
	}
	if err := c.holds("source acceleration structure", from, 0, d); err != nil {
		return err
	}
	if !to.IsNil() {
		if err := c.holds("destination acceleration structure", to, uint64(sizes.AccelerationStructureSize), d); err != nil {
			return err
		}
	}
	if sizes.RefitScratchBufferSize == 0 && scratch.IsNil() {
		return nil
	}
	return c.span("scratch buffer", scratch, uint64(offset), uint64(sizes.RefitScratchBufferSize), d)
}

// CopyAccelerationStructure copies a structure to another one that is at least as large. Copying a
// structure to itself is refused.
//
//	-[MTLAccelerationStructureCommandEncoder copyAccelerationStructure:
//	    toAccelerationStructure:]
func (o AccelerationStructureCommandEncoder) CopyAccelerationStructure(sourceAccelerationStructure,
	destinationAccelerationStructure AccelerationStructure) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder copyAccelerationStructure:toAccelerationStructure:]")
	return encode(o, c, c.copyStructure(sourceAccelerationStructure, destinationAccelerationStructure, false, o.device()),
		func() {
			sendAccelerationStructureCommandEncoderCopyAccelerationStructure(o, sourceAccelerationStructure,
				destinationAccelerationStructure)
		})
}

// CopyAndCompactAccelerationStructure copies a structure and compacts the copy. The destination
// must have at least the compacted size, which WriteCompactedAccelerationStructureSize writes;
// since only the GPU knows it, it is not checked.
//
//	-[MTLAccelerationStructureCommandEncoder copyAndCompactAccelerationStructure:
//	    toAccelerationStructure:]
func (o AccelerationStructureCommandEncoder) CopyAndCompactAccelerationStructure(sourceAccelerationStructure,
	destinationAccelerationStructure AccelerationStructure) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder copyAndCompactAccelerationStructure:toAccelerationStructure:]")
	return encode(o, c, c.copyStructure(sourceAccelerationStructure, destinationAccelerationStructure, true, o.device()),
		func() {
			sendAccelerationStructureCommandEncoderCopyAndCompactAccelerationStructure(o, sourceAccelerationStructure,
				destinationAccelerationStructure)
		})
}

func (c check) copyStructure(from, to AccelerationStructure, compact bool, d *deviceFacts) error {
	if err := c.holds("source acceleration structure", from, 0, d); err != nil {
		return err
	}
	var least uint64
	if !compact {
		least = factsOfStructure(from).length
	}
	if err := c.holds("destination acceleration structure", to, least, d); err != nil {
		return err
	}
	if from.ID() == to.ID() {
		return c.fail(ErrOverlap, "the structure is copied to itself")
	}
	return nil
}

// WriteCompactedAccelerationStructureSize writes the size that a structure would have when
// compacted into a buffer: 4 bytes, at a multiple of 4.
//
//	-[MTLAccelerationStructureCommandEncoder writeCompactedAccelerationStructureSize:toBuffer:
//	    offset:]
func (o AccelerationStructureCommandEncoder) WriteCompactedAccelerationStructureSize(accelerationStructure AccelerationStructure, buffer Buffer, offset uint) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder writeCompactedAccelerationStructureSize:toBuffer:offset:]")
	if err := c.holds("acceleration structure", accelerationStructure, 0, o.device()); err != nil {
		return err
	}
	return encode(o, c, c.indirect("buffer", buffer, offset, 4, o.device()), func() {
		sendAccelerationStructureCommandEncoderWriteCompactedAccelerationStructureSize(o, accelerationStructure, buffer,
			offset)
	})
}

// WriteCompactedAccelerationStructureSizeAs is like WriteCompactedAccelerationStructureSize, with a
// choice of the number's type: [DataTypeUInt] or [DataTypeULong], at a multiple of its size.
//
//	-[MTLAccelerationStructureCommandEncoder writeCompactedAccelerationStructureSize:toBuffer:
//	    offset:sizeDataType:]
func (o AccelerationStructureCommandEncoder) WriteCompactedAccelerationStructureSizeAs(accelerationStructure AccelerationStructure, buffer Buffer, offset uint, sizeDataType DataType) error {
	const c = check("-[MTLAccelerationStructureCommandEncoder writeCompactedAccelerationStructureSize:toBuffer:offset:sizeDataType:]")
	if err := c.holds("acceleration structure", accelerationStructure, 0, o.device()); err != nil {
		return err
	}
	n, err := c.sizeType(sizeDataType)
	if err != nil {
		return err
	}
	if err := c.multipleOf("buffer offset in bytes", uint64(offset), n); err != nil {
		return err
	}
	return encode(o, c, c.span("buffer", buffer, uint64(offset), n, o.device()), func() {
		sendAccelerationStructureCommandEncoderWriteCompactedAccelerationStructureSizeAs(o, accelerationStructure, buffer,
			offset, sizeDataType)
	})
}

func (c check) sizeType(t DataType) (bytes uint64, err error) {
	switch t {
	case DataTypeUInt:
		return 4, nil
	case DataTypeULong:
		return 8, nil
	}
	return 0, c.fail(ErrArgument, "%v, want %v or %v", t, DataTypeUInt, DataTypeULong)
}
