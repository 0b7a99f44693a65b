package softgraph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// The gradients of a recurrent network are those of the same network, written step by step as
// operations of the graph. It computes the gates again, so what a training run kept of them is
// checked and not read.

// keep takes an operation's result. After an error it returns a scalar, never nil.
func (c *chain) keep(t *tensor, err error) *tensor {
	if err != nil && c.err == nil {
		c.err = err
	}
	if c.err != nil {
		return &tensor{spec: spec{tensorop.Float32, []int{}}, op: &operation{graph: c.g}}
	}
	return t
}

// part takes count elements of a dimension, from i*count.
func (c *chain) part(t *tensor, dim, i, count int) *tensor {
	if c.err != nil {
		return t
	}
	return c.keep(c.g.part(t, dim, i*count, count, ""))
}

func (c *chain) reshape(t *tensor, shape ...int) *tensor {
	if c.err != nil {
		return t
	}
	return c.keep(c.g.reshape(t, shape, ""))
}

// times multiplies two matrices, of which each may be transposed.
func (c *chain) times(x, y *tensor, turnX, turnY bool) *tensor {
	turn := func(t *tensor, do bool) *tensor {
		if !do || c.err != nil {
			return t
		}
		return c.keep(c.g.turn(t))
	}
	x, y = turn(x, turnX), turn(y, turnY)
	if c.err != nil {
		return x
	}
	return c.keep(c.g.matmul(x, y, ""))
}

func (c *chain) cast(t *tensor, typ tensorop.Type) *tensor {
	if c.err != nil || t == nil || t.typ == typ {
		return t
	}
	return c.keep(c.g.cast(t, typ, ""))
}

func (c *chain) zeros(shape ...int) *tensor {
	return c.keep(c.g.constant(0, spec{tensorop.Float32, shape}))
}

// activate applies an activation.
func (c *chain) activate(a tensorop.RNNActivation, t *tensor) *tensor {
	switch a {
	case tensorop.RNNReLU:
		return c.do("relu", t)
	case tensorop.RNNTanh:
		return c.do("tanh", t)
	case tensorop.RNNSigmoid:
		return c.do("sigmoid", t)
	case tensorop.RNNHardSigmoid:
		return c.do("max", c.do("min", c.linear(t, 0.2, 0.5), c.number(1, t)), c.number(0, t))
	}
	return t
}

// unrolled is one direction of a network, step by step. Its tensors are float32.
type unrolled struct {
	*chain
	units     int
	weights   *tensor // recurrent, [gates*units, units]
	mask      *tensor // nil: ones
	h, cell   *tensor // the state and the cell before the step, then after it
	peephole  *tensor // [4*units], or nil
	secondary *tensor // [units], or nil
}

// recur multiplies a state, times the mask, with the weights of some gates.
func (u *unrolled) recur(h *tensor, first, gates int) *tensor {
	if u.mask != nil {
		h = u.do("mul", h, u.mask)
	}
	rows := u.weights
	if u.err == nil {
		rows = u.keep(u.g.part(rows, 0, first*u.units, gates*u.units, ""))
	}
	return u.times(h, rows, false, true)
}

// gradientNetwork is a network whose gradients are wanted. step computes the state, and the cell,
// from the input of all gates.
type gradientNetwork struct {
	network
	kept map[string]int // results of a training run: factors of their last dimensions
	step func(u *unrolled, z *tensor)
}

func (n *gradientNetwork) input(label string) *tensor {
	if i := slices.Index(n.labels, label); i >= 0 {
		return n.inputs[i]
	}
	return nil
}

