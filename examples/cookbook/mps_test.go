package cookbook

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"math/rand/v2"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/filter"
	"github.com/puremetal/puremetal/mps/graph"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

func Example_train() {
	defer objc.OnFault(func(f *objc.Fault) { panic(f) })() // most methods of mps and graph return no error
	device := must(mtl.DefaultDevice())
	defer device.Release()
	queue := must(device.NewCommandQueue())
	defer queue.Release()
	g := must(graph.NewGraph())
	defer g.Release()

	const float = mps.DataTypeFloat32
	rng := rand.New(rand.NewPCG(1, 1))
	variable := func(shape ...int) graph.Tensor {
		values := make([]float32, shape[0]*shape[1])
		for i := range values {
			values[i] = float32(rng.NormFloat64())
		}
		return g.VariableWithData(must(binary.Append(nil, binary.LittleEndian, values)), shape, float, "")
	}
	dense := func(x, weights, bias graph.Tensor) graph.Tensor {
		return g.AdditionWithPrimaryTensor(g.MatrixMultiplicationWithPrimaryTensor(x, weights, ""), bias, "")
	}
	var x, y, guess, loss graph.Tensor
	var updates []graph.Operation
	objc.Pool(func() { // two inputs, eight units, one output
		x = g.PlaceholderWithShapeDataType([]int{4, 2}, float, "x")
		y = g.PlaceholderWithShapeDataType([]int{4, 1}, float, "y")
		weights := []graph.Tensor{variable(2, 8), variable(1, 8), variable(8, 1), variable(1, 1)}
		hidden := g.TanhWithTensor(dense(x, weights[0], weights[1]), "")
		guess = g.SigmoidWithTensor(dense(hidden, weights[2], weights[3]), "")
		loss = g.MeanOfTensor(g.SquareWithTensor(g.SubtractionWithPrimaryTensor(guess, y, ""), ""), []int{0, 1}, "")
		gradients := g.GradientForPrimaryTensor(loss, weights, "")
		rate := g.ConstantWithScalar(2, float)
		for _, w := range weights {
			better := g.StochasticGradientDescentWithLearningRateTensor(rate, w, gradients[w], "")
			updates = append(updates, g.AssignVariable(w, better, ""))
		}
	})

	feed := func(shape []int, values ...float32) graph.TensorData {
		bytes := must(binary.Append(nil, binary.LittleEndian, values))
		return must(graph.NewTensorDataWithDevice(must(graph.DeviceWithMTLDevice(device)), bytes, shape, float))
	}
	objc.Pool(func() {
		feeds := map[graph.Tensor]graph.TensorData{
			x: feed([]int{4, 2}, 0, 0, 0, 1, 1, 0, 1, 1),
			y: feed([]int{4, 1}, 0, 1, 1, 0),
		}
		defer feeds[x].Release()
		defer feeds[y].Release()
		for range 300 { // each run computes the loss, its gradients and the next weights
			objc.Pool(func() { must(g.RunWithMTLCommandQueueTargetTensors(queue, feeds, []graph.Tensor{loss}, updates)) })
		}
		result := must(g.RunWithMTLCommandQueueTargetTensors(queue, feeds, []graph.Tensor{guess}, nil))[guess]
		bytes, values := make([]byte, 4*4), make([]float32, 4)
		result.Mpsndarray().ReadBytes(bytes, nil)
		must(binary.Decode(bytes, binary.LittleEndian, values))
		fmt.Printf("xor is near %.0f\n", values)
	})

	// Output: xor is near [0 1 1 0]
}

func Example_mpsfilter() {
	ctx := context.Background()
	defer objc.OnFault(func(f *objc.Fault) { panic(f) })()
	device := must(mtl.DefaultDevice())
	defer device.Release()
	queue := must(device.NewCommandQueue())
	defer queue.Release()
	picture := image.NewGray(image.Rect(0, 0, 5, 2)) // png.Decode returns one from a file
	copy(picture.Pix, []uint8{0, 0, 90, 0, 0, 30, 30, 30, 60, 90})

	objc.Pool(func() {
		one := must(mps.ImageDescriptorWithChannelFormat(mps.ImageFeatureChannelFormatUnorm8, 5, 2, 1)) // 4 for colors
		in := must(mps.NewImageWithDevice(device, one))
		defer in.Release()
		out := must(mps.NewImageWithDevice(device, one))
		defer out.Release()
		mean := must(filter.NewBoxWithDevice(device, 3, 1)) // or NewImageGaussianBlurWithDevice(device, sigma)
		defer mean.Release()
		mean.SetEdgeMode(mps.ImageEdgeModeClamp)

		in.WriteBytes(picture.Pix, mps.DataLayoutHeightxWidthxFeatureChannels, 0)
		commands := must(queue.CommandBuffer())
		mean.EncodeToCommandBuffer(commands, in, out)
		out.SynchronizeOnCommandBuffer(commands) // for GPUs with memory of their own
		must(0, commands.Commit())
		must(0, commands.Wait(ctx))
		out.ReadBytes(picture.Pix, mps.DataLayoutHeightxWidthxFeatureChannels, 0)
	})
	fmt.Println(picture.Pix)

	// Output: [0 30 30 30 0 30 30 40 60 80]
}
