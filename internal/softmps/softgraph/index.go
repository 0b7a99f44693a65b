package softgraph

import (
	"fmt"
	"math"
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// kernelOp adds an operation of kernels with one result.
func (g *graph) kernelOp(kind, name string, infer func(in []spec) (spec, error),
	kernels func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand), grad gradientFunc,
	inputs ...*tensor) (*tensor, error) {
	return g.add1(kind, name, def{
		infer: func(in []spec) ([]spec, error) {
			s, err := infer(in)
			return []spec{s}, err
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) { kernels(b, in, out[0]) },
		grad:    grad,
	}, inputs...)
}

// concat joins tensors along an axis.
func (g *graph) concat(list []*tensor, dim int, name string) (*tensor, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("concat: no tensors")
	}
	dim, err := axis(list[0], dim)
	if err != nil {
		return nil, fmt.Errorf("concat: %w", err)
	}
	return g.kernelOp("concat", name, func(in []spec) (spec, error) {
		shapes := make([][]int, len(in))
		for i, s := range in {
			if shapes[i] = s.shape; s.typ != in[0].typ {
				return spec{}, fmt.Errorf("tensors of %v and %v; the types must be equal", in[0].typ, s.typ)
			}
		}
		shape, err := tensorop.ConcatShape(dim, shapes...)
		return spec{in[0].typ, shape}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) { b.Concat(out, dim, in...) },
		func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			out := make([]*tensor, len(op.inputs))
			at := 0
			for i, t := range op.inputs {
				if !t.known() {
					return nil, fmt.Errorf("concat: the gradient needs the shape of tensor %d", i)
				}
				var err error
				if out[i], err = g.part(dy[0], dim, at, t.shape[dim], ""); err != nil {
					return nil, err
				}
				at += t.shape[dim]
			}
			return out, nil
		}, list...)
}

// scatterModes are the elementwise operations of the modes, "set" among them.
func scatterMode(mode uint64) (string, error) {
	switch mode {
	case graphdata.ScatterModeAdd:
		return "add", nil
	case graphdata.ScatterModeSub:
		return "sub", nil
	case graphdata.ScatterModeMul:
		return "mul", nil
	case graphdata.ScatterModeDiv:
		return "div", nil
	case graphdata.ScatterModeMin:
		return "min", nil
	case graphdata.ScatterModeMax:
		return "max", nil
	case graphdata.ScatterModeSet:
		return "set", nil
	}
	return "", fmt.Errorf("scatter: there is no mode %d", mode)
}

// fresh returns the tensor that a scatter without data begins with: the value that the mode leaves
// as it is, 0 for set.
func (g *graph) fresh(mode string, typ tensorop.Type, shape []int) (*tensor, error) {
	v := 0.0
	switch mode {
	case "mul", "div":
		v = 1
	case "min":
		v = math.Inf(1)
	case "max":
		v = math.Inf(-1)
	}
	if math.IsInf(v, 0) && !typ.Float() {
		return nil, fmt.Errorf("scatter: mode %s of %v needs a data tensor on the software device", mode, typ)
	}
	return g.constant(v, spec{typ, shape})
}

// scattering adds a scatter: run is the method of the builder.
func (g *graph) scattering(name string, data, updates, indices *tensor, mode string,
	run func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand)) (*tensor, error) {
	return g.kernelOp("scatter", name, func(in []spec) (spec, error) {
		if in[0].typ != in[1].typ {
			return spec{}, fmt.Errorf("updates of %v for data of %v; the types must be equal", in[1].typ, in[0].typ)
		}
		return in[0], nil
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		run(b, out, in[0], in[2], in[1])
	},
		nil, data, updates, indices)
}

// scatterAdd adds updates at indices to zeros of the shape of a tensor: the gradient of a gather.
func (g *graph) scatterAdd(like, updates, indices *tensor,
	run func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand)) (*tensor, error) {
	c := &chain{g: g}
	zero := c.do("mul", like, c.number(0, like))
	if c.err != nil {
		return nil, c.err
	}
	return g.scattering("", zero, updates, indices, "add", run)
}

// sorted adds a sort, or with indices the order of one.
func (g *graph) sorted(t *tensor, dim int, descending, indices bool, name string) (*tensor, error) {
	dim, err := axis(t, dim)
	if err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	return g.kernelOp("sort", name, func(in []spec) (spec, error) {
		if indices {
			return spec{tensorop.Int32, in[0].shape}, nil
		}
		return in[0], nil
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		if indices {
			b.ArgSort(out, in[0], dim, descending)
		} else {
			b.Sort(out, in[0], dim, descending)
		}
	}, nil, t)
}

