package resource

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// textureShape is what a texture descriptor says.
type textureShape struct {
	kind                 uint64 // MTLTextureType
	Format               uint64
	Pixels               texel.Format
	width, height, depth uint64
	Levels, Samples      uint64
	array                uint64
	modes, usage         uint64 // modes are MTLResourceOptions
	swizzle              uint64 // four bytes
	optimized            bool
}

func textureClasses() []adapter.Class {
	square := func(r *adapter.Record, c *objcsoft.Call, width, height uint64, mipmapped bool) {
		r.SetUint("pixelFormat", c.Uint(0))
		r.SetUint("width", width)
		r.SetUint("height", height)
		if mipmapped {
			r.SetUint("mipmapLevelCount", uint64(bits.Len64(max(width, height))))
		}
	}
	make := func(f func(r *adapter.Record, c *objcsoft.Call)) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			id := adapter.NewInstance(c.RT, c.Class().Name)
			if r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id); ok {
				f(r, c)
			}
			c.ReturnAutoreleased(id)
		}
	}
	return append([]adapter.Class{{
		Name: "MTLTextureDescriptor", Protocols: []string{"NSCopying"},
		Properties: adapter.Properties{
			{Name: "textureType", Value: metal.TextureType2D}, {Name: "pixelFormat", Value: metal.PixelFormatRGBA8Unorm},
			{Name: "width", Value: 1}, {Name: "height", Value: 1}, {Name: "depth", Value: 1},
			{Name: "mipmapLevelCount", Value: 1}, {Name: "sampleCount", Value: 1}, {Name: "arrayLength", Value: 1},
			{Name: "resourceOptions"}, {Name: "usage", Value: metal.TextureUsageShaderRead},
			{Name: "allowGPUOptimizedContents", Value: 1}, {Name: "compressionType"}, {Name: "placementSparsePageSize"},
			{Name: "swizzle", Value: plainSwizzle},
		},
		Methods: optionProperties(adapter.Methods{}),
		ClassMethods: adapter.Methods{
			"texture2DDescriptorWithPixelFormat:width:height:mipmapped:": make(func(r *adapter.Record, c *objcsoft.Call) {
				square(r, c, c.Uint(1), c.Uint(2), c.Bool(3))
			}),
			"textureCubeDescriptorWithPixelFormat:size:mipmapped:": make(func(r *adapter.Record, c *objcsoft.Call) {
				r.SetUint("textureType", metal.TextureTypeCube)
				square(r, c, c.Uint(1), c.Uint(1), c.Bool(2))
			}),
			"textureBufferDescriptorWithPixelFormat:width:resourceOptions:usage:": make(func(r *adapter.Record,
				c *objcsoft.Call) {
				r.SetUint("textureType", metal.TextureTypeTextureBuffer)
				square(r, c, c.Uint(1), 1, false)
				r.SetUint("resourceOptions", c.Uint(2))
				r.SetUint("usage", c.Uint(3))
			}),
		},
	}}, textureStateClasses()...)
}

// plainSwizzle is red, green, blue, alpha.
const plainSwizzle = metal.TextureSwizzleRed | metal.TextureSwizzleGreen<<8 | metal.TextureSwizzleBlue<<16 | metal.TextureSwizzleAlpha<<24

// channels reports whether each byte of a swizzle names a channel.
func channels(order uint64) bool {
	for i := range 4 {
		if order>>(8*i)&0xff > metal.TextureSwizzleAlpha {
			return false
		}
	}
	return true
}

// swizzleOf returns a swizzle in the engine's terms, or nil for the identity.
func swizzleOf(order uint64) *texel.Swizzle {
	if order == plainSwizzle {
		return nil
	}
	var s texel.Swizzle
	for i := range s {
		switch order >> (8 * i) & 0xff {
		case metal.TextureSwizzleZero:
			s[i] = texel.Zero
		case metal.TextureSwizzleOne:
			s[i] = texel.One
		case metal.TextureSwizzleRed:
			s[i] = texel.Red
		case metal.TextureSwizzleGreen:
			s[i] = texel.Green
		case metal.TextureSwizzleBlue:
			s[i] = texel.Blue
		case metal.TextureSwizzleAlpha:
			s[i] = texel.Alpha
		}
	}
	return &s
}

func isCube(kind uint64) bool {
	return kind == metal.TextureTypeCube || kind == metal.TextureTypeCubeArray
}

func isArray(kind uint64) bool {
	return kind == metal.TextureType1DArray || kind == metal.TextureType2DArray || kind == metal.TextureTypeCubeArray ||
		kind == metal.TextureType2DMultisampleArray
}

func isMultisample(kind uint64) bool {
	return kind == metal.TextureType2DMultisample || kind == metal.TextureType2DMultisampleArray
}

func dimensions(kind uint64) int {
	switch kind {
	case metal.TextureType1D, metal.TextureType1DArray, metal.TextureTypeTextureBuffer:
		return 1
	case metal.TextureType3D:
		return 3
	}
	return 2
}

