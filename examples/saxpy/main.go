// Command saxpy computes a x + y on the Metal device: a Mac's GPU, or the software device anywhere
// else.
package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute"
)

const source = `kernel void saxpy(device const float *x, device float *y, constant float &a, uint i [[thread_position_in_grid]]) {
	y[i] = a * x[i] + y[i];
}`

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func saxpy(ctx context.Context, acc *compute.Accelerator, a float32, x, y []float32) []float32 {
	program := must(acc.Compile(ctx, source, compute.CompileOptions{}))
	defer program.Close()
	xs, ys := must(compute.BufferOf(ctx, acc, x)), must(compute.BufferOf(ctx, acc, y))
	defer xs.Close()
	defer ys.Close()
	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("saxpy")), compute.Threads1D(len(x)), xs, ys, a))
	must(0, stream.Sync(ctx))
	return slices.Clone(must(ys.Data()))
}

func main() {
	ctx, acc := context.Background(), must(compute.Open())
	defer acc.Close(ctx)
	began := time.Now()
	fmt.Println(saxpy(ctx, acc, 2, []float32{1, 2, 3, 4}, []float32{10, 20, 30, 40}))
	fmt.Printf("2 x + y, compiled and run in %v on %v\n", time.Since(began).Round(10*time.Microsecond), acc.Info())
}
