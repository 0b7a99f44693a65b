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

// encode encodes a request to a command buffer. The results are new arrays, whose objects are +1.
func (g *graph) encode(cb mtl.CommandBuffer, r *request) ([]result, error) {
	c, err := g.compiled(r)
	if err != nil {
		return nil, err
	}
	return g.encodePlan(cb, c, r, nil)
}

// encodePlan encodes the plan of a request. given are arrays for the targets; nil elements, and a
// nil slice, are replaced by new arrays, whose objects are +1.
func (g *graph) encodePlan(cb mtl.CommandBuffer, c *compiled, r *request, given []*softmps.NDArray) (out []result,
	err error) {
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
	var copies []bufferCopy
	defer func() {
		for _, c := range copies {
			c.from.Release()
		}
		if err != nil {
			g.drop(out)
			out = nil
		}
	}()
	for i, s := range c.results {
		want := tensorop.Dense(s.typ, s.shape...)
		if i < len(given) && given[i] != nil {
			a := given[i]
			if a.Type != s.typ || !slices.Equal(a.Shape, s.shape) || !a.IsDense() {
				return out, fmt.Errorf("the result %d is %v and the array given for it is %v%v", i, s, a.Type, a.Shape)
			}
			to := encode.Buffer{Buffer: a.Buffer, Offset: a.Offset + uint(a.View.Offset*a.Type.Size())}
			if !r.reads(a) {
				buffers = append(buffers, to)
				continue
			}
			// Kernels read the memory while they write it: the result gets there by a copy.
			n := uint(max(want.Elements()*s.typ.Size(), 1))
			b, err := d.NewBuffer(n, mtl.ResourceStorageModePrivate)
			if err != nil {
				return out, err
			}
			copies = append(copies, bufferCopy{b, to, n})
			buffers = append(buffers, encode.Buffer{Buffer: b})
			continue
		}
		id, a, err := softmps.NewNDArray(g.rt, d, want)
		if err != nil {
			return out, err
		}
		out[i] = result{id, a}
		buffers = append(buffers, encode.Buffer{Buffer: a.Buffer})
	}
	objc.Pool(func() {
		if err = softmps.Encoder(g.rt, d).Encode(cb, c.plan, buffers); err == nil {
			err = copyBuffers(cb, copies)
		}
	})
	return out, err
}

// reads reports whether a feed has the memory of an array.
func (r *request) reads(a *softmps.NDArray) bool {
	for _, f := range r.feeds {
		if f.Buffer.ID() == a.Buffer.ID() {
			return true
		}
	}
	return false
}

// bufferCopy is a copy of the first n bytes of a buffer.
type bufferCopy struct {
	from mtl.Buffer
	to   encode.Buffer
	n    uint
}

func copyBuffers(cb mtl.CommandBuffer, list []bufferCopy) error {
	if len(list) == 0 {
		return nil
	}
	blit, err := cb.BlitCommandEncoder()
	if err != nil {
		return err
	}
	defer blit.EndEncoding()
	for _, c := range list {
		if err := blit.CopyFromBuffer(c.from, 0, c.to.Buffer, c.to.Offset, c.n); err != nil {
			return err
		}
	}
	return nil
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
		if err := d.Err(); err != nil {
			a.fail("the feed of a %s: %w", t.op.kind, err)
		}
		out[t] = d.array
	}
	return out
}

// resultsArg returns the targets and their data in a dictionary, in the order of the targets.
func (a *args) resultsArg(i int) (targets []*tensor, given []objcsoft.ID) {
	keys, values, err := a.c.RT.DictionaryItems(a.c.ID(i))
	if err != nil {
		a.fail("the results: %w", err)
		return nil, nil
	}
	of := map[*tensor]objcsoft.ID{}
	for k := range keys {
		t, ok := adapter.PayloadOf[*tensor](a.c.RT, keys[k])
		if !ok {
			a.fail("the results have a key that is not a tensor")
			return nil, nil
		}
		of[t] = values[k]
		targets = append(targets, t)
	}
	slices.SortFunc(targets, compareTensors)
	for _, t := range targets {
		given = append(given, of[t])
	}
	return targets, given
}

