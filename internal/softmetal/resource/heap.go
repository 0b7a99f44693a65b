package resource

import (
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// Heap is the state of an MTLHeap.
type Heap struct {
	adapter.Label
	Device  *device.Device
	id      objcsoft.ID
	options uint64
	kind    uint64 // MTLHeapType
	block   *memory.Block

	mu        sync.Mutex
	pieces    *memory.Heap
	placed    uint64    // bytes of the resources of a placement heap
	lent      []*Buffer // aliasable, in an automatic heap
	purgeable uint64
}

// Heap sizes are multiples of heapGrain, the sizes of resources in them of resourceGrain, as for
// buffers on Apple silicon.
const (
	heapGrain     = 16 << 10
	resourceGrain = 256
)

func roundUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// optionProperties make storageMode, cpuCacheMode and hazardTrackingMode parts of resourceOptions
// in a descriptor.
func optionProperties(m adapter.Methods) adapter.Methods {
	part := func(name string, mask, shift uint64) {
		m[name] = adapter.Method(func(r *adapter.Record, c *objcsoft.Call) {
			c.ReturnUint(r.Uint("resourceOptions") & mask >> shift)
		})
		m[adapter.Setter(name)] = adapter.Method(func(r *adapter.Record, c *objcsoft.Call) {
			r.SetUint("resourceOptions", r.Uint("resourceOptions")&^mask|c.Uint(0)<<shift&mask)
		})
	}
	part("cpuCacheMode", metal.ResourceCPUCacheModeMask, metal.ResourceCPUCacheModeShift)
	part("storageMode", metal.ResourceStorageModeMask, metal.ResourceStorageModeShift)
	part("hazardTrackingMode", metal.ResourceHazardTrackingModeMask, metal.ResourceHazardTrackingModeShift)
	return m
}

func heapClasses() []adapter.Class {
	return []adapter.Class{
		{
			Name: "MTLHeapDescriptor", Protocols: []string{"NSCopying"},
			// Heaps are private unless said otherwise.
			Properties: adapter.Properties{
				{Name: "resourceOptions", Value: metal.ResourceStorageModePrivate}, {Name: "size"}, {Name: "type"},
				{Name: "sparsePageSize", Value: metal.SparsePageSize16}, {Name: "maxCompatiblePlacementSparsePageSize"},
			},
			Methods: optionProperties(adapter.Methods{}),
		},
		{
			Name:      "PMSoftHeap",
			Protocols: []string{"MTLHeap"},
			Methods: adapter.WithLabel[*Heap](adapter.Methods{
				"device": adapter.Method(func(h *Heap,
					c *objcsoft.Call) {
					c.ReturnShared(h.Device.ID)
				}),
				"size": adapter.Method(func(h *Heap,
					c *objcsoft.Call) {
					c.ReturnUint(uint64(len(h.block.Bytes())))
				}),
				"allocatedSize": adapter.Method(func(h *Heap,
					c *objcsoft.Call) {
					c.ReturnUint(h.block.Size())
				}),
				"currentAllocatedSize": adapter.Method(func(h *Heap,
					c *objcsoft.Call) {
					c.ReturnUint(h.block.Size())
				}),
				"usedSize": adapter.Method((*Heap).usedSize),
				"type":     adapter.Method(func(h *Heap, c *objcsoft.Call) { c.ReturnUint(h.kind) }),
				"storageMode": adapter.Method(func(h *Heap,
					c *objcsoft.Call) {
					c.ReturnUint(StorageMode(h.options))
				}),
				"cpuCacheMode": adapter.Method(func(h *Heap,
					c *objcsoft.Call) {
					c.ReturnUint(cpuCacheMode(h.options))
				}),
				"hazardTrackingMode": adapter.Method(func(h *Heap,
					c *objcsoft.Call) {
					c.ReturnUint(hazardTracking(h.options, true))
				}),
				"resourceOptions":                     adapter.Method(func(h *Heap, c *objcsoft.Call) { c.ReturnUint(h.options) }),
				"maxAvailableSizeWithAlignment:":      adapter.Method((*Heap).maxAvailable),
				"setPurgeableState:":                  adapter.Method((*Heap).setPurgeable),
				"newBufferWithLength:options:":        adapter.Method((*Heap).newBuffer),
				"newBufferWithLength:options:offset:": adapter.Method((*Heap).newBufferAt),
				"newTextureWithDescriptor:":           adapter.Method((*Heap).newTexture),
				"newTextureWithDescriptor:offset:":    adapter.Method((*Heap).newTextureAt),
			}),
			Dealloc: adapter.DeallocHook((*Heap).free),
		},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newHeapWithDescriptor:":                    adapter.Method(newHeap),
			"heapBufferSizeAndAlignWithLength:options:": adapter.Method(heapBufferSize),
			"heapTextureSizeAndAlignWithDescriptor:":    adapter.Method(heapTextureSize),
		}},
	}
}

