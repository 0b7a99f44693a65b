package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// Copies of textures. Texels lie row by row in plain memory, so a copy is one of rows.

func textureCopies[T encoderState]() map[string]func(e T, c *objcsoft.Call, call string) {
	// There is one memory, and texels have one arrangement: nothing is left to do but to check the texture.
	whole := func(e T, c *objcsoft.Call, call string) { e.base().textureArg(c, 0, call, "texture") }
	part := func(e T, c *objcsoft.Call, call string) { e.base().checkLevel(c, call) }
	return map[string]func(e T, c *objcsoft.Call, call string){
		"optimizeContentsForGPUAccess:":             whole,
		"optimizeContentsForGPUAccess:slice:level:": part,
		"optimizeContentsForCPUAccess:":             whole,
		"optimizeContentsForCPUAccess:slice:level:": part,
		"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:": func(e T, c *objcsoft.Call, call string) {
			e.base().copyRegion(c, call)
		},
		"copyFromTexture:toTexture:": func(e T, c *objcsoft.Call, call string) { e.base().copyTexture(c, call) },
		"copyFromTexture:sourceSlice:sourceLevel:toTexture:destinationSlice:destinationLevel:sliceCount:levelCount:": func(e T, c *objcsoft.Call, call string) {
			e.base().copySlices(c, call)
		},
		"copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:": func(e T, c *objcsoft.Call, call string) {
			e.base().copyBufferToTexture(c, call, 0)
		},
		"copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:options:": func(e T, c *objcsoft.Call, call string) {
			e.base().copyBufferToTexture(c, call, c.Uint(9))
		},
		"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:": func(e T, c *objcsoft.Call, call string) {
			e.base().copyTextureToBuffer(c, call, 0)
		},
		"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:options:": func(e T, c *objcsoft.Call, call string) {
			e.base().copyTextureToBuffer(c, call, c.Uint(9))
		},
		"generateMipmapsForTexture:": func(e T, c *objcsoft.Call, call string) { e.base().generateMipmaps(c, call) },
	}
}

// checkLevel checks a texture and a level of a slice of it, which are arguments 0, 2 and 1.
func (e *encoder) checkLevel(c *objcsoft.Call, call string) {
	if t := e.textureArg(c, 0, call, "texture"); t != nil {
		e.levelOf(t, c.Uint(1), c.Uint(2), call)
	}
}

// textureArg reads a texture, and holds it until the commands have run even where the command buffer keeps nothing: its memory is used directly.
func (e *encoder) textureArg(c *objcsoft.Call, arg int, call, what string) *texture {
	t, ok := adapter.Payload[*texture](c, arg)
	switch {
	case c.Failed():
		return nil
	case !ok:
		e.misuse(call, "%s is nil", what)
		return nil
	case t.device != e.owner.dev:
		e.misuse(call, "%s is of another device", what)
		return nil
	}
	e.needs(call, what, t)
	id, b := c.ID(arg), e.owner
	if b.rt.Retain(id) == nil {
		b.atEnd(func() { adapter.Release(b.rt, id) })
	}
	return t
}

// levelOf returns the region that is a whole level of a slice.
func (e *encoder) levelOf(t *texture, slice, level uint64, call string) (region, bool) {
	r := region{level: level, slice: slice, size: [3]uint64{1, 1, 1}}
	if !e.regionIn(t, &r, call, "texture") {
		return r, false
	}
	r.size = t.levelSize(level)
	return r, true
}

func (e *encoder) regionIn(t *texture, r *region, call, what string) bool {
	if reason, args := t.inside(r); reason != "" {
		e.misuse(call, what+": "+reason, args...)
		return false
	}
	return true
}

func triple(s command.Size) [3]uint64 { return s }

func (e *encoder) copyRegion(c *objcsoft.Call, call string) {
	from, to := e.textureArg(c, 0, call, "source"), e.textureArg(c, 5, call, "destination")
	if from == nil || to == nil {
		return
	}
	n := triple(size(c, 4))
	src := region{origin: triple(size(c, 3)), size: n, level: c.Uint(2), slice: c.Uint(1)}
	dst := region{origin: triple(size(c, 8)), size: n, level: c.Uint(7), slice: c.Uint(6)}
	e.copyTexels(from, to, src, dst, call)
}

// copyTexels records the copy of one region.
func (e *encoder) copyTexels(from, to *texture, src, dst region, call string) bool {
	if !e.regionIn(from, &src, call, "source") || !e.regionIn(to, &dst, call, "destination") {
		return false
	}
	if from.texelBytes() != to.texelBytes() {
		e.misuse(call, "pixels of the source have %d bytes, those of the destination %d", from.texelBytes(), to.texelBytes())
		return false
	}
	if from.image == to.image && src.level == dst.level && src.slice == dst.slice && overlap(src, dst) {
		e.misuse(call, "the regions overlap in level %d of slice %d of one texture", src.level, src.slice)
		return false
	}
	row := src.size[0] * from.texelBytes()
	packed := rows{row, row * src.size[1]}
	e.rec.Do(call, func() error {
		pixels := make([]byte, packed.image*src.size[2])
		from.each(&src, packed, func(texels []byte, at uint64) { copy(pixels[at:], texels) })
		to.each(&dst, packed, func(texels []byte, at uint64) { copy(texels, pixels[at:]) })
		return nil
	})
	return true
}

