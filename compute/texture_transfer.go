package compute

import (
	"context"
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// Region is a box of texels in level 0 of one layer of a texture. A Height or Depth of zero means
// one. The zero Region means all of level 0, in all layers.
type Region struct {
	X, Y, Z              int // origin
	Layer                int
	Width, Height, Depth int
}

// box is a region of one layer whose texels are contiguous in the program's slice.
type box struct {
	region mtl.Region
	layer  uint
	at     uint // offset in the portion, in bytes
}

// portion is the part of a transfer that one command copies between a texture and staging memory.
type portion struct {
	surface *surface
	at      uint // offset in the slice, in bytes
	length  uint
	boxes   []box
}

// boxes checks a region and returns one box per layer, and the number of texels.
func (s *surface) boxes(r Region) (boxes []box, texels int, err error) {
	first, layers := r.Layer, 1
	if r == (Region{}) {
		r, layers = Region{Width: s.shape.Width, Height: s.shape.Height, Depth: s.shape.Depth}, s.shape.layers()
	}
	for _, n := range []*int{&r.Height, &r.Depth} {
		if *n == 0 {
			*n = 1
		}
	}
	for _, n := range []struct {
		what         string
		at, n, count int
	}{
		{"columns", r.X, r.Width, s.shape.Width}, {"rows", r.Y, r.Height, s.shape.Height},
		{"images", r.Z, r.Depth, s.shape.Depth}, {"layers", first, layers, s.shape.layers()},
	} {
		if n.at < 0 || n.n < 1 || n.at >= n.count || n.n > n.count-n.at {
			return nil, 0, fmt.Errorf("%d %s starting at %d, the texture has %d: %w", n.n, n.what, n.at, n.count, ErrRange)
		}
	}
	region := mtl.Region{Origin: mtl.Origin{X: uint(r.X), Y: uint(r.Y), Z: uint(r.Z)},
		Size: mtl.Size{Width: uint(r.Width), Height: uint(r.Height), Depth: uint(r.Depth)}}
	for i := range layers {
		boxes = append(boxes, box{region: region, layer: uint(first + i)})
	}
	return boxes, r.Width * r.Height * r.Depth * layers, nil
}

// split divides a box into parts of at most most bytes: into groups of 2D images, or if one image
// is too large, into groups of rows. It never divides a row.
func (s *surface) split(b box, most uint) (parts []box) {
	row := b.region.Size.Width * s.format.size()
	image := row * b.region.Size.Height
	switch {
	case image*b.region.Size.Depth <= most:
		return []box{b}
	case image <= most:
		return b.cut(false, most/image)
	}
	for _, one := range b.cut(false, 1) {
		parts = append(parts, one.cut(true, max(most/row, 1))...)
	}
	return parts
}

// cut divides a box into parts of step images or rows.
func (b box) cut(rows bool, step uint) (parts []box) {
	n, at := &b.region.Size.Depth, &b.region.Origin.Z
	if rows {
		n, at = &b.region.Size.Height, &b.region.Origin.Y
	}
	for left := *n; left > 0; left -= *n {
		*n = min(step, left)
		parts = append(parts, b)
		*at += *n
	}
	return parts
}

// bytes is the size of a box.
func (s *surface) bytes(b *box) uint {
	return b.region.Size.Width * b.region.Size.Height * b.region.Size.Depth * s.format.size()
}

// portions divides boxes, whose texels follow each other in a slice, into portions of at most most
// bytes. A single row is never divided, even if it is longer.
func (s *surface) portions(boxes []box, most uint) (list []portion) {
	at := uint(0)
	for _, whole := range boxes {
		for _, b := range s.split(whole, most) {
			n := s.bytes(&b)
			if len(list) == 0 || list[len(list)-1].length+n > most {
				list = append(list, portion{surface: s, at: at})
			}
			p := &list[len(list)-1]
			b.at = p.length
			p.boxes = append(p.boxes, b)
			p.length += n
			at += n
		}
	}
	return list
}

// place returns the range of the texture's memory from the first to the last texel of a portion.
// partial reports that the range contains texels outside the portion.
func (p *portion) place() (v stream.View, partial bool) {
	s := p.surface
	texel, image := s.format.size(), s.row*uint(s.shape.Height)
	var to uint
	for i := range p.boxes {
		o, n := p.boxes[i].region.Origin, p.boxes[i].region.Size
		from := p.boxes[i].layer*s.layer + o.Z*image + o.Y*s.row + o.X*texel
		length := (n.Depth-1)*image + (n.Height-1)*s.row + n.Width*texel
		if i == 0 {
			v = stream.ViewOf(s.mem, s.place.Offset+from, 0)
		}
		partial = partial || i > 0 && from != to || length != s.bytes(&p.boxes[i])
		to = from + length
	}
	v.Length = s.place.Offset + to - v.Offset
	return v, partial
}

// copy returns the command that copies a portion to or from the beginning of a buffer range.
func (p *portion) copy(here stream.View, upload bool) stream.Work {
	there, partial := p.place()
	c := &textureBlit{Transfer: stream.Transfer{From: there, To: here}, bytes: uint64(p.length)}
	if upload {
		c.Transfer, c.partial = stream.Transfer{From: here, To: there}, partial
	}
	c.blit = func(e mtl.BlitCommandEncoder) error {
		for i := range p.boxes {
			b := &p.boxes[i]
			row := b.region.Size.Width * p.surface.format.size()
			image, at := row*b.region.Size.Height, here.Offset+b.at
			var err error
			if upload {
				err = e.CopyFromBufferToTexture(here.Mem.Buffer, at, row, image, b.region.Size, p.surface.metal.Texture,
					b.layer, 0, b.region.Origin)
			} else {
				err = e.CopyFromTextureToBuffer(p.surface.metal.Texture, b.layer, 0, b.region.Origin, b.region.Size,
					here.Mem.Buffer, at,
					row, image)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return stream.Work{Command: c}
}

// textureBlit is what a blit encoder does with textures.
type textureBlit struct {
	stream.Transfer
	partial bool   // it does not overwrite all of to
	bytes   uint64 // for statistics
	blit    func(mtl.BlitCommandEncoder) error
}

func (c *textureBlit) Encode(e *stream.Encoder, w *stream.Work) error { return e.Transfer(w, c.blit) }
func (c *textureBlit) Summarize(s *stream.CommandSummary)             { s.Form = "texture copy" }
func (c *textureBlit) Observe(e *observe.RecordEvent)                 { e.Kind, e.Bytes = observe.CommandCopy, c.bytes }
func (c *textureBlit) Tally(n *stream.Counters)                       { n.Copy(c.bytes) }

func (c *textureBlit) Accesses(list []stream.RangeAccess) []stream.RangeAccess {
	list = c.Transfer.Accesses(list)
	list[len(list)-1].Whole = !c.partial
	return list
}

// stagedTexels makes the commands of a texture transfer: for each portion a copy by the host and
// one by the device.
func (t *hostTransfer) stagedTexels() error {
	stage, err := acceleratorOf(t.at.Mem).newStage(longest(t.portions), stagingIntent(t.upload))
	if err != nil {
		return err
	}
	defer stage.Close() // its uses keep it
	for i := range t.portions {
		p := &t.portions[i]
		here := stream.ViewOf(stage, 0, p.length)
		if !t.upload {
			if err := t.add(p.copy(here, false)); err != nil {
				return err
			}
		}
		if err := t.host(here, 0, func() error {
			return t.copy(stage, 0, t.data[p.at:p.at+p.length])
		}); err != nil {
			return err
		}
		if t.upload {
			if err := t.add(p.copy(here, true)); err != nil {
				return err
			}
		}
	}
	return nil
}

// longest returns the length of the longest portion, which the staging memory must hold.
func longest(portions []portion) (length uint) {
	for i := range portions {
		length = max(length, portions[i].length)
	}
	return length
}

// Upload copies data to level 0 of all layers. data holds the rows of the first image, followed by
// the other images of a 3D texture and by the other layers. Upload first waits until no recorded
// work uses the texture, and returns once the copy is complete. If the length of data is not
// [Texture.Len], the error wraps [ErrRange].
func (t *Texture[T]) Upload(ctx context.Context, data []T) error {
	if err := stream.CheckCall(ctx, "texture: Upload", t.missing()); err != nil {
		return err
	}
	return t.surface.transfer(ctx, "upload", Region{}, stream.BytesOf(data), len(data))
}

// UploadRegion is [Texture.Upload] for a part of the texture.
func (t *Texture[T]) UploadRegion(ctx context.Context, r Region, data []T) error {
	if err := stream.CheckCall(ctx, "texture: UploadRegion", t.missing()); err != nil {
		return err
	}
	return t.surface.transfer(ctx, "upload", r, stream.BytesOf(data), len(data))
}

// Download copies level 0 of all layers to data, in the order of [Texture.Upload]. It first waits
// until no recorded work uses the texture. Like [Buffer.Download], it returns the failure of the
// work that wrote the texture.
func (t *Texture[T]) Download(ctx context.Context, data []T) error {
	if err := stream.CheckCall(ctx, "texture: Download", t.missing()); err != nil {
		return err
	}
	return t.surface.transfer(ctx, "download", Region{}, stream.BytesOf(data), len(data))
}

// DownloadRegion is [Texture.Download] for a part of the texture.
func (t *Texture[T]) DownloadRegion(ctx context.Context, r Region, data []T) error {
	if err := stream.CheckCall(ctx, "texture: DownloadRegion", t.missing()); err != nil {
		return err
	}
	return t.surface.transfer(ctx, "download", r, stream.BytesOf(data), len(data))
}

// transfer uploads or downloads texels, and waits.
func (s *surface) transfer(ctx context.Context, what string, r Region, data []byte, texels int) error {
	m := s.mem
	portions, err := s.checkTransfer(what, r, texels)
	if err != nil {
		return err
	}
	return m.WhileUnused(ctx, func() error {
		return acceleratorOf(m).protect(ctx, what, func() error { return s.transferOnce(ctx, what, portions, data) })
	})
}

// transferOnce uploads or downloads texels of a texture that nothing uses.
func (s *surface) transferOnce(ctx context.Context, what string, portions []portion, data []byte) error {
	m := s.mem
	if err := refresh(ctx, m); err != nil {
		return err
	}
	err := s.transferPortions(ctx, what, portions, data)
	if what == "upload" && m.Kept() {
		if err == nil {
			err = fetch(ctx, m, 0, m.Length)
		}
		if err != nil {
			m.SpoilCopy()
			return err
		}
		m.KeepFetched(0, m.Length)
	}
	return err
}

func (s *surface) transferPortions(ctx context.Context, what string, portions []portion, data []byte) error {
	m := s.mem
	through, err := acceleratorOf(m).transferStream()
	if err != nil {
		return err
	}
	stage, err := acceleratorOf(m).newStage(longest(portions), stagingIntent(what == "upload"))
	if err != nil {
		return err
	}
	defer stage.Close()
	for i := range portions {
		if err := ctx.Err(); err != nil {
			return stream.ContextError(ctx, m.String())
		}
		p := &portions[i]
		if err := p.step(ctx, through, stream.ViewOf(stage, 0, p.length), data[p.at:p.at+p.length], what); err != nil {
			return err
		}
	}
	runtime.KeepAlive(s) // and with it the texture
	return nil
}

// step copies one portion and waits.
func (p *portion) step(ctx context.Context, s *Stream, here stream.View, data []byte, what string) error {
	if what == "upload" {
		if err := here.Mem.Write(0, data); err != nil {
			return err
		}
		return s.transferAndSync(ctx, p.copy(here, true))
	}
	there, _ := p.place()
	if err := there.Failure(what); err != nil {
		return err
	}
	if err := s.transferAndSync(ctx, p.copy(here, false)); err != nil {
		return err
	}
	return here.Mem.Read(0, data)
}

// checkTransfer checks a transfer of n texels, and divides it into portions.
func (s *surface) checkTransfer(what string, r Region, n int) ([]portion, error) {
	boxes, texels, err := s.checkRegion(what, r, what == "upload")
	if err == nil && n != texels {
		err = fmt.Errorf("compute: %s of %d texels, want %d for %v: %w", what, n, texels, s.mem, ErrRange)
	}
	if err != nil {
		return nil, err
	}
	return s.portions(boxes, maxStaging), nil
}

// checkRegion checks the region of a transfer that reads or writes the texture.
func (s *surface) checkRegion(what string, r Region, writes bool) ([]box, int, error) {
	boxes, texels, err := s.boxes(r)
	switch {
	case err != nil:
		err = fmt.Errorf("compute: %s of %v: %w", what, s.mem, err)
	case writes && s.readOnly:
		err = fmt.Errorf("compute: %s to %v: the texture is read-only: %w", what, s.mem, ErrStorage)
	case s.shape.Type == mtl.TextureTypeTextureBuffer:
		err = fmt.Errorf("compute: %s of a texture buffer is not possible, use its buffer, %v: %w", what, s.mem, ErrOption)
	}
	return boxes, texels, err
}

// UploadTextureAsync records a copy of data to a region of dst as a command of the stream, as
// [UploadAsync] does for buffers: the stream owns data until done is reached. The zero Region means
// all of level 0, as in [Texture.Upload].
func UploadTextureAsync[T any](ctx context.Context, s *Stream, dst *Texture[T], r Region, data []T, done *Event) error {
	if err := stream.CheckCall(ctx, "UploadTextureAsync", s.missing()); err != nil {
		return err
	}
	h, err := textureTransfer("upload", dst, r, data)
	if err == nil {
		err = s.copyHost(ctx, h, done)
	}
	runtime.KeepAlive(dst)
	return err
}

// DownloadTextureAsync records a copy of a region of src to data as a command of the stream, as
// [DownloadAsync] does for buffers.
func DownloadTextureAsync[T any](ctx context.Context, s *Stream, data []T, src *Texture[T], r Region,
	done *Event) error {
	if err := stream.CheckCall(ctx, "DownloadTextureAsync", s.missing()); err != nil {
		return err
	}
	h, err := textureTransfer("download", src, r, data)
	if err == nil {
		err = s.copyHost(ctx, h, done)
	}
	runtime.KeepAlive(src)
	return err
}

// textureTransfer checks an upload or a download.
func textureTransfer[T any](what string, t *Texture[T], r Region, data []T) (h hostTransfer, err error) {
	if t.missing() {
		return h, fmt.Errorf("compute: %s: nil texture: %w", what, ErrNil)
	}
	h = hostTransfer{data: stream.BytesOf(data), upload: what == "upload"}
	if h.portions, err = t.surface.checkTransfer(what, r, len(data)); err != nil {
		return h, err
	}
	last, _ := h.portions[len(h.portions)-1].place()
	h.at, _ = h.portions[0].place()
	h.at.Length = last.Offset + last.Length - h.at.Offset
	return h, nil
}

// CopyToTexture records a copy, on the device, of a buffer to level 0 of all layers of a texture.
// The buffer holds the texels in the order of [Texture.Upload]; if its length is not [Texture.Len],
// the error wraps [ErrRange].
func CopyToTexture[T any](ctx context.Context, s *Stream, dst *Texture[T], src *Buffer[T]) error {
	if err := stream.CheckCall(ctx, "CopyToTexture", s.missing()); err != nil {
		return err
	}
	w, err := copyTexels(dst, src, true)
	if err != nil {
		return err
	}
	return s.transfer(ctx, w)
}

// CopyFromTexture is [CopyToTexture] in the other direction.
func CopyFromTexture[T any](ctx context.Context, s *Stream, dst *Buffer[T], src *Texture[T]) error {
	if err := stream.CheckCall(ctx, "CopyFromTexture", s.missing()); err != nil {
		return err
	}
	if !dst.missing() && dst.readOnly {
		return fmt.Errorf("compute: copy to %v: the buffer is read-only: %w", dst.owner.Mem, ErrStorage)
	}
	w, err := copyTexels(src, dst, false)
	if err != nil {
		return err
	}
	return s.transfer(ctx, w)
}

// copyTexels makes the command for a copy between a texture and a buffer.
func copyTexels[T any](t *Texture[T], b *Buffer[T], upload bool) (w stream.Work, err error) {
	if t.missing() || b.missing() {
		return w, fmt.Errorf("compute: copy of a texture: no texture or buffer: %w", ErrNil)
	}
	boxes, texels, err := t.surface.checkRegion("copy", Region{}, upload)
	switch texel := t.surface.format.size(); {
	case err != nil:
		return w, err
	case b.n != texels:
		return w, fmt.Errorf("compute: copy between %v and %d elements of %v, want %d elements: %w", t.surface.mem, b.n,
			b.owner.Mem, texels, ErrRange)
	case b.offset%texel != 0:
		return w, fmt.Errorf("compute: copy between %v and %v: offset %d in the buffer is not a multiple of %d: %w",
			t.surface.mem, b.owner.Mem, b.offset, texel, ErrRange)
	case t.surface.place.Overlaps(b.view()):
		return w, fmt.Errorf("compute: copy within %v: the texture is backed by the same memory: %w", b.owner.Mem, ErrRange)
	}
	whole := t.surface.portions(boxes, ^uint(0))
	return whole[0].copy(b.view(), upload), nil
}

// CopyTexture records a copy of level 0 of all layers of src to dst. They must have the same size
// and format, and must not overlap. To copy other levels, use [Texture.Level].
func CopyTexture[T any](ctx context.Context, s *Stream, dst, src *Texture[T]) error {
	if err := stream.CheckCall(ctx, "CopyTexture", s.missing()); err != nil {
		return err
	}
	if dst.missing() || src.missing() {
		return fmt.Errorf("compute: copy of a texture: no texture: %w", ErrNil)
	}
	from, to := &src.surface, &dst.surface
	a, b := from.shape, to.shape
	b.Levels, b.Type, b.Elements = a.Levels, a.Type, a.Elements
	switch {
	case a != b || from.shape.layers() != to.shape.layers() || from.format != to.format:
		return fmt.Errorf("compute: copy of %v to %v: sizes and formats must be equal: %w", from, to, ErrRange)
	case from.place.Overlaps(to.place):
		return fmt.Errorf("compute: copy within %v: the parts overlap: %w", from.mem, ErrRange)
	}
	_, texels, err := to.checkRegion("copy", Region{}, true)
	if err != nil {
		return err
	}
	partial := to.partial || to.shape.Levels > 1
	return s.transfer(ctx, stream.Work{Command: &textureBlit{stream.Transfer{From: from.place, To: to.place}, partial,
		uint64(texels) * uint64(to.format.size()), func(e mtl.BlitCommandEncoder) error {
			return e.CopyFromTextureSlices(from.metal.Texture, 0, 0, to.metal.Texture, 0, 0, uint(to.shape.layers()), 1)
		}}})
}

// GenerateMipmaps records the computation of a texture's mipmap levels, each from the previous one.
// It fails with [ErrOption] for integer formats, which cannot be filtered, and for textures with a
// single level.
func GenerateMipmaps(ctx context.Context, s *Stream, texture AnyTexture) error {
	if err := stream.CheckCall(ctx, "GenerateMipmaps", s.missing()); err != nil {
		return err
	}
	if texture == nil || texture.asTexture() == nil {
		return fmt.Errorf("compute: mipmaps: no texture: %w", ErrNil)
	}
	t := texture.asTexture()
	if t.shape.Levels < 2 || t.format.numbers != fractions || t.format.writes == neverWritten {
		return fmt.Errorf("compute: mipmaps of %v: %v: want at least two levels and a format that can be filtered: %w",
			t.mem, t, ErrOption)
	}
	return s.transfer(ctx, stream.Work{Command: &textureBlit{Transfer: stream.Transfer{To: t.place}, partial: true,
		blit: func(e mtl.BlitCommandEncoder) error { return e.GenerateMipmapsForTexture(t.metal.Texture) }}})
}
