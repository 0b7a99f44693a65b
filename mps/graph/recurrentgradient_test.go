package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layer is a network with placeholders, whose forward pass is computed by its own kernels.
type layer struct {
	*rig
	names  []string
	inputs []Tensor
	values [][]float32
	shapes [][]int
}

func (l *layer) add(name string, shape ...int) Tensor {
	t := l.placeholder(shape...)
	l.names, l.inputs, l.shapes = append(l.names, name), append(l.inputs, t), append(l.shapes, shape)
	rng := rand.New(rand.NewPCG(uint64(len(l.names)), 7))
	v := make([]float32, product(shape))
	for i := range v {
		v[i] = float32(rng.NormFloat64()) / 2
	}
	l.values = append(l.values, v)
	return t
}

func (l *layer) feeds() map[Tensor]TensorData {
	out := map[Tensor]TensorData{}
	for i, t := range l.inputs {
		out[t] = l.data(l.values[i], l.shapes[i]...)
	}
	return out
}

// slopes compares gradients with central differences along random directions. loss is a scalar.
func (l *layer) slopes(loss Tensor, gradients map[string]Tensor) {
	l.t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	const step = 1.0 / 64
	for i, name := range l.names {
		g, ok := gradients[name]
		if !ok {
			continue
		}
		require.False(l.t, g.IsNil(), name)
		assert.Equal(l.t, l.shapes[i], g.Shape(), name)
		got := l.run(l.feeds(), g)
		for range 2 {
			first := l.values[i]
			direction := make([]float64, len(first))
			want := 0.0
			for k := range direction {
				direction[k] = rng.NormFloat64()
				want += direction[k] * float64(got[k])
			}
			at := func(h float64) float64 {
				l.values[i] = make([]float32, len(first))
				for k := range first {
					l.values[i][k] = first[k] + float32(h*direction[k])
				}
				return float64(l.run(l.feeds(), loss)[0])
			}
			// Four points: the error falls with the fourth power of the step.
			slope := (8*(at(step)-at(-step)) - (at(2*step) - at(-2*step))) / (12 * step)
			l.values[i] = first
			assert.InDelta(l.t, slope, want, 4e-3*math.Max(1, math.Abs(slope)), name)
			assert.NotZero(l.t, want, name)
		}
	}
}

// loss is the sum of the products of tensors with others.
func (l *layer) loss(pairs ...Tensor) Tensor {
	var sum Tensor
	for i := 0; i < len(pairs); i += 2 {
		p := l.graph.MultiplicationWithPrimaryTensor(pairs[i], pairs[i+1], "")
		p = l.graph.ReductionSumWithTensorAxis(l.graph.ReshapeTensor(p, []int{-1}, ""), 0, "")
		if i == 0 {
			sum = p
		} else {
			sum = l.graph.AdditionWithPrimaryTensor(sum, p, "")
		}
	}
	return l.graph.ReshapeTensor(sum, []int{1}, "")
}

// sizes of the networks: times, batch, features, units.
const rt, rn, ri, rh = 3, 2, 4, 3

// last is the state after the last step, [N, D*H], of a result for all times.
func (l *layer) last(y Tensor, dirs int, reverse bool) Tensor {
	at := func(t, d int) Tensor {
		return l.graph.SliceTensorStarts(y, []int{t, 0, d * rh}, []int{t + 1, rn, (d + 1) * rh}, []int{1, 1, 1}, "")
	}
	first := rt - 1
	if reverse && dirs == 1 {
		first = 0
	}
	out := at(first, 0)
	if dirs == 2 {
		out = l.graph.ConcatTensor(out, at(0, 1), 2, "")
	}
	return l.graph.ReshapeTensor(out, []int{rn, dirs * rh}, "")
}

