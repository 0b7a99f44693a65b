package softgraph

import (
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// graph is the payload of an MPSGraph: operations in the order in which they were added. It owns
// the objects of its tensors and operations.
type graph struct {
	rt      *objcsoft.Runtime
	id      objcsoft.ID
	options uint64

	mu           sync.Mutex
	placeholders []*tensor
	owned        []objcsoft.ID
	plans        map[string]*compiled
	order        []string // of the plans' keys, the least recently used first
	ops          []*operation
	last         *operation
	open         *region // where operations are added
	controls     bool    // there is control flow
}

// spec is what is known of a tensor before it is computed. Shape is nil if even the number of
// dimensions is unknown, and has -1 for an unknown dimension.
type spec struct {
	typ   tensorop.Type
	shape []int
}

func (s spec) String() string { return fmt.Sprintf("%v%v", s.typ, s.shape) }

// known tells whether all dimensions are known.
func (s spec) known() bool { return s.shape != nil && !slices.Contains(s.shape, -1) }

// tensor is the payload of an MPSGraphTensor.
type tensor struct {
	spec
	id objcsoft.ID
	op *operation
}

// index is the tensor's number among the results of its operation.
func (t *tensor) index() int { return slices.Index(t.op.outputs, t) }

// operation is the payload of an MPSGraphOperation. It is one of five kinds: a leaf, whose value
// comes from outside; a map, which computes each element from those of its inputs; a view, which
// needs no kernel; kernels; or control flow.
type operation struct {
	graph   *graph
	id      objcsoft.ID
	kind    string // for errors
	name    string
	number  int // in the graph: inputs have lower ones
	inputs  []*tensor
	outputs []*tensor
	after   []*operation // control dependencies
	region  *region
	def     def
}

// effect reports whether the operation changes variables.
func (op *operation) effect() bool { return op.def.assigns != nil || op.def.effects }

// def says what an operation computes.
type def struct {
	// infer returns the results for inputs whose shapes are known. It does not modify its argument.
	infer func(in []spec) ([]spec, error)

	leaf    leaf            // a leaf
	instr   *tensorop.Instr // a map: its Op and Scalars
	view    viewFunc        // a view
	kernels kernelFunc      // kernels
	control controlFunc     // control flow
	effects bool            // control flow that changes variables
	assigns *operation      // a copy of its input to a variable at the end of a run
	follow  []*operation    // run whenever this operation does
	grad    gradientFunc    // nil if the operation has no gradient
}

// viewFunc returns the result as a view of the first input, or false if that is possible only for a
// dense input. out is the result's shape.
type viewFunc func(in tensorop.Operand, out spec) (tensorop.View, bool)

// kernelFunc adds launches that compute the results from the inputs.
type kernelFunc func(b *tensorop.Builder, in, out []tensorop.Operand)

// gradientFunc returns the gradient of each input, nil for none, from those of the results, which
// are nil where nothing depends on them.
type gradientFunc func(g *graph, op *operation, dy []*tensor) ([]*tensor, error)

// add adds an operation and returns its results.
func (g *graph) add(kind, name string, d def, inputs ...*tensor) ([]*tensor, error) {
	in := make([]spec, len(inputs))
	for i, t := range inputs {
		if t == nil {
			return nil, fmt.Errorf("%s: input %d is nil", kind, i)
		}
		if t.op.graph != g {
			return nil, fmt.Errorf("%s: input %d is of another graph", kind, i)
		}
		in[i] = t.spec
	}
	out, err := d.results(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	op := &operation{graph: g, kind: kind, name: name, number: len(g.ops), inputs: inputs, def: d,
		region: g.open}
	g.ops = append(g.ops, op)
	g.last = op
	class := "MPSGraphOperation"
	if d.leaf.variable != nil {
		class = "MPSGraphVariableOp"
	}
	op.id = g.rt.NewObject(g.rt.Class(class), op)
	g.owned = append(g.owned, op.id)
	for _, s := range out {
		t := &tensor{spec: s, op: op}
		t.id = g.rt.NewObject(g.rt.Class("MPSGraphTensor"), t)
		g.owned = append(g.owned, t.id)
		op.outputs = append(op.outputs, t)
	}
	return op.outputs, nil
}

// add1 adds an operation with one result.
func (g *graph) add1(kind, name string, d def, inputs ...*tensor) (*tensor, error) {
	out, err := g.add(kind, name, d, inputs...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// results returns what is known of the results from what is known of the inputs.
func (d def) results(in []spec) ([]spec, error) {
	if slices.ContainsFunc(in, func(s spec) bool { return !s.known() }) {
		return inferUnknown(d, in)
	}
	return d.infer(in)
}

// guess replaces unknown dimensions by a number.
func guess(in []spec, n int) []spec {
	out := slices.Clone(in)
	for i, s := range in {
		out[i].shape = slices.Clone(s.shape)
		for d := range s.shape {
			if s.shape[d] < 0 {
				out[i].shape[d] = n
			}
		}
	}
	return out
}

// inferUnknown returns what is known of the results if dimensions of the inputs are not. With the
// unknown ones replaced by one number and by another, those dimensions of the results that differ
// are unknown. The numbers have many divisors, for operations that split or join dimensions.
func inferUnknown(d def, in []spec) ([]spec, error) {
	ranked := !slices.ContainsFunc(in, func(s spec) bool { return s.shape == nil })
	first, err := d.infer(guess(in, 5040))
	second, err2 := d.infer(guess(in, 55440))
	if ranked && err == nil && err2 == nil {
		for i, s := range first {
			shape := slices.Clone(s.shape)
			for k := range shape {
				if shape[k] != second[i].shape[k] {
					shape[k] = -1
				}
			}
			first[i].shape = shape
		}
		return first, nil
	}
	// An unknown dimension may have to equal a known one: 1 fits everywhere.
	out, err := d.infer(guess(in, 1))
	if err != nil {
		return nil, err
	}
	out = slices.Clone(out)
	for i := range out {
		out[i].shape = nil
		if ranked && d.instr != nil {
			out[i].shape = []int{}
			for _, s := range in {
				out[i].shape = joinUnknown(out[i].shape, s.shape)
			}
		}
	}
	return out, nil
}

// joinUnknown broadcasts two shapes with unknown dimensions.
func joinUnknown(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, n := range b {
		k := len(a) - len(b) + i
		switch {
		case out[k] == 1 || out[k] < 0 && n > 1:
			out[k] = n
		case n < 0 && out[k] == 1:
			out[k] = -1
		}
	}
	return out
}

// free drops the objects that the graph owns.
func (g *graph) free(o *objcsoft.Object) {
	for _, p := range g.plans {
		p.release()
	}
	o.Drop(g.owned...)
}

// returnTensors returns an NSArray of tensors, +0.
func returnTensors(c *objcsoft.Call, list []*tensor) {
	ids := make([]objcsoft.ID, len(list))
	for i, t := range list {
		ids[i] = t.id
	}
	array, err := c.RT.NewArray(ids)
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(array)
}

// returnName returns a string, +0, or nil for an empty one.
func returnName(c *objcsoft.Call, name string) {
	if name != "" {
		c.ReturnAutoreleased(c.RT.NewString(name))
	}
}

func graphClasses(f *adapter.Framework) []adapter.Class {
	return []adapter.Class{
		{Name: "MPSGraphObject"},
		{
			Name: "MPSGraph", Super: "MPSGraphObject",
			Alloc: func(o *objcsoft.Object) {
				o.Payload = &graph{rt: f.RT, id: o.ID(), plans: map[string]*compiled{}}
			},
			Dealloc: adapter.DeallocHook((*graph).free),
			Methods: adapter.Methods{
				"options":     adapter.Method(func(g *graph, c *objcsoft.Call) { c.ReturnUint(g.options) }),
				"setOptions:": adapter.Method(func(g *graph, c *objcsoft.Call) { g.options = c.Uint(0) }),
				"placeholderTensors": adapter.Method(func(g *graph, c *objcsoft.Call) {
					g.mu.Lock()
					defer g.mu.Unlock()
					returnTensors(c, g.placeholders)
				}),
			},
		},
		{Name: "MPSGraphTensor", Super: "MPSGraphObject", Protocols: []string{"NSCopying"}, Methods: adapter.Methods{
			"copyWithZone:": func(c *objcsoft.Call) {
				if err := c.RT.Retain(c.Self.ID()); err != nil {
					c.Fail(err)
					return
				}
				c.ReturnID(c.Self.ID())
			},
			"dataType":  adapter.Method(func(t *tensor, c *objcsoft.Call) { c.ReturnUint(softmps.DataType(t.typ)) }),
			"operation": adapter.Method(func(t *tensor, c *objcsoft.Call) { c.ReturnShared(t.op.id) }),
			"shape": adapter.Method(func(t *tensor, c *objcsoft.Call) {
				if t.shape != nil {
					softmps.ReturnIntegers(c, t.shape)
				}
			}),
		}},
		{Name: "MPSGraphOperation", Super: "MPSGraphObject", Protocols: []string{"NSCopying"},
			Dealloc: adapter.DeallocHook(func(op *operation, _ *objcsoft.Object) { op.def.leaf.release() }),
			Methods: adapter.Methods{
				"copyWithZone:": func(c *objcsoft.Call) {
					if err := c.RT.Retain(c.Self.ID()); err != nil {
						c.Fail(err)
						return
					}
					c.ReturnID(c.Self.ID())
				},
				"graph":         adapter.Method(func(op *operation, c *objcsoft.Call) { c.ReturnShared(op.graph.id) }),
				"name":          adapter.Method(func(op *operation, c *objcsoft.Call) { returnName(c, op.name) }),
				"inputTensors":  adapter.Method(func(op *operation, c *objcsoft.Call) { returnTensors(c, op.inputs) }),
				"outputTensors": adapter.Method(func(op *operation, c *objcsoft.Call) { returnTensors(c, op.outputs) }),
				"controlDependencies": adapter.Method(func(op *operation, c *objcsoft.Call) {
					ids := make([]objcsoft.ID, len(op.after))
					for i, o := range op.after {
						ids[i] = o.id
					}
					if array, err := c.RT.NewArray(ids); err != nil {
						c.Fail(err)
					} else {
						c.ReturnAutoreleased(array)
					}
				}),
			}},
		{Name: "MPSGraphVariableOp", Super: "MPSGraphOperation", Methods: adapter.Methods{
			"dataType": adapter.Method(func(op *operation, c *objcsoft.Call) {
				c.ReturnUint(softmps.DataType(op.outputs[0].typ))
			}),
			"shape": adapter.Method(func(op *operation, c *objcsoft.Call) {
				softmps.ReturnIntegers(c, op.outputs[0].shape)
			}),
		}},
	}
}
