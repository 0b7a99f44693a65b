// Command saxpy computes y = a*x + y on a Metal device: the GPU on a Mac, the software device
// everywhere else. The README shows this code from the kernel on.
package main

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const source = `
kernel void saxpy(device const float *x, device float *y, constant float &a,
                  uint i [[thread_position_in_grid]]) { y[i] = a * x[i] + y[i]; }`

func main() {
	ctx, acc := context.Background(), must(compute.Open())
	defer acc.Close(ctx)
	program := must(acc.Compile(ctx, source, compute.CompileOptions{}))
	defer program.Close()
	x := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4}))
	defer x.Close()
	y := must(compute.BufferOf(ctx, acc, []float32{10, 20, 30, 40}))
	defer y.Close()
	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("saxpy")), compute.Threads1D(x.Len()), x, y, float32(2)))
	must(0, stream.Sync(ctx))
	fmt.Println(must(y.Data()))
}
