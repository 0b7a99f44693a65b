//go:build !puremetal_nosoftware

package fallback_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/fallback"
)

func Example() {
	ctx := context.Background()
	cpu, err := fallback.New(fallback.Options{})
	if err != nil {
		log.Fatal(err)
	}
	acc, err := compute.Open(compute.WithFallback(cpu), compute.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
kernel void twice(device float *x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }`, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	twice, err := program.Kernel("twice")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.BufferOf(ctx, acc, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := acc.NewStream(compute.StreamOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close(ctx)

	// One launch on the device, then one on the CPU, on the same memory.
	if err := s.Launch(ctx, twice, compute.Threads1D(3), x); err != nil {
		log.Fatal(err)
	}
	if err := s.LaunchFallback(ctx, twice, compute.Threads1D(3), x); err != nil {
		log.Fatal(err)
	}
	result := make([]float32, 3)
	if err := x.Download(ctx, result); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result, s.Stats().Launches, s.Stats().Fallbacks)
	// Output: [4 8 12] 1 1
}
