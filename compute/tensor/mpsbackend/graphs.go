package mpsbackend

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// MaxGraphs is how many graphs an engine keeps; the one that was used the longest ago is released
// for another.
const MaxGraphs = 64

// graphs is the backend with MPSGraph.
type graphs struct {
	acc *compute.Accelerator

	mu     sync.Mutex // also during a run: graphs are used by one goroutine at a time
	queue  mtl.CommandQueue
	byKey  map[string]*list.Element
	recent list.List // of *compiled, the last one used first
	closed bool
}

// compiled is a graph of one operation.
type compiled struct {
	key    string
	graph  graph.Graph
	in     []graph.Tensor
	result graph.Tensor
}

func newGraphs(acc *compute.Accelerator) (backend.Backend, error) {
	g, err := graph.NewGraph()
	if err != nil {
		return nil, err
	}
	g.Release()
	queue, err := acc.Device().NewCommandQueue()
	if err != nil {
		return nil, err
	}
	queue.SetLabel("tensors, MPSGraph")
	return &graphs{acc: acc, queue: queue, byKey: map[string]*list.Element{}}, nil
}

func (b *graphs) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for b.recent.Len() > 0 {
		b.evict()
	}
	b.queue.Release()
	b.queue = mtl.CommandQueue{}
}

// evict releases the graph that was used the longest ago. The lock is held.
func (b *graphs) evict() {
	c := b.recent.Remove(b.recent.Back()).(*compiled)
	delete(b.byKey, c.key)
	c.graph.Release()
}

func (b *graphs) Refuse(c *backend.Call) string {
	switch spec := c.Spec.(type) {
	case backend.MatMul:
		for _, o := range c.In {
			if o.Rank() < 2 {
				return "takes matrices and no vectors"
			}
		}
	case backend.Softmax:
		if spec.Log {
			return "does not have the operation"
		}
	case backend.Conv:
		if len(c.In[0].Shape) != 4 {
			return "takes convolutions of two spatial dimensions"
		}
	default:
		return "does not have the operation"
	}
	if why := refuseTypes(c); why != "" {
		return why
	}
	for _, o := range c.In {
		if _, offset := o.Buffer.Metal(); !o.IsDense() || o.Offset != 0 || offset != 0 {
			return "takes contiguous tensors that begin their memory"
		}
	}
	return ""
}

func (b *graphs) Run(ctx context.Context, s *compute.Stream, c *backend.Call) error {
	// MPSGraph may commit what it encodes, so it cannot share the stream's command buffer. Without
	// an event on the device, the host waits for the stream, and then for the graph.
	earlier, err := b.acc.NewEvent(compute.EventOptions{Label: "tensors, MPSGraph"})
	if err != nil {
		return err
	}
	defer earlier.Close()
	if err := s.Record(ctx, earlier); err != nil {
		return err
	}
	if err := earlier.Wait(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return fmt.Errorf("the backend: %w", compute.ErrClosed)
	}
	objc.Pool(func() { err = b.run(c) })
	return err
}

// run runs the graph of a call and waits for it. The lock is held.
func (b *graphs) run(c *backend.Call) error {
	g, err := b.graph(c)
	if err != nil {
		return err
	}
	feeds := map[graph.Tensor]graph.TensorData{}
	for i, o := range c.In {
		memory, _ := o.Buffer.Metal()
		typ, _ := dataType(o.Type)
		data, err := graph.NewTensorDataWithMTLBuffer(memory, shapeOf(o.View), typ)
		if err = made(data, err); err != nil {
			return err
		}
		defer data.Release()
		feeds[g.in[i]] = data
	}
	commands, err := mps.CommandBufferFromCommandQueue(b.queue)
	if err = made(commands, err); err != nil {
		return err
	}
	results := g.graph.EncodeToCommandBufferTargetTensors(commands, feeds, []graph.Tensor{g.result}, nil,
		graph.ExecutionDescriptor{})
	result, ok := results[g.result]
	if !ok || result.IsNil() {
		return fmt.Errorf("the graph gave no result: %w", compute.ErrExecution)
	}
	// A copy, because only a graph that makes its result tells that it failed to.
	out := c.Out[0]
	memory, offset := out.Buffer.Metal()
	typ, _ := dataType(out.Type)
	result.Mpsndarray().ExportDataWithCommandBufferToBuffer(commands.CommandBuffer, memory, typ,
		offset+uint(out.Offset*out.Type.Size()), nil)
	if err := commands.Commit(); err != nil {
		return err
	}
	// Not with the call's context: the buffers are in use until the end.
	return commands.Wait(context.Background())
}

// shapeOf returns a shape for MPSGraph, to which an empty one is a scalar's and nil unknown.
func shapeOf(v tensorop.View) []int { return append([]int{}, v.Shape...) }

// graph returns the graph of a call. The lock is held.
func (b *graphs) graph(c *backend.Call) (*compiled, error) {
	key := fmt.Sprintf("%T %+v", c.Spec, c.Spec)
	for _, o := range c.In {
		key += fmt.Sprint(" ", o.Type, o.Shape)
	}
	if at, ok := b.byKey[key]; ok {
		b.recent.MoveToFront(at)
		return at.Value.(*compiled), nil
	}
	g, err := graph.NewGraph()
	if err = made(g, err); err != nil {
		return nil, err
	}
	n := &compiled{key: key, graph: g}
	for _, o := range c.In {
		typ, _ := dataType(o.Type)
		n.in = append(n.in, g.PlaceholderWithShapeDataType(shapeOf(o.View), typ, ""))
	}
	switch spec := c.Spec.(type) {
	case backend.MatMul:
		n.result = g.MatrixMultiplicationWithPrimaryTensor(n.in[0], n.in[1], "")
	case backend.Softmax:
		n.result = g.SoftMaxWithTensor(n.in[0], spec.Axis, "")
	case backend.Conv:
		n.result, err = convolution(g, n.in, spec)
	}
	if err = made(n.result, err); err != nil {
		g.Release()
		return nil, err
	}
	if b.recent.Len() == MaxGraphs {
		b.evict()
	}
	b.byKey[key] = b.recent.PushFront(n)
	return n, nil
}

func convolution(g graph.Graph, in []graph.Tensor, spec backend.Conv) (t graph.Tensor, err error) {
	at := func(list []int, i, missing int) uint {
		if list == nil {
			return uint(missing)
		}
		return uint(list[i])
	}
	w := spec.Window
	d, err := graph.Convolution2DOpDescriptorWithStrideInXStrideInYDilationRateInXDilationRateInYGroupsPaddingLeft(
		at(w.Strides, 1, 1), at(w.Strides, 0, 1), at(w.Dilations, 1, 1), at(w.Dilations, 0, 1), uint(spec.Groups),
		at(w.Before, 1, 0), at(w.After, 1, 0), at(w.Before, 0, 0), at(w.After, 0, 0), graph.PaddingStyleExplicit,
		graph.TensorNamedDataLayoutNCHW, graph.TensorNamedDataLayoutOIHW)
	if err = made(d, err); err != nil {
		return t, err
	}
	return g.Convolution2DWithSourceTensor(in[0], in[1], d, ""), nil
}
