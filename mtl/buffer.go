package mtl

import (
	"os"
	"runtime"

	"github.com/puremetal/puremetal/objc"
)

// NewBuffer creates a buffer of length bytes, +1. Errors: [ErrLength] if length is zero,
// [ErrMemory] if it exceeds [Device.MaxBufferLength] or the device is out of memory,
// [ErrStorageMode] for a storage mode that the device or buffers do not support.
//
//	-[MTLDevice newBufferWithLength:options:]
func (o Device) NewBuffer(length uint, options ResourceOptions) (Buffer, error) {
	const c = check("-[MTLDevice newBufferWithLength:options:]")
	if err := c.receiver(&zmethods[mDeviceNewBufferWithLength], o.ID()); err != nil {
		return Buffer{}, err
	}
	if err := c.buffer(uint64(length), options, uint64(o.MaxBufferLength()), o.traits()); err != nil {
		return Buffer{}, err
	}
	return o.madeBuffer(c, sendDeviceNewBufferWithLength(o, length, options), length)
}

// NewBufferWithBytes creates a buffer with a copy of data, +1. Errors are those of
// [Device.NewBuffer]. The CPU must be able to write to the memory, so private storage is
// [ErrStorageMode].
//
//	-[MTLDevice newBufferWithBytes:length:options:]
func (o Device) NewBufferWithBytes(data []byte, options ResourceOptions) (Buffer, error) {
	const c = check("-[MTLDevice newBufferWithBytes:length:options:]")
	if err := c.receiver(&zmethods[mDeviceNewBufferWithBytes], o.ID()); err != nil {
		return Buffer{}, err
	}
	if err := c.cpuBuffer(uint64(len(data)), options, uint64(o.MaxBufferLength()), o.traits()); err != nil {
		return Buffer{}, err
	}
	return o.madeBuffer(c, sendDeviceNewBufferWithBytes(o, data, options), uint(len(data)))
}

// NewBufferWithBytesNoCopy creates a buffer on existing memory, +1. The memory must consist of
// whole pages ([os.Getpagesize]) outside Go's heap, as syscall.Mmap returns them. It must stay in
// place until deallocator is called with it, which happens once, on any goroutine, when Metal no
// longer needs the buffer. Without a deallocator the memory must outlive the buffer and every
// command that uses it. If NewBufferWithBytesNoCopy fails, the memory still belongs to the caller
// and deallocator is not called.
//
// Errors: [ErrAlignment] for an address or length that is not a multiple of the page size, and
// those of [Device.NewBuffer].
//
//	-[MTLDevice newBufferWithBytesNoCopy:length:options:deallocator:]
func (o Device) NewBufferWithBytesNoCopy(memory []byte, options ResourceOptions,
	deallocator func(memory []byte)) (Buffer, error) {
	const c = check("-[MTLDevice newBufferWithBytesNoCopy:length:options:deallocator:]")
	if err := c.receiver(&zmethods[mDeviceNewBufferWithBytesNoCopy], o.ID()); err != nil {
		return Buffer{}, err
	}
	address := objc.Slice(memory)
	if err := c.cpuBuffer(uint64(len(memory)), options, uint64(o.MaxBufferLength()), o.traits()); err != nil {
		return Buffer{}, err
	}
	if err := c.pages(uint64(address), uint64(len(memory)), uint64(os.Getpagesize())); err != nil {
		return Buffer{}, err
	}
	var done func(uintptr, uint)
	if deallocator != nil {
		done = func(uintptr, uint) { deallocator(memory) }
	}
	b := sendDeviceNewBufferWithBytesNoCopy(o, address, uint(len(memory)), options, done)
	runtime.KeepAlive(memory)
	return o.madeBuffer(c, b, uint(len(memory)))
}

// NewPlacementSparseBuffer creates a buffer without memory, +1; pages of a heap are mapped into it
// later. It must be private.
//
//	-[MTLDevice newBufferWithLength:options:placementSparsePageSize:]
func (o Device) NewPlacementSparseBuffer(length uint, options ResourceOptions, page SparsePageSize) (Buffer, error) {
	const c = check("-[MTLDevice newBufferWithLength:options:placementSparsePageSize:]")
	if err := c.receiver(&zmethods[mDeviceNewBufferWithLengthPlacementSparsePageSize], o.ID()); err != nil {
		return Buffer{}, err
	}
	if err := c.sparseBuffer(uint64(length), options, page, uint64(o.MaxBufferLength()), o.traits()); err != nil {
		return Buffer{}, err
	}
	b, err := sendDeviceNewBufferWithLengthPlacementSparsePageSize(o, length, options, page)
	if err != nil {
		return Buffer{}, err
	}
	return o.madeBuffer(c, b, length)
}

// madeBuffer turns the nil that Metal returns when memory runs out into an error with the figures.
func (o Device) madeBuffer(c check, b Buffer, length uint) (Buffer, error) {
	if !b.IsNil() {
		return b, nil
	}
	return Buffer{}, o.noMemory(c, length)
}

// noMemory is the error for an object of length bytes that the device could not create.
func (o Device) noMemory(c check, length uint) error {
	return c.fail(ErrMemory, "Metal returned nil for %d bytes: %d allocated, %d recommended at most, %d at most a buffer",
		length, o.CurrentAllocatedSize(), o.RecommendedMaxWorkingSetSize(), o.MaxBufferLength())
}

// buffer checks the length and modes of a buffer.
func (c check) buffer(length uint64, options ResourceOptions, longest uint64, tr traits) error {
	if err := c.atLeast("length in bytes", length, 1, ErrLength); err != nil {
		return err
	}
	if err := c.atMost("length in bytes", length, longest, ErrMemory); err != nil {
		return err
	}
	return c.bufferOptions(options, tr)
}

// cpuBuffer checks a buffer whose memory the CPU fills.
func (c check) cpuBuffer(length uint64, options ResourceOptions, longest uint64, tr traits) error {
	if err := c.buffer(length, options, longest, tr); err != nil {
		return err
	}
	if options.StorageMode() == StorageModePrivate {
		return c.fail(ErrStorageMode, "storage mode %v: the CPU cannot access the memory", StorageModePrivate)
	}
	return nil
}

// pages checks that memory is whole pages.
func (c check) pages(address, length, page uint64) error {
	if err := c.multipleOf("address", address, page); err != nil {
		return err
	}
	return c.multipleOf("length in bytes", length, page)
}

func (c check) sparseBuffer(length uint64, options ResourceOptions, page SparsePageSize, longest uint64,
	tr traits) error {
	if err := c.buffer(length, options, longest, tr); err != nil {
		return err
	}
	if options.StorageMode() != StorageModePrivate {
		return c.fail(ErrStorageMode, "storage mode %v: sparse buffers must be %v", options.StorageMode(), StorageModePrivate)
	}
	if page < SparsePageSize16 || page > SparsePageSize256 {
		return c.fail(ErrArgument, "page size %v", page)
	}
	return nil
}
