// Command cuda multiplies matrices with a kernel in CUDA C++: matmul.cu, which is translated to
// Metal when the program starts. The launcher is generated from the kernel, with a grid in blocks.
package main

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

//go:generate go tool puremetal generate matmul.cu

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// matrix returns rows of small whole numbers, whose products and sums float32 has exactly.
func matrix(rows, columns, step int) []float32 {
	a := make([]float32, rows*columns)
	for i := range a {
		a[i] = float32(i * step % 7)
	}
	return a
}

// product multiplies on the CPU.
func product(a, b []float32, m, n, k int) []float32 {
	c := make([]float32, m*n)
	for row := range m {
		for column := range n {
			for i := range k {
				c[row*n+column] += a[row*k+i] * b[i*n+column]
			}
		}
	}
	return c
}

func main() {
	const m, n, k, tile = 100, 70, 50, 16
	ctx, acc := context.Background(), must(compute.Open())
	defer acc.Close(ctx)
	kernels := must(NewMatmul(ctx, acc))
	defer kernels.Close()
	x, y := matrix(m, k, 3), matrix(k, n, 5)
	a, b := must(compute.BufferOf(ctx, acc, x)), must(compute.BufferOf(ctx, acc, y))
	defer a.Close()
	defer b.Close()
	c := must(compute.NewBuffer[float32](acc, m*n, compute.BufferOptions{Intent: compute.Readback}))
	defer c.Close()

	stream := must(acc.NextStream())
	blocks := compute.Extent{X: (n + tile - 1) / tile, Y: (m + tile - 1) / tile}
	must(0, kernels.Matmul16(ctx, stream, blocks, compute.Extent{X: tile, Y: tile}, c, a, b, m, n, k))
	must(0, stream.Sync(ctx))
	wrong := 0
	for i, want := range product(x, y, m, n, k) {
		if must(c.Data())[i] != want {
			wrong++
		}
	}
	fmt.Printf("%d x %d values, %d differ from the CPU's\n", m, n, wrong)
}
