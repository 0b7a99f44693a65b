package softmps

import (
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// upsampling is the payload of the upsamplings and their gradients. Positions beyond the edges of
// the source take the nearest pixel, whatever the edge mode is: a result depends on the source's
// pixels only.
type upsampling struct {
	cnnKernel
	linear, align bool
	scale         [2]int // along x and y
}

// upsamplingMap returns where results are in n pixels, the first one at an offset. Without aligned
// corners the centers of the whole areas match, which Apple does not say.
func (u *upsampling) upsamplingMap(axis, n, offset int) tensorop.ResizeMap {
	s := u.scale[axis]
	switch {
	case !u.linear:
		return tensorop.ResizeMap{Mul: 1, Add: float32(s * offset), Div: float32(s)}
	case u.align:
		last := max(s*n-1, 1)
		return tensorop.ResizeMap{Mul: float32(n - 1), Add: float32(offset * last), Div: float32(last)}
	}
	return tensorop.ResizeMap{Mul: 2, Add: float32(1 - s + 2*s*offset), Div: float32(2 * s)}
}

// resize returns the upsampling of planes of a size.
func (u *upsampling) resize(width, height, x, y int) tensorop.Resize {
	return tensorop.Resize{Linear: u.linear, Rounding: tensorop.RoundFloor,
		Maps: []tensorop.ResizeMap{u.upsamplingMap(1, height, y), u.upsamplingMap(0, width, x)}}
}

func (u *upsampling) forward(j *cnnJob) error {
	s := &j.sources[0]
	x, err := j.loadAll(0)
	if err != nil {
		return err
	}
	return j.finish(j.shape(), []*NDArray{x}, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		b.Resize(planes(out), planes(in[0]), u.resize(s.width, s.height, s.x, s.y))
	})
}

// backward sums the gradients of all results that a pixel of the source has a part in. The first
// result is at the first source's offset; the clip rectangle begins at the second source's.
func (u *upsampling) backward(j *cnnJob) error {
	g, s := &j.sources[0], &j.sources[1]
	gradient, err := j.loadEdge(0, g.x, g.y, s.width*u.scale[0], s.height*u.scale[1], 0, 0)
	if err != nil {
		return err
	}
	return j.finish(j.shape(), []*NDArray{gradient}, func(b *tensorop.Builder, out tensorop.Operand,
		in []tensorop.Operand) {
		full := b.Temp(tensorop.Float32, j.count, s.height, s.width, g.channels)
		b.ResizeGradient(planes(full), planes(in[0]), u.resize(s.width, s.height, 0, 0))
		copyFrom(b, out, full, s.x, s.y)
	})
}

// initUpsampling makes an init method.
func initUpsampling(linear, gradient, align bool) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		u := &upsampling{linear: linear, align: align && c.Bool(3)}
		const most = 1 << 14
		for i := range u.scale {
			n := c.Uint(1 + i)
			if n < 1 || n > most {
				adapter.Misuse(c, "%s: scale factors %d and %d; the limits are 1 and %d", c.Self.Class().Name,
					c.Uint(1), c.Uint(2), most)
				return
			}
			u.scale[i] = int(n)
			u.set([2]string{"scaleFactorX", "scaleFactorY"}[i], uintptr(math.Float64bits(float64(n))))
		}
		u.set("alignCorners", map[bool]uintptr{true: 1}[u.align])
		u.cnnOp = cnnOp{sources: 1, build: func(_ *cnnKernel, j *cnnJob) error { return u.forward(j) },
			state: newGradientState, stateClass: "MPSNNGradientState",
			size: func(_ *cnnKernel, in []*Image, _ []cnnState) (width, height int) {
				return u.scale[0] * int(in[0].Texture.Width()), u.scale[1] * int(in[0].Texture.Height())
			}}
		if gradient {
			u.cnnOp = cnnOp{sources: 2, build: func(_ *cnnKernel, j *cnnJob) error { return u.backward(j) },
				size: secondSize}
		}
		initCNN(c, u)
	}
}

func upsamplingClasses() []adapter.Class {
	const sel = "initWithDevice:integerScaleFactorX:integerScaleFactorY:"
	class := func(name, super string, m adapter.Methods) adapter.Class {
		return withProperties(adapter.Class{Name: name, Super: super, Methods: m}, nil)
	}
	return []adapter.Class{
		class("MPSCNNUpsampling", "MPSCNNKernel", nil),
		class("MPSCNNUpsamplingGradient", "MPSCNNGradientKernel", nil),
		class("MPSCNNUpsamplingNearest", "MPSCNNUpsampling", adapter.Methods{sel: initUpsampling(false, false, false)}),
		class("MPSCNNUpsamplingBilinear", "MPSCNNUpsampling", adapter.Methods{sel: initUpsampling(true, false, false),
			sel + "alignCorners:": initUpsampling(true, false, true)}),
		class("MPSCNNUpsamplingNearestGradient", "MPSCNNUpsamplingGradient",
			adapter.Methods{sel: initUpsampling(false, true, false)}),
		class("MPSCNNUpsamplingBilinearGradient", "MPSCNNUpsamplingGradient",
			adapter.Methods{sel: initUpsampling(true, true, false)}),
	}
}
