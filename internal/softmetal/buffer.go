package softmetal

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
)

// buffer is the state of an MTLBuffer.
type buffer struct {
	resource
	object uint32        // its number in the device's memory
	block  *memory.Block // nil in a heap, or of a view
	data   []byte
	root   *buffer // of a remote view: the buffer that is looked at, retained
}

func bufferClasses() []adapter.Class {
	return []adapter.Class{
		{
			Name:      "PMSoftBuffer",
			Protocols: []string{"MTLBuffer"},
			Methods: resourceMethods[*buffer](adapter.Methods{
				"length":                        adapter.Method(func(b *buffer, c *objcsoft.Call) { c.ReturnUint(uint64(len(b.data))) }),
				"contents":                      adapter.Method((*buffer).contents),
				"gpuAddress":                    adapter.Method(func(b *buffer, c *objcsoft.Call) { c.ReturnUint(b.address(0)) }),
				"didModifyRange:":               adapter.Method((*buffer).didModifyRange),
				"addDebugMarker:range:":         adapter.Method((*buffer).addDebugMarker),
				"removeAllDebugMarkers":         func(*objcsoft.Call) {}, // markers show in captures by tools of a Mac only
				"newRemoteBufferViewForDevice:": adapter.Method((*buffer).newRemoteView),
				"remoteStorageBuffer":           adapter.Method((*buffer).remoteStorage),
				"sparseBufferTier":              adapter.Constantly(0), // none
			}),
			Dealloc: adapter.DeallocHook((*buffer).free),
		},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newBufferWithLength:options:":                         adapter.Method((*device).newBuffer),
			"newBufferWithBytes:length:options:":                   adapter.Method((*device).newBufferWithBytes),
			"newBufferWithBytesNoCopy:length:options:deallocator:": adapter.Method((*device).newBufferNoCopy),
		}},
	}
}

// address returns the address of an offset as kernels have it.
func (b *buffer) address(offset uint64) uint64 { return exec.Address(b.object, offset) }

func (b *buffer) AllocatedSize() uint64 {
	if b.block != nil {
		return b.block.Size()
	}
	return uint64(len(b.data))
}

func (b *buffer) Discard() { clear(b.data) }

// checkLength refuses lengths that a buffer cannot have.
func (d *device) checkLength(c *objcsoft.Call, n, options uint64) bool {
	switch {
	case n == 0:
		adapter.Misuse(c, "length is 0 bytes, want at least 1")
	case n > d.maxBufferLength():
		adapter.Misuse(c, "length is %d bytes, want at most %d", n, d.maxBufferLength())
	case !checkOptions(c, options):
	case storageMode(options) == mtlStorageModeMemoryless:
		adapter.Misuse(c, "storage mode memoryless is for textures")
	default:
		return true
	}
	return false
}

// add gives the buffer its number and its object, +1.
func (b *buffer) add() objcsoft.ID {
	if b.root != nil {
		b.object = b.device.memory.AddRemoteView(exec.Object{Data: b.data})
	} else {
		b.object = b.device.memory.Add(exec.Object{Data: b.data})
	}
	b.id = b.device.driver.New("PMSoftBuffer", b)
	b.device.residents.add(b.object, b)
	return b.id
}

// allocateBuffer makes a buffer of new memory; nil when there is none.
func (d *device) allocateBuffer(n, options uint64) *buffer {
	block, err := d.memory.Allocate(n, memory.Buffers)
	if err != nil {
		return nil // Metal answers nil, without a reason
	}
	return &buffer{resource: resource{device: d, options: options}, block: block, data: block.Bytes()}
}

func (d *device) newBuffer(c *objcsoft.Call) {
	n, options := c.Uint(0), c.Uint(1)
	if !d.checkLength(c, n, options) {
		return
	}
	if b := d.allocateBuffer(n, options); b != nil {
		c.ReturnID(b.add())
	}
}

func (d *device) newBufferWithBytes(c *objcsoft.Call) {
	n, options := c.Uint(1), c.Uint(2)
	if !d.checkLength(c, n, options) || !cpuOnly(c, options) {
		return
	}
	bytes := c.Bytes(0, n)
	if c.Failed() {
		return
	}
	if b := d.allocateBuffer(n, options); b != nil {
		copy(b.data, bytes)
		c.ReturnID(b.add())
	}
}

func cpuOnly(c *objcsoft.Call, options uint64) bool {
	if !cpuReaches(options) {
		adapter.Misuse(c, "storage mode private: the CPU cannot fill the memory")
		return false
	}
	return true
}

func (d *device) newBufferNoCopy(c *objcsoft.Call) {
	address, n, options, block := c.Word(0), c.Uint(1), c.Uint(2), c.ID(3)
	if !d.checkLength(c, n, options) || !cpuOnly(c, options) {
		return
	}
	page := memory.PageSize()
	if address == 0 || uint64(address)%page != 0 || n%page != 0 {
		adapter.Misuse(c, "memory at %#x of %d bytes, want whole pages of %d bytes", address, n, page)
		return
	}
	var done func()
	if block != 0 {
		if err := c.RT.Retain(block); err != nil {
			c.Fail(err)
			return
		}
		rt := c.RT
		done = func() {
			_, _ = rt.InvokeBlock(block, []uintptr{address, uintptr(n)}) // the runtime's hook hears of a panic in it
			_ = rt.Release(block)                                        // it was retained above
		}
	}
	m := d.memory.Adopt(address, n, memory.Buffers, done)
	b := &buffer{resource: resource{device: d, options: options}, block: m, data: m.Bytes()}
	c.ReturnID(b.add())
}

func (b *buffer) contents(c *objcsoft.Call) {
	if cpuReaches(b.options) {
		c.Return(memory.AddressOf(b.data))
	}
}

// checkRange refuses a range that does not lie in the buffer.
func (b *buffer) checkRange(c *objcsoft.Call, location, length uint64) bool {
	if n := uint64(len(b.data)); location > n || length > n-location {
		adapter.Misuse(c, "range of %d bytes from %d on is past the buffer's %d bytes", length, location, n)
		return false
	}
	return true
}

// didModifyRange checks what it is told; the memory is one for CPU and GPU.
func (b *buffer) didModifyRange(c *objcsoft.Call) {
	if storageMode(b.options) != mtlStorageModeManaged {
		adapter.Misuse(c, "storage mode %d, want managed", storageMode(b.options))
		return
	}
	w := c.Words(0)
	b.checkRange(c, uint64(w[0]), uint64(w[1]))
}

func (b *buffer) addDebugMarker(c *objcsoft.Call) {
	w := c.Words(1)
	b.checkRange(c, uint64(w[0]), uint64(w[1]))
}

// newRemoteView makes a buffer of another device that has the same memory.
func (b *buffer) newRemoteView(c *objcsoft.Call) {
	d := b.peer(c, "buffer", b.root != nil)
	if d == nil {
		return
	}
	v := &buffer{resource: resource{device: d, options: b.options}, data: b.data, root: b}
	c.ReturnID(v.add())
}

func (b *buffer) remoteStorage(c *objcsoft.Call) {
	if b.root != nil {
		c.ReturnShared(b.root.id)
	}
}

func (b *buffer) free(o *objcsoft.Object) {
	b.device.residents.remove(b.object)
	b.device.memory.Remove(b.object)
	if b.block != nil {
		b.device.memory.Free(b.block)
	}
	if b.root != nil {
		// Work of the view's device may still read what the other device is about to free.
		root := b.root.id
		rt := b.device.driver.RT
		b.device.memory.Retire(func() { _ = rt.Release(root) }) // it was retained for the view
	}
	b.leaveHeap(o)
}