func newHeap(d *device.Device, c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	size, kind, options := r.Uint("size"), r.Uint("type"), r.Uint("resourceOptions")
	mode := StorageMode(options)
	switch {
	case size == 0:
		adapter.Misuse(c, "size is 0 bytes, want at least 1")
	case kind != metal.HeapTypeAutomatic && kind != metal.HeapTypePlacement:
		adapter.Misuse(c, "heap type %d: the device has automatic (0) and placement (1) heaps", kind)
	case !CheckOptions(c, options):
	case mode != metal.StorageModePrivate && mode != metal.StorageModeShared:
		adapter.Misuse(c, "storage mode %d: heaps are shared or private", mode)
	default:
		if size > d.Physical {
			return // nil: so much memory there is not
		}
		block, err := d.Memory.Allocate(roundUp(size, heapGrain), memory.Heaps)
		if err != nil {
			return
		}
		d.Renewed(block.Bytes())
		h := &Heap{Device: d, options: options, kind: kind, block: block, pieces: memory.NewHeap(roundUp(size, heapGrain))}
		h.id = d.Driver.New("PMSoftHeap", h)
		c.ReturnID(h.id)
	}
}

func heapBufferSize(d *device.Device, c *objcsoft.Call) {
	if checkLength(d, c, c.Uint(0), c.Uint(1)) {
		c.ReturnWords(uintptr(roundUp(c.Uint(0), resourceGrain)), resourceGrain)
	}
}

func (h *Heap) usedSize(c *objcsoft.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.ReturnUint(h.pieces.Used() + h.placed)
}

func (h *Heap) maxAvailable(c *objcsoft.Call) {
	align := c.Uint(0)
	if align == 0 || align&(align-1) != 0 {
		adapter.Misuse(c, "alignment %d is no power of two", align)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c.ReturnUint(h.pieces.Largest(max(align, resourceGrain)))
}

func (h *Heap) setPurgeable(c *objcsoft.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	setPurgeable(c, &h.purgeable, func() { clear(h.block.Bytes()) })
}

// checkModes rejects a resource whose modes differ from the heap's, and a heap of the wrong type
// for the call.
func (h *Heap) checkModes(c *objcsoft.Call, options, kind uint64) bool {
	switch {
	case h.kind != kind:
		adapter.Misuse(c, "the heap's type is %d, want %d", h.kind, kind)
	case StorageMode(options) != StorageMode(h.options):
		adapter.Misuse(c, "storage mode %d, the heap's is %d", StorageMode(options), StorageMode(h.options))
	case cpuCacheMode(options) != cpuCacheMode(h.options):
		adapter.Misuse(c, "cpu cache mode %d, the heap's is %d", cpuCacheMode(options), cpuCacheMode(h.options))
	default:
		return true
	}
	return false
}

// take finds a place for n bytes in an automatic heap; false when there is none.
func (h *Heap) take(n, align uint64) (offset uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pieces.Take(roundUp(n, resourceGrain), align)
}

// place checks a place in a placement heap, where the program may make resources overlap.
func (h *Heap) place(c *objcsoft.Call, offset, n, align uint64) bool {
	size := uint64(len(h.block.Bytes()))
	switch {
	case offset%align != 0:
		adapter.Misuse(c, "offset %d is not a multiple of %d", offset, align)
	case offset > size || n > size-offset:
		adapter.Misuse(c, "%d bytes from offset %d on are past the heap's %d bytes", n, offset, size)
	default:
		h.mu.Lock()
		defer h.mu.Unlock()
		h.placed += n
		return true
	}
	return false
}

// give takes a resource's place back.
func (h *Heap) give(r *Resource) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kind == metal.HeapTypePlacement {
		h.placed -= r.heapSize
		return
	}
	h.pieces.Give(r.heapOffset, r.heapSize)
}

// lend notes a buffer whose memory others may take.
func (h *Heap) lend(b *Buffer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kind == metal.HeapTypeAutomatic && !slices.Contains(h.lent, b) {
		h.lent = append(h.lent, b)
	}
}

// took tells the sanitizer which aliasable buffers a new resource has taken memory of.
func (h *Heap) took(offset, n uint64, by string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, b := range h.lent {
		if b.heapOffset < offset+n && offset < b.heapOffset+b.heapSize {
			h.Device.Taken(b.object, b.Text(), by)
		}
	}
}

// hold makes a resource one of the heap's. It keeps the heap alive.
func (h *Heap) hold(c *objcsoft.Call, r *Resource, offset, n, options uint64) {
	if err := c.RT.Retain(h.id); err != nil {
		panic(err) // it is receiving a message
	}
	r.Device, r.Options, r.heap, r.heapOffset, r.heapSize = h.Device, options, h, offset, n
}

func (h *Heap) newBuffer(c *objcsoft.Call) {
	n, options := c.Uint(0), c.Uint(1)
	if !checkLength(h.Device, c, n, options) || !h.checkModes(c, options, metal.HeapTypeAutomatic) {
		return
	}
	if offset, ok := h.take(n, resourceGrain); ok {
		h.addBuffer(c, offset, n, options)
	}
}

func (h *Heap) newBufferAt(c *objcsoft.Call) {
	n, options, offset := c.Uint(0), c.Uint(1), c.Uint(2)
	if checkLength(h.Device, c, n, options) && h.checkModes(c, options, metal.HeapTypePlacement) &&
		h.place(c, offset, roundUp(n, resourceGrain), resourceGrain) {
		h.addBuffer(c, offset, n, options)
	}
}

func (h *Heap) addBuffer(c *objcsoft.Call, offset, n, options uint64) {
	b := &Buffer{Data: h.block.Bytes()[offset : offset+n : offset+n]}
	h.hold(c, &b.Resource, offset, roundUp(n, resourceGrain), options)
	h.took(offset, n, "another buffer")
	b.Device.Undefined(b.Data)
	c.ReturnID(b.add())
}

func (h *Heap) free(*objcsoft.Object) { h.Device.Memory.Free(h.block) }