func overlap(a, b region) bool {
	for i := range 3 {
		if a.origin[i] >= b.origin[i]+b.size[i] || b.origin[i] >= a.origin[i]+a.size[i] {
			return false
		}
	}
	return true
}

func (e *encoder) copyTexture(c *objcsoft.Call, call string) {
	from, to := e.textureArg(c, 0, call, "source"), e.textureArg(c, 1, call, "destination")
	if from != nil && to != nil {
		e.copyLevels(from, to, [4]uint64{}, min(from.slices(), to.slices()), min(from.levels, to.levels), call)
	}
}

func (e *encoder) copySlices(c *objcsoft.Call, call string) {
	from, to := e.textureArg(c, 0, call, "source"), e.textureArg(c, 3, call, "destination")
	if from == nil || to == nil {
		return
	}
	e.copyLevels(from, to, [4]uint64{c.Uint(1), c.Uint(2), c.Uint(4), c.Uint(5)}, c.Uint(6), c.Uint(7), call)
}

// copyLevels records the copy of whole levels. at is the first slice and level of the source, and of the destination.
func (e *encoder) copyLevels(from, to *texture, at [4]uint64, slices, levels uint64, call string) {
	if slices == 0 || levels == 0 {
		e.misuse(call, "%d slices of %d levels, want at least 1 of each", slices, levels)
		return
	}
	for s := range slices {
		for l := range levels {
			src, ok := e.levelOf(from, at[0]+s, at[1]+l, call)
			if !ok {
				return
			}
			dst, ok := e.levelOf(to, at[2]+s, at[3]+l, call)
			if !ok {
				return
			}
			if src.size != dst.size {
				e.misuse(call, "level %d of the source is %v pixels, level %d of the destination %v", src.level, src.size, dst.level, dst.size)
				return
			}
			if !e.copyTexels(from, to, src, dst, call) {
				return
			}
		}
	}
}

// pixels checks pixels in a buffer against the region of a texture that they are copied to or from.
func (e *encoder) pixels(c *objcsoft.Call, arg int, offset uint64, t *texture, r *region, m *rows, options uint64, call string) (at place, n uint64, ok bool) {
	if options != 0 {
		e.misuse(call, "options are %#x, want 0: the device has no format to which others apply", options)
		return at, 0, false
	}
	if !e.regionIn(t, r, call, "texture") {
		return at, 0, false
	}
	if offset%uint64(t.pixels.Size()) != 0 {
		e.misuse(call, "buffer offset is %d bytes, want a multiple of a pixel's %d", offset, t.pixels.Size())
		return at, 0, false
	}
	if n, ok = t.span(r, *m); !ok {
		e.misuse(call, "%d bytes per row and %d per image do not hold %d x %d x %d pixels of %d bytes", m.row, m.image, r.size[0], r.size[1], r.size[2], t.texelBytes())
		return at, 0, false
	}
	span := e.span
	if arg == 0 { // the source
		span = e.readSpan
	}
	at, ok = span(c, arg, offset, n, call, "buffer")
	return at, n, ok
}

func (e *encoder) copyBufferToTexture(c *objcsoft.Call, call string, options uint64) {
	t := e.textureArg(c, 5, call, "destination")
	if t == nil {
		return
	}
	r := region{origin: triple(size(c, 8)), size: triple(size(c, 4)), level: c.Uint(7), slice: c.Uint(6)}
	m := rows{c.Uint(2), c.Uint(3)}
	from, n, ok := e.pixels(c, 0, c.Uint(1), t, &r, &m, options, call)
	if !ok {
		return
	}
	d := e.owner.dev
	e.rec.Do(call, func() error {
		src, err := d.memoryAt(call, "buffer", from.address, n)
		if err == nil {
			t.each(&r, m, func(texels []byte, at uint64) { copy(texels, src[at:]) })
		}
		return err
	})
}

func (e *encoder) copyTextureToBuffer(c *objcsoft.Call, call string, options uint64) {
	t := e.textureArg(c, 0, call, "source")
	if t == nil {
		return
	}
	r := region{origin: triple(size(c, 3)), size: triple(size(c, 4)), level: c.Uint(2), slice: c.Uint(1)}
	m := rows{c.Uint(7), c.Uint(8)}
	to, n, ok := e.pixels(c, 5, c.Uint(6), t, &r, &m, options, call)
	if !ok {
		return
	}
	d := e.owner.dev
	e.rec.Do(call, func() error {
		dst, err := d.memoryAt(call, "buffer", to.address, n)
		if err == nil {
			t.each(&r, m, func(texels []byte, at uint64) { copy(dst[at:], texels) })
		}
		return err
	})
}
