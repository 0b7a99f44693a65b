package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// pooling is where the windows of a pooling are, and what they find beyond the image.
//
// Apple documents the edge modes zero and clamp. With zero, pixels beyond the image are zeros that
// take part like others. With clamp, windows shrink to what the image has; so do those of L2 norms
// here, which are not documented. A window without any pixel gives 0, which is documented for
// averages only.
type pooling struct {
	kind    tensorop.PoolKind
	windows [2]cnnWindow // along x and y
	first   [2]int       // where the first window begins in the image
	results [2]int       // windows
	size    [2]int       // of the image
	clamp   bool
	padding [2]int // zeros around the image that count for averages, if clamp is set
}

// newPooling places windows, whose first one is around an offset.
func newPooling(kind tensorop.PoolKind, windows [2]cnnWindow, offset, results, size [2]int,
	edge uint64) (p pooling, err error) {
	p = pooling{kind: kind, windows: windows, results: results, size: size, clamp: edge == mpsdata.ImageEdgeModeClamp}
	for i, w := range windows {
		const most = 1 << 14
		if w.size < 1 || w.stride < 1 || w.dilation < 1 || max(w.size, w.stride, w.dilation) > most {
			return p, fmt.Errorf("a window of %d with stride %d and dilation %d; each must be 1 to %d", w.size,
				w.stride, w.dilation, most)
		}
		p.first[i] = offset[i] - w.reach()/2
	}
	if edge != mpsdata.ImageEdgeModeZero && !p.clamp {
		err = fmt.Errorf("edge mode %d; poolings take zero (0) and clamp (1)", edge)
	}
	return p, err
}

// setPadding reads the zero padding of averages.
func (p *pooling) setPadding(k *cnnKernel) error {
	for i, name := range [2]string{"zeroPadSizeX", "zeroPadSizeY"} {
		if p.padding[i] = k.number(name, 0); p.padding[i] < 0 || p.padding[i] > maxOffset {
			return fmt.Errorf("%s %d; the limit is %d", name, uint64(p.padding[i]), maxOffset)
		}
	}
	return nil
}

// span returns the pixels from the first window's first tap to the last window's last one.
func (p *pooling) span(axis int) int { return p.windows[axis].span(p.results[axis]) }

// load returns the part of the image under the windows.
func (p *pooling) load(j *cnnJob, source int) (*NDArray, error) {
	edge, beyond := uint64(mpsdata.ImageEdgeModeZero), float32(0)
	if p.clamp && p.kind == tensorop.PoolMax {
		edge, beyond = mpsdata.ImageEdgeModeConstant, float32(math.Inf(-1))
	}
	return j.loadEdge(source, p.first[0], p.first[1], p.span(0), p.span(1), edge, beyond)
}

// taps returns for each window along an axis how many of its taps count.
func (p *pooling) taps(axis int) []float32 {
	w, counts := p.windows[axis], make([]float32, p.results[axis])
	low, high := -p.padding[axis], p.size[axis]+p.padding[axis]
	for i := range counts {
		counts[i] = float32(w.size)
		if p.clamp {
			from := p.first[axis] + i*w.stride
			// Rounded up: the first taps at low and at high, or after them.
			first, end := (low-from+w.dilation-1)/w.dilation, (high-from+w.dilation-1)/w.dilation
			counts[i] = float32(max(min(end, w.size)-max(first, 0), 0))
		}
	}
	return counts
}

// counts returns the taps of columns and rows as tensors, and nothing for poolings that need none.
func (p *pooling) counts(j *cnnJob) ([]*NDArray, error) {
	across, down := p.taps(0), p.taps(1)
	needed := p.kind == tensorop.PoolAverage
	for _, list := range [2][]float32{across, down} {
		for _, n := range list {
			needed = needed || n == 0 && p.kind == tensorop.PoolMax
		}
	}
	if !needed {
		return nil, nil
	}
	x, err := j.constant(across, len(across), 1)
	if err != nil {
		return nil, err
	}
	y, err := j.constant(down, len(down), 1, 1)
	return []*NDArray{x, y}, err
}

// plan returns the pooling of planes. Averages are sums first.
func (p *pooling) plan() tensorop.Pool {
	x, y := p.windows[0], p.windows[1]
	t := tensorop.Pool{Kind: p.kind, Window: tensorop.Window{Size: []int{y.size, x.size},
		Strides: []int{y.stride, x.stride}, Dilations: []int{y.dilation, x.dilation}}}
	if t.Kind == tensorop.PoolAverage {
		t.Kind = tensorop.PoolSum
	}
	return t
}

