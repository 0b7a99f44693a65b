// Command typed drops balls onto a floor. It calls Go code generated from its kernels: one method
// per kernel, with arguments that the Go compiler checks, and Go types for the kernels' structures.
package main

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd"
)

//go:generate go tool puremetal generate balls.metal

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func main() {
	ctx, acc := context.Background(), must(compute.Open())
	defer acc.Close(ctx)
	kernels := must(NewBalls(ctx, acc, BallsConstants{HasFloor: true}))
	defer kernels.Close()
	balls := must(compute.BufferOf(ctx, acc, []Ball{
		{Radius: 0.5, Position: simd.Float3{Y: 5}},
		{Radius: 0.25, Position: simd.Float3{Y: 1}, Velocity: simd.PackedFloat3{X: 1}},
	}))
	defer balls.Close()
	height := must(compute.NewBuffer[float32](acc, balls.Len(), compute.BufferOptions{Intent: compute.Readback}))
	defer height.Close()

	world := World{Gravity: simd.Float3{Y: -10}, Step: 1.0 / 64}
	grid := compute.Threads1D(balls.Len())
	stream := must(acc.NextStream())
	for range 64 {
		must(0, kernels.Advance(ctx, stream, grid, balls, world))
	}
	must(0, kernels.Heights(ctx, stream, grid, balls, height))
	must(0, stream.Sync(ctx))
	fmt.Println(must(height.Data()))
}
