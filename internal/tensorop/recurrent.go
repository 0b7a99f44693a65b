package tensorop

import (
	"fmt"
	"slices"
)

// RNNActivation is an activation of a recurrent network.
type RNNActivation uint8

// The activations. RNNHardSigmoid is 0.2*x + 0.5, limited to 0 and 1.
const (
	RNNNone RNNActivation = iota
	RNNReLU
	RNNTanh
	RNNSigmoid
	RNNHardSigmoid
)

func (a RNNActivation) write(v string) string {
	switch a {
	case RNNReLU:
		return "max(" + v + ", 0.0f)"
	case RNNTanh:
		return "precise::tanh(" + v + ")"
	case RNNSigmoid:
		return "(1.0f / (1.0f + precise::exp(-(" + v + "))))"
	case RNNHardSigmoid:
		return "clamp(fma(" + v + ", 0.2f, 0.5f), 0.0f, 1.0f)"
	}
	return v
}

// Recurrence is what the recurrent networks have in common. There are T times, a batch of N, I
// inputs, H units and G gates: 1, 3 for a GRU, 4 for an LSTM. D is 2 if Bidirectional is set and
// else 1. Two directions lie one after the other in a last dimension that has a factor D: all gates
// of the first one, then all of the second one. Optional operands may be nil.
type Recurrence struct {
	Source      Operand  // [T, N, I], or [T, N, D*G*H] without InputWeight
	Recurrent   Operand  // [G*H, H], or [2, G*H, H]
	InputWeight *Operand // [D*G*H, I]; nil: the source is used as it is
	Bias        *Operand // [D*G*H]; nil: zeros
	InitState   *Operand // [N, D*H]; nil: zeros
	Mask        *Operand // broadcast to [N, D*H]: factors of the state before the recurrent weights; nil: ones
	// Reverse begins with the last time. Bidirectional runs in both directions and ignores Reverse.
	Reverse, Bidirectional bool
}

// RNN describes a network of a single gate: z = x W^T + (h m) R^T + b, and h = activation(z).
type RNN struct {
	Recurrence
	Activation RNNActivation
}

// LSTM describes a long short-term memory. Its gates are [i, f, z, o] = f(x W^T + (h m) R^T + b + p
// c), each with its activation; then c = f c + i z and h = o activation(c).
type LSTM struct {
	Recurrence
	InitCell *Operand // [N, D*H]; nil: zeros
	Peephole *Operand // p: [4*H], or [2, 4*H]; nil: zeros
	// ForgetGateLast makes the order of the gates [i, z, f, o].
	ForgetGateLast                              bool
	InputGate, ForgetGate, CellGate, OutputGate RNNActivation
	Activation                                  RNNActivation
}

// GRU describes a gated recurrent unit. Its gates are [z, r, o]: z and r are f(x W^T + (h m) R^T +
// b), o is f(x W^T + b + (h r m) R^T), and then h = z h + (1-z) o.
type GRU struct {
	Recurrence
	// SecondaryBias is b2: [D*H]; nil: zeros.
	SecondaryBias *Operand
	// ResetGateFirst makes the order of the gates [r, z, o]; ResetAfter makes the term of o with the
	// state r ((h m) R^T + b2); FlipZ makes the result h = (1-z) h + z o.
	ResetGateFirst, ResetAfter, FlipZ bool
	UpdateGate, ResetGate, OutputGate RNNActivation
}

// direction is one direction of a network. Operands have float32 elements, but for those that are
// results, and their last dimension is that of the direction.
type direction struct {
	*Builder
	n, h, gates   int
	source        Operand  // [T, N, G*H], with the input weights applied
	weights       Operand  // [H, G*H]
	bias, mask    *Operand // [G*H] and [N, H]
	previous      *Operand // the state before, [N, H]
	cell          *Operand // the cell before
	product       Operand  // a temporary [N, G*H]
	masked        Operand  // a temporary [N, H]
	gated         Operand  // a temporary [N, G*H]
	states, cells [2]Operand
	time, number  int
	which         int // 0, and 1 for the second direction
}

