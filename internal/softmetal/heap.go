package softmetal

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
)

// heap is the state of an MTLHeap.
type heap struct {
	adapter.Label
	device  *device
	id      objcsoft.ID
	options uint64
	kind    uint64 // MTLHeapType
	block   *memory.Block

	mu        sync.Mutex
	pieces    *memory.Heap
	placed    uint64 // bytes of the resources of a placement heap
	purgeable uint64
}

// Heaps are multiples of heapGrain, what lies in them of resourceGrain: the buffers of Apple silicon take as much.
const (
	heapGrain     = 16 << 10
	resourceGrain = 256
)

func roundUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// optionProperties make storageMode, cpuCacheMode and hazardTrackingMode parts of resourceOptions in a descriptor.
func optionProperties(m adapter.Methods) adapter.Methods {
	part := func(name string, mask, shift uint64) {
		m[name] = adapter.Method(func(r *adapter.Record, c *objcsoft.Call) { c.ReturnUint(r.Uint("resourceOptions") & mask >> shift) })
		m[adapter.Setter(name)] = adapter.Method(func(r *adapter.Record, c *objcsoft.Call) {
			r.SetUint("resourceOptions", r.Uint("resourceOptions")&^mask|c.Uint(0)<<shift&mask)
		})
	}
	part("cpuCacheMode", mtlResourceCPUCacheModeMask, mtlResourceCPUCacheModeShift)
	part("storageMode", mtlResourceStorageModeMask, mtlResourceStorageModeShift)
	part("hazardTrackingMode", mtlResourceHazardTrackingModeMask, mtlResourceHazardTrackingModeShift)
	return m
}

func heapClasses() []adapter.Class {
	return []adapter.Class{
		{
			Name: "MTLHeapDescriptor", Protocols: []string{"NSCopying"},
			// Heaps are private unless said otherwise.
			Properties: adapter.Properties{
				{Name: "resourceOptions", Value: mtlResourceStorageModePrivate}, {Name: "size"}, {Name: "type"},
				{Name: "sparsePageSize", Value: mtlSparsePageSize16}, {Name: "maxCompatiblePlacementSparsePageSize"},
			},
			Methods: optionProperties(adapter.Methods{}),
		},
		{
			Name:      "PMSoftHeap",
			Protocols: []string{"MTLHeap"},
			Methods: adapter.WithLabel[*heap](adapter.Methods{
				"device":                              adapter.Method(func(h *heap, c *objcsoft.Call) { c.ReturnShared(h.device.id) }),
				"size":                                adapter.Method(func(h *heap, c *objcsoft.Call) { c.ReturnUint(uint64(len(h.block.Bytes()))) }),
				"allocatedSize":                       adapter.Method(func(h *heap, c *objcsoft.Call) { c.ReturnUint(h.block.Size()) }),
				"currentAllocatedSize":                adapter.Method(func(h *heap, c *objcsoft.Call) { c.ReturnUint(h.block.Size()) }),
				"usedSize":                            adapter.Method((*heap).usedSize),
				"type":                                adapter.Method(func(h *heap, c *objcsoft.Call) { c.ReturnUint(h.kind) }),
				"storageMode":                         adapter.Method(func(h *heap, c *objcsoft.Call) { c.ReturnUint(storageMode(h.options)) }),
				"cpuCacheMode":                        adapter.Method(func(h *heap, c *objcsoft.Call) { c.ReturnUint(cpuCacheMode(h.options)) }),
				"hazardTrackingMode":                  adapter.Method(func(h *heap, c *objcsoft.Call) { c.ReturnUint(hazardTracking(h.options, true)) }),
				"resourceOptions":                     adapter.Method(func(h *heap, c *objcsoft.Call) { c.ReturnUint(h.options) }),
				"maxAvailableSizeWithAlignment:":      adapter.Method((*heap).maxAvailable),
				"setPurgeableState:":                  adapter.Method((*heap).setPurgeable),
				"newBufferWithLength:options:":        adapter.Method((*heap).newBuffer),
				"newBufferWithLength:options:offset:": adapter.Method((*heap).newBufferAt),
				"newTextureWithDescriptor:":           adapter.Method((*heap).newTexture),
				"newTextureWithDescriptor:offset:":    adapter.Method((*heap).newTextureAt),
			}),
			Dealloc: adapter.DeallocHook((*heap).free),
		},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newHeapWithDescriptor:":                    adapter.Method((*device).newHeap),
			"heapBufferSizeAndAlignWithLength:options:": adapter.Method((*device).heapBufferSize),
			"heapTextureSizeAndAlignWithDescriptor:":    adapter.Method((*device).heapTextureSize),
		}},
	}
}

