package softgraph

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// network is a recurrent network: the operands that it has by their labels in selectors, what it
// returns, and how it runs.
type network struct {
	kind    string
	labels  []string
	inputs  []*tensor
	gates   int
	reverse bool
	both    bool // directions
	results []int
	run     func(b *tensorop.Builder, r tensorop.Recurrence, of func(label string) *tensorop.Operand,
		out []tensorop.Operand)
}

// add adds the network: its results have the shape time, batch, and a multiple of the units, which
// is their number times an element of results.
func (n network) add(g *graph, name string) ([]*tensor, error) {
	dirs := 1
	if n.both {
		dirs = 2
	}
	return g.add(n.kind, name, def{
		infer: func(in []spec) ([]spec, error) {
			source, weights := in[0].shape, in[1].shape
			if len(source) != 3 || len(weights) != dirs+1 {
				return nil,
					fmt.Errorf("source %v and recurrent weights %v; they must have 3 and %d dimensions",
						source, weights, dirs+1)
			}
			h := weights[dirs]
			if weights[dirs-1] != n.gates*h {
				return nil, fmt.Errorf("recurrent weights of shape %v for %d gates; they must be %d by %d", weights,
					n.gates, n.gates*h, h)
			}
			var out []spec
			for _, factor := range n.results {
				out = append(out, spec{in[0].typ, []int{source[0], source[1], dirs * factor * h}})
			}
			return out, nil
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			of := func(label string) *tensorop.Operand {
				for i, l := range n.labels {
					if l == label {
						return &in[i]
					}
				}
				return nil
			}
			n.run(b, tensorop.Recurrence{Source: in[0], Recurrent: in[1], InputWeight: of("inputWeight"),
				Bias: of("bias"), InitState: of("initState"), Mask: of("mask"), Reverse: n.reverse,
				Bidirectional: n.both}, of, out)
		},
	}, n.inputs...)
}

// optionalResult returns a result that was asked for, or nil.
func optionalResult(out []tensorop.Operand, i int, wanted bool) *tensorop.Operand {
	if !wanted {
		return nil
	}
	return &out[i]
}

// networkOf reads what all networks have.
func (a *args) networkOf(kind, selector string, gates int, r *adapter.Record) (network, string) {
	n := network{kind: kind, gates: gates, results: []int{1}, reverse: r.Bool("reverse"), both: r.Bool("bidirectional")}
	name := ""
	for i, label := range strings.Split(strings.TrimSuffix(selector, ":"), ":") {
		switch {
		case label == "descriptor":
		case label == "name":
			name = a.name(i)
		case i < 2 || a.c.ID(i) != 0:
			n.labels, n.inputs = append(n.labels, label), append(n.inputs, a.tensor(i))
		}
	}
	return n, name
}

// descriptorIndex returns where a selector has its descriptor.
func descriptorIndex(selector string) int {
	return strings.Count(selector[:strings.Index(selector, "descriptor:")], ":")
}

// recurrentMethods are the recurrent networks.
func recurrentMethods() adapter.Methods {
	m := adapter.Methods{}
	act := func(r *adapter.Record, name string) tensorop.RNNActivation {
		return tensorop.RNNActivation(r.Uint(name))
	}
	add := func(selector string, f func(a *args, r *adapter.Record) (network, string)) {
		m[selector] = manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			r := a.record(descriptorIndex(selector))
			n, name := f(a, r)
			return n.add(g, name)
		})
	}
	for _, rest := range []string{"initState:descriptor:name:", "inputWeight:bias:initState:descriptor:name:",
		"inputWeight:bias:initState:mask:descriptor:name:"} {
		selector := "singleGateRNNWithSourceTensor:recurrentWeight:" + rest
		add(selector, func(a *args, r *adapter.Record) (network, string) {
			n, name := a.networkOf("singleGateRNN", selector, 1, r)
			training := r.Bool("training")
			if training {
				n.results = []int{1, 1}
			}
			f := act(r, "activation")
			n.run = func(b *tensorop.Builder, c tensorop.Recurrence, _ func(string) *tensorop.Operand,
				out []tensorop.Operand) {
				b.RNN(out[0], optionalResult(out, 1, training), tensorop.RNN{Recurrence: c, Activation: f})
			}
			return n, name
		})
	}
	for _, rest := range []string{"initState:initCell:descriptor:name:",
		"inputWeight:bias:initState:initCell:descriptor:name:",
		"inputWeight:bias:initState:initCell:mask:peephole:descriptor:name:"} {
		selector := "LSTMWithSourceTensor:recurrentWeight:" + rest
		add(selector, func(a *args, r *adapter.Record) (network, string) {
			n, name := a.networkOf("LSTM", selector, 4, r)
			cell, training := r.Bool("produceCell"), r.Bool("training")
			if cell {
				n.results = append(n.results, 1)
			}
			if training {
				n.results = append(n.results, 4)
			}
			l := tensorop.LSTM{ForgetGateLast: r.Bool("forgetGateLast"), InputGate: act(r, "inputGateActivation"),
				ForgetGate: act(r, "forgetGateActivation"), CellGate: act(r, "cellGateActivation"),
				OutputGate: act(r, "outputGateActivation"), Activation: act(r, "activation")}
			n.run = func(b *tensorop.Builder, c tensorop.Recurrence, of func(string) *tensorop.Operand,
				out []tensorop.Operand) {
				l := l
				l.Recurrence, l.InitCell, l.Peephole = c, of("initCell"), of("peephole")
				b.LSTM(out[0], optionalResult(out, 1, cell), optionalResult(out, len(out)-1, training), l)
			}
			return n, name
		})
	}
	for _, rest := range []string{"inputWeight:bias:descriptor:name:", "inputWeight:bias:initState:descriptor:name:",
		"inputWeight:bias:initState:mask:secondaryBias:descriptor:name:"} {
		selector := "GRUWithSourceTensor:recurrentWeight:" + rest
		add(selector, func(a *args, r *adapter.Record) (network, string) {
			n, name := a.networkOf("GRU", selector, 3, r)
			training := r.Bool("training")
			if training {
				n.results = []int{1, 3}
			}
			u := tensorop.GRU{ResetGateFirst: r.Bool("resetGateFirst"), ResetAfter: r.Bool("resetAfter"),
				FlipZ: r.Bool("flipZ"), UpdateGate: act(r, "updateGateActivation"),
				ResetGate: act(r, "resetGateActivation"), OutputGate: act(r, "outputGateActivation")}
			n.run = func(b *tensorop.Builder, c tensorop.Recurrence, of func(string) *tensorop.Operand,
				out []tensorop.Operand) {
				u := u
				u.Recurrence, u.SecondaryBias = c, of("secondaryBias")
				b.GRU(out[0], optionalResult(out, 1, training), u)
			}
			return n, name
		})
	}
	return m
}
