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
}

// key identifies the plan of a request.
func (r *request) key() string {
	var s strings.Builder
	feeds := make([]*tensor, 0, len(r.feeds))
	for t := range r.feeds {
		feeds = append(feeds, t)
	}
	slices.SortFunc(feeds, func(a, b *tensor) int { return a.op.number - b.op.number })
	for _, t := range feeds {
		v := r.feeds[t].View
		fmt.Fprintf(&s, "%d:%v%v%v+%d ", t.op.number, v.Type, v.Shape, v.Strides, v.Offset)
	}
	for _, t := range r.targets {
		fmt.Fprintf(&s, ",%d.%d", t.op.number, slices.Index(t.op.outputs, t))
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
	views := map[*tensor]tensorop.View{}
	for t, a := range r.feeds {
		views[t] = a.View
	}
	c, err := compile(views, r.targets, r.ops)
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
// and a nil slice, are replaced by new arrays. The objects of new arrays are +1.
func (g *graph) encode(cb mtl.CommandBuffer, r *request, results []*softmps.NDArray) (ids []objcsoft.ID, err error) {
	c, err := g.compiled(r)
	if err != nil {
		return nil, err
	}
	d := cb.Device()
	var buffers []encode.Buffer
	for _, t := range c.leaves {
		l := t.op.def.leaf
		switch m := l.constant; {
		case l.placeholder:
			a := r.feeds[t]
			buffers = append(buffers, encode.Buffer{Buffer: a.Buffer, Offset: a.Offset})
		default:
			if m == nil {
				m = l.variable
			}
			b, err := m.on(d)
			if err != nil {
				return nil, err
			}
			buffers = append(buffers, encode.Buffer{Buffer: b})
		}
	}
	ids = make([]objcsoft.ID, len(r.targets))
	defer func() {
		if err != nil {
			for _, id := range ids {
				if id != 0 {
					_ = g.rt.Release(id)
				}
			}
		}
	}()
	for i, s := range c.results {
		want := tensorop.Dense(s.typ, s.shape...)
		if i < len(results) && results[i] != nil {
			a := results[i]
			if a.Type != s.typ || !slices.Equal(a.Shape, s.shape) || !a.IsDense() {
				return nil, fmt.Errorf("the result %d is %v and the array given for it is %v%v", i, s, a.Type, a.Shape)
			}
			buffers = append(buffers, encode.Buffer{Buffer: a.Buffer,
				Offset: a.Offset + uint(a.View.Offset*a.Type.Size())})
			continue
		}
		id, a, err := softmps.NewNDArray(g.rt, d, want)
		if err != nil {
			return ids, err
		}
		ids[i] = id
		buffers = append(buffers, encode.Buffer{Buffer: a.Buffer})
	}
	objc.Pool(func() { err = softmps.Encoder(d).Encode(cb, c.plan, buffers) })
	return ids, err
}

// run encodes a request to a command buffer of a queue, commits it, and waits for it.
func (g *graph) run(q mtl.CommandQueue, r *request, results []*softmps.NDArray) (ids []objcsoft.ID, err error) {
	objc.Pool(func() {
		var cb mtl.CommandBuffer
		if cb, err = q.CommandBuffer(); err != nil {
			return
		}
		if ids, err = g.encode(cb, r, results); err != nil {
			return
		}
		if err = cb.Commit(); err != nil {
			return
		}
		err = cb.WaitUntilCompleted()
	})
	return ids, err
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
		ids, err := []objcsoft.ID(nil), a.err
		if err == nil {
			var id objcsoft.ID
			if queue >= 0 {
				id = c.ID(queue)
			}
			var q mtl.CommandQueue
			var done func()
			if q, done, err = a.queue(id, r.feeds); err == nil {
				ids, err = g.run(q, r, nil)
				done()
			}
		}
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		returnResults(c, r.targets, ids)
	})
}

// returnResults returns a dictionary of targets and their data, +0, and takes over the arrays.
func returnResults(c *objcsoft.Call, targets []*tensor, arrays []objcsoft.ID) {
	keys, values := make([]objcsoft.ID, len(targets)), make([]objcsoft.ID, len(targets))
	for i, t := range targets {
		keys[i], values[i] = t.id, newData(c.RT, arrays[i])
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
				ids, err := []objcsoft.ID(nil), a.err
				if err == nil {
					ids, err = g.encode(cb, r, nil)
				}
				if err != nil {
					adapter.Misuse(c, "%v", err)
					return
				}
				returnResults(c, r.targets, ids)
			}),
	}
}
