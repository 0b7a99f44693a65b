package peer_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/peer"
)

// must is a placeholder for a program's error handling.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Example_copy copies from one accelerator to another. Both have the same device here, so that the
// example runs on every machine.
func Example_copy() {
	ctx, quiet := context.Background(), compute.WithLogger(slog.New(slog.DiscardHandler))
	first, second := must(compute.Open(quiet)), must(compute.Open(quiet))
	defer first.Close(ctx)
	defer second.Close(ctx)
	link := must(peer.Connect(first, second, peer.Options{}))
	defer link.Close(ctx)

	src := must(compute.BufferOf(ctx, first, []float32{1, 2, 3}))
	defer src.Close()
	dst := must(compute.NewBuffer[float32](second, 3, compute.BufferOptions{}))
	defer dst.Close()
	must(0, peer.Copy(ctx, link, dst, src))

	data := make([]float32, 3)
	must(0, dst.Download(ctx, data))
	fmt.Println(data, link.Stats().Bytes, "bytes")
	// Output: [1 2 3] 12 bytes
}

// ExampleTeam computes with several accelerators as if they were one.
func ExampleTeam() {
	ctx, quiet := context.Background(), compute.WithLogger(slog.New(slog.DiscardHandler))
	members := must(compute.OpenAll(quiet))
	for _, acc := range members {
		defer acc.Close(ctx)
	}
	team := must(peer.NewTeam(members...))
	defer team.Close(ctx)
	scale := must(team.Compile(ctx, `
kernel void scale(device float* x, constant float& by, uint i [[thread_position_in_grid]]) { x[i] *= by; }`,
		"scale", compute.CompileOptions{}))
	defer scale.Close()

	x := must(peer.Scatter(ctx, team, []float32{1, 2, 3, 4, 5, 6}))
	defer x.Close()
	must(0, team.Launch(ctx, scale, x, float32(10)))
	result := make([]float32, x.Len())
	must(0, peer.Gather(ctx, result, x))
	fmt.Println(result)
	// Output: [10 20 30 40 50 60]
}
