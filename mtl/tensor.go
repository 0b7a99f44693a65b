package mtl

import (
	"math"

	"github.com/puremetal/puremetal/objc"
)

// NewTensorExtents creates extents, +1: the sizes, strides or coordinates of a tensor, innermost
// first. More than [TensorMaxRank] values are an error wrapping [ErrLength]. Since macOS 26.
func NewTensorExtents(values []int) (TensorExtents, error) {
	const c = check("-[MTLTensorExtents initWithRank:values:]")
	if err := c.atMost("rank", uint64(len(values)), uint64(TensorMaxRank), ErrLength); err != nil {
		return TensorExtents{}, err
	}
	e, err := makeTensorExtents(values)
	if err != nil {
		return TensorExtents{}, err
	}
	return e, c.made(e.ID(), ErrArgument, "Metal returned nil for %v", values)
}

// Extent returns one of the values. An index that is not less than the rank is an error wrapping
// [ErrIndex].
//
//	-[MTLTensorExtents extentAtDimensionIndex:]
func (o TensorExtents) Extent(index uint) (int, error) {
	const c = check("-[MTLTensorExtents extentAtDimensionIndex:]")
	if err := c.receiver(&zmethods[mTensorExtentsExtentAtDimensionIndex], o.ID()); err != nil {
		return 0, err
	}
	if rank := o.Rank(); index >= rank {
		return 0, c.fail(ErrIndex, "index %d, the rank is %d", index, rank)
	}
	return sendTensorExtentsExtentAtDimensionIndex(o, index), nil
}

// Values returns all values, innermost first, or none if the extents are nil.
func (o TensorExtents) Values() []int {
	out := make([]int, min(o.Rank(), uint(TensorMaxRank)))
	for i := range out {
		out[i] = sendTensorExtentsExtentAtDimensionIndex(o, uint(i))
	}
	return out
}

// tensorShape holds the values of a tensor descriptor.
type tensorShape struct {
	dimensions, strides []int // strides are optional
	typ                 TensorDataType
	usage               TensorUsage
	options             ResourceOptions
}

func (o TensorDescriptor) shape() tensorShape {
	s := tensorShape{
		typ: o.DataType(), usage: o.Usage(),
		options: MakeResourceOptions(o.StorageMode(), o.CpuCacheMode(), o.HazardTrackingMode()),
	}
	objc.Pool(func() { s.dimensions, s.strides = o.Dimensions().Values(), o.Strides().Values() })
	return s
}

// Bits returns the size of an element in bits, or 0 for an unknown type.
func (v TensorDataType) Bits() uint {
	switch v {
	case TensorDataTypeFloat32, TensorDataTypeInt32, TensorDataTypeUInt32:
		return 32
	case TensorDataTypeFloat16, TensorDataTypeBFloat16, TensorDataTypeInt16, TensorDataTypeUInt16:
		return 16
	case TensorDataTypeInt8, TensorDataTypeUInt8:
		return 8
	case TensorDataTypeInt4, TensorDataTypeUInt4:
		return 4
	}
	return 0
}

// NewTensor creates a tensor with memory of its own, +1. Errors: [ErrLength] for a rank or
// dimension out of range, [ErrArgument] for an unknown data type or an empty usage,
// [ErrStorageMode] and [ErrMemory] as for a buffer. Since macOS 26.
//
//	-[MTLDevice newTensorWithDescriptor:error:]
func (o Device) NewTensor(descriptor TensorDescriptor) (Tensor, error) {
	const c = check("-[MTLDevice newTensorWithDescriptor:error:]")
	if err := c.receiver(&zmethods[mDeviceNewTensorWithDescriptor], o.ID()); err != nil {
		return Tensor{}, err
	}
	if err := o.tensorDescriptor(c, descriptor); err != nil {
		return Tensor{}, err
	}
	return sendDeviceNewTensorWithDescriptor(o, descriptor)
}

