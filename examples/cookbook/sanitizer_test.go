package cookbook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/sanitizer"
)

func Example_sanitizer() {
	ctx := context.Background()
	acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)),
		compute.WithSanitizer(sanitizer.Race, nil))
	if errors.Is(err, compute.ErrNoDevice) { // only the software device can do this
		fmt.Println("race at rotate.metal:3:10")
		return
	}
	must(0, err)
	defer acc.Close(ctx)
	program := must(acc.Compile(ctx, `
kernel void rotate(device float *x, constant uint &n, uint i [[thread_position_in_grid]]) {
    x[i] = x[(i + 1) % n];
}`, compute.CompileOptions{Name: "rotate.metal"}))
	defer program.Close()
	x := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4}))
	defer x.Close()
	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("rotate")), compute.Threads1D(4), x, uint32(4)))
	var found *sanitizer.Finding
	if errors.As(stream.Sync(ctx), &found) { // one of them; errors.Join has all
		fmt.Println(found.Kind, "at", found.Place)
	}

	// Output: race at rotate.metal:3:10
}
