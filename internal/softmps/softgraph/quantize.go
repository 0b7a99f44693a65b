package softgraph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// quantization says how integers stand for numbers. scale and zero are one-dimensional, along an
// axis, or have one element.
type quantization struct {
	scale, zero *tensor // nil: the values
	axis        int
	blocks      bool // the scale and the zero point have a dimension for each, and an element for a block
	values      tensorop.Quantization
}

// check returns an error unless a scale or a zero point has a shape for that of the elements.
func (q quantization) check(shape, of []int) error {
	if tensorop.Elements(of) == 1 {
		return nil
	}
	ok := len(of) == len(shape)
	if !q.blocks {
		ok = len(of) == 1 && of[0] == shape[(q.axis+len(shape))%len(shape)]
	}
	for d := 0; ok && q.blocks && d < len(of); d++ {
		ok = of[d] > 0 && shape[d]%of[d] == 0
	}
	if !ok {
		return fmt.Errorf("a scale or zero point of shape %v for axis %d of shape %v", of, q.axis, shape)
	}
	return nil
}

// views splits the dimensions of elements into blocks and gives a scale dimensions of size 1 there.
func (q quantization) views(elements, scale tensorop.View) (tensorop.View, tensorop.View) {
	out := tensorop.View{Type: scale.Type, Offset: scale.Offset}
	of := elements.Shape
	at := 0
	for d, n := range of {
		size, stride := 1, 0
		switch {
		case q.blocks && len(scale.Shape) == len(of):
			size, stride = scale.Shape[d], scale.Strides[d]
		case len(scale.Shape) == 1 && d == (q.axis+len(of))%len(of):
			size, stride = scale.Shape[0], scale.Strides[0]
		}
		out.Shape, out.Strides = append(out.Shape, size), append(out.Strides, stride)
		if q.blocks {
			elements, _ = elements.Split(at, max(n/max(size, 1), 1))
			out.Shape, out.Strides = append(out.Shape, 1), append(out.Strides, 0)
			at++
		}
		at++
	}
	return elements, out
}

// quantize converts to integers, or with back from them.
func (g *graph) quantize(t *tensor, q quantization, to tensorop.Type, back bool, name string) (*tensor, error) {
	inputs := []*tensor{t}
	for _, p := range []*tensor{q.scale, q.zero} {
		if p != nil {
			inputs = append(inputs, p)
		}
	}
	kind := "quantize"
	if back {
		kind = "dequantize"
	}
	return g.kernelOp(kind, name, func(in []spec) (spec, error) {
		if _, err := axis(&tensor{spec: in[0]}, q.axis); err != nil {
			return spec{}, err
		}
		for _, s := range in[1:] {
			if err := q.check(in[0].shape, s.shape); err != nil {
				return spec{}, err
			}
		}
		return spec{to, in[0].shape}, nil
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		v, next := q.values, 1
		to, from := out, in[0]
		for _, p := range []struct {
			given *tensor
			set   **tensorop.Operand
		}{{q.scale, &v.Scale}, {q.zero, &v.ZeroPoint}} {
			if p.given == nil {
				continue
			}
			wide, of := q.views(out.View, in[next].View)
			o := in[next].With(of)
			*p.set = &o
			to = out.With(wide)
			wide, _ = q.views(in[0].View, in[next].View)
			from = in[0].With(wide)
			next++
		}
		if back {
			b.Dequantize(to, from, v)
		} else {
			b.Quantize(to, from, v)
		}
	}, nil, inputs...)
}

// lookup takes the numbers that indices have in a table for all elements.
func (g *graph) lookup(t, table *tensor, name string) (*tensor, error) {
	if !t.typ.Integer() || t.typ.Signed() {
		return nil, fmt.Errorf("dequantize: indices into a table are unsigned integers and not %v", t.typ)
	}
	if !table.known() || len(table.shape) == 0 {
		return nil, fmt.Errorf("dequantize: a table of shape %v", table.shape)
	}
	indices, err := g.cast(t, tensorop.Int32, "")
	if err != nil {
		return nil, err
	}
	if last := len(table.shape); tensorop.Elements(table.shape[:last-1]) != 1 {
		return nil, fmt.Errorf("dequantize: a table of shape %v; the software device takes one table for all elements",
			table.shape)
	}
	flat, err := g.reshape(table, []int{-1}, "")
	if err != nil {
		return nil, err
	}
	return g.kernelOp("dequantize", name, func(in []spec) (spec, error) {
		return spec{in[0].typ, in[1].shape}, nil
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		b.Gather(out, in[0], in[1], 0, 0)
	},
		nil, flat, indices)
}

// quantizeMethods read their arguments by the labels of the selector.
func quantizeMethods() adapter.Methods {
	m := adapter.Methods{
		"dequantizeTensor:LUTTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.lookup(a.tensor(0), a.tensor(1), a.name(2))
		}),
	}
	for _, rest := range []string{"scale:zeroPoint:dataType:name:", "scaleTensor:zeroPoint:dataType:axis:name:",
		"scaleTensor:zeroPointTensor:dataType:axis:name:", "scaleTensor:dataType:name:",
		"scaleTensor:zeroPointTensor:dataType:name:"} {
		for _, back := range []bool{false, true} {
			if !back && !strings.Contains(rest, "axis:") && !strings.HasPrefix(rest, "scale:") {
				continue
			}
			prefix := "quantizeTensor:"
			if back {
				prefix = "dequantizeTensor:"
			}
			labels := strings.Split(rest, ":")
			m[prefix+rest] = method(func(g *graph, a *args) (*tensor, error) {
				q := quantization{blocks: !slices.Contains(labels, "axis")}
				var to tensorop.Type
				for i, label := range labels {
					switch i++; label {
					case "scale":
						q.values.ScaleValue = float32(a.double(i))
					case "zeroPoint":
						q.values.ZeroValue = int32(a.double(i))
					case "scaleTensor":
						q.scale = a.tensor(i)
					case "zeroPointTensor":
						q.zero = a.tensor(i)
					case "dataType":
						to = a.dataType(i)
					case "axis":
						q.axis = a.int(i)
					}
				}
				return g.quantize(a.tensor(0), q, to, back, a.name(len(labels)-1))
			})
		}
	}
	return m
}
