package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// maxIterations limits the iterations of all loops of a run, so that a loop without an end is an
// error: at some ten microseconds for an iteration, it takes tens of seconds. Tests change it.
var maxIterations = 1 << 20

// region is the body of an operation of control flow: the operations that were added while the
// program's block ran, once, when the graph was built. Nil is the graph's own level.
type region struct {
	outer   *region
	args    []*tensor
	results []*tensor
	effects []*operation // which change variables
}

// surrounds reports whether inner is r or in it.
func (r *region) surrounds(inner *region) bool {
	for ; inner != r; inner = inner.outer {
		if inner == nil {
			return false
		}
	}
	return true
}

// region calls f, which adds operations and returns tensors, and returns what it added. There is an
// argument of each type and shape.
func (g *graph) region(args []spec, f func(args []*tensor) ([]*tensor, error)) (*region, error) {
	g.mu.Lock()
	r := &region{outer: g.open}
	g.open = r
	first := len(g.ops)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.open = r.outer
		g.mu.Unlock()
	}()
	for _, s := range args {
		t, err := g.add1("argument of a block", "", leafDef(s, leaf{placeholder: true}))
		if err != nil {
			return nil, err
		}
		r.args = append(r.args, t)
	}
	var err error
	if r.results, err = f(r.args); err != nil {
		return nil, err
	}
	for i, t := range r.results {
		if t.op.graph != g {
			return nil, fmt.Errorf("result %d of a block is of another graph", i)
		}
		if !t.op.region.surrounds(r) {
			return nil, fmt.Errorf("result %d of a block is the result of a %s in another block", i, t.op.kind)
		}
	}
	for _, op := range g.ops[first:] {
		if op.region == r && op.effect() {
			r.effects = append(r.effects, op)
		}
	}
	return r, nil
}

// captured returns the tensors from outside that the operations added since the given one use. The
// values of constants and variables need not be passed.
func (g *graph) captured(first int, regions ...*region) (list []*tensor) {
	inside := func(op *operation) bool {
		return slices.ContainsFunc(regions, func(r *region) bool { return r.surrounds(op.region) })
	}
	take := func(t *tensor) {
		if !inside(t.op) && !t.op.def.leaf.own() && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	for _, op := range g.ops[first:] {
		if inside(op) {
			for _, t := range op.inputs {
				take(t)
			}
		}
	}
	for _, r := range regions {
		for _, t := range r.results {
			take(t)
		}
	}
	return list
}

// controlFunc computes an operation of control flow from the arrays of its inputs. Its results are
// +1.
type controlFunc func(x *execution, in map[*tensor]*softmps.NDArray) ([]result, error)

// control adds an operation of control flow: its inputs, and what its regions take from outside.
func (g *graph) control(kind, name string, out []spec, first int, inputs []*tensor, regions []*region,
	run controlFunc) ([]*tensor, error) {
	for _, t := range g.captured(first, regions...) {
		if !slices.Contains(inputs, t) {
			inputs = append(inputs, t)
		}
	}
	g.controls = true
	effects := slices.ContainsFunc(regions, func(r *region) bool { return len(r.effects) > 0 })
	infer := func([]spec) ([]spec, error) { return slices.Clone(out), nil }
	return g.add(kind, name, def{infer: infer, control: run, effects: effects}, inputs...)
}

// block returns a function that calls an Objective-C block which returns tensors.
func (a *args) block(i int, words func(args []*tensor) ([]uintptr, error)) func([]*tensor) ([]*tensor, error) {
	id := a.c.ID(i)
	return func(args []*tensor) (list []*tensor, err error) {
		objc.Pool(func() {
			var w []uintptr
			if w, err = words(args); err != nil {
				return
			}
			var r uintptr
			if r, err = a.c.RT.InvokeBlock(id, w); err == nil {
				list, err = adapter.Payloads[*tensor](a.c.RT, objcsoft.ID(r))
			}
		})
		if err != nil {
			return nil, fmt.Errorf("the results of a block: %w", err)
		}
		return list, nil
	}
}

// array returns tensors as an NSArray, +0.
func (a *args) array(list []*tensor) (uintptr, error) {
	ids := make([]objcsoft.ID, len(list))
	for i, t := range list {
		ids[i] = t.id
	}
	id, err := a.c.RT.NewArray(ids)
	if err != nil {
		return 0, err
	}
	return uintptr(id), a.c.RT.Autorelease(id)
}

func noWords([]*tensor) ([]uintptr, error) { return nil, nil }

func specsOf(list []*tensor) []spec {
	out := make([]spec, len(list))
	for i, t := range list {
		out[i] = t.spec
	}
	return out
}

// join returns what is known of results that come from one of two places.
func join(a, b []spec) ([]spec, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("%d results and %d results; the numbers must be equal", len(a), len(b))
	}
	out := make([]spec, len(a))
	for i := range a {
		if a[i].typ != b[i].typ {
			return nil, fmt.Errorf("result %d is %v and %v; the types must be equal", i, a[i].typ, b[i].typ)
		}
		out[i] = spec{typ: a[i].typ}
		if len(a[i].shape) != len(b[i].shape) || a[i].shape == nil || b[i].shape == nil {
			continue
		}
		out[i].shape = slices.Clone(a[i].shape)
		for d := range out[i].shape {
			if out[i].shape[d] != b[i].shape[d] {
				out[i].shape[d] = -1
			}
		}
	}
	return out, nil
}