func (d *device) newHeap(c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	size, kind, options := r.Uint("size"), r.Uint("type"), r.Uint("resourceOptions")
	mode := storageMode(options)
	switch {
	case size == 0:
		adapter.Misuse(c, "size is 0 bytes, want at least 1")
	case kind != mtlHeapTypeAutomatic && kind != mtlHeapTypePlacement:
		adapter.Misuse(c, "heap type %d: the device has automatic (0) and placement (1) heaps", kind)
	case !checkOptions(c, options):
	case mode != mtlStorageModePrivate && mode != mtlStorageModeShared:
		adapter.Misuse(c, "storage mode %d: heaps are shared or private", mode)
	default:
		if size > d.physical {
			return // nil: so much memory there is not
		}
		block, err := d.memory.Allocate(roundUp(size, heapGrain), memory.Heaps)
		if err != nil {
			return
		}
		h := &heap{device: d, options: options, kind: kind, block: block, pieces: memory.NewHeap(roundUp(size, heapGrain))}
		h.id = d.driver.New("PMSoftHeap", h)
		c.ReturnID(h.id)
	}
}

func (d *device) heapBufferSize(c *objcsoft.Call) {
	if d.checkLength(c, c.Uint(0), c.Uint(1)) {
		c.ReturnWords(uintptr(roundUp(c.Uint(0), resourceGrain)), resourceGrain)
	}
}

func (h *heap) usedSize(c *objcsoft.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.ReturnUint(h.pieces.Used() + h.placed)
}

func (h *heap) maxAvailable(c *objcsoft.Call) {
	align := c.Uint(0)
	if align == 0 || align&(align-1) != 0 {
		adapter.Misuse(c, "alignment %d is no power of two", align)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c.ReturnUint(h.pieces.Largest(max(align, resourceGrain)))
}

func (h *heap) setPurgeable(c *objcsoft.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	setPurgeable(c, &h.purgeable, func() { clear(h.block.Bytes()) })
}

// checkModes refuses a resource whose modes are not the heap's, and a heap of another type than the call is for.
func (h *heap) checkModes(c *objcsoft.Call, options, kind uint64) bool {
	switch {
	case h.kind != kind:
		adapter.Misuse(c, "the heap's type is %d, want %d", h.kind, kind)
	case storageMode(options) != storageMode(h.options):
		adapter.Misuse(c, "storage mode %d, the heap's is %d", storageMode(options), storageMode(h.options))
	case cpuCacheMode(options) != cpuCacheMode(h.options):
		adapter.Misuse(c, "cpu cache mode %d, the heap's is %d", cpuCacheMode(options), cpuCacheMode(h.options))
	default:
		return true
	}
	return false
}

// take finds a place for n bytes in an automatic heap; false when there is none.
func (h *heap) take(n, align uint64) (offset uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pieces.Take(roundUp(n, resourceGrain), align)
}

// place checks a place in a placement heap, where the program may put resources over each other.
func (h *heap) place(c *objcsoft.Call, offset, n, align uint64) bool {
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
func (h *heap) give(r *resource) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kind == mtlHeapTypePlacement {
		h.placed -= r.heapSize
		return
	}
	h.pieces.Give(r.heapOffset, r.heapSize)
}

// hold makes a resource one of the heap's. It keeps the heap alive.
func (h *heap) hold(c *objcsoft.Call, r *resource, offset, n, options uint64) {
	if err := c.RT.Retain(h.id); err != nil {
		panic(err) // it is receiving a message
	}
	r.device, r.options, r.heap, r.heapOffset, r.heapSize = h.device, options, h, offset, n
}

func (h *heap) newBuffer(c *objcsoft.Call) {
	n, options := c.Uint(0), c.Uint(1)
	if !h.device.checkLength(c, n, options) || !h.checkModes(c, options, mtlHeapTypeAutomatic) {
		return
	}
	if offset, ok := h.take(n, resourceGrain); ok {
		h.addBuffer(c, offset, n, options)
	}
}

func (h *heap) newBufferAt(c *objcsoft.Call) {
	n, options, offset := c.Uint(0), c.Uint(1), c.Uint(2)
	if h.device.checkLength(c, n, options) && h.checkModes(c, options, mtlHeapTypePlacement) &&
		h.place(c, offset, roundUp(n, resourceGrain), resourceGrain) {
		h.addBuffer(c, offset, n, options)
	}
}

func (h *heap) addBuffer(c *objcsoft.Call, offset, n, options uint64) {
	b := &buffer{data: h.block.Bytes()[offset : offset+n : offset+n]}
	h.hold(c, &b.resource, offset, roundUp(n, resourceGrain), options)
	c.ReturnID(b.add())
}

func (h *heap) free(*objcsoft.Object) { h.device.memory.Free(h.block) }
