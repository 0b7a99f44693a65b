package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// texelFormats are the pixel formats that images and filters take: the components of a texel, the
// bytes of each, and the format of feature channels.
var texelFormats = [...]texelFormat{
	{mtl.PixelFormatR8Unorm, 1, 1, mpsdata.ImageFeatureChannelFormatUnorm8},
	{mtl.PixelFormatRG8Unorm, 2, 1, mpsdata.ImageFeatureChannelFormatUnorm8},
	{mtl.PixelFormatRGBA8Unorm, 4, 1, mpsdata.ImageFeatureChannelFormatUnorm8},
	{mtl.PixelFormatBGRA8Unorm, 4, 1, mpsdata.ImageFeatureChannelFormatUnorm8},
	{mtl.PixelFormatR16Unorm, 1, 2, mpsdata.ImageFeatureChannelFormatUnorm16},
	{mtl.PixelFormatRG16Unorm, 2, 2, mpsdata.ImageFeatureChannelFormatUnorm16},
	{mtl.PixelFormatRGBA16Unorm, 4, 2, mpsdata.ImageFeatureChannelFormatUnorm16},
	{mtl.PixelFormatR16Float, 1, 2, mpsdata.ImageFeatureChannelFormatFloat16},
	{mtl.PixelFormatRG16Float, 2, 2, mpsdata.ImageFeatureChannelFormatFloat16},
	{mtl.PixelFormatRGBA16Float, 4, 2, mpsdata.ImageFeatureChannelFormatFloat16},
	{mtl.PixelFormatR32Float, 1, 4, mpsdata.ImageFeatureChannelFormatFloat32},
	{mtl.PixelFormatRG32Float, 2, 4, mpsdata.ImageFeatureChannelFormatFloat32},
	{mtl.PixelFormatRGBA32Float, 4, 4, mpsdata.ImageFeatureChannelFormatFloat32},
}

type texelFormat struct {
	pixel      mtl.PixelFormat
	components int
	size       int // bytes of a component
	channels   uint64
}

// formatOf returns what a pixel format holds.
func formatOf(f mtl.PixelFormat) (texelFormat, error) {
	for _, t := range texelFormats {
		if t.pixel == f {
			return t, nil
		}
	}
	return texelFormat{}, fmt.Errorf("pixel format %v: images and filters of the software device take unorm8, "+
		"unorm16, float16 and float32 in 1, 2 or 4 components", f)
}

// channelFormat returns the pixel format of images with a format of feature channels.
func channelFormat(channels uint64, count int) (texelFormat, error) {
	components := min(count, 4)
	if components == 3 {
		components = 4
	}
	for _, t := range texelFormats {
		if t.channels == channels && t.components == components {
			return t, nil
		}
	}
	return texelFormat{}, fmt.Errorf("feature channel format %d; images take unorm8 (1), unorm16 (2), float16 (3) "+
		"and float32 (4)", channels)
}

// Image is the payload of an MPSImage or MPSTemporaryImage: images of one size in a texture, which
// it retains. Each image takes one slice of the texture for every four feature channels.
type Image struct {
	adapter.Label
	Device   mtl.Device
	Texture  mtl.Texture
	format   texelFormat
	channels int
	images   int
	parent   objcsoft.ID

	temporary bool
	reads     uint64 // left, of a temporary image
}

// slicesFor returns how many slices of a texture hold the channels of one image.
func slicesFor(channels int) int { return (channels + 3) / 4 }

// slices returns how many slices each image takes.
func (m *Image) slices() int { return slicesFor(m.channels) }

// imageShape is what makes the texture of an image.
type imageShape struct {
	width, height, channels, images int
	channelFormat                   uint64
	usage                           mtl.TextureUsage
	storage                         mtl.StorageMode
	cache                           mtl.CPUCacheMode
}

func shapeOf(r *adapter.Record) imageShape {
	return imageShape{int(r.Uint("width")), int(r.Uint("height")), int(r.Uint("featureChannels")),
		int(r.Uint("numberOfImages")), r.Uint("channelFormat"), mtl.TextureUsage(r.Uint("usage")),
		mtl.StorageMode(r.Uint("storageMode")), mtl.CPUCacheMode(r.Uint("cpuCacheMode"))}
}

