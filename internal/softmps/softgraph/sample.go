package softgraph

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// sampling is how a grid of coordinates samples a tensor.
type sampling struct {
	layout              layout
	normalized, corners bool
	padding             uint64
	linear              bool
	rounding            uint64
	constant            float64
}

// sampleArg reads the arguments of a method. The one at 7 is the mode or the rounding.
func (a *args) sampleArg(mode bool) sampling {
	s := sampling{normalized: a.c.Bool(3), corners: a.c.Bool(5), padding: a.c.Uint(6), constant: a.double(8)}
	var err error
	if s.layout, err = layoutOf(a.c.Uint(2)); err != nil || len(s.layout) != 4 {
		a.fail("sampleGrid: layout %d; want NCHW or NHWC", a.c.Uint(2))
	}
	if a.c.Bool(4) {
		a.fail("sampleGrid: the software device has no relative coordinates; add the positions to them")
	}
	switch s.padding {
	case graphdata.PaddingModeZero:
		s.constant = 0
	case graphdata.PaddingModeConstant, graphdata.PaddingModeReflect, graphdata.PaddingModeSymmetric,
		graphdata.PaddingModeClampToEdge:
	default:
		a.fail("sampleGrid: padding mode %d; want constant, zero, reflect, symmetric or clamp to edge", s.padding)
	}
	switch v := a.c.Uint(7); {
	case mode && v == graphdata.ResizeBilinear:
		s.linear = true
	case mode && v != graphdata.ResizeNearest:
		a.fail("sampleGrid: sampling mode %d; want nearest or bilinear", v)
	case !mode && v > graphdata.ResizeNearestRoundingModeFloor:
		a.fail("sampleGrid: rounding mode %d; the software device has 0 to %d", v,
			graphdata.ResizeNearestRoundingModeFloor)
	case !mode:
		s.rounding = v
	}
	return s
}

// outside reports whether elements outside have a constant value.
func (s sampling) outside() bool {
	return s.padding == graphdata.PaddingModeConstant || s.padding == graphdata.PaddingModeZero
}

// position returns where coordinates are, in elements of a dimension of size n.
func (s sampling) position(c *chain, v *tensor, n int) *tensor {
	scale, offset := float32(1), float32(0)
	if s.normalized {
		scale, offset = float32(n)/2, float32(n)/2
		if s.corners {
			scale, offset = float32(n-1)/2, float32(n-1)/2
		}
	}
	if !s.corners {
		offset -= 0.5
	}
	return c.linear(v, scale, offset)
}

// nearest rounds a position.
func (s sampling) nearest(c *chain, v *tensor) *tensor {
	switch s.rounding {
	case graphdata.ResizeNearestRoundingModeRoundPreferFloor:
		return c.do("ceil", c.linear(v, 1, -0.5))
	case graphdata.ResizeNearestRoundingModeCeil:
		return c.do("ceil", v)
	case graphdata.ResizeNearestRoundingModeFloor:
		return c.do("floor", v)
	}
	return c.do("floor", c.linear(v, 1, 0.5))
}

// index returns the element for an integer position, and whether there is one.
func (s sampling) index(c *chain, v *tensor, n int) (index, inside *tensor) {
	last := c.number(float64(n-1), v)
	if s.outside() {
		inside = c.do("and", c.do("greater_equal", v, c.number(0, v)), c.do("less_equal", v, last))
	}
	middle, period := float32(n-1), float32(2*(n-1)) // of a reflection at the last element
	if s.padding == graphdata.PaddingModeSymmetric {
		middle, period = float32(n)-0.5, float32(2*n)
	}
	if (s.padding == graphdata.PaddingModeReflect || s.padding == graphdata.PaddingModeSymmetric) && period > 0 {
		v = c.do("sub", v, c.linear(c.do("floor", c.linear(v, 1/period, 0)), period, 0))
		v = c.linear(c.do("abs", c.linear(v, 1, -middle)), -1, middle)
	}
	return c.do("max", c.do("min", v, last), c.number(0, v)), inside
}

