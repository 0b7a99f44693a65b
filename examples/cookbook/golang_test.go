package cookbook

import (
	"fmt"
	"testing/fstest"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/gokernel"
)

func Example_golang() {
	ctx, acc, end := start()
	defer end()
	program := must(gokernel.Compile(ctx, acc, fstest.MapFS{"kernels/kernels.go": {Data: []byte(`package kernels

import "github.com/puremetal/puremetal/kernel"

// Mean writes the mean of each 4 numbers.
//
//puremetal:kernel group=4
func Mean(t *kernel.Thread, x, out []float32) {
    tile := kernel.Shared[[4]float32](t)
    if i := int(t.Global.X); i < len(x) {
        tile[t.Local.X] = x[i]
    }
    t.Barrier()
    if t.Local.X == 0 {
        out[t.Group.X] = (tile[0] + tile[1] + tile[2] + tile[3]) / 4
    }
}
`)}}, "kernels", compute.CompileOptions{}))
	defer program.Close()
	mean := must(program.Kernel("Mean"))
	x := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4, 10, 20, 30, 40}))
	defer x.Close()
	out := must(compute.NewBuffer[float32](acc, 2, compute.BufferOptions{Intent: compute.Readback}))
	defer out.Close()

	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, mean, compute.Threads1D(x.Len()), x, out))
	must(0, stream.Sync(ctx))
	fmt.Println(must(out.Data()))

	// Output: [2.5 25]
}
