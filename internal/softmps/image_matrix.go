package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/tensorop/encode"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// imageCopier is the payload of an MPSImageCopyToMatrix and of an MPSMatrixCopyToImage. Each image
// is a row of the matrix: its rows, columns and channels in this order, or the channels first.
type imageCopier struct {
	Kernel
	layout  uint64
	toImage bool
}

// pixels copies between the texture of an image and floats in the order images, rows, columns,
// channels.
func (k *imageCopier) pixels(c *objcsoft.Call, cb mtl.CommandBuffer, m *Image, floats *NDArray) error {
	j := &imageJob{rt: c.RT, device: k.Device}
	defer j.free()
	s, err := j.surface(m.Texture)
	if err != nil {
		return err
	}
	p := pass{library: "tensor", kernel: "load", buffers: []encode.Buffer{{Buffer: floats.Buffer}},
		grid: [3]int{s.width, s.height, m.images * m.slices()}}
	p.textures[0] = s.Texture
	if k.toImage {
		p.kernel, p.textures[0], p.textures[2] = "save", mtl.Texture{}, s.Texture
	}
	p.arguments.Clip = [4]int32{0, 0, int32(s.width), int32(s.height)}
	p.arguments.Window = [4]int32{int32(m.channels), int32(m.slices())}
	j.passes = []pass{p}
	return j.run(cb)
}

// encode encodes copies between images and rows of a matrix, which begin at an origin of one of its
// matrices.
func (k *imageCopier) encode(c *objcsoft.Call, images []*Image, matrix *Matrix) {
	cb, ok := CommandBufferArg(c, 0)
	if !ok {
		return
	}
	from, index := k.origin("destinationMatrixOrigin"), k.number("destinationMatrixBatchIndex", 0)
	if k.toImage {
		from, index = k.origin("sourceMatrixOrigin"), k.number("sourceMatrixBatchIndex", 0)
	}
	if !matrix.Type.Float() {
		adapter.Misuse(c, "a matrix of %v; images have floating-point numbers", matrix.Type)
		return
	}
	for _, m := range images {
		height, width := int(m.Texture.Height()), int(m.Texture.Width())
		part, err := matrix.window("the matrix", from, index, 1, m.images, height*width*m.channels)
		if err == nil {
			err = m.usable()
		}
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		from.row += m.images
		floats, err := newNDArray(k.Device, tensorop.Dense(tensorop.Float32, m.images, height, width, m.channels))
		if err != nil {
			c.Fail(err)
			return
		}
		objc.Pool(func() { err = k.copy(c, cb, m, floats, part) })
		floats.release()
		if err != nil {
			adapter.Misuse(c, "%v", err)
		}
		if c.Failed() {
			return
		}
	}
}

// copy copies an image by way of floats.
func (k *imageCopier) copy(c *objcsoft.Call, cb mtl.CommandBuffer, m *Image, floats, part *NDArray) error {
	order := []int{0, 1, 2, 3}
	if k.layout == mpsdata.DataLayoutFeatureChannelsxHeightxWidth {
		order = []int{0, 3, 1, 2}
	}
	// flat returns the row of a matrix that has the elements of floats.
	flat := func(rows, all tensorop.Operand) (tensorop.Operand, tensorop.Operand, error) {
		v := all.Transpose(order...)
		row, ok := rows.Reshape(v.Shape...)
		if !ok {
			return rows, all, fmt.Errorf("a window of shape %v as images of shape %v", rows.Shape, v.Shape)
		}
		return rows.With(row), all.With(v), nil
	}
	if k.toImage {
		Encode(c, k.Device, cb, []*NDArray{part}, []*NDArray{floats}, func(b *tensorop.Builder, in,
			out []tensorop.Operand) {
			rows, all, err := flat(in[0], out[0])
			if err != nil {
				b.Fail(err)
				return
			}
			b.Copy(all, rows)
		})
		if c.Failed() {
			return nil
		}
		return k.pixels(c, cb, m, floats)
	}
	if err := k.pixels(c, cb, m, floats); err != nil {
		return err
	}
	m.read()
	Encode(c, k.Device, cb, []*NDArray{floats}, []*NDArray{part}, func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		rows, all, err := flat(out[0], in[0])
		if err != nil {
			b.Fail(err)
			return
		}
		b.Copy(rows, all)
	})
	return nil
}

func imageMatrixClasses() []adapter.Class {
	class := func(name, one, batch string, toImage bool) adapter.Class {
		image, matrix := 1, 2
		if toImage {
			image, matrix = 2, 1
		}
		plain := func(c *objcsoft.Call) { initKernel(c, &imageCopier{toImage: toImage}) }
		return withProperties(adapter.Class{Name: name, Super: "MPSKernel", Methods: adapter.Methods{
			"initWithDevice:": plain,
			"initWithDevice:dataLayout:": func(c *objcsoft.Call) {
				if n := c.Uint(1); n > mpsdata.DataLayoutFeatureChannelsxHeightxWidth {
					adapter.Misuse(c, "there is no data layout %d", n)
					return
				}
				initKernel(c, &imageCopier{toImage: toImage, layout: c.Uint(1)})
			},
			"dataLayout": adapter.Method(func(k *imageCopier, c *objcsoft.Call) { c.ReturnUint(k.layout) }),
			one: adapter.Method(func(k *imageCopier, c *objcsoft.Call) {
				m, ok := adapter.Payload[*Image](c, image)
				if !ok {
					if !c.Failed() {
						adapter.Misuse(c, "the image is nil")
					}
					return
				}
				if x, ok := matrixArg(c, matrix); ok {
					k.encode(c, []*Image{m}, x)
				}
			}),
			batch: adapter.Method(func(k *imageCopier, c *objcsoft.Call) {
				list, err := adapter.Payloads[*Image](c.RT, c.ID(image))
				if err != nil {
					adapter.Misuse(c, "the images: %v", err)
					return
				}
				if x, ok := matrixArg(c, matrix); ok {
					k.encode(c, list, x)
				}
			}),
		}}, nil)
	}
	return []adapter.Class{
		class("MPSImageCopyToMatrix", "encodeToCommandBuffer:sourceImage:destinationMatrix:",
			"encodeBatchToCommandBuffer:sourceImages:destinationMatrix:", false),
		class("MPSMatrixCopyToImage", "encodeToCommandBuffer:sourceMatrix:destinationImage:",
			"encodeBatchToCommandBuffer:sourceMatrix:destinationImages:", true),
	}
}
