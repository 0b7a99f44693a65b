package encode

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// Copies of textures. Texels are stored row by row in plain memory, so a copy copies rows.

// TextureCopies are commands that copy textures.
func TextureCopies[T State]() map[string]func(e T, c *objcsoft.Call, call string) {
	// There is one memory, and texels have one arrangement: nothing is left to do but to check the
	// texture.
	whole := func(e T, c *objcsoft.Call, call string) { e.Base().ownTextureArg(c, 0, call, "texture") }
	part := func(e T, c *objcsoft.Call, call string) { e.Base().checkLevel(c, call) }
	return map[string]func(e T, c *objcsoft.Call, call string){
		"optimizeContentsForGPUAccess:":             whole,
		"optimizeContentsForGPUAccess:slice:level:": part,
		"optimizeContentsForCPUAccess:":             whole,
		"optimizeContentsForCPUAccess:slice:level:": part,
		"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:": func(e T, c *objcsoft.Call, call string) {
			e.Base().copyRegion(c, call)
		},
		"copyFromTexture:toTexture:": func(e T, c *objcsoft.Call, call string) { e.Base().copyTexture(c, call) },
		"copyFromTexture:sourceSlice:sourceLevel:toTexture:destinationSlice:destinationLevel:sliceCount:levelCount:": func(e T, c *objcsoft.Call, call string) {
			e.Base().copySlices(c, call)
		},
		"copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:": func(e T, c *objcsoft.Call, call string) {
			e.Base().copyBufferToTexture(c, call, 0)
		},
		"copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:options:": func(e T, c *objcsoft.Call, call string) {
			e.Base().copyBufferToTexture(c, call, c.Uint(9))
		},
		"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:": func(e T, c *objcsoft.Call, call string) {
			e.Base().copyTextureToBuffer(c, call, 0)
		},
		"copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:options:": func(e T, c *objcsoft.Call, call string) {
			e.Base().copyTextureToBuffer(c, call, c.Uint(9))
		},
		"generateMipmapsForTexture:": func(e T, c *objcsoft.Call, call string) { e.Base().generateMipmaps(c, call) },
	}
}

// checkLevel checks a texture and a level of a slice of it, which are arguments 0, 2 and 1.
func (e *Encoder) checkLevel(c *objcsoft.Call, call string) {
	if t := e.ownTextureArg(c, 0, call, "texture"); t != nil {
		e.levelOf(t, c.Uint(1), c.Uint(2), call)
	}
}

// ownTextureArg is textureArg for textures other than the source of a blit; a remote view can only
// be a source.
func (e *Encoder) ownTextureArg(c *objcsoft.Call, arg int, call, what string) *resource.Texture {
	t := e.textureArg(c, arg, call, what)
	if t != nil && t.IsRemote() {
		e.remoteMisuse(call, what)
		return nil
	}
	return t
}

// textureArg reads a texture, and holds it until the commands have run even where the command
// buffer keeps nothing: its memory is used directly.
func (e *Encoder) textureArg(c *objcsoft.Call, arg int, call, what string) *resource.Texture {
	t, ok := adapter.Payload[*resource.Texture](c, arg)
	switch {
	case c.Failed():
		return nil
	case !ok:
		e.Misuse(call, "%s is nil", what)
		return nil
	case t.Device != e.Owner.Device:
		e.Misuse(call, "%s is of another device", what)
		return nil
	}
	e.needs(call, what, t)
	id, b := c.ID(arg), e.Owner
	if b.RT.Retain(id) == nil {
		b.atEnd(func() { adapter.Release(b.RT, id) })
	}
	return t
}

// levelOf returns the region that is a whole level of a slice.
func (e *Encoder) levelOf(t *resource.Texture, slice, level uint64, call string) (resource.Region, bool) {
	r := resource.Region{Level: level, Slice: slice, Size: [3]uint64{1, 1, 1}}
	if !e.regionIn(t, &r, call, "texture") {
		return r, false
	}
	r.Size = t.LevelSize(level)
	return r, true
}

func (e *Encoder) regionIn(t *resource.Texture, r *resource.Region, call, what string) bool {
	if reason, args := t.Inside(r); reason != "" {
		e.Misuse(call, what+": "+reason, args...)
		return false
	}
	return true
}

func triple(s command.Size) [3]uint64 { return s }

func (e *Encoder) copyRegion(c *objcsoft.Call, call string) {
	from, to := e.textureArg(c, 0, call, "source"), e.ownTextureArg(c, 5, call, "destination")
	if from == nil || to == nil {
		return
	}
	n := triple(Size(c, 4))
	src := resource.Region{Origin: triple(Size(c, 3)), Size: n, Level: c.Uint(2), Slice: c.Uint(1)}
	dst := resource.Region{Origin: triple(Size(c, 8)), Size: n, Level: c.Uint(7), Slice: c.Uint(6)}
	e.copyTexels(from, to, src, dst, call)
}

