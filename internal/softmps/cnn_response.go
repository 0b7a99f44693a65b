package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// The normalizations by what surrounds each element: feature channels (cross-channel) or pixels
// (spatial and local contrast). Their windows have half of the elements, rounded down, before the
// middle one, as Apple's formula for channels says; that for pixels follows from the window of the
// gradient. A window's elements are divided by its size even where it reaches beyond the image.

// response returns the parameters of a local response normalization with a window. Tensorop's
// windows have the smaller half before the middle; so dimensions are given in descending order.
func (k *cnnKernel) response(size ...int) tensorop.LocalResponse {
	return tensorop.LocalResponse{Size: size, Alpha: k.float("alpha"), Beta: k.float("beta"), Bias: k.float("delta")}
}

// crossChannel normalizes by the feature channels around each.
func crossChannel(k *cnnKernel, j *cnnJob) error {
	in, err := j.aligned()
	if err != nil {
		return err
	}
	l := k.response(k.number("kernelSize", 1))
	return j.finish(j.shape(), in, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		if len(in) == 1 {
			b.LocalResponse(reverse(b, out, 3), reverse(b, in[0], 3), l)
			return
		}
		b.LocalResponseGradient(reverse(b, out, 3), reverse(b, in[0], 3), reverse(b, in[1], 3), l)
	})
}

// loadAround loads what is under the clip rectangle, and so many pixels more on each side.
func (j *cnnJob) loadAround(source, columns, rows int, edge uint64) (*NDArray, error) {
	s := &j.sources[source]
	return j.loadEdge(source, s.x-columns, s.y-rows, j.out.width+2*columns, j.out.height+2*rows, edge, 0)
}

// surroundings loads the sources with as many pixels around them as a result depends on: those of
// the windows, and for gradients those of the windows that the element is in. It returns how many.
func (k *cnnKernel) surroundings(j *cnnJob) (in []*NDArray, columns, rows int, err error) {
	w := k.window(k.sources - 1)
	columns, rows = w[0].size-1, w[1].size-1
	for i, s := range j.sources {
		edge := s.edge
		switch {
		case edge > mpsdata.ImageEdgeModeMirrorWithEdge:
			return nil, 0, 0, fmt.Errorf("edge mode %d; normalizations take zero (0), clamp (1), mirror (2) and "+
				"mirror with edge (3)", edge)
		case k.sources > 1 && edge != mpsdata.ImageEdgeModeZero:
			return nil, 0, 0, fmt.Errorf("edge mode %d; gradients of normalizations take zero (0)", edge)
		}
		t, err := j.loadAround(i, columns, rows, edge)
		if err != nil {
			return nil, 0, 0, err
		}
		in = append(in, t)
	}
	return in, columns, rows, nil
}

// spatial normalizes by the pixels around each.
func spatial(k *cnnKernel, j *cnnJob) error {
	in, columns, rows, err := k.surroundings(j)
	if err != nil {
		return err
	}
	l := k.response(rows+1, columns+1)
	return j.finish(j.shape(), in, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		full := b.Temp(tensorop.Float32, in[0].Shape...)
		flip := func(o tensorop.Operand) tensorop.Operand { return reverse(b, planes(o), 2, 3) }
		if len(in) == 1 {
			b.LocalResponse(flip(full), flip(in[0]), l)
		} else {
			b.LocalResponseGradient(flip(full), flip(in[0]), flip(in[1]), l)
		}
		b.Copy(out, crop(b, full, columns, rows, j.out.width, j.out.height))
	})
}

// contrast is a local contrast normalization: pm + ps * (x - p0*m) / (delta + alpha*v)^beta, where
// m and v are the mean and the variance of the pixels around each.
type contrast struct{ alpha, beta, delta, p0, pm, ps float32 }

// moments writes mean and variance of the window around each element of in. Elements whose window
// leaves the tensor have other values.
func moments(b *tensorop.Builder, in tensorop.Operand, w [2]cnnWindow) (mean, variance tensorop.Operand,
	p tensorop.Pool) {
	p = tensorop.Pool{Kind: tensorop.PoolSum, Window: tensorop.Window{Size: []int{w[1].size, w[0].size},
		Before: []int{w[1].size / 2, w[0].size / 2}, After: []int{(w[1].size - 1) / 2, (w[0].size - 1) / 2}}}
	mean, variance = b.Temp(tensorop.Float32, in.Shape...), b.Temp(tensorop.Float32, in.Shape...)
	b.WindowMoments(planes(mean), planes(variance), planes(in), p)
	return mean, variance, p
}

func localContrast(k *cnnKernel, j *cnnJob) error {
	in, columns, rows, err := k.surroundings(j)
	if err != nil {
		return err
	}
	w := k.window(k.sources - 1)
	c := contrast{k.float("alpha"), k.float("beta"), k.float("delta"), k.float("p0"), k.float("pm"), k.float("ps")}
	return j.finish(j.shape(), in, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		part := func(o tensorop.Operand) tensorop.Operand {
			return crop(b, o, columns, rows, j.out.width, j.out.height)
		}
		if len(in) > 1 {
			b.Copy(out, part(c.gradient(b, in[0], in[1], w)))
			return
		}
		mean, variance, _ := moments(b, in[0], w)
		mapTo(b, out, []tensorop.Operand{part(in[0]), part(mean), part(variance)}, func(s *instrs) {
			y := s.add("mul", s.add("sub", 0, s.linear(1, c.p0, 0)), c.power(s, 2, -c.beta))
			s.linear(y, c.ps, c.pm)
		})
	})
}