// check checks the shapes that the gradients rely on, and returns times, batch and units.
func (n *gradientNetwork) check() (t, b, h, dirs int, err error) {
	dirs = 1
	if n.both {
		dirs = 2
	}
	for i, in := range n.inputs {
		if !in.known() {
			return 0, 0, 0, 0, fmt.Errorf("%s: the software device needs a known shape of %s, not %v", n.kind, n.labels[i],
				in.spec)
		}
	}
	source, weights := n.inputs[0].shape, n.inputs[1].shape
	if len(source) != 3 || len(weights) != dirs+1 {
		return 0, 0, 0, 0, fmt.Errorf("%s: source %v and recurrent weights %v; they must have 3 and %d dimensions", n.kind,
			source, weights, dirs+1)
	}
	t, b, h = source[0], source[1], weights[dirs]
	wide, features := n.gates*h, dirs*n.gates*h
	if n.input("inputWeight") != nil {
		features = source[2]
	}
	want := map[string][]int{"SourceTensor": {t, b, features}, "recurrentWeight": {wide, h},
		"inputWeight": {dirs * wide, features}, "bias": {dirs * wide}, "initState": {b, dirs * h},
		"initCell": {b, dirs * h}, "sourceGradient": {t, b, dirs * h}, "stateGradient": {b, dirs * h},
		"cellGradient": {b, dirs * h}, "peephole": {wide}, "secondaryBias": {dirs * h}}
	if dirs == 2 {
		want["recurrentWeight"], want["peephole"] = []int{2, wide, h}, []int{2, wide}
	}
	for label, factor := range n.kept {
		want[label] = []int{t, b, dirs * factor * h}
	}
	for i, in := range n.inputs {
		if w := want[n.labels[i]]; w != nil && !slices.Equal(in.shape, w) {
			return 0, 0, 0, 0, fmt.Errorf("%s: the shape of %s is %v; it must be %v", n.kind, n.labels[i], in.shape, w)
		}
	}
	if t*b*h == 0 {
		return 0, 0, 0, 0, fmt.Errorf("%s: %d times, a batch of %d and %d units; want at least 1", n.kind, t, b, h)
	}
	return t, b, h, dirs, nil
}

// gradients adds the gradients of the inputs that the network has, in MPSGraph's order.
func (n *gradientNetwork) gradients(g *graph) ([]*tensor, error) {
	times, batch, h, dirs, err := n.check()
	if err != nil {
		return nil, err
	}
	wide := n.gates * h
	c := &chain{g: g}
	in := func(label string) *tensor { return c.cast(n.input(label), tensorop.Float32) }
	source, weights, mask := in("SourceTensor"), in("inputWeight"), in("mask")
	if mask != nil && c.err == nil {
		mask = c.keep(g.broadcast(mask, []int{batch, dirs * h}, ""))
	}
	flat := c.reshape(source, times*batch, source.shape[2])
	gates := flat
	if weights != nil {
		gates = c.times(flat, weights, false, true)
	}
	if bias := in("bias"); bias != nil {
		gates = c.do("add", gates, bias)
	}
	gates = c.reshape(gates, times, batch, dirs*wide)

	parts := map[string][]*tensor{} // of the gradients, one for each direction
	for d := range dirs {
		u := &unrolled{chain: c, units: h, weights: in("recurrentWeight")}
		if dirs == 2 {
			u.weights = c.part(u.weights, 0, d, 1)
		}
		u.weights = c.reshape(u.weights, wide, h)
		state := func(label string) *tensor {
			if t := in(label); t != nil {
				return c.reshape(c.part(t, 1, d, h), batch, h)
			}
			return c.zeros(batch, h)
		}
		u.h, u.cell = state("initState"), state("initCell")
		first := []*tensor{u.weights, u.h, u.cell}
		if mask != nil {
			u.mask = c.part(mask, 1, d, h)
		}
		if p := in("peephole"); p != nil {
			u.peephole = c.reshape(c.part(c.reshape(p, dirs, wide), 0, d, 1), wide)
			first = append(first, u.peephole)
		}
		if b := in("secondaryBias"); b != nil {
			u.secondary = c.reshape(c.part(b, 0, d, h), h)
			first = append(first, u.secondary)
		}
		mine := c.part(gates, 2, d, wide)
		dy := c.part(in("sourceGradient"), 2, d, h)
		inputs := make([]*tensor, times)
		var total *tensor
		sum := func(y, dy *tensor) {
			if total == nil {
				total = c.do("mul", y, dy)
			} else {
				total = c.do("add", total, c.do("mul", y, dy))
			}
		}
		for k := range times {
			at := k
			if d == 1 || n.reverse && dirs == 1 {
				at = times - 1 - k
			}
			inputs[at] = c.reshape(c.part(mine, 0, at, 1), batch, wide)
			if n.step(u, inputs[at]); c.err != nil {
				return nil, c.err
			}
			sum(u.h, c.reshape(c.part(dy, 0, at, 1), batch, h))
		}
		if t := in("stateGradient"); t != nil {
			sum(u.h, c.part(t, 1, d, h))
		}
		if t := in("cellGradient"); t != nil {
			sum(u.cell, c.part(t, 1, d, h))
		}
		if c.err != nil {
			return nil, c.err
		}
		all := append(slices.Clone(inputs), first...)
		got, err := g.partials(total, all)
		if err != nil {
			return nil, err
		}
		for i, t := range got {
			if t == nil { // without a state before the only time, for example
				got[i] = c.zeros(all[i].shape...)
			}
		}
		for i := range inputs {
			got[i] = c.reshape(got[i], 1, batch, wide)
		}
		if c.err != nil {
			return nil, c.err
		}
		parts["gates"] = append(parts["gates"], c.keep(g.concat(got[:times], 0, "")))
		rest := got[times:]
		parts["recurrentWeight"] = append(parts["recurrentWeight"], rest[0])
		parts["initState"], parts["initCell"] = append(parts["initState"], rest[1]), append(parts["initCell"], rest[2])
		for i, label := range n.extra() {
			parts[label] = append(parts[label], rest[3+i])
		}
	}
	join := func(label string, dim int) *tensor {
		list := parts[label]
		if c.err != nil || len(list) == 1 {
			return list[0]
		}
		return c.keep(g.concat(list, dim, ""))
	}
	dGates := c.reshape(join("gates", 2), times*batch, dirs*wide)
	var out []*tensor
	for _, label := range []string{"SourceTensor", "recurrentWeight", "inputWeight", "bias", "peephole", "initState",
		"initCell", "secondaryBias"} {
		like := n.input(label)
		if like == nil {
			continue
		}
		var t *tensor
		switch label {
		case "SourceTensor":
			if t = dGates; weights != nil {
				t = c.times(dGates, weights, false, false)
			}
		case "inputWeight":
			t = c.times(dGates, flat, true, false)
		case "bias":
			t = c.keep(g.reduce("sum", dGates, []int{0}, ""))
		case "initState", "initCell":
			t = join(label, 1)
		default:
			t = join(label, 0)
		}
		out = append(out, c.cast(c.reshape(t, like.shape...), like.typ))
	}
	return out, c.err
}

