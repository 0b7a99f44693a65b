package mtl

// Acceleration structures in Metal 4's compute encoder.

// BuildAccelerationStructure builds a structure from a descriptor, with scratch memory at an
// address. The caller must make sure that both are large enough.
//
//	-[MTL4ComputeCommandEncoder buildAccelerationStructure:descriptor:scratchBuffer:]
func (o ComputeCommandEncoder4) BuildAccelerationStructure(accelerationStructure AccelerationStructure,
	descriptor AccelerationStructureDescriptor4, scratchBuffer BufferRange4) error {
	const c = check("-[MTL4ComputeCommandEncoder buildAccelerationStructure:descriptor:scratchBuffer:]")
	if err := c.holds("acceleration structure", accelerationStructure, 0, o.device()); err != nil {
		return err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return err
	}
	return encode(o, c, c.addresses("scratch buffer", scratchBuffer, 1), func() {
		sendComputeCommandEncoder4BuildAccelerationStructure(o, accelerationStructure, descriptor, scratchBuffer)
	})
}

// RefitAccelerationStructure updates a structure for geometry that has moved, in place if the
// destination is nil or the source.
//
//	-[MTL4ComputeCommandEncoder refitAccelerationStructure:descriptor:destination:
//	    scratchBuffer:]
func (o ComputeCommandEncoder4) RefitAccelerationStructure(sourceAccelerationStructure AccelerationStructure,
	descriptor AccelerationStructureDescriptor4, destinationAccelerationStructure AccelerationStructure,
	scratchBuffer BufferRange4) error {
	const c = check("-[MTL4ComputeCommandEncoder refitAccelerationStructure:descriptor:destination:scratchBuffer:]")
	if err := c.holds("source acceleration structure", sourceAccelerationStructure, 0, o.device()); err != nil {
		return err
	}
	return encode(o, c, c.object("descriptor", descriptor.ID()), func() {
		sendComputeCommandEncoder4RefitAccelerationStructure(o, sourceAccelerationStructure, descriptor,
			destinationAccelerationStructure,
			scratchBuffer)
	})
}

// RefitAccelerationStructureOptions is like RefitAccelerationStructure, limited to the data that
// the options name.
//
//	-[MTL4ComputeCommandEncoder refitAccelerationStructure:descriptor:destination:
//	    scratchBuffer:options:]
func (o ComputeCommandEncoder4) RefitAccelerationStructureOptions(sourceAccelerationStructure AccelerationStructure,
	descriptor AccelerationStructureDescriptor4, destinationAccelerationStructure AccelerationStructure,
	scratchBuffer BufferRange4, options AccelerationStructureRefitOptions) error {
	const c = check("-[MTL4ComputeCommandEncoder refitAccelerationStructure:descriptor:destination:scratchBuffer:options:]")
	if err := c.holds("source acceleration structure", sourceAccelerationStructure, 0, o.device()); err != nil {
		return err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return err
	}
	return encode(o, c, c.flags("options", uint64(options), allRefits), func() {
		sendComputeCommandEncoder4RefitAccelerationStructureOptions(o, sourceAccelerationStructure, descriptor,
			destinationAccelerationStructure,
			scratchBuffer, options)
	})
}

// CopyAccelerationStructure copies a structure to another one that is at least as large. Copying a
// structure to itself is refused.
//
//	-[MTL4ComputeCommandEncoder copyAccelerationStructure:toAccelerationStructure:]
func (o ComputeCommandEncoder4) CopyAccelerationStructure(sourceAccelerationStructure,
	destinationAccelerationStructure AccelerationStructure) error {
	const c = check("-[MTL4ComputeCommandEncoder copyAccelerationStructure:toAccelerationStructure:]")
	return encode(o, c, c.copyStructure(sourceAccelerationStructure, destinationAccelerationStructure, false, o.device()),
		func() {
			sendComputeCommandEncoder4CopyAccelerationStructure(o, sourceAccelerationStructure, destinationAccelerationStructure)
		})
}

// CopyAndCompactAccelerationStructure copies a structure and compacts the copy. The destination
// must have at least the compacted size.
//
//	-[MTL4ComputeCommandEncoder copyAndCompactAccelerationStructure:toAccelerationStructure:]
func (o ComputeCommandEncoder4) CopyAndCompactAccelerationStructure(sourceAccelerationStructure,
	destinationAccelerationStructure AccelerationStructure) error {
	const c = check("-[MTL4ComputeCommandEncoder copyAndCompactAccelerationStructure:toAccelerationStructure:]")
	return encode(o, c, c.copyStructure(sourceAccelerationStructure, destinationAccelerationStructure, true, o.device()),
		func() {
			sendComputeCommandEncoder4CopyAndCompactAccelerationStructure(o, sourceAccelerationStructure,
				destinationAccelerationStructure)
		})
}

// WriteCompactedAccelerationStructureSize writes the size that a structure would have when
// compacted to an address, as 8 bytes.
//
//	-[MTL4ComputeCommandEncoder writeCompactedAccelerationStructureSize:toBuffer:]
func (o ComputeCommandEncoder4) WriteCompactedAccelerationStructureSize(accelerationStructure AccelerationStructure,
	buffer BufferRange4) error {
	const c = check("-[MTL4ComputeCommandEncoder writeCompactedAccelerationStructureSize:toBuffer:]")
	if err := c.holds("acceleration structure", accelerationStructure, 0, o.device()); err != nil {
		return err
	}
	return encode(o, c, c.addresses("buffer", buffer, 8),
		func() {
			sendComputeCommandEncoder4WriteCompactedAccelerationStructureSize(o, accelerationStructure, buffer)
		})
}

// addresses checks a range of addresses, which must not be empty and must have at least n bytes.
func (c check) addresses(what string, r BufferRange4, n uint64) error {
	if r.BufferAddress == 0 {
		return c.fail(ErrNil, "address of the %s", what)
	}
	if r.Length < n {
		return c.atLeast("length of the "+what+" in bytes", r.Length, n, ErrLength)
	}
	return nil
}