// shapeOf reads and checks a texture descriptor; false after the call has failed.
func shapeOf(d *device.Device, c *objcsoft.Call, arg int) (s textureShape, ok bool) {
	r := adapter.RecordArg(c, arg, "descriptor")
	if r == nil {
		return s, false
	}
	s = textureShape{
		kind: r.Uint("textureType"), Format: r.Uint("pixelFormat"),
		width: r.Uint("width"), height: r.Uint("height"), depth: r.Uint("depth"),
		Levels: r.Uint("mipmapLevelCount"), Samples: r.Uint("sampleCount"), array: r.Uint("arrayLength"),
		modes: r.Uint("resourceOptions"), usage: r.Uint("usage"), swizzle: r.Uint("swizzle"),
		optimized: r.Bool("allowGPUOptimizedContents"),
	}
	s.Pixels, ok = formatOf(s.Format)
	if !ok {
		adapter.Misuse(c, "pixel format %d %q: the device has formats of one pixel to a block and one plane", s.Format,
			FormatName(s.Format))
		return s, false
	}
	return s, CheckOptions(c, s.modes) && s.check(c)
}

func (s *textureShape) check(c *objcsoft.Call) bool {
	widest, tallest, deepest, longest := uint64(limits.MaxTextureSize2D), uint64(limits.MaxTextureSize2D), uint64(1),
		uint64(1)
	switch {
	case s.kind == metal.TextureTypeTextureBuffer:
		widest, tallest = limits.MaxTextureBufferWidth, 1
	case s.kind > metal.TextureTypeTextureBuffer:
		adapter.Misuse(c, "texture type %d is none", s.kind)
		return false
	case dimensions(s.kind) == 1:
		tallest = 1
	case dimensions(s.kind) == 3:
		widest, tallest, deepest = limits.MaxTextureSize3D, limits.MaxTextureSize3D, limits.MaxTextureSize3D
	}
	switch {
	case s.kind == metal.TextureTypeCubeArray:
		longest = limits.MaxTextureArrayLength / 6
	case isArray(s.kind):
		longest = limits.MaxTextureArrayLength
	}
	most := uint64(bits.Len64(max(s.width, s.height, s.depth)))
	if isMultisample(s.kind) || dimensions(s.kind) == 1 {
		most = 1
	}
	for _, n := range [...]struct {
		what       string
		value, max uint64
	}{
		{"width", s.width, widest}, {"height", s.height, tallest}, {"depth", s.depth, deepest},
		{"array length", s.array, longest}, {"mipmap level count", s.Levels, most},
	} {
		if n.value == 0 || n.value > n.max {
			adapter.Misuse(c, "%s is %d, want 1 to %d for texture type %d", n.what, n.value, n.max, s.kind)
			return false
		}
	}
	mode := StorageMode(s.modes)
	switch {
	case !channels(s.swizzle):
		adapter.Misuse(c, "swizzle %#x: want channels %d to %d", s.swizzle, metal.TextureSwizzleZero,
			metal.TextureSwizzleAlpha)
	case s.swizzle != plainSwizzle && s.usage&metal.TextureUsageRenderTarget != 0:
		adapter.Misuse(c, "swizzle %#x with usage %#x: the channels of a render target stay as they are", s.swizzle, s.usage)
	case isCube(s.kind) && s.width != s.height:
		adapter.Misuse(c, "a cube of %d by %d, want a square", s.width, s.height)
	case isMultisample(s.kind) && s.Samples != 2 && s.Samples != 4, !isMultisample(s.kind) && s.Samples != 1:
		adapter.Misuse(c, "sample count is %d, want 1, or 2 or 4 of a multisample texture", s.Samples)
	case IsDepth(s.Format) && dimensions(s.kind) != 2:
		adapter.Misuse(c, "pixel format %s does not go with texture type %d", FormatName(s.Format), s.kind)
	case mode == metal.StorageModeMemoryless &&
		s.usage&^metal.TextureUsagePixelFormatView != metal.TextureUsageRenderTarget:
		adapter.Misuse(c, "storage mode memoryless is for render targets only, usage is %#x", s.usage)
	case CPUReaches(s.modes) && (isMultisample(s.kind) || IsDepth(s.Format)):
		adapter.Misuse(c, "storage mode %d: depth, stencil and multisample textures are private", mode)
	default:
		return true
	}
	return false
}

// Slices is how many slices a texture has: elements of an array, each of six faces in a cube.
func (s *textureShape) Slices() uint64 {
	if isCube(s.kind) {
		return 6 * s.array
	}
	return s.array
}

// LevelSize is the size of a mipmap level.
func (s *textureShape) LevelSize(level uint64) [3]uint64 {
	return [3]uint64{max(s.width>>level, 1), max(s.height>>level, 1), max(s.depth>>level, 1)}
}

// TexelBytes is what a texel takes with all its samples.
func (s *textureShape) TexelBytes() uint64 { return uint64(s.Pixels.Size()) * s.Samples }

// bytes returns what all levels and slices take.
func (s *textureShape) bytes() uint64 {
	var n uint64
	for l := range s.Levels {
		size := s.LevelSize(l)
		n += size[0] * size[1] * size[2] * s.TexelBytes() * s.Slices()
	}
	return n
}

// layOut divides memory among the levels, each without gaps: x goes fastest, then y, z, slice.
func (s *textureShape) layOut(data []byte) []texel.Level {
	var out []texel.Level
	var at uint64
	for l := range s.Levels {
		size := s.LevelSize(l)
		row := size[0] * s.TexelBytes()
		plane := row * size[1]
		layer := plane * size[2]
		end := at + layer*s.Slices()
		out = append(out, texel.Level{Data: data[at:end:end], Row: int(row), Plane: int(plane), Layer: int(layer)})
		at = end
	}
	return out
}