// top adds the k largest elements along an axis, or the least, and their indices.
func (g *graph) top(t *tensor, dim, k int, smallest bool, name string) ([]*tensor, error) {
	dim, err := axis(t, dim)
	if err != nil {
		return nil, fmt.Errorf("top k: %w", err)
	}
	return g.add("topK", name, def{
		infer: func(in []spec) ([]spec, error) {
			shape, err := tensorop.TopKShape(in[0].shape, dim, k)
			return []spec{{in[0].typ, shape}, {tensorop.Int32, shape}}, err
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) { b.TopK(out[0], out[1], in[0], dim, smallest) },
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			if dy[0] == nil {
				return []*tensor{nil}, nil
			}
			dx, err := g.scatterAdd(op.inputs[0], dy[0], op.outputs[1],
				func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
					b.ScatterAlongAxis(out, data, indices, updates, dim, "add")
				})
			return []*tensor{dx}, err
		},
	}, t)
}

// padded pads a tensor.
func (g *graph) padded(t *tensor, mode uint64, before, after []int, value float64, name string) (*tensor, error) {
	modes := map[uint64]tensorop.PadMode{
		graphdata.PaddingModeConstant: tensorop.PadConstant, graphdata.PaddingModeReflect: tensorop.PadReflect,
		graphdata.PaddingModeSymmetric: tensorop.PadSymmetric, graphdata.PaddingModeClampToEdge: tensorop.PadEdge,
		graphdata.PaddingModeZero: tensorop.PadConstant, graphdata.PaddingModePeriodic: tensorop.PadPeriodic,
		graphdata.PaddingModeAntiPeriodic: tensorop.PadAntiperiodic,
	}
	m, ok := modes[mode]
	if !ok {
		return nil, fmt.Errorf("pad: there is no mode %d", mode)
	}
	if mode == graphdata.PaddingModeZero {
		value = 0
	}
	return g.kernelOp("pad", name, func(in []spec) (spec, error) {
		shape, err := tensorop.PadShape(in[0].shape, before, after)
		return spec{in[0].typ, shape}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		b.Pad(out, in[0], before, after, m, float32(value))
	}, func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
		if !op.inputs[0].known() {
			return nil, fmt.Errorf("pad: the gradient needs the shape of the tensor")
		}
		dx, err := g.padGradient(dy[0], op.inputs[0].shape, mode, before, after)
		return []*tensor{dx}, err
	}, t)
}

// tiled repeats a tensor.
func (g *graph) tiled(t *tensor, repeats []int, name string) (*tensor, error) {
	return g.kernelOp("tile", name, func(in []spec) (spec, error) {
		shape, err := tensorop.TileShape(in[0].shape, repeats)
		return spec{in[0].typ, shape}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) { b.Tile(out, in[0], repeats) },
		func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			dx, err := g.tileGradient(dy[0], op.inputs[0], repeats, "")
			return []*tensor{dx}, err
		}, t)
}

// tileGradient sums the gradients of all copies.
func (g *graph) tileGradient(dy, x *tensor, repeats []int, name string) (*tensor, error) {
	if !x.known() || len(repeats) != len(x.shape) {
		return nil, fmt.Errorf("tile: the gradient for the shape %v with repeats %v; the shape must be known", x.shape,
			repeats)
	}
	var split, along []int
	for d, n := range x.shape {
		along = append(along, len(split))
		split = append(split, repeats[d], n)
	}
	wide, err := g.reshape(dy, split, "")
	if err != nil {
		return nil, err
	}
	sum, err := g.reduce("sum", wide, along, "")
	if err != nil {
		return nil, err
	}
	return g.reshape(sum, x.shape, name)
}

// oneHot adds a dimension in which the element of an index is on and the others are off.
func (g *graph) oneHot(indices *tensor, depth, dim int, typ tensorop.Type, on, off float64, name string) (*tensor,
	error) {
	if dim < 0 {
		dim += len(indices.shape) + 1
	}
	return g.kernelOp("oneHot", name, func(in []spec) (spec, error) {
		shape, err := tensorop.OneHotShape(in[0].shape, depth, dim)
		return spec{typ, shape}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		b.OneHot(out, in[0], dim, float32(on), float32(off))
	}, nil, indices)
}