// newImage makes an image with a texture of its own.
func newImage(d mtl.Device, s imageShape) (*Image, error) {
	const most = 1 << 14 // of the width, the height and the slices together, as for textures
	f, err := channelFormat(s.channelFormat, s.channels)
	switch {
	case s.width < 1 || s.height < 1 || s.channels < 1 || s.images < 1 || s.width > most || s.height > most ||
		s.channels > most || s.images > most:
		return nil, fmt.Errorf("%d images of %d by %d pixels with %d feature channels; each must be 1 to %d", s.images,
			s.width, s.height, s.channels, most)
	case err != nil:
		return nil, err
	}
	desc, err := mtl.NewTextureDescriptor()
	if err != nil {
		return nil, err
	}
	defer desc.Release()
	slices := s.images * slicesFor(s.channels)
	if slices > 1 {
		desc.SetTextureType(mtl.TextureType2DArray)
		desc.SetArrayLength(uint(slices))
	}
	desc.SetPixelFormat(f.pixel)
	desc.SetWidth(uint(s.width))
	desc.SetHeight(uint(s.height))
	desc.SetUsage(s.usage)
	desc.SetStorageMode(s.storage)
	desc.SetCpuCacheMode(s.cache)
	t, err := d.NewTexture(desc)
	if err != nil {
		return nil, err
	}
	d.Retain()
	return &Image{Device: d, Texture: t, format: f, channels: s.channels, images: s.images}, nil
}

// imageOfTexture wraps a texture, which it takes over. Without a number of channels it has those of
// the format.
func imageOfTexture(t mtl.Texture, channels int) (*Image, error) {
	f, err := formatOf(t.PixelFormat())
	if err != nil {
		return nil, err
	}
	if kind := t.TextureType(); kind != mtl.TextureType2D && kind != mtl.TextureType2DArray {
		return nil, fmt.Errorf("the texture has type %v; images are 2D textures and arrays of them", kind)
	}
	if channels == 0 {
		channels = f.components
	}
	slices, each := int(t.ArrayLength()), slicesFor(channels)
	if channels > 4 && f.components != 4 || channels <= 4 && channels > f.components || slices%each != 0 {
		return nil, fmt.Errorf("%d feature channels in a texture of %d slices with %d components", channels, slices,
			f.components)
	}
	d := t.Device()
	d.Retain()
	return &Image{Device: d, Texture: t, format: f, channels: channels, images: slices / each}, nil
}

// part returns an image that shares slices of the texture.
func (m *Image) part(first, count, channels int) (*Image, error) {
	total := int(m.Texture.ArrayLength())
	if first < 0 || count < 1 || first > total-count {
		return nil, fmt.Errorf("slices %d to %d of an image with %d", first, first+count-1, total)
	}
	kind := mtl.TextureType2D
	if count > 1 {
		kind = mtl.TextureType2DArray
	}
	t, err := m.Texture.NewViewOf(m.Texture.PixelFormat(), kind, mtl.Range{Length: 1},
		mtl.Range{Location: uint(first), Length: uint(count)})
	if err != nil {
		return nil, err
	}
	p, err := imageOfTexture(t, channels)
	if err != nil {
		t.Release()
		return nil, err
	}
	p.temporary, p.reads = m.temporary, m.reads
	return p, nil
}

// returnPart returns a part of the receiver, which it keeps alive, +0.
func (m *Image) returnPart(c *objcsoft.Call, first, count, channels int) {
	if id := m.newPart(c, c.Self.ID(), first, count, channels); id != 0 {
		c.ReturnAutoreleased(id)
	}
}

// newPart makes an object of a part of an image with an id, +1, or fails the call.
func (m *Image) newPart(c *objcsoft.Call, id objcsoft.ID, first, count, channels int) objcsoft.ID {
	p, err := m.part(first, count, channels)
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return 0
	}
	if err := c.RT.Retain(id); err != nil {
		c.Fail(err)
		return 0
	}
	p.parent = id
	class := "MPSImage"
	if m.temporary {
		class = "MPSTemporaryImage"
	}
	return c.RT.NewObject(c.RT.Class(class), p)
}

// returnBatch returns an NSArray of single images.
func (m *Image) returnBatch(c *objcsoft.Call, first, count uint64) {
	if first > uint64(m.images) || count > uint64(m.images)-first {
		adapter.Misuse(c, "images %d and %d more of an image that holds %d", first, count, m.images)
		return
	}
	adapter.ReturnObjects(c, int(count), func(i int) objcsoft.ID {
		return m.newPart(c, c.Self.ID(), (int(first)+i)*m.slices(), m.slices(), m.channels)
	})
}

func (m *Image) free(o *objcsoft.Object) {
	m.Texture.Release()
	m.Device.Release()
	o.Drop(m.parent)
}