// poolForward builds a pooling.
func poolForward(kind tensorop.PoolKind) func(k *cnnKernel, j *cnnJob) error {
	return func(k *cnnKernel, j *cnnJob) error {
		s := &j.sources[0]
		p, err := newPooling(kind, k.window(0), [2]int{s.x, s.y}, [2]int{j.out.width, j.out.height},
			[2]int{s.width, s.height}, s.edge)
		if err == nil && kind == tensorop.PoolAverage {
			err = p.setPadding(k)
		}
		if err != nil {
			return err
		}
		x, err := p.load(j, 0)
		if err != nil {
			return err
		}
		counts, err := p.counts(j)
		if err != nil {
			return err
		}
		return j.finish(j.shape(), append([]*NDArray{x}, counts...), func(b *tensorop.Builder, out tensorop.Operand,
			in []tensorop.Operand) {
			b.Pool(planes(out), planes(in[0]), p.plan())
			if len(in) > 1 {
				p.finish(b, out, out, in[1:])
			}
		})
	}
}

// finish divides sums by the taps, or sets maxima of nothing to 0.
func (p *pooling) finish(b *tensorop.Builder, out, in tensorop.Operand, counts []tensorop.Operand) {
	mapTo(b, out, append([]tensorop.Operand{in}, counts...), func(s *instrs) {
		n := s.add("mul", 1, 2)
		if p.kind == tensorop.PoolAverage {
			s.add("div", 0, s.add("max", n, s.fill(1)))
			return
		}
		s.add("select", s.test("greater", n, s.fill(0)), 0, s.fill(0))
	})
}

// poolBackward builds the gradient of a pooling: the first source is the gradient of its result,
// and the second one its source. With the state of the forward pass, windows are where they were
// then; without one the kernel's properties say it.
//
// The pixel at the clip rectangle's origin is that of the first window which lies in the source
// image. A gradient for equal maxima goes to the first in row-major order, which Apple leaves open.
func poolBackward(kind tensorop.PoolKind) func(k *cnnKernel, j *cnnJob) error {
	return func(k *cnnKernel, j *cnnJob) error {
		g, s := &j.sources[0], &j.sources[1]
		if x, y := k.number("kernelOffsetX", 0), k.number("kernelOffsetY", 0); x != 0 || y != 0 {
			return fmt.Errorf("kernelOffset (%d, %d); gradients of poolings take secondaryOffset instead", x, y)
		}
		at, offset, edge := [2]int{g.x, g.y}, [2]int{s.x, s.y}, s.edge
		size := [2]int{g.width - at[0], g.height - at[1]}
		properties := k
		for i, w := range k.words("sourceSize")[:2] {
			size[i] = int(min(uint64(max(size[i], 0)), uint64(w)))
		}
		if len(j.states) > 0 {
			state, ok := j.states[0].(*gradientState)
			if !ok {
				return fmt.Errorf("the gradient state is not one of a pooling")
			}
			properties = &state.forward
			o := properties.offset("offset")
			offset, edge = [2]int{o[0], o[1]}, uint64(properties.number("edgeMode", 0))
			from, n := intersect(properties.words("clipRect"), [3]int{g.width, g.height, 1})
			at, size = [2]int{from[0], from[1]}, [2]int{n[0], n[1]}
		}
		p, err := newPooling(kind, k.window(1), offset, size, [2]int{s.width, s.height}, edge)
		if err == nil && kind == tensorop.PoolAverage {
			err = p.setPadding(properties)
		}
		if err != nil {
			return err
		}
		if size[0] <= 0 || size[1] <= 0 {
			return j.finish(j.shape(), nil, func(b *tensorop.Builder, out tensorop.Operand, _ []tensorop.Operand) {
				b.Fill(out, 0)
			})
		}
		return p.backward(j, at)
	}
}

