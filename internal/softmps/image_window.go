package softmps

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/objc"
)

// luminance is the default color transform, that of BT.601.
func luminance() []float32 { return []float32{0.299, 0.587, 0.114} }

// float32At returns a float of C memory.
func float32At(b []byte, at int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))
}

// separable convolves rows with one list of weights and then columns with another. The rows above
// and below the destination that the second step reads are computed by the first.
func separable(k *imageKernel, j *filterJob, rows, columns []float32) error {
	reach := len(columns) / 2
	between, err := j.temporary(j.width, j.height+2*reach, j.depth)
	if err != nil {
		return err
	}
	across, err := j.floats(rows)
	if err != nil {
		return err
	}
	down, err := j.floats(columns)
	if err != nil {
		return err
	}
	a := j.arguments
	a.Clip = [4]int32{0, 0, int32(j.width), int32(between.height)}
	a.First[1] -= int32(reach)
	a.First[3] = 0
	a.Window = [4]int32{int32(len(rows)), 1}
	p := j.add("convolve", "convolve", a)
	p.textures[2], p.grid[1], p.buffers = between.Texture, between.height, append(p.buffers, across)
	a = j.arguments
	a.First = [4]int32{0, int32(reach), 0, j.arguments.First[3]}
	a.Window = [4]int32{1, int32(len(columns))}
	p = j.add("convolve", "convolve", a)
	p.textures[0], p.buffers = between.Texture, append(p.buffers, down)
	return nil
}

// boxWeights are those of a mean of n texels.
func boxWeights(n int) []float32 {
	w := make([]float32, n)
	for i := range w {
		w[i] = 1 / float32(n)
	}
	return w
}

// tentWeights rise to the middle of n texels and fall, and sum to 1.
func tentWeights(n int) []float32 {
	w, half := make([]float32, n), n/2+1
	for i := range w {
		w[i] = float32(min(i+1, n-i)) / float32(half*half)
	}
	return w
}

// gaussianWeights end where they are below 1 % of the middle one, and sum to 1. Where Apple's end
// is not documented exactly.
func gaussianWeights(sigma float32) []float32 {
	s := float64(sigma)
	reach := int(math.Ceil(s * math.Sqrt(-2*math.Log(0.01))))
	w := make([]float64, 2*reach+1)
	sum := 0.0
	for i := range w {
		d := float64(i - reach)
		if w[i] = 1; d != 0 {
			w[i] = math.Exp(-d * d / (2 * s * s))
		}
		sum += w[i]
	}
	out := make([]float32, len(w))
	for i, v := range w {
		out[i] = float32(v / sum)
	}
	return out
}

// convolve encodes a convolution with the kernel's values as weights.
func convolve(k *imageKernel, j *filterJob) error {
	weights, err := j.floats(k.values)
	if err != nil {
		return err
	}
	a := j.arguments
	a.A[0] = k.float("bias")
	p := j.add("convolve", "convolve", a)
	p.buffers = append(p.buffers, weights)
	return nil
}

func sobel(k *imageKernel, j *filterJob) error {
	a := j.arguments
	copy(a.A[:], k.values)
	j.add("convolve", "sobel", a)
	return nil
}

func median(k *imageKernel, j *filterJob) error {
	j.add("window", "median", j.arguments)
	return nil
}

// extremum encodes the largest value of a window, or with sign -1 the smallest: of rows, then of
// columns.
func extremum(sign float32) func(k *imageKernel, j *filterJob) error {
	return func(k *imageKernel, j *filterJob) error {
		reach := k.height / 2
		between, err := j.temporary(j.width, j.height+2*reach, j.depth)
		if err != nil {
			return err
		}
		a := j.arguments
		a.A[0] = sign
		a.Clip = [4]int32{0, 0, int32(j.width), int32(between.height)}
		a.First[1] -= int32(reach)
		a.First[3] = 0
		a.Window[1] = 1
		p := j.add("window", "extremum", a)
		p.textures[2], p.grid[1] = between.Texture, between.height
		a = j.arguments
		a.A[0] = sign
		a.First = [4]int32{0, int32(reach), 0, j.arguments.First[3]}
		a.Window[0] = 1
		j.add("window", "extremum", a).textures[0] = between.Texture
		return nil
	}
}

func morphology(sign float32) func(k *imageKernel, j *filterJob) error {
	return func(k *imageKernel, j *filterJob) error {
		probe, err := j.floats(k.values)
		if err != nil {
			return err
		}
		a := j.arguments
		a.A[0] = sign
		p := j.add("window", "morphology", a)
		p.buffers = append(p.buffers, probe)
		return nil
	}
}

// The limits of the median's window.
const (
	minMedian = 3
	maxMedian = 9
)

