package resource

import (
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// Buffer is the state of an MTLBuffer.
type Buffer struct {
	Resource
	object uint32        // its number in the device's memory
	block  *memory.Block // nil in a heap, or of a view
	Data   []byte
	rented atomic.Bool // from a pool that says what is written
	Root   *Buffer     // of a remote view: the buffer it views, retained
}

func bufferClasses() []adapter.Class {
	return []adapter.Class{
		{
			Name:      "PMSoftBuffer",
			Protocols: []string{"MTLBuffer"},
			Methods: ResourceMethods[*Buffer](adapter.Methods{
				"length": adapter.Method(func(b *Buffer,
					c *objcsoft.Call) {
					c.ReturnUint(uint64(len(b.Data)))
				}),
				"setUsedLength:": adapter.Method(func(b *Buffer, c *objcsoft.Call) {
					b.rent(min(c.Uint(0), uint64(len(b.Data))))
				}),
				"contents": adapter.Method((*Buffer).contents),
				"writtenRange:": adapter.Method(func(b *Buffer, c *objcsoft.Call) {
					if w := c.Words(0); b.checkRange(c, uint64(w[0]), uint64(w[1])) {
						b.Device.Written(b.Data[w[0]:][:w[1]])
					}
				}),
				"givenBack": adapter.Method(func(b *Buffer, _ *objcsoft.Call) {
					b.Device.GivenBack(b.object, b.Text(), len(b.Data))
				}),
				"seenUses":                      adapter.Method(func(b *Buffer, _ *objcsoft.Call) { b.Device.SeenUses(b.Data) }),
				"gpuAddress":                    adapter.Method(func(b *Buffer, c *objcsoft.Call) { c.ReturnUint(b.Address(0)) }),
				"didModifyRange:":               adapter.Method((*Buffer).didModifyRange),
				"addDebugMarker:range:":         adapter.Method((*Buffer).addDebugMarker),
				"removeAllDebugMarkers":         func(*objcsoft.Call) {}, // markers show in captures by tools of a Mac only
				"newRemoteBufferViewForDevice:": adapter.Method((*Buffer).newRemoteView),
				"remoteStorageBuffer":           adapter.Method((*Buffer).remoteStorage),
				"sparseBufferTier":              adapter.Constantly(0), // none
			}),
			Dealloc: adapter.DeallocHook((*Buffer).free),
		},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newBufferWithLength:options:":                         adapter.Method(newBuffer),
			"newBufferWithBytes:length:options:":                   adapter.Method(newBufferWithBytes),
			"newBufferWithBytesNoCopy:length:options:deallocator:": adapter.Method(newBufferNoCopy),
		}},
	}
}

// Address returns the address of an offset as kernels have it.
func (b *Buffer) Address(offset uint64) uint64 { return exec.Address(b.object, offset) }

// Memory returns the buffer's bytes.
func (b *Buffer) Memory() []byte { return b.Data }

// rent makes the buffer that of another owner, which uses n bytes of it. What they hold is
// undefined, and the owner says what it writes.
func (b *Buffer) rent(n uint64) {
	b.rented.Store(true)
	b.Device.SetUsed(b.object, int(n))
	b.Device.Renewed(b.Data)
	b.Device.Undefined(b.Data)
	b.Device.Made(b.object)
}

// IsRemote reports whether the buffer is a view of one on another device, which only blits may
// read.
func (b *Buffer) IsRemote() bool { return b.Root != nil }

// AllocatedSize returns the memory of the buffer in bytes.
func (b *Buffer) AllocatedSize() uint64 {
	if b.block != nil {
		return b.block.Size()
	}
	return uint64(len(b.Data))
}

// Discard clears the memory of a buffer whose purgeable state becomes empty.
func (b *Buffer) Discard() { clear(b.Data) }

// checkLength rejects lengths that a buffer cannot have.
func checkLength(d *device.Device, c *objcsoft.Call, n, options uint64) bool {
	switch {
	case n == 0:
		adapter.Misuse(c, "length is 0 bytes, want at least 1")
	case n > d.MaxBufferLength():
		adapter.Misuse(c, "length is %d bytes, want at most %d", n, d.MaxBufferLength())
	case !CheckOptions(c, options):
	case StorageMode(options) == metal.StorageModeMemoryless:
		adapter.Misuse(c, "storage mode memoryless is for textures")
	default:
		return true
	}
	return false
}

// add gives the buffer its number and its object, +1.
func (b *Buffer) add() objcsoft.ID {
	if b.Root != nil {
		b.object = b.Device.Memory.AddRemoteView(exec.Object{Data: b.Data})
	} else {
		b.object = b.Device.Memory.Add(exec.Object{Data: b.Data})
	}
	b.ID = b.Device.Driver.New("PMSoftBuffer", b)
	b.Device.Residents.Add(b.object, b)
	b.Device.Made(b.object)
	return b.ID
}