// usable returns an error for a temporary image whose readCount is used up.
func (m *Image) usable() error {
	if m.temporary && m.reads == 0 {
		return fmt.Errorf("the temporary image %q has been read as often as its readCount said", m.Text())
	}
	return nil
}

// read counts a kernel that reads the image.
func (m *Image) read() {
	if m.temporary {
		m.reads--
	}
}

// imageArg returns an image that a kernel may use; nil is misuse.
func imageArg(c *objcsoft.Call, arg int) (*Image, bool) {
	m, ok := adapter.Payload[*Image](c, arg)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "argument %d is nil, not an image", arg)
		}
		return nil, false
	}
	if err := m.usable(); err != nil {
		adapter.Misuse(c, "%v", err)
		return nil, false
	}
	return m, true
}

func initImage(c *objcsoft.Call, m *Image, err error) {
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	Init(c, m)
}

func imageClasses() []adapter.Class {
	type image = *Image
	number := func(get func(m image) int) objcsoft.Imp {
		return adapter.Method(func(m image, c *objcsoft.Call) { c.ReturnUint(uint64(get(m))) })
	}
	withParent := func(c *objcsoft.Call) {
		parent, ok := imageArg(c, 0)
		if !ok {
			return
		}
		w := c.Words(1)
		p, err := parent.part(int(w[0]), int(w[1]), int(c.Uint(2)))
		if err == nil {
			if err = c.RT.Retain(c.ID(0)); err == nil {
				p.parent = c.ID(0)
			}
		}
		initImage(c, p, err)
	}
	m := adapter.WithLabel[image](adapter.Methods{
		"initWithDevice:imageDescriptor:": func(c *objcsoft.Call) {
			d, ok := DeviceArg(c, 0)
			if r := adapter.RecordArg(c, 1, "the image descriptor"); ok && r != nil {
				m, err := newImage(d, shapeOf(r))
				initImage(c, m, err)
			}
		},
		"initWithTexture:featureChannels:": func(c *objcsoft.Call) {
			if c.ID(0) == 0 {
				adapter.Misuse(c, "the texture is nil")
				return
			}
			t := mtl.TextureFrom(objc.ID(c.ID(0)))
			m, err := imageOfTexture(t, int(c.Uint(1)))
			if err == nil {
				t.Retain()
			}
			initImage(c, m, err)
		},
		"initWithParentImage:sliceRange:featureChannels:": withParent,
		"subImageWithFeatureChannelRange:": adapter.Method(func(m image, c *objcsoft.Call) {
			w := c.Words(0)
			if first, n := uint64(w[0]), uint64(w[1]); first%4 != 0 || n == 0 || first > uint64(m.channels) ||
				n > uint64(m.channels)-first || m.images != 1 {
				adapter.Misuse(c, "feature channels from %d on, %d of them, of %d images with %d; "+
					"the first must be a multiple of 4, and the image a single one", first, n, m.images, m.channels)
				return
			}
			m.returnPart(c, int(w[0]/4), slicesFor(int(w[1])), int(w[1]))
		}),
		"batchRepresentation": adapter.Method(func(m image, c *objcsoft.Call) {
			m.returnBatch(c, 0, uint64(m.images))
		}),
		"batchRepresentationWithSubRange:": adapter.Method(func(m image, c *objcsoft.Call) {
			m.returnBatch(c, uint64(c.Words(0)[0]), uint64(c.Words(0)[1]))
		}),
		"device": adapter.Method(func(m image, c *objcsoft.Call) {
			c.ReturnShared(objcsoft.ID(m.Device.ID()))
		}),
		"texture": adapter.Method(func(m image, c *objcsoft.Call) {
			c.ReturnShared(objcsoft.ID(m.Texture.ID()))
		}),
		"parent":               adapter.Method(func(m image, c *objcsoft.Call) { c.ReturnShared(m.parent) }),
		"width":                number(func(m image) int { return int(m.Texture.Width()) }),
		"height":               number(func(m image) int { return int(m.Texture.Height()) }),
		"featureChannels":      number(func(m image) int { return m.channels }),
		"numberOfImages":       number(func(m image) int { return m.images }),
		"textureType":          number(func(m image) int { return int(m.Texture.TextureType()) }),
		"pixelFormat":          number(func(m image) int { return int(m.format.pixel) }),
		"precision":            number(func(m image) int { return 8 * m.format.size }),
		"pixelSize":            number(func(m image) int { return m.format.components * m.format.size }),
		"usage":                number(func(m image) int { return int(m.Texture.Usage()) }),
		"featureChannelFormat": number(func(m image) int { return int(m.format.channels) }),
		"resourceSize":         number(func(m image) int { return int(m.Texture.AllocatedSize()) }),
		"setPurgeableState:": adapter.Method(func(m image, c *objcsoft.Call) {
			c.ReturnUint(uint64(m.Texture.SetPurgeableState(mtl.PurgeableState(c.Uint(0)))))
		}),
		"synchronizeOnCommandBuffer:": adapter.Method(func(image, *objcsoft.Call) {}), // the memory is shared
	})
	for sel, imp := range imageBytesMethods() {
		m[sel] = imp
	}
	made := func(sizes int) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			id := adapter.NewInstance(c.RT, "MPSImageDescriptor")
			if r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id); ok {
				for i, name := range []string{"channelFormat", "width", "height", "featureChannels", "numberOfImages",
					"usage"}[:sizes] {
					r.SetUint(name, c.Uint(i))
				}
			}
			c.ReturnAutoreleased(id)
		}
	}
	return []adapter.Class{
		{Name: "MPSImageDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{
				{Name: "width"}, {Name: "height"}, {Name: "featureChannels"}, {Name: "numberOfImages", Value: 1},
				{Name: "channelFormat"}, {Name: "cpuCacheMode"}, {Name: "storageMode"},
				{Name: "usage", Value: uintptr(mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite)},
			},
			Methods: adapter.Methods{
				"pixelFormat": adapter.Method(func(r *adapter.Record, c *objcsoft.Call) {
					// An unfinished descriptor has no format yet.
					f, _ := channelFormat(r.Uint("channelFormat"), int(r.Uint("featureChannels")))
					c.ReturnUint(uint64(f.pixel))
				}),
			},
			ClassMethods: adapter.Methods{
				"imageDescriptorWithChannelFormat:width:height:featureChannels:":                      made(4),
				"imageDescriptorWithChannelFormat:width:height:featureChannels:numberOfImages:usage:": made(6),
			}},
		{Name: "MPSImage", Methods: m, Dealloc: adapter.DeallocHook(image.free)},
		temporaryImageClass(withParent),
	}
}