// cumulated adds a cumulative operation.
func (g *graph) cumulated(op string, t *tensor, dim int, exclusive, reverse bool, name string) (*tensor, error) {
	dim, err := axis(t, dim)
	if err != nil {
		return nil, fmt.Errorf("cumulative %s: %w", op, err)
	}
	var grad gradientFunc
	if op == "sum" {
		grad = func(g *graph, _ *operation, dy []*tensor) ([]*tensor, error) {
			dx, err := g.cumulated(op, dy[0], dim, exclusive, !reverse, "")
			return []*tensor{dx}, err
		}
	}
	return g.kernelOp("cumulative", name, func(in []spec) (spec, error) { return in[0], nil },
		func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
			b.Cumulative(op, out, in[0], dim, exclusive, reverse)
		}, grad, t)
}

// axisForms adds methods in which an axis is a number or a tensor with a constant: the selector has
// "axis" where the second form has "axisTensor".
func axisForms(m adapter.Methods, selector string, f func(g *graph, a *args, axis int) ([]*tensor, error), many bool) {
	at := 0
	for i, label := range strings.Split(selector, ":") {
		if strings.HasSuffix(label, "axis") || strings.HasSuffix(label, "Axis") {
			at = i
		}
	}
	for _, withTensor := range []bool{false, true} {
		sel, get := selector, (*args).int
		if withTensor {
			labels := strings.Split(selector, ":")
			labels[at] += "Tensor"
			sel, get = strings.Join(labels, ":"), (*args).constantInt
		}
		call := func(g *graph, a *args) ([]*tensor, error) { return f(g, a, get(a, at)) }
		if many {
			m[sel] = manyMethod(call)
		} else {
			m[sel] = method(func(g *graph, a *args) (*tensor, error) {
				out, err := call(g, a)
				if err != nil {
					return nil, err
				}
				return out[0], nil
			})
		}
	}
}

// single makes a list of one result.
func single(t *tensor, err error) ([]*tensor, error) { return []*tensor{t}, err }

func indexMethods() adapter.Methods {
	m := adapter.Methods{
		"concatTensor:withTensor:dimension:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.concat([]*tensor{a.tensor(0), a.tensor(1)}, a.int(2), a.name(3))
		}),
		"concatTensors:dimension:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.concat(a.tensors(0), a.int(1), a.name(2))
		}),
		"stackTensors:axis:name:": method(func(g *graph, a *args) (*tensor, error) {
			var list []*tensor
			for _, t := range a.tensors(0) {
				wide, err := g.expand(t, []int{a.int(1)}, "")
				if err != nil {
					return nil, err
				}
				list = append(list, wide)
			}
			return g.concat(list, a.int(1), a.name(2))
		}),
		"padTensor:withPaddingMode:leftPadding:rightPadding:constantValue:name:": method(func(g *graph,
			a *args) (*tensor, error) {
			return g.padded(a.tensor(0), a.c.Uint(1), a.ints(2), a.ints(3), a.double(4), a.name(5))
		}),
		"tileTensor:withMultiplier:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.tiled(a.tensor(0), a.ints(1), a.name(2))
		}),
		"oneHotWithIndicesTensor:depth:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.oneHot(a.tensor(0), a.int(1), -1, tensorop.Float32, 1, 0, a.name(2))
		}),
		"oneHotWithIndicesTensor:depth:axis:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.oneHot(a.tensor(0), a.int(1), a.int(2), tensorop.Float32, 1, 0, a.name(3))
		}),
		"oneHotWithIndicesTensor:depth:dataType:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.oneHot(a.tensor(0), a.int(1), -1, a.dataType(2), 1, 0, a.name(3))
		}),
		"oneHotWithIndicesTensor:depth:axis:dataType:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.oneHot(a.tensor(0), a.int(1), a.int(2), a.dataType(3), 1, 0, a.name(4))
		}),
		"oneHotWithIndicesTensor:depth:dataType:onValue:offValue:name:": method(func(g *graph, a *args) (*tensor,
			error) {
			return g.oneHot(a.tensor(0), a.int(1), -1, a.dataType(2), a.double(3), a.double(4), a.name(5))
		}),
		"oneHotWithIndicesTensor:depth:axis:dataType:onValue:offValue:name:": method(func(g *graph, a *args) (*tensor,
			error) {
			return g.oneHot(a.tensor(0), a.int(1), a.int(2), a.dataType(3), a.double(4), a.double(5), a.name(6))
		}),
		"bandPartWithTensor:numLower:numUpper:name:": method(func(g *graph, a *args) (*tensor, error) {
			lower, upper := a.int(1), a.int(2)
			return g.kernelOp("bandPart", a.name(3), func(in []spec) (spec, error) { return in[0], nil },
				func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
					b.BandPart(out, in[0], lower, upper)
				},
				nil, a.tensor(0))
		}),
		"topKWithSourceTensor:k:name:": manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			return g.top(a.tensor(0), -1, a.int(1), false, a.name(2))
		}),
		"topKWithSourceTensor:axis:k:name:": manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			return g.top(a.tensor(0), a.int(1), a.int(2), false, a.name(3))
		}),
		"bottomKWithSourceTensor:axis:k:name:": manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			return g.top(a.tensor(0), a.int(1), a.int(2), true, a.name(3))
		}),
	}
	for name, op := range map[string]string{"Sum": "sum", "Product": "product", "Minimum": "min", "Maximum": "max"} {
		axisForms(m, "cumulative"+name+"WithTensor:axis:name:", func(g *graph, a *args, dim int) ([]*tensor, error) {
			return single(g.cumulated(op, a.tensor(0), dim, false, false, a.name(2)))
		}, false)
		axisForms(m, "cumulative"+name+"WithTensor:axis:exclusive:reverse:name:",
			func(g *graph, a *args, dim int) ([]*tensor, error) {
				return single(g.cumulated(op, a.tensor(0), dim, a.c.Bool(2), a.c.Bool(3), a.name(4)))
			}, false)
	}
	for name, indices := range map[string]bool{"sort": false, "argSort": true} {
		axisForms(m, name+"WithTensor:axis:name:", func(g *graph, a *args, dim int) ([]*tensor, error) {
			return single(g.sorted(a.tensor(0), dim, false, indices, a.name(2)))
		}, false)
		axisForms(m, name+"WithTensor:axis:descending:name:", func(g *graph, a *args, dim int) ([]*tensor, error) {
			return single(g.sorted(a.tensor(0), dim, a.c.Bool(2), indices, a.name(3)))
		}, false)
	}
	addGathers(m)
	return m
}

