package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/ops"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// method is a way to multiply matrices.
type method struct {
	name string
	open func(ctx context.Context, acc *compute.Accelerator, p *problem) (multiplier, error)
}

// multiplier is a method with the factors of a problem in its memory.
type multiplier interface {
	multiply(ctx context.Context) error             // returns when the product is ready
	product(ctx context.Context) ([]float32, error) // the last one
	close(ctx context.Context)
}

func methods() []method {
	return []method{{"plain Go", openPlain}, {"compute/ops", openOps}, {"compute/tensor", openTensor}, {"mps", openMPS},
		{"mps/graph", openGraph}}
}

// plain multiplies with three loops on one processor.
type plain struct {
	*problem
	out []float32
}

func openPlain(_ context.Context, _ *compute.Accelerator, p *problem) (multiplier, error) {
	return &plain{p, make([]float32, p.n*p.n)}, nil
}

func (m *plain) multiply(context.Context) error {
	n := m.n
	clear(m.out)
	for i := range n {
		out := m.out[i*n:][:n]
		for k := range n {
			x := m.a[i*n+k]
			for j, y := range m.b[k*n:][:n] {
				out[j] += x * y
			}
		}
	}
	return nil
}

func (m *plain) product(context.Context) ([]float32, error) { return m.out, nil }
func (m *plain) close(context.Context)                      {}

// buffers are the factors and the product in buffers of package compute. Other packages may use
// them through Buffer.Metal.
type buffers struct{ a, b, out *compute.Buffer[float32] }

func openBuffers(ctx context.Context, acc *compute.Accelerator, p *problem) (m buffers, err error) {
	if m.a, err = compute.BufferOf(ctx, acc, p.a); err == nil {
		if m.b, err = compute.BufferOf(ctx, acc, p.b); err == nil {
			m.out, err = compute.NewZeroed[float32](ctx, acc, p.n*p.n, compute.BufferOptions{Intent: compute.Readback})
		}
	}
	if err == nil {
		err = acc.Sync(ctx) // other queues do not wait for the accelerator's streams
	}
	if err != nil {
		m.close(ctx)
	}
	return m, err
}

func (m *buffers) product(ctx context.Context) ([]float32, error) {
	out := make([]float32, m.out.Len())
	return out, m.out.Download(ctx, out)
}

func (m *buffers) close(context.Context) {
	for _, b := range []*compute.Buffer[float32]{m.a, m.b, m.out} {
		if b != nil {
			b.Close()
		}
	}
}

// opsProduct multiplies with compute/ops.
type opsProduct struct {
	buffers
	ops       *ops.Ops
	stream    *compute.Stream
	a, b, out ops.Array[float32]
}

func openOps(ctx context.Context, acc *compute.Accelerator, p *problem) (multiplier, error) {
	stream, err := acc.NextStream()
	if err != nil {
		return nil, err
	}
	b, err := openBuffers(ctx, acc, p)
	if err != nil {
		return nil, err
	}
	m := &opsProduct{buffers: b, ops: ops.New(acc), stream: stream}
	var errs [3]error
	m.a, errs[0] = ops.Of(m.buffers.a, p.n, p.n)
	m.b, errs[1] = ops.Of(m.buffers.b, p.n, p.n)
	m.out, errs[2] = ops.Of(m.buffers.out, p.n, p.n)
	if err := errors.Join(errs[:]...); err != nil {
		m.close(ctx)
		return nil, err
	}
	return m, nil
}

func (m *opsProduct) multiply(ctx context.Context) error {
	if err := ops.MatMul(ctx, m.ops, m.stream, m.out, m.a, m.b); err != nil {
		return err
	}
	return m.stream.Sync(ctx)
}

func (m *opsProduct) close(ctx context.Context) {
	m.ops.Close()
	m.buffers.close(ctx)
}

// tensorProduct multiplies with compute/tensor.
type tensorProduct struct {
	engine *tensor.Engine
	scope  *tensor.Scope // of the factors
	a, b   *tensor.Tensor
	out    *tensor.Scope // of the last product, nil before
	last   *tensor.Tensor
}

func openTensor(ctx context.Context, acc *compute.Accelerator, p *problem) (multiplier, error) {
	engine, err := tensor.New(acc)
	if err != nil {
		return nil, err
	}
	m := &tensorProduct{engine: engine, scope: engine.Scope(ctx)}
	m.a, m.b = tensor.Of(m.scope, p.a, p.n, p.n), tensor.Of(m.scope, p.b, p.n, p.n)
	if err := m.scope.Err(); err != nil {
		m.close(ctx)
		return nil, err
	}
	return m, nil
}

func (m *tensorProduct) multiply(ctx context.Context) error {
	if m.out != nil {
		m.out.Close() // the engine uses the memory again
	}
	m.out = m.engine.Scope(ctx)
	m.last = m.out.MatMul(m.a, m.b)
	return errors.Join(m.out.Err(), m.engine.Sync(ctx))
}

func (m *tensorProduct) product(ctx context.Context) ([]float32, error) {
	return tensor.Data[float32](ctx, m.last)
}

func (m *tensorProduct) close(ctx context.Context) {
	if m.out != nil {
		m.out.Close()
	}
	m.scope.Close()
	_ = m.engine.Close(ctx) // Sync has returned the errors already
}

