package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/tensorop/encode"
	"github.com/puremetal/puremetal/mtl"
)

// cnnJob is the work of a kernel on a batch of images that have one size.
type cnnJob struct {
	imageJob
	c       *objcsoft.Call
	cb      mtl.CommandBuffer
	kernel  *cnnKernel
	sources []cnnSource
	out     cnnTarget
	states  []cnnState
	count   int // images in the batch, those inside of each MPSImage included
	each    int // images of each MPSImage
}

// cnnSource is a source of a job.
type cnnSource struct {
	images            []*Image
	x, y              int // where the source is read for the first pixel of the clip rectangle
	first             int // image in each texture
	edge              uint64
	channel, channels int // the feature channels that are read
	width, height     int
}

// cnnTarget is the part of the destination that a job writes.
type cnnTarget struct {
	images              []*Image
	x, y, width, height int
	first               int // image in each texture
	channel, channels   int // the feature channels that may be written
}

// start fills a job in and checks what does not depend on the kernel.
func (k *cnnKernel) start(j *cnnJob, r *cnnRequest) error {
	dest := r.dest[0]
	channel := k.number("destinationFeatureChannelOffset", 0)
	if channel < 0 || channel%4 != 0 || channel >= dest.channels {
		return fmt.Errorf("destinationFeatureChannelOffset %d of a destination with %d channels; "+
			"it must be a multiple of 4 below that", channel, dest.channels)
	}
	origin, size := intersect(k.words("clipRect"), [3]int{int(dest.Texture.Width()), int(dest.Texture.Height()),
		dest.images})
	j.out = cnnTarget{images: r.dest, x: origin[0], y: origin[1], width: size[0], height: size[1], first: origin[2],
		channel: channel, channels: dest.channels - channel}
	j.each, j.states = size[2], r.states
	for i, images := range r.sources {
		s, err := k.source(i, images)
		if err != nil {
			return err
		}
		for _, m := range images {
			for _, d := range r.dest {
				if m.Texture.ID() == d.Texture.ID() {
					return fmt.Errorf("the source and the destination are the same image")
				}
			}
		}
		j.each = min(j.each, images[0].images-s.first)
		j.sources = append(j.sources, s)
	}
	j.count = j.each * len(r.dest)
	if k.channels == nil {
		for i := range j.sources {
			j.sources[i].channels = min(j.sources[i].channels, j.out.channels)
		}
		j.out.channels = j.sources[0].channels
	}
	return nil
}

// source returns a source with the properties that say what is read of it.
func (k *cnnKernel) source(i int, images []*Image) (cnnSource, error) {
	m := images[0]
	o := k.offset(k.name(i, "offset"))
	channel := k.of(i, "sourceFeatureChannelOffset", 0)
	most := uint64(math.MaxUint64)
	if w := k.words(k.name(i, "sourceFeatureChannelMaxCount")); w != nil {
		most = uint64(w[0])
	}
	s := cnnSource{images: images, x: o[0], y: o[1], first: o[2],
		edge: uint64(k.of(i, "edgeMode", 0)), channel: channel, width: int(m.Texture.Width()),
		height: int(m.Texture.Height())}
	switch {
	case s.edge > mpsdata.ImageEdgeModeConstant:
		return s, fmt.Errorf("edge mode %d; there are zero (0), clamp (1), mirror (2), mirror with edge (3) and "+
			"constant (4)", s.edge)
	case max(o[0], o[1], -o[0], -o[1]) > maxOffset:
		return s, fmt.Errorf("offset (%d, %d); the limit is %d", o[0], o[1], maxOffset)
	case o[2] < 0 || o[2] >= m.images:
		return s, fmt.Errorf("offset.z is %d; the source holds %d images", o[2], m.images)
	case channel < 0 || channel%4 != 0 || channel >= m.channels:
		return s, fmt.Errorf("sourceFeatureChannelOffset %d of a source with %d channels; "+
			"it must be a multiple of 4 below that", channel, m.channels)
	case most == 0:
		return s, fmt.Errorf("sourceFeatureChannelMaxCount is 0")
	}
	s.channels = int(min(uint64(m.channels-channel), most))
	return s, nil
}

// tensor makes a dense float32 tensor for the job. Its contents are undefined.
func (j *cnnJob) tensor(shape ...int) (*NDArray, error) {
	v := tensorop.Dense(tensorop.Float32, shape...)
	if err := v.Check(); err != nil {
		return nil, err
	}
	b, err := j.buffer(4 * v.Elements())
	return &NDArray{View: v, Device: j.device, Buffer: b.Buffer}, err
}

