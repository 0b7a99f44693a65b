package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/mtl"
)

// transfer is a copy between memory and a region of one image.
type transfer struct {
	address                uintptr
	write                  bool
	region                 mtl.Region
	firstChannel, channels int
	image                  int
	columns, rows, planes  uint64 // strides in bytes: of pixels, rows and channels
}

// layout sets the strides of a data layout: channels interleaved, or a plane for each. Strides of 0
// are those of packed data.
func (t *transfer) layout(layout, perColumn, perRow, perImage uint64, size int) error {
	w, h, n, s := uint64(t.region.Size.Width), uint64(t.region.Size.Height), uint64(t.channels), uint64(size)
	or := func(v, otherwise uint64) uint64 {
		if v == 0 {
			return otherwise
		}
		return v
	}
	switch layout {
	case mpsdata.DataLayoutHeightxWidthxFeatureChannels:
		t.planes = s
		t.columns = or(perColumn, n*s)
		t.rows = or(perRow, w*t.columns)
	case mpsdata.DataLayoutFeatureChannelsxHeightxWidth:
		t.columns = or(perColumn, s)
		t.rows = or(perRow, w*t.columns)
		t.planes = or(perImage, h*t.rows)
	default:
		return fmt.Errorf("data layout %d; there are height x width x channels (0) and channels x height x width (1)",
			layout)
	}
	return nil
}

// check returns an error if the region, the channels or the image are not there.
func (m *Image) check(t *transfer) error {
	o, s := t.region.Origin, t.region.Size
	w, h := m.Texture.Width(), m.Texture.Height()
	switch {
	case m.temporary:
		return fmt.Errorf("the CPU cannot access the memory of a temporary image")
	case t.address == 0:
		return fmt.Errorf("the address of the data is nil")
	case t.image < 0 || t.image >= m.images:
		return fmt.Errorf("image %d of %d", t.image, m.images)
	case t.firstChannel < 0 || t.firstChannel%4 != 0 || t.channels < 1 || t.firstChannel > m.channels-t.channels:
		return fmt.Errorf("feature channels from %d on, %d of them, of %d; the first must be a multiple of 4",
			t.firstChannel, t.channels, m.channels)
	case s.Width > w || s.Height > h || o.X > w-s.Width || o.Y > h-s.Height || o.Z != 0 || s.Depth > 1:
		return fmt.Errorf("a region of %d by %d by %d at (%d, %d, %d) of an image of %d by %d pixels", s.Width,
			s.Height,
			s.Depth, o.X, o.Y, o.Z, w, h)
	}
	return nil
}

// copy does a transfer, one row of one slice after the other.
func (m *Image) copy(t *transfer) error {
	if t.region.Size.Width == 0 || t.region.Size.Height == 0 {
		return nil
	}
	region := t.region
	region.Origin.Z, region.Size = 0, mtl.Size{Width: region.Size.Width, Height: 1, Depth: 1}
	size, width := m.format.size, int(region.Size.Width)
	texel := size * m.format.components
	texels := make([]byte, width*texel)
	row := uint(len(texels))
	for slice := t.firstChannel / 4; slice*4 < t.firstChannel+t.channels; slice++ {
		at := uint(t.image*m.slices() + slice)
		n := min(t.firstChannel+t.channels-slice*4, 4)
		for y := range t.region.Size.Height {
			region.Origin.Y = t.region.Origin.Y + y
			if err := m.Texture.GetBytesSlice(texels, row, row, region, 0, at); err != nil {
				return err
			}
			start := t.address + uintptr(uint64(y)*t.rows+uint64(slice*4-t.firstChannel)*t.planes)
			for ch := range n {
				if err := m.copyChannel(t, texels, start+uintptr(uint64(ch)*t.planes), ch, width); err != nil {
					return err
				}
			}
			if t.write {
				if err := m.Texture.ReplaceRegionSlice(region, 0, at, texels, row, row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// copyChannel moves one channel of a row between its texels and memory at an address.
func (m *Image) copyChannel(t *transfer, texels []byte, address uintptr, channel, width int) error {
	size, texel := m.format.size, m.format.size*m.format.components
	if m.format.pixel == mtl.PixelFormatBGRA8Unorm && channel != 3 {
		channel = 2 - channel
	}
	span := uint64(width-1)*t.columns + uint64(size)
	memory, err := objcsoft.ReadMemory(address, span)
	if err != nil {
		return err
	}
	for x := range width {
		inside := texels[x*texel+channel*size:][:size]
		outside := memory[uint64(x)*t.columns:][:size]
		if t.write {
			copy(inside, outside)
		} else {
			copy(outside, inside)
		}
	}
	if t.write {
		return nil
	}
	return objcsoft.WriteMemory(address, memory)
}

// imageBytesMethods are readBytes and writeBytes of MPSImage in all their forms.
func imageBytesMethods() adapter.Methods {
	// strides is how many of bytesPerColumn, bytesPerRow and bytesPerImage are arguments.
	method := func(write bool, strides ...int) objcsoft.Imp {
		return adapter.Method(func(m *Image, c *objcsoft.Call) {
			t := &transfer{address: c.Word(0), write: write, channels: m.channels,
				region: mtl.Region{Size: mtl.Size{Width: m.Texture.Width(), Height: m.Texture.Height(), Depth: 1}}}
			var given [3]uint64
			next := 2
			for _, s := range strides {
				given[s] = c.Uint(next)
				next++
			}
			if len(strides) > 0 {
				w, ch := c.Words(next), c.Words(next+1)
				t.region = mtl.Region{Origin: mtl.Origin{X: uint(w[0]), Y: uint(w[1]), Z: uint(w[2])},
					Size: mtl.Size{Width: uint(w[3]), Height: uint(w[4]), Depth: uint(w[5])}}
				t.firstChannel, t.channels = int(ch[0]), int(ch[1])
				next += 2
			}
			t.image = int(c.Uint(next))
			err := m.check(t)
			if err == nil {
				err = t.layout(c.Uint(1), given[0], given[1], given[2], m.format.size)
			}
			if err == nil {
				err = m.copy(t)
			}
			if err != nil {
				adapter.Misuse(c, "%v", err)
			}
		})
	}
	const tail = "region:featureChannelInfo:imageIndex:"
	return adapter.Methods{
		"readBytes:dataLayout:imageIndex:":                                       method(false),
		"readBytes:dataLayout:bytesPerRow:" + tail:                               method(false, 1),
		"readBytes:dataLayout:bytesPerRow:bytesPerImage:" + tail:                 method(false, 1, 2),
		"writeBytes:dataLayout:imageIndex:":                                      method(true),
		"writeBytes:dataLayout:bytesPerRow:" + tail:                              method(true, 1),
		"writeBytes:dataLayout:bytesPerRow:bytesPerImage:" + tail:                method(true, 1, 2),
		"writeBytes:dataLayout:bytesPerColumn:bytesPerRow:bytesPerImage:" + tail: method(true, 0, 1, 2),
	}
}