// give has the run write its results to data that the caller has.
func (r *run) give(a *args, list []objcsoft.ID) {
	r.given = list
	for i, id := range list {
		d, ok := adapter.PayloadOf[*data](a.c.RT, id)
		if !ok {
			a.fail("the data of result %d are not tensor data", i)
			return
		}
		r.arrays = append(r.arrays, d.array)
	}
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

// arguments are the indices of a method's arguments, -1 for one that it does not have. queue is a
// queue or, to encode, a command buffer.
type arguments struct {
	queue, feeds, targets, ops, results, settings int

	async, encodes bool
}

// read reads the arguments of a method. The settings come first: they have the handlers, which
// hear of mistakes in the others.
func (n arguments) read(a *args, r *run) {
	r.s = a.settings(n.settings)
	r.feeds = a.feedsArg(n.feeds)
	if n.targets >= 0 {
		r.targets = a.tensors(n.targets)
	}
	if n.ops >= 0 {
		r.ops = a.operations(n.ops)
	}
	if n.results >= 0 {
		var given []objcsoft.ID
		r.targets, given = a.resultsArg(n.results)
		r.give(a, given)
	}
	r.object = func(data []objcsoft.ID) (objcsoft.ID, error) {
		keys := make([]objcsoft.ID, len(r.targets))
		for i, t := range r.targets {
			keys[i] = t.id
		}
		return a.c.RT.NewDictionaryOf(keys, data)
	}
	r.x.callables = a.callables(r.s.compilation)
}

// method answers a method that runs the graph.
func (n arguments) method() objcsoft.Imp {
	return adapter.Method(func(g *graph, c *objcsoft.Call) {
		r := &run{request: &request{}, s: &settings{}, x: &execution{g: g, loops: new(loopBudget)}}
		err := read(c, g, func(a *args) error {
			n.read(a, r)
			return n.begin(a, r)
		})
		r.finish(c, err, n.results < 0)
	})
}

// begin starts or encodes the run.
func (n arguments) begin(a *args, r *run) error {
	if n.encodes {
		return r.encodeTo(a.c)
	}
	var id objcsoft.ID
	if n.queue >= 0 {
		id = a.c.ID(n.queue)
	}
	q, done, err := a.queue(id, r.feeds)
	if err != nil {
		return err
	}
	defer done()
	return r.start(q, !n.async || r.s.wait)
}

// runMethods are the methods that run a graph.
func runMethods() adapter.Methods {
	m := adapter.Methods{}
	for selector, n := range map[string]arguments{
		"runWithFeeds:targetTensors:targetOperations:": {-1, 0, 1, 2, -1, -1, false, false},
		"runWithMTLCommandQueue:feeds:targetTensors:targetOperations:": {
			0, 1, 2, 3, -1, -1, false, false},
		"runWithMTLCommandQueue:feeds:targetOperations:resultsDictionary:": {
			0, 1, -1, 2, 3, -1, false, false},
		"runAsyncWithFeeds:targetTensors:targetOperations:executionDescriptor:": {
			-1, 0, 1, 2, -1, 3, true, false},
		"runAsyncWithMTLCommandQueue:feeds:targetTensors:targetOperations:executionDescriptor:": {
			0, 1, 2, 3, -1, 4, true, false},
		"runAsyncWithMTLCommandQueue:feeds:targetOperations:resultsDictionary:executionDescriptor:": {
			0, 1, -1, 2, 3, 4, true, false},
		"encodeToCommandBuffer:feeds:targetTensors:targetOperations:executionDescriptor:": {
			0, 1, 2, 3, -1, 4, false, true},
		"encodeToCommandBuffer:feeds:targetOperations:resultsDictionary:executionDescriptor:": {
			0, 1, -1, 2, 3, 4, false, true},
	} {
		m[selector] = n.method()
	}
	return m
}
