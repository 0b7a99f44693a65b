package compute

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"reflect"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// TextureOf makes a 2D texture from an image. The numbers are copied without conversion. T must fit
// the type of the image:
//
//	uint8          *image.Gray, *image.Alpha
//	uint16         *image.Gray16, *image.Alpha16
//	simd.UChar4    *image.NRGBA, *image.RGBA; other images are converted to NRGBA
//	simd.UShort4   *image.NRGBA64, *image.RGBA64; others are converted to NRGBA64
//	color.NRGBA    *image.NRGBA; all others are converted to it
//	color.RGBA, color.NRGBA64, color.RGBA64 likewise
//
// The alpha of a texture of color.RGBA or color.RGBA64 is premultiplied, and so is that of a
// texture of vectors made from such an image. Most images are sRGB: by default kernels see the
// encoded values, scaled to 0 to 1; with a format like RGBA8Unorm_sRGB they see linear light. Such
// a format needs color.NRGBA: a number multiplied after it was encoded has no linear value.
func TextureOf[T any](ctx context.Context, a *Accelerator, picture image.Image, o TextureOptions) (*Texture[T], error) {
	if err := stream.CheckCall(ctx, "TextureOf", a.missing()); err != nil {
		return nil, err
	}
	if picture == nil {
		return nil, fmt.Errorf("compute: TextureOf: nil image: %w", ErrNil)
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

// UploadImage copies an image to a 2D texture of the same size; see [TextureOf] for the types that
// fit. It waits as [Texture.Upload] does.
func (t *Texture[T]) UploadImage(ctx context.Context, picture image.Image) error {
	if err := stream.CheckCall(ctx, "texture: UploadImage", t.missing()); err != nil {
		return err
	}
	return t.surface.uploadImage(ctx, reflect.TypeFor[T](), picture)
}

// uploadImage is UploadImage for texels of a type. It has no type parameter, because whoever uses a
// texture compiles each method of its type.
func (s *surface) uploadImage(ctx context.Context, texel reflect.Type, picture image.Image) error {
	p, err := s.pixels(texel, picture)
	if err != nil {
		return fmt.Errorf("compute: upload of an image to %v: %w", s.mem, err)
	}
	data := make([]byte, uint(s.texels())*s.format.size())
	p.each(data, func(texels, pix []byte) { p.swap(texels, pix) })
	return s.transfer(ctx, "upload", Region{}, data, s.texels())
}

// DownloadImage copies a 2D texture to an image of the same size. If T is one of Go's colors, any
// image will do: the texels are converted. Otherwise the image is an *image.NRGBA, *image.RGBA,
// *image.Gray, *image.Alpha or the 16-bit variant of one of them, and the numbers are copied as
// they are, so choose its type by what the kernel wrote: RGBA for premultiplied alpha, otherwise
// NRGBA. It waits as [Texture.Download] does.
func (t *Texture[T]) DownloadImage(ctx context.Context, picture draw.Image) error {
	if err := stream.CheckCall(ctx, "texture: DownloadImage", t.missing()); err != nil {
		return err
	}
	return t.surface.downloadImage(ctx, reflect.TypeFor[T](), picture)
}

// downloadImage is DownloadImage for texels of a type.
func (s *surface) downloadImage(ctx context.Context, texel reflect.Type, picture draw.Image) error {
	p, err := s.pixels(texel, picture)
	if err == nil && p.copied != nil && imageOfColor(texel, picture.Bounds()) == nil {
		err = fmt.Errorf("a %T, want %s: %w", picture, imagesOf(s.format), ErrOption)
	}
	if err != nil {
		return fmt.Errorf("compute: download of %v to an image: %w", s.mem, err)
	}
	data := make([]byte, uint(s.texels())*s.format.size())
	if err := s.transfer(ctx, "download", Region{}, data, s.texels()); err != nil {
		return err
	}
	p.each(data, func(texels, pix []byte) { p.swap(pix, texels) })
	if p.copied != nil {
		draw.Draw(picture, picture.Bounds(), p.copied, picture.Bounds().Min, draw.Src)
	}
	return nil
}

// imageOfColor returns a new image whose pixels have the type of a texel, or nil if that is none of
// Go's colors with alpha.
func imageOfColor(texel reflect.Type, r image.Rectangle) draw.Image {
	switch texel {
	case reflect.TypeFor[color.NRGBA]():
		return image.NewNRGBA(r)
	case reflect.TypeFor[color.RGBA]():
		return image.NewRGBA(r)
	case reflect.TypeFor[color.NRGBA64]():
		return image.NewNRGBA64(r)
	case reflect.TypeFor[color.RGBA64]():
		return image.NewRGBA64(r)
	}
	return nil
}

// imagesOf names the images whose pixels are the texels of a format.
func imagesOf(f *texelFormat) string {
	if f.scalar != scalarUChar && f.scalar != scalarUShort || f.lanes == 2 {
		return "a texture of uint8, uint16, or four of them"
	}
	bits := ""
	if f.scalar == scalarUShort {
		bits = "64"
		if f.lanes == 1 {
			bits = "16"
		}
	}
	if f.lanes == 4 {
		return "an *image.NRGBA" + bits + " or *image.RGBA" + bits
	}
	return "an *image.Gray" + bits + " or *image.Alpha" + bits
}

// pixels is the memory of an image. 16-bit numbers are big-endian.
type pixels struct {
	pix         []byte // from the first pixel on
	stride      int
	size        image.Point
	lanes, wide int        // numbers of a pixel, bytes of a number
	copied      draw.Image // the converted copy that pix belongs to, if there is one
}

// pixels checks an image and returns its memory. If the type does not fit and a texel has four
// numbers, it returns the memory of a converted copy.
func (s *surface) pixels(texel reflect.Type, picture image.Image) (p pixels, err error) {
	if v := reflect.ValueOf(picture); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return p, fmt.Errorf("nil image: %w", ErrNil)
	}
	switch p.size = picture.Bounds().Size(); {
	case s.shape.Type != mtl.TextureType2D:
		return p, fmt.Errorf("the texture is %v, want a 2D texture: %w", s, ErrOption)
	case p.size != s.bounds().Size():
		return p, fmt.Errorf("the image has %v pixels, the texture %v: %w", p.size, s.bounds().Size(), ErrRange)
	}
	copied := imageOfColor(texel, picture.Bounds())
	switch fits := p.of(picture) && p.fits(s.format); {
	case copied != nil && reflect.TypeOf(copied) == reflect.TypeOf(picture), fits && copied == nil, s.format.lanes != 4:
		copied = nil
	case copied != nil:
	case s.format.scalar == scalarUChar:
		copied = image.NewNRGBA(picture.Bounds())
	default:
		copied = image.NewNRGBA64(picture.Bounds())
	}
	if copied != nil {
		draw.Draw(copied, copied.Bounds(), picture, picture.Bounds().Min, draw.Src)
		p.of(copied)
		p.copied = copied
	}
	switch f := s.format.format; {
	case !p.fits(s.format):
		return p, fmt.Errorf("a %T does not fit texels of %d %v, want %s: %w", picture, s.format.lanes, s.format.scalar,
			imagesOf(s.format), ErrOption)
	case f == mtl.PixelFormatBGRA8Unorm, f == mtl.PixelFormatBGRA8Unorm_sRGB:
		return p, fmt.Errorf("the channel order of %s differs from that of images: %w", formatName(f), ErrOption)
	}
	return p, nil
}

// fits reports whether the pixels have the layout of a format's texels.
func (p *pixels) fits(f *texelFormat) bool {
	return uint(p.lanes) == f.lanes && (p.wide == 1 && f.scalar == scalarUChar || p.wide == 2 && f.scalar == scalarUShort)
}

// of sets p to the memory of an image, and reports whether the image has one of the supported
// types.
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

// each calls copy with each row of texels and the matching row of the image.
func (p *pixels) each(texels []byte, copy func(texels, pix []byte)) {
	row := p.size.X * p.lanes * p.wide
	for y := range p.size.Y {
		copy(texels[y*row:(y+1)*row], p.pix[y*p.stride:y*p.stride+row])
	}
}

// swap copies a row between a texture, whose numbers have the machine's byte order, and an image.
func (p *pixels) swap(to, from []byte) {
	if p.wide == 1 {
		copy(to, from)
		return
	}
	for i := 0; i < len(to); i += 2 {
		binary.NativeEndian.PutUint16(to[i:], binary.BigEndian.Uint16(from[i:]))
	}
}
