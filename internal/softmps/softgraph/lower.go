package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// compiled is a plan for given feeds, targets and operations.
type compiled struct {
	plan    *tensorop.Plan
	leaves  []*tensor // the plan's inputs: placeholders, constants, variables
	results []spec    // the plan's outputs, all dense
}

func (*compiled) release() {}

// lowering turns the operations that targets need into a plan.
type lowering struct {
	b     *tensorop.Builder
	uses  map[*tensor]int // how many operations and targets read a tensor
	value map[*tensor]*value
}

// value is a tensor during lowering: an operand, or instructions that are not launched yet because
// the operation that uses them can be a part of the same kernel.
type value struct {
	spec
	operand tensorop.Operand
	pending bool
	inputs  []tensorop.Operand
	code    []tensorop.Instr
	target  *tensorop.Operand // where the result is wanted
	number  *float32          // all elements, if they are a constant
}

// maxFused limits the inputs of a kernel: Metal has 31 buffers, of which the result and the
// arguments take two.
const maxFused = 24

// needed returns the operations that a request depends on, inputs first, and their leaves: feeds,
// constants and variables.
func needed(r *request) (order []*operation, leaves []*tensor) {
	seen := map[*operation]bool{}
	fed := map[*tensor]bool{}
	var stack []*operation
	push := func(op *operation) {
		if !seen[op] && !slices.Contains(r.done, op) && !(r.early && op.def.assigns != nil) {
			seen[op] = true
			stack = append(stack, op)
		}
	}
	read := func(t *tensor) {
		switch {
		case r.feeds[t] == nil:
			push(t.op)
		case !fed[t]:
			fed[t] = true
			leaves = append(leaves, t)
		}
	}
	for _, t := range r.targets {
		read(t)
	}
	for _, op := range r.ops {
		push(op)
	}
	for len(stack) > 0 {
		op := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		order = append(order, op)
		for _, t := range op.inputs {
			read(t)
		}
		for _, other := range slices.Concat(op.after, op.def.follow) {
			if other.region == op.region {
				push(other)
			}
		}
		if op.def.assigns != nil {
			push(op.def.assigns)
		}
	}
	slices.SortFunc(order, func(a, b *operation) int { return a.number - b.number })
	for _, op := range order {
		if op.def.leaf.is() {
			leaves = append(leaves, op.outputs[0])
		}
	}
	slices.SortFunc(leaves, compareTensors)
	return order, leaves
}

// compareTensors orders tensors as they were added.
func compareTensors(a, b *tensor) int {
	if a.op != b.op {
		return a.op.number - b.op.number
	}
	return a.index() - b.index()
}

// compile lowers what a request needs, which must not have control flow.
func compile(r *request) (*compiled, error) {
	order, leaves := needed(r)
	targets := r.targets
	specs := map[*tensor]spec{}
	var in []tensorop.View
	for _, t := range leaves {
		v := tensorop.View{}
		switch a := r.feeds[t]; {
		case a != nil:
			v = a.View
			if err := fits(t, v); err != nil {
				return nil, err
			}
		case t.op.region != r.region && t.op.def.leaf.placeholder:
			return nil, outside(t.op)
		case t.op.def.leaf.placeholder:
			return nil, fmt.Errorf("the placeholder %q is not among the feeds", t.op.name)
		default:
			v = tensorop.Dense(t.typ, t.shape...)
		}
		in = append(in, v)
		specs[t] = spec{v.Type, append([]int{}, v.Shape...)} // known, even if it is empty
	}
	l := &lowering{uses: map[*tensor]int{}, value: map[*tensor]*value{}}
	for _, op := range order {
		for _, t := range op.inputs {
			l.uses[t]++
		}
	}
	if err := r.infer(order, specs); err != nil {
		return nil, err
	}
	c := &compiled{leaves: leaves}
	var out []tensorop.View
	for _, t := range targets {
		l.uses[t]++
		c.results = append(c.results, specs[t])
		out = append(out, tensorop.Dense(specs[t].typ, specs[t].shape...))
	}
	b, inputs, outputs := tensorop.NewBuilder(in, out)
	l.b = b
	for i, t := range leaves {
		v := &value{spec: specs[t], operand: inputs[i]}
		if r.feeds[t] == nil {
			v.number = t.op.def.leaf.number()
		}
		l.value[t] = v
	}
	wanted := map[*tensor]*tensorop.Operand{}
	for i, t := range targets {
		if wanted[t] == nil && r.feeds[t] == nil && !t.op.def.leaf.is() {
			wanted[t] = &outputs[i]
		}
	}
	for _, op := range order {
		if op.def.leaf.is() {
			continue
		}
		if err := l.operation(op, specs, wanted); err != nil {
			return nil, fmt.Errorf("%s: %w", op.kind, err)
		}
	}
	for i, t := range targets {
		if o := l.operand(t); o.Buffer() != outputs[i].Buffer() {
			b.Copy(outputs[i], o)
		}
	}
	l.assign(order, len(leaves))
	var err error
	c.plan, err = b.Plan()
	return c, err
}