// scalarInput checks a tensor that must have one element.
func scalarInput(what string, t *tensor) error {
	if !t.known() {
		return nil
	}
	if v := tensorop.Dense(t.typ, t.shape...); v.Elements() != 1 {
		return fmt.Errorf("%s has the shape %v; want one element", what, t.shape)
	}
	return nil
}

// ifElse adds a choice between two blocks.
func (g *graph) ifElse(a *args) ([]*tensor, error) {
	predicate, name := a.tensor(0), a.name(3)
	if err := scalarInput("the predicate", predicate); err != nil {
		return nil, err
	}
	first := len(g.ops)
	then, err := g.region(nil, a.block(1, noWords))
	if err != nil {
		return nil, err
	}
	other := &region{}
	if a.c.ID(2) != 0 {
		if other, err = g.region(nil, a.block(2, noWords)); err != nil {
			return nil, err
		}
	}
	out, err := join(specsOf(then.results), specsOf(other.results))
	if err != nil {
		return nil, fmt.Errorf("if: then and else have %w", err)
	}
	return g.control("if", name, out, first, []*tensor{predicate}, []*region{then, other},
		func(x *execution, in map[*tensor]*softmps.NDArray) ([]result, error) {
			yes, err := truth(in[predicate])
			if err != nil {
				return nil, fmt.Errorf("the predicate: %w", err)
			}
			if yes {
				return x.body(then, in, nil)
			}
			return x.body(other, in, nil)
		})
}

// loop is a range of integers: from lower, which may be nil for 0, to below upper, by step, which
// may be nil for 1.
type loop struct{ lower, upper, step *tensor }

// forLoop adds a loop over a range. The arguments after initial are the block and the name.
func (g *graph) forLoop(a *args, over loop, initial []*tensor, block int) ([]*tensor, error) {
	index := spec{tensorop.Int32, []int{}}
	inputs := slices.Clone(initial)
	for i, t := range []*tensor{over.lower, over.upper, over.step} {
		if t == nil {
			continue
		}
		what := []string{"the lower bound", "the number of iterations or upper bound", "the step"}[i]
		if !t.typ.Integer() {
			return nil, fmt.Errorf("for: %s is %v; want an integer", what, t.typ)
		}
		if err := scalarInput(what, t); err != nil {
			return nil, fmt.Errorf("for: %w", err)
		}
		index.typ = t.typ
		inputs = append(inputs, t)
	}
	first := len(g.ops)
	call := a.block(block, func(args []*tensor) ([]uintptr, error) {
		list, err := a.array(args[1:])
		return []uintptr{uintptr(args[0].id), list}, err
	})
	body, err := g.region(append([]spec{index}, specsOf(initial)...), call)
	if err != nil {
		return nil, err
	}
	out, err := join(specsOf(initial), specsOf(body.results))
	if err != nil {
		return nil, fmt.Errorf("for: the initial arguments and the body have %w", err)
	}
	bound := func(in map[*tensor]*softmps.NDArray, t *tensor, none int) (int, error) {
		if t == nil {
			return none, nil
		}
		return scalarInt(in[t])
	}
	return g.control("for", a.name(block+1), out, first, inputs, []*region{body},
		func(x *execution, in map[*tensor]*softmps.NDArray) ([]result, error) {
			from, err := bound(in, over.lower, 0)
			if err != nil {
				return nil, err
			}
			to, err := bound(in, over.upper, 0)
			if err != nil {
				return nil, err
			}
			by, err := bound(in, over.step, 1)
			if err != nil {
				return nil, err
			}
			if by < 1 {
				return nil, fmt.Errorf("for: the step is %d; want at least 1", by)
			}
			n := uint64(0) // a difference of two integers needs all 64 bits
			if to > from {
				n = (uint64(to)-uint64(from)-1)/uint64(by) + 1
			}
			if n > uint64(maxIterations) {
				return nil, fmt.Errorf("for: %d iterations; the software device does at most %d", n, maxIterations)
			}
			now, err := x.take(initial, in)
			for i := from; n > 0 && err == nil; n-- {
				if err = x.spend(); err != nil {
					break
				}
				var number result
				if number, err = x.integer(index.typ, i); err == nil {
					now, err = x.next(body, in, append([]result{number}, now...))
				}
				i += by
			}
			return x.ended(now, err)
		})
}

