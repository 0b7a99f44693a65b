package tensorop_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/test/optest"

	"github.com/stretchr/testify/assert"
)

func activate(a tensorop.RNNActivation, x float64) float64 {
	switch a {
	case tensorop.RNNReLU:
		return math.Max(x, 0)
	case tensorop.RNNTanh:
		return math.Tanh(x)
	case tensorop.RNNSigmoid:
		return 1 / (1 + math.Exp(-x))
	case tensorop.RNNHardSigmoid:
		return math.Min(math.Max(0.2*x+0.5, 0), 1)
	}
	return x
}

// network is a random recurrent network with its operands as values; those that are nil are absent.
type network struct {
	t, n, inputs, h, gates, dirs                      int
	reverse                                           bool
	x, r, w, bias, state, cell, mask, peephole, bias2 []float64
}

func randomNetwork(rng *rand.Rand, typ tensorop.Type, gates int) *network {
	m := &network{t: between(rng, 1, 4), n: between(rng, 1, 3), inputs: between(rng, 1, 4), h: between(rng, 1, 5),
		gates: gates, dirs: between(rng, 1, 2), reverse: rng.IntN(2) == 0}
	maybe := func(shape ...int) []float64 {
		if rng.IntN(3) == 0 {
			return nil
		}
		return normal(rng, typ, shape...)
	}
	wide := gates * m.h
	m.r = normal(rng, typ, m.dirs, wide, m.h)
	if m.w = maybe(m.dirs*wide, m.inputs); m.w == nil {
		m.inputs = m.dirs * wide
	}
	m.x = normal(rng, typ, m.t, m.n, m.inputs)
	m.bias, m.state, m.cell = maybe(m.dirs*wide), maybe(m.n, m.dirs*m.h), maybe(m.n, m.dirs*m.h)
	m.mask, m.peephole, m.bias2 = maybe(m.n, m.dirs*m.h), maybe(m.dirs, wide), maybe(m.dirs*m.h)
	return m
}

// tensors returns the operands, and a function that gives the i-th optional one of a plan.
func (m *network) tensors(rng *rand.Rand, typ tensorop.Type) []optest.Tensor {
	wide := m.gates * m.h
	recurrent, peephole := []int{wide, m.h}, []int{wide}
	if m.dirs == 2 {
		recurrent, peephole = []int{2, wide, m.h}, []int{2, wide}
	}
	out := []optest.Tensor{scattered(rng, typ, m.x, m.t, m.n, m.inputs), scattered(rng, typ, m.r, recurrent...)}
	for _, o := range []struct {
		v     []float64
		shape []int
	}{{m.w, []int{m.dirs * wide, m.inputs}}, {m.bias, []int{m.dirs * wide}}, {m.state, []int{m.n, m.dirs * m.h}},
		{m.mask, []int{m.n, m.dirs * m.h}}, {m.cell, []int{m.n, m.dirs * m.h}}, {m.peephole, peephole},
		{m.bias2, []int{m.dirs * m.h}}} {
		if o.v != nil {
			out = append(out, scattered(rng, typ, o.v, o.shape...))
		}
	}
	return out
}

// operands returns the common description of a plan's inputs, and the cell, peephole and second
// bias.
func (m *network) operands(in []operand) (r tensorop.Recurrence, cell, peephole, bias2 *operand) {
	at := 2
	get := func(v []float64) *operand {
		if v == nil {
			return nil
		}
		at++
		return &in[at-1]
	}
	r = tensorop.Recurrence{Source: in[0], Recurrent: in[1], Reverse: m.reverse, Bidirectional: m.dirs == 2}
	r.InputWeight, r.Bias, r.InitState, r.Mask = get(m.w), get(m.bias), get(m.state), get(m.mask)
	return r, get(m.cell), get(m.peephole), get(m.bias2)
}

// run calls step for each time, element of the batch and direction: x are the gates without the
// state, h and c the state and the cell before, and factor the mask. step returns the new ones.
func (m *network) run(step func(dir, t, n int, x, h, c, mask []float64) (nh, nc []float64)) {
	wide := m.gates * m.h
	optional := func(v []float64, from, count int, without float64) []float64 {
		if v == nil {
			return slices.Repeat([]float64{without}, count)
		}
		return slices.Clone(v[from : from+count])
	}
	for dir := range m.dirs {
		for n := range m.n {
			at := (n*m.dirs + dir) * m.h
			h, c := optional(m.state, at, m.h, 0), optional(m.cell, at, m.h, 0)
			mask := optional(m.mask, at, m.h, 1)
			for k := range m.t {
				t := k
				if dir == 1 || m.dirs == 1 && m.reverse {
					t = m.t - 1 - k
				}
				source := m.x[(t*m.n+n)*m.inputs:][:m.inputs]
				x := optional(m.bias, dir*wide, wide, 0)
				for g := range wide {
					if m.w == nil {
						x[g] += source[dir*wide+g]
						continue
					}
					for i, v := range source {
						x[g] += v * m.w[(dir*wide+g)*m.inputs+i]
					}
				}
				h, c = step(dir, t, n, x, h, c, mask)
			}
		}
	}
}

