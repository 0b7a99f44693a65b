package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// expand inserts dimensions of size 1 at axes of the result.
func (g *graph) expand(t *tensor, list []int, name string) (*tensor, error) {
	rank := len(t.shape) + len(list)
	at := make([]bool, rank)
	for _, i := range list {
		if i < -rank || i >= rank {
			return nil, fmt.Errorf("expandDims: axis %d of a result with %d dimensions", i, rank)
		}
		at[(i+rank)%rank] = true
	}
	shape := slices.Clone(t.shape)
	for i, one := range at {
		if one {
			shape = slices.Insert(shape, min(i, len(shape)), 1)
		}
	}
	return g.reshape(t, shape, name)
}

// squeeze removes dimensions of size 1: those of a list, or all of them.
func (g *graph) squeeze(t *tensor, list []int, name string) (*tensor, error) {
	drop := make([]bool, len(t.shape))
	for _, i := range list {
		k, err := axis(t, i)
		if err != nil {
			return nil, fmt.Errorf("squeeze: %w", err)
		}
		if t.shape[k] != 1 {
			return nil, fmt.Errorf("squeeze: axis %d of shape %v is not 1", i, t.shape)
		}
		drop[k] = true
	}
	shape := []int{}
	for i, n := range t.shape {
		if !drop[i] && (list != nil || n != 1) {
			shape = append(shape, n)
		}
	}
	return g.reshape(t, shape, name)
}

// cut is a slice of one dimension.
type cut struct{ start, stop, step int }

// slice takes a slice of each dimension. The dimensions that squeeze names have one element, and
// the result does not have them.
func (g *graph) slice(t *tensor, cuts []cut, squeeze []bool, name string) (*tensor, error) {
	apply := func(v tensorop.View) (tensorop.View, error) { return sliced(v, cuts, squeeze) }
	return g.add1("slice", name, def{
		infer: func(in []spec) ([]spec, error) {
			v, err := apply(tensorop.Dense(in[0].typ, in[0].shape...))
			return []spec{{in[0].typ, v.Shape}}, err
		},
		view: func(in tensorop.Operand, _ spec) (tensorop.View, bool) {
			v, err := apply(in.View)
			return v, err == nil
		},
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			dx, err := g.add1("sliceGradient", "", def{
				infer: func(in []spec) ([]spec, error) { return []spec{{in[0].typ, in[1].shape}}, nil },
				kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
					b.Fill(out[0], 0)
					v, err := apply(out[0].View)
					if err != nil {
						b.Fail(err)
						return
					}
					b.Copy(out[0].With(v), in[0])
				},
			}, dy[0], op.inputs[0])
			return []*tensor{dx}, err
		},
	}, t)
}

// sliced takes a slice of each dimension of a view, and leaves out dimensions.
func sliced(v tensorop.View, cuts []cut, squeeze []bool) (tensorop.View, error) {
	if len(cuts) != v.Rank() {
		return v, fmt.Errorf("%d slices of a tensor with shape %v", len(cuts), v.Shape)
	}
	for d, c := range cuts {
		var err error
		if v, err = v.Slice(d, c.start, c.stop, c.step); err != nil {
			return v, err
		}
	}
	out := tensorop.View{Type: v.Type, Offset: v.Offset, Shape: []int{}}
	for d, n := range v.Shape {
		if d < len(squeeze) && squeeze[d] {
			continue
		}
		out.Shape, out.Strides = append(out.Shape, n), append(out.Strides, v.Strides[d])
	}
	return out, nil
}

// cutsOf turns starts, ends and strides, with masks of dimensions to ignore them in, into slices.
// Negative positions count from the end, and positions beyond the ends are clipped, as in Python.
func cutsOf(t *tensor, starts, ends, strides []int, startMask, endMask, squeeze uint32) ([]cut, []bool, error) {
	if t.shape == nil || len(starts) != len(t.shape) || len(ends) != len(starts) ||
		strides != nil && len(strides) != len(starts) {
		return nil, nil, fmt.Errorf("slice: starts %v, ends %v and strides %v for the shape %v", starts, ends,
			strides, t.shape)
	}
	cuts, drop := make([]cut, len(starts)), make([]bool, len(starts))
	for d, n := range t.shape {
		c := cut{starts[d], ends[d], 1}
		if strides != nil {
			c.step = strides[d]
		}
		if c.step == 0 {
			return nil, nil, fmt.Errorf("slice: the stride of dimension %d is 0", d)
		}
		if drop[d] = squeeze>>d&1 != 0; drop[d] {
			if c.start < 0 {
				c.start += n
			}
			cuts[d] = cut{c.start, c.start + 1, 1}
			continue
		}
		low, high := 0, n
		if c.step < 0 {
			low, high = -1, n-1
		}
		clip := func(i int) int {
			if i < 0 {
				i += n
			}
			return min(max(i, low), high)
		}
		c.start, c.stop = clip(c.start), clip(c.stop)
		if startMask>>d&1 != 0 {
			c.start = low
			if c.step < 0 {
				c.start = high
			}
		}
		if endMask>>d&1 != 0 {
			c.stop = high
			if c.step < 0 {
				c.stop = low
			}
		}
		cuts[d] = c
	}
	return cuts, drop, nil
}