// whileLoop adds a loop with a condition.
func (g *graph) whileLoop(a *args) ([]*tensor, error) {
	initial, name := a.tensors(0), a.name(3)
	first := len(g.ops)
	before, err := g.region(specsOf(initial), func(args []*tensor) (list []*tensor, err error) {
		objc.Pool(func() {
			var in uintptr
			if in, err = a.array(args); err != nil {
				return
			}
			results := objc.NewMutableArray([]mtl.Device(nil))
			defer objc.Release(results)
			var r uintptr
			if r, err = a.c.RT.InvokeBlock(a.c.ID(1), []uintptr{in, uintptr(results)}); err != nil {
				return
			}
			predicate, ok := adapter.PayloadOf[*tensor](a.c.RT, objcsoft.ID(r))
			if !ok {
				err = fmt.Errorf("while: the block before returns no predicate")
				return
			}
			if err = scalarInput("while: the predicate", predicate); err == nil {
				list, err = adapter.Payloads[*tensor](a.c.RT, objcsoft.ID(results))
			}
			list = append([]*tensor{predicate}, list...)
		})
		return list, err
	})
	if err != nil {
		return nil, err
	}
	out := specsOf(before.results[1:])
	after, err := g.region(out, a.block(2, func(args []*tensor) ([]uintptr, error) {
		list, err := a.array(args)
		return []uintptr{list}, err
	}))
	if err != nil {
		return nil, err
	}
	if _, err := join(specsOf(initial), specsOf(after.results)); err != nil {
		return nil, fmt.Errorf("while: the initial inputs and the block after have %w", err)
	}
	return g.control("while", name, out, first, slices.Clone(initial), []*region{before, after},
		func(x *execution, in map[*tensor]*softmps.NDArray) ([]result, error) {
			now, err := x.take(initial, in)
			for err == nil {
				if err = x.spend(); err != nil {
					break
				}
				if now, err = x.next(before, in, now); err != nil {
					break
				}
				var more bool
				more, err = truth(now[0].array)
				x.drop(now[:1])
				if now = now[1:]; err != nil || !more {
					return x.ended(now, err)
				}
				now, err = x.next(after, in, now)
			}
			return x.ended(now, fmt.Errorf("while: %w", err))
		})
}

// dependency adds the operations of a block, which run after others.
func (g *graph) dependency(a *args) ([]*tensor, error) {
	ops := a.operations(0)
	first := len(g.ops)
	list, err := a.block(1, noWords)(nil)
	if err != nil {
		return nil, err
	}
	for _, op := range g.ops[first:] {
		if !op.def.leaf.is() {
			op.after = append(op.after, ops...)
		}
	}
	return list, nil
}

// call adds a call of the executable that the compilation descriptor of a run has for a symbol.
func (g *graph) call(a *args) ([]*tensor, error) {
	symbol, name := a.name(0), a.name(3)
	inputs := a.tensors(1)
	types, err := adapter.Payloads[*shapedType](a.c.RT, a.c.ID(2))
	if err != nil {
		return nil, fmt.Errorf("the output types: %w", err)
	}
	var out []spec
	for i, t := range types {
		s, err := t.spec()
		if err != nil {
			return nil, fmt.Errorf("output type %d: %w", i, err)
		}
		out = append(out, s)
	}
	return g.control("call", name, out, len(g.ops), slices.Clone(inputs), nil,
		func(x *execution, in map[*tensor]*softmps.NDArray) ([]result, error) {
			callee := x.callables[symbol]
			if callee == nil {
				return nil, fmt.Errorf("call: the compilation descriptor has no callable %q", symbol)
			}
			feeds := make([]*softmps.NDArray, len(inputs))
			for i, t := range inputs {
				feeds[i] = in[t]
			}
			r, err := callee.request(feeds)
			if err != nil {
				return nil, fmt.Errorf("call of %q: %w", symbol, err)
			}
			results, err := (&execution{callee.g, x.queue, callee.callables, x.loops}).evaluate(r)
			if err != nil {
				return nil, fmt.Errorf("call of %q: %w", symbol, err)
			}
			for i, s := range out {
				if i < len(results) && !s.fits(results[i].array.View) || len(results) != len(out) {
					x.drop(results)
					return nil, fmt.Errorf("call of %q: the results are not of the output types %v", symbol, out)
				}
			}
			return results, nil
		})
}

func controlMethods() adapter.Methods {
	return adapter.Methods{
		"callSymbolName:inputTensors:outputTypes:name:":        manyMethod((*graph).call),
		"ifWithPredicateTensor:thenBlock:elseBlock:name:":      manyMethod((*graph).ifElse),
		"whileWithInitialInputs:before:after:name:":            manyMethod((*graph).whileLoop),
		"controlDependencyWithOperations:dependentBlock:name:": manyMethod((*graph).dependency),
		"forLoopWithNumberOfIterations:initialBodyArguments:body:name:": manyMethod(
			func(g *graph, a *args) ([]*tensor, error) {
				return g.forLoop(a, loop{upper: a.tensor(0)}, a.tensors(1), 2)
			}),
		"forLoopWithLowerBound:upperBound:step:initialBodyArguments:body:name:": manyMethod(
			func(g *graph, a *args) ([]*tensor, error) {
				return g.forLoop(a, loop{a.tensor(0), a.tensor(1), a.tensor(2)}, a.tensors(3), 4)
			}),
	}
}
