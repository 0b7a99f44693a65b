package softmetal

import (
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
)

// texture is the state of an MTLTexture.
type texture struct {
	resource
	textureShape
	handle uint32
	facts  dispatch.Texture // for dispatches
	block  *memory.Block    // nil of a view, in a heap and in a buffer
	image  *texel.Image

	parent       *texture // of a view, retained
	remote       *texture // of a view on another device, retained
	firstLevel   uint64   // of the parent
	firstSlice   uint64
	buffer       *buffer // whose memory it is, retained
	bufferOffset uint64
	bytesPerRow  uint64
}

func textureNumber(f func(t *texture) uint64) objcsoft.Imp {
	return adapter.Method(func(t *texture, c *objcsoft.Call) { c.ReturnUint(f(t)) })
}

// textureObject makes a getter of an object that the texture keeps alive; nil when it has none.
func textureObject(f func(t *texture) objcsoft.ID) objcsoft.Imp {
	return adapter.Method(func(t *texture, c *objcsoft.Call) {
		if id := f(t); id != 0 {
			c.ReturnShared(id)
		}
	})
}

func textureStateClasses() []adapter.Class {
	m := resourceMethods[*texture](adapter.Methods{
		"textureType":      textureNumber(func(t *texture) uint64 { return t.kind }),
		"pixelFormat":      textureNumber(func(t *texture) uint64 { return t.format }),
		"width":            textureNumber(func(t *texture) uint64 { return t.width }),
		"height":           textureNumber(func(t *texture) uint64 { return t.height }),
		"depth":            textureNumber(func(t *texture) uint64 { return t.depth }),
		"mipmapLevelCount": textureNumber(func(t *texture) uint64 { return t.levels }),
		"sampleCount":      textureNumber(func(t *texture) uint64 { return t.samples }),
		"arrayLength":      textureNumber(func(t *texture) uint64 { return t.array }),
		"usage":            textureNumber(func(t *texture) uint64 { return t.usage }),
		"swizzle":          textureNumber(func(t *texture) uint64 { return t.swizzle }),
		"gpuResourceID":    textureNumber(func(t *texture) uint64 { return uint64(t.handle) }),
		"allowGPUOptimizedContents": adapter.Method(func(t *texture, c *objcsoft.Call) {
			c.ReturnBool(t.optimized)
		}),
		"parentRelativeLevel":  textureNumber(func(t *texture) uint64 { return t.firstLevel }),
		"parentRelativeSlice":  textureNumber(func(t *texture) uint64 { return t.firstSlice }),
		"parentTexture":        textureObject((*texture).parentID),
		"remoteStorageTexture": textureObject((*texture).remoteID),
		"rootResource":         textureObject((*texture).rootID),
		"buffer":               textureObject((*texture).bufferID),
		"bufferOffset":         textureNumber(func(t *texture) uint64 { return t.bufferOffset }),
		"bufferBytesPerRow":    textureNumber(func(t *texture) uint64 { return t.bytesPerRow }),

		"getBytes:bytesPerRow:fromRegion:mipmapLevel:":                         adapter.Method((*texture).getBytes),
		"getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:":     adapter.Method((*texture).getBytesSlice),
		"replaceRegion:mipmapLevel:withBytes:bytesPerRow:":                     adapter.Method((*texture).replace),
		"replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:": adapter.Method((*texture).replaceSlice),
		"newTextureViewWithPixelFormat:":                                       adapter.Method((*texture).newView),
		"newTextureViewWithPixelFormat:textureType:levels:slices:":             adapter.Method((*texture).newViewOf),
		"newTextureViewWithPixelFormat:textureType:levels:slices:swizzle:":     adapter.Method((*texture).newViewSwizzled),
		"newTextureViewWithDescriptor:":                                        adapter.Method((*texture).newViewDescribed),
		"newRemoteTextureViewForDevice:":                                       adapter.Method((*texture).newRemoteView),
	})
	// There are no surfaces of other processes, no sparse textures and no lossy ones.
	for _, sel := range []string{"isFramebufferOnly", "isShareable", "isSparse", "iosurface", "iosurfacePlane", "compressionType",
		"firstMipmapInTail", "tailSizeInBytes", "sparseTextureTier"} {
		m[sel] = adapter.Constantly(0)
	}
	return []adapter.Class{
		{Name: "PMSoftTexture", Protocols: []string{"MTLTexture"}, Methods: m, Dealloc: adapter.DeallocHook((*texture).free)},
		{Name: "MTLTextureViewDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "pixelFormat"}, {Name: "textureType", Value: mtlTextureType2D}, {Name: "levelRange", Values: []uintptr{0, 1}},
			{Name: "sliceRange", Values: []uintptr{0, 1}}, {Name: "swizzle", Value: plainSwizzle},
		}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newTextureWithDescriptor:": adapter.Method((*device).newTexture)}},
		{Name: "PMSoftBuffer", Methods: adapter.Methods{"newTextureWithDescriptor:offset:bytesPerRow:": adapter.Method((*buffer).newTexture)}},
	}
}

