package compute_test

import (
	"context"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
)

// FromBody writes the kernel's signature: the body uses arguments and attributes by name.
func ExampleFromBody() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	axpy, err := compute.FromBody(ctx, acc, compute.Body{
		Name:    "axpy",
		Inputs:  []string{"float a", "float x[]"},
		Outputs: []string{"float y[]"},
		Text: `
uint i = thread_position_in_grid.x;
y[i] += a * x[i];`,
	}, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.BufferOf(ctx, acc, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := compute.BufferOf(ctx, acc, []float32{10, 20, 30})
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	// The value comes before the buffers, as it is declared before them.
	if err := stream.Launch(ctx, axpy, compute.Threads1D(3), float32(2), x, y); err != nil {
		log.Fatal(err)
	}
	got := make([]float32, 3)
	if err := y.Download(ctx, got); err != nil {
		log.Fatal(err)
	}
	fmt.Println(got)
	// Output: [12 24 36]
}
