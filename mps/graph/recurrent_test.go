package graph

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recurrence is a network in float64: t times, a batch of n, i inputs, h units.
type recurrence struct {
	t, n, i, h         int
	source, w, r, bias []float32 // [t n i], [gates*h i], [gates*h h], [gates*h]
	state, cell        []float32 // [n h]
	gates              int
}

func newRecurrence(gates int) recurrence {
	c := recurrence{t: 3, n: 2, i: 4, h: 3, gates: gates}
	c.source, c.w = numbers(1, c.t*c.n*c.i), numbers(2, gates*c.h*c.i)
	c.r, c.bias = numbers(3, gates*c.h*c.h), numbers(4, gates*c.h)
	c.state, c.cell = numbers(5, c.n*c.h), numbers(6, c.n*c.h)
	return c
}

// row is a row of the input weights and bias, and of the recurrent weights times a state.
func (c recurrence) input(t, n, row int) float64 {
	sum := float64(c.bias[row])
	for k := range c.i {
		sum += float64(c.source[(t*c.n+n)*c.i+k]) * float64(c.w[row*c.i+k])
	}
	return sum
}

func (c recurrence) recur(state []float64, n, row int) float64 {
	sum := 0.0
	for k := range c.h {
		sum += state[n*c.h+k] * float64(c.r[row*c.h+k])
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func (r *rig) networkInputs(c recurrence) (source, recurrent, input, bias, state Tensor) {
	return r.floats(c.source, c.t, c.n, c.i), r.floats(c.r, c.gates*c.h, c.h), r.floats(c.w, c.gates*c.h, c.i),
		r.floats(c.bias, c.gates*c.h), r.floats(c.state, c.n, c.h)
}

func TestSingleGateRNN(t *testing.T) {
	r := newRig(t)
	c := newRecurrence(1)
	source, recurrent, input, bias, state := r.networkInputs(c)
	d := got(MakeSingleGateRNNDescriptor())(t)
	assert.Equal(t, RNNActivationRelu, d.Activation())
	d.SetActivation(RNNActivationTanh)
	d.SetTraining(true)
	h := wide(c.state)
	var want, z []float64
	for s := range c.t {
		next := make([]float64, len(h))
		for n := range c.n {
			for u := range c.h {
				v := c.input(s, n, u) + c.recur(h, n, u)
				z = append(z, v)
				next[n*c.h+u] = math.Tanh(v)
			}
		}
		h = next
		want = append(want, h...)
	}
	out := r.graph.SingleGateRNNWithSourceTensorInputWeight(source, recurrent, input, bias, state, d, "")
	require.Len(t, out, 2)
	shape := []int{c.t, c.n, c.h}
	r.check("states", out[0], shape, want, 1e-5)
	r.check("training", out[1], shape, z, 1e-4)
}

func TestLSTM(t *testing.T) {
	r := newRig(t)
	c := newRecurrence(4)
	source, recurrent, input, bias, state := r.networkInputs(c)
	d := got(MakeLSTMDescriptor())(t)
	d.SetProduceCell(true)
	h, cell := wide(c.state), wide(c.cell)
	var want, cells []float64
	for s := range c.t {
		next := make([]float64, len(h))
		for n := range c.n {
			for u := range c.h {
				gate := func(g int) float64 { return c.input(s, n, g*c.h+u) + c.recur(h, n, g*c.h+u) }
				k := n*c.h + u
				cell[k] = sigmoid(gate(1))*cell[k] + sigmoid(gate(0))*math.Tanh(gate(2))
				next[k] = sigmoid(gate(3)) * math.Tanh(cell[k])
			}
		}
		h = next
		want, cells = append(want, h...), append(cells, cell...)
	}
	initial := r.floats(c.cell, c.n, c.h)
	out := r.graph.LSTMWithSourceTensorInputWeight(source, recurrent, input, bias, state, initial, d, "")
	require.Len(t, out, 2)
	shape := []int{c.t, c.n, c.h}
	r.check("states", out[0], shape, want, 1e-5)
	r.check("cells", out[1], shape, cells, 1e-5)
	// The weights can be applied before.
	flat := r.graph.ReshapeTensor(source, []int{c.t * c.n, c.i}, "")
	gates := r.graph.AdditionWithPrimaryTensor(r.graph.MatrixMultiplicationWithPrimaryTensor(flat,
		r.graph.TransposeTensor(input, 0, 1, ""), ""), bias, "")
	gates = r.graph.ReshapeTensor(gates, []int{c.t, c.n, 4 * c.h}, "")
	d.SetProduceCell(false)
	out = r.graph.LSTMWithSourceTensor(gates, recurrent, state, initial, d, "")
	require.Len(t, out, 1)
	r.check("weights before", out[0], shape, want, 1e-5)
}

func TestGRU(t *testing.T) {
	r := newRig(t)
	c := newRecurrence(3)
	source, recurrent, input, bias, state := r.networkInputs(c)
	d := got(MakeGRUDescriptor())(t)
	d.SetReverse(true)
	h := wide(c.state)
	want := make([]float64, c.t*c.n*c.h)
	for s := c.t - 1; s >= 0; s-- {
		next, reset := make([]float64, len(h)), make([]float64, len(h))
		for n := range c.n {
			for u := range c.h {
				reset[n*c.h+u] = h[n*c.h+u] * sigmoid(c.input(s, n, c.h+u)+c.recur(h, n, c.h+u))
			}
		}
		for n := range c.n {
			for u := range c.h {
				z := sigmoid(c.input(s, n, u) + c.recur(h, n, u))
				o := math.Tanh(c.input(s, n, 2*c.h+u) + c.recur(reset, n, 2*c.h+u))
				next[n*c.h+u] = z*h[n*c.h+u] + (1-z)*o
			}
		}
		h = next
		copy(want[s*c.n*c.h:], h)
	}
	out := r.graph.GRUWithSourceTensorInitState(source, recurrent, input, bias, state, d, "")
	require.Len(t, out, 1)
	r.check("states", out[0], []int{c.t, c.n, c.h}, want, 1e-5)
	_, err := r.try(func() Tensor {
		r.graph.GRUWithSourceTensor(source, input, input, bias, d, "")
		return Tensor{}
	})
	assert.ErrorContains(t, err, "recurrent weights of shape [9 4] for 3 gates")
}