func TestRecurrentGradients(t *testing.T) {
	for n, c := range []struct{ both, reverse, plain bool }{{}, {both: true}, {reverse: true}, {plain: true}} {
		dirs := 1
		if c.both {
			dirs = 2
		}
		recurrent := func(gates int) []int {
			if c.both {
				return []int{2, gates * rh, rh}
			}
			return []int{gates * rh, rh}
		}
		run := func(kind string, gates int, f func(t *testing.T, l *layer, source, weights, dy Tensor)) {
			t.Run(fmt.Sprint(kind, n), func(t *testing.T) {
				l := &layer{rig: newRig(t)}
				features := ri
				if c.plain {
					features = gates * rh
				}
				f(t, l, l.add("source", rt, rn, features), l.add("recurrent", recurrent(gates)...),
					l.add("dy", rt, rn, dirs*rh))
			})
		}
		run("RNN", 1, func(t *testing.T, l *layer, source, weights, dy Tensor) {
			d := got(MakeSingleGateRNNDescriptor())(t)
			d.SetActivation([]RNNActivation{RNNActivationTanh, RNNActivationSigmoid, RNNActivationHardSigmoid,
				RNNActivationTanh}[n])
			d.SetTraining(true)
			d.SetBidirectional(c.both)
			d.SetReverse(c.reverse)
			state := l.add("state", rn, dirs*rh)
			if c.plain {
				y := l.graph.SingleGateRNNWithSourceTensor(source, weights, state, d, "")
				require.Len(t, y, 2)
				g := l.graph.SingleGateRNNGradientsWithSourceTensor(source, weights, dy, y[1], state, d, "")
				require.Len(t, g, 3)
				l.slopes(l.loss(y[0], dy), map[string]Tensor{"source": g[0], "recurrent": g[1], "state": g[2]})
				return
			}
			input, bias, mask := l.add("input", dirs*rh, ri), l.add("bias", dirs*rh), l.add("mask", rn, dirs*rh)
			ds := l.add("ds", rn, dirs*rh)
			y := l.graph.SingleGateRNNWithSourceTensorInputWeightBias(source, weights, input, bias, state, mask, d, "")
			require.Len(t, y, 2)
			g := l.graph.SingleGateRNNGradientsWithSourceTensorStateGradient(source, weights, dy, y[1], ds, input, bias,
				state, mask, d, "")
			require.Len(t, g, 5)
			l.slopes(l.loss(y[0], dy, l.last(y[0], dirs, c.reverse), ds), map[string]Tensor{"source": g[0],
				"recurrent": g[1], "input": g[2], "bias": g[3], "state": g[4]})
		})
		run("LSTM", 4, func(t *testing.T, l *layer, source, weights, dy Tensor) {
			d := got(MakeLSTMDescriptor())(t)
			d.SetTraining(true)
			d.SetProduceCell(true)
			d.SetBidirectional(c.both)
			d.SetReverse(c.reverse)
			d.SetForgetGateLast(c.reverse)
			if c.plain {
				y := l.graph.LSTMWithSourceTensor(source, weights, Tensor{}, Tensor{}, d, "")
				require.Len(t, y, 3)
				g := l.graph.LSTMGradientsWithSourceTensor(source, weights, dy, y[2], y[1], d, "")
				require.Len(t, g, 2)
				l.slopes(l.loss(y[0], dy), map[string]Tensor{"source": g[0], "recurrent": g[1]})
				return
			}
			input, bias, mask := l.add("input", dirs*4*rh, ri), l.add("bias", dirs*4*rh), l.add("mask", rn, dirs*rh)
			state, cell := l.add("state", rn, dirs*rh), l.add("cell", rn, dirs*rh)
			shape := []int{4 * rh}
			if c.both {
				shape = []int{2, 4 * rh}
			}
			peephole := l.add("peephole", shape...)
			ds, dc := l.add("ds", rn, dirs*rh), l.add("dc", rn, dirs*rh)
			y := l.graph.LSTMWithSourceTensorInputWeightBias(source, weights, input, bias, state, cell, mask, peephole, d,
				"")
			require.Len(t, y, 3)
			g := l.graph.LSTMGradientsWithSourceTensorStateGradient(source, weights, dy, y[2], y[1], ds, dc, input, bias,
				state, cell, mask, peephole, d, "")
			require.Len(t, g, 7)
			l.slopes(l.loss(y[0], dy, l.last(y[0], dirs, c.reverse), ds, l.last(y[1], dirs, c.reverse), dc),
				map[string]Tensor{"source": g[0], "recurrent": g[1], "input": g[2], "bias": g[3], "peephole": g[4],
					"state": g[5], "cell": g[6]})
		})
		run("GRU", 3, func(t *testing.T, l *layer, source, weights, dy Tensor) {
			d := got(MakeGRUDescriptor())(t)
			d.SetTraining(true)
			d.SetBidirectional(c.both)
			d.SetReverse(c.reverse)
			d.SetResetAfter(n == 1 || n == 2)
			d.SetResetGateFirst(n == 2)
			d.SetFlipZ(n == 1)
			if c.plain {
				y := l.graph.GRUWithSourceTensor(source, weights, Tensor{}, Tensor{}, d, "")
				require.Len(t, y, 2)
				g := l.graph.GRUGradientsWithSourceTensor(source, weights, dy, y[1], y[0], Tensor{}, Tensor{}, d, "")
				require.Len(t, g, 2)
				l.slopes(l.loss(y[0], dy), map[string]Tensor{"source": g[0], "recurrent": g[1]})
				_, err := l.try(func() Tensor {
					l.graph.GRUGradientsWithSourceTensor(source, weights, dy, y[0], y[0], Tensor{}, Tensor{}, d, "")
					return Tensor{}
				})
				assert.ErrorContains(t, err, "GRUGradients: the shape of zState is [3 2 3]; it must be [3 2 9]")
				return
			}
			input, bias, mask := l.add("input", dirs*3*rh, ri), l.add("bias", dirs*3*rh), l.add("mask", rn, dirs*rh)
			state, second, ds := l.add("state", rn, dirs*rh), l.add("second", dirs*rh), l.add("ds", rn, dirs*rh)
			y := l.graph.GRUWithSourceTensorInitStateMask(source, weights, input, bias, state, mask, second, d, "")
			require.Len(t, y, 2)
			g := l.graph.GRUGradientsWithSourceTensorStateGradient(source, weights, dy, y[1], y[0], ds, input, bias, state,
				mask, second, d, "")
			require.Len(t, g, 6)
			want := map[string]Tensor{"source": g[0], "recurrent": g[1], "input": g[2], "bias": g[3], "state": g[4]}
			if n != 0 { // without ResetAfter it has no effect
				want["second"] = g[5]
			}
			l.slopes(l.loss(y[0], dy, l.last(y[0], dirs, c.reverse), ds), want)
		})
	}
}
