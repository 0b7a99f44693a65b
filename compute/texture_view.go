package compute

import (
	"fmt"
	"reflect"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// TextureView selects the part of a texture that a view shows, and how. The zero TextureView shows
// all of it, unchanged.
type TextureView struct {
	// Format is the pixel format of the view, 0 for the texture's. Its texels must have the same size.
	// If the formats differ in more than sRGB, the texture needs TextureUsagePixelFormatView.
	Format mtl.PixelFormat
	// Type is the type of the view. If it is nil, a view of all layers has the texture's type, and a
	// view of some layers the type for that number: a single image, a cube, or an array.
	Type          *mtl.TextureType
	Level, Levels int // the first level and the number of levels; 0 means all from the first on
	Layer, Layers int // the first layer and the number of layers, likewise; a cube has six layers
	// Swizzle, if not nil, rearranges the channels that kernels read. Writes ignore it.
	Swizzle *mtl.TextureSwizzleChannels
}

// ViewTexture returns a view of a texture: a part of it, or all of it in another format. The view
// shares the texture's memory and lifetime. Launches that use overlapping views, or a texture and
// its view, are ordered like launches that use overlapping parts of a buffer.
func ViewTexture[U, T any](t *Texture[T], o TextureView) (*Texture[U], error) {
	if t.missing() {
		return nil, stream.NilError("ViewTexture: the texture")
	}
	if o.Format == 0 {
		o.Format = t.Format()
	}
	s, err := t.surface.view(reflect.TypeFor[U](), o)
	if err != nil {
		return nil, fmt.Errorf("compute: view of %v: %w", t.surface.mem, err)
	}
	return shared[U](s, &t.owner), nil
}

// shared returns a texture that shares the memory of an owner.
func shared[T any](s *surface, o *stream.Owner) *Texture[T] {
	t := &Texture[T]{surface: *s, part: true}
	t.owner.Share(o)
	return t
}

// Level returns a view of one mipmap level; see [ViewTexture].
func (t *Texture[T]) Level(n int) (*Texture[T], error) {
	return ViewTexture[T](t, TextureView{Level: n, Levels: 1})
}

// Layer returns a view of one layer of an array or cube; see [ViewTexture].
func (t *Texture[T]) Layer(n int) (*Texture[T], error) {
	return ViewTexture[T](t, TextureView{Layer: n, Layers: 1})
}

// view makes a view.
func (s *surface) view(texel reflect.Type, o TextureView) (*surface, error) {
	for _, part := range []struct {
		what     string
		first, n int
		count    *int
		all      int
	}{
		{"level", o.Level, o.Levels, &o.Levels, s.shape.Levels}, {"layer", o.Layer, o.Layers, &o.Layers, s.shape.layers()},
	} {
		if part.first < 0 || part.n < 0 || part.first >= part.all || part.n > part.all-part.first {
			return nil, fmt.Errorf("%d %ss starting at %d, the texture has %d: %w", part.n, part.what, part.first, part.all,
				ErrRange)
		}
		if part.n == 0 {
			*part.count = part.all - part.first
		}
	}
	format, err := formatFor(texel, o.Format)
	if err != nil {
		return nil, err
	}
	if err := s.mem.Use(); err != nil {
		return nil, err
	}
	defer s.mem.Done()
	return s.part(format, o)
}

// part makes a view of parts that there are. The caller holds a use of the memory.
func (s *surface) part(format *texelFormat, o TextureView) (_ *surface, err error) {
	v := *s
	v.format = format
	width, height, depth := s.shape.level(o.Level)
	typ := s.shape.typeOf(o)
	v.shape = TextureShape{Type: typ, Width: int(width), Height: int(height), Depth: int(depth), Levels: o.Levels}
	v.shape.Elements = o.Layers / v.shape.faces()
	if !v.format.writable(acceleratorOf(s.mem).info) {
		v.usage &^= mtl.TextureUsageShaderWrite
	}
	first := s.shape.levelBytes(o.Level, s.format.size())
	v.place.Offset += uint(o.Layer)*s.layer + first
	v.place.Length = uint(o.Layers-1)*s.layer + s.shape.levelBytes(o.Level+o.Levels, s.format.size()) - first
	v.partial = v.partial || o.Layers > 1 && o.Levels < s.shape.Levels
	if o.Level > 0 {
		v.row = width * s.format.size()
	}
	if s.linear() {
		v.place = s.place
	}
	swizzle := s.metal.Swizzle()
	if o.Swizzle != nil {
		swizzle = *o.Swizzle
	}
	key := textureKey{s.metal, v.shape, o.Format, 0, [2]int{o.Level, o.Layer}, swizzle}
	v.metal, err = s.mem.MetalTexture(key, func() (mtl.Texture, error) {
		return s.metal.NewViewWithSwizzle(o.Format, typ, mtl.Range{Location: uint(o.Level), Length: uint(o.Levels)},
			mtl.Range{Location: uint(o.Layer), Length: uint(o.Layers)}, swizzle)
	})
	return &v, err
}

// typeOf returns the type of a view.
func (s TextureShape) typeOf(o TextureView) mtl.TextureType {
	switch {
	case o.Type != nil:
		return *o.Type
	case o.Layers == s.layers():
		return s.Type
	case s.Type == mtl.TextureType1DArray && o.Layers == 1:
		return mtl.TextureType1D
	case s.Type == mtl.TextureType1DArray:
		return mtl.TextureType1DArray
	case o.Layers == 1:
		return mtl.TextureType2D
	case isCube(s.Type) && o.Layers == 6:
		return mtl.TextureTypeCube
	case isCube(s.Type) && o.Layers%6 == 0:
		return mtl.TextureTypeCubeArray
	}
	return mtl.TextureType2DArray
}

// linear reports whether the texture is backed by a buffer.
func (s *surface) linear() bool { return s.mem.Texture() == "" }

// LinearTexture returns a texture backed by a buffer's memory, starting at the beginning of the
// buffer: a [Texture2D] with one level, or a [TextureBuffer]. It shares the buffer's lifetime. row
// is the distance between the starts of two rows of a 2D texture, in elements; 0 means the smallest
// distance that the device supports, which [TextureRow] returns. Launches that use the texture and
// launches that use the buffer are ordered. The label of the options is ignored.
//
// For a 2D texture, the buffer must not be in shared memory, except on Apple's GPUs.
func LinearTexture[T any](b *Buffer[T], shape TextureShape, row int, o TextureOptions) (*Texture[T], error) {
	if b.missing() {
		return nil, stream.NilError("LinearTexture: the buffer")
	}
	s, err := linearSurface(b, shape, row, o)
	if err != nil {
		return nil, fmt.Errorf("compute: texture of %v: %w", b.owner.Mem, err)
	}
	return shared[T](s, &b.owner), nil
}

// linearSurface describes a texture backed by a buffer.
func linearSurface(b AnyBuffer, shape TextureShape, row int, o TextureOptions) (*surface, error) {
	v, element, readOnly := b.asArgument()
	m := v.Mem
	s := &surface{mem: m}
	if err := s.describe(acceleratorOf(m), element, shape, o); err != nil {
		return nil, err
	}
	if typ := s.shape.Type; typ != mtl.TextureType2D && typ != mtl.TextureTypeTextureBuffer || s.shape.Levels != 1 {
		return nil, fmt.Errorf("%v, want 2D or a texture buffer, with one level: %w", s.shape, ErrOption)
	}
	unit, err := acceleratorOf(m).linearAlignment(s.shape.Type, s.format.format)
	if err != nil {
		return nil, err
	}
	size := uint(element.Size())
	least := int(stream.RoundUp(uint(s.shape.Width)*size, unit) / size)
	if row == 0 {
		row = least
	}
	if s.shape.Type == mtl.TextureTypeTextureBuffer {
		least, row = s.shape.Width, s.shape.Width
	}
	s.row = uint(row) * size
	switch {
	case row < least || s.shape.Type == mtl.TextureType2D && s.row%unit != 0:
		return nil,
			fmt.Errorf("rows are %d elements of %d bytes apart; the device requires at least %d bytes and a multiple of %d: %w",
				row, size, uint(least)*size, unit, ErrRange)
	case v.Offset%unit != 0:
		return nil, fmt.Errorf("begins at byte %d, the device requires a multiple of %d: %w", v.Offset, unit, ErrRange)
	case s.shape.Height*row > int(v.Length/size):
		return nil, fmt.Errorf("%v with rows of %d elements needs %d elements, the buffer has %d: %w", s.shape, row,
			s.shape.Height*row, v.Length/size, ErrRange)
	}
	s.layer = s.row * uint(s.shape.Height)
	s.place, s.partial = stream.ViewOf(m, v.Offset, s.layer), row > s.shape.Width
	if s.readOnly = readOnly; readOnly {
		s.usage &^= mtl.TextureUsageShaderWrite
	}
	if err := m.Stay(); err != nil {
		return nil, err
	}
	if err := m.Use(); err != nil {
		return nil, err
	}
	defer m.Done()
	key := textureKey{shape: s.shape, format: s.format.format, usage: s.usage, first: [2]int{int(v.Offset), row}}
	s.metal, err = m.MetalTexture(key, func() (mtl.Texture, error) {
		d, err := s.shape.descriptor(s.format.format, s.usage,
			mtl.MakeResourceOptions(m.Mode(), m.Buffer.CpuCacheMode(), mtl.HazardTrackingModeUntracked))
		if err != nil {
			return mtl.Texture{}, err
		}
		defer d.Release()
		return m.Buffer.NewTexture(d, v.Offset, s.row)
	})
	return s, err
}

// linearAlignment returns the alignment of the offset and rows of a texture backed by a buffer.
func (a *Accelerator) linearAlignment(typ mtl.TextureType, format mtl.PixelFormat) (uint, error) {
	if err := a.beginCall(); err != nil {
		return 0, err
	}
	defer a.core.Calls.Done()
	if typ == mtl.TextureTypeTextureBuffer {
		return a.device.MinimumTextureBufferAlignment(format)
	}
	return a.device.MinimumLinearTextureAlignment(format)
}

// TextureRow returns the smallest distance between the starts of two rows of a 2D texture backed by
// a buffer, in elements of T; the device requires rows to be aligned. Format 0 means the default
// format for T. See [LinearTexture].
func TextureRow[T any](a *Accelerator, width int, format mtl.PixelFormat) (int, error) {
	if a.missing() {
		return 0, stream.NilError("TextureRow: the accelerator")
	}
	var s surface
	err := s.describe(a, reflect.TypeFor[T](), Texture2D(width, 1), TextureOptions{Format: format})
	if err != nil {
		return 0, fmt.Errorf("compute: TextureRow: %w", err)
	}
	unit, err := a.linearAlignment(mtl.TextureType2D, s.format.format)
	if err != nil {
		return 0, err
	}
	return int(stream.RoundUp(uint(width)*stream.SizeOf[T](), unit) / stream.SizeOf[T]()), nil
}
