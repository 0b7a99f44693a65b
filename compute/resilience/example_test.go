package resilience_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/resilience"
)

// A service keeps its sums on a device that may fail.
func Example() {
	ctx := context.Background()
	m, err := resilience.New(ctx, resilience.Options{
		Open: func(context.Context) (*compute.Accelerator, error) {
			return compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
		},
		Attempts: 8,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close(ctx)
	acc := m.Accelerator() // used like any other
	program, err := acc.Compile(ctx, `
kernel void add(device float *sum [[buffer(0)]], device const float *x [[buffer(1)]],
                uint i [[thread_position_in_grid]]) { sum[i] += x[i]; }`, compute.CompileOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	add, _ := program.Kernel("add")
	kept := compute.BufferOptions{HostCopy: true} // survives the device
	sum, _ := compute.NewZeroed[float32](ctx, acc, 4, kept)
	x, _ := compute.NewBuffer[float32](acc, 4, kept)
	_ = x.Upload(ctx, []float32{1, 2, 3, 4})

	s, _ := acc.NewStream(compute.StreamOptions{Label: "sums"})
	for range 10 {
		if err := s.Launch(ctx, add, compute.Threads1D(4), sum, x); err != nil {
			fmt.Println(err)
		}
	}
	if err := s.Sync(ctx); err != nil { // all attempts failed
		fmt.Println(err)
	}
	out := make([]float32, 4)
	_ = sum.Download(ctx, out)
	fmt.Println(out, m.Report().Health)
	// Output: [10 20 30 40] healthy
}
