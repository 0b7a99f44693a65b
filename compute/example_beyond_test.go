package compute_test

import (
	"context"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
)

// numbers is a program's device, with a stream and a buffer; the examples of this file use it.
type numbers struct {
	acc     *compute.Accelerator
	stream  *compute.Stream
	program *compute.Program
	x       *compute.Buffer[float32]
}

func newNumbers(ctx context.Context, source string, x []float32) (n numbers) {
	var err error
	if n.acc, err = compute.Open(); err != nil {
		log.Fatal(err)
	}
	if n.stream, err = n.acc.NextStream(); err != nil {
		log.Fatal(err)
	}
	if n.program, err = n.acc.Compile(ctx, source, compute.CompileOptions{}); err != nil {
		log.Fatal(err)
	}
	if n.x, err = compute.BufferOf(ctx, n.acc, x); err != nil {
		log.Fatal(err)
	}
	return n
}

func (n numbers) kernel(name string) *compute.Kernel {
	k, err := n.program.Kernel(name)
	if err != nil {
		log.Fatal(err)
	}
	return k
}

// show waits for the stream and prints the numbers.
func (n numbers) show(ctx context.Context) {
	if err := n.stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	x, err := n.x.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
}

func (n numbers) close(ctx context.Context) {
	n.x.Close()
	n.program.Close()
	if err := n.acc.Close(ctx); err != nil {
		log.Fatal(err)
	}
}

// All threads of the grid wait for each other between two steps of a running sum.
func ExampleStream_LaunchCooperative() {
	ctx := context.Background()
	n := newNumbers(ctx, `
#include <puremetal/cooperative>
kernel void sums(device float *x, uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
    auto grid = puremetal::this_grid();
    for (uint d = 1; d < n; d *= 2) {
        float below = i >= d ? x[i - d] : 0;
        grid.sync();
        x[i] += below;
        grid.sync();
    }
}`, []float32{1, 2, 3, 4, 5, 6})
	defer n.close(ctx)
	if err := n.stream.LaunchCooperative(ctx, n.kernel("sums"), compute.Threads1D(6), n.x); err != nil {
		log.Fatal(err)
	}
	n.show(ctx)
	// Output: [1 3 6 10 15 21]
}
