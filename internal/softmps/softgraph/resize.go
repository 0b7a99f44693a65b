package softgraph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// resizing says how a tensor is resized.
type resizing struct {
	space         []int // the dimensions; nil: all of them
	center, align bool
	// scale and offset, one of each for a dimension, say that element i of the input is at
	// i*scale + offset of the result; without them, center and align do.
	scale, offset []float64
	linear        bool
	rounding      tensorop.Rounding
}

// plan returns a resizing from shape in to shape out with the dimensions that change last.
func (r resizing) plan(in, out []int) (tensorop.Resize, []int, error) {
	z := tensorop.Resize{Linear: r.linear, Rounding: r.rounding}
	if len(in) != len(out) {
		return z, nil, fmt.Errorf("shape %v to %v: the number of dimensions must be equal", in, out)
	}
	space := r.space
	if space == nil {
		for d := range in {
			space = append(space, d)
		}
	}
	if r.scale != nil && (len(r.scale) != len(space) || len(r.offset) != len(space)) {
		return z, nil, fmt.Errorf("%d scales and %d offsets for %d dimensions", len(r.scale), len(r.offset), len(space))
	}
	var order, last []int
	for d := range in {
		k := slices.Index(space, d)
		switch {
		case k >= 0 && r.scale != nil && (in[d] != out[d] || r.scale[k] != 1 || r.offset[k] != 0):
			z.Maps = append(z.Maps, tensorop.ResizeMap{Mul: 1, Add: float32(-r.offset[k]), Div: float32(r.scale[k])})
		case k >= 0 && in[d] != out[d]:
			z.Maps = append(z.Maps, tensorop.NewResizeMap(in[d], out[d], r.center, r.align))
		default:
			order = append(order, d)
			continue
		}
		last = append(last, d)
	}
	return z, append(order, last...), nil
}

// resize resizes a tensor: size returns the result's shape for the input's.
func (g *graph) resize(x *tensor, r resizing, size func(in []int) ([]int, error), name string) (*tensor, error) {
	return g.kernelOp("resize", name, func(in []spec) (spec, error) {
		out, err := size(in[0].shape)
		if err == nil {
			_, _, err = r.plan(in[0].shape, out)
		}
		return spec{in[0].typ, out}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		z, order, err := r.plan(in[0].Shape, out.Shape)
		switch {
		case err != nil:
			b.Fail(err)
		case len(z.Maps) == 0:
			b.Copy(out, in[0])
		default:
			b.Resize(out.With(out.Transpose(order...)), in[0].With(in[0].Transpose(order...)), z)
		}
	}, func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
		dx, err := g.resizeGradient(dy[0], op.inputs[0], r, "")
		return []*tensor{dx}, err
	}, x)
}

// resizeGradient is the gradient of a resizing of x.
func (g *graph) resizeGradient(dy, x *tensor, r resizing, name string) (*tensor, error) {
	return g.kernelOp("resizeGradient", name, func(in []spec) (spec, error) {
		_, _, err := r.plan(in[1].shape, in[0].shape)
		return spec{in[0].typ, in[1].shape}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		z, order, err := r.plan(in[1].Shape, in[0].Shape)
		switch {
		case err != nil:
			b.Fail(err)
		case len(z.Maps) == 0:
			b.Copy(out, in[0])
		default:
			b.ResizeGradient(out.With(out.Transpose(order...)), in[0].With(in[0].Transpose(order...)), z)
		}
	}, nil, dy, x)
}

// spaceOf returns the dimensions of height and width in a layout of images.
func spaceOf(named uint64) ([]int, error) {
	switch named {
	case graphdata.TensorNamedDataLayoutNCHW:
		return []int{2, 3}, nil
	case graphdata.TensorNamedDataLayoutNHWC, graphdata.TensorNamedDataLayoutCHW:
		return []int{1, 2}, nil
	case graphdata.TensorNamedDataLayoutHWC, graphdata.TensorNamedDataLayoutHW:
		return []int{0, 1}, nil
	}
	return nil, fmt.Errorf("layout %d is not one of images", named)
}

// resizeArgs reads the arguments of a selector by their labels.
func (a *args) resizeArgs(labels []string) (r resizing, size []int) {
	for i, label := range labels {
		switch label {
		case "size":
			size = a.ints(i)
		case "sizeTensor":
			size = a.constantInts(i)
		case "mode":
			r.linear = a.c.Uint(i) == graphdata.ResizeBilinear
		case "nearestRoundingMode":
			r.rounding = tensorop.Rounding(a.c.Uint(i))
		case "centerResult":
			r.center = a.c.Bool(i)
		case "alignCorners":
			r.align = a.c.Bool(i)
		case "layout":
			var err error
			if r.space, err = spaceOf(a.c.Uint(i)); err != nil {
				a.fail("%w", err)
			}
		case "scaleTensor":
			r.scale = a.constantFloats(i)
		case "offsetTensor":
			r.offset = a.constantFloats(i)
		case "scaleOffsetTensor":
			v := a.constantFloats(i)
			if len(v) != 4 {
				a.fail("argument %d has %d elements; it must have the scales of y and x and their offsets", i, len(v))
				v = make([]float64, 4)
			}
			r.scale, r.offset = v[:2], v[2:]
		}
	}
	if strings.Contains(labels[0], "Bilinear") {
		r.linear = true
	}
	return r, size
}

// resizeMethods are those with the name of a class of resizing, its gradient, and each way to give
// the positions. Nearest resizing without a rounding takes the upper of two equally near elements.
func resizeMethods() adapter.Methods {
	m := adapter.Methods{}
	add := func(selector string) {
		labels := strings.Split(strings.TrimSuffix(selector, ":"), ":")
		last := len(labels) - 1
		m[selector] = method(func(g *graph, a *args) (*tensor, error) {
			r, size := a.resizeArgs(labels)
			if labels[1] == "input" {
				return g.resizeGradient(a.tensor(0), a.tensor(1), r, a.name(last))
			}
			return g.resize(a.tensor(0), r, func(in []int) ([]int, error) {
				if r.space == nil {
					return size, nil
				}
				if len(size) != 2 || slices.Max(r.space) >= len(in) {
					return nil, fmt.Errorf("the size %v for images of shape %v", size, in)
				}
				out := slices.Clone(in)
				out[r.space[0]], out[r.space[1]] = size[0], size[1]
				return out, nil
			}, a.name(last))
		})
	}
	for prefix, mode := range map[string]string{"resize": "mode:", "resizeBilinear": "",
		"resizeNearest": "nearestRoundingMode:"} {
		with := "With"
		if prefix == "resize" {
			with = ""
		}
		add(prefix + with + "Tensor:sizeTensor:" + mode + "centerResult:alignCorners:layout:name:")
		add(prefix + with + "Tensor:sizeTensor:" + mode + "centerResult:alignCorners:name:")
		add(prefix + with + "Tensor:sizeTensor:scaleOffsetTensor:" + mode + "layout:name:")
		add(prefix + with + "Tensor:sizeTensor:scaleTensor:offsetTensor:" + mode + "name:")
		add(prefix + "WithGradientTensor:input:" + mode + "centerResult:alignCorners:layout:name:")
		add(prefix + "WithGradientTensor:input:scaleOffsetTensor:" + mode + "layout:name:")
		add(prefix + "WithGradientTensor:input:scaleTensor:offsetTensor:" + mode + "name:")
	}
	add("resizeTensor:size:mode:centerResult:alignCorners:layout:name:")
	return m
}
