package softmps

import (
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// lossLabels is the payload of MPSCNNLossLabels. Its images are retained.
type lossLabels struct {
	State
	loss, labels, weights    objcsoft.ID
	lossImage                *Image
	labelsImage, weightImage *Image // weightImage may be nil
}

func (s *lossLabels) freeState(o *objcsoft.Object) { o.Drop(s.loss, s.labels, s.weights) }

// lossData is the payload of an MPSCNNLossDataDescriptor.
type lossData struct {
	data             []byte
	layout           uint64
	size             [3]int // width, height, feature channels
	perRow, perImage uint64
}

// newLossData describes packed data.
func newLossData(data []byte, layout uint64, size [3]int) (*lossData, error) {
	d := &lossData{data: data, layout: layout, size: size}
	t, err := d.transfer()
	if err != nil {
		return nil, err
	}
	if d.perRow = t.rows; layout == mpsdata.DataLayoutFeatureChannelsxHeightxWidth {
		d.perImage = t.planes
	} else {
		d.perImage = t.rows * uint64(size[1])
	}
	return d, nil
}

// transfer returns the copy to an image. It checks that the data has as many bytes.
func (d *lossData) transfer() (*transfer, error) {
	const most, mostBytes = 1 << 14, 1 << 40
	if d.perRow > mostBytes || d.perImage > mostBytes {
		return nil, fmt.Errorf("%d bytes in a row and %d in an image; the limit is %d", d.perRow, d.perImage,
			uint64(mostBytes))
	}
	for _, n := range d.size {
		if n < 1 || n > most {
			return nil, fmt.Errorf("data of %d by %d by %d (width, height, feature channels); each must be 1 to %d",
				d.size[0], d.size[1], d.size[2], most)
		}
	}
	t := &transfer{write: true, channels: d.size[2],
		region: mtl.Region{Size: mtl.Size{Width: uint(d.size[0]), Height: uint(d.size[1]), Depth: 1}}}
	if err := t.layout(d.layout, 0, d.perRow, d.perImage, 4); err != nil {
		return nil, err
	}
	need := uint64(d.size[0]-1)*t.columns + uint64(d.size[1]-1)*t.rows + uint64(d.size[2]-1)*t.planes + 4
	if have := uint64(len(d.data)); need > have {
		return nil, fmt.Errorf("data of %d bytes; %d by %d by %d float32 with %d bytes in a row take %d", have,
			d.size[0], d.size[1], d.size[2], t.rows, need)
	}
	return t, nil
}

// image makes an image of the data.
func (d *lossData) image(device mtl.Device) (*Image, error) {
	t, err := d.transfer()
	if err != nil {
		return nil, err
	}
	m, err := newImage(device, lossImageShape(d.size))
	if err != nil {
		return nil, err
	}
	t.address = objc.Slice(d.data)
	err = m.copy(t)
	runtime.KeepAlive(d)
	return m, err
}

// lossImageShape is the shape of an image of a loss's data.
func lossImageShape(size [3]int) imageShape {
	return imageShape{width: size[0], height: size[1], channels: size[2], images: 1,
		channelFormat: mpsdata.ImageFeatureChannelFormatFloat32,
		usage:         mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite, storage: mtl.StorageModeShared}
}

// initLabels makes an init method. lossSize is the argument with the size of the loss image; below
// zero it is a single element. labels and weights are arguments, descriptors or images; weights may
// be below zero.
func initLabels(lossSize, labels, weights int, images bool) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		d, ok := DeviceArg(c, 0)
		if !ok {
			return
		}
		s := &lossLabels{}
		s.device = d
		size := [3]int{1, 1, 1}
		if lossSize >= 0 {
			for i, w := range c.Words(lossSize) {
				size[i] = int(w)
			}
		}
		m, err := newImage(d, lossImageShape(size))
		if err != nil {
			adapter.Misuse(c, "%s: the loss image: %v", c.Self.Class().Name, err)
			return
		}
		s.lossImage, s.loss = m, c.RT.NewObject(c.RT.Class("MPSImage"), m)
		s.labels, s.labelsImage = lossImageArg(c, d, labels, images)
		if !c.Failed() && weights >= 0 && c.ID(weights) != 0 {
			s.weights, s.weightImage = lossImageArg(c, d, weights, images)
		}
		if c.Failed() {
			adapter.Release(c.RT, s.loss, s.labels, s.weights)
			return
		}
		d.Retain()
		Init(c, s)
	}
}

