package tree_test

import (
	"context"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tree"
)

// A kernel launches itself for the halves of a range, until the parts are small.
func ExampleTree() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
#include <puremetal/launch>
kernel void halve(device float *x [[buffer(0)]], constant uint &n [[buffer(1)]]) {
    if (n > 4) {
        puremetal::launch(LAUNCH_halve, 1, 1, x, n / 2);
        puremetal::launch(LAUNCH_halve, 1, 1, x + n / 2, n / 2);
    } else {
        puremetal::launch(LAUNCH_square, n, n, x);
    }
}
kernel void square(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= x[i]; }`,
		compute.CompileOptions{Macros: tree.Numbers("halve", "square")})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	var kernels []*compute.Kernel
	for _, name := range []string{"halve", "square"} {
		k, err := program.Kernel(name)
		if err != nil {
			log.Fatal(err)
		}
		kernels = append(kernels, k)
	}
	t, err := tree.New(ctx, acc, kernels, tree.Options{Depth: 4, Capacity: 64})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	x, err := compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4, 5, 6, 7, 8})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	run, err := t.Launch(ctx, stream, kernels[0], compute.Threads1D(1), x, uint32(x.Len()))
	if err != nil {
		log.Fatal(err)
	}
	levels, err := run.Levels(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for i, l := range levels {
		fmt.Printf("level %d: %d launches, %d threads\n", i, l.Launches, l.Threads)
	}
	squares, err := x.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(squares)
	// Output:
	// level 0: 1 launches, 1 threads
	// level 1: 2 launches, 2 threads
	// level 2: 2 launches, 8 threads
	// level 3: 0 launches, 0 threads
	// level 4: 0 launches, 0 threads
	// [1 4 9 16 25 36 49 64]
}

// Threads take numbers from a queue and push the two halves of large ones.
func ExampleWorkQueue() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
#include <puremetal/work_queue>
using namespace metal;
kernel void split(device puremetal::work_queue<uint> &queue [[buffer(0)]], device atomic_uint *small [[buffer(1)]]) {
    uint n;
    while (puremetal::pop(queue, n)) {
        if (n <= 10) {
            atomic_fetch_add_explicit(small, 1, memory_order_relaxed);
        } else {
            puremetal::push(queue, n / 2);
            puremetal::push(queue, n - n / 2);
        }
    }
}`, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	split, err := program.Kernel("split")
	if err != nil {
		log.Fatal(err)
	}
	queue, err := tree.NewWorkQueue[uint32](acc, tree.WorkQueueOptions{Capacity: 512})
	if err != nil {
		log.Fatal(err)
	}
	defer queue.Close()
	if err := queue.Push(1000, 24); err != nil {
		log.Fatal(err)
	}
	small, err := compute.BufferOf(ctx, acc, []uint32{0})
	if err != nil {
		log.Fatal(err)
	}
	defer small.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	stats, err := queue.Drain(ctx, stream, split, compute.Threads1D(256), queue.Buffer(), small)
	if err != nil {
		log.Fatal(err)
	}
	count, err := small.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Items, "items,", count[0], "small")
	// Output: 262 items, 132 small
}