// recur checks the operands of a network and runs step for each time of each direction. results are
// the state and other results with the factors of their last dimensions; nil ones are skipped.
func (b *Builder) recur(op string, gates int, r Recurrence, cell *Operand, results []*Operand, factors []int,
	step func(d *direction, results []*Operand)) {
	if b.err != nil {
		return
	}
	dirs := 1
	if r.Bidirectional {
		dirs = 2
	}
	if r.Source.Rank() != 3 || r.Recurrent.Rank() != dirs+1 {
		b.Fail(fmt.Errorf("%s: source %v and recurrent weights %v; they must have 3 and %d dimensions", op,
			r.Source.Shape, r.Recurrent.Shape, dirs+1))
		return
	}
	t, n, h := r.Source.Shape[0], r.Source.Shape[1], r.Recurrent.Shape[dirs]
	wide := gates * h
	var err error
	check := func(o *Operand, name string, shape ...int) {
		if o == nil || err != nil {
			return
		}
		if err = checkShape(op, name, o.Shape, shape); err == nil {
			err = checkFloats(op, *o)
		}
	}
	weights := []int{wide, h}
	if dirs == 2 {
		weights = []int{2, wide, h}
	}
	if check(&r.Recurrent, "recurrent weights", weights...); r.InputWeight == nil {
		check(&r.Source, "source", t, n, dirs*wide)
	} else {
		check(&r.Source, "source", t, n, r.Source.Shape[2])
		check(r.InputWeight, "input weights", dirs*wide, r.Source.Shape[2])
	}
	check(r.Bias, "bias", dirs*wide)
	check(r.InitState, "initial state", n, dirs*h)
	check(cell, "initial cell", n, dirs*h)
	for i, o := range results {
		check(o, "result", t, n, dirs*factors[i]*h)
	}
	if r.Mask != nil && err == nil {
		v, e := r.Mask.Broadcast(n, dirs*h)
		if err = e; err == nil {
			mask := r.Mask.With(v)
			r.Mask = &mask
			err = checkFloats(op, mask)
		}
	}
	if err != nil {
		b.Fail(err)
		return
	}
	if t*n*h == 0 {
		return
	}
	source := *b.wide(&r.Source)
	if r.InputWeight != nil {
		product := b.Temp(Float32, t, n, dirs*wide)
		in := b.wide(r.InputWeight)
		b.MatMul(product, source, in.With(in.Transpose(1, 0)), 1, 0)
		source = product
	}
	recurrent := *b.wide(&r.Recurrent)
	bias, mask, state := b.wide(r.Bias), b.wide(r.Mask), b.wide(r.InitState)
	cell = b.wide(cell)
	for which := range dirs {
		d := &direction{Builder: b, n: n, h: h, gates: gates, source: *part(&source, which, wide), weights: recurrent,
			bias: part(bias, which, wide), mask: part(mask, which, h), previous: part(state, which, h),
			cell: part(cell, which, h), which: which}
		if dirs == 2 {
			d.weights = recurrent.at(which)
		}
		d.weights = d.weights.With(d.weights.Transpose(1, 0))
		d.product, d.masked = b.Temp(Float32, n, wide), b.Temp(Float32, n, h)
		d.gated = b.Temp(Float32, n, wide)
		for i := range 2 {
			d.states[i], d.cells[i] = b.Temp(Float32, n, h), b.Temp(Float32, n, h)
		}
		for k := range t {
			d.number, d.time = k, k
			if which == 1 || r.Reverse && dirs == 1 {
				d.time = t - 1 - k
			}
			now := make([]*Operand, len(results))
			for i, o := range results {
				if o != nil {
					v := part(o, which, factors[i]*h).at(d.time)
					now[i] = &v
				}
			}
			step(d, now)
			d.previous, d.cell = &d.states[k%2], &d.cells[k%2]
		}
	}
}

// wide returns an operand as float32, nil for nil.
func (b *Builder) wide(o *Operand) *Operand {
	if o == nil || o.Type == Float32 {
		return o
	}
	out := b.Temp(Float32, o.Shape...)
	b.Copy(out, *o)
	return &out
}

// at returns an element of the first dimension.
func (o Operand) at(i int) Operand {
	v := o.View
	v.Offset += i * v.Strides[0]
	v.Shape, v.Strides = v.Shape[1:], v.Strides[1:]
	return o.With(v)
}

// part returns a part of the last dimension: elements i*count to (i+1)*count.
func part(o *Operand, i, count int) *Operand {
	if o == nil {
		return nil
	}
	v := o.View
	last := len(v.Shape) - 1
	v.Offset += i * count * v.Strides[last]
	v.Shape = append(slices.Clone(v.Shape[:last]), count)
	out := o.With(v)
	return &out
}