// lossImageArg returns the image in an argument, or a new one with the data of the descriptor in
// it, +1.
func lossImageArg(c *objcsoft.Call, d mtl.Device, arg int, image bool) (objcsoft.ID, *Image) {
	if image {
		m, ok := imageArg(c, arg)
		if !ok {
			return 0, nil
		}
		if err := c.RT.Retain(c.ID(arg)); err != nil {
			c.Fail(err)
			return 0, nil
		}
		return c.ID(arg), m
	}
	data, ok := adapter.Payload[*lossData](c, arg)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "%s: argument %d is nil, not a data descriptor", c.Self.Class().Name, arg)
		}
		return 0, nil
	}
	m, err := data.image(d)
	if err != nil {
		adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
		return 0, nil
	}
	return c.RT.NewObject(c.RT.Class("MPSImage"), m), m
}

// lossDataClass declares MPSCNNLossDataDescriptor.
func lossDataClass() adapter.Class {
	type data = *lossData
	get := func(f func(d data) uint64) objcsoft.Imp {
		return adapter.Method(func(d data, c *objcsoft.Call) { c.ReturnUint(f(d)) })
	}
	return adapter.Class{Name: "MPSCNNLossDataDescriptor", Protocols: []string{"NSCopying"},
		Methods: adapter.Methods{
			"layout": get(func(d data) uint64 { return d.layout }),
			"size": adapter.Method(func(d data, c *objcsoft.Call) {
				c.ReturnWords(uintptr(d.size[0]), uintptr(d.size[1]), uintptr(d.size[2]))
			}),
			"bytesPerRow":       get(func(d data) uint64 { return d.perRow }),
			"bytesPerImage":     get(func(d data) uint64 { return d.perImage }),
			"setBytesPerRow:":   adapter.Method(func(d data, c *objcsoft.Call) { d.perRow = c.Uint(0) }),
			"setBytesPerImage:": adapter.Method(func(d data, c *objcsoft.Call) { d.perImage = c.Uint(0) }),
			"copyWithZone:": adapter.Method(func(d data, c *objcsoft.Call) {
				q := *d
				c.ReturnID(c.RT.NewObject(c.Self.Class(), &q))
			}),
		},
		ClassMethods: adapter.Methods{
			"cnnLossDataDescriptorWithData:layout:size:": func(c *objcsoft.Call) {
				b, err := c.RT.GoBytes(c.ID(0))
				var size [3]int
				for i, w := range c.Words(2) {
					size[i] = int(w)
				}
				if err == nil && c.ID(0) == 0 {
					err = fmt.Errorf("the data is nil")
				}
				var d data
				if err == nil {
					d, err = newLossData(b, c.Uint(1), size)
				}
				if err != nil {
					adapter.Misuse(c, "MPSCNNLossDataDescriptor: %v", err)
					return
				}
				c.ReturnAutoreleased(c.RT.NewObject(c.Class(), d))
			},
		}}
}

func lossClasses() []adapter.Class {
	image := func(get func(s *lossLabels) objcsoft.ID) objcsoft.Imp {
		return adapter.Method(func(s *lossLabels, c *objcsoft.Call) { c.ReturnShared(get(s)) })
	}
	const one, many = "encodeToCommandBuffer:sourceImage:labels:", "encodeBatchToCommandBuffer:sourceImages:labels:"
	encode := func(batch bool, dest int) objcsoft.Imp {
		return encodeCNN(cnnArguments{batch: batch, sources: []int{1}, states: 2, dest: dest, out: -1, consume: true})
	}
	const init = "initWithDevice:lossImageSize:"
	return []adapter.Class{
		lossDataClass(),
		{Name: "MPSCNNLossDescriptor", Protocols: []string{"NSCopying"}, Properties: lossProperties(),
			ClassMethods: adapter.Methods{"cnnLossDescriptorWithType:reductionType:": func(c *objcsoft.Call) {
				id := adapter.NewInstance(c.RT, "MPSCNNLossDescriptor")
				if r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id); ok {
					r.SetUint("lossType", c.Uint(0))
					r.SetUint("reductionType", c.Uint(1))
				}
				c.ReturnAutoreleased(id)
			}}},
		{Name: "MPSCNNLossLabels", Super: "MPSState", Methods: adapter.Methods{
			"initWithDevice:labelsDescriptor:":           initLabels(-1, 1, -1, false),
			init + "labelsDescriptor:weightsDescriptor:": initLabels(1, 2, 3, false),
			init + "labelsImage:weightsImage:":           initLabels(1, 2, 3, true),
			"lossImage":                                  image(func(s *lossLabels) objcsoft.ID { return s.loss }),
			"labelsImage":                                image(func(s *lossLabels) objcsoft.ID { return s.labels }),
			"weightsImage":                               image(func(s *lossLabels) objcsoft.ID { return s.weights }),
		}},
		withProperties(adapter.Class{Name: "MPSCNNLoss", Super: "MPSCNNKernel", Methods: adapter.Methods{
			"initWithDevice:lossDescriptor:": initLoss,
			one:                              encode(false, -1),
			one + "destinationImage:":        encode(false, 3),
			many:                             encode(true, -1),
			many + "destinationImages:":      encode(true, 3),
		}}, nil),
	}
}