// sample samples the elements of x, in the layout, at coordinates [N, h, w, 2], which are those of
// the last spatial dimension first.
func (g *graph) sample(x, at *tensor, s sampling, name string) (*tensor, error) {
	if !x.known() || !at.known() || len(x.shape) != 4 || len(at.shape) != 4 || at.shape[3] != 2 ||
		at.shape[0] != x.shape[0] || !x.typ.Float() || !at.typ.Float() {
		return nil, fmt.Errorf("sampleGrid: source %v and coordinates %v; want floating-point numbers, four known "+
			"dimensions, one batch and two coordinates", x.spec, at.spec)
	}
	c := &chain{g: g}
	shape, _ := s.layout.in(x.shape)
	batch, channels, height, width := shape[0], shape[1], shape[2], shape[3]
	count := at.shape[1] * at.shape[2]
	if n := batch * height * width; n == 0 || n >= 1<<24 {
		return nil, fmt.Errorf("sampleGrid: %d elements in each channel; want 1 to %d", n, 1<<24-1)
	}
	if s.layout[1] == 1 { // bring the channels last
		x = c.keep(g.transpose(x, []int{0, 2, 3, 1}, ""))
	}
	rows := c.reshape(x, batch*height*width, channels)
	flat := c.reshape(c.cast(at, tensorop.Float32), batch, count, 2)
	px := s.position(c, c.part(flat, 2, 0, 1), width)
	py := s.position(c, c.part(flat, 2, 1, 1), height)
	first := make([]int, batch)
	for i := range first {
		first[i] = i * height * width
	}
	start := c.reshape(c.cast(c.keep(g.indexConstant(first)), tensorop.Float32), batch, 1, 1)
	value := func(x, y *tensor) *tensor {
		ix, okX := s.index(c, x, width)
		iy, okY := s.index(c, y, height)
		i := c.do("add", c.do("add", c.linear(iy, float32(width), 0), ix), start)
		i = c.reshape(c.cast(i, tensorop.Int32), batch*count)
		if c.err != nil {
			return x
		}
		v := c.reshape(c.keep(g.gatherAxis(rows, i, 0, 0, "")), batch, count, channels)
		if s.outside() {
			v = c.do("select", c.do("and", okX, okY), v, c.number(s.constant, v))
		}
		return v
	}
	var out *tensor
	if s.linear {
		x0, y0 := c.do("floor", px), c.do("floor", py)
		fx, fy := c.cast(c.do("sub", px, x0), x.typ), c.cast(c.do("sub", py, y0), x.typ)
		x1, y1 := c.linear(x0, 1, 1), c.linear(y0, 1, 1)
		mix := func(a, b, f *tensor) *tensor { return c.do("add", a, c.do("mul", f, c.do("sub", b, a))) }
		out = mix(mix(value(x0, y0), value(x1, y0), fx), mix(value(x0, y1), value(x1, y1), fx), fy)
	} else {
		out = value(s.nearest(c, px), s.nearest(c, py))
	}
	out = c.reshape(out, batch, at.shape[1], at.shape[2], channels)
	if c.err != nil || s.layout[1] != 1 {
		return out, c.err
	}
	return g.transpose(out, []int{0, 3, 1, 2}, name)
}

func sampleMethods() adapter.Methods {
	m := adapter.Methods{}
	for label, mode := range map[string]bool{"samplingMode": true, "nearestRoundingMode": false} {
		m["sampleGridWithSourceTensor:coordinateTensor:layout:normalizeCoordinates:relativeCoordinates:alignCorners:"+
			"paddingMode:"+label+":constantValue:name:"] = method(func(g *graph, a *args) (*tensor, error) {
			x, at, s := a.tensor(0), a.tensor(1), a.sampleArg(mode)
			return g.sample(x, at, s, a.name(9))
		})
	}
	return m
}
