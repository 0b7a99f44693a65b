package softgraph

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// A run with control flow has stages: a plan computes what an operation of control flow needs, the
// CPU waits for it and decides, and the next plan takes the results as feeds. Each operation is in
// one plan only, so that random numbers stay the same; variables change at the end.

// execution runs stages one after the other on a queue.
type execution struct {
	g         *graph
	queue     mtl.CommandQueue
	callables map[string]*executable // of operations that call one
	loops     *loopBudget
}

// loopBudget is what all loops of a run may still do together, nested ones and those of executables
// that it calls too.
type loopBudget struct {
	iterations int
	began      time.Time
	limit      time.Duration // of each command buffer of the queue, and so of the run; 0 for none
}

// clock gives the time for the limit of loops. Tests change it.
var clock = time.Now

// spend takes an iteration from the budget.
func (x *execution) spend() error {
	b := x.loops
	if b.iterations == 0 {
		b.began = clock()
		limit, err := x.g.rt.Message(objcsoft.ID(x.queue.ID()), "commandBufferTimeout", "Q@:")
		if err != nil {
			return err
		}
		b.limit = time.Duration(limit)
	}
	b.iterations++
	switch {
	case b.iterations > maxIterations:
		return fmt.Errorf("no end after %d iterations, the most that the software device does", maxIterations)
	case b.limit > 0 && clock().Sub(b.began) > b.limit:
		return fmt.Errorf("the run's loops have taken %v, the limit; PUREMETAL_SOFTWARE_TIMEOUT=duration sets another, "+
			"0 none", b.limit)
	}
	return nil
}

// result is an array and its object, +1.
type result struct {
	id    objcsoft.ID
	array *softmps.NDArray
}

// drop releases results.
func (g *graph) drop(list []result) {
	for _, r := range list {
		if r.id != 0 {
			_ = g.rt.Release(r.id)
		}
	}
}

func (x *execution) drop(list []result) { x.g.drop(list) }

// ended returns results, or drops them if there is an error.
func (x *execution) ended(list []result, err error) ([]result, error) {
	if err != nil {
		x.drop(list)
		return nil, err
	}
	return list, nil
}

// take returns copies of arrays that belong to somebody else, and of constants and variables.
func (x *execution) take(list []*tensor, in map[*tensor]*softmps.NDArray) ([]result, error) {
	return x.evaluate(&request{feeds: in, targets: list})
}

// integer returns an array with one number.
func (x *execution) integer(t tensorop.Type, v int) (result, error) {
	id, a, err := softmps.NewNDArray(x.g.rt, x.queue.Device(), tensorop.Dense(t))
	if err != nil {
		return result{}, err
	}
	memory, err := a.Bytes()
	if err != nil {
		x.drop([]result{{id, a}})
		return result{}, err
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], uint64(v))
	copy(memory[:t.Size()], word[:])
	return result{id, a}, nil
}

// truth reports whether the only element of an array is not 0.
func truth(a *softmps.NDArray) (bool, error) {
	b, err := element(a)
	return slices.ContainsFunc(b, func(c byte) bool { return c != 0 }), err
}

// scalarInt returns the only element of an array of integers.
func scalarInt(a *softmps.NDArray) (int, error) {
	b, err := element(a)
	if err != nil {
		return 0, err
	}
	return integer(a.Type, b)
}

func element(a *softmps.NDArray) ([]byte, error) {
	if n := a.Elements(); n != 1 {
		return nil, fmt.Errorf("the shape %v has %d elements; want one", a.Shape, n)
	}
	b, err := a.Bytes()
	if err != nil {
		return nil, err
	}
	at := a.View.Offset * a.Type.Size()
	if at+a.Type.Size() > len(b) {
		return nil, fmt.Errorf("an array of %d bytes has no element at %d", len(b), at)
	}
	return b[at:][:a.Type.Size()], nil
}

