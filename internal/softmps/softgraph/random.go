package softgraph

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// generator adds a generator's state.
func (g *graph) generator(words [tensorop.RandomState]uint32, keep bool, name string) (*tensor, error) {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	m, err := newMemory(spec{tensorop.Int32, []int{tensorop.RandomState}}, b)
	if err != nil {
		return nil, err
	}
	l := leaf{constant: m}
	kind := "randomState"
	if keep {
		l, kind = leaf{variable: m}, "variable"
	}
	return g.add1(kind, name, leafDef(m.spec, l))
}

// random adds random numbers of a shape, and the state after them.
func (g *graph) random(state *tensor, typ tensorop.Type, shape []int, r tensorop.Random, name string) ([]*tensor,
	error) {
	return g.add("random", name, def{
		infer: func(in []spec) ([]spec, error) { return []spec{{typ, shape}, in[0]}, nil },
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			b.Random(out[0], in[0], r)
			b.NextState(out[1], in[0], out[0].Elements())
		},
		grad: func(*graph, *operation, []*tensor) ([]*tensor, error) { return []*tensor{nil}, nil },
	}, state)
}

// unseeded adds random numbers that differ from run to run: a variable of the graph keeps the
// state.
func (g *graph) unseeded(typ tensorop.Type, shape []int, r tensorop.Random, name string) (*tensor, error) {
	state, err := g.generator(tensorop.State(rand.Uint64()), true, "")
	if err != nil {
		return nil, err
	}
	out, err := g.random(state, typ, shape, r, name)
	if err != nil {
		return nil, err
	}
	next, err := g.assign(state, out[1], "")
	if err != nil {
		return nil, err
	}
	out[0].op.def.follow = append(out[0].op.def.follow, next)
	return out[0], nil
}

// randomArg reads a descriptor of random numbers.
func (a *args) randomArg(i int) (tensorop.Random, tensorop.Type) {
	r := a.record(i)
	typ, err := softmps.TypeOf(r.Uint("dataType"))
	if err != nil {
		a.fail("the descriptor: %w", err)
	}
	float := func(name string) float64 { return float64(a.recordFloat(r, name)) }
	out := tensorop.Random{Low: float("min"), High: float("max"), Mean: float("mean"),
		Deviation: float("standardDeviation")}
	switch d := r.Uint("distribution"); d {
	case graphdata.RandomDistributionUniform:
		out.Kind = tensorop.RandomUniform
		if typ.Integer() {
			out.Low, out.High = float64(int64(r.Uint("minInteger"))), float64(int64(r.Uint("maxInteger")))
		}
	case graphdata.RandomDistributionNormal:
		out.Kind = tensorop.RandomNormal
	case graphdata.RandomDistributionTruncatedNormal:
		out.Kind = tensorop.RandomTruncatedNormal
	default:
		a.fail("the descriptor: there is no distribution %d", d)
	}
	return out, typ
}

// dropout sets elements to zero with a probability and divides the others by that of keeping them.
func (g *graph) dropout(x, rate *tensor, name string) (*tensor, error) {
	if !x.known() {
		return nil, fmt.Errorf("dropout: the shape %v must be known on the software device", x.shape)
	}
	u, err := g.unseeded(tensorop.Float32, x.shape, tensorop.Random{Kind: tensorop.RandomUniform, High: 1}, "")
	if err != nil {
		return nil, err
	}
	c := &chain{g: g}
	wide := rate
	if wide.typ != tensorop.Float32 {
		if wide, err = g.cast(rate, tensorop.Float32, ""); err != nil {
			return nil, err
		}
	}
	drop := c.do("less", u, wide)
	factor := c.do("reciprocal", c.linear(wide, -1, 1))
	if c.err != nil {
		return nil, c.err
	}
	if factor, err = g.cast(factor, x.typ, ""); err != nil {
		return nil, err
	}
	kept := c.do("mul", x, factor)
	if c.err != nil {
		return nil, c.err
	}
	return g.apply("select", name, drop, c.number(0, x), kept)
}

// randomMethods are random numbers: with a seed the same ones at each run, with a state those that
// follow from it, and with neither other ones at each run.
func randomMethods() adapter.Methods {
	m := adapter.Methods{
		"randomPhiloxStateTensorWithSeed:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.generator(tensorop.State(a.c.Uint(0)), false, a.name(1))
		}),
		"randomPhiloxStateTensorWithCounterLow:counterHigh:key:name:": method(func(g *graph, a *args) (*tensor, error) {
			low, high, key := a.c.Uint(0), a.c.Uint(1), a.c.Uint(2)
			return g.generator([tensorop.RandomState]uint32{uint32(low), uint32(low >> 32), uint32(high),
				uint32(high >> 32), uint32(key), uint32(key >> 32)}, false, a.name(3))
		}),
		"dropoutTensor:rate:name:": method(func(g *graph, a *args) (*tensor, error) {
			rate, err := g.constant(a.double(1), spec{tensorop.Float32, nil})
			if err != nil {
				return nil, err
			}
			return g.dropout(a.tensor(0), rate, a.name(2))
		}),
		"dropoutTensor:rateTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.dropout(a.tensor(0), a.tensor(1), a.name(2))
		}),
	}
	type reader = func(a *args) (tensorop.Random, tensorop.Type)
	for label, shape := range map[string]func(*args, int) []int{"Shape": (*args).ints,
		"ShapeTensor": (*args).constantInts} {
		for _, form := range []struct {
			selector string
			rest     int // the first argument after those of every form
			read     reader
		}{
			{"randomUniformTensorWith" + label + ":", 1, func(*args) (tensorop.Random, tensorop.Type) {
				return tensorop.Random{Kind: tensorop.RandomUniform, High: 1}, tensorop.Float32
			}},
			{"randomTensorWith" + label + ":descriptor:", 2, func(a *args) (tensorop.Random, tensorop.Type) {
				return a.randomArg(1)
			}},
		} {
			read := func(a *args) (tensorop.Random, tensorop.Type, []int) {
				r, typ := form.read(a)
				return r, typ, append([]int{}, shape(a, 0)...)
			}
			m[form.selector+"name:"] = method(func(g *graph, a *args) (*tensor, error) {
				r, typ, s := read(a)
				return g.unseeded(typ, s, r, a.name(form.rest))
			})
			m[form.selector+"seed:name:"] = method(func(g *graph, a *args) (*tensor, error) {
				r, typ, s := read(a)
				state, err := g.generator(tensorop.State(a.c.Uint(form.rest)), false, "")
				if err != nil {
					return nil, err
				}
				out, err := g.random(state, typ, s, r, a.name(form.rest+1))
				if err != nil {
					return nil, err
				}
				return out[0], nil
			})
			m[form.selector+"stateTensor:name:"] = manyMethod(func(g *graph, a *args) ([]*tensor, error) {
				r, typ, s := read(a)
				return g.random(a.tensor(form.rest), typ, s, r, a.name(form.rest+1))
			})
		}
	}
	return m
}
