package resource

import (
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// Texture is the state of an MTLTexture.
type Texture struct {
	Resource
	textureShape
	Handle uint32
	facts  dispatch.Texture // for dispatches
	block  *memory.Block    // nil of a view, in a heap and in a buffer
	Image  *texel.Image

	parent       *Texture // of a view, retained
	remote       *Texture // of a view on another device, retained
	firstLevel   uint64   // of the parent
	firstSlice   uint64
	buffer       *Buffer // whose memory it is, retained
	bufferOffset uint64
	bytesPerRow  uint64
}

func textureNumber(f func(t *Texture) uint64) objcsoft.Imp {
	return adapter.Method(func(t *Texture, c *objcsoft.Call) { c.ReturnUint(f(t)) })
}

// textureObject makes a getter for an object that the texture keeps alive; nil if it has none.
func textureObject(f func(t *Texture) objcsoft.ID) objcsoft.Imp {
	return adapter.Method(func(t *Texture, c *objcsoft.Call) {
		if id := f(t); id != 0 {
			c.ReturnShared(id)
		}
	})
}

func textureStateClasses() []adapter.Class {
	m := ResourceMethods[*Texture](adapter.Methods{
		"textureType":      textureNumber(func(t *Texture) uint64 { return t.kind }),
		"pixelFormat":      textureNumber(func(t *Texture) uint64 { return t.Format }),
		"width":            textureNumber(func(t *Texture) uint64 { return t.width }),
		"height":           textureNumber(func(t *Texture) uint64 { return t.height }),
		"depth":            textureNumber(func(t *Texture) uint64 { return t.depth }),
		"mipmapLevelCount": textureNumber(func(t *Texture) uint64 { return t.Levels }),
		"sampleCount":      textureNumber(func(t *Texture) uint64 { return t.Samples }),
		"arrayLength":      textureNumber(func(t *Texture) uint64 { return t.array }),
		"usage":            textureNumber(func(t *Texture) uint64 { return t.usage }),
		"swizzle":          textureNumber(func(t *Texture) uint64 { return t.swizzle }),
		"gpuResourceID":    textureNumber(func(t *Texture) uint64 { return uint64(t.Handle) }),
		"allowGPUOptimizedContents": adapter.Method(func(t *Texture, c *objcsoft.Call) {
			c.ReturnBool(t.optimized)
		}),
		"seenUses":             adapter.Method((*Texture).seenUses),
		"parentRelativeLevel":  textureNumber(func(t *Texture) uint64 { return t.firstLevel }),
		"parentRelativeSlice":  textureNumber(func(t *Texture) uint64 { return t.firstSlice }),
		"parentTexture":        textureObject((*Texture).parentID),
		"remoteStorageTexture": textureObject((*Texture).remoteID),
		"rootResource":         textureObject((*Texture).rootID),
		"buffer":               textureObject((*Texture).bufferID),
		"bufferOffset":         textureNumber(func(t *Texture) uint64 { return t.bufferOffset }),
		"bufferBytesPerRow":    textureNumber(func(t *Texture) uint64 { return t.bytesPerRow }),

		"getBytes:bytesPerRow:fromRegion:mipmapLevel:":                         adapter.Method((*Texture).getBytes),
		"getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice:":     adapter.Method((*Texture).getBytesSlice),
		"replaceRegion:mipmapLevel:withBytes:bytesPerRow:":                     adapter.Method((*Texture).replace),
		"replaceRegion:mipmapLevel:slice:withBytes:bytesPerRow:bytesPerImage:": adapter.Method((*Texture).replaceSlice),
		"newTextureViewWithPixelFormat:":                                       adapter.Method((*Texture).newView),
		"newTextureViewWithPixelFormat:textureType:levels:slices:":             adapter.Method((*Texture).newViewOf),
		"newTextureViewWithPixelFormat:textureType:levels:slices:swizzle:":     adapter.Method((*Texture).newViewSwizzled),
		"newTextureViewWithDescriptor:":                                        adapter.Method((*Texture).newViewDescribed),
		"newRemoteTextureViewForDevice:":                                       adapter.Method((*Texture).newRemoteView),
	})
	// There are no surfaces of other processes, no sparse textures and no lossy ones.
	for _, sel := range []string{"isFramebufferOnly", "isShareable", "isSparse", "iosurface", "iosurfacePlane",
		"compressionType",
		"firstMipmapInTail", "tailSizeInBytes", "sparseTextureTier"} {
		m[sel] = adapter.Constantly(0)
	}
	return []adapter.Class{
		{Name: "PMSoftTexture", Protocols: []string{"MTLTexture"}, Methods: m, Dealloc: adapter.DeallocHook((*Texture).free)},
		{Name: "MTLTextureViewDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "pixelFormat"}, {Name: "textureType", Value: metal.TextureType2D},
			{Name: "levelRange", Values: []uintptr{0, 1}},
			{Name: "sliceRange", Values: []uintptr{0, 1}}, {Name: "swizzle", Value: plainSwizzle},
		}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newTextureWithDescriptor:": adapter.Method(newTexture)}},
		{Name: "PMSoftBuffer", Methods: adapter.Methods{"newTextureWithDescriptor:offset:bytesPerRow:": adapter.Method((*Buffer).newTexture)}},
	}
}

func (t *Texture) parentID() objcsoft.ID {
	if t.parent != nil {
		return t.parent.ID
	}
	return 0
}

func (t *Texture) remoteID() objcsoft.ID {
	if t.remote != nil {
		return t.remote.ID
	}
	return 0
}

func (t *Texture) bufferID() objcsoft.ID {
	if t.buffer != nil {
		return t.buffer.ID
	}
	return 0
}

// rootID is the ultimate parent of a view: a texture, or the buffer that contains it.
func (t *Texture) rootID() objcsoft.ID {
	root := t
	for root.parent != nil {
		root = root.parent
	}
	if root.buffer != nil {
		return root.buffer.ID
	}
	if root != t {
		return root.ID
	}
	return 0
}

// AllocatedSize returns the memory of the texture in bytes.
func (t *Texture) AllocatedSize() uint64 {
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

// Discard clears the memory of a texture whose purgeable state becomes empty.
func (t *Texture) Discard() {
	for _, l := range t.Image.Levels {
		clear(l.Data)
	}
}

// add gives the texture its image, its handle and its object, +1; nil when the device has no
// handles left.
func (t *Texture) add(levels []texel.Level) objcsoft.ID {
	t.Image = &texel.Image{
		Format: t.Pixels, Width: int(t.width), Height: int(t.height), Depth: int(t.depth),
		Layers: int(t.Slices()), Samples: int(t.Samples), Levels: levels, Swizzle: swizzleOf(t.swizzle),
	}
	t.Handle = t.Device.TextureHandles.Take()
	if t.Handle == 0 {
		return 0
	}
	t.facts = t.factsOf()
	if !t.facts.Remote { // kernels do not reach remote views
		t.Device.Memory.Space().SetTexture(t.Handle, t.Image)
	}
	t.ID = t.Device.Driver.New("PMSoftTexture", t)
	t.Device.Residents.Add(device.TextureNumberOf(t.Handle), t)
	return t.ID
}

// finish returns the texture, whose memory is levels, as the result of a call.
func (t *Texture) finish(c *objcsoft.Call, levels []texel.Level) {
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

// seenUses answers a program that has seen the end of the commands that have used the texture.
func (t *Texture) seenUses(*objcsoft.Call) {
	if t.Image != nil {
		for _, l := range t.Image.Levels {
			t.Device.SeenUses(l.Data)
		}
	}
}

func (t *Texture) free(o *objcsoft.Object) {
	t.Device.Residents.Remove(device.TextureNumberOf(t.Handle))
	t.Device.Memory.Space().SetTexture(t.Handle, nil)
	t.Device.TextureHandles.Give(t.Handle)
	t.release(o.Drop)
	t.leaveHeap(o)
}

// release releases what the texture holds, except its place in a heap.
func (t *Texture) release(drop func(ids ...objcsoft.ID)) {
	if t.block != nil {
		t.Device.Memory.Free(t.block)
	}
	if t.remote != nil {
		rt, id := t.Device.Driver.RT, t.remote.ID
		t.Device.Memory.Retire(func() { _ = rt.Release(id) }) // it was retained for the view
	}
	drop(t.parentID(), t.bufferID())
}

func newTexture(d *device.Device, c *objcsoft.Call) {
	s, ok := shapeOf(d, c, 0)
	if !ok {
		return
	}
	if s.kind == metal.TextureTypeTextureBuffer && s.bytes() > d.MaxBufferLength() {
		adapter.Misuse(c, "%d texels of %d bytes are more than a buffer's %d bytes", s.width, s.TexelBytes(),
			d.MaxBufferLength())
		return
	}
	block, err := d.Memory.Allocate(s.bytes(), memory.Textures)
	if err != nil {
		return // Metal answers nil, without a reason
	}
	d.Renewed(block.Bytes())
	t := &Texture{Resource: Resource{Device: d, Options: s.modes}, textureShape: s, block: block}
	t.finish(c, s.layOut(block.Bytes()))
}

func heapTextureSize(d *device.Device, c *objcsoft.Call) {
	if s, ok := shapeOf(d, c, 0); ok {
		c.ReturnWords(uintptr(roundUp(s.bytes(), resourceGrain)), resourceGrain)
	}
}

func (h *Heap) newTexture(c *objcsoft.Call) {
	s, ok := shapeOf(h.Device, c, 0)
	if !ok || !h.checkModes(c, s.modes, metal.HeapTypeAutomatic) {
		return
	}
	if offset, ok := h.take(s.bytes(), resourceGrain); ok {
		h.addTexture(c, s, offset)
	}
}

func (h *Heap) newTextureAt(c *objcsoft.Call) {
	s, ok := shapeOf(h.Device, c, 0)
	offset := c.Uint(1)
	if ok && h.checkModes(c, s.modes, metal.HeapTypePlacement) && h.place(c, offset, roundUp(s.bytes(), resourceGrain),
		resourceGrain) {
		h.addTexture(c, s, offset)
	}
}

func (h *Heap) addTexture(c *objcsoft.Call, s textureShape, offset uint64) {
	t := &Texture{textureShape: s}
	h.hold(c, &t.Resource, offset, roundUp(s.bytes(), resourceGrain), s.modes)
	data := h.block.Bytes()[offset : offset+s.bytes()]
	h.took(offset, s.bytes(), "a texture")
	h.Device.Written(data) // what kernels write in textures is not followed
	t.finish(c, s.layOut(data[:len(data):len(data)]))
}

// newTexture makes a texture in the buffer's memory.
func (b *Buffer) newTexture(c *objcsoft.Call) {
	s, ok := shapeOf(b.Device, c, 0)
	if !ok || !plainFormat(b.Device, c, s.Format) {
		return
	}
	offset, row := c.Uint(1), c.Uint(2)
	linear := s.kind == metal.TextureType2D
	unit, n := uint64(limits.TextureBufferAlignment), uint64(len(b.Data))
	if linear {
		unit = limits.LinearTextureAlignment
	}
	need := s.width * s.TexelBytes()
	switch {
	case b.IsRemote():
		adapter.Misuse(c, "the buffer is a remote view, which only blits may read")
	case !linear && s.kind != metal.TextureTypeTextureBuffer, s.Levels != 1:
		adapter.Misuse(c, "texture type %d with %d levels: textures of buffers are 2D or texture buffers, of one level",
			s.kind, s.Levels)
	case StorageMode(s.modes) != StorageMode(b.Options) || cpuCacheMode(s.modes) != cpuCacheMode(b.Options):
		adapter.Misuse(c, "resource options %#x, the buffer's are %#x", s.modes, b.Options)
	case offset%unit != 0:
		adapter.Misuse(c, "offset %d is not a multiple of %d", offset, unit)
	case linear && row%unit != 0:
		adapter.Misuse(c, "bytes per row %d is not a multiple of %d", row, unit)
	case row < need && (linear || row != 0):
		adapter.Misuse(c, "bytes per row %d, want at least %d", row, need)
	case offset > n || max(row, need) > (n-offset)/s.height:
		adapter.Misuse(c, "%d rows of %d bytes from offset %d on are past the buffer's %d bytes", s.height, max(row, need),
			offset, n)
	default:
		if err := c.RT.Retain(b.ID); err != nil {
			c.Fail(err)
			return
		}
		size := max(row, need) * s.height
		t := &Texture{
			Resource: Resource{Device: b.Device, Options: b.Options}, textureShape: s,
			buffer: b, bufferOffset: offset, bytesPerRow: row,
		}
		data := b.Data[offset : offset+size : offset+size]
		b.Device.Written(data) // what kernels write in textures is not followed
		t.finish(c, []texel.Level{{Data: data, Row: int(max(row, need)), Plane: int(size), Layer: int(size)}})
	}
}