// dot is the product of a state with the recurrent weights of a gate's unit.
func (m *network) dot(dir, g int, h, mask []float64) float64 {
	s := 0.0
	for k, v := range h {
		s += v * mask[k] * m.r[(dir*m.gates*m.h+g)*m.h+k]
	}
	return s
}

// place is the index of a gate's unit in a result of so many gates.
func (m *network) place(t, n, dir, gates, g, u int) int {
	return ((t*m.n+n)*m.dirs+dir)*gates*m.h + g*m.h + u
}

func (m *network) shape(gates int) []int { return []int{m.t, m.n, m.dirs * gates * m.h} }

func (m *network) values(gates int) []float64 {
	return make([]float64, tensorop.Elements(m.shape(gates)))
}

// compare runs a network once for each of its results, which build writes to operands.
func (m *network) compare(t *testing.T, d *optest.Device, rng *rand.Rand, typ tensorop.Type, want [][]float64,
	gates []int, build func(b *builder, out, in []operand)) {
	t.Helper()
	in := m.tensors(rng, typ)
	for i := range want {
		got := d.Do(scatteredView(rng, typ, m.shape(gates[i])...), func(b *builder, o operand, in []operand) {
			var out []operand
			for k, g := range gates {
				if k == i {
					out = append(out, o)
				} else {
					out = append(out, b.Temp(typ, m.shape(g)...))
				}
			}
			build(b, out, in)
		}, in...)
		near(t, typ, want[i], got, 1, fmt.Sprintf("result %d of %+v", i, m))
	}
}

func TestRNN(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(17, 1))
	for n := range 20 {
		typ := floatTypes[n%3]
		m := randomNetwork(rng, typ, 1)
		m.cell, m.peephole, m.bias2 = nil, nil, nil
		act := []tensorop.RNNActivation{tensorop.RNNTanh, tensorop.RNNSigmoid, tensorop.RNNHardSigmoid}[rng.IntN(3)]
		state, z := m.values(1), m.values(1)
		m.run(func(dir, t, n int, x, h, c, mask []float64) ([]float64, []float64) {
			next := make([]float64, m.h)
			for u := range next {
				v := x[u] + m.dot(dir, u, h, mask)
				next[u] = activate(act, v)
				z[m.place(t, n, dir, 1, 0, u)], state[m.place(t, n, dir, 1, 0, u)] = v, next[u]
			}
			return next, c
		})
		m.compare(t, d, rng, typ, [][]float64{state, z}, []int{1, 1}, func(b *builder, out, in []operand) {
			r, _, _, _ := m.operands(in)
			b.RNN(out[0], &out[1], tensorop.RNN{Recurrence: r, Activation: act})
		})
	}
}

func TestLSTM(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(17, 2))
	for n := range 20 {
		typ := floatTypes[n%3]
		m := randomNetwork(rng, typ, 4)
		m.bias2 = nil
		last := n%2 == 0
		forget, candidate := 1, 2
		acts := []tensorop.RNNActivation{tensorop.RNNSigmoid, tensorop.RNNHardSigmoid, tensorop.RNNTanh, tensorop.RNNSigmoid}
		if last {
			forget, candidate = 2, 1
			acts[1], acts[2] = acts[2], acts[1]
		}
		state, cell, gates := m.values(1), m.values(1), m.values(4)
		m.run(func(dir, t, n int, x, h, c, mask []float64) ([]float64, []float64) {
			nh, nc := make([]float64, m.h), make([]float64, m.h)
			for u := range nh {
				var g [4]float64
				for k := range g {
					at := k*m.h + u
					v := x[at] + m.dot(dir, at, h, mask)
					if m.peephole != nil {
						v += m.peephole[dir*4*m.h+at] * c[u]
					}
					g[k] = activate(acts[k], v)
					gates[m.place(t, n, dir, 4, k, u)] = g[k]
				}
				nc[u] = g[forget]*c[u] + g[0]*g[candidate]
				nh[u] = g[3] * math.Tanh(nc[u])
				state[m.place(t, n, dir, 1, 0, u)], cell[m.place(t, n, dir, 1, 0, u)] = nh[u], nc[u]
			}
			return nh, nc
		})
		m.compare(t, d, rng, typ, [][]float64{state, cell, gates}, []int{1, 1, 4}, func(b *builder, out, in []operand) {
			r, first, peephole, _ := m.operands(in)
			b.LSTM(out[0], &out[1], &out[2], tensorop.LSTM{Recurrence: r, InitCell: first, Peephole: peephole,
				ForgetGateLast: last, InputGate: tensorop.RNNSigmoid, ForgetGate: tensorop.RNNHardSigmoid,
				CellGate: tensorop.RNNTanh, OutputGate: tensorop.RNNSigmoid, Activation: tensorop.RNNTanh})
		})
	}
}

