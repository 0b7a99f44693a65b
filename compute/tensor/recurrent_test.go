package tensor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// network is a recurrent network in float64, with a slice for each operand; nil ones are absent.
type network struct {
	kind                                        string
	times, batch, inputs, hidden, gates, dirs   int
	reverse, after                              bool
	x, w, r, bias, state, cell, peephole, bias2 []float64
}

func randomNetwork(rng *rand.Rand, kind string) *network {
	m := &network{kind: kind, times: 1 + rng.IntN(4), batch: 1 + rng.IntN(3), inputs: 1 + rng.IntN(4),
		hidden: 1 + rng.IntN(4), gates: map[string]int{"rnn": 1, "relu": 1, "lstm": 4, "gru": 3}[kind],
		dirs: 1 + rng.IntN(2), reverse: rng.IntN(2) == 0, after: rng.IntN(2) == 0}
	maybe := func(n int) []float64 {
		if rng.IntN(3) == 0 {
			return nil
		}
		return normals(rng, n)
	}
	wide := m.dirs * m.gates * m.hidden
	if m.w = maybe(wide * m.inputs); m.w == nil {
		m.inputs = wide
	}
	m.x, m.r = normals(rng, m.times*m.batch*m.inputs), normals(rng, wide*m.hidden)
	m.bias, m.state = maybe(wide), maybe(m.batch*m.dirs*m.hidden)
	m.cell, m.peephole, m.bias2 = maybe(m.batch*m.dirs*m.hidden), maybe(wide), maybe(m.dirs*m.hidden)
	return m
}

func at(v []float64, i int) float64 {
	if v == nil {
		return 0
	}
	return v[i]
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// run computes the states and cells at all times by the formulas of the documentation.
func (m *network) run() (states, cells []float64) {
	h, width := m.hidden, m.dirs*m.hidden
	states, cells = make([]float64, m.times*m.batch*width), make([]float64, m.times*m.batch*width)
	for n := range m.batch {
		for d := range m.dirs {
			state, cell := make([]float64, h), make([]float64, h)
			for u := range h {
				state[u], cell[u] = at(m.state, n*width+d*h+u), at(m.cell, n*width+d*h+u)
			}
			for step := range m.times {
				time := step
				if d == 1 || m.dirs == 1 && m.reverse {
					time = m.times - 1 - step
				}
				// in and from are the terms of a gate's unit with the input, and with a state.
				in := func(gate, u int) float64 {
					row := (d*m.gates+gate)*h + u
					sum := at(m.bias, row)
					if m.w == nil {
						return sum + m.x[(time*m.batch+n)*m.inputs+row]
					}
					for i := range m.inputs {
						sum += m.w[row*m.inputs+i] * m.x[(time*m.batch+n)*m.inputs+i]
					}
					return sum
				}
				from := func(gate, u int, state []float64) (sum float64) {
					for i := range h {
						sum += m.r[((d*m.gates+gate)*h+u)*h+i] * state[i]
					}
					return sum
				}
				next, nextCell := make([]float64, h), make([]float64, h)
				reset := make([]float64, h)
				for u := range h {
					reset[u] = sigmoid(in(min(1, m.gates-1), u)+from(min(1, m.gates-1), u, state)) * state[u]
				}
				for u := range h {
					switch m.kind {
					case "rnn":
						next[u] = math.Tanh(in(0, u) + from(0, u, state))
					case "relu":
						next[u] = max(0, in(0, u)+from(0, u, state))
					case "lstm":
						var g [4]float64
						for k := range g {
							g[k] = in(k, u) + from(k, u, state) + at(m.peephole, (d*4+k)*h+u)*cell[u]
						}
						nextCell[u] = sigmoid(g[1])*cell[u] + sigmoid(g[0])*math.Tanh(g[2])
						next[u] = sigmoid(g[3]) * math.Tanh(nextCell[u])
					case "gru":
						z, c := sigmoid(in(0, u)+from(0, u, state)), in(2, u)
						if m.after {
							r := sigmoid(in(1, u) + from(1, u, state))
							c += r * (from(2, u, state) + at(m.bias2, d*h+u))
						} else {
							c += from(2, u, reset)
						}
						next[u] = z*state[u] + (1-z)*math.Tanh(c)
					}
				}
				state, cell = next, nextCell
				copy(states[(time*m.batch+n)*width+d*h:], state)
				copy(cells[(time*m.batch+n)*width+d*h:], cell)
			}
		}
	}
	return states, cells
}

// TestRecurrent compares random networks of each kind with float64, with and without each operand,
// in both directions, on views of other memory.
func TestRecurrent(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	rng := rand.New(rand.NewPCG(15, 8))
	of := func(data []float64, shape ...int) *tensor.Tensor {
		if data == nil {
			return nil
		}
		x := tensor.FromFloat64(s, tensor.Float32, data, shape...)
		if rng.IntN(2) == 0 {
			x = s.Stack(-1, x, s.Neg(x)).Index(-1, 0) // the same elements with gaps
		}
		return x
	}
	for i := range 24 {
		m := randomNetwork(rng, []string{"rnn", "relu", "lstm", "gru"}[i%4])
		wide, h := m.gates*m.hidden, m.hidden
		weights, peephole := []int{wide, h}, []int{wide}
		if m.dirs == 2 {
			weights, peephole = []int{2, wide, h}, []int{2, wide}
		}
		x := of(m.x, m.times, m.batch, m.inputs)
		r := tensor.Recurrence{InputWeights: of(m.w, m.dirs*wide, m.inputs), Weights: of(m.r, weights...),
			Bias: of(m.bias, m.dirs*wide), State: of(m.state, m.batch, m.dirs*h), Reverse: m.reverse,
			Bidirectional: m.dirs == 2}
		states, cells := m.run()
		var got, gotCells *tensor.Tensor
		switch m.kind {
		case "rnn":
			got = s.RNN(x, tensor.RNN{Recurrence: r})
		case "relu":
			got = s.RNN(x, tensor.RNN{Recurrence: r, Activation: tensor.RNNReLU})
		case "lstm":
			got, gotCells = s.LSTM(x, tensor.LSTM{Recurrence: r, Cell: of(m.cell, m.batch, m.dirs*h),
				Peephole: of(m.peephole, peephole...)})
		case "gru":
			got = s.GRU(x, tensor.GRU{Recurrence: r, ResetAfter: m.after, StateBias: of(m.bias2, m.dirs*h)})
		}
		require.NoError(t, s.Err(), "%+v", m)
		what := fmt.Sprintf("%+v", m)
		require.Equal(t, []int{m.times, m.batch, m.dirs * h}, got.Shape(), what)
		near(t, states, values(t, got), 2e-5, what)
		if gotCells != nil {
			near(t, cells, values(t, gotCells), 2e-5, what)
		}
	}
	none := s.RNN(s.Full(tensor.Float16, 1, 0, 2, 3), tensor.RNN{Recurrence: tensor.Recurrence{
		Weights: s.Full(tensor.Float16, 1, 3, 3)}})
	assert.Equal(t, "float16[0 2 3]", none.String())
	assert.Empty(t, values(t, none))
	require.NoError(t, s.Err())
}

// near compares numbers within a bound, relative to those above 1.
func near(t *testing.T, want, got []float64, bound float64, what string) {
	t.Helper()
	require.Len(t, got, len(want), what)
	for i := range want {
		require.InDelta(t, want[i], got[i], bound*max(1, math.Abs(want[i])), "element %d of %s", i, what)
	}
}
