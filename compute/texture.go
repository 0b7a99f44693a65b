package compute

import (
	"fmt"
	"image"
	"reflect"

	"github.com/puremetal/puremetal/mtl"
)

// Texture is an image on the device, or an array of images, which kernels read at positions, sample
// between them and write. T is a texel as Go sees it: a number, or 2 or 4 of them, such as uint8,
// simd.Float4 or color.NRGBA. Kernels see the numbers as the pixel format says; see
// [TextureOptions].
//
// A texture is closed by Close; one that becomes unreachable is closed by the garbage collector
// some time later, with a warning in the log. Work recorded before Close still runs. A Texture is
// safe for concurrent use.
type Texture[T any] struct {
	owner   owner
	surface surface
	part    bool // a view, which does not own the memory
}

// AnyTexture is a *[Texture] of any type.
type AnyTexture interface{ asTexture() *surface }

// TextureOptions configures a texture. Zero options make one that kernels read, and write if the
// device can.
type TextureOptions struct {
	Label string
	// Format is the pixel format, which must have texels of the Go type; 0 chooses by the type:
	//
	//	float32, simd.Half                     R32Float, RG32Float, RGBA32Float, R16Float, ...
	//	uint8, uint16                          R8Unorm, ..., RGBA16Unorm: kernels see 0 to 1
	//	int8, int16                            R8Snorm, ..., RGBA16Snorm: kernels see -1 to 1
	//	uint32, int32                          R32Uint, ..., RGBA32Sint: kernels see integers
	//
	// Kernels see small integers as such with formats like RGBA8Uint. No choice is ever sRGB: with
	// RGBA8Unorm_sRGB kernels see linear light, and what they write is encoded again.
	Format mtl.PixelFormat
	// Usage is what the texture is for, 0 for reads and, where kernels of the device write the
	// format, writes. Atomics and views in another format have to be asked for.
	Usage mtl.TextureUsage
}

// surface is a texture, or a view of one, without its Go type.
type surface struct {
	mem    *memory
	metal  mtl.Texture // lives as long as the memory
	format *texelFormat
	usage  mtl.TextureUsage
	shape  TextureShape // checked
	// The bytes of the memory that the texture has, of which a view of some levels of several layers
	// leaves out a part. Metal's own order of texels is unknown; this one serves to compare accesses.
	place    view
	partial  bool
	readOnly bool
	layer    uint // bytes from one layer to the next
	row      uint // bytes from one row of level 0 to the next
}

// textureKey tells the Metal textures of one memory apart.
type textureKey struct {
	parent  mtl.Texture // of a view
	shape   TextureShape
	format  mtl.PixelFormat
	usage   mtl.TextureUsage
	first   [2]int // level and layer of the parent; offset and row bytes of a buffer
	swizzle mtl.TextureSwizzleChannels
}

// NewTexture makes a texture of undefined contents, in memory that only the device sees. Errors:
// [ErrRange] for a size beyond the device's, [ErrLayout] for a T that is no texel of the format,
// [ErrOption] for a format or usage that kernels of the device do not have, [ErrOutOfMemory].
func NewTexture[T any](a *Accelerator, shape TextureShape, o TextureOptions) (*Texture[T], error) {
	if a == nil {
		return nil, nilError("NewTexture: the accelerator")
	}
	s, err := a.newSurface(reflect.TypeFor[T](), shape, o)
	if err != nil {
		return nil, err
	}
	t := &Texture[T]{surface: *s}
	t.owner.own(s.mem)
	return t, nil
}

// newSurface makes a texture and its memory.
func (a *Accelerator) newSurface(texel reflect.Type, shape TextureShape, o TextureOptions) (*surface, error) {
	s := &surface{}
	if err := s.describe(a, texel, shape, o); err != nil {
		return nil, fmt.Errorf("compute: texture %q: %w", o.Label, err)
	}
	if shape.Type == mtl.TextureTypeTextureBuffer {
		return nil, fmt.Errorf("compute: texture %q: texture buffers are made of buffers, by Buffer.Texture: %w", o.Label,
			ErrOption)
	}
	s.row = uint(s.shape.Width) * s.format.size()
	s.layer = s.shape.levelBytes(s.shape.Levels, s.format.size())
	s.mem = &memory{length: s.layer * uint(s.shape.layers()), mode: mtl.StorageModePrivate, label: o.Label,
		texture: s.String()}
	s.place = view{s.mem, 0, s.mem.length}
	return s, a.register(s.mem, func() error {
		// Streams order their own work; see BufferOptions.
		d, err := s.shape.descriptor(s.format.format, s.usage,
			mtl.MakeResourceOptions(s.mem.mode, mtl.CPUCacheModeDefaultCache, mtl.HazardTrackingModeUntracked))
		if err != nil {
			return err
		}
		defer d.Release()
		if s.metal, err = a.device.NewTexture(d); err != nil {
			return err
		}
		if o.Label != "" {
			s.metal.SetLabel(o.Label)
		}
		s.mem.textures = map[textureKey]mtl.Texture{{}: s.metal}
		return nil
	})
}

// describe checks shape, format and usage.
func (s *surface) describe(a *Accelerator, texel reflect.Type, shape TextureShape, o TextureOptions) (err error) {
	if s.shape, err = shape.checked(); err != nil {
		return err
	}
	if s.format, err = formatFor(texel, o.Format); err != nil {
		return err
	}
	s.usage, err = s.format.usage(o.Usage, a.info)
	return err
}

// String returns "2D 640x480x1 RGBA8Unorm".
func (s *surface) String() string { return fmt.Sprintf("%v %s", s.shape, formatName(s.format.format)) }

func (t *Texture[T]) asTexture() *surface {
	if t == nil {
		return nil
	}
	return &t.surface
}

// Close closes the texture and its views. A second Close, and one of a view, does nothing.
func (t *Texture[T]) Close() {
	if t == nil || t.part {
		return
	}
	t.owner.close()
}

// Shape returns type and size, with one where there was a zero.
func (t *Texture[T]) Shape() TextureShape {
	if t == nil {
		return TextureShape{}
	}
	return t.surface.shape
}

// Bounds returns the rectangle of level 0, from 0, 0.
func (t *Texture[T]) Bounds() image.Rectangle {
	shape := t.Shape()
	return image.Rect(0, 0, shape.Width, shape.Height)
}

// Len returns how many texels level 0 has in all layers: the length of the slices that
// [Texture.Upload] and [Texture.Download] take.
func (t *Texture[T]) Len() int {
	shape := t.Shape()
	return shape.Width * shape.Height * shape.Depth * shape.layers()
}

// Format returns the pixel format.
func (t *Texture[T]) Format() mtl.PixelFormat {
	if t == nil {
		return 0
	}
	return t.surface.format.format
}

// ID returns a number that no other texture or buffer of the accelerator has; views share it, and a
// texture of a buffer has the buffer's.
func (t *Texture[T]) ID() uint64 {
	if t == nil {
		return 0
	}
	return t.surface.mem.id
}

// Label returns the label that the texture was made with.
func (t *Texture[T]) Label() string {
	if t == nil {
		return ""
	}
	return t.surface.mem.label
}

// Metal returns Metal's texture, for features that this package does not wrap. It lives until
// Close. A launch that gets it as an argument is not ordered with launches that get the Texture.
func (t *Texture[T]) Metal() mtl.Texture {
	if t == nil {
		return mtl.Texture{}
	}
	return t.surface.metal
}
