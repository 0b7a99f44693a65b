package softgraph

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// cutsForm reads the slices of a selector with starts, ends and strides, and then masks if it has
// any; first is the argument of the starts.
func (a *args) cutsForm(t *tensor, get func(*args, int) []int, first int, masks bool) ([]cut, []bool, error) {
	var mask [3]uint32
	if masks {
		mask = [3]uint32{uint32(a.int(first + 3)), uint32(a.int(first + 4)), uint32(a.int(first + 5))}
	}
	cuts, drop, err := cutsOf(t, get(a, first), get(a, first+1), get(a, first+2), mask[0], mask[1], mask[2])
	return cuts, drop, err
}

// sizedCuts returns slices of starts and sizes; a size of -1 takes the rest.
func sizedCuts(t *tensor, starts, sizes []int, squeeze uint32) ([]cut, []bool, error) {
	if t.shape == nil || len(starts) != len(t.shape) || len(sizes) != len(starts) {
		return nil, nil, fmt.Errorf("slice: starts %v and sizes %v for the shape %v", starts, sizes, t.shape)
	}
	cuts, drop := make([]cut, len(starts)), make([]bool, len(starts))
	for d, n := range t.shape {
		start := starts[d]
		if start < 0 {
			start += n
		}
		stop := start + sizes[d]
		if sizes[d] == -1 {
			stop = n
		}
		drop[d] = squeeze>>d&1 != 0
		cuts[d] = cut{start, stop, 1}
	}
	return cuts, drop, nil
}

// update replaces a slice of a tensor.
func (g *graph) update(data, value *tensor, cuts []cut, drop []bool, name string) (*tensor, error) {
	return g.kernelOp("sliceUpdate", name, func(in []spec) (spec, error) {
		if in[0].typ != in[1].typ {
			return spec{}, fmt.Errorf("an update of %v for data of %v; the types must be equal", in[1].typ, in[0].typ)
		}
		v, err := sliced(tensorop.Dense(in[0].typ, in[0].shape...), cuts, drop)
		if err == nil {
			_, err = tensorop.Dense(in[1].typ, in[1].shape...).Broadcast(v.Shape...)
		}
		return in[0], err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		b.Copy(out, in[0])
		v, err := sliced(out.View, cuts, drop)
		if err != nil {
			b.Fail(err)
			return
		}
		value, err := in[1].Broadcast(v.Shape...)
		if err != nil {
			b.Fail(err)
			return
		}
		b.Copy(out.With(v), in[1].With(value))
	}, func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
		zero, err := g.constant(0, spec{dy[0].typ, nil})
		if err != nil {
			return nil, err
		}
		rest, err := g.update(dy[0], zero, cuts, drop, "")
		if err != nil {
			return nil, err
		}
		part, err := g.slice(dy[0], cuts, drop, "")
		if err != nil {
			return nil, err
		}
		return g.sumAll(op, rest, part)
	}, data, value)
}

// sliceGradient is the gradient of a slice of a tensor of a shape.
func (g *graph) sliceGradient(dy *tensor, shape []int, cuts []cut, drop []bool, name string) (*tensor, error) {
	zero, err := g.constant(0, spec{dy.typ, shape})
	if err != nil {
		return nil, err
	}
	return g.update(zero, dy, cuts, drop, name)
}