// power appends (delta + alpha*v)^exponent.
func (c contrast) power(s *instrs, v int, exponent float32) int {
	t := s.linear(v, c.alpha, c.delta)
	return s.add("pow", t, s.fill(exponent))
}

// gradient is the derivative of the formula; that in Apple's documentation mixes indices. Each
// element x of the n in a window gets, from the element z in the middle,
//
//	g(z) * ps * t^-beta * ([x is z] - p0/n) + q(z) * (x - m(z))
//	q(z) = -2*alpha*beta/n * g(z) * ps * (z - p0*m(z)) * t^(-beta-1), t = delta + alpha*v(z)
func (c contrast) gradient(b *tensorop.Builder, g, x tensorop.Operand, w [2]cnnWindow) tensorop.Operand {
	temp := func() tensorop.Operand { return b.Temp(tensorop.Float32, x.Shape...) }
	mean, variance, pool := moments(b, x, w)
	n := float32(w[0].size * w[1].size)
	direct, q, constant := temp(), temp(), temp()
	mapTo(b, direct, []tensorop.Operand{g, variance}, func(s *instrs) {
		s.linear(s.add("mul", 0, c.power(s, 1, -c.beta)), c.ps, 0)
	})
	mapTo(b, q, []tensorop.Operand{g, variance, x, mean}, func(s *instrs) {
		d := s.add("mul", 0, s.add("sub", 2, s.linear(3, c.p0, 0)))
		s.linear(s.add("mul", d, c.power(s, 1, -c.beta-1)), -2*c.alpha*c.beta*c.ps/n, 0)
	})
	mapTo(b, constant, []tensorop.Operand{direct, q, mean}, func(s *instrs) {
		s.add("sub", s.linear(0, -c.p0/n, 0), s.add("mul", 1, 2))
	})
	// Sums over the windows that an element is in.
	sums := [2]tensorop.Operand{temp(), temp()}
	for i, o := range []tensorop.Operand{constant, q} {
		b.PoolGradient(planes(sums[i]), planes(o), planes(sums[i]), pool)
	}
	out := temp()
	mapTo(b, out, []tensorop.Operand{direct, sums[0], sums[1], x}, func(s *instrs) {
		s.add("add", s.add("add", 0, 1), s.add("mul", 2, 3))
	})
	return out
}

// initResponse makes an init method: the arguments after the device are the channels, or the width
// and the height of the window.
func initResponse(op cnnOp, channels bool, defaults map[string]float32) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		k := &cnnKernel{cnnOp: op}
		k.setFloats(defaults)
		const most = 1 << 10
		width, height := c.Uint(1), c.Uint(1)
		if !channels {
			height = c.Uint(2)
		}
		if width < 1 || width > most || width != height {
			adapter.Misuse(c, "%s: a window of %d by %d; both must be equal and 1 to %d", c.Self.Class().Name, width,
				height, most)
			return
		}
		if channels {
			k.set("kernelSize", uintptr(width))
		} else if v := (cnnWindow{int(width), 1, 1}); !k.setWindow(c, op.sources-1, [2]cnnWindow{v, v}) {
			return
		}
		initCNN(c, k)
	}
}

func responseClasses() []adapter.Class {
	squares := map[string]float32{"alpha": 1, "beta": 5, "delta": 1}
	variances := map[string]float32{"alpha": 0, "beta": 0.5, "delta": 1.0 / 1024, "p0": 1, "pm": 0, "ps": 1}
	var list []adapter.Class
	for _, r := range []struct {
		name     string
		build    func(k *cnnKernel, j *cnnJob) error
		channels bool
		defaults map[string]float32
	}{
		{"MPSCNNCrossChannelNormalization", crossChannel, true, squares},
		{"MPSCNNSpatialNormalization", spatial, false, squares},
		{"MPSCNNLocalContrastNormalization", localContrast, false, variances},
	} {
		sel := "initWithDevice:kernelWidth:kernelHeight:"
		if r.channels {
			sel = "initWithDevice:kernelSize:"
		}
		forward := cnnOp{sources: 1, build: r.build, state: newGradientState, stateClass: "MPSNNGradientState"}
		for _, c := range []struct {
			name, super string
			op          cnnOp
		}{
			{r.name, "MPSCNNKernel", forward},
			{r.name + "Gradient", "MPSCNNGradientKernel", cnnOp{sources: 2, build: r.build, size: secondSize}},
		} {
			list = append(list, withProperties(adapter.Class{Name: c.name, Super: c.super,
				Methods: adapter.Methods{sel: initResponse(c.op, r.channels, r.defaults)}}, nil))
		}
	}
	return list
}
