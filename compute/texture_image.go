package compute

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"reflect"

	"github.com/puremetal/puremetal/mtl"
)

// TextureOf makes a 2D texture of a picture, with the numbers that the picture has. T says which
// pictures fit:
//
//	uint8                        *image.Gray, *image.Alpha
//	uint16                       *image.Gray16, *image.Alpha16
//	simd.UChar4, color.NRGBA     *image.NRGBA, *image.RGBA as they are, all others as NRGBA
//	simd.UShort4, color.NRGBA64  *image.NRGBA64, *image.RGBA64 as they are, all others as NRGBA64
//
// An *image.RGBA and an *image.RGBA64 have colours multiplied by alpha, and so has the texture
// then. Pictures are sRGB as a rule: kernels see its numbers, from 0 to 1, unless the format of the
// options is one like RGBA8Unorm_sRGB, with which they see linear light.
func TextureOf[T any](ctx context.Context, a *Accelerator, picture image.Image, o TextureOptions) (*Texture[T], error) {
	if err := checkCall(ctx, "TextureOf", a == nil); err != nil {
		return nil, err
	}
	if picture == nil {
		return nil, fmt.Errorf("compute: TextureOf: nil picture: %w", ErrNil)
	}
	size := picture.Bounds().Size()
	t, err := NewTexture[T](a, Texture2D(size.X, size.Y), o)
	if err != nil {
		return nil, err
	}
	if err := t.UploadImage(ctx, picture); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// UploadImage copies a picture to a 2D texture of its size; see [TextureOf] for the pictures that
// fit. It waits as [Texture.Upload] does.
func (t *Texture[T]) UploadImage(ctx context.Context, picture image.Image) error {
	if err := checkCall(ctx, "texture: UploadImage", t == nil); err != nil {
		return err
	}
	p, err := t.pixels(picture)
	if err != nil {
		return fmt.Errorf("compute: upload of a picture to %v: %w", t.surface.mem, err)
	}
	data := make([]T, t.Len())
	p.each(bytesOf(data), func(texels, pix []byte) { p.swap(texels, pix) })
	return t.transfer(ctx, "upload", Region{}, data)
}

// DownloadImage copies a 2D texture to a picture of its size, an *image.NRGBA, *image.RGBA,
// *image.Gray, *image.Alpha or one of their kinds with 16 bits. The numbers are copied as they are:
// the program knows whether the kernel that wrote them has multiplied colours by alpha. It waits as
// [Texture.Download] does.
func (t *Texture[T]) DownloadImage(ctx context.Context, picture draw.Image) error {
	if err := checkCall(ctx, "texture: DownloadImage", t == nil); err != nil {
		return err
	}
	p, err := t.pixels(picture)
	if err == nil && p.converted {
		err = fmt.Errorf("a %T, want an *image.NRGBA, *image.RGBA, *image.Gray or *image.Alpha, or one of 16 bits: %w",
			picture, ErrOption)
	}
	if err != nil {
		return fmt.Errorf("compute: download of %v to a picture: %w", t.surface.mem, err)
	}
	data := make([]T, t.Len())
	if err := t.transfer(ctx, "download", Region{}, data); err != nil {
		return err
	}
	p.each(bytesOf(data), func(texels, pix []byte) { p.swap(pix, texels) })
	return nil
}

// pixels is the memory of a picture. Numbers of 16 bits have their high byte first.
type pixels struct {
	pix         []byte // from the first pixel on
	stride      int
	size        image.Point
	lanes, wide int // numbers of a pixel, bytes of a number
	converted   bool
}

// pixels checks a picture and returns its memory, or that of a copy in a type that fits texels of
// four numbers.
func (t *Texture[T]) pixels(picture image.Image) (p pixels, err error) {
	s := &t.surface
	if v := reflect.ValueOf(picture); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return p, fmt.Errorf("nil picture: %w", ErrNil)
	}
	switch p.size = picture.Bounds().Size(); {
	case s.shape.Type != mtl.TextureType2D:
		return p, fmt.Errorf("the texture is %v, want a 2D one: %w", s, ErrOption)
	case p.size != t.Bounds().Size():
		return p, fmt.Errorf("the picture has %v pixels, the texture %v: %w", p.size, t.Bounds().Size(), ErrRange)
	}
	if fits := p.of(picture) && p.fits(s.format); !fits && s.format.lanes == 4 {
		copied := draw.Image(image.NewNRGBA64(picture.Bounds()))
		if s.format.scalar == scalarUChar {
			copied = image.NewNRGBA(picture.Bounds())
		}
		draw.Draw(copied, copied.Bounds(), picture, picture.Bounds().Min, draw.Src)
		p.converted = p.of(copied)
	}
	switch f := s.format.format; {
	case !p.fits(s.format):
		return p, fmt.Errorf("a %T does not fit texels of %d %v: %w", picture, s.format.lanes, s.format.scalar, ErrOption)
	case f == mtl.PixelFormatBGRA8Unorm, f == mtl.PixelFormatBGRA8Unorm_sRGB:
		return p, fmt.Errorf("the channels of %s are in another order than a picture's: %w", formatName(f), ErrOption)
	}
	return p, nil
}

// fits reports whether pixels are texels of a format.
func (p *pixels) fits(f *texelFormat) bool {
	return uint(p.lanes) == f.lanes && (p.wide == 1 && f.scalar == scalarUChar || p.wide == 2 && f.scalar == scalarUShort)
}

// of sets the memory to a picture's, and reports whether the picture's type has any that textures
// can have.
func (p *pixels) of(picture image.Image) bool {
	switch i := picture.(type) {
	case *image.NRGBA:
		p.pix, p.stride, p.lanes, p.wide = i.Pix, i.Stride, 4, 1
	case *image.RGBA:
		p.pix, p.stride, p.lanes, p.wide = i.Pix, i.Stride, 4, 1
	case *image.NRGBA64:
		p.pix, p.stride, p.lanes, p.wide = i.Pix, i.Stride, 4, 2
	case *image.RGBA64:
		p.pix, p.stride, p.lanes, p.wide = i.Pix, i.Stride, 4, 2
	case *image.Gray:
		p.pix, p.stride, p.lanes, p.wide = i.Pix, i.Stride, 1, 1
	case *image.Alpha:
		p.pix, p.stride, p.lanes, p.wide = i.Pix, i.Stride, 1, 1
	case *image.Gray16:
		p.pix, p.stride, p.lanes, p.wide = i.Pix, i.Stride, 1, 2
	case *image.Alpha16:
		p.pix, p.stride, p.lanes, p.wide = i.Pix, i.Stride, 1, 2
	default:
		return false
	}
	at := picture.Bounds().Min
	p.pix = p.pix[picture.(interface{ PixOffset(x, y int) int }).PixOffset(at.X, at.Y):]
	return true
}

// each calls copy with each row of texels and of the picture.
func (p *pixels) each(texels []byte, copy func(texels, pix []byte)) {
	row := p.size.X * p.lanes * p.wide
	for y := range p.size.Y {
		copy(texels[y*row:(y+1)*row], p.pix[y*p.stride:y*p.stride+row])
	}
}

// swap copies a row between a texture, whose numbers are as the machine has them, and a picture.
func (p *pixels) swap(to, from []byte) {
	if p.wide == 1 {
		copy(to, from)
		return
	}
	for i := 0; i < len(to); i += 2 {
		binary.NativeEndian.PutUint16(to[i:], binary.BigEndian.Uint16(from[i:]))
	}
}