// allocateBuffer makes a buffer with new memory, or returns nil if there is none.
func allocateBuffer(d *device.Device, n, options uint64) *Buffer {
	block, err := d.Memory.Allocate(n, memory.Buffers)
	if err != nil {
		return nil // Metal answers nil, without a reason
	}
	d.Renewed(block.Bytes())
	return &Buffer{Resource: Resource{Device: d, Options: options}, block: block, Data: block.Bytes()}
}

func newBuffer(d *device.Device, c *objcsoft.Call) {
	n, options := c.Uint(0), c.Uint(1)
	if !checkLength(d, c, n, options) {
		return
	}
	if b := allocateBuffer(d, n, options); b != nil {
		c.ReturnID(b.add())
	}
}

func newBufferWithBytes(d *device.Device, c *objcsoft.Call) {
	n, options := c.Uint(1), c.Uint(2)
	if !checkLength(d, c, n, options) || !cpuOnly(c, options) {
		return
	}
	bytes := c.Bytes(0, n)
	if c.Failed() {
		return
	}
	if b := allocateBuffer(d, n, options); b != nil {
		copy(b.Data, bytes)
		c.ReturnID(b.add())
	}
}

func cpuOnly(c *objcsoft.Call, options uint64) bool {
	if !CPUReaches(options) {
		adapter.Misuse(c, "storage mode private: the CPU cannot fill the memory")
		return false
	}
	return true
}

func newBufferNoCopy(d *device.Device, c *objcsoft.Call) {
	address, n, options, block := c.Word(0), c.Uint(1), c.Uint(2), c.ID(3)
	if !checkLength(d, c, n, options) || !cpuOnly(c, options) {
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
			_, _ = rt.InvokeBlock(block, []uintptr{address, uintptr(n)}) // a panic in it is reported to the runtime's hook
			_ = rt.Release(block)                                        // it was retained above
		}
	}
	m := d.Memory.Adopt(address, n, memory.Buffers, done)
	b := &Buffer{Resource: Resource{Device: d, Options: options}, block: m, Data: m.Bytes()}
	c.ReturnID(b.add())
}

func (b *Buffer) contents(c *objcsoft.Call) {
	if CPUReaches(b.Options) {
		if !b.rented.Load() {
			b.Device.Written(b.Data)
		}
		c.Return(memory.AddressOf(b.Data))
	}
}

// checkRange rejects a range that is not inside the buffer.
func (b *Buffer) checkRange(c *objcsoft.Call, location, length uint64) bool {
	if n := uint64(len(b.Data)); location > n || length > n-location {
		adapter.Misuse(c, "range of %d bytes from %d on is past the buffer's %d bytes", length, location, n)
		return false
	}
	return true
}

// didModifyRange checks its argument; CPU and GPU share the memory.
func (b *Buffer) didModifyRange(c *objcsoft.Call) {
	if StorageMode(b.Options) != metal.StorageModeManaged {
		adapter.Misuse(c, "storage mode %d, want managed", StorageMode(b.Options))
		return
	}
	w := c.Words(0)
	b.checkRange(c, uint64(w[0]), uint64(w[1]))
}

func (b *Buffer) addDebugMarker(c *objcsoft.Call) {
	w := c.Words(1)
	b.checkRange(c, uint64(w[0]), uint64(w[1]))
}

// newRemoteView makes a buffer of another device with the same memory.
func (b *Buffer) newRemoteView(c *objcsoft.Call) {
	d := b.peer(c, "buffer", b.Root != nil)
	if d == nil {
		return
	}
	v := &Buffer{Resource: Resource{Device: d, Options: b.Options}, Data: b.Data, Root: b}
	c.ReturnID(v.add())
}

func (b *Buffer) remoteStorage(c *objcsoft.Call) {
	if b.Root != nil {
		c.ReturnShared(b.Root.ID)
	}
}

func (b *Buffer) free(o *objcsoft.Object) {
	b.Device.Residents.Remove(b.object)
	b.Device.Memory.Remove(b.object)
	b.Device.Freed(b.object, b.Text(), len(b.Data))
	if b.block != nil {
		b.Device.Memory.Free(b.block)
	}
	if b.Root != nil {
		// Work of the view's device may still read what the other device is about to free.
		root := b.Root.ID
		rt := b.Device.Driver.RT
		b.Device.Memory.Retire(func() { _ = rt.Release(root) }) // it was retained for the view
	}
	b.leaveHeap(o)
}
