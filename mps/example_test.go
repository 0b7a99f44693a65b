package mps_test

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// must is a placeholder for your program's error handling.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A product of two matrices in buffers that the CPU shares.
func Example() {
	defer objc.OnFault(func(f *objc.Fault) { panic(f) })() // Encode returns no error
	device := must(mtl.DefaultDevice())
	defer device.Release()
	queue := must(device.NewCommandQueue())
	defer queue.Release()
	matrix := func(rows, columns uint, values ...float32) (mps.Matrix, []float32) {
		buffer := must(device.NewBuffer(rows*columns*4, mtl.ResourceStorageModeShared))
		defer buffer.Release() // the matrix keeps it
		memory := must(mtl.Slice[float32](buffer))
		copy(memory, values)
		shape := must(mps.MatrixDescriptorWithRows(rows, columns, columns*4, mps.DataTypeFloat32))
		return must(mps.NewMatrixWithBuffer(buffer, shape)), memory
	}

	objc.Pool(func() { // for the descriptors and the command buffer, which nobody releases
		a, _ := matrix(2, 3, 1, 2, 3, 4, 5, 6)
		defer a.Release()
		b, _ := matrix(3, 2, 1, 0, 0, 1, 1, 1)
		defer b.Release()
		c, product := matrix(2, 2)
		defer c.Release()
		multiply := must(mps.NewMatrixMultiplicationWithDevice(device, 2, 2, 3))
		defer multiply.Release()
		commands := must(queue.CommandBuffer())
		multiply.EncodeToCommandBuffer(commands, a, b, c)
		must(0, commands.Commit())
		must(0, commands.Wait(context.Background()))
		fmt.Println(product)
	})

	// Output: [4 5 10 11]
}
