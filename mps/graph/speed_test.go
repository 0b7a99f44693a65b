package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// timing is how long a run took by the clock, and its kernels on the device.
type timing struct{ whole, kernels time.Duration }

// timed encodes the graph to a new command buffer, waits for it, and measures both.
func (r *rig) timed(feeds map[Tensor]TensorData, target Tensor) (t timing) {
	r.t.Helper()
	objc.Pool(func() {
		began := time.Now()
		cb, err := mps.CommandBufferFromCommandQueue(r.queue)
		require.NoError(r.t, err)
		results := r.graph.EncodeToCommandBufferTargetTensors(cb, feeds, []Tensor{target}, nil, ExecutionDescriptor{})
		require.NoError(r.t, cb.Commit())
		require.NoError(r.t, cb.WaitUntilCompleted())
		t.whole = time.Since(began)
		require.Len(r.t, results, 1)
		root := cb.RootCommandBuffer()
		t.kernels = time.Duration((root.GPUEndTime() - root.GPUStartTime()) * float64(time.Second))
	})
	return t
}

// median returns the middle of a list, which it sorts.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// network adds a small convolutional network for pictures of side x side pixels: two layers of
// convolution, bias, ReLU and pooling, and a dense layer with softmax.
func (r *rig) network(batch, side int) (in, out Tensor) {
	r.t.Helper()
	same, err := Convolution2DOpDescriptorWithStrideInX(1, 1, 1, 1, 1, PaddingStyleTF_SAME, TensorNamedDataLayoutNHWC,
		TensorNamedDataLayoutHWIO)
	require.NoError(r.t, err)
	halves, err := Pooling2DOpDescriptorWithKernelWidth(2, 2, 2, 2, PaddingStyleTF_VALID, TensorNamedDataLayoutNHWC)
	require.NoError(r.t, err)
	g := r.graph
	rng := rand.New(rand.NewPCG(1, 2))
	weights := func(shape ...int) Tensor {
		values := make([]float32, product(shape))
		for i := range values {
			values[i] = float32(rng.NormFloat64()) / 8
		}
		return r.floats(values, shape...)
	}
	layer := func(x Tensor, from, to int) Tensor {
		x = g.Convolution2DWithSourceTensor(x, weights(3, 3, from, to), same, "")
		x = g.ReLUWithTensor(g.AdditionWithPrimaryTensor(x, weights(to), ""), "")
		return g.MaxPooling2DWithSourceTensor(x, halves, "")
	}
	in = r.placeholder(batch, side, side, 3)
	x := layer(layer(in, 3, 16), 16, 32)
	x = g.ReshapeTensor(x, []int{batch, side * side / 16 * 32}, "")
	x = g.MatrixMultiplicationWithPrimaryTensor(x, weights(side*side/16*32, 10), "")
	return in, g.SoftMaxWithTensor(g.AdditionWithPrimaryTensor(x, weights(10), ""), 1, "")
}

// BenchmarkNetwork reports how much longer a run of a small network takes than its kernels, as the
// metric overhead-%: the median of the runs. The graph has a plan from the first run.
func BenchmarkNetwork(b *testing.B) {
	r := newRig(b)
	const batch, side = 16, 32
	in, out := r.network(batch, side)
	feeds := map[Tensor]TensorData{in: r.data(numbers(3, batch*side*side*3), batch, side, side, 3)}
	r.timed(feeds, out)
	var overhead []float64
	for b.Loop() {
		t := r.timed(feeds, out)
		overhead = append(overhead, 100*(float64(t.whole)/float64(t.kernels)-1))
	}
	b.ReportMetric(median(overhead), "overhead-%")
}

// BenchmarkChain compares a chain of six elementwise operations, which one kernel computes, with a
// graph of one operation, which is limited by memory. The metric ratio is that of the medians.
func BenchmarkChain(b *testing.B) {
	r := newRig(b)
	const n = 1 << 22
	g := r.graph
	x := r.placeholder(n)
	constant := func(v float64) Tensor { return g.ConstantWithScalar(v, mps.DataTypeFloat32) }
	one := g.AdditionWithPrimaryTensor(x, constant(1), "")
	six := g.MultiplicationWithPrimaryTensor(x, constant(1.5), "")
	six = g.AdditionWithPrimaryTensor(six, constant(0.25), "")
	six = g.ReLUWithTensor(six, "")
	six = g.SubtractionWithPrimaryTensor(six, constant(2), "")
	six = g.AbsoluteWithTensor(six, "")
	six = g.MaximumWithPrimaryTensor(six, constant(0.5), "")
	feeds := map[Tensor]TensorData{x: r.data(numbers(4, n), n)}
	r.timed(feeds, one)
	r.timed(feeds, six)
	var times [2][]float64
	b.SetBytes(2 * 4 * n)
	for b.Loop() {
		times[0] = append(times[0], float64(r.timed(feeds, one).whole))
		times[1] = append(times[1], float64(r.timed(feeds, six).whole))
	}
	b.ReportMetric(median(times[0])/1e6, "one-ms")
	b.ReportMetric(median(times[1])/1e6, "six-ms")
	b.ReportMetric(median(times[1])/median(times[0]), "ratio")
}