// scatterKernel adds a scatter of updates into data to a plan.
type scatterKernel = func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand)

// gather adds a gather. back is the scatter that computes its gradient, nil if it has none.
func (g *graph) gather(name string, t, indices *tensor, shape func(in, indices []int) ([]int, error),
	run func(b *tensorop.Builder, out, in, indices tensorop.Operand), back scatterKernel) (*tensor, error) {
	return g.kernelOp("gather", name, func(in []spec) (spec, error) {
		s, err := shape(in[0].shape, in[1].shape)
		return spec{in[0].typ, s}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) { run(b, out, in[0], in[1]) },
		func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			if back == nil {
				return nil, fmt.Errorf("gather with batch dimensions has no gradient on the software device")
			}
			dx, err := g.scatterAdd(op.inputs[0], dy[0], op.inputs[1], back)
			return []*tensor{dx, nil}, err
		}, t, indices)
}

// gatherAxis gathers along a dimension; the first ones are a batch.
func (g *graph) gatherAxis(t, indices *tensor, dim, batch int, name string) (*tensor, error) {
	var back scatterKernel
	if batch == 0 {
		back = func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
			b.Scatter(out, data, indices, updates, dim, "add")
		}
	}
	return g.gather(name, t, indices,
		func(in, indices []int) ([]int, error) { return tensorop.GatherShape(in, indices, dim, batch) },
		func(b *tensorop.Builder, out, in, indices tensorop.Operand) { b.Gather(out, in, indices, dim, batch) },
		back)
}