// TensorSizeAndAlign returns the size and alignment of a tensor, under the rules of
// [Device.NewTensor].
//
//	-[MTLDevice tensorSizeAndAlignWithDescriptor:]
func (o Device) TensorSizeAndAlign(descriptor TensorDescriptor) (SizeAndAlign, error) {
	const c = check("-[MTLDevice tensorSizeAndAlignWithDescriptor:]")
	if err := c.receiver(&zmethods[mDeviceTensorSizeAndAlignWithDescriptor], o.ID()); err != nil {
		return SizeAndAlign{}, err
	}
	if err := o.tensorDescriptor(c, descriptor); err != nil {
		return SizeAndAlign{}, err
	}
	return sendDeviceTensorSizeAndAlignWithDescriptor(o, descriptor)
}

func (o Device) tensorDescriptor(c check, descriptor TensorDescriptor) error {
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return err
	}
	return c.tensor(descriptor.shape(), uint64(o.MaxBufferLength()), o.traits())
}

// NewTensor creates a tensor on the buffer's memory, starting at an offset, +1. The descriptor must
// have strides: 1 first, each at least the extent of the dimensions inside it. Storage and cache
// modes must be the buffer's, and the last element must be within the buffer.
//
//	-[MTLBuffer newTensorWithDescriptor:offset:error:]
func (o Buffer) NewTensor(descriptor TensorDescriptor, offset uint) (Tensor, error) {
	const c = check("-[MTLBuffer newTensorWithDescriptor:offset:error:]")
	if err := c.receiver(&zmethods[mBufferNewTensorWithDescriptor], o.ID()); err != nil {
		return Tensor{}, err
	}
	_, err := inPool(func() (Tensor, error) { return Tensor{}, o.Device().tensorDescriptor(c, descriptor) })
	if err != nil {
		return Tensor{}, err
	}
	s := descriptor.shape()
	if err := c.heapModes(s.options, MakeResourceOptions(o.StorageMode(), o.CpuCacheMode(), 0)); err != nil {
		return Tensor{}, err
	}
	if err := c.tensorIn(s, uint64(offset), uint64(o.Length())); err != nil {
		return Tensor{}, err
	}
	return sendBufferNewTensorWithDescriptor(o, descriptor, offset)
}

// GetBytes copies a slice of the tensor, given by its origin and dimensions, into data, laid out
// with the given strides, of which the first is 1. Errors: [ErrLength] for different ranks or if
// data is too short, [ErrRegion] for a slice beyond the tensor's edge, [ErrStorageMode] for a
// private tensor.
//
//	-[MTLTensor getBytes:strides:fromSliceOrigin:sliceDimensions:]
func (o Tensor) GetBytes(data []byte, strides, origin, dimensions TensorExtents) error {
	const c = check("-[MTLTensor getBytes:strides:fromSliceOrigin:sliceDimensions:]")
	if err := c.receiver(&zmethods[mTensorGetBytes], o.ID()); err != nil {
		return err
	}
	if err := o.slice(c, data, strides, origin, dimensions); err != nil {
		return err
	}
	sendTensorGetBytes(o, data, strides, origin, dimensions)
	return nil
}

// ReplaceSlice copies data into a slice of the tensor, under the rules of [Tensor.GetBytes].
//
//	-[MTLTensor replaceSliceOrigin:sliceDimensions:withBytes:strides:]
func (o Tensor) ReplaceSlice(origin, dimensions TensorExtents, data []byte, strides TensorExtents) error {
	const c = check("-[MTLTensor replaceSliceOrigin:sliceDimensions:withBytes:strides:]")
	if err := c.receiver(&zmethods[mTensorReplaceSliceOrigin], o.ID()); err != nil {
		return err
	}
	if err := o.slice(c, data, strides, origin, dimensions); err != nil {
		return err
	}
	sendTensorReplaceSliceOrigin(o, origin, dimensions, data, strides)
	return nil
}

