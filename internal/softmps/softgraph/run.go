package softgraph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/tensorop/encode"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// maxPlans limits the plans that a graph keeps, one for each set of shapes of feeds and targets.
const maxPlans = 32

// request is a run: feeds, and what is wanted.
type request struct {
	feeds   map[*tensor]*softmps.NDArray
	targets []*tensor
	ops     []*operation

	region *region      // whose operations run
	done   []*operation // which need not run again
	early  bool         // leave variables as they are
}

// key identifies the plan of a request.
func (r *request) key() string {
	var s strings.Builder
	feeds := make([]*tensor, 0, len(r.feeds))
	for t := range r.feeds {
		feeds = append(feeds, t)
	}
	slices.SortFunc(feeds, compareTensors)
	for _, t := range feeds {
		v := r.feeds[t].View
		fmt.Fprintf(&s, "%d.%d:%v%v%v+%d ", t.op.number, t.index(), v.Type, v.Shape, v.Strides, v.Offset)
	}
	for _, t := range r.targets {
		fmt.Fprintf(&s, ",%d.%d", t.op.number, t.index())
	}
	if r.early {
		s.WriteString(" early")
	}
	for _, op := range r.ops {
		fmt.Fprintf(&s, ";%d", op.number)
	}
	return s.String()
}

// compiled returns the plan of a request, which is made once for the shapes of the feeds.
func (g *graph) compiled(r *request) (*compiled, error) {
	key := r.key()
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.plans[key]; c != nil {
		i := slices.Index(g.order, key)
		g.order = append(slices.Delete(g.order, i, i+1), key)
		return c, nil
	}
	c, err := compile(r)
	if err != nil {
		return nil, err
	}
	if len(g.order) >= maxPlans {
		delete(g.plans, g.order[0])
		g.order = g.order[1:]
	}
	g.plans[key], g.order = c, append(g.order, key)
	return c, nil
}

// encode encodes a request to a command buffer. results are arrays for the targets; nil elements,
// and a nil slice, are replaced by new arrays, whose objects are +1.
func (g *graph) encode(cb mtl.CommandBuffer, r *request, results []*softmps.NDArray) (out []result, err error) {
	c, err := g.compiled(r)
	if err != nil {
		return nil, err
	}
	d := cb.Device()
	var buffers []encode.Buffer
	for _, t := range c.leaves {
		if a := r.feeds[t]; a != nil {
			buffers = append(buffers, encode.Buffer{Buffer: a.Buffer, Offset: a.Offset})
			continue
		}
		m := t.op.def.leaf.constant
		if m == nil {
			m = t.op.def.leaf.variable
		}
		b, err := m.on(d)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, encode.Buffer{Buffer: b})
	}
	out = make([]result, len(r.targets))
	defer func() {
		if err != nil {
			g.drop(out)
			out = nil
		}
	}()
	for i, s := range c.results {
		want := tensorop.Dense(s.typ, s.shape...)
		if i < len(results) && results[i] != nil {
			a := results[i]
			if a.Type != s.typ || !slices.Equal(a.Shape, s.shape) || !a.IsDense() {
				return out, fmt.Errorf("the result %d is %v and the array given for it is %v%v", i, s, a.Type, a.Shape)
			}
			buffers = append(buffers, encode.Buffer{Buffer: a.Buffer,
				Offset: a.Offset + uint(a.View.Offset*a.Type.Size())})
			continue
		}
		id, a, err := softmps.NewNDArray(g.rt, d, want)
		if err != nil {
			return out, err
		}
		out[i] = result{id, a}
		buffers = append(buffers, encode.Buffer{Buffer: a.Buffer})
	}
	objc.Pool(func() { err = softmps.Encoder(g.rt, d).Encode(cb, c.plan, buffers) })
	return out, err
}

// run runs a request on a queue and waits for it.
func (g *graph) run(q mtl.CommandQueue, r *request, results []*softmps.NDArray) (out []result, err error) {
	x := &execution{g, q}
	if !g.controls {
		return x.submit(r, results)
	}
	err = x.stages(r, func(last *request) error {
		out, err = x.submit(last, results)
		return err
	})
	return out, err
}

