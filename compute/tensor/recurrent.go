package tensor

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// Recurrence is what recurrent networks have in common. There are T times, a batch of N, I inputs,
// H units and G gates: 1 in an [RNN], 4 in an [LSTM], 3 in a [GRU]. D is 2 for bidirectional
// networks and else 1: where a dimension is D times another, it has first all of the forward
// direction, then all of the backward one. All tensors have one floating-point type; nil ones but
// Weights may be left out. Numbers are computed in float32.
type Recurrence struct {
	InputWeights *Tensor // [D*G*H, I]; nil: x has D*G*H inputs, which are used as they are
	Weights      *Tensor // of the state: [G*H, H], or [2, G*H, H] for bidirectional networks
	Bias         *Tensor // [D*G*H]; nil: zeros
	State        *Tensor // before the first time: [N, D*H]; nil: zeros
	Reverse      bool    // begin with the last time; bidirectional networks ignore it
	// Bidirectional adds a second network that begins with the last time.
	Bidirectional bool
}

// RNNActivation is the activation of an [RNN].
type RNNActivation uint8

// The activations of a recurrent network.
const (
	RNNTanh RNNActivation = iota
	RNNReLU
)

// RNN describes a simple recurrent network: the state is activation(x W^T + state R^T + bias), with
// W for InputWeights and R for Weights.
type RNN struct {
	Recurrence
	Activation RNNActivation
}

// LSTM describes a long short-term memory. Its gates i, f, g, o, in this order, are x W^T + state
// R^T + bias, and Peephole times the cell if it is given, through a sigmoid, or tanh for g. Then
// the cell is f cell + i g and the state is o tanh(cell).
type LSTM struct {
	Recurrence
	Cell     *Tensor // before the first time: [N, D*H]; nil: zeros
	Peephole *Tensor // [4*H], or [2, 4*H] for bidirectional networks; nil: none
}

// GRU describes a gated recurrent unit. Its gates z and r, the first two in the order z, r, h, are
// sigmoid(x W^T + state R^T + bias). The candidate h is tanh(x W^T + (r state) R^T + bias), or with
// ResetAfter tanh(x W^T + bias + r (state R^T + StateBias)). The state becomes z state + (1-z) h.
type GRU struct {
	Recurrence
	ResetAfter bool
	StateBias  *Tensor // [D*H], for ResetAfter; nil: zeros
}

// recurrence is a network as the operation needs it.
type recurrence struct {
	op      string
	gates   int
	results int
	Recurrence
	more []*Tensor // further operands, which may be nil
	// build gets the further operands, nil for nil.
	build func(b *tensorop.Builder, out []tensorop.Operand, r tensorop.Recurrence, more []*tensorop.Operand)
}

// RNN computes a simple recurrent network on x, [T, N, I]. The result is the states at all times,
// [T, N, D*H]; the error wraps [ErrShape] if the shapes are not those of [Recurrence].
func (s *Scope) RNN(x *Tensor, r RNN) *Tensor {
	act := tensorop.RNNTanh
	switch r.Activation {
	case RNNTanh:
	case RNNReLU:
		act = tensorop.RNNReLU
	default:
		if f, ok := s.begin("rnn"); !ok {
			return f
		}
		return s.fail("rnn", nil, fmt.Errorf("activation %d; want RNNTanh or RNNReLU: %w", r.Activation, ErrType))
	}
	return s.recur(x, recurrence{op: "rnn", gates: 1, results: 1, Recurrence: r.Recurrence,
		build: func(b *tensorop.Builder, out []tensorop.Operand, r tensorop.Recurrence, _ []*tensorop.Operand) {
			b.RNN(out[0], nil, tensorop.RNN{Recurrence: r, Activation: act})
		}})[0]
}

