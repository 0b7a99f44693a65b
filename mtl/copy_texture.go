package mtl

import (
	"fmt"

	"github.com/puremetal/puremetal/objc"
)

// textureFact is what is known about a texture.
type textureFact struct {
	textureShape
	device *deviceFacts
	remote bool // a view of a texture of another device
}

// factsOfTexture returns the facts of a texture that is not nil.
func factsOfTexture(t Texture) *textureFact {
	return textureFacts.get(t.ID(), func(id objc.ID) textureFact {
		t := TextureFrom(id)
		return textureFact{t.shape(), deviceOf(t.Device()), t.isRemoteView()}
	})
}

// ownTexture is ofTexture for a texture that is not the source of a blit. It therefore rejects
// remote views.
func (c check) ownTexture(what string, t Texture, d *deviceFacts) (*textureFact, error) {
	f, err := c.ofTexture(what, t, d)
	if err != nil {
		return nil, err
	}
	return f, c.notRemote(what, f.remote)
}

// ofTexture checks that a texture is not nil and belongs to the device.
func (c check) ofTexture(what string, t Texture, d *deviceFacts) (*textureFact, error) {
	if err := c.object(what, t.ID()); err != nil {
		return nil, err
	}
	f := factsOfTexture(t)
	return f, c.device(what, f.device, d)
}

// place checks slice and level of a texture.
func (c check) place(s textureShape, slice, level uint) error {
	if err := c.entry("slice", uint64(slice), uint64(s.slices())); err != nil {
		return err
	}
	return c.entry("mipmap level", uint64(level), uint64(s.levels))
}

// side adds to an error which of two textures it concerns.
func side(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w (%s)", err, what)
}

// sampleCounts checks that textures have the same number of samples.
func (c check) sampleCounts(from, to textureShape) error {
	if from.samples != to.samples {
		return &LimitError{Call: string(c), What: "samples of the destination texture", Value: uint64(to.samples),
			Limit: uint64(from.samples), Rule: Exactly, Err: ErrArgument}
	}
	return nil
}

// formats checks that textures have the same format.
func (c check) formats(from, to textureShape) error {
	if from.format != to.format {
		return c.fail(ErrArgument, "source texture is %v, destination texture %v", from.format, to.format)
	}
	return c.sampleCounts(from, to)
}

// texturePart is a position in one level of one slice of a texture.
type texturePart struct {
	texture      Texture
	slice, level uint
	origin       Origin
}

// pair checks that two textures are not nil.
func (c check) pair(from, to Texture, d *deviceFacts) (s, t *textureFact, err error) {
	if s, err = c.ofTexture("source texture", from, d); err == nil {
		t, err = c.ownTexture("destination texture", to, d)
	}
	return s, t, err
}

// copyRegion checks a copy of a region between textures.
func (c check) copyRegion(from, to texturePart, size Size, d *deviceFacts) error {
	s, t, err := c.pair(from.texture, to.texture, d)
	if err != nil {
		return err
	}
	return c.regions(s.textureShape, from, t.textureShape, to, size, from.texture.ID() == to.texture.ID())
}

func (c check) regions(s textureShape, from texturePart, t textureShape, to texturePart, size Size, same bool) error {
	if err := c.sampleCounts(s, t); err != nil {
		return err
	}
	if a, b := s.format.BytesPerBlock(), t.format.BytesPerBlock(); a != b {
		return c.fail(ErrArgument, "pixels of the source texture, %v, have %d bytes, of the destination texture, %v, %d",
			s.format, a, t.format, b)
	}
	if err := c.region(s, Region{from.origin, size}, from.level, from.slice); err != nil {
		return side(err, "source texture")
	}
	if err := c.region(t, Region{to.origin, size}, to.level, to.slice); err != nil {
		return side(err, "destination texture")
	}
	if same && from.slice == to.slice && from.level == to.level && boxesOverlap(from.origin, to.origin, size) {
		return c.fail(ErrOverlap, "both regions are in level %d of slice %d of one texture", from.level, from.slice)
	}
	return nil
}

// boxesOverlap reports whether two regions of the same size overlap.
func boxesOverlap(a, b Origin, size Size) bool {
	near := func(a, b, n uint) bool { return a < b+n && b < a+n }
	return near(a.X, b.X, size.Width) && near(a.Y, b.Y, size.Height) && near(a.Z, b.Z, size.Depth)
}

// copySlices checks a copy of whole slices and levels between textures.
func (c check) copySlices(from, to texturePart, slices, levels uint, d *deviceFacts) error {
	s, t, err := c.pair(from.texture, to.texture, d)
	if err != nil {
		return err
	}
	return c.sliceRanges(s.textureShape, from, t.textureShape, to, slices, levels)
}

