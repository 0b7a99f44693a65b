package compute_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
)

// Source can have macros, and include files of any file system.
func ExampleAccelerator_Compile() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
#include "twice.h"
kernel void run(device int *x, uint i [[thread_position_in_grid]]) { x[i] = twice(x[i]) + OFFSET; }`,
		compute.CompileOptions{
			Macros: map[string]string{"OFFSET": "1"},
			// or an embed.FS, or os.DirFS
			Includes: fstest.MapFS{"twice.h": {Data: []byte("inline int twice(int x) { return 2 * x; }\n")}},
		})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	run, err := program.Kernel("run")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.BufferOf(ctx, acc, []int32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	if err := stream.Launch(ctx, run, compute.Threads1D(3), x); err != nil {
		log.Fatal(err)
	}
	got := make([]int32, 3)
	if err := x.Download(ctx, got); err != nil { // waits for the launch
		log.Fatal(err)
	}
	fmt.Println(program.KernelNames(), got)
	// Output: [run] [3 5 7]
}

// A kernel with function constants is compiled for their values.
func ExampleProgram_Kernel() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
constant float factor [[function_constant(0)]];
kernel void scale(device float *x, uint i [[thread_position_in_grid]]) { x[i] *= factor; }`, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	triple, err := program.Kernel("scale", compute.Constant{Name: "factor", Value: float32(3)})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range triple.Parameters() {
		fmt.Println(p.String(), "of", p.Type)
	}
	// Output: buffer 0 (x) of float
}

// A launch that runs often is checked once, and then costs no allocation.
func ExampleKernel_Bind() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, saxpySource, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	saxpy, err := program.Kernel("saxpy")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.BufferOf(ctx, acc, []float32{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := compute.NewZeroed[float32](ctx, acc, 2, compute.BufferOptions{Intent: compute.Readback})
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()

	step, err := saxpy.Bind(compute.Threads1D(2), x, y, float32(0.5))
	if err != nil {
		log.Fatal(err)
	}
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	for range 10 {
		if err := stream.Run(ctx, step); err != nil {
			log.Fatal(err)
		}
	}
	if err := stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	values, err := y.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [5 10]
}

// Arguments can be given by index and by name, and threadgroup memory is one of them. The grid is
// in threadgroups here, each of which adds up its part.
func ExampleStream_Launch() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
#include <metal_stdlib>
using namespace metal;
kernel void sums(device const int *in [[buffer(0)]], device int *out [[buffer(4)]],
	threadgroup int *part [[threadgroup(0)]],
                 uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                 uint g [[threadgroup_position_in_grid]], uint n [[threads_per_threadgroup]]) {
    part[t] = in[i];
    for (uint half_of = n / 2; half_of > 0; half_of /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < half_of) { part[t] += part[t + half_of]; }
    }
    if (t == 0) { out[g] = part[0]; }
}`, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	sums, err := program.Kernel("sums")
	if err != nil {
		log.Fatal(err)
	}
	in, err := compute.BufferOf(ctx, acc, []int32{1, 2, 3, 4, 10, 20, 30, 40})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	out, err := compute.NewBuffer[int32](acc, 2, compute.BufferOptions{Intent: compute.Readback})
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()

	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	grid := compute.Threadgroups{Grid: compute.Extent{X: 2}, Group: compute.Extent{X: 4}}
	err = stream.Launch(ctx, sums, grid, compute.Named("in", in), compute.At(4, out), compute.ThreadgroupMemory(4*4))
	if err != nil {
		log.Fatal(err)
	}
	if err := stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	values, err := out.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [10 100]
}

// Buffers that a kernel reaches through pointers in another buffer are named in the launch.
func ExampleWrites() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
struct Row { device int *values; };
kernel void negate(device const Row *rows, uint2 at [[thread_position_in_grid]]) { rows[at.y].values[at.x] *= -1; }`, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	negate, err := program.Kernel("negate")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.BufferOf(ctx, acc, []int32{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	address, err := x.Address()
	if err != nil {
		log.Fatal(err)
	}
	rows, err := compute.BufferOf(ctx, acc, []struct{ Values uint64 }{{address}})
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	if err := stream.Launch(ctx, negate, compute.Threads2D(2, 1), rows, compute.Writes(x)); err != nil {
		log.Fatal(err)
	}
	if err := stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	values, err := x.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [-1 -2]
}

// A program that is compiled again is found in memory; WithDiskCache keeps it for the next process
// too.
func ExampleAccelerator_CacheStats() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	for range 3 {
		program, err := acc.Compile(ctx, saxpySource, compute.CompileOptions{})
		if err != nil {
			log.Fatal(err)
		}
		if _, err := program.Kernel("saxpy"); err != nil {
			log.Fatal(err)
		}
		program.Close()
	}
	s := acc.CacheStats()
	fmt.Println("compiled", s.ProgramMisses, "found", s.ProgramHits)
	// Output: compiled 1 found 2
}

// A kernel writes messages with os_log, and a handler prints them.
func ExampleWithKernelLog() {
	ctx := context.Background()
	acc, err := compute.Open(compute.WithKernelLog(compute.KernelLog{
		Level: mtl.LogLevelInfo, // and above: without log_debug
		Handler: func(m compute.KernelMessage) {
			fmt.Printf("%s of %s: %s\n", m.Kernel, m.Program, m.Text)
		},
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
kernel void roots(device float *x, uint i [[thread_position_in_grid]]) {
    os_log_default.log_debug("thread %u", i);
    if (x[i] < 0) os_log_default.log_error("x[%u] is %.1f", i, x[i]);
    x[i] = sqrt(x[i]);
}`, compute.CompileOptions{Name: "roots.metal", Logging: true})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	roots, err := program.Kernel("roots")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.BufferOf(ctx, acc, []float32{4, -2, 9})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	if err := stream.Launch(ctx, roots, compute.Threads1D(x.Len()), x); err != nil {
		log.Fatal(err)
	}
	if err := stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: roots of roots.metal: x[1] is -2.0
}