// infer adds the results of operations to specs, which has those of the leaves.
func (r *request) infer(order []*operation, specs map[*tensor]spec) error {
	for _, op := range order {
		if op.def.leaf.is() {
			continue
		}
		if op.region != r.region {
			return outside(op)
		}
		args := make([]spec, len(op.inputs))
		for i, t := range op.inputs {
			args[i] = specs[t]
		}
		out, err := op.def.results(args)
		if err != nil {
			return fmt.Errorf("%s: %w", op.kind, err)
		}
		for i, t := range op.outputs {
			specs[t] = out[i]
		}
	}
	return nil
}

// assign changes variables, after everything has read them.
func (l *lowering) assign(order []*operation, leaves int) {
	type change struct{ to, value tensorop.Operand }
	var changes []change
	for _, op := range order {
		v := op.def.assigns
		if v == nil {
			continue
		}
		from := l.operand(op.inputs[0])
		if from.Buffer() < leaves { // another variable, perhaps, which changes too
			temp := l.b.Temp(from.Type, from.Shape...)
			l.b.Copy(temp, from)
			from = temp
		}
		changes = append(changes, change{l.operand(v.outputs[0]), from})
	}
	for _, c := range changes {
		l.b.Copy(c.to, c.value)
	}
}

// outside is the error for a tensor of a block that is used outside of it.
func outside(op *operation) error {
	return fmt.Errorf("%s %q in a block of control flow is used outside of the block; let the block return it", op.kind,
		op.name)
}

// fits tells whether a feed has the type and the shape of its placeholder.
func fits(t *tensor, v tensorop.View) error {
	if !t.op.def.leaf.placeholder {
		return nil
	}
	if v.Type != t.typ {
		return fmt.Errorf("the feed of placeholder %q is %v and not %v", t.op.name, v.Type, t.typ)
	}
	if !t.fits(v) {
		return fmt.Errorf("the feed of placeholder %q has the shape %v and not %v", t.op.name, v.Shape, t.shape)
	}
	return nil
}

// fits tells whether a view has the type and the shape, as far as they are known.
func (s spec) fits(v tensorop.View) bool {
	ok := v.Type == s.typ && (s.shape == nil || len(s.shape) == len(v.Shape))
	for i := 0; ok && i < len(s.shape); i++ {
		ok = s.shape[i] < 0 || s.shape[i] == v.Shape[i]
	}
	return ok
}