// whole returns slices that take everything.
func whole(shape []int) []cut {
	cuts := make([]cut, len(shape))
	for d, n := range shape {
		cuts[d] = cut{0, n, 1}
	}
	return cuts
}

// reverse reverses the order of elements along axes.
func (g *graph) reverse(t *tensor, list []int, name string) (*tensor, error) {
	list, err := axes(t, list)
	if err != nil {
		return nil, fmt.Errorf("reverse: %w", err)
	}
	cuts := whole(t.shape)
	for _, i := range list {
		cuts[i] = cut{t.shape[i] - 1, -1, -1}
	}
	return g.slice(t, cuts, nil, name)
}

// part takes elements of one dimension.
func (g *graph) part(t *tensor, dim, start, length int, name string) (*tensor, error) {
	dim, err := axis(t, dim)
	if err != nil {
		return nil, fmt.Errorf("slice: %w", err)
	}
	if start < 0 {
		start += t.shape[dim]
	}
	cuts := whole(t.shape)
	cuts[dim] = cut{start, start + length, 1}
	return g.slice(t, cuts, nil, name)
}

// split cuts a tensor into parts of given sizes along an axis.
func (g *graph) split(t *tensor, sizes []int, dim int, name string) ([]*tensor, error) {
	var out []*tensor
	at := 0
	for _, n := range sizes {
		p, err := g.part(t, dim, at, n, name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		at += n
	}
	return out, nil
}

func sliceMethods() adapter.Methods {
	m := adapter.Methods{
		"expandDimsOfTensor:axis:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.expand(a.tensor(0), []int{a.int(1)}, a.name(2))
		}),
		"expandDimsOfTensor:axes:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.expand(a.tensor(0), a.ints(1), a.name(2))
		}),
		"expandDimsOfTensor:axesTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.expand(a.tensor(0), a.constantInts(1), a.name(2))
		}),
		"squeezeTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.squeeze(a.tensor(0), nil, a.name(1))
		}),
		"squeezeTensor:axis:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.squeeze(a.tensor(0), []int{a.int(1)}, a.name(2))
		}),
		"squeezeTensor:axes:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.squeeze(a.tensor(0), a.ints(1), a.name(2))
		}),
		"squeezeTensor:axesTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.squeeze(a.tensor(0), a.constantInts(1), a.name(2))
		}),
		"reverseTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.reverse(a.tensor(0), nil, a.name(1))
		}),
		"reverseTensor:axes:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.reverse(a.tensor(0), a.ints(1), a.name(2))
		}),
		"reverseTensor:axesTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.reverse(a.tensor(0), a.constantInts(1), a.name(2))
		}),
		"sliceTensor:dimension:start:length:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.part(a.tensor(0), a.int(1), a.int(2), a.int(3), a.name(4))
		}),
		"splitTensor:splitSizes:axis:name:": manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			return g.split(a.tensor(0), a.ints(1), a.int(2), a.name(3))
		}),
		"splitTensor:splitSizesTensor:axis:name:": manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			return g.split(a.tensor(0), a.constantInts(1), a.int(2), a.name(3))
		}),
		"splitTensor:numSplits:axis:name:": manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			t, n := a.tensor(0), a.int(1)
			dim, err := axis(t, a.int(2))
			if err != nil {
				return nil, fmt.Errorf("split: %w", err)
			}
			if n <= 0 || t.shape[dim]%n != 0 {
				return nil, fmt.Errorf("split: %d equal parts of a dimension of %d", n, t.shape[dim])
			}
			sizes := slices.Repeat([]int{t.shape[dim] / n}, n)
			return g.split(t, sizes, dim, a.name(3))
		}),
	}
	flatten := func(g *graph, a *args, dim int) (*tensor, error) {
		t := a.tensor(0)
		k, err := axis(t, dim)
		if err != nil {
			return nil, fmt.Errorf("flatten2D: %w", err)
		}
		return g.reshape(t, []int{tensorop.Elements(t.shape[:k]), -1}, a.name(2))
	}
	m["flatten2DTensor:axis:name:"] = method(func(g *graph, a *args) (*tensor, error) {
		return flatten(g, a, a.int(1))
	})
	m["flatten2DTensor:axisTensor:name:"] = method(func(g *graph, a *args) (*tensor, error) {
		return flatten(g, a, a.constantInt(1))
	})
	form := func(get func(a *args, i int) []int, masks bool) func(g *graph, a *args) (*tensor, error) {
		return func(g *graph, a *args) (*tensor, error) {
			t := a.tensor(0)
			var mask [3]uint32
			last := 4
			if masks {
				mask = [3]uint32{uint32(a.int(4)), uint32(a.int(5)), uint32(a.int(6))}
				last = 7
			}
			cuts, drop, err := cutsOf(t, get(a, 1), get(a, 2), get(a, 3), mask[0], mask[1], mask[2])
			if err != nil {
				return nil, err
			}
			return g.slice(t, cuts, drop, a.name(last))
		}
	}
	m["sliceTensor:starts:ends:strides:name:"] = method(form((*args).ints, false))
	m["sliceTensor:starts:ends:strides:startMask:endMask:squeezeMask:name:"] = method(form((*args).ints, true))
	m["sliceTensor:startTensor:endTensor:strideTensor:startMask:endMask:squeezeMask:name:"] =
		method(form((*args).constantInts, true))
	return m
}
