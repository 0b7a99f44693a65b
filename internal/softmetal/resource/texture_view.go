package resource

import (
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// view is what a view of a texture shows.
type view struct {
	format, kind              uint64
	firstLevel, levels        uint64
	firstSlice, slices, order uint64 // order is the swizzle
}

func (t *Texture) all(format uint64) view {
	return view{format: format, kind: t.kind, levels: t.Levels, slices: t.textureShape.Slices(), order: t.swizzle}
}

func (t *Texture) newView(c *objcsoft.Call) { t.makeView(c, t.all(c.Uint(0))) }

func (t *Texture) newViewOf(c *objcsoft.Call) {
	levels, slices := c.Words(2), c.Words(3)
	t.makeView(c, view{c.Uint(0), c.Uint(1), uint64(levels[0]), uint64(levels[1]), uint64(slices[0]), uint64(slices[1]),
		t.swizzle})
}

func (t *Texture) newViewSwizzled(c *objcsoft.Call) {
	levels, slices := c.Words(2), c.Words(3)
	t.makeView(c, view{c.Uint(0), c.Uint(1), uint64(levels[0]), uint64(levels[1]), uint64(slices[0]), uint64(slices[1]),
		c.Uint(4)})
}

func (t *Texture) newViewDescribed(c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	levels, slices := r.Words("levelRange"), r.Words("sliceRange")
	t.makeView(c, view{
		r.Uint("pixelFormat"), r.Uint("textureType"), uint64(levels[0]), uint64(levels[1]), uint64(slices[0]),
		uint64(slices[1]), r.Uint("swizzle"),
	})
}

// check rejects a view of something that the texture does not have.
func (t *Texture) check(c *objcsoft.Call, v view, pixels *texel.Format) bool {
	slices := t.textureShape.Slices()
	switch {
	case pixels.Size() != t.Pixels.Size() || IsDepth(v.format) != IsDepth(t.Format):
		adapter.Misuse(c, "pixel format %s as %s: texels of %d and %d bytes", FormatName(t.Format), FormatName(v.format),
			t.Pixels.Size(), pixels.Size())
	case linearFormat(v.format) != linearFormat(t.Format) && t.usage != metal.TextureUsageUnknown &&
		t.usage&metal.TextureUsagePixelFormatView == 0:
		adapter.Misuse(c, "pixel format %s as %s: the texture's usage %#x lacks pixel format views", FormatName(t.Format),
			FormatName(v.format), t.usage)
	case v.kind > metal.TextureTypeTextureBuffer || dimensions(v.kind) != dimensions(t.kind) ||
		isMultisample(v.kind) != isMultisample(t.kind) ||
		(v.kind == metal.TextureTypeTextureBuffer) != (t.kind == metal.TextureTypeTextureBuffer):
		adapter.Misuse(c, "texture type %d as %d", t.kind, v.kind)
	case isCube(v.kind) && t.width != t.height:
		adapter.Misuse(c, "texture type %d of %d by %d texels, want a square", v.kind, t.width, t.height)
	case v.levels == 0 || v.firstLevel > t.Levels || v.levels > t.Levels-v.firstLevel:
		adapter.Misuse(c, "%d levels from %d on, there are %d", v.levels, v.firstLevel, t.Levels)
	case v.slices == 0 || v.firstSlice > slices || v.slices > slices-v.firstSlice:
		adapter.Misuse(c, "%d slices from %d on, there are %d", v.slices, v.firstSlice, slices)
	case v.kind == metal.TextureTypeCube && v.slices != 6, v.kind == metal.TextureTypeCubeArray && v.slices%6 != 0,
		!isCube(v.kind) && !isArray(v.kind) && v.slices != 1:
		adapter.Misuse(c, "%d slices as texture type %d", v.slices, v.kind)
	case !channels(v.order):
		adapter.Misuse(c, "swizzle %#x: want channels %d to %d", v.order, metal.TextureSwizzleZero, metal.TextureSwizzleAlpha)
	default:
		return true
	}
	return false
}

func (t *Texture) makeView(c *objcsoft.Call, v view) {
	pixels, ok := formatOf(v.format)
	if !ok {
		adapter.Misuse(c, "pixel format %d %q: the device has formats of one pixel to a block and one plane", v.format,
			FormatName(v.format))
		return
	}
	if !t.check(c, v, &pixels) {
		return
	}
	if err := c.RT.Retain(t.ID); err != nil {
		c.Fail(err)
		return
	}
	n := &Texture{
		Resource: Resource{Device: t.Device, Options: t.Options}, textureShape: t.textureShape,
		parent: t, firstLevel: v.firstLevel, firstSlice: v.firstSlice,
	}
	size := t.LevelSize(v.firstLevel)
	n.width, n.height, n.depth = size[0], size[1], size[2]
	n.kind, n.Format, n.Pixels, n.Levels, n.swizzle = v.kind, v.format, pixels, v.levels, v.order
	if n.array = v.slices; isCube(v.kind) {
		n.array /= 6
	}
	var levels []texel.Level
	for _, l := range t.Image.Levels[v.firstLevel : v.firstLevel+v.levels] {
		from := int(v.firstSlice) * l.Layer
		to := min(from+int(v.slices)*l.Layer, len(l.Data))
		levels = append(levels, texel.Level{Data: l.Data[from:to:to], Row: l.Row, Plane: l.Plane, Layer: l.Layer})
	}
	n.finish(c, levels)
}

// newRemoteView makes a texture of another device with the same memory.
func (t *Texture) newRemoteView(c *objcsoft.Call) {
	d := t.peer(c, "texture", t.remote != nil)
	if d == nil {
		return
	}
	n := &Texture{Resource: Resource{Device: d, Options: t.Options}, textureShape: t.textureShape, remote: t}
	n.finish(c, t.Image.Levels)
}