// body runs a region once. in are the arrays from outside.
func (x *execution) body(r *region, in map[*tensor]*softmps.NDArray, args []result) ([]result, error) {
	if len(r.results) == 0 && len(r.effects) == 0 {
		return nil, nil
	}
	req := &request{feeds: map[*tensor]*softmps.NDArray{}, targets: r.results, ops: r.effects, region: r}
	for t, a := range in {
		if !t.op.def.leaf.own() { // the body reads a variable as it is then
			req.feeds[t] = a
		}
	}
	for i, t := range r.args {
		req.feeds[t] = args[i].array
	}
	return x.evaluate(req)
}

// next runs a region with arguments, which it drops.
func (x *execution) next(r *region, in map[*tensor]*softmps.NDArray, args []result) ([]result, error) {
	defer x.drop(args)
	return x.body(r, in, args)
}

// evaluate runs a request and waits for it.
func (x *execution) evaluate(r *request) (out []result, err error) {
	if !x.g.controls {
		return x.submit(r)
	}
	err = x.stages(r, func(last *request) error {
		out, err = x.submit(last)
		return err
	})
	return out, err
}

// submit runs a request without control flow and waits for it.
func (x *execution) submit(r *request) (out []result, err error) {
	objc.Pool(func() {
		var cb mtl.CommandBuffer
		if cb, err = x.queue.CommandBuffer(); err != nil {
			return
		}
		if out, err = x.g.encode(cb, r); err != nil {
			return
		}
		if err = cb.Commit(); err == nil {
			err = cb.WaitUntilCompleted()
		}
		out, err = x.ended(out, err)
	})
	return out, err
}

// stages computes the operations of control flow that a request needs, and calls last with a
// request for the rest.
func (x *execution) stages(r *request, last func(*request) error) error {
	now := *r
	if now.feeds = maps.Clone(r.feeds); now.feeds == nil {
		now.feeds = map[*tensor]*softmps.NDArray{}
	}
	var mine []result
	defer func() { x.drop(mine) }()
	keep := func(t *tensor, r result) {
		mine = append(mine, r)
		now.feeds[t] = r.array
	}
	all, _ := needed(&now)
	now.ops = slices.Clone(r.ops)
	for _, op := range all {
		if op.def.assigns != nil && !slices.Contains(now.ops, op) {
			now.ops = append(now.ops, op)
		}
	}
	for {
		order, _ := needed(&now)
		i := slices.IndexFunc(order, func(op *operation) bool { return op.def.control != nil })
		if i < 0 {
			return last(&now)
		}
		op := order[i]
		stage := frontier(&now, order, op)
		in := map[*tensor]*softmps.NDArray{}
		if len(stage.targets) > 0 {
			out, err := x.submit(stage)
			if err != nil {
				return err
			}
			for i, t := range stage.targets {
				if t.op.def.leaf.own() {
					mine = append(mine, out[i])
					in[t] = out[i].array
					continue
				}
				keep(t, out[i])
			}
		}
		for _, t := range op.inputs {
			if a := now.feeds[t]; a != nil {
				in[t] = a
			}
		}
		out, err := op.def.control(x, in)
		if err != nil {
			return err
		}
		if len(out) != len(op.outputs) {
			x.drop(out)
			return fmt.Errorf("%s: %d results for %d tensors", op.kind, len(out), len(op.outputs))
		}
		for i, t := range op.outputs {
			keep(t, out[i])
		}
		now.done = append(now.done, op)
	}
}

// frontier returns the request for what an operation needs: its inputs, and the tensors on the way
// to them that other operations or targets need too.
func frontier(r *request, order []*operation, op *operation) *request {
	stage := &request{feeds: r.feeds, region: r.region, done: r.done, early: true}
	want := func(t *tensor) {
		if r.feeds[t] == nil && !slices.Contains(stage.targets, t) {
			stage.targets = append(stage.targets, t)
		}
	}
	for _, t := range op.inputs {
		want(t)
	}
	cone, _ := needed(stage)
	inside := map[*operation]bool{}
	for _, o := range cone {
		inside[o] = true
	}
	for _, o := range order {
		if inside[o] {
			continue
		}
		for _, t := range o.inputs {
			if inside[t.op] && !t.op.def.leaf.is() {
				want(t)
			}
		}
	}
	for _, t := range r.targets {
		if inside[t.op] && !t.op.def.leaf.is() {
			want(t)
		}
	}
	return stage
}