// watch runs f in an autorelease pool and returns its error and the first fault during it: most
// methods of packages mps and graph, as of Apple's frameworks, return no error.
func watch(f func() error) error {
	var mu sync.Mutex
	var first error
	restore := objc.OnFault(func(fault *objc.Fault) {
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = fault
		}
	})
	var err error
	objc.Pool(func() { err = f() })
	restore()
	mu.Lock()
	defer mu.Unlock()
	return errors.Join(err, first)
}

// mpsProduct multiplies with MPSMatrixMultiplication, on a queue of its own. It waits for each
// command buffer, so that queue and streams need no event between them.
type mpsProduct struct {
	buffers
	queue  mtl.CommandQueue
	kernel mps.MatrixMultiplication
	a, b   mps.Matrix
	out    mps.Matrix
}

func openMPS(ctx context.Context, acc *compute.Accelerator, p *problem) (multiplier, error) {
	b, err := openBuffers(ctx, acc, p)
	if err != nil {
		return nil, err
	}
	m := &mpsProduct{buffers: b}
	if err := watch(func() error { return m.prepare(acc.Device(), uint(p.n)) }); err != nil {
		m.close(ctx)
		return nil, err
	}
	return m, nil
}

func (m *mpsProduct) prepare(d mtl.Device, n uint) (err error) {
	if m.queue, err = d.NewCommandQueue(); err != nil {
		return err
	}
	if m.kernel, err = mps.NewMatrixMultiplicationWithDevice(d, n, n, n); err != nil {
		return err
	}
	shape, err := mps.MatrixDescriptorWithRows(n, n, 4*n, mps.DataTypeFloat32)
	if err != nil {
		return err
	}
	for _, x := range []struct {
		matrix *mps.Matrix
		buffer *compute.Buffer[float32]
	}{{&m.a, m.buffers.a}, {&m.b, m.buffers.b}, {&m.out, m.buffers.out}} {
		memory, offset := x.buffer.Metal()
		if *x.matrix, err = mps.NewMatrixWithBufferOffset(memory, offset, shape); err != nil {
			return err
		}
	}
	return nil
}

func (m *mpsProduct) multiply(ctx context.Context) error {
	return watch(func() error {
		commands, err := m.queue.CommandBuffer()
		if err != nil {
			return err
		}
		m.kernel.EncodeToCommandBuffer(commands, m.a, m.b, m.out)
		if err := commands.Commit(); err != nil {
			return err
		}
		return commands.Wait(ctx)
	})
}

func (m *mpsProduct) close(ctx context.Context) {
	for _, x := range []mps.Matrix{m.a, m.b, m.out} {
		x.Release()
	}
	m.kernel.Release()
	m.queue.Release()
	m.buffers.close(ctx)
}

// graphProduct multiplies with a graph of one operation.
type graphProduct struct {
	buffers
	n     int
	queue mtl.CommandQueue
	graph graph.Graph
	feeds map[graph.Tensor]graph.TensorData // the factors
	c     graph.Tensor
}

func openGraph(ctx context.Context, acc *compute.Accelerator, p *problem) (multiplier, error) {
	b, err := openBuffers(ctx, acc, p)
	if err != nil {
		return nil, err
	}
	m := &graphProduct{buffers: b, n: p.n, feeds: map[graph.Tensor]graph.TensorData{}}
	if err := watch(func() error { return m.prepare(acc.Device()) }); err != nil {
		m.close(ctx)
		return nil, err
	}
	return m, nil
}

func (m *graphProduct) prepare(d mtl.Device) (err error) {
	if m.queue, err = d.NewCommandQueue(); err != nil {
		return err
	}
	if m.graph, err = graph.NewGraph(); err != nil {
		return err
	}
	shape := []int{m.n, m.n}
	var factors [2]graph.Tensor
	for i, b := range []*compute.Buffer[float32]{m.buffers.a, m.buffers.b} {
		memory, offset := b.Metal()
		if offset != 0 {
			return fmt.Errorf("a factor begins at byte %d of its buffer, those of MPSGraph begin at byte 0", offset)
		}
		data, err := graph.NewTensorDataWithMTLBuffer(memory, shape, mps.DataTypeFloat32)
		if err != nil {
			return err
		}
		factors[i] = m.graph.PlaceholderWithShapeDataType(shape, mps.DataTypeFloat32, "")
		m.feeds[factors[i]] = data
	}
	m.c = m.graph.MatrixMultiplicationWithPrimaryTensor(factors[0], factors[1], "")
	return nil
}

// run runs the graph, in a pool, and calls use with the product.
func (m *graphProduct) run(use func(graph.TensorData)) error {
	return watch(func() error {
		results, err := m.graph.RunWithMTLCommandQueueTargetTensors(m.queue, m.feeds, []graph.Tensor{m.c}, nil)
		if err != nil {
			return err
		}
		use(results[m.c])
		return nil
	})
}

func (m *graphProduct) multiply(context.Context) error { return m.run(func(graph.TensorData) {}) }

// product runs the graph once more: its results end with the pool.
func (m *graphProduct) product(context.Context) ([]float32, error) {
	out, raw := make([]float32, m.n*m.n), make([]byte, 4*m.n*m.n)
	if err := m.run(func(c graph.TensorData) { c.Mpsndarray().ReadBytes(raw, nil) }); err != nil {
		return nil, err
	}
	return out, binary.Read(bytes.NewReader(raw), binary.LittleEndian, out)
}

func (m *graphProduct) close(ctx context.Context) {
	for _, data := range m.feeds {
		data.Release()
	}
	m.graph.Release()
	m.queue.Release()
	m.buffers.close(ctx)
}