func (t *texture) parentID() objcsoft.ID {
	if t.parent != nil {
		return t.parent.id
	}
	return 0
}

func (t *texture) remoteID() objcsoft.ID {
	if t.remote != nil {
		return t.remote.id
	}
	return 0
}

func (t *texture) bufferID() objcsoft.ID {
	if t.buffer != nil {
		return t.buffer.id
	}
	return 0
}

// rootID is what a view is a view of in the end: a texture, or the buffer that it lies in.
func (t *texture) rootID() objcsoft.ID {
	root := t
	for root.parent != nil {
		root = root.parent
	}
	if root.buffer != nil {
		return root.buffer.id
	}
	if root != t {
		return root.id
	}
	return 0
}

func (t *texture) AllocatedSize() uint64 {
	switch {
	case t.block != nil:
		return t.block.Size()
	case t.buffer != nil:
		return t.buffer.AllocatedSize()
	case t.parent != nil:
		return t.parent.AllocatedSize()
	case t.remote != nil:
		return t.remote.AllocatedSize()
	}
	return t.heapSize
}

func (t *texture) Discard() {
	for _, l := range t.image.Levels {
		clear(l.Data)
	}
}

// add gives the texture its image, its handle and its object, +1; nil when the device has no handles left.
func (t *texture) add(levels []texel.Level) objcsoft.ID {
	t.image = &texel.Image{
		Format: t.pixels, Width: int(t.width), Height: int(t.height), Depth: int(t.depth),
		Layers: int(t.slices()), Samples: int(t.samples), Levels: levels, Swizzle: swizzleOf(t.swizzle),
	}
	t.handle = t.device.textureHandles.take()
	if t.handle == 0 {
		return 0
	}
	t.facts = t.factsOf()
	if !t.facts.Remote { // kernels do not reach remote views
		t.device.memory.Space().SetTexture(t.handle, t.image)
	}
	t.id = t.device.driver.New("PMSoftTexture", t)
	t.device.residents.add(textureNumberOf(t.handle), t)
	return t.id
}

// finish answers a call with the texture, whose memory lies in levels.
func (t *texture) finish(c *objcsoft.Call, levels []texel.Level) {
	id := t.add(levels)
	if id == 0 {
		t.release(func(ids ...objcsoft.ID) {
			for _, id := range ids {
				_ = c.RT.Release(id) // it was retained for the texture
			}
		})
	}
	c.ReturnID(id)
}

func (t *texture) free(o *objcsoft.Object) {
	t.device.residents.remove(textureNumberOf(t.handle))
	t.device.memory.Space().SetTexture(t.handle, nil)
	t.device.textureHandles.give(t.handle)
	t.release(o.Drop)
	t.leaveHeap(o)
}

// release gives up what the texture holds but its place in a heap.
func (t *texture) release(drop func(ids ...objcsoft.ID)) {
	if t.block != nil {
		t.device.memory.Free(t.block)
	}
	if t.remote != nil {
		rt, id := t.device.driver.RT, t.remote.id
		t.device.memory.Retire(func() { _ = rt.Release(id) }) // it was retained for the view
	}
	drop(t.parentID(), t.bufferID())
}

