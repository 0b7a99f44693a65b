package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// one is the word of a float with the value 1.
const one = 0x3f800000

// imageKernel is the payload of the filters on images.
type imageKernel struct {
	Kernel
	// build appends the filter's launches to a job.
	build func(k *imageKernel, j *filterJob) error
	// edge, if set, is the edge mode whatever the property says.
	edge *uint64
	// values are the weights, the probe or the color transform of the filter.
	values        []float32
	width, height int // of the window, in texels
}

// filter returns the part that all filters have.
func (k *imageKernel) filter() *imageKernel { return k }

// filterState is a payload that embeds imageKernel.
type filterState interface{ filter() *imageKernel }

// filterJob is a job of an image filter: its sources, its destination and the arguments that all
// filters have.
type filterJob struct {
	imageJob
	source, second, destination surface
	arguments                   filterArguments
	width, height, depth        int // of what is written
}

// add appends a launch for each texel of the clip rectangle.
func (j *filterJob) add(library, kernel string, a filterArguments) *pass {
	j.passes = append(j.passes, pass{library: library, kernel: kernel, arguments: a,
		textures: [3]mtl.Texture{j.source.Texture, j.second.Texture, j.destination.Texture},
		grid:     [3]int{j.width, j.height, j.depth}})
	return &j.passes[len(j.passes)-1]
}

// intersect returns the part of a region, in words, that lies in a texture: origin and size along
// each dimension. Regions without limits have sizes of all ones.
func intersect(w []uintptr, limits [3]int) (origin, size [3]int) {
	for i, limit := range limits {
		at, n := uint64(limit), uint64(0)
		if w == nil {
			at, n = 0, uint64(limit)
		} else if uint64(w[i]) < at {
			at = uint64(w[i])
			n = min(uint64(w[3+i]), uint64(limit)-at)
		}
		origin[i], size[i] = int(at), int(n)
	}
	return origin, size
}

// offset returns an MPSOffset property.
func (k *Kernel) offset(name string) (o [3]int) {
	for i, w := range k.words(name) {
		o[i] = int(w)
	}
	return o
}

// maxOffset bounds offsets, so that sums with coordinates fit 32 bits.
const maxOffset = 1 << 24

// inputs returns a source as its kernels see it: the surface, where it starts, and its edge mode.
func (k *imageKernel) input(j *filterJob, t mtl.Texture, offset, edge string) (s surface, first [3]int, mode uint64,
	err error) {
	if s, err = j.surface(t); err != nil {
		return s, first, 0, fmt.Errorf("the source: %w", err)
	}
	first = k.offset(offset)
	if mode = uint64(k.number(edge, 0)); k.edge != nil {
		mode = *k.edge
	}
	switch {
	case mode > mpsdata.ImageEdgeModeMirrorWithEdge:
		err = fmt.Errorf("%s %d; filters take zero (0), clamp (1), mirror (2) and mirror with edge (3)", edge, mode)
	case max(first[0], first[1], first[2], -first[0], -first[1], -first[2]) > maxOffset:
		err = fmt.Errorf("%s (%d, %d, %d); the limit is %d", offset, first[0], first[1], first[2], maxOffset)
	case first[2] < 0 || first[2] >= s.slices:
		err = fmt.Errorf("%s starts at slice %d of a source with %d", offset, first[2], s.slices)
	}
	return s, first, mode, err
}

// output sets the destination, and what of it is written.
func (k *imageKernel) output(j *filterJob, t mtl.Texture, slices int) error {
	var err error
	if j.destination, err = j.surface(t); err != nil {
		return fmt.Errorf("the destination: %w", err)
	}
	origin, size := intersect(k.words("clipRect"), [3]int{j.destination.width, j.destination.height,
		j.destination.slices})
	j.width, j.height, j.depth = size[0], size[1], min(size[2], slices)
	j.arguments.Clip = [4]int32{int32(origin[0]), int32(origin[1]), int32(size[0]), int32(size[1])}
	j.arguments.First[3] = int32(origin[2])
	return nil
}

// start begins a job with one or two sources and a destination.
func (k *imageKernel) start(j *filterJob, sources []mtl.Texture, destination mtl.Texture) error {
	j.device = k.Device
	slices := math.MaxInt32
	for i, t := range sources {
		names := [2]string{"offset", "edgeMode"}
		if len(sources) == 2 {
			names = [][2]string{{"primaryOffset", "primaryEdgeMode"}, {"secondaryOffset", "secondaryEdgeMode"}}[i]
		}
		if t.ID() == destination.ID() && t.ID() != 0 {
			return fmt.Errorf("the source and the destination are the same texture")
		}
		s, first, mode, err := k.input(j, t, names[0], names[1])
		if err != nil {
			return err
		}
		slices = min(slices, s.slices-first[2])
		at := [4]int32{int32(first[0]), int32(first[1]), int32(first[2])}
		if i == 0 {
			j.source, j.arguments.First = s, at
		} else {
			j.second, j.arguments.Second = s, at
		}
		j.arguments.Edges[i], j.arguments.Edges[2+i] = int32(mode), s.opaque()
	}
	if err := k.output(j, destination, slices); err != nil {
		return err
	}
	j.arguments.Window = [4]int32{int32(k.width), int32(k.height), int32(j.source.components),
		int32(j.destination.components)}
	return nil
}

