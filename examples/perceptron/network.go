package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/ops"
)

//go:embed perceptron.metal
var source string

type array = ops.Array[float32]

// layer is a layer's weights on the device, with the gradient of the loss and the velocity of
// gradient descent.
type layer struct{ weight, gradient, velocity array }

// network is a two-layer perceptron on the device, with its training points.
type network struct {
	acc     *compute.Accelerator
	stream  *compute.Stream
	ops     *ops.Ops
	kernels map[string]*compute.Kernel
	closers []func()

	rows, width   int
	input, ones   array // rows x 2; 1 x rows, to sum the rows of a matrix by a product
	classes       *compute.Buffer[uint32]
	h, gradH      array // rows x width
	z, p, gradZ   array // rows x 2
	first, second layer
	bias1, bias2  layer
}

// newNetwork copies weights and points to the device.
func newNetwork(ctx context.Context, acc *compute.Accelerator, w weights, d dataset) (_ *network, err error) {
	n := &network{acc: acc, rows: len(d.classes), width: len(w.firstBias), kernels: map[string]*compute.Kernel{}}
	defer func() {
		if err != nil {
			n.close()
		}
	}()
	program, err := acc.Compile(ctx, source, compute.CompileOptions{Name: "perceptron.metal"})
	if err != nil {
		return nil, err
	}
	n.closers = append(n.closers, program.Close)
	for _, name := range program.KernelNames() {
		if n.kernels[name], err = program.Kernel(name); err != nil {
			return nil, err
		}
	}
	n.ops = ops.New(acc)
	n.closers = append(n.closers, n.ops.Close)
	if n.stream, err = acc.NextStream(); err != nil {
		return nil, err
	}
	if n.classes, err = compute.BufferOf(ctx, acc, d.classes); err != nil {
		return nil, err
	}
	n.closers = append(n.closers, n.classes.Close)
	ones := make([]float32, n.rows)
	for i := range ones {
		ones[i] = 1
	}
	for _, a := range []struct {
		to         *array
		data       []float32 // nil for zeros
		rows, cols int
	}{
		{&n.input, d.points, n.rows, 2}, {&n.ones, ones, 1, n.rows},
		{&n.h, nil, n.rows, n.width}, {&n.gradH, nil, n.rows, n.width},
		{&n.z, nil, n.rows, 2}, {&n.p, nil, n.rows, 2}, {&n.gradZ, nil, n.rows, 2},
	} {
		if *a.to, err = n.array(ctx, a.data, a.rows, a.cols); err != nil {
			return nil, err
		}
	}
	for _, l := range []struct {
		to         *layer
		data       []float32
		rows, cols int
	}{{&n.first, w.first, 2, n.width}, {&n.bias1, w.firstBias, 1, n.width}, {&n.second, w.second, n.width, 2},
		{&n.bias2, w.secondBias, 1, 2}} {
		if l.to.weight, err = n.array(ctx, l.data, l.rows, l.cols); err != nil {
			return nil, err
		}
		if l.to.gradient, err = n.array(ctx, nil, l.rows, l.cols); err != nil {
			return nil, err
		}
		if l.to.velocity, err = n.array(ctx, nil, l.rows, l.cols); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// array creates a matrix on the device.
func (n *network) array(ctx context.Context, data []float32, rows, cols int) (array, error) {
	b, err := compute.NewZeroed[float32](ctx, n.acc, rows*cols, compute.BufferOptions{})
	if err != nil {
		return array{}, err
	}
	n.closers = append(n.closers, b.Close)
	if err := b.Upload(ctx, data); err != nil {
		return array{}, err
	}
	return ops.Of(b, rows, cols)
}

func (n *network) close() {
	for _, c := range n.closers {
		c()
	}
}

// launch enqueues a kernel with one thread per element of a matrix.
func (n *network) launch(ctx context.Context, name string, on array, args ...any) error {
	return n.stream.Launch(ctx, n.kernels[name], compute.Threads2D(on.Shape[1], on.Shape[0]),
		append([]any{on.Buffer}, args...)...)
}

// forward computes p, the probability of each class for each point.
func (n *network) forward(ctx context.Context) error {
	return each(
		func() error { return ops.MatMul(ctx, n.ops, n.stream, n.h, n.input, n.first.weight) },
		func() error { return n.launch(ctx, "hidden", n.h, n.bias1.weight.Buffer) },
		func() error { return ops.MatMul(ctx, n.ops, n.stream, n.z, n.h, n.second.weight) },
		func() error { return n.launch(ctx, "add_bias", n.z, n.bias2.weight.Buffer) },
		func() error { return ops.Softmax(ctx, n.ops, n.stream, n.p, n.z) },
	)
}

// backward computes the gradients of the loss, after forward.
func (n *network) backward(ctx context.Context) error {
	product := func(out, a, b array) func() error {
		return func() error { return ops.MatMul(ctx, n.ops, n.stream, out, a, b) }
	}
	return each(
		func() error { return n.launch(ctx, "loss_gradient", n.gradZ, n.p.Buffer, n.classes) },
		product(n.second.gradient, n.h.Transposed(), n.gradZ),
		product(n.bias2.gradient, n.ones, n.gradZ),
		product(n.gradH, n.gradZ, n.second.weight.Transposed()),
		func() error { return n.launch(ctx, "tanh_gradient", n.gradH, n.h.Buffer) },
		product(n.first.gradient, n.input.Transposed(), n.gradH),
		product(n.bias1.gradient, n.ones, n.gradH),
	)
}

// descend updates the weights, after backward.
func (n *network) descend(ctx context.Context, rate, momentum float32) error {
	for _, l := range []layer{n.first, n.bias1, n.second, n.bias2} {
		if err := n.stream.Launch(ctx, n.kernels["descend"], compute.Threads1D(l.weight.Len()), l.weight.Buffer,
			l.velocity.Buffer, l.gradient.Buffer, rate, momentum); err != nil {
			return err
		}
	}
	return nil
}

// step enqueues one epoch of full-batch training. It does not wait for the device.
func (n *network) step(ctx context.Context, rate, momentum float32) error {
	return each(
		func() error { return n.forward(ctx) },
		func() error { return n.backward(ctx) },
		func() error { return n.descend(ctx, rate, momentum) },
	)
}

// evaluate computes the mean cross entropy and the fraction of points classified correctly.
func (n *network) evaluate(ctx context.Context) (loss, accuracy float64, err error) {
	if err := n.forward(ctx); err != nil {
		return 0, 0, err
	}
	if err := n.stream.Sync(ctx); err != nil {
		return 0, 0, err
	}
	p := make([]float32, n.p.Len())
	if err := n.p.Buffer.Download(ctx, p); err != nil {
		return 0, 0, err
	}
	classes, err := n.classes.Data()
	if err != nil {
		return 0, 0, err
	}
	for i, c := range classes {
		own, other := float64(p[2*i+int(c)]), float64(p[2*i+1-int(c)])
		loss -= math.Log(max(own, 1e-30)) / float64(n.rows)
		if own > other {
			accuracy += 1 / float64(n.rows)
		}
	}
	return loss, accuracy, nil
}

// each calls functions until one fails.
func each(calls ...func() error) error {
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}