// addGathers adds gathers and scatters.
func addGathers(m adapter.Methods) {
	m["gatherWithUpdatesTensor:indicesTensor:axis:batchDimensions:name:"] = method(func(g *graph, a *args) (*tensor,
		error) {
		return g.gatherAxis(a.tensor(0), a.tensor(1), a.int(2), a.int(3), a.name(4))
	})
	m["gatherNDWithUpdatesTensor:indicesTensor:batchDimensions:name:"] = method(func(g *graph, a *args) (*tensor,
		error) {
		batch := a.int(2)
		return g.gather(a.name(3), a.tensor(0), a.tensor(1),
			func(in, indices []int) ([]int, error) { return tensorop.GatherNDShape(in, indices, batch) },
			func(b *tensorop.Builder, out, in, indices tensorop.Operand) { b.GatherND(out, in, indices, batch) },
			func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
				b.ScatterND(out, data, indices, updates, batch, "add")
			})
	})
	axisForms(m, "gatherAlongAxis:withUpdatesTensor:indicesTensor:name:", func(g *graph, a *args, dim int) ([]*tensor,
		error) {
		t := a.tensor(1)
		dim, err := axis(t, dim)
		if err != nil {
			return nil, fmt.Errorf("gatherAlongAxis: %w", err)
		}
		return single(g.gather(a.name(3), t, a.tensor(2),
			func(in, indices []int) ([]int, error) { return tensorop.GatherAlongAxisShape(in, indices, dim) },
			func(b *tensorop.Builder, out, in, indices tensorop.Operand) { b.GatherAlongAxis(out, in, indices, dim) },
			func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
				b.ScatterAlongAxis(out, data, indices, updates, dim, "add")
			}))
	}, false)
	addScatters(m)
}

func addScatters(m adapter.Methods) {
	// onto adds a scatter onto a tensor; data is its argument, or below zero for a new one, whose
	// shape is argument shape.
	onto := func(g *graph, a *args, data, shape, updates, indices, mode, name int,
		run func(mode string) func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand)) (*tensor,
		error) {
		op := "set"
		var err error
		if mode >= 0 {
			if op, err = scatterMode(a.c.Uint(mode)); err != nil {
				return nil, err
			}
		} else {
			op = "add" // the form without a mode
		}
		u := a.tensor(updates)
		var d *tensor
		if data >= 0 {
			d = a.tensor(data)
		} else if d, err = g.fresh(op, u.typ, append([]int{}, a.ints(shape)...)); err != nil {
			return nil, err
		}
		return g.scattering(a.name(name), d, u, a.tensor(indices), op, run(op))
	}
	nd := func(batch int) func(mode string) func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
		return func(mode string) func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
			return func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
				b.ScatterND(out, data, indices, updates, batch, mode)
			}
		}
	}
	along := func(dim int) func(mode string) func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
		return func(mode string) func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
			return func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
				b.ScatterAlongAxis(out, data, indices, updates, dim, mode)
			}
		}
	}
	plain := func(dim int) func(mode string) func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
		return func(mode string) func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
			return func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
				b.Scatter(out, data, indices, updates, dim, mode)
			}
		}
	}
	m["scatterNDWithDataTensor:updatesTensor:indicesTensor:batchDimensions:mode:name:"] = method(
		func(g *graph, a *args) (*tensor, error) { return onto(g, a, 0, -1, 1, 2, 4, 5, nd(a.int(3))) })
	m["scatterNDWithUpdatesTensor:indicesTensor:shape:batchDimensions:mode:name:"] = method(
		func(g *graph, a *args) (*tensor, error) { return onto(g, a, -1, 2, 0, 1, 4, 5, nd(a.int(3))) })
	m["scatterNDWithUpdatesTensor:indicesTensor:shape:batchDimensions:name:"] = method(
		func(g *graph, a *args) (*tensor, error) { return onto(g, a, -1, 2, 0, 1, -1, 4, nd(a.int(3))) })
	m["scatterWithDataTensor:updatesTensor:indicesTensor:axis:mode:name:"] = method(
		func(g *graph, a *args) (*tensor, error) { return onto(g, a, 0, -1, 1, 2, 4, 5, plain(a.int(3))) })
	m["scatterWithUpdatesTensor:indicesTensor:shape:axis:mode:name:"] = method(
		func(g *graph, a *args) (*tensor, error) { return onto(g, a, -1, 2, 0, 1, 4, 5, plain(a.int(3))) })
	axisForms(m, "scatterAlongAxis:withDataTensor:updatesTensor:indicesTensor:mode:name:",
		func(g *graph, a *args, dim int) ([]*tensor, error) {
			return single(onto(g, a, 1, -1, 2, 3, 4, 5, along(dim)))
		}, false)
	axisForms(m, "scatterAlongAxis:withUpdatesTensor:indicesTensor:shape:mode:name:",
		func(g *graph, a *args, dim int) ([]*tensor, error) {
			return single(onto(g, a, -1, 3, 1, 2, 4, 5, along(dim)))
		}, false)
}