// multiply writes the product of a state, times the mask, with the weights of gates from first, and
// returns it; nil without a state.
func (d *direction) multiply(state *Operand, first, gates int) *Operand {
	if state == nil {
		return nil
	}
	if d.mask != nil {
		d.Apply("mul", d.masked, *state, *d.mask)
		state = &d.masked
	}
	from := func(o Operand) Operand {
		v := o.View
		v.Offset += first * d.h * v.Strides[1]
		v.Shape = []int{v.Shape[0], gates * d.h}
		return o.With(v)
	}
	out := from(d.product)
	d.MatMul(out, *state, from(d.weights), 1, 0)
	return &out
}

// cellKernel is a kernel with a thread for each unit of each element of the batch.
type cellKernel struct {
	*writer
	i     []string
	where map[*Operand]int
	h     string
}

// kernel begins a kernel; nil operands are left out.
func (d *direction) kernel(results, inputs []*Operand) cellKernel {
	k := cellKernel{where: map[*Operand]int{}}
	var operands []Operand
	outputs := 0
	for n, list := range [][]*Operand{results, inputs} {
		for _, o := range list {
			if o != nil {
				k.where[o] = len(operands)
				operands = append(operands, *o)
			}
		}
		if n == 0 {
			outputs = len(operands)
		}
	}
	k.writer = newWriter(outputs, operands...)
	k.i = k.threads("i", []int{d.n, d.h})
	k.h = k.int(d.h)
	return k
}

// get returns an element of the thread's unit, of a gate if the operand has them, and 0 for nil.
func (k cellKernel) get(o *Operand, gate int) string {
	if o == nil {
		return "0.0f"
	}
	unit := fmt.Sprintf("%d * %s + %s", gate, k.h, k.i[1])
	if o.Rank() == 1 {
		return k.load(k.where[o], unit)
	}
	return k.load(k.where[o], k.i[0], unit)
}

// put stores an element; it does nothing for nil.
func (k cellKernel) put(o *Operand, gate int, value string) {
	if o != nil {
		k.line("%s", k.store(k.where[o], value, k.i[0], fmt.Sprintf("%d * %s + %s", gate, k.h, k.i[1])))
	}
}

// RNN writes the states of a network at all times to state, [T, N, D*H], and if training is not nil
// z to it, which has the same shape. 16-bit numbers are computed as float32.
func (b *Builder) RNN(state Operand, training *Operand, r RNN) {
	b.recur("rnn", 1, r.Recurrence, nil, []*Operand{&state, training}, []int{1, 1},
		func(d *direction, results []*Operand) {
			x, h := d.source.at(d.time), &d.states[d.number%2]
			product := d.multiply(d.previous, 0, 1)
			k := d.kernel([]*Operand{h, results[0], results[1]}, []*Operand{&x, product, d.bias})
			k.line("float z = %s + %s + %s;", k.get(&x, 0), k.get(product, 0), k.get(d.bias, 0))
			k.put(results[1], 0, "z")
			k.line("z = %s;", r.Activation.write("z"))
			k.put(h, 0, "z")
			k.put(results[0], 0, "z")
			k.launch(b, "rnn")
		})
}

// LSTM writes the states at all times to state, and if they are not nil the cells to cell, both
// [T, N, D*H], and the gates to training, [T, N, D*4*H]. 16-bit numbers are computed as float32.
func (b *Builder) LSTM(state Operand, cell, training *Operand, l LSTM) {
	acts := []RNNActivation{l.InputGate, l.ForgetGate, l.CellGate, l.OutputGate}
	forget, candidate := 1, 2
	if l.ForgetGateLast {
		forget, candidate = 2, 1
		acts[1], acts[2] = acts[2], acts[1]
	}
	var peephole [2]*Operand
	if p := l.Peephole; p != nil && b.err == nil {
		want := []int{l.Recurrent.Shape[max(l.Recurrent.Rank()-2, 0)]}
		if l.Bidirectional {
			want = append([]int{2}, want...)
		}
		if err := checkShape("lstm", "peephole", p.Shape, want); err != nil {
			b.Fail(err)
			return
		}
		if err := checkFloats("lstm", *p); err != nil {
			b.Fail(err)
			return
		}
		peephole[0] = p
		if l.Bidirectional {
			first, second := p.at(0), p.at(1)
			peephole = [2]*Operand{&first, &second}
		}
	}
	b.recur("lstm", 4, l.Recurrence, l.InitCell, []*Operand{&state, cell, training}, []int{1, 1, 4},
		func(d *direction, results []*Operand) {
			x, h, c, p := d.source.at(d.time), &d.states[d.number%2], &d.cells[d.number%2], peephole[d.which]
			if d.cell == nil {
				p = nil
			}
			product := d.multiply(d.previous, 0, 4)
			k := d.kernel([]*Operand{h, c, results[0], results[1], results[2]},
				[]*Operand{&x, product, d.bias, d.cell, p})
			k.line("float c = %s;", k.get(d.cell, 0))
			for g, act := range acts {
				k.line("float g%d = %s + %s + %s + %s * c;", g, k.get(&x, g), k.get(product, g), k.get(d.bias, g),
					k.get(p, g))
				k.line("g%d = %s;", g, act.write(fmt.Sprintf("g%d", g)))
				k.put(results[2], g, fmt.Sprintf("g%d", g))
			}
			k.line("c = g%d * c + g0 * g%d;", forget, candidate)
			k.line("float h = g3 * %s;", l.Activation.write("c"))
			k.put(h, 0, "h")
			k.put(c, 0, "c")
			k.put(results[0], 0, "h")
			k.put(results[1], 0, "c")
			k.launch(b, "lstm")
		})
}

