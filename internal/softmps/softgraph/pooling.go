package softgraph

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// pooling is what a descriptor says of one.
type pooling struct {
	tensorop.Pool
	layout layout
	style  uint64
	index  tensorop.Type // of indices
}

// pooling2D reads a descriptor with two spatial dimensions.
func (a *args) pooling2D(i int, kind tensorop.PoolKind) pooling {
	r := a.record(i)
	p := pooling{Pool: tensorop.Pool{Kind: kind}}
	var err error
	if p.layout, err = layoutOf(r.Uint("dataLayout")); err != nil || len(p.layout) != 4 {
		a.fail("the descriptor: layout %d", r.Uint("dataLayout"))
	}
	p.Window, p.style = windowOf(r, 2)
	p.Size = []int{int(r.Uint("kernelHeight")), int(r.Uint("kernelWidth"))}
	a.poolingRest(&p, r)
	return p
}

// pooling4D reads a descriptor with a window over all four dimensions.
func (a *args) pooling4D(i int, kind tensorop.PoolKind) pooling {
	r := a.record(i)
	p := pooling{Pool: tensorop.Pool{Kind: kind}, layout: layout{0, 1, 2, 3}}
	list := func(name string) []int {
		v, err := softmps.Integers(a.c.RT, r.ID(name))
		if err != nil {
			a.fail("the descriptor's %s: %w", name, err)
		}
		return v
	}
	p.Size, p.Strides, p.Dilations = list("kernelSizes"), list("strides"), list("dilationRates")
	p.style = r.Uint("paddingStyle")
	if pads := list("paddingValues"); explicit(p.style) && pads != nil { // before and after for each dimension
		if len(pads) != 8 {
			a.fail("the descriptor has %d padding values and not 8", len(pads))
			return p
		}
		for d := range 4 {
			p.Before, p.After = append(p.Before, pads[2*d]), append(p.After, pads[2*d+1])
		}
	}
	a.poolingRest(&p, r)
	return p
}

func (a *args) poolingRest(p *pooling, r *adapter.Record) {
	p.Ceil, p.CountPadding = r.Bool("ceilMode"), r.Bool("includeZeroPadToAverage")
	p.index = tensorop.Int32
	if t := r.Uint("returnIndicesDataType"); t != 0 {
		var err error
		if p.index, err = softmps.TypeOf(t); err != nil {
			a.fail("the descriptor's type of indices: %w", err)
		}
	}
	switch mode := r.Uint("returnIndicesMode"); {
	case mode >= graphdata.PoolingReturnIndicesLocalFlatten1D:
		p.LocalIndices = true
		p.IndexDims = int(mode - graphdata.PoolingReturnIndicesLocalFlatten1D + 1)
	case mode != graphdata.PoolingReturnIndicesNone:
		p.IndexDims = int(mode)
	}
}

// resolved returns the pooling for an input, whose shape it also gives in the order of package
// tensorop.
func (p pooling) resolved(shape []int) (tensorop.Pool, []int, error) {
	in, err := p.layout.in(shape)
	if err != nil {
		return p.Pool, nil, err
	}
	out := p.Pool
	if len(p.Size) == 0 || len(p.Size) > len(in) {
		return out, nil, fmt.Errorf("a window of %v for the shape %v", p.Size, shape)
	}
	out.Window, err = padded(p.Window, p.style, in[len(in)-len(p.Size):])
	return out, in, err
}

// pool adds a pooling; with indices it has a second result.
func (g *graph) pool(x *tensor, p pooling, indices bool, name string) ([]*tensor, error) {
	return g.add("pooling", name, def{
		infer: func(in []spec) ([]spec, error) {
			pool, shape, err := p.resolved(in[0].shape)
			if err != nil {
				return nil, err
			}
			out, err := tensorop.PoolShape(shape, pool)
			if err != nil {
				return nil, err
			}
			result := []spec{{in[0].typ, p.layout.out(out)}}
			if indices {
				result = append(result, spec{p.index, result[0].shape})
			}
			return result, nil
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			pool, _, err := p.resolved(in[0].Shape)
			switch {
			case err != nil:
				b.Fail(err)
			case indices:
				b.MaxPoolIndices(p.layout.view(out[0]), p.layout.view(out[1]), p.layout.view(in[0]), pool)
			default:
				b.Pool(p.layout.view(out[0]), p.layout.view(in[0]), pool)
			}
		},
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			dx, err := g.poolGradient(dy[0], op.inputs[0], p, "")
			return []*tensor{dx}, err
		},
	}, x)
}