func TestGRU(t *testing.T) {
	d := optest.Open(t)
	rng := rand.New(rand.NewPCG(17, 3))
	for n := range 24 {
		typ := floatTypes[n%3]
		m := randomNetwork(rng, typ, 3)
		m.cell, m.peephole = nil, nil
		g := tensorop.GRU{ResetGateFirst: n%2 == 0, ResetAfter: n/2%2 == 0, FlipZ: n/4%2 == 0,
			UpdateGate: tensorop.RNNSigmoid, ResetGate: tensorop.RNNHardSigmoid, OutputGate: tensorop.RNNTanh}
		update, reset := 0, 1
		if g.ResetGateFirst {
			update, reset = 1, 0
		}
		state, gates := m.values(1), m.values(3)
		m.run(func(dir, t, n int, x, h, c, mask []float64) ([]float64, []float64) {
			z, r, rh := make([]float64, m.h), make([]float64, m.h), make([]float64, m.h)
			for u := range z {
				z[u] = activate(g.UpdateGate, x[update*m.h+u]+m.dot(dir, update*m.h+u, h, mask))
				r[u] = activate(g.ResetGate, x[reset*m.h+u]+m.dot(dir, reset*m.h+u, h, mask))
				rh[u] = r[u] * h[u]
			}
			next := make([]float64, m.h)
			for u := range z {
				at := 2*m.h + u
				v := m.dot(dir, at, rh, mask)
				if g.ResetAfter {
					v = m.dot(dir, at, h, mask)
					if m.bias2 != nil {
						v += m.bias2[dir*m.h+u]
					}
					v *= r[u]
				}
				o := activate(g.OutputGate, x[at]+v)
				keep := z[u]
				if g.FlipZ {
					keep = 1 - keep
				}
				next[u] = keep*h[u] + (1-keep)*o
				state[m.place(t, n, dir, 1, 0, u)] = next[u]
				gates[m.place(t, n, dir, 3, update, u)], gates[m.place(t, n, dir, 3, reset, u)] = z[u], r[u]
				gates[m.place(t, n, dir, 3, 2, u)] = o
			}
			return next, c
		})
		m.compare(t, d, rng, typ, [][]float64{state, gates}, []int{1, 3}, func(b *builder, out, in []operand) {
			all := g
			all.Recurrence, _, _, all.SecondaryBias = m.operands(in)
			b.GRU(out[0], &out[1], all)
		})
	}
}

func TestRecurrentErrors(t *testing.T) {
	dense := func(shape ...int) tensorop.View { return tensorop.Dense(tensorop.Float32, shape...) }
	for _, c := range []struct {
		source, recurrent, bias, out []int
		want                         string
	}{
		{[]int{2, 1, 12}, []int{12, 3}, []int{12}, []int{2, 1, 4},
			"lstm: the shape of the result is [2 1 4]; it must be [2 1 3]"},
		{[]int{2, 1, 11}, []int{12, 3}, []int{12}, []int{2, 1, 3},
			"lstm: the shape of the source is [2 1 11]; it must be [2 1 12]"},
		{[]int{2, 1, 12}, []int{9, 3}, []int{12}, []int{2, 1, 3},
			"the shape of the recurrent weights is [9 3]; it must be [12 3]"},
		{[]int{2, 1, 12}, []int{12, 3}, []int{3}, []int{2, 1, 3},
			"lstm: the shape of the bias is [3]; it must be [12]"},
		{[]int{2, 12}, []int{12, 3}, []int{12}, []int{2, 1, 3}, "they must have 3 and 2 dimensions"},
	} {
		b, in, out := tensorop.NewBuilder([]tensorop.View{dense(c.source...), dense(c.recurrent...), dense(c.bias...)},
			[]tensorop.View{dense(c.out...)})
		r := tensorop.Recurrence{Source: in[0], Recurrent: in[1], Bias: &in[2]}
		b.LSTM(out[0], nil, nil, tensorop.LSTM{Recurrence: r})
		_, err := b.Plan()
		assert.ErrorContains(t, err, c.want)
	}
}