// feedsArg returns a dictionary of tensors and their data.
func (a *args) feedsArg(i int) map[*tensor]*softmps.NDArray {
	out := map[*tensor]*softmps.NDArray{}
	if a.c.ID(i) == 0 {
		return out
	}
	keys, values, err := a.c.RT.DictionaryItems(a.c.ID(i))
	if err != nil {
		a.fail("the feeds: %w", err)
		return out
	}
	for k := range keys {
		t, ok := adapter.PayloadOf[*tensor](a.c.RT, keys[k])
		d, ok2 := adapter.PayloadOf[*data](a.c.RT, values[k])
		if !ok || !ok2 {
			a.fail("the feeds have an entry that is not a tensor with its data")
			return out
		}
		out[t] = d.array
	}
	return out
}

// operations returns an array of operations.
func (a *args) operations(i int) []*operation {
	list, err := adapter.Payloads[*operation](a.c.RT, a.c.ID(i))
	if err != nil {
		a.fail("argument %d: %w", i, err)
	}
	return list
}

// queue returns a command queue argument; if it is nil, a new queue of the feeds' device, or of the
// default device.
func (a *args) queue(id objcsoft.ID, feeds map[*tensor]*softmps.NDArray) (q mtl.CommandQueue, done func(), err error) {
	if id != 0 {
		return mtl.CommandQueueFrom(objc.ID(id)), func() {}, nil
	}
	var d mtl.Device
	for _, f := range feeds {
		d = f.Device
		d.Retain()
		break
	}
	if d.IsNil() {
		if d, err = mtl.DefaultDevice(); err != nil {
			return q, nil, err
		}
	}
	defer d.Release()
	q, err = d.NewCommandQueue()
	return q, q.Release, err
}

// runNow answers a method that runs the graph and waits.
func runNow(queue, feeds, targets, ops int) objcsoft.Imp {
	return adapter.Method(func(g *graph, c *objcsoft.Call) {
		a := &args{c: c, g: g}
		r := &request{feeds: a.feedsArg(feeds), targets: a.tensors(targets)}
		if ops >= 0 {
			r.ops = a.operations(ops)
		}
		out, err := []result(nil), a.err
		if err == nil {
			var id objcsoft.ID
			if queue >= 0 {
				id = c.ID(queue)
			}
			var q mtl.CommandQueue
			var done func()
			if q, done, err = a.queue(id, r.feeds); err == nil {
				out, err = g.run(q, r, nil)
				done()
			}
		}
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		returnResults(c, r.targets, out)
	})
}

// returnResults returns a dictionary of targets and their data, +0, and takes over the arrays.
func returnResults(c *objcsoft.Call, targets []*tensor, arrays []result) {
	keys, values := make([]objcsoft.ID, len(targets)), make([]objcsoft.ID, len(targets))
	for i, t := range targets {
		keys[i], values[i] = t.id, newData(c.RT, arrays[i].id)
	}
	dict, err := c.RT.NewDictionaryOf(keys, values)
	for _, id := range values {
		if e := c.RT.Release(id); e != nil && err == nil {
			err = e
		}
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(dict)
}

// encodeTo encodes a request to the command buffer in the first argument. With control flow, that
// is committed, and what does not have to be waited for is encoded to its successor.
func (g *graph) encodeTo(c *objcsoft.Call, cb mtl.CommandBuffer, r *request) (out []result, err error) {
	if order, _ := needed(r); !slices.ContainsFunc(order, func(op *operation) bool { return op.def.control != nil }) {
		return g.encode(cb, r, nil)
	}
	x := &execution{g, cb.CommandQueue()}
	if err := softmps.CommitAndWait(c, 0); err != nil {
		return nil, err
	}
	err = x.stages(r, func(last *request) error {
		next, _ := softmps.CommandBufferArg(c, 0)
		out, err = g.encode(next, last, nil)
		return err
	})
	return out, err
}

// runMethods are the methods that run a graph.
func runMethods() adapter.Methods {
	return adapter.Methods{
		"runWithFeeds:targetTensors:targetOperations:":                 runNow(-1, 0, 1, 2),
		"runWithMTLCommandQueue:feeds:targetTensors:targetOperations:": runNow(0, 1, 2, 3),
		"encodeToCommandBuffer:feeds:targetTensors:targetOperations:executionDescriptor:": adapter.Method(
			func(g *graph, c *objcsoft.Call) {
				a := &args{c: c, g: g}
				r := &request{feeds: a.feedsArg(1), targets: a.tensors(2), ops: a.operations(3)}
				cb, ok := softmps.CommandBufferArg(c, 0)
				if !ok {
					return
				}
				out, err := []result(nil), a.err
				if err == nil {
					out, err = g.encodeTo(c, cb, r)
				}
				if err != nil {
					adapter.Misuse(c, "%v", err)
					return
				}
				returnResults(c, r.targets, out)
			}),
	}
}