// extra lists the optional inputs of a step that have a gradient, in the order in which they were
// added.
func (n *gradientNetwork) extra() (out []string) {
	for _, label := range []string{"peephole", "secondaryBias"} {
		if n.input(label) != nil {
			out = append(out, label)
		}
	}
	return out
}

// stepRNN is a step of a network with one gate.
func stepRNN(f tensorop.RNNActivation) func(u *unrolled, z *tensor) {
	return func(u *unrolled, z *tensor) { u.h = u.activate(f, u.do("add", z, u.recur(u.h, 0, 1))) }
}

// stepLSTM is a step of an LSTM with the activations of its gates in their order.
func stepLSTM(acts [4]tensorop.RNNActivation, last bool, f tensorop.RNNActivation) func(u *unrolled, z *tensor) {
	forget, candidate := 1, 2
	if last {
		forget, candidate = 2, 1
	}
	return func(u *unrolled, z *tensor) {
		z = u.do("add", z, u.recur(u.h, 0, 4))
		var gates [4]*tensor
		for i, a := range acts {
			t := u.part(z, 1, i, u.units)
			if u.peephole != nil {
				t = u.do("add", t, u.do("mul", u.cell, u.part(u.peephole, 0, i, u.units)))
			}
			gates[i] = u.activate(a, t)
		}
		u.cell = u.do("add", u.do("mul", gates[forget], u.cell), u.do("mul", gates[0], gates[candidate]))
		u.h = u.do("mul", gates[3], u.activate(f, u.cell))
	}
}