// copyTexels records the copy of one region.
func (e *Encoder) copyTexels(from, to *resource.Texture, src, dst resource.Region, call string) bool {
	if !e.regionIn(from, &src, call, "source") || !e.regionIn(to, &dst, call, "destination") {
		return false
	}
	if from.TexelBytes() != to.TexelBytes() {
		e.Misuse(call, "pixels of the source have %d bytes, those of the destination %d", from.TexelBytes(), to.TexelBytes())
		return false
	}
	if from.Image == to.Image && src.Level == dst.Level && src.Slice == dst.Slice && overlap(src, dst) {
		e.Misuse(call, "the regions overlap in level %d of slice %d of one texture", src.Level, src.Slice)
		return false
	}
	row := src.Size[0] * from.TexelBytes()
	packed := resource.Rows{Row: row, Image: row * src.Size[1]}
	e.Commands.Copy(call, func(report *command.Copies) error {
		pixels := make([]byte, packed.Image*src.Size[2])
		from.Each(&src, packed, func(texels []byte, at uint64) {
			copy(pixels[at:], texels)
			report.Copied(nil, texels)
		})
		to.Each(&dst, packed, func(texels []byte, at uint64) {
			copy(texels, pixels[at:])
			report.Copied(texels, nil)
		})
		return nil
	})
	return true
}

func overlap(a, b resource.Region) bool {
	for i := range 3 {
		if a.Origin[i] >= b.Origin[i]+b.Size[i] || b.Origin[i] >= a.Origin[i]+a.Size[i] {
			return false
		}
	}
	return true
}

func (e *Encoder) copyTexture(c *objcsoft.Call, call string) {
	from, to := e.textureArg(c, 0, call, "source"), e.ownTextureArg(c, 1, call, "destination")
	if from != nil && to != nil {
		e.copyLevels(from, to, [4]uint64{}, min(from.Slices(), to.Slices()), min(from.Levels, to.Levels), call)
	}
}

func (e *Encoder) copySlices(c *objcsoft.Call, call string) {
	from, to := e.textureArg(c, 0, call, "source"), e.ownTextureArg(c, 3, call, "destination")
	if from == nil || to == nil {
		return
	}
	e.copyLevels(from, to, [4]uint64{c.Uint(1), c.Uint(2), c.Uint(4), c.Uint(5)}, c.Uint(6), c.Uint(7), call)
}

// copyLevels records the copy of whole levels. at is the first slice and level of the source, and
// of the destination.
func (e *Encoder) copyLevels(from, to *resource.Texture, at [4]uint64, slices, levels uint64, call string) {
	if slices == 0 || levels == 0 {
		e.Misuse(call, "%d slices of %d levels, want at least 1 of each", slices, levels)
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
			if src.Size != dst.Size {
				e.Misuse(call, "level %d of the source is %v pixels, level %d of the destination %v", src.Level, src.Size,
					dst.Level, dst.Size)
				return
			}
			if !e.copyTexels(from, to, src, dst, call) {
				return
			}
		}
	}
}

// pixels checks pixels in a buffer against the region of a texture that they are copied to or from.
func (e *Encoder) pixels(c *objcsoft.Call, arg int, offset uint64, t *resource.Texture, r *resource.Region,
	m *resource.Rows, options uint64, call string) (at place, n uint64, ok bool) {
	if options != 0 {
		e.Misuse(call, "options are %#x, want 0: the device has no format to which others apply", options)
		return at, 0, false
	}
	if !e.regionIn(t, r, call, "texture") {
		return at, 0, false
	}
	if offset%uint64(t.Pixels.Size()) != 0 {
		e.Misuse(call, "buffer offset is %d bytes, want a multiple of a pixel's %d", offset, t.Pixels.Size())
		return at, 0, false
	}
	if n, ok = t.Span(r, *m); !ok {
		e.Misuse(call, "%d bytes per row and %d per image do not hold %d x %d x %d pixels of %d bytes", m.Row, m.Image,
			r.Size[0], r.Size[1], r.Size[2], t.TexelBytes())
		return at, 0, false
	}
	span := e.span
	if arg == 0 { // the source
		span = e.readSpan
	}
	at, ok = span(c, arg, offset, n, call, "buffer")
	return at, n, ok
}

func (e *Encoder) copyBufferToTexture(c *objcsoft.Call, call string, options uint64) {
	t := e.ownTextureArg(c, 5, call, "destination")
	if t == nil {
		return
	}
	r := resource.Region{Origin: triple(Size(c, 8)), Size: triple(Size(c, 4)), Level: c.Uint(7), Slice: c.Uint(6)}
	m := resource.Rows{Row: c.Uint(2), Image: c.Uint(3)}
	from, n, ok := e.pixels(c, 0, c.Uint(1), t, &r, &m, options, call)
	if !ok {
		return
	}
	d := e.Owner.Device
	e.Commands.Copy(call, func(report *command.Copies) error {
		src, err := MemoryAt(d, call, "buffer", from.address, n)
		if err == nil {
			t.Each(&r, m, func(texels []byte, at uint64) {
				report.Copied(texels, src[at:][:copy(texels, src[at:])])
			})
		}
		return err
	})
}

func (e *Encoder) copyTextureToBuffer(c *objcsoft.Call, call string, options uint64) {
	t := e.textureArg(c, 0, call, "source")
	if t == nil {
		return
	}
	r := resource.Region{Origin: triple(Size(c, 3)), Size: triple(Size(c, 4)), Level: c.Uint(2), Slice: c.Uint(1)}
	m := resource.Rows{Row: c.Uint(7), Image: c.Uint(8)}
	to, n, ok := e.pixels(c, 5, c.Uint(6), t, &r, &m, options, call)
	if !ok {
		return
	}
	d := e.Owner.Device
	e.Commands.Copy(call, func(report *command.Copies) error {
		dst, err := MemoryAt(d, call, "buffer", to.address, n)
		if err == nil {
			t.Each(&r, m, func(texels []byte, at uint64) {
				report.Copied(dst[at:][:copy(dst[at:], texels)], texels)
			})
		}
		return err
	})
}
