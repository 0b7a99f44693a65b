package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// network is a convolutional network for batches of pictures, and the graph that trains it. The
// weights are variables of the graph and stay on the device.
type network struct {
	device mtl.Device
	queue  mtl.CommandQueue
	graph  graph.Graph
	batch  int

	pictures, targets graph.Tensor // batch x side x side x 1, and batch x classes
	rate              graph.Tensor // a scalar
	loss              graph.Tensor // the batch's mean cross entropy, a scalar
	guesses           graph.Tensor // the likeliest digit of each picture: batch x 1 of int32
	updates           []graph.Operation
}

// newNetwork builds the graph, with random weights.
func newNetwork(device mtl.Device, seed uint64, batch int) (n *network, err error) {
	n = &network{device: device, batch: batch}
	if err = watch(func() error { return n.build(rand.New(rand.NewPCG(seed, 3))) }); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

func (n *network) close() {
	n.graph.Release()
	n.queue.Release()
}

// build makes two layers of 3 x 3 convolutions, each with a bias, ReLU and max pooling over 2 x 2
// places, and a dense layer that returns a score for each digit.
func (n *network) build(rng *rand.Rand) (err error) {
	if n.queue, err = n.device.NewCommandQueue(); err != nil {
		return err
	}
	if n.graph, err = graph.NewGraph(); err != nil {
		return err
	}
	g := n.graph
	n.pictures = g.PlaceholderWithShapeDataType([]int{n.batch, side, side, 1}, mps.DataTypeFloat32, "pictures")
	n.targets = g.PlaceholderWithShapeDataType([]int{n.batch, classes}, mps.DataTypeFloat32, "targets")
	n.rate = g.PlaceholderWithShapeDataType([]int{1}, mps.DataTypeFloat32, "rate")

	const first, second, left = 8, 16, side / 4 // channels, and the side after two poolings
	w1, b1 := n.variable(rng, "w1", 3, 3, 1, first), n.variable(nil, "b1", first)
	w2, b2 := n.variable(rng, "w2", 3, 3, first, second), n.variable(nil, "b2", second)
	w3, b3 := n.variable(rng, "w3", left*left*second, classes), n.variable(nil, "b3", classes)
	x, err := n.convolution(n.pictures, w1, b1)
	if err != nil {
		return err
	}
	if x, err = n.convolution(x, w2, b2); err != nil {
		return err
	}
	x = g.ReshapeTensor(x, []int{n.batch, left * left * second}, "")
	scores := g.AdditionWithPrimaryTensor(g.MatrixMultiplicationWithPrimaryTensor(x, w3, ""), b3, "scores")
	n.guesses = g.ReductionArgMaximumWithTensor(scores, 1, "guesses")
	n.loss = g.SoftMaxCrossEntropyWithSourceTensor(scores, n.targets, 1, graph.LossReductionTypeSum, "")
	n.loss = g.DivisionWithPrimaryTensor(n.loss, g.ConstantWithScalar(float64(n.batch), mps.DataTypeFloat32), "loss")

	weights := []graph.Tensor{w1, b1, w2, b2, w3, b3}
	gradients := g.GradientForPrimaryTensor(n.loss, weights, "")
	momentum := g.ConstantWithScalar(0.9, mps.DataTypeFloat32)
	for _, w := range weights {
		velocity := n.variable(nil, "", w.Shape()...)
		kept := g.MultiplicationWithPrimaryTensor(velocity, momentum, "")
		faster := g.AdditionWithPrimaryTensor(kept, gradients[w], "")
		next := g.StochasticGradientDescentWithLearningRateTensor(n.rate, w, faster, "")
		n.updates = append(n.updates, g.AssignVariable(velocity, faster, ""), g.AssignVariable(w, next, ""))
	}
	return nil
}

// variable makes a variable: zeros without rng, else normally distributed with a variance of 2 over
// the number of a unit's inputs, which suits ReLU.
func (n *network) variable(rng *rand.Rand, name string, shape ...int) graph.Tensor {
	size := 1
	for _, d := range shape {
		size *= d
	}
	values := make([]float32, size)
	if rng != nil {
		inputs := size / shape[len(shape)-1]
		for i := range values {
			values[i] = float32(rng.NormFloat64() * math.Sqrt(2/float64(inputs)))
		}
	}
	return n.graph.VariableWithData(encode(values), shape, mps.DataTypeFloat32, name)
}

// convolution is one layer. Its result has half the places of x in each direction.
func (n *network) convolution(x, weights, bias graph.Tensor) (graph.Tensor, error) {
	same, err := graph.Convolution2DOpDescriptorWithStrideInX(1, 1, 1, 1, 1, graph.PaddingStyleTF_SAME,
		graph.TensorNamedDataLayoutNHWC, graph.TensorNamedDataLayoutHWIO)
	if err != nil {
		return x, err
	}
	halves, err := graph.Pooling2DOpDescriptorWithKernelWidth(2, 2, 2, 2, graph.PaddingStyleTF_VALID,
		graph.TensorNamedDataLayoutNHWC)
	if err != nil {
		return x, err
	}
	g := n.graph
	x = g.AdditionWithPrimaryTensor(g.Convolution2DWithSourceTensor(x, weights, same, ""), bias, "")
	return g.MaxPooling2DWithSourceTensor(g.ReLUWithTensor(x, ""), halves, ""), nil
}

// train takes one step of gradient descent, with momentum, on a batch and returns the batch's loss
// before it.
func (n *network) train(d digits, rate float64) (float64, error) {
	pixels, targets := d.batch(0, n.batch)
	loss := make([]float32, 1)
	err := n.run(n.loss, loss, n.updates, map[graph.Tensor][]float32{n.pictures: pixels, n.targets: targets,
		n.rate: {float32(rate)}})
	return float64(loss[0]), err
}

// classify returns the network's guess for each picture. Their number must be a multiple of the
// batch size.
func (n *network) classify(d digits) ([]int32, error) {
	if len(d.labels)%n.batch != 0 {
		return nil, fmt.Errorf("%d pictures, want a multiple of the batch size %d", len(d.labels), n.batch)
	}
	guesses := make([]int32, len(d.labels))
	for i := 0; i < len(guesses); i += n.batch {
		pixels, _ := d.batch(i, n.batch)
		err := n.run(n.guesses, guesses[i:i+n.batch], nil, map[graph.Tensor][]float32{n.pictures: pixels})
		if err != nil {
			return nil, err
		}
	}
	return guesses, nil
}

// run runs the graph for one target and the updates, and decodes the target's elements into out.
func (n *network) run(target graph.Tensor, out any, updates []graph.Operation,
	inputs map[graph.Tensor][]float32) error {
	return watch(func() error {
		device, err := graph.DeviceWithMTLDevice(n.device)
		if err != nil {
			return err
		}
		feeds := map[graph.Tensor]graph.TensorData{}
		for t, values := range inputs {
			data, err := graph.NewTensorDataWithDevice(device, encode(values), t.Shape(), mps.DataTypeFloat32)
			if err != nil {
				return err
			}
			defer data.Release()
			feeds[t] = data
		}
		results, err := n.graph.RunWithMTLCommandQueueTargetTensors(n.queue, feeds, []graph.Tensor{target}, updates)
		if err != nil {
			return err
		}
		raw := make([]byte, binary.Size(out))
		results[target].Mpsndarray().ReadBytes(raw, nil)
		_, err = binary.Decode(raw, binary.LittleEndian, out)
		return err
	})
}

// encode returns numbers as they are in the device's memory.
func encode(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
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
