package compute

import (
	"context"
	"fmt"
	"image"
	"reflect"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// Texture is an image on the device, or an array of images, that kernels read, sample with
// filtering, and write. T is the Go type of a texel: one, two or four numbers, such as uint8,
// simd.Float4 or color.NRGBA. The pixel format decides how kernels see these numbers; see
// [TextureOptions].
//
// One launch must not write texels that another of its parameters reads; see [Kernel.Bind].
//
// Close a texture when done. If it becomes unreachable without Close, the garbage collector closes
// it some time later, with a warning in the log. Work recorded before Close still runs. A Texture
// is safe for concurrent use.
type Texture[T any] struct {
	owner   stream.Owner
	surface surface
	part    bool // a view, which does not own the memory
}

// AnyTexture is a *[Texture] of any type.
type AnyTexture interface{ asTexture() *surface }

// TextureOptions configures a texture. With zero options, kernels can read the texture, and write
// it if the device can write the pixel format.
type TextureOptions struct {
	Label string
	// Format is the pixel format; its texels must match the Go type. 0 chooses by the Go type:
	//
	//	float32, simd.Half                     R32Float, RG32Float, RGBA32Float, R16Float, ...
	//	uint8, uint16                          R8Unorm, ..., RGBA16Unorm: kernels see 0 to 1
	//	int8, int16                            R8Snorm, ..., RGBA16Snorm: kernels see -1 to 1
	//	uint32, int32                          R32Uint, ..., RGBA32Sint: kernels see integers
	//
	// To have kernels see 8-bit and 16-bit integers as integers, choose a format like RGBA8Uint. The
	// automatic choice is never sRGB. With RGBA8Unorm_sRGB, reads return linear light and writes are
	// encoded again.
	Format mtl.PixelFormat
	// Usage is Metal's usage; 0 allows reads, and writes if the device can write the format. Atomics
	// and views in another format must be requested.
	Usage mtl.TextureUsage
	// HostCopy is as in [BufferOptions].
	HostCopy bool
}

// surface is a texture, or a view of one, without its Go type.
type surface struct {
	mem    *stream.Memory
	metal  *stream.TextureCell // lives as long as the memory
	format *texelFormat
	usage  mtl.TextureUsage
	shape  TextureShape // checked
	// The range of the memory that the surface covers. It has gaps (partial) in a view of some levels
	// of several layers. Metal's own memory layout is unknown; this one serves to compare accesses.
	place    stream.View
	partial  bool
	readOnly bool
	layer    uint // bytes from one layer to the next
	row      uint // bytes from one row of level 0 to the next
}

// textureKey identifies a Metal texture among those that share one memory.
type textureKey struct {
	parent  *stream.TextureCell // of a view
	shape   TextureShape
	format  mtl.PixelFormat
	usage   mtl.TextureUsage
	first   [2]int // level and layer of the parent; offset and row bytes of a buffer
	swizzle mtl.TextureSwizzleChannels
}

// NewTexture makes a texture in private memory; its contents are undefined. Errors: [ErrRange] for
// a size beyond Metal's limits, [ErrLayout] for a T that does not match the format's texels,
// [ErrOption] for a format or usage that kernels do not support on the device, [ErrOutOfMemory].
func NewTexture[T any](a *Accelerator, shape TextureShape, o TextureOptions) (*Texture[T], error) {
	if a.missing() {
		return nil, stream.NilError("NewTexture: the accelerator")
	}
	s, err := a.newSurface(reflect.TypeFor[T](), shape, o)
	if err != nil {
		return nil, err
	}
	t := &Texture[T]{surface: *s}
	t.owner.Own(s.mem)
	return t, nil
}

// newSurface makes a texture and its memory.
func (a *Accelerator) newSurface(texel reflect.Type, shape TextureShape, o TextureOptions) (*surface, error) {
	s := &surface{}
	if err := s.describe(a, texel, shape, o); err != nil {
		return nil, fmt.Errorf("compute: texture %q: %w", o.Label, err)
	}
	if shape.Type == mtl.TextureTypeTextureBuffer {
		return nil, fmt.Errorf("compute: texture %q: a texture buffer needs a buffer; use LinearTexture: %w", o.Label,
			ErrOption)
	}
	s.row = uint(s.shape.Width) * s.format.size()
	s.layer = s.shape.levelBytes(s.shape.Levels, s.format.size())
	s.mem = &stream.Memory{Length: s.layer * uint(s.shape.layers()), Stored: uint8(mtl.StorageModePrivate),
		Label: o.Label}
	s.mem.NeedExtra().Texture = s.String()
	s.place = stream.ViewOf(s.mem, 0, s.mem.Length)
	register := func() error {
		return a.core.Register(s.mem, func() error {
			made, err := s.make(a.device)
			if err != nil {
				return err
			}
			s.metal = &stream.TextureCell{Texture: made}
			s.mem.NeedExtra().Textures = map[any]*stream.TextureCell{nil: s.metal}
			return nil
		})
	}
	if err := a.protect(context.Background(), "a texture", register); err != nil {
		return nil, err
	}
	root := *s
	s.mem.SetSurface(&root)
	if err := keepMemory(s.mem, o.HostCopy); err != nil {
		s.mem.Close()
		return nil, err
	}
	return s, nil
}

// make makes Metal's texture, +1.
func (s *surface) make(device mtl.Device) (mtl.Texture, error) {
	// Streams order their own work; see BufferOptions.
	d, err := s.shape.descriptor(s.format.format, s.usage,
		mtl.MakeResourceOptions(s.mem.Mode(), mtl.CPUCacheModeDefaultCache, mtl.HazardTrackingModeUntracked))
	if err != nil {
		return mtl.Texture{}, err
	}
	defer d.Release()
	made, err := device.NewTexture(d)
	if err == nil && s.mem.Label != "" {
		made.SetLabel(s.mem.Label)
	}
	return made, err
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
	if t.missing() {
		return nil
	}
	return &t.surface
}

// Close closes the texture and its views. Closing a closed texture or a view does nothing.
func (t *Texture[T]) Close() {
	if t.missing() || t.part {
		return
	}
	t.owner.Close()
}

// Shape returns the texture's type and size; sizes that were given as zero are one.
func (t *Texture[T]) Shape() TextureShape {
	if t.missing() {
		return TextureShape{}
	}
	return t.surface.shape
}

// Bounds returns the rectangle of level 0, with its origin at (0, 0).
func (t *Texture[T]) Bounds() image.Rectangle {
	if t.missing() {
		return image.Rectangle{}
	}
	return t.surface.bounds()
}

func (s *surface) bounds() image.Rectangle { return image.Rect(0, 0, s.shape.Width, s.shape.Height) }

// Len returns the number of texels of level 0 in all layers, which is the length of the slices for
// [Texture.Upload] and [Texture.Download].
func (t *Texture[T]) Len() int {
	if t.missing() {
		return 0
	}
	return t.surface.texels()
}

func (s *surface) texels() int {
	return s.shape.Width * s.shape.Height * s.shape.Depth * s.shape.layers()
}

// Format returns the pixel format.
func (t *Texture[T]) Format() mtl.PixelFormat {
	if t.missing() {
		return 0
	}
	return t.surface.format.format
}

// ID returns a number that is unique among the textures and buffers of the accelerator. Views have
// the ID of their texture, and a texture backed by a buffer has the buffer's.
func (t *Texture[T]) ID() uint64 {
	if t.missing() {
		return 0
	}
	return t.surface.mem.Id
}

// Label returns the label that the texture was made with.
func (t *Texture[T]) Label() string {
	if t.missing() {
		return ""
	}
	return t.surface.mem.Label
}

// Metal returns Metal's texture, for features that this package does not wrap. It is valid until
// Close. A launch that takes it as an argument is not ordered with launches that take the Texture.
func (t *Texture[T]) Metal() mtl.Texture {
	if t.missing() {
		return mtl.Texture{}
	}
	return t.surface.metal.Texture
}