func windowClasses() []adapter.Class {
	// sized makes an init method with a width and a height.
	sized := func(build func(k *imageKernel, j *filterJob) error) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			if k := (&imageKernel{build: build}); k.size(c, c.Uint(1), c.Uint(2)) {
				initFilter(c, k)
			}
		}
	}
	clamp := uint64(mpsdata.ImageEdgeModeClamp)
	area := func(sign float32) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			if k := (&imageKernel{build: extremum(sign), edge: &clamp}); k.size(c, c.Uint(1), c.Uint(2)) {
				initFilter(c, k)
			}
		}
	}
	// valued makes an init method with a width, a height and as many values.
	valued := func(build func(k *imageKernel, j *filterJob) error, edge *uint64) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			k := &imageKernel{build: build, edge: edge}
			if !k.size(c, c.Uint(1), c.Uint(2)) {
				return
			}
			var ok bool
			if k.values, ok = floatsArg(c, 3, k.width*k.height); ok {
				initFilter(c, k)
			}
		}
	}
	const sizes = "initWithDevice:kernelWidth:kernelHeight:"
	unary := func(name, super string, m adapter.Methods) adapter.Class {
		return withProperties(adapter.Class{Name: name, Super: super, Methods: m}, nil)
	}
	return []adapter.Class{
		unary("MPSImageConvolution", "MPSUnaryImageKernel", adapter.Methods{sizes + "weights:": valued(convolve, nil)}),
		unary("MPSImageLaplacian", "MPSUnaryImageKernel", adapter.Methods{"initWithDevice:": func(c *objcsoft.Call) {
			initFilter(c, &imageKernel{build: convolve, width: 3, height: 3, values: []float32{0, 1, 0, 1, -4, 1, 0,
				1, 0}})
		}}),
		unary("MPSImageBox", "MPSUnaryImageKernel", adapter.Methods{sizes: sized(func(k *imageKernel,
			j *filterJob) error {
			return separable(k, j, boxWeights(k.width), boxWeights(k.height))
		})}),
		unary("MPSImageTent", "MPSImageBox", adapter.Methods{sizes: sized(func(k *imageKernel, j *filterJob) error {
			return separable(k, j, tentWeights(k.width), tentWeights(k.height))
		})}),
		unary("MPSImageGaussianBlur", "MPSUnaryImageKernel", adapter.Methods{"initWithDevice:sigma:": initGaussian}),
		unary("MPSImageSobel", "MPSUnaryImageKernel", adapter.Methods{
			"initWithDevice:": func(c *objcsoft.Call) {
				initFilter(c, &imageKernel{build: sobel, width: 3, height: 3, values: luminance()})
			},
			"initWithDevice:linearGrayColorTransform:": func(c *objcsoft.Call) {
				if v, ok := floatsArg(c, 1, 3); ok {
					initFilter(c, &imageKernel{build: sobel, width: 3, height: 3, values: v})
				}
			},
			"colorTransform": adapter.Method(returnValues),
		}),
		medianClass(),
		unary("MPSImageAreaMax", "MPSUnaryImageKernel", adapter.Methods{sizes: area(1)}),
		unary("MPSImageAreaMin", "MPSImageAreaMax", adapter.Methods{sizes: area(-1)}),
		unary("MPSImageDilate", "MPSUnaryImageKernel", adapter.Methods{sizes + "values:": valued(morphology(1),
			&clamp)}),
		unary("MPSImageErode", "MPSImageDilate", adapter.Methods{sizes + "values:": valued(morphology(-1), &clamp)}),
	}
}

// returnValues returns the address of the kernel's values, which live as long as it.
func returnValues(k *imageKernel, c *objcsoft.Call) { c.Return(objc.Slice(k.values)) }

func initGaussian(c *objcsoft.Call) {
	const most = 150
	sigma := c.F32(1)
	if !(sigma >= 0 && sigma <= most) {
		adapter.Misuse(c, "%s: sigma %v; the limits are 0 and %d", c.Self.Class().Name, sigma, most)
		return
	}
	weights := gaussianWeights(sigma)
	k := &imageKernel{values: weights, width: len(weights), height: len(weights),
		build: func(k *imageKernel, j *filterJob) error { return separable(k, j, k.values, k.values) }}
	k.set("sigma", c.Word(1))
	initFilter(c, k)
}

func medianClass() adapter.Class {
	clamp := uint64(mpsdata.ImageEdgeModeClamp)
	return withProperties(adapter.Class{Name: "MPSImageMedian", Super: "MPSUnaryImageKernel",
		Methods: adapter.Methods{"initWithDevice:kernelDiameter:": func(c *objcsoft.Call) {
			d := c.Uint(1)
			if d < minMedian || d > maxMedian || d%2 == 0 {
				adapter.Misuse(c, "%s: a window of diameter %d; it must be odd and %d to %d", c.Self.Class().Name,
					d, minMedian, maxMedian)
				return
			}
			k := &imageKernel{build: median, width: int(d), height: int(d), edge: &clamp}
			k.set("kernelDiameter", uintptr(d))
			initFilter(c, k)
		}},
		ClassMethods: adapter.Methods{
			"minKernelDiameter": adapter.Constantly(minMedian), "maxKernelDiameter": adapter.Constantly(maxMedian),
		}}, nil)
}