func (d *device) newTexture(c *objcsoft.Call) {
	s, ok := d.shapeOf(c, 0)
	if !ok {
		return
	}
	if s.kind == mtlTextureTypeTextureBuffer && s.bytes() > d.maxBufferLength() {
		adapter.Misuse(c, "%d texels of %d bytes are more than a buffer's %d bytes", s.width, s.texelBytes(), d.maxBufferLength())
		return
	}
	block, err := d.memory.Allocate(s.bytes(), memory.Textures)
	if err != nil {
		return // Metal answers nil, without a reason
	}
	t := &texture{resource: resource{device: d, options: s.modes}, textureShape: s, block: block}
	t.finish(c, s.layOut(block.Bytes()))
}

func (d *device) heapTextureSize(c *objcsoft.Call) {
	if s, ok := d.shapeOf(c, 0); ok {
		c.ReturnWords(uintptr(roundUp(s.bytes(), resourceGrain)), resourceGrain)
	}
}

func (h *heap) newTexture(c *objcsoft.Call) {
	s, ok := h.device.shapeOf(c, 0)
	if !ok || !h.checkModes(c, s.modes, mtlHeapTypeAutomatic) {
		return
	}
	if offset, ok := h.take(s.bytes(), resourceGrain); ok {
		h.addTexture(c, s, offset)
	}
}

func (h *heap) newTextureAt(c *objcsoft.Call) {
	s, ok := h.device.shapeOf(c, 0)
	offset := c.Uint(1)
	if ok && h.checkModes(c, s.modes, mtlHeapTypePlacement) && h.place(c, offset, roundUp(s.bytes(), resourceGrain), resourceGrain) {
		h.addTexture(c, s, offset)
	}
}

func (h *heap) addTexture(c *objcsoft.Call, s textureShape, offset uint64) {
	t := &texture{textureShape: s}
	h.hold(c, &t.resource, offset, roundUp(s.bytes(), resourceGrain), s.modes)
	data := h.block.Bytes()[offset : offset+s.bytes()]
	t.finish(c, s.layOut(data[:len(data):len(data)]))
}

// newTexture makes a texture of the buffer's memory.
func (b *buffer) newTexture(c *objcsoft.Call) {
	s, ok := b.device.shapeOf(c, 0)
	if !ok || !b.device.plainFormat(c, s.format) {
		return
	}
	offset, row := c.Uint(1), c.Uint(2)
	linear := s.kind == mtlTextureType2D
	unit, n := uint64(limits.TextureBufferAlignment), uint64(len(b.data))
	if linear {
		unit = limits.LinearTextureAlignment
	}
	need := s.width * s.texelBytes()
	switch {
	case !linear && s.kind != mtlTextureTypeTextureBuffer, s.levels != 1:
		adapter.Misuse(c, "texture type %d with %d levels: textures of buffers are 2D or texture buffers, of one level", s.kind, s.levels)
	case storageMode(s.modes) != storageMode(b.options) || cpuCacheMode(s.modes) != cpuCacheMode(b.options):
		adapter.Misuse(c, "resource options %#x, the buffer's are %#x", s.modes, b.options)
	case offset%unit != 0:
		adapter.Misuse(c, "offset %d is not a multiple of %d", offset, unit)
	case linear && row%unit != 0:
		adapter.Misuse(c, "bytes per row %d is not a multiple of %d", row, unit)
	case row < need && (linear || row != 0):
		adapter.Misuse(c, "bytes per row %d, want at least %d", row, need)
	case offset > n || max(row, need) > (n-offset)/s.height:
		adapter.Misuse(c, "%d rows of %d bytes from offset %d on are past the buffer's %d bytes", s.height, max(row, need), offset, n)
	default:
		if err := c.RT.Retain(b.id); err != nil {
			c.Fail(err)
			return
		}
		size := max(row, need) * s.height
		t := &texture{
			resource: resource{device: b.device, options: b.options}, textureShape: s,
			buffer: b, bufferOffset: offset, bytesPerRow: row,
		}
		data := b.data[offset : offset+size : offset+size]
		t.finish(c, []texel.Level{{Data: data, Row: int(max(row, need)), Plane: int(size), Layer: int(size)}})
	}
}