// backward computes the gradient for the windows, whose results' gradients begin at a place of the
// first source.
func (p *pooling) backward(j *cnnJob, at [2]int) error {
	g, err := j.loadEdge(0, at[0], at[1], p.results[0], p.results[1], mpsdata.ImageEdgeModeZero, 0)
	if err != nil {
		return err
	}
	in := []*NDArray{g}
	if p.kind == tensorop.PoolMax || p.kind == tensorop.PoolL2 {
		x, err := p.load(j, 1)
		if err != nil {
			return err
		}
		in = append(in, x)
	} else {
		counts, err := p.counts(j)
		if err != nil {
			return err
		}
		in = append(in, counts...)
	}
	width, height := p.span(0), p.span(1)
	// The image's part of the windows.
	left, top := max(-p.first[0], 0), max(-p.first[1], 0)
	right, bottom := min(width, p.size[0]-p.first[0]), min(height, p.size[1]-p.first[1])
	channels := j.sources[0].channels
	return j.finish(j.shape(), in, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		full := b.Temp(tensorop.Float32, j.count, height, width, channels)
		gradient, source := in[0], full // sums do not read their source
		if p.kind == tensorop.PoolAverage {
			gradient = b.Temp(tensorop.Float32, in[0].Shape...)
			p.finish(b, gradient, in[0], in[1:])
		} else {
			source = in[1]
		}
		b.PoolGradient(planes(full), planes(gradient), planes(source), p.plan())
		if left >= right || top >= bottom {
			b.Fill(out, 0)
			return
		}
		copyFrom(b, out, crop(b, full, 0, 0, right, bottom), left, top)
	})
}

// initPooling makes an init method whose arguments after the device are the window's sizes, the
// dilation if there is one, and the stride if there is one.
func initPooling(op cnnOp, dilated, strided bool) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		k := &cnnKernel{cnnOp: op}
		w := [2]cnnWindow{{1, 1, 1}, {1, 1, 1}}
		next := 1
		take := func(set func(w *cnnWindow, v int)) {
			for i := range w {
				set(&w[i], int(c.Uint(next)))
				next++
			}
		}
		take(func(w *cnnWindow, v int) { w.size = v })
		if dilated {
			take(func(w *cnnWindow, v int) { w.dilation = v })
		}
		if strided {
			take(func(w *cnnWindow, v int) { w.stride = v })
		}
		if k.setWindow(c, op.sources-1, w) {
			k.set("sourceSize", math.MaxUint, math.MaxUint, math.MaxUint)
			initCNN(c, k)
		}
	}
}

// secondSize is the size of the second source: gradients have that of the forward pass's source.
func secondSize(_ *cnnKernel, in []*Image, _ []cnnState) (width, height int) {
	return int(in[1].Texture.Width()), int(in[1].Texture.Height())
}

func poolingClasses() []adapter.Class {
	const sizes, dilation, stride = "initWithDevice:kernelWidth:kernelHeight:", "dilationRateX:dilationRateY:",
		"strideInPixelsX:strideInPixelsY:"
	list := []adapter.Class{
		{Name: "MPSCNNPooling", Super: "MPSCNNKernel",
			Methods: adapter.Methods{sizes: initPooling(noOp(1), false, false),
				sizes + stride: initPooling(noOp(1), false, true)}},
		withProperties(adapter.Class{Name: "MPSCNNPoolingGradient", Super: "MPSCNNGradientKernel",
			Methods: adapter.Methods{sizes: initPooling(noOp(2), false, false),
				sizes + stride: initPooling(noOp(2), false, true)}}, nil),
	}
	for _, p := range []struct {
		name    string
		kind    tensorop.PoolKind
		dilated bool
	}{
		{"MPSCNNPoolingMax", tensorop.PoolMax, false}, {"MPSCNNPoolingAverage", tensorop.PoolAverage, false},
		{"MPSCNNPoolingL2Norm", tensorop.PoolL2, false}, {"MPSCNNDilatedPoolingMax", tensorop.PoolMax, true},
	} {
		forward := cnnOp{sources: 1, build: poolForward(p.kind), state: newGradientState,
			stateClass: "MPSNNGradientState"}
		backward := cnnOp{sources: 2, build: poolBackward(p.kind), size: secondSize}
		for _, c := range []struct {
			name, super string
			op          cnnOp
		}{{p.name, "MPSCNNPooling", forward}, {p.name + "Gradient", "MPSCNNPoolingGradient", backward}} {
			m := adapter.Methods{sizes: initPooling(c.op, false, false), sizes + stride: initPooling(c.op, false, true)}
			if p.dilated {
				m[sizes+dilation+stride] = initPooling(c.op, true, true)
			}
			list = append(list, withProperties(adapter.Class{Name: c.name, Super: c.super, Methods: m}, nil))
		}
	}
	return list
}
