package memory

import (
	"github.com/puremetal/puremetal/internal/exec"
)

// Space returns the table of objects as kernels use it.
func (d *Device) Space() *exec.Space { return &d.space }

// Add gives an object a number, which is the upper part of its addresses, or 0 if all are taken.
// Numbers are reused as late as possible, so that addresses of freed objects stay invalid for a
// long time.
func (d *Device) Add(o exec.Object) uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := d.number(o)
	if id != 0 {
		d.space.Set(id, o)
	}
	return id
}

// AddRemoteView is Add for the memory of another device: Bytes finds it, and kernels do not.
func (d *Device) AddRemoteView(o exec.Object) uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := d.number(o)
	if id != 0 {
		d.remote[id] = struct{}{}
	}
	return id
}

// RemoteView reports whether an address leads to a remote view.
func (d *Device) RemoteView(address uint64) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	_, ok := d.remote[uint32(address>>offsetBits)]
	return ok
}

// number gives an object a number. The caller holds the lock.
func (d *Device) number(o exec.Object) uint32 {
	if len(d.objects) >= exec.MaxObject-exec.MinObject+1 {
		return 0
	}
	for {
		id := d.next
		if d.next++; d.next > exec.MaxObject {
			d.next = exec.MinObject
		}
		if _, taken := d.objects[id]; !taken {
			d.objects[id] = o
			return id
		}
	}
}

// Change gives a number other memory.
func (d *Device) Change(id uint32, o exec.Object) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.objects[id]; ok {
		d.objects[id] = o
		d.space.Set(id, o)
	}
}

// Remove takes a number back: its addresses lead nowhere.
func (d *Device) Remove(id uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.objects, id)
	delete(d.remote, id)
	d.space.Set(id, exec.Object{})
}

// Objects returns how many numbers are in use.
func (d *Device) Objects() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.objects)
}

// Bytes returns the memory from an address to the end of its object, or nil if there is none. Work
// that uses it must be between Begin and End.
func (d *Device) Bytes(address uint64) []byte {
	d.mu.RLock()
	defer d.mu.RUnlock()
	o, ok := d.objects[uint32(address>>offsetBits)]
	offset := address & (1<<offsetBits - 1)
	if !ok || offset > uint64(len(o.Data)) {
		return nil
	}
	return o.Data[offset:]
}

// offsetBits are the bits of an address that are not the object's number.
const offsetBits = 40