// stepGRU is a step of a GRU.
func stepGRU(n tensorop.GRU) func(u *unrolled, z *tensor) {
	update, reset := 0, 1
	if n.ResetGateFirst {
		update, reset = 1, 0
	}
	return func(u *unrolled, x *tensor) {
		gate := func(i int, a tensorop.RNNActivation) *tensor {
			return u.activate(a, u.do("add", u.part(x, 1, i, u.units), u.recur(u.h, i, 1)))
		}
		z, r := gate(update, n.UpdateGate), gate(reset, n.ResetGate)
		var candidate *tensor
		if n.ResetAfter {
			candidate = u.recur(u.h, 2, 1)
			if u.secondary != nil {
				candidate = u.do("add", candidate, u.secondary)
			}
			candidate = u.do("mul", r, candidate)
		} else {
			candidate = u.recur(u.do("mul", u.h, r), 2, 1)
		}
		o := u.activate(n.OutputGate, u.do("add", u.part(x, 1, 2, u.units), candidate))
		if n.FlipZ {
			o, u.h = u.h, o
		}
		u.h = u.do("add", o, u.do("mul", z, u.do("sub", u.h, o)))
	}
}

// recurrentGradientMethods are the gradients of recurrent networks.
func recurrentGradientMethods() adapter.Methods {
	m := adapter.Methods{}
	act := func(r *adapter.Record, name string) tensorop.RNNActivation {
		return tensorop.RNNActivation(r.Uint(name))
	}
	add := func(kind, labels string, gates int, kept map[string]int, step func(*adapter.Record) func(*unrolled, *tensor)) {
		selector := kind + "GradientsWithSourceTensor:recurrentWeight:sourceGradient:zState:" + labels +
			"descriptor:name:"
		m[selector] = manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			r := a.record(descriptorIndex(selector))
			n, _ := a.networkOf(kind+"Gradients", selector, gates, r)
			for i, label := range n.labels {
				n.labels[i] = strings.TrimPrefix(label, kind+"GradientsWith")
			}
			for _, label := range []string{"sourceGradient", "zState", "cellOutputFwd", "outputFwd"} {
				if strings.Contains(selector, label+":") && !slices.Contains(n.labels, label) {
					return nil, fmt.Errorf("%s: %s is nil", n.kind, label)
				}
			}
			return (&gradientNetwork{n, kept, step(r)}).gradients(g)
		})
	}
	for _, labels := range []string{"initState:", "inputWeight:bias:initState:", "inputWeight:bias:initState:mask:",
		"stateGradient:inputWeight:bias:initState:mask:"} {
		add("singleGateRNN", labels, 1, map[string]int{"zState": 1},
			func(r *adapter.Record) func(*unrolled, *tensor) { return stepRNN(act(r, "activation")) })
	}
	for _, labels := range []string{"", "inputWeight:bias:initState:initCell:",
		"inputWeight:bias:initState:initCell:mask:",
		"stateGradient:cellGradient:inputWeight:bias:initState:initCell:mask:peephole:"} {
		add("LSTM", "cellOutputFwd:"+labels, 4, map[string]int{"zState": 4, "cellOutputFwd": 1},
			func(r *adapter.Record) func(*unrolled, *tensor) {
				acts := [4]tensorop.RNNActivation{act(r, "inputGateActivation"), act(r, "forgetGateActivation"),
					act(r, "cellGateActivation"), act(r, "outputGateActivation")}
				last := r.Bool("forgetGateLast")
				if last {
					acts[1], acts[2] = acts[2], acts[1]
				}
				return stepLSTM(acts, last, act(r, "activation"))
			})
	}
	for _, labels := range []string{"inputWeight:bias:", "inputWeight:bias:initState:",
		"stateGradient:inputWeight:bias:initState:mask:secondaryBias:"} {
		add("GRU", "outputFwd:"+labels, 3, map[string]int{"zState": 3, "outputFwd": 1},
			func(r *adapter.Record) func(*unrolled, *tensor) {
				return stepGRU(tensorop.GRU{ResetGateFirst: r.Bool("resetGateFirst"), ResetAfter: r.Bool("resetAfter"),
					FlipZ: r.Bool("flipZ"), UpdateGate: act(r, "updateGateActivation"),
					ResetGate: act(r, "resetGateActivation"), OutputGate: act(r, "outputGateActivation")})
			})
	}
	return m
}
