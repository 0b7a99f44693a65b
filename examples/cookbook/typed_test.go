package cookbook

import (
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

func Example_typed() {
	ctx, acc, end := start()
	defer end()
	kernels := must(NewSaxpy(ctx, acc)) // from saxpy.metal, which is embedded
	defer kernels.Close()
	x := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4}))
	defer x.Close()
	y := must(compute.BufferOf(ctx, acc, []float32{10, 20, 30, 40}))
	defer y.Close()

	stream := must(acc.NextStream())
	must(0, kernels.Saxpy(ctx, stream, compute.Threads1D(x.Len()), x, y, 2))
	must(0, stream.Sync(ctx))
	fmt.Println(must(y.Data()))

	// Output: [12 24 36 48]
}
