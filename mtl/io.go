package mtl

import (
	"errors"
	"runtime"

	"github.com/puremetal/puremetal/objc"
)

// NewIOFileHandle opens a file for IO commands, +1. An empty path is an error wrapping
// [ErrArgument].
//
//	-[MTLDevice newIOFileHandleWithURL:error:]
func (o Device) NewIOFileHandle(path string) (IOFileHandle, error) {
	const c = check("-[MTLDevice newIOFileHandleWithURL:error:]")
	if err := c.ioPath(o, path); err != nil {
		return IOFileHandle{}, err
	}
	h, err := sendDeviceNewIOFileHandleWithURL(o, path)
	if errors.Is(err, objc.ErrUnavailable) { // before macOS 14 the method had another name
		return sendDeviceNewIOHandleWithURL(o, path)
	}
	return h, err
}

// NewIOFileHandleCompressed opens a file written through an IO compression context, +1.
//
//	-[MTLDevice newIOFileHandleWithURL:compressionMethod:error:]
func (o Device) NewIOFileHandleCompressed(path string, method IOCompressionMethod) (IOFileHandle, error) {
	const c = check("-[MTLDevice newIOFileHandleWithURL:compressionMethod:error:]")
	if err := c.ioPath(o, path); err != nil {
		return IOFileHandle{}, err
	}
	if method < IOCompressionMethodZlib || method > IOCompressionMethodLZBitmap {
		return IOFileHandle{}, c.fail(ErrArgument, "compression method %v", method)
	}
	h, err := sendDeviceNewIOFileHandleWithURLCompressionMethod(o, path, method)
	if errors.Is(err, objc.ErrUnavailable) {
		return sendDeviceNewIOHandleWithURLCompressionMethod(o, path, method)
	}
	return h, err
}

func (c check) ioPath(d Device, path string) error {
	if err := c.object("receiver", d.ID()); err != nil {
		return err
	}
	return c.path(path)
}