// constant makes a float32 tensor of values.
func (j *cnnJob) constant(values []float32, shape ...int) (*NDArray, error) {
	b, err := j.floats(values)
	return &NDArray{View: tensorop.Dense(tensorop.Float32, shape...), Device: j.device, Buffer: b.Buffer}, err
}

// load returns a rectangle of a source as a tensor: images, rows, columns, channels. The
// rectangle may reach beyond the source, where the source's edge mode says what is there.
func (j *cnnJob) load(source, x, y, width, height int) (*NDArray, error) {
	return j.loadEdge(source, x, y, width, height, j.sources[source].edge, 0)
}

// loadAll returns a whole source as a tensor.
func (j *cnnJob) loadAll(source int) (*NDArray, error) {
	s := &j.sources[source]
	return j.load(source, 0, 0, s.width, s.height)
}

// loadAligned returns the pixels of a source that lie under the clip rectangle.
func (j *cnnJob) loadAligned(source int) (*NDArray, error) {
	s := &j.sources[source]
	return j.load(source, s.x, s.y, j.out.width, j.out.height)
}

// loadEdge is load with an edge mode, and the value for that of a constant.
func (j *cnnJob) loadEdge(source, x, y, width, height int, edge uint64, constant float32) (*NDArray, error) {
	s := &j.sources[source]
	t, err := j.tensor(j.count, height, width, s.channels)
	if err != nil {
		return nil, err
	}
	for i, m := range s.images {
		view, err := j.surface(m.Texture)
		if err != nil {
			return nil, err
		}
		needed := slicesFor(s.channels)
		a := filterArguments{
			Clip:   [4]int32{int32(x), int32(y), int32(width), int32(height)},
			First:  [4]int32{int32(s.channel / 4), int32(m.slices()), int32(s.first), int32(i * j.each)},
			Window: [4]int32{int32(s.channels), int32(needed)},
			Edges:  [4]int32{int32(edge)},
			A:      [4]float32{constant},
		}
		j.passes = append(j.passes, pass{library: "cnn", kernel: "cnn_load", arguments: a,
			textures: [3]mtl.Texture{view.Texture}, grid: [3]int{width, height, j.each * needed},
			buffers: []encode.Buffer{{Buffer: t.Buffer}}})
	}
	return t, nil
}

// save writes a dense tensor to the destination: images, rows, columns, channels, as large as the
// clip rectangle.
func (j *cnnJob) save(t *NDArray) error {
	o := &j.out
	if s := t.Shape; len(s) != 4 || s[0] != j.count || s[1] != o.height || s[2] != o.width || !t.IsDense() ||
		t.View.Offset != 0 {
		return fmt.Errorf("the result has the shape %v; what is written is %d images of %d by %d", s, j.count, o.width,
			o.height)
	}
	channels := t.Shape[3]
	if channels > o.channels {
		return fmt.Errorf("the result has %d feature channels; the destination takes %d", channels, o.channels)
	}
	for i, m := range o.images {
		view, err := j.surface(m.Texture)
		if err != nil {
			return err
		}
		needed := slicesFor(channels)
		a := filterArguments{
			Clip:   [4]int32{int32(o.x), int32(o.y), int32(o.width), int32(o.height)},
			First:  [4]int32{int32(o.channel / 4), int32(m.slices()), int32(o.first), int32(i * j.each)},
			Window: [4]int32{int32(channels), int32(needed)},
		}
		j.passes = append(j.passes, pass{library: "cnn", kernel: "cnn_save", arguments: a,
			textures: [3]mtl.Texture{2: view.Texture}, grid: [3]int{o.width, o.height, j.each * needed},
			buffers: []encode.Buffer{{Buffer: t.Buffer, Offset: t.Offset}}})
	}
	return nil
}

// flush encodes the passes that were added since the last time.
func (j *cnnJob) flush() error {
	err := j.run(j.cb)
	j.passes = nil
	return err
}

// compute encodes a plan, after what was added before. Misuse fails the call, and then the result
// is an error.
func (j *cnnJob) compute(in, out []*NDArray, build func(b *tensorop.Builder, in, out []tensorop.Operand)) error {
	if err := j.flush(); err != nil {
		return err
	}
	Encode(j.c, j.device, j.cb, in, out, build)
	if j.c.Failed() {
		return fmt.Errorf("the operation failed")
	}
	return nil
}