func (c check) sliceRanges(s textureShape, from texturePart, t textureShape, to texturePart, slices,
	levels uint) error {
	if err := c.formats(s, t); err != nil {
		return err
	}
	if err := c.atLeast("number of slices", uint64(slices), 1, ErrLength); err != nil {
		return err
	}
	if err := c.atLeast("number of levels", uint64(levels), 1, ErrLength); err != nil {
		return err
	}
	if err := c.entries("source slice", Range{from.slice, slices}, uint64(s.slices())); err != nil {
		return err
	}
	if err := c.entries("destination slice", Range{to.slice, slices}, uint64(t.slices())); err != nil {
		return err
	}
	if err := c.entries("source level", Range{from.level, levels}, uint64(s.levels)); err != nil {
		return err
	}
	if err := c.entries("destination level", Range{to.level, levels}, uint64(t.levels)); err != nil {
		return err
	}
	if a, b := s.levelSize(from.level), t.levelSize(to.level); a != b {
		return c.fail(ErrRegion, "source level is %d x %d x %d, destination level %d x %d x %d", a.Width, a.Height, a.Depth,
			b.Width, b.Height, b.Depth)
	}
	return nil
}

// copyTexture checks a copy of everything that two textures have in common.
func (c check) copyTexture(from, to Texture, d *deviceFacts) error {
	s, t, err := c.pair(from, to, d)
	if err != nil {
		return err
	}
	return c.formats(s.textureShape, t.textureShape)
}

// pixelPlace is the position of pixels in a buffer.
type pixelPlace struct {
	buffer                             Buffer
	offset, bytesPerRow, bytesPerImage uint
}

// copyToTexture checks a copy from a buffer to a region of a texture.
func (c check) copyToTexture(at pixelPlace, part texturePart, size Size, options BlitOption, d *deviceFacts) error {
	if _, err := c.ownTexture("texture", part.texture, d); err != nil {
		return err
	}
	return c.copyPixels(at, part, size, options, d)
}

// copyToBuffer checks a copy from a region of a texture to a buffer.
func (c check) copyToBuffer(at pixelPlace, part texturePart, size Size, options BlitOption, d *deviceFacts) error {
	if err := c.copyPixels(at, part, size, options, d); err != nil {
		return err
	}
	return c.notRemote("buffer", factsOfBuffer(at.buffer).remote)
}

// copyPixels checks a copy between a buffer and a region of a texture, in either direction.
func (c check) copyPixels(at pixelPlace, part texturePart, size Size, options BlitOption, d *deviceFacts) error {
	t, err := c.ofTexture("texture", part.texture, d)
	if err != nil {
		return err
	}
	if err := c.object("buffer", at.buffer.ID()); err != nil {
		return err
	}
	b := factsOfBuffer(at.buffer)
	if err := c.device("buffer", b.device, d); err != nil {
		return err
	}
	return c.pixelMemory(at, b.length, t.textureShape, part, size, options)
}

func (c check) pixelMemory(at pixelPlace, length uint64, t textureShape, part texturePart, size Size,
	options BlitOption) error {
	if err := c.atMost("samples of the texture", uint64(t.samples), 1, ErrArgument); err != nil {
		return err
	}
	if err := c.region(t, Region{part.origin, size}, part.level, part.slice); err != nil {
		return err
	}
	format, err := c.plane(t.format, options)
	if err != nil {
		return err
	}
	if uint64(at.offset) > length {
		return c.atMost("buffer offset in bytes", uint64(at.offset), length, ErrOffset)
	}
	t.format = format
	if err := c.multipleOf("buffer offset in bytes", uint64(at.offset), format.block().bytes); err != nil {
		return err
	}
	return c.rows(t, Region{part.origin, size}, part.level,
		pixelRows{length - uint64(at.offset), uint64(at.bytesPerRow), uint64(at.bytesPerImage)})
}

// plane returns the format of the pixels that a copy to or from a buffer moves. If a texture has
// both depth and stencil, it is one of them.
func (c check) plane(f PixelFormat, options BlitOption) (PixelFormat, error) {
	const both = BlitOptionDepthFromDepthStencil | BlitOptionStencilFromDepthStencil
	if extra := options &^ (both | BlitOptionRowLinearPVRTC); extra != 0 {
		return f, c.fail(ErrArgument, "options %v", extra)
	}
	combined := f == PixelFormatDepth32Float_Stencil8 || f == PixelFormatDepth24Unorm_Stencil8
	switch options & both {
	case BlitOptionNone:
		if combined {
			return f, c.fail(ErrArgument, "%v needs an option that chooses depth or stencil", f)
		}
		return f, nil
	case BlitOptionDepthFromDepthStencil:
		if combined {
			return PixelFormatDepth32Float, nil
		}
	case BlitOptionStencilFromDepthStencil:
		if combined {
			return PixelFormatStencil8, nil
		}
	}
	return f, c.fail(ErrArgument, "options %v do not fit %v", options, f)
}
