package softmps

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmps/imagekernels"
	"github.com/puremetal/puremetal/internal/tensorop/encode"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// surface is a texture as kernels see it: a 2D array of slices.
type surface struct {
	mtl.Texture
	texelFormat
	width, height, slices int
}

// opaque is the alpha of texels beyond the edges of an image: 1 if its format has no alpha.
func (s *surface) opaque() int32 {
	if s.components < 4 {
		return 1
	}
	return 0
}

// filterArguments are the arguments of all kernels: the structure Filter in common.metal.
type filterArguments struct {
	Clip, First, Second, Edges, Region, Window [4]int32
	A, B, C                                    [4]float32
}

// pass is a launch of a kernel.
type pass struct {
	library, kernel string
	textures        [3]mtl.Texture // source, second source, destination
	buffers         []encode.Buffer
	arguments       filterArguments
	grid            [3]int
}

// imageJob collects the launches of a filter and what lives until they are encoded.
type imageJob struct {
	rt     *objcsoft.Runtime
	device mtl.Device
	passes []pass
	owned  []objc.Object
}

// free releases what the job made; the command buffer retains what it needs.
func (j *imageJob) free() {
	for _, o := range j.owned {
		o.Release()
	}
}

// surface returns the view of a texture that kernels use.
func (j *imageJob) surface(t mtl.Texture) (surface, error) {
	if t.IsNil() {
		return surface{}, fmt.Errorf("the texture is nil")
	}
	f, err := formatOf(t.PixelFormat())
	if err != nil {
		return surface{}, err
	}
	s := surface{t, f, int(t.Width()), int(t.Height()), int(t.ArrayLength())}
	switch t.TextureType() {
	case mtl.TextureType2DArray:
	case mtl.TextureType2D:
		s.Texture, err = t.NewViewOf(t.PixelFormat(), mtl.TextureType2DArray, mtl.Range{Length: 1},
			mtl.Range{Length: 1})
		if err != nil {
			return surface{}, err
		}
		j.owned = append(j.owned, s.Texture.Object)
	default:
		err = fmt.Errorf("the texture has type %v; filters take 2D textures and arrays of them", t.TextureType())
	}
	return s, err
}

// temporary makes a surface of float32 for results between two launches.
func (j *imageJob) temporary(width, height, slices int) (surface, error) {
	m, err := newImage(j.device, imageShape{width: width, height: height, channels: 4, images: slices,
		channelFormat: 4, usage: mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite,
		storage: mtl.StorageModePrivate})
	if err != nil {
		return surface{}, err
	}
	j.owned = append(j.owned, m.Texture.Object, m.Device.Object)
	return j.surface(m.Texture)
}

// buffer makes a buffer of n bytes, at least 16.
func (j *imageJob) buffer(n int) (encode.Buffer, error) {
	b, err := j.device.NewBuffer(uint(max(n, 16)), mtl.ResourceStorageModeShared)
	if err == nil {
		j.owned = append(j.owned, b.Object)
	}
	return encode.Buffer{Buffer: b}, err
}

// floats makes a buffer of values.
func (j *imageJob) floats(values []float32) (encode.Buffer, error) {
	b, err := j.buffer(4 * len(values))
	if err != nil {
		return b, err
	}
	data, err := b.Bytes()
	for i, v := range values {
		if err == nil {
			binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(v))
		}
	}
	return b, err
}

// run encodes the launches, one after the other.
func (j *imageJob) run(cb mtl.CommandBuffer) (err error) {
	e := Encoder(j.rt, j.device)
	pipelines := make([]mtl.ComputePipelineState, len(j.passes))
	for i, p := range j.passes {
		source, err := imagekernels.Source(p.library)
		if err != nil {
			return err
		}
		// Compiled before anything is encoded, so that a mistake leaves the command buffer as it
		// was.
		if pipelines[i], err = e.Pipeline(source, p.kernel); err != nil {
			return err
		}
	}
	if len(j.passes) == 0 {
		return nil
	}
	encoder, err := cb.ComputeCommandEncoder()
	if err != nil {
		return err
	}
	defer encoder.EndEncoding()
	for i := range j.passes {
		if err := j.passes[i].encode(encoder, pipelines[i]); err != nil {
			return fmt.Errorf("kernel %s: %w", j.passes[i].kernel, err)
		}
	}
	return nil
}

func (p *pass) encode(encoder mtl.ComputeCommandEncoder, pipeline mtl.ComputePipelineState) error {
	if err := encoder.SetComputePipelineState(pipeline); err != nil {
		return err
	}
	for i, t := range p.textures {
		if t.IsNil() {
			continue
		}
		if err := encoder.SetTexture(t, uint(i)); err != nil {
			return err
		}
	}
	arguments, err := binary.Append(nil, binary.LittleEndian, p.arguments)
	if err != nil {
		return err
	}
	if err := encoder.SetBytes(arguments, 0); err != nil {
		return err
	}
	for i, b := range p.buffers {
		if err := encoder.SetBuffer(b.Buffer, b.Offset, uint(1+i)); err != nil {
			return err
		}
	}
	size := func(v [3]int) mtl.Size { return mtl.Size{Width: uint(v[0]), Height: uint(v[1]), Depth: uint(v[2])} }
	group := encode.Group(p.grid, int(pipeline.MaxTotalThreadsPerThreadgroup()))
	return encoder.DispatchThreads(size(p.grid), size(group))
}
