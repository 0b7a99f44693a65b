package mtl

// Written by TestBoundTable with PUREMETAL_UPDATE=1.

var boundHidden5 = map[string]func(any) any{
	"Function.sendNewArgumentEncoderWithBufferIndex": bound(func(x interface {
		sendNewArgumentEncoderWithBufferIndex(bufferIndex uint) ArgumentEncoder
	}) any {
		return x.sendNewArgumentEncoderWithBufferIndex
	}),
	"FunctionConstantValues.sendSetConstantValue": bound(func(x interface {
		sendSetConstantValue(value []byte, typ DataType, index uint)
	}) any {
		return x.sendSetConstantValue
	}),
	"FunctionConstantValues.sendSetConstantValueWithName": bound(func(x interface {
		sendSetConstantValueWithName(value []byte, typ DataType, name string)
	}) any {
		return x.sendSetConstantValueWithName
	}),
	"FunctionConstantValues.sendSetConstantValues": bound(func(x interface {
		sendSetConstantValues(values []byte, typ DataType, rng Range)
	}) any {
		return x.sendSetConstantValues
	}),
	"Heap.sendMaxAvailableSizeWithAlignment": bound(func(x interface{ sendMaxAvailableSizeWithAlignment(alignment uint) uint }) any {
		return x.sendMaxAvailableSizeWithAlignment
	}),
	"Heap.sendNewAccelerationStructureWithDescriptor": bound(func(x interface {
		sendNewAccelerationStructureWithDescriptor(descriptor AccelerationStructureDescriptor) AccelerationStructure
	}) any {
		return x.sendNewAccelerationStructureWithDescriptor
	}),
	"Heap.sendNewAccelerationStructureWithDescriptorOffset": bound(func(x interface {
		sendNewAccelerationStructureWithDescriptorOffset(descriptor AccelerationStructureDescriptor,
			offset uint) AccelerationStructure
	}) any {
		return x.sendNewAccelerationStructureWithDescriptorOffset
	}),
	"Heap.sendNewAccelerationStructureWithSize": bound(func(x interface {
		sendNewAccelerationStructureWithSize(size uint) AccelerationStructure
	}) any {
		return x.sendNewAccelerationStructureWithSize
	}),
	"Heap.sendNewAccelerationStructureWithSizeOffset": bound(func(x interface {
		sendNewAccelerationStructureWithSizeOffset(size, offset uint) AccelerationStructure
	}) any {
		return x.sendNewAccelerationStructureWithSizeOffset
	}),
	"Heap.sendNewBufferWithLength": bound(func(x interface {
		sendNewBufferWithLength(length uint, options ResourceOptions) Buffer
	}) any {
		return x.sendNewBufferWithLength
	}),
	"Heap.sendNewBufferWithLengthOffset": bound(func(x interface {
		sendNewBufferWithLengthOffset(length uint, options ResourceOptions, offset uint) Buffer
	}) any {
		return x.sendNewBufferWithLengthOffset
	}),
	"Heap.sendNewTextureWithDescriptor": bound(func(x interface {
		sendNewTextureWithDescriptor(descriptor TextureDescriptor) Texture
	}) any {
		return x.sendNewTextureWithDescriptor
	}),
	"Heap.sendNewTextureWithDescriptorOffset": bound(func(x interface {
		sendNewTextureWithDescriptorOffset(descriptor TextureDescriptor, offset uint) Texture
	}) any {
		return x.sendNewTextureWithDescriptorOffset
	}),
}