// GRU writes the states at all times to state, [T, N, D*H], and if it is not nil the gates to
// training, [T, N, D*3*H]. 16-bit numbers are computed as float32.
func (b *Builder) GRU(state Operand, training *Operand, g GRU) {
	acts, update, reset := []RNNActivation{g.UpdateGate, g.ResetGate}, 0, 1
	if g.ResetGateFirst {
		acts[0], acts[1] = acts[1], acts[0]
		update, reset = 1, 0
	}
	second := b.secondaryBias(g)
	b.recur("gru", 3, g.Recurrence, nil, []*Operand{&state, training}, []int{1, 3},
		func(d *direction, results []*Operand) {
			x, h := d.source.at(d.time), &d.states[d.number%2]
			gates, states := part(&d.gated, 0, 2*d.h), &d.cells[0]
			all := 2
			if g.ResetAfter {
				all = 3
			}
			product := d.multiply(d.previous, 0, all)
			k := d.kernel([]*Operand{gates, states}, []*Operand{&x, product, d.bias, d.previous})
			for n, act := range acts {
				k.line("float g%d = %s + %s + %s;", n, k.get(&x, n), k.get(product, n), k.get(d.bias, n))
				k.line("g%d = %s;", n, act.write(fmt.Sprintf("g%d", n)))
				k.put(gates, n, fmt.Sprintf("g%d", n))
			}
			k.put(states, 0, fmt.Sprintf("g%d * %s", reset, k.get(d.previous, 0)))
			k.launch(b, "gru_gates")

			gate := 2 // of the product
			if !g.ResetAfter && d.previous != nil {
				product, gate = d.multiply(states, 2, 1), 0
			}
			b2 := part(second, d.which, d.h)
			k = d.kernel([]*Operand{h, results[0], results[1]},
				[]*Operand{&x, product, d.bias, d.previous, gates, b2})
			k.line("float h = %s, z = %s, r = %s, c = %s;", k.get(d.previous, 0), k.get(gates, update),
				k.get(gates, reset), k.get(product, gate))
			if g.ResetAfter {
				k.line("c = r * (c + %s);", k.get(b2, 0))
			}
			k.line("float o = %s + %s + c;", k.get(&x, 2), k.get(d.bias, 2))
			k.line("o = %s;", g.OutputGate.write("o"))
			if g.FlipZ {
				k.line("h = (1.0f - z) * h + z * o;")
			} else {
				k.line("h = z * h + (1.0f - z) * o;")
			}
			k.put(h, 0, "h")
			k.put(results[0], 0, "h")
			k.put(results[1], update, "z")
			k.put(results[1], reset, "r")
			k.put(results[1], 2, "o")
			k.launch(b, "gru")
		})
}

// secondaryBias returns the checked secondary bias, nil if it has no effect.
func (b *Builder) secondaryBias(g GRU) *Operand {
	o := g.SecondaryBias
	if o == nil || !g.ResetAfter || b.err != nil || g.Recurrent.Rank() == 0 {
		return nil
	}
	n := g.Recurrent.Shape[g.Recurrent.Rank()-1]
	if g.Bidirectional {
		n *= 2
	}
	err := checkShape("gru", "secondary bias", o.Shape, []int{n})
	if err == nil {
		err = checkFloats("gru", *o)
	}
	if err != nil {
		b.Fail(err)
	}
	return o
}
