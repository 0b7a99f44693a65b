package cookbook

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

func Example_body() {
	ctx, acc, end := start()
	defer end()
	clip := compute.Body{
		Name:    "clip",
		Inputs:  []string{"float x[]", "float limit"},
		Outputs: []string{"float y[]"},
		Text: `
uint i = thread_position_in_grid.x;
y[i] = min(x[i], limit);`,
	}
	kernel := must(compute.FromBody(ctx, acc, clip, compute.CompileOptions{}))
	x := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4}))
	defer x.Close()
	y := must(compute.NewBuffer[float32](acc, x.Len(), compute.BufferOptions{Intent: compute.Readback}))
	defer y.Close()

	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, kernel, compute.Threads1D(x.Len()), x, float32(2.5), y))
	must(0, stream.Sync(ctx))
	fmt.Println(must(y.Data()))

	clip.Text = "uint i = thread_position_in_grid.x;\ny[i] = min(x[i], most);"
	_, err := compute.FromBody(ctx, acc, clip, compute.CompileOptions{})
	var c *compute.CompileError
	if errors.As(err, &c) {
		fmt.Printf("%s, line %d\n", c.Diagnostics[0].File, c.Diagnostics[0].Line)
	}

	// Output:
	// [1 2 2.5 2.5]
	// clip, line 2
}
