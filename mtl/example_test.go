package mtl_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

const vectorAdd = `
kernel void add(device const float *a [[buffer(0)]],
                device const float *b [[buffer(1)]],
                device float *sum     [[buffer(2)]],
                uint i [[thread_position_in_grid]]) {
    sum[i] = a[i] + b[i];
}`

// Add two vectors on the GPU.
func Example() {
	device, err := mtl.DefaultDevice()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Release()
	sum, err := add(device, []float32{1, 2, 3, 4}, []float32{10, 20, 30, 40})
	fmt.Println(sum, err)
	// Output: [11 22 33 44] <nil>
}

func add(device mtl.Device, a, b []float32) (sum []float32, err error) {
	library, err := device.NewLibrary(vectorAdd, mtl.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer library.Release()
	function, err := library.NewFunction("add")
	if err != nil {
		return nil, err
	}
	defer function.Release()
	pipeline, err := device.NewComputePipelineState(function)
	if err != nil {
		return nil, err
	}
	defer pipeline.Release()

	var buffers [3]mtl.Buffer
	for i, values := range [][]float32{a, b, nil} {
		buffer, err := device.NewBuffer(uint(4*len(a)), mtl.ResourceStorageModeShared)
		if err != nil {
			return nil, err
		}
		defer buffer.Release()
		view, err := mtl.Slice[float32](buffer)
		if err != nil {
			return nil, err
		}
		copy(view, values)
		buffers[i] = buffer
	}
	return run(device, pipeline, buffers, uint(len(a)))
}

func run(device mtl.Device, pipeline mtl.ComputePipelineState, buffers [3]mtl.Buffer, n uint) (sum []float32,
	err error) {
	queue, err := device.NewCommandQueue()
	if err != nil {
		return nil, err
	}
	defer queue.Release()
	objc.Pool(func() { // command buffer and encoder are autoreleased
		sum, err = encode(queue, pipeline, buffers, n)
	})
	return sum, err
}

func encode(queue mtl.CommandQueue, pipeline mtl.ComputePipelineState, buffers [3]mtl.Buffer, n uint) ([]float32,
	error) {
	commands, err := queue.CommandBuffer()
	if err != nil {
		return nil, err
	}
	encoder, err := commands.ComputeCommandEncoder()
	if err != nil {
		return nil, err
	}
	err = encoder.SetComputePipelineState(pipeline)
	for i, b := range buffers {
		err = errors.Join(err, encoder.SetBuffer(b, 0, uint(i)))
	}
	width := min(n, pipeline.Limits().ThreadExecutionWidth)
	err = errors.Join(err,
		encoder.DispatchThreads(mtl.Size{Width: n, Height: 1, Depth: 1}, mtl.Size{Width: width, Height: 1, Depth: 1}),
		encoder.EndEncoding())
	if err != nil {
		return nil, err
	}
	if err := errors.Join(commands.Commit(), commands.WaitUntilCompleted()); err != nil {
		return nil, err
	}
	view, err := mtl.Slice[float32](buffers[2])
	return slices.Clone(view), err // the view ends with the buffer
}