func (o Tensor) slice(c check, data []byte, strides, origin, dimensions TensorExtents) error {
	for _, e := range [...]struct {
		what string
		TensorExtents
	}{{"strides", strides}, {"origin", origin}, {"dimensions", dimensions}} {
		if err := c.object(e.what, e.ID()); err != nil {
			return err
		}
	}
	if m := o.StorageMode(); m != StorageModeShared && m != StorageModeManaged {
		return c.fail(ErrStorageMode, "storage mode %v: the CPU cannot access the tensor", m)
	}
	s := tensorShape{typ: o.DataType()}
	objc.Pool(func() { s.dimensions = o.Dimensions().Values() })
	if err := c.tensorSlice(s, origin.Values(), dimensions.Values()); err != nil {
		return err
	}
	part := tensorShape{dimensions: dimensions.Values(), strides: strides.Values(), typ: s.typ}
	return c.tensorIn(part, 0, uint64(len(data)))
}

// tensor checks the description of a tensor against the device's largest buffer.
func (c check) tensor(s tensorShape, longest uint64, tr traits) error {
	bits := uint64(s.typ.Bits())
	if bits == 0 {
		return c.fail(ErrArgument, "data type %v", s.typ)
	}
	if s.usage == 0 || s.usage&^(TensorUsageCompute|TensorUsageRender|TensorUsageMachineLearning) != 0 {
		return c.fail(ErrArgument, "usage %v", s.usage)
	}
	if err := c.bufferOptions(s.options, tr); err != nil {
		return err
	}
	if err := c.dimensions(s.dimensions); err != nil {
		return err
	}
	n := bits
	for _, d := range s.dimensions {
		n = mulSat(n, uint64(d))
	}
	return c.atMost("size in bytes", n/8, longest, ErrMemory)
}

func (c check) dimensions(dims []int) error {
	if err := c.atLeast("rank", uint64(len(dims)), 1, ErrLength); err != nil {
		return err
	}
	if err := c.atMost("rank", uint64(len(dims)), uint64(TensorMaxRank), ErrLength); err != nil {
		return err
	}
	for i, d := range dims {
		if d < 1 {
			return c.fail(ErrLength, "dimension %d is %d, want at least 1", i, d)
		}
	}
	return nil
}

// tensorIn checks that elements laid out with strides are within length bytes from an offset on.
func (c check) tensorIn(s tensorShape, offset, length uint64) error {
	if len(s.strides) != len(s.dimensions) {
		return c.fail(ErrLength, "%d strides for %d dimensions", len(s.strides), len(s.dimensions))
	}
	bits := uint64(s.typ.Bits())
	if err := c.multipleOf("offset in bytes", offset, max(bits/8, 1)); err != nil {
		return err
	}
	last, inner := uint64(0), uint64(1)
	for i, stride := range s.strides {
		d := s.dimensions[i]
		if d < 1 {
			return c.fail(ErrLength, "dimension %d is %d, want at least 1", i, d)
		}
		if i == 0 && stride != 1 || stride < 1 || uint64(stride) < inner {
			return c.fail(ErrArgument, "stride %d is %d, want %d or more and 1 first", i, stride, inner)
		}
		inner = mulSat(uint64(stride), uint64(d))
		last = addSat(last, mulSat(uint64(stride), uint64(d-1)))
	}
	need := addSat(mulSat(addSat(last, 1), bits), 7) / 8
	if last == math.MaxUint64 {
		need = last
	}
	return c.within("tensor", offset, need, length)
}

// tensorSlice checks that a slice is within a tensor.
func (c check) tensorSlice(s tensorShape, origin, dims []int) error {
	if len(origin) != len(s.dimensions) || len(dims) != len(s.dimensions) {
		return c.fail(ErrLength, "origin of rank %d and dimensions of rank %d, the tensor's is %d", len(origin), len(dims),
			len(s.dimensions))
	}
	for i, all := range s.dimensions {
		if origin[i] < 0 || dims[i] < 1 || origin[i] > all || dims[i] > all-origin[i] {
			return c.fail(ErrRegion, "%d elements from %d on of dimension %d, which has %d", dims[i], origin[i], i, all)
		}
	}
	return nil
}