// updateMethods are updates and gradients of slices, and other methods of data.
func updateMethods() adapter.Methods {
	m := adapter.Methods{
		"sliceTensor:startTensor:sizeTensor:squeezeMask:name:": method(func(g *graph, a *args) (*tensor, error) {
			t := a.tensor(0)
			cuts, drop, err := sizedCuts(t, a.constantInts(1), a.constantInts(2), uint32(a.int(3)))
			if err != nil {
				return nil, err
			}
			return g.slice(t, cuts, drop, a.name(4))
		}),
		"sliceGradientTensor:fwdInShapeTensor:startTensor:sizeTensor:squeezeMask:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				shape := append([]int{}, a.constantInts(1)...)
				cuts, drop, err := sizedCuts(&tensor{spec: spec{shape: shape}}, a.constantInts(2), a.constantInts(3),
					uint32(a.int(4)))
				if err != nil {
					return nil, err
				}
				return g.sliceGradient(a.tensor(0), shape, cuts, drop, a.name(5))
			}),
		"concatTensors:dimension:interleave:name:": method(func(g *graph, a *args) (*tensor, error) {
			list, dim := a.tensors(0), a.int(1)
			if len(list) == 0 {
				return nil, fmt.Errorf("concat: no tensors")
			}
			if !a.c.Bool(2) {
				return g.concat(list, dim, a.name(3))
			}
			return g.interleave(list, dim, a.name(3))
		}),
		"bandPartWithTensor:numLowerTensor:numUpperTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			lower, upper := a.constantInt(1), a.constantInt(2)
			return g.kernelOp("bandPart", a.name(3), func(in []spec) (spec, error) { return in[0], nil },
				func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
					b.BandPart(out, in[0], lower, upper)
				}, nil, a.tensor(0))
		}),
		"reinterpretCastTensor:toType:name:": method(func(g *graph, a *args) (*tensor, error) {
			to := a.dataType(1)
			return g.add1("reinterpretCast", a.name(2), def{
				infer: func(in []spec) ([]spec, error) {
					v, err := tensorop.Dense(in[0].typ, in[0].shape...).Reinterpret(to)
					return []spec{{to, v.Shape}}, err
				},
				view: func(in tensorop.Operand, _ spec) (tensorop.View, bool) {
					v, err := in.Reinterpret(to)
					return v, err == nil
				},
			}, a.tensor(0))
		}),
		"variableFromTensorWithTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			t := a.tensor(0)
			m := t.op.def.leaf.constant
			if m == nil {
				return nil,
					fmt.Errorf("variableFromTensor: the software device needs a constant here, not the result of a %s",
						t.op.kind)
			}
			v := &memory{spec: m.spec, data: m.data}
			return g.add1("variable", a.name(1), leafDef(v.spec, leaf{variable: v}))
		}),
	}
	for _, form := range []struct {
		axis  string
		dim   func(*args, int) int
		shape string
		get   func(*args, int) []int
	}{
		{"", (*args).int, "", (*args).ints}, {"Tensor", (*args).constantInt, "", (*args).ints},
		{"", (*args).int, "Tensor", (*args).constantInts}, {"Tensor", (*args).constantInt, "Tensor",
			(*args).constantInts},
	} {
		m["coordinateAlongAxis"+form.axis+":withShape"+form.shape+":name:"] = method(
			func(g *graph, a *args) (*tensor, error) {
				s := spec{tensorop.Int32, append([]int{}, form.get(a, 1)...)}
				dim, err := axis(&tensor{spec: s}, form.dim(a, 0))
				if err != nil {
					return nil, fmt.Errorf("coordinateAlongAxis: %w", err)
				}
				return g.kernelOp("coordinate", a.name(2), func([]spec) (spec, error) { return s, nil },
					func(b *tensorop.Builder, _ []tensorop.Operand, out tensorop.Operand) { b.Coordinate(out, dim) },
					nil)
			})
	}
	sliceForms(m)
	return m
}

// sliceForms adds the forms of updates and gradients with starts, ends and strides.
func sliceForms(m adapter.Methods) {
	for _, masks := range []bool{false, true} {
		rest, last := "name:", 5
		if masks {
			rest, last = "startMask:endMask:squeezeMask:name:", 8
		}
		gradient := func(get func(*args, int) []int) func(g *graph, a *args) (*tensor, error) {
			return func(g *graph, a *args) (*tensor, error) {
				shape := append([]int{}, a.constantInts(1)...)
				cuts, drop, err := a.cutsForm(&tensor{spec: spec{shape: shape}}, get, 2, masks)
				if err != nil {
					return nil, err
				}
				return g.sliceGradient(a.tensor(0), shape, cuts, drop, a.name(last))
			}
		}
		update := func(get func(*args, int) []int) func(g *graph, a *args) (*tensor, error) {
			return func(g *graph, a *args) (*tensor, error) {
				cuts, drop, err := a.cutsForm(a.tensor(0), get, 2, masks)
				if err != nil {
					return nil, err
				}
				return g.update(a.tensor(0), a.tensor(1), cuts, drop, a.name(last))
			}
		}
		m["sliceGradientTensor:fwdInShapeTensor:starts:ends:strides:"+rest] = method(gradient((*args).ints))
		m["sliceUpdateDataTensor:updateTensor:starts:ends:strides:"+rest] = method(update((*args).ints))
		m["sliceUpdateDataTensor:updateTensor:startsTensor:endsTensor:stridesTensor:"+rest] =
			method(update((*args).constantInts))
		if masks {
			m["sliceGradientTensor:fwdInShapeTensor:startTensor:endTensor:strideTensor:"+rest] =
				method(gradient((*args).constantInts))
		}
	}
}

// interleave joins tensors of one shape so that their elements alternate along an axis.
func (g *graph) interleave(list []*tensor, dim int, name string) (*tensor, error) {
	dim, err := axis(list[0], dim)
	if err != nil {
		return nil, fmt.Errorf("concat: %w", err)
	}
	var wide []*tensor
	for _, t := range list {
		w, err := g.expand(t, []int{dim + 1}, "")
		if err != nil {
			return nil, err
		}
		wide = append(wide, w)
	}
	joined, err := g.concat(wide, dim+1, "")
	if err != nil {
		return nil, err
	}
	if !joined.known() {
		return nil, fmt.Errorf("concat: interleaved tensors need known shapes, not %v", joined.shape)
	}
	shape := append([]int{}, joined.shape[:dim]...)
	shape = append(append(shape, -1), joined.shape[dim+2:]...)
	return g.reshape(joined, shape, name)
}