// LSTM computes a long short-term memory on x, [T, N, I]. The results are the states and the cells
// at all times, both [T, N, D*H]; the error is as for [Scope.RNN].
func (s *Scope) LSTM(x *Tensor, l LSTM) (states, cells *Tensor) {
	made := s.recur(x, recurrence{op: "lstm", gates: 4, results: 2, Recurrence: l.Recurrence,
		more: []*Tensor{l.Cell, l.Peephole},
		build: func(b *tensorop.Builder, out []tensorop.Operand, r tensorop.Recurrence, more []*tensorop.Operand) {
			b.LSTM(out[0], &out[1], nil, tensorop.LSTM{Recurrence: r, InitCell: more[0], Peephole: more[1],
				InputGate: tensorop.RNNSigmoid, ForgetGate: tensorop.RNNSigmoid, CellGate: tensorop.RNNTanh,
				OutputGate: tensorop.RNNSigmoid, Activation: tensorop.RNNTanh})
		}})
	return made[0], made[1]
}

// GRU computes a gated recurrent unit on x, [T, N, I]. The result is the states at all times, [T,
// N, D*H]; the error is as for [Scope.RNN].
func (s *Scope) GRU(x *Tensor, g GRU) *Tensor {
	return s.recur(x, recurrence{op: "gru", gates: 3, results: 1, Recurrence: g.Recurrence,
		more: []*Tensor{g.StateBias},
		build: func(b *tensorop.Builder, out []tensorop.Operand, r tensorop.Recurrence, more []*tensorop.Operand) {
			b.GRU(out[0], nil, tensorop.GRU{Recurrence: r, SecondaryBias: more[0], ResetAfter: g.ResetAfter,
				UpdateGate: tensorop.RNNSigmoid, ResetGate: tensorop.RNNSigmoid, OutputGate: tensorop.RNNTanh})
		}})[0]
}

// recur enqueues a network. Its results are equal in shape, or failed.
func (s *Scope) recur(x *Tensor, r recurrence) []*Tensor {
	made := make([]*Tensor, r.results)
	all := func(f *Tensor) []*Tensor {
		for i := range made {
			made[i] = f
		}
		return made
	}
	in := []*Tensor{x, r.Weights}
	optional := append([]*Tensor{r.InputWeights, r.Bias, r.State}, r.more...)
	where := make([]int, len(optional)) // among the operands, 0 for nil
	for i, t := range optional {
		if t != nil {
			where[i] = len(in)
			in = append(in, t)
		}
	}
	if f, ok := s.floats(r.op, in...); !ok {
		return all(f)
	}
	dirs := 1
	if r.Bidirectional {
		dirs = 2
	}
	if x.Rank() != 3 || r.Weights.Rank() != dirs+1 {
		return all(s.fail(r.op, in, fmt.Errorf("x of shape %v and weights of shape %v; want 3 and %d dimensions: %w",
			x.view.Shape, r.Weights.view.Shape, dirs+1, ErrShape)))
	}
	n, hidden := x.Shape(), r.Weights.view.Shape[dirs]
	shape := []int{n[0], n[1], dirs * hidden}
	inputs := 0
	if r.InputWeights != nil {
		inputs = n[2]
	}
	flops := 2 * float64(n[0]) * float64(n[1]) * float64(dirs*r.gates*hidden) * float64(hidden+inputs)
	out := make([]shaped, r.results)
	for i := range out {
		out[i] = shaped{x.Type(), shape}
	}
	results, err := s.run(r.op, flops, out, in, func(b *tensorop.Builder, out, in []tensorop.Operand) {
		given := make([]*tensorop.Operand, len(where))
		for i, at := range where {
			if at > 0 {
				given[i] = &in[at]
			}
		}
		r.build(b, out, tensorop.Recurrence{Source: in[0], Recurrent: in[1], InputWeight: given[0], Bias: given[1],
			InitState: given[2], Reverse: r.Reverse, Bidirectional: r.Bidirectional}, given[3:])
	})
	if err != nil {
		return all(s.fail(r.op, in, err))
	}
	return results
}
