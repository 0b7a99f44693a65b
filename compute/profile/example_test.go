package profile_test

import (
	"context"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/compute/profile"
)

func Example() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
		kernel void twice(device float* x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }`, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	twice, err := program.Kernel("twice")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.NewBuffer[float32](acc, 1000, compute.BufferOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()

	rec, err := profile.Start(acc, profile.Options{LaunchTimes: observe.LaunchTimesByCounter,
		Work: map[string]profile.Work{"twice": {Flops: 1000, Bytes: 8000}}})
	if err != nil {
		log.Fatal(err)
	}
	within, end := acc.Operation(ctx, "doubling")
	s, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	for range 5 {
		if err := s.Launch(within, twice, compute.Threads1D(1000), x); err != nil {
			log.Fatal(err)
		}
	}
	if err := s.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	end()
	p := rec.Stop() // p.WriteText, p.WriteTrace and p.WritePprof write all of it
	k := p.Kernels()[0]
	fmt.Println(k.Kernel, k.Count, k.GBs > 0)
	fmt.Println(p.ByOperation()[0].Name, p.ByOperation()[0].Self.Launches)
	// Output:
	// twice 5 true
	// doubling 5
}