// poolGradient is the gradient of a pooling of x.
func (g *graph) poolGradient(dy, x *tensor, p pooling, name string) (*tensor, error) {
	return g.add1("poolingGradient", name, def{
		infer: func(in []spec) ([]spec, error) {
			_, _, err := p.resolved(in[1].shape)
			return []spec{{in[0].typ, in[1].shape}}, err
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			pool, _, err := p.resolved(in[1].Shape)
			if err != nil {
				b.Fail(err)
				return
			}
			b.PoolGradient(p.layout.view(out[0]), p.layout.view(in[0]), p.layout.view(in[1]), pool)
		},
	}, dy, x)
}

// poolIndexGradient is the gradient of a maximum whose indices are known.
func (g *graph) poolIndexGradient(dy, indices *tensor, shape []int, p pooling, name string) (*tensor, error) {
	return g.add1("poolingGradient", name, def{
		infer: func(in []spec) ([]spec, error) {
			_, _, err := p.resolved(shape)
			return []spec{{in[0].typ, shape}}, err
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			pool, _, err := p.resolved(shape)
			if err != nil {
				b.Fail(err)
				return
			}
			b.MaxPoolIndicesGradient(p.layout.view(out[0]), p.layout.view(in[0]), p.layout.view(in[1]), pool)
		},
	}, dy, indices)
}

func poolingMethods() adapter.Methods {
	m := adapter.Methods{}
	type reader = func(a *args, i int, kind tensorop.PoolKind) pooling
	for name, kind := range map[string]tensorop.PoolKind{"max": tensorop.PoolMax, "avg": tensorop.PoolAverage,
		"L2Norm": tensorop.PoolL2} {
		for dims, read := range map[string]reader{"2D": (*args).pooling2D, "4D": (*args).pooling4D} {
			if name == "L2Norm" && dims == "2D" {
				continue
			}
			prefix := name + "Pooling" + dims
			m[prefix+"WithSourceTensor:descriptor:name:"] = method(func(g *graph, a *args) (*tensor, error) {
				out, err := g.pool(a.tensor(0), read(a, 1, kind), false, a.name(2))
				if err != nil {
					return nil, err
				}
				return out[0], nil
			})
			m[prefix+"GradientWithGradientTensor:sourceTensor:descriptor:name:"] = method(
				func(g *graph, a *args) (*tensor, error) {
					return g.poolGradient(a.tensor(0), a.tensor(1), read(a, 2, kind), a.name(3))
				})
			if name != "max" {
				continue
			}
			m[prefix+"ReturnIndicesWithSourceTensor:descriptor:name:"] = manyMethod(
				func(g *graph, a *args) ([]*tensor, error) {
					return g.pool(a.tensor(0), read(a, 1, kind), true, a.name(2))
				})
			m[prefix+"GradientWithGradientTensor:indicesTensor:outputShape:descriptor:name:"] = method(
				func(g *graph, a *args) (*tensor, error) {
					return g.poolIndexGradient(a.tensor(0), a.tensor(1), a.ints(2), read(a, 3, kind), a.name(4))
				})
			m[prefix+"GradientWithGradientTensor:indicesTensor:outputShapeTensor:descriptor:name:"] = method(
				func(g *graph, a *args) (*tensor, error) {
					return g.poolIndexGradient(a.tensor(0), a.tensor(1), a.constantInts(2), read(a, 3, kind), a.name(4))
				})
		}
	}
	return m
}
