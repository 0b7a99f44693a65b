package mtl

// Setters with an attribute stride, for kernels whose stage-in data has a dynamic stride.

// SetBufferAttributeStride is SetBuffer with the stride of the attributes in the buffer. Since
// macOS 14.0.
//
//	-[MTLComputeCommandEncoder setBuffer:offset:attributeStride:atIndex:]
func (o ComputeCommandEncoder) SetBufferAttributeStride(buffer Buffer, offset, stride, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setBuffer:offset:attributeStride:atIndex:]")
	length, err := c.bindBuffer(buffer, offset, index, o.device())
	return tryEncode(o, c, err, func() error {
		if err := sendComputeCommandEncoderSetBufferAttributeStride(o, buffer, offset, stride, index); err != nil {
			return err
		}
		o.compute().bound(index, length)
		return nil
	})
}

// SetBuffersAttributeStrides is SetBuffers with the stride of the attributes in each buffer. Since
// macOS 14.0.
//
//	-[MTLComputeCommandEncoder setBuffers:offsets:attributeStrides:withRange:]
func (o ComputeCommandEncoder) SetBuffersAttributeStrides(buffers []Buffer, offsets, strides []uint, first uint) error {
	const c = check("-[MTLComputeCommandEncoder setBuffers:offsets:attributeStrides:withRange:]")
	if err := c.bindBuffers(buffers, offsets, first, o.device()); err != nil {
		return err
	}
	return tryEncode(o, c, c.same("strides", len(strides), len(buffers)), func() error {
		if len(buffers) == 0 {
			return nil
		}
		if err := sendComputeCommandEncoderSetBuffersAttributeStrides(o, buffers, offsets, strides, first); err != nil {
			return err
		}
		o.compute().keep(buffers, first)
		return nil
	})
}

// SetBufferOffsetAttributeStride is SetBufferOffset with a new stride. Since macOS 14.0.
//
//	-[MTLComputeCommandEncoder setBufferOffset:attributeStride:atIndex:]
func (o ComputeCommandEncoder) SetBufferOffsetAttributeStride(offset, stride, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setBufferOffset:attributeStride:atIndex:]")
	return tryEncode(o, c, c.atMost("buffer index", uint64(index), maxBufferIndex, ErrIndex), func() error {
		if err := o.compute().moveBuffer(c, offset, index); err != nil {
			return err
		}
		return sendComputeCommandEncoderSetBufferOffsetAttributeStride(o, offset, stride, index)
	})
}

// SetBytesAttributeStride is SetBytes with the stride of the attributes in the bytes. Since macOS
// 14.0.
//
//	-[MTLComputeCommandEncoder setBytes:length:attributeStride:atIndex:]
func (o ComputeCommandEncoder) SetBytesAttributeStride(data []byte, stride, index uint) error {
	const c = check("-[MTLComputeCommandEncoder setBytes:length:attributeStride:atIndex:]")
	return tryEncode(o, c, c.bindBytes(len(data), index), func() error {
		mem, b := o.state.bytes(data)
		defer mem.free()
		if err := sendComputeCommandEncoderSetBytesAttributeStride(o, b, stride, index); err != nil {
			return err
		}
		o.compute().bound(index, 0)
		return nil
	})
}
