package mtl

import "github.com/puremetal/puremetal/objc"

// Bytes returns the buffer's memory as a slice: a view, not a copy. It is valid until the buffer is
// released and does not keep the buffer alive. The GPU's writes are visible once the command buffer
// has completed; accessing the memory while the GPU writes to it is a race. After writing to a
// managed buffer, notify the GPU with [Buffer.DidModifyRange]. A private buffer is an error
// wrapping [ErrStorageMode].
//
//	-[MTLBuffer contents]
func (o Buffer) Bytes() ([]byte, error) {
	const c = check("-[MTLBuffer contents]")
	if err := c.receiver(&zmethods[mBufferContents], o.ID()); err != nil {
		return nil, err
	}
	if m := o.StorageMode(); m != StorageModeShared && m != StorageModeManaged {
		return nil, c.fail(ErrStorageMode, "storage mode %v: the CPU cannot access the memory", m)
	}
	p, n := o.Contents(), o.Length()
	if p == 0 || n > 1<<62 {
		return nil, c.fail(ErrMemory, "no memory behind a buffer of %d bytes", n)
	}
	return objc.View(p, int(n)), nil
}

// BytesAt returns length bytes of the buffer's memory starting at offset, under the rules of
// [Buffer.Bytes]. A range beyond the end is an error wrapping [ErrOffset] or [ErrLength].
//
//	-[MTLBuffer contents]
func (o Buffer) BytesAt(offset, length uint) ([]byte, error) {
	b, err := o.Bytes()
	if err != nil {
		return nil, err
	}
	if err := check("-[MTLBuffer contents]").within("view", uint64(offset), uint64(length), uint64(len(b))); err != nil {
		return nil, err
	}
	return b[offset : offset+length : offset+length], nil
}

// DidModifyRange notifies the GPU that the CPU has written to a range of a managed buffer. Any
// other storage mode is an error wrapping [ErrStorageMode], a range beyond the end one wrapping
// [ErrOffset] or [ErrLength].
//
//	-[MTLBuffer didModifyRange:]
func (o Buffer) DidModifyRange(r Range) error {
	const c = check("-[MTLBuffer didModifyRange:]")
	if err := c.receiver(&zmethods[mBufferDidModifyRange], o.ID()); err != nil {
		return err
	}
	if m := o.StorageMode(); m != StorageModeManaged {
		return c.fail(ErrStorageMode, "storage mode %v, want %v", m, StorageModeManaged)
	}
	if err := c.within("range", uint64(r.Location), uint64(r.Length), uint64(o.Length())); err != nil {
		return err
	}
	sendBufferDidModifyRange(o, r)
	return nil
}

// AddDebugMarker names a range of the buffer for tools that display captures.
//
//	-[MTLBuffer addDebugMarker:range:]
func (o Buffer) AddDebugMarker(marker string, r Range) error {
	const c = check("-[MTLBuffer addDebugMarker:range:]")
	if err := c.receiver(&zmethods[mBufferAddDebugMarker], o.ID()); err != nil {
		return err
	}
	if err := c.within("range", uint64(r.Location), uint64(r.Length), uint64(o.Length())); err != nil {
		return err
	}
	sendBufferAddDebugMarker(o, marker, r)
	return nil
}

// NewRemoteBufferView creates a view of a private buffer for another device of the same peer group,
// +1. Errors: [ErrStorageMode] for a buffer that is not private, [ErrDevice] for a device that is
// not a peer.
//
//	-[MTLBuffer newRemoteBufferViewForDevice:]
func (o Buffer) NewRemoteBufferView(device Device) (Buffer, error) {
	const c = check("-[MTLBuffer newRemoteBufferViewForDevice:]")
	if err := c.receiver(&zmethods[mBufferNewRemoteBufferViewForDevice], o.ID()); err != nil {
		return Buffer{}, err
	}
	if err := c.remoteView(o.Resource, device); err != nil {
		return Buffer{}, err
	}
	b := sendBufferNewRemoteBufferViewForDevice(o, device)
	if b.IsNil() {
		return Buffer{}, c.fail(ErrMemory, "Metal returned nil for a view of %d bytes", o.Length())
	}
	return b, nil
}

// remoteView checks that another device may access a resource.
func (c check) remoteView(r Resource, device Device) (err error) {
	if err := c.object("device", device.ID()); err != nil {
		return err
	}
	if m := r.StorageMode(); m != StorageModePrivate {
		return c.fail(ErrStorageMode, "storage mode %v, want %v", m, StorageModePrivate)
	}
	objc.Pool(func() {
		own := r.Device()
		err = c.peers(own.PeerGroupID(), device.PeerGroupID(), objc.Equal(own.ID(), device.ID()))
	})
	return err
}

// peers checks that two devices are different members of one peer group; 0 means no group.
func (c check) peers(own, other uint64, same bool) error {
	switch {
	case same:
		return c.fail(ErrDevice, "the device is the resource's own")
	case own == 0 || own != other:
		return c.fail(ErrDevice, "peer groups %#x and %#x: no peers", own, other)
	}
	return nil
}