// temporaryImageClass declares MPSTemporaryImage. Its memory is that of a private texture; it is
// released with the object and not reused.
func temporaryImageClass(withParent objcsoft.Imp) adapter.Class {
	type image = *Image
	returnNew := func(c *objcsoft.Call, m *Image, err error) {
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		m.temporary, m.reads = true, 1
		c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class("MPSTemporaryImage"), m))
	}
	textured := func(channels bool) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			cb, ok := CommandBufferArg(c, 0)
			if !ok || c.ID(1) == 0 {
				adapter.Misuse(c, "the command buffer or the texture descriptor is nil")
				return
			}
			d, n := cb.Device(), 0
			if channels {
				n = int(c.Uint(2))
			}
			t, err := d.NewTexture(mtl.TextureDescriptorFrom(objc.ID(c.ID(1))))
			if err != nil {
				adapter.Misuse(c, "%v", err)
				return
			}
			m, err := imageOfTexture(t, n)
			if err != nil {
				t.Release()
			}
			returnNew(c, m, err)
		}
	}
	return adapter.Class{Name: "MPSTemporaryImage", Super: "MPSImage",
		Methods: adapter.Methods{
			"initWithParentImage:sliceRange:featureChannels:": withParent,
			"readCount":     adapter.Method(func(m image, c *objcsoft.Call) { c.ReturnUint(m.reads) }),
			"setReadCount:": adapter.Method(func(m image, c *objcsoft.Call) { m.reads = c.Uint(0) }),
		},
		ClassMethods: adapter.Methods{
			"temporaryImageWithCommandBuffer:imageDescriptor:": func(c *objcsoft.Call) {
				cb, ok := CommandBufferArg(c, 0)
				if r := adapter.RecordArg(c, 1, "the image descriptor"); ok && r != nil {
					s := shapeOf(r)
					s.storage, s.cache = mtl.StorageModePrivate, mtl.CPUCacheModeDefaultCache
					m, err := newImage(cb.Device(), s)
					returnNew(c, m, err)
				}
			},
			"temporaryImageWithCommandBuffer:textureDescriptor:":                 textured(false),
			"temporaryImageWithCommandBuffer:textureDescriptor:featureChannels:": textured(true),
			// Memory comes when it is needed.
			"prefetchStorageWithCommandBuffer:imageDescriptorList:": func(*objcsoft.Call) {},
		}}
}
