package cookbook

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd"
)

func Example_slice() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
kernel void square(device float *x, uint i [[thread_position_in_grid]]) {
    x[i] = x[i] * x[i];
}`, compute.CompileOptions{}))
	defer program.Close()
	x := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4}))
	defer x.Close()

	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("square")), compute.Threads1D(x.Len()), x))
	must(0, stream.Sync(ctx)) // the results are complete after this
	fmt.Println(must(x.Data()))

	// Output: [1 4 9 16]
}

func Example_structure() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
struct Ball { packed_float3 at; float mass; float4 speed; };
struct Settings { float dt; uint count; };
kernel void advance(device Ball *balls, constant Settings &s, uint i [[thread_position_in_grid]]) {
    if (i < s.count) balls[i].at += s.dt * balls[i].speed.xyz;
}`, compute.CompileOptions{}))
	defer program.Close()

	type ball struct {
		At    simd.PackedFloat3 // float3 would take 16 bytes
		Mass  float32
		Speed simd.Float4
	}
	type settings struct {
		Dt    float32
		Count uint32
	}
	balls := must(compute.BufferOf(ctx, acc, []ball{{Mass: 1, Speed: simd.Float4{X: 2, Y: 4}}}))
	defer balls.Close()
	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("advance")), compute.Threads1D(1), balls, settings{Dt: 0.5, Count: 1}))
	must(0, stream.Sync(ctx))
	fmt.Println(must(balls.Data())[0].At)

	// A Go structure with another memory layout is refused, and the error names the difference.
	type wrong struct {
		At    simd.Float3
		Mass  float32
		Speed simd.Float4
	}
	misfits := must(compute.NewBuffer[wrong](acc, 1, compute.BufferOptions{}))
	defer misfits.Close()
	err := stream.Launch(ctx, must(program.Kernel("advance")), compute.Threads1D(1), misfits, settings{})
	fmt.Println(errors.Is(err, compute.ErrLayout))

	// Output:
	// {1 2 0}
	// true
}

func Example_half() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
kernel void third(device half *x, uint i [[thread_position_in_grid]]) { x[i] /= 3.0h; }`, compute.CompileOptions{}))
	defer program.Close()
	x := must(compute.BufferOf(ctx, acc, []simd.Half{simd.HalfOf(1), simd.HalfOf(6)}))
	defer x.Close()
	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("third")), compute.Threads1D(2), x))
	must(0, stream.Sync(ctx))
	for _, h := range must(x.Data()) {
		fmt.Printf("%.4f ", h.Float32())
	}

	// Output: 0.3333 2.0000
}

func Example_constants() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
constant uint taps [[function_constant(0)]];
constant bool mean [[function_constant(1)]];
kernel void window(device const float *in, device float *out, uint i [[thread_position_in_grid]]) {
    float sum = 0;
    for (uint k = 0; k < taps; k++) sum += in[i + k]; // the compiler knows taps, and unrolls
    out[i] = mean ? sum / taps : sum;
}`, compute.CompileOptions{}))
	defer program.Close()
	in := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4, 5}))
	defer in.Close()
	out := must(compute.NewBuffer[float32](acc, 3, compute.BufferOptions{Intent: compute.Readback}))
	defer out.Close()

	mean3 := must(program.Kernel("window", compute.Constant{Name: "taps", Value: uint32(3)},
		compute.Constant{Name: "mean", Value: true}))
	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, mean3, compute.Threads1D(3), in, out))
	must(0, stream.Sync(ctx))
	fmt.Println(must(out.Data()))

	// Output: [2 3 4]
}

func Example_threadgroup() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
#include <metal_stdlib>
using namespace metal;
kernel void sum(device const float *in, device float *sums, threadgroup float *part [[threadgroup(0)]],
                uint i [[thread_position_in_grid]], uint lane [[thread_position_in_threadgroup]],
                uint lanes [[threads_per_threadgroup]], uint group [[threadgroup_position_in_grid]]) {
    part[lane] = in[i];
    for (uint half_way = lanes / 2; half_way > 0; half_way /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (lane < half_way) part[lane] += part[lane + half_way];
    }
    if (lane == 0) sums[group] = part[0];
}`, compute.CompileOptions{}))
	defer program.Close()
	data := make([]float32, 512)
	for i := range data {
		data[i] = float32(i)
	}
	in := must(compute.BufferOf(ctx, acc, data))
	defer in.Close()
	sums := must(compute.NewBuffer[float32](acc, 4, compute.BufferOptions{Intent: compute.Readback}))
	defer sums.Close()

	// Four threadgroups of 128 threads, each with threadgroup memory for 128 numbers of 4 bytes.
	grid := compute.Threadgroups{Grid: compute.Extent{X: 4}, Group: compute.Extent{X: 128}}
	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("sum")), grid, in, sums, compute.ThreadgroupMemory(4*128)))
	must(0, stream.Sync(ctx))
	fmt.Println(must(sums.Data()))

	// Output: [8128 24512 40896 57280]
}

func Example_bind() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
kernel void grow(device float *x, constant float &by, uint2 at [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
    x[at.y * size.x + at.x] *= by;
}`, compute.CompileOptions{}))
	defer program.Close()
	x := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4, 5, 6}))
	defer x.Close()

	// Bind checks arguments and grid once. Run allocates nothing and batches launches into command
	// buffers.
	twice := must(must(program.Kernel("grow")).Bind(compute.Threads2D(3, 2), x, float32(2)))
	stream := must(acc.NextStream())
	for range 10 {
		must(0, stream.Run(ctx, twice))
	}
	must(0, stream.Sync(ctx))
	fmt.Println(must(x.Data()), "in threadgroups of", twice.Group())

	// Output: [1024 2048 3072 4096 5120 6144] in threadgroups of 3x2x1
}

func Example_diagnostics() {
	ctx, acc, end := start()
	defer end()
	_, err := acc.Compile(ctx, `
kernel void broken(device float *x, uint i [[thread_position_in_grid]]) {
    x[i] = y[i];
}`, compute.CompileOptions{Name: "broken.metal"})
	var bad *compute.CompileError
	if errors.As(err, &bad) {
		for _, d := range bad.Diagnostics {
			fmt.Printf("%s:%d:%d: %s\n", d.File, d.Line, d.Column, d.Message)
		}
	}

	// Output: broken.metal:3:12: use of undeclared identifier 'y'
}