// NewIOCommandQueue creates a queue of IO commands, +1.
//
//	-[MTLDevice newIOCommandQueueWithDescriptor:error:]
func (o Device) NewIOCommandQueue(descriptor IOCommandQueueDescriptor) (IOCommandQueue, error) {
	const c = check("-[MTLDevice newIOCommandQueueWithDescriptor:error:]")
	if err := c.receiver(&zmethods[mDeviceNewIOCommandQueueWithDescriptor], o.ID()); err != nil {
		return IOCommandQueue{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return IOCommandQueue{}, err
	}
	p, typ := descriptor.Priority(), descriptor.Type()
	if p < IOPriorityHigh || p > IOPriorityLow || typ < IOCommandQueueTypeConcurrent || typ > IOCommandQueueTypeSerial {
		return IOCommandQueue{}, c.fail(ErrArgument, "priority %v and type %v", p, typ)
	}
	return sendDeviceNewIOCommandQueueWithDescriptor(o, descriptor)
}

// LoadBytes reads from a file into data. data is kept alive, and must not be used, until the
// command buffer has completed.
//
//	-[MTLIOCommandBuffer loadBytes:size:sourceHandle:sourceHandleOffset:]
func (o IOCommandBuffer) LoadBytes(data []byte, source IOFileHandle, sourceOffset uint) error {
	const c = check("-[MTLIOCommandBuffer loadBytes:size:sourceHandle:sourceHandleOffset:]")
	if err := c.receiver(&zmethods[mIOCommandBufferLoadBytes], o.ID()); err != nil {
		return err
	}
	if err := c.object("source", source.ID()); err != nil {
		return err
	}
	if err := c.atLeast("size in bytes", uint64(len(data)), 1, ErrLength); err != nil {
		return err
	}
	o.AddCompletedHandler(func(IOCommandBuffer) { runtime.KeepAlive(data) })
	sendIOCommandBufferLoadBytes(o, objc.Slice(data), uint(len(data)), source, sourceOffset)
	return nil
}

// LoadBuffer reads size bytes from a file into a buffer. A range beyond the buffer's end is an
// error wrapping [ErrOffset] or [ErrLength].
//
//	-[MTLIOCommandBuffer loadBuffer:offset:size:sourceHandle:sourceHandleOffset:]
func (o IOCommandBuffer) LoadBuffer(buffer Buffer, offset, size uint, source IOFileHandle, sourceOffset uint) error {
	const c = check("-[MTLIOCommandBuffer loadBuffer:offset:size:sourceHandle:sourceHandleOffset:]")
	if err := c.receiver(&zmethods[mIOCommandBufferLoadBuffer], o.ID()); err != nil {
		return err
	}
	if err := c.object("buffer", buffer.ID()); err != nil {
		return err
	}
	if err := c.object("source", source.ID()); err != nil {
		return err
	}
	if err := c.atLeast("size in bytes", uint64(size), 1, ErrLength); err != nil {
		return err
	}
	if err := c.within("buffer", uint64(offset), uint64(size), uint64(buffer.Length())); err != nil {
		return err
	}
	sendIOCommandBufferLoadBuffer(o, buffer, offset, size, source, sourceOffset)
	return nil
}

// LoadTexture reads pixels from a file into a region of one level of one slice of a texture. Errors
// are those of [Texture.ReplaceRegionSlice], but the texture may be private.
//
//	-[MTLIOCommandBuffer loadTexture:slice:level:size:sourceBytesPerRow:sourceBytesPerImage:
//	    destinationOrigin:sourceHandle:sourceHandleOffset:]
func (o IOCommandBuffer) LoadTexture(texture Texture, slice, level uint, size Size, bytesPerRow, bytesPerImage uint,
	origin Origin, source IOFileHandle, sourceOffset uint) error {
	const c = check("-[MTLIOCommandBuffer loadTexture:slice:level:size:sourceBytesPerRow:sourceBytesPerImage:destinationOrigin:sourceHandle:sourceHandleOffset:]")
	if err := c.receiver(&zmethods[mIOCommandBufferLoadTexture], o.ID()); err != nil {
		return err
	}
	if err := c.object("texture", texture.ID()); err != nil {
		return err
	}
	if err := c.object("source", source.ID()); err != nil {
		return err
	}
	s, region := texture.shape(), Region{Origin: origin, Size: size}
	if err := c.region(s, region, level, slice); err != nil {
		return err
	}
	if err := c.rows(s, region, level, pixelRows{^uint64(0), uint64(bytesPerRow), uint64(bytesPerImage)}); err != nil {
		return err
	}
	sendIOCommandBufferLoadTexture(o, texture, slice, level, size, bytesPerRow, bytesPerImage, origin, source,
		sourceOffset)
	return nil
}

// ioStatusLength is the size of a status in a buffer, an NSInteger.
const ioStatusLength = 8

// CopyStatusToBuffer writes the command buffer's status, 8 bytes, into a buffer when it has
// completed. The bytes must be within the buffer.
//
//	-[MTLIOCommandBuffer copyStatusToBuffer:offset:]
func (o IOCommandBuffer) CopyStatusToBuffer(buffer Buffer, offset uint) error {
	const c = check("-[MTLIOCommandBuffer copyStatusToBuffer:offset:]")
	if err := c.receiver(&zmethods[mIOCommandBufferCopyStatusToBuffer], o.ID()); err != nil {
		return err
	}
	if err := c.object("buffer", buffer.ID()); err != nil {
		return err
	}
	if err := c.multipleOf("offset in bytes", uint64(offset), ioStatusLength/2); err != nil {
		return err
	}
	if err := c.within("status", uint64(offset), ioStatusLength, uint64(buffer.Length())); err != nil {
		return err
	}
	sendIOCommandBufferCopyStatusToBuffer(o, buffer, offset)
	return nil
}

// WaitForEvent makes the commands that follow wait until the event has reached a value.
//
//	-[MTLIOCommandBuffer waitForEvent:value:]
func (o IOCommandBuffer) WaitForEvent(event SharedEvent, value uint64) error {
	const c = check("-[MTLIOCommandBuffer waitForEvent:value:]")
	if err := c.receiver(&zmethods[mIOCommandBufferWaitForEvent], o.ID()); err != nil {
		return err
	}
	if err := c.object("event", event.ID()); err != nil {
		return err
	}
	sendIOCommandBufferWaitForEvent(o, event, value)
	return nil
}

// SignalEvent sets the event to a value when the commands before it have completed.
//
//	-[MTLIOCommandBuffer signalEvent:value:]
func (o IOCommandBuffer) SignalEvent(event SharedEvent, value uint64) error {
	const c = check("-[MTLIOCommandBuffer signalEvent:value:]")
	if err := c.receiver(&zmethods[mIOCommandBufferSignalEvent], o.ID()); err != nil {
		return err
	}
	if err := c.object("event", event.ID()); err != nil {
		return err
	}
	sendIOCommandBufferSignalEvent(o, event, value)
	return nil
}