// encode encodes the filter to a command buffer. Misuse fails the call.
func (k *imageKernel) encode(c *objcsoft.Call, sources []mtl.Texture, destination mtl.Texture) {
	k.encodeJob(c, func(j *filterJob) error {
		err := k.start(j, sources, destination)
		if err != nil || j.width == 0 || j.height == 0 || j.depth == 0 {
			return err
		}
		return k.build(k, j)
	})
}

// encodeJob builds a job and encodes it to the command buffer in argument 0.
func (k *imageKernel) encodeJob(c *objcsoft.Call, build func(j *filterJob) error) {
	cb, ok := CommandBufferArg(c, 0)
	if !ok {
		return
	}
	objc.Pool(func() {
		j := &filterJob{imageJob: imageJob{rt: c.RT, device: k.Device}}
		defer j.free()
		if err := build(j); err != nil {
			adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
			return
		}
		if err := j.run(cb); err != nil {
			adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
		}
	})
}

// encodeTextures makes the method that encodes a filter with sources in textures, and the
// destination after them.
func encodeTextures(sources int) objcsoft.Imp {
	return adapter.Method(func(s filterState, c *objcsoft.Call) {
		var list []mtl.Texture
		for i := range sources {
			list = append(list, mtl.TextureFrom(objc.ID(c.ID(1+i))))
		}
		s.filter().encode(c, list, mtl.TextureFrom(objc.ID(c.ID(1+sources))))
	})
}

// encodeImages is encodeTextures for images.
func encodeImages(sources int) objcsoft.Imp {
	return adapter.Method(func(s filterState, c *objcsoft.Call) {
		var list []mtl.Texture
		var images []*Image
		for i := range sources + 1 {
			m, ok := imageArg(c, 1+i)
			if !ok {
				return
			}
			list = append(list, m.Texture)
			images = append(images, m)
		}
		s.filter().encode(c, list[:sources], list[sources])
		if !c.Failed() {
			for _, m := range images[:sources] {
				m.read()
			}
		}
	})
}

// noClip is the words of a region without limits.
func noClip() []uintptr { return []uintptr{0, 0, 0, math.MaxUint, math.MaxUint, math.MaxUint} }

// initFilter gives the receiver of an init method, whose first argument is the device, its payload.
func initFilter(c *objcsoft.Call, k *imageKernel) {
	k.set("clipRect", noClip()...)
	k.set("clipRectSource", noClip()...)
	initKernel(c, k)
}

// size sets the window, which must be odd along both sides.
func (k *imageKernel) size(c *objcsoft.Call, width, height uint64) bool {
	const most = 1023
	if width%2 == 0 || height%2 == 0 || width > most || height > most {
		adapter.Misuse(c, "%s: a window of %d by %d; both must be odd and at most %d", c.Self.Class().Name, width,
			height,
			most)
		return false
	}
	k.width, k.height = int(width), int(height)
	k.set("kernelWidth", uintptr(width))
	k.set("kernelHeight", uintptr(height))
	return true
}

// floatsArg returns n floats at an address argument.
func floatsArg(c *objcsoft.Call, arg, n int) ([]float32, bool) {
	if c.Word(arg) == 0 {
		adapter.Misuse(c, "%s: the address of %d floats is nil", c.Self.Class().Name, n)
		return nil, false
	}
	b := c.Bytes(arg, uint64(4*n))
	if c.Failed() {
		return nil, false
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = float32At(b, 4*i)
	}
	return v, true
}

// sourceRegion answers sourceRegionForDestinationSize: with an offset property.
func sourceRegion(offset string) objcsoft.Imp {
	return adapter.Method(func(s filterState, c *objcsoft.Call) {
		k, w := s.filter(), c.Words(0)
		_, size := intersect(k.words("clipRect"), [3]int{int(w[0]), int(w[1]), int(w[2])})
		from := k.offset(offset)
		reach := [3]int{max(k.width, 1), max(k.height, 1), 1}
		var out [6]uintptr
		for i := range 3 {
			out[i] = uintptr(math.Float64bits(float64(from[i] - reach[i]/2)))
			out[3+i] = uintptr(math.Float64bits(float64(size[i] + reach[i] - 1)))
		}
		c.ReturnWords(out[:]...)
	})
}

func imageKernelClasses() []adapter.Class {
	return []adapter.Class{
		withProperties(adapter.Class{Name: "MPSUnaryImageKernel", Super: "MPSKernel", Methods: adapter.Methods{
			"encodeToCommandBuffer:sourceTexture:destinationTexture:": encodeTextures(1),
			"encodeToCommandBuffer:sourceImage:destinationImage:":     encodeImages(1),
			"sourceRegionForDestinationSize:":                         sourceRegion("offset"),
		}}, nil),
		withProperties(adapter.Class{Name: "MPSBinaryImageKernel", Super: "MPSKernel", Methods: adapter.Methods{
			"encodeToCommandBuffer:primaryTexture:secondaryTexture:destinationTexture:": encodeTextures(2),
			"encodeToCommandBuffer:primaryImage:secondaryImage:destinationImage:":       encodeImages(2),
			"primarySourceRegionForDestinationSize:":                                    sourceRegion("primaryOffset"),
			"secondarySourceRegionForDestinationSize:":                                  sourceRegion("secondaryOffset"),
		}}, nil),
	}
}
