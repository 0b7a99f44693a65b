package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/objc"
)

// copyImages encodes a copy between the array and images. Dimension 0 of the array is the feature
// channels, 1 and 2 are x and y, and 3 is the images of the batch. The arguments are a command
// buffer, the images, and the place in each image of the array's first element.
func (a *NDArray) copyImages(c *objcsoft.Call, export bool) {
	cb, ok := CommandBufferArg(c, 0)
	if !ok {
		return
	}
	images, err := adapter.Payloads[*Image](c.RT, c.ID(1))
	if err != nil {
		adapter.Misuse(c, "the images: %v", err)
		return
	}
	v, err := a.pixels()
	w := c.Words(2)
	at := [3]uint64{uint64(w[0]), uint64(w[1]), uint64(w[2])}
	if err == nil {
		images, err = imagesFor(images, v.Shape, at)
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	j := &cnnJob{imageJob: imageJob{rt: c.RT, device: a.Device}, c: c, cb: cb, count: v.Shape[0], each: images[0].images}
	defer j.free()
	objc.Pool(func() { err = a.encodeImages(j, v, images, at, export) })
	if err != nil && !c.Failed() {
		adapter.Misuse(c, "%v", err)
	}
}

// pixels returns the array in the order images, rows, columns, channels.
func (a *NDArray) pixels() (tensorop.View, error) {
	v := a.View
	if a.nibbles != 0 || v.Type.Complex() {
		return v, fmt.Errorf("an array of 4-bit integers or complex numbers as images")
	}
	for v.Rank() > 4 {
		if v.Shape[0] != 1 {
			return v, fmt.Errorf("an array of shape %v as images; it has channels, x, y and images, and 1 in the slower "+
				"dimensions", a.Shape)
		}
		v.Shape, v.Strides = v.Shape[1:], v.Strides[1:]
	}
	for v.Rank() < 4 {
		v.Shape, v.Strides = append([]int{1}, v.Shape...), append([]int{0}, v.Strides...)
	}
	return v, nil
}

// imagesFor returns the images that an array of a shape takes, from x, y and a feature channel on.
func imagesFor(list []*Image, shape []int, at [3]uint64) ([]*Image, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("there are no images")
	}
	first := list[0]
	if n := shape[0]; n%first.images != 0 || n/first.images > len(list) {
		return nil, fmt.Errorf("an array of %d images for a batch of %d, which hold %d each", n, len(list), first.images)
	}
	list = list[:shape[0]/first.images]
	for i, m := range list {
		if err := m.usable(); err != nil {
			return nil, err
		}
		if m.images != first.images {
			return nil, fmt.Errorf("image 0 holds %d images and image %d holds %d", first.images, i, m.images)
		}
		has := [3]int{int(m.Texture.Width()), int(m.Texture.Height()), m.channels}
		for d, name := range [3]string{"x", "y", "feature channel"} {
			if n := shape[3-(d+1)%3]; at[d] > uint64(has[d]) || n > has[d]-int(at[d]) {
				return nil, fmt.Errorf("%d elements from %s %d on, of image %d, which has %d", n, name, at[d], i, has[d])
			}
		}
	}
	if at[2]%4 != 0 {
		return nil, fmt.Errorf("feature channel %d as the first one; it must be a multiple of 4", at[2])
	}
	return list, nil
}

// encodeImages encodes the copy by way of floats.
func (a *NDArray) encodeImages(j *cnnJob, v tensorop.View, images []*Image, at [3]uint64, export bool) error {
	x, y, channel := int(at[0]), int(at[1]), int(at[2])
	height, width, channels := v.Shape[1], v.Shape[2], v.Shape[3]
	if export {
		floats, err := j.tensor(v.Shape...)
		if err != nil {
			return err
		}
		err = j.compute([]*NDArray{a}, []*NDArray{floats}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
			b.Copy(out[0], in[0].With(v))
		})
		if err != nil {
			return err
		}
		j.out = cnnTarget{images: images, x: x, y: y, width: width, height: height, channel: channel, channels: channels}
		if err := j.save(floats); err != nil {
			return err
		}
		return j.flush()
	}
	j.sources = []cnnSource{{images: images, channel: channel, channels: channels}}
	floats, err := j.load(0, x, y, width, height)
	if err != nil {
		return err
	}
	err = j.compute([]*NDArray{floats}, []*NDArray{a}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		b.Copy(out[0].With(v), in[0])
	})
	if err == nil {
		for _, m := range images {
			m.read()
		}
	}
	return err
}
