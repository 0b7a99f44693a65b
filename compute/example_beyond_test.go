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

// A graph is recorded once and replayed often. An update gives the replays another value.
func ExampleGraph() {
	ctx := context.Background()
	n := newNumbers(ctx, `
kernel void scale(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] *= by; }
kernel void add(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] += by; }`,
		[]float32{1, 2})
	defer n.close(ctx)
	g := n.acc.NewGraph("step")
	scale, err := g.Launch(n.kernel("scale"), compute.Threads1D(2), n.x, float32(2))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := g.Launch(n.kernel("add"), compute.Threads1D(2), n.x, float32(1)); err != nil {
		log.Fatal(err)
	}
	step, err := g.Instantiate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer step.Close()
	for range 3 {
		if err := n.stream.Replay(ctx, step); err != nil {
			log.Fatal(err)
		}
	}
	n.show(ctx)

	if err := g.SetLaunch(scale, compute.Threads1D(2), n.x, float32(0)); err != nil {
		log.Fatal(err)
	}
	if err := step.Update(ctx, g); err != nil {
		log.Fatal(err)
	}
	if err := n.stream.Replay(ctx, step); err != nil {
		log.Fatal(err)
	}
	n.show(ctx)
	// Output:
	// [15 23]
	// [1 1]
}

// Commands are launches in memory, which a stream executes with one command of its own. Those that
// use each other's results need a barrier.
func ExampleCommands() {
	ctx := context.Background()
	n := newNumbers(ctx, `
kernel void scale(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] *= by; }
kernel void add(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] += by; }`,
		[]float32{1, 2})
	defer n.close(ctx)
	c, err := n.acc.NewCommands(2, compute.CommandsOptions{Label: "pair"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := c.Set(ctx, 0, n.kernel("scale"), compute.Threads1D(2), n.x, float32(10)); err != nil {
		log.Fatal(err)
	}
	if err := c.Set(ctx, 1, n.kernel("add"), compute.Threads1D(2), n.x, float32(1)); err != nil {
		log.Fatal(err)
	}
	if err := c.SetBarrier(ctx, 1, true); err != nil {
		log.Fatal(err)
	}
	if err := n.stream.Execute(ctx, c, 0, 2); err != nil {
		log.Fatal(err)
	}
	n.show(ctx)
	// Output: [11 21]
}