// operation lowers one operation.
func (l *lowering) operation(op *operation, specs map[*tensor]spec, wanted map[*tensor]*tensorop.Operand) error {
	switch {
	case op.def.instr != nil:
		return l.mapped(op, specs, wanted[op.outputs[0]])
	case op.def.view != nil:
		t := op.outputs[0]
		in, number := l.operand(op.inputs[0]), l.value[op.inputs[0]].number
		v, ok := op.def.view(in, specs[t])
		if !ok {
			dense := l.b.Temp(in.Type, in.Shape...)
			l.b.Copy(dense, in)
			in = dense
			if v, ok = op.def.view(in, specs[t]); !ok {
				return fmt.Errorf("shape %v cannot be seen as %v", in.Shape, specs[t].shape)
			}
		}
		if specs[t].typ != in.Type {
			number = nil
		}
		l.value[t] = &value{spec: specs[t], operand: in.With(v), number: number}
		return nil
	case op.def.kernels != nil:
		var in, out []tensorop.Operand
		for _, t := range op.inputs {
			in = append(in, l.operand(t))
		}
		for _, t := range op.outputs {
			o := wanted[t]
			if o == nil {
				temp := l.b.Temp(specs[t].typ, specs[t].shape...)
				o = &temp
			}
			out = append(out, *o)
			l.value[t] = &value{spec: specs[t], operand: *o}
		}
		op.def.kernels(l.b, in, out)
		return nil
	}
	return nil // an assignment, which comes last
}

// mapped lowers a map: it joins the instructions of inputs that nothing else reads.
func (l *lowering) mapped(op *operation, specs map[*tensor]spec, target *tensorop.Operand) error {
	t := op.outputs[0]
	v := &value{spec: specs[t], pending: true, target: target}
	size := len(op.inputs)
	args := make([]int,
		len(op.inputs)) // of the instruction; results of others are below zero until all inputs are known
	for i, in := range op.inputs {
		have := l.value[in]
		if have.number != nil {
			size--
			args[i] = -1 - len(v.code)
			v.code = append(v.code, tensorop.Instr{Op: "fill", Type: have.typ, Scalars: []float32{*have.number},
				Fixed: true})
			continue
		}
		join := have.pending && size-1+len(have.inputs) <= maxFused && slices.Equal(have.shape, v.shape)
		if !join {
			args[i] = v.input(l.operand(in))
			continue
		}
		size += len(have.inputs) - 1
		args[i] = -1 - v.join(have)
	}
	instr := *op.def.instr
	instr.Type = v.typ
	for _, a := range args {
		if a < 0 {
			a = len(v.inputs) + (-1 - a)
		}
		instr.Args = append(instr.Args, a)
	}
	// Arguments of earlier instructions count from their own inputs; see join.
	v.code = append(v.code, instr)
	v.renumber(len(v.code) - 1)
	l.value[t] = v
	if l.uses[t] != 1 || target != nil {
		l.operand(t)
	}
	return nil
}

// input adds an input once and returns its number.
func (v *value) input(o tensorop.Operand) int {
	for i, have := range v.inputs {
		if have.Same(o) {
			return i
		}
	}
	v.inputs = append(v.inputs, o)
	return len(v.inputs) - 1
}

// join appends another value's instructions and returns the number of their last one. In code that
// is not complete, arguments that are results of instructions are ^number.
func (v *value) join(from *value) int {
	base := len(v.code)
	for _, in := range from.code {
		next := in
		next.Args = nil
		for _, a := range in.Args {
			if a < len(from.inputs) {
				a = v.input(from.inputs[a])
			} else {
				a = ^(a - len(from.inputs) + base)
			}
			next.Args = append(next.Args, a)
		}
		v.code = append(v.code, next)
	}
	return len(v.code) - 1
}

// renumber makes the first n instructions' arguments count from all inputs.
func (v *value) renumber(n int) {
	for i := range v.code[:n] {
		args := slices.Clone(v.code[i].Args)
		for k, a := range args {
			if a < 0 {
				args[k] = len(v.inputs) + ^a
			}
		}
		v.code[i].Args = args
	}
}

// operand returns a tensor's operand; pending instructions are launched.
func (l *lowering) operand(t *tensor) tensorop.Operand {
	v := l.value[t]
	if !v.pending {
		return v.operand
	}
	v.pending = false
	if v.target != nil {
		v.operand = *v.target
	} else {
		v.operand = l.b.Temp(v.typ, v.shape...)
	}
	l.b.Map(v.operand, v.inputs, v.code...)
	return v.operand
}
