package compute_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd"
)

const saxpySource = `
kernel void saxpy(device const float *x, device float *y, constant float &a, uint i [[thread_position_in_grid]]) {
    y[i] = a * x[i] + y[i];
}`

// The whole way: open, make buffers, compile, launch, wait, read.
func Example() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)

	x, err := compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := compute.BufferOf(ctx, acc, []float32{10, 20, 30, 40})
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()

	program, err := acc.Compile(ctx, saxpySource, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	saxpy, err := program.Kernel("saxpy")
	if err != nil {
		log.Fatal(err)
	}

	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	if err := stream.Launch(ctx, saxpy, compute.Threads1D(x.Len()), x, y, float32(2)); err != nil {
		log.Fatal(err)
	}
	if err := stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	values, err := y.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [12 24 36 48]
}

// Which device is opened can be a matter of its place, its name, or of any condition; a program
// that has no use for the software device says so.
func ExampleOpen() {
	ctx := context.Background()
	acc, err := compute.Open(
		compute.WithDevice(func(i compute.Info) bool { return i.Limits.MaxThreadsPerThreadgroup.Width >= 256 }),
		compute.WithMemoryLimit(1<<30),
		compute.WithStreams(2),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	fmt.Println(acc.Info().SIMDWidth, "threads run in step")

	_, err = compute.Open(compute.WithDeviceName("a device that nobody has"))
	fmt.Println(errors.Is(err, compute.ErrNoDevice), err)
	// Output:
	// 32 threads run in step
	// true compute: no device named "a device that nobody has": no metal device
}

func ExampleDevices() {
	devices, err := compute.Devices()
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range devices {
		fmt.Println(d.Index, d.SIMDWidth) // String has the name and the memory
	}
	// Output: 0 32
}

// What only the device sees is uploaded and downloaded; both wait for work that uses the buffer.
func ExampleNewBuffer() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	b, err := compute.NewBuffer[int32](acc, 4, compute.BufferOptions{Label: "counts", Intent: compute.DeviceOnly})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	_, err = b.Data() // a view of memory that the host does not see
	fmt.Println(errors.Is(err, compute.ErrStorage))

	if err := b.Upload(ctx, []int32{1, 2, 3, 4}); err != nil {
		log.Fatal(err)
	}
	got := make([]int32, 4)
	if err := b.Download(ctx, got); err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Storage(), got)
	// Output:
	// true
	// StorageModePrivate [1 2 3 4]
}

// A sub-buffer shares the memory.
func ExampleBuffer_Slice() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	b, err := compute.NewZeroed[uint32](ctx, acc, 6, compute.BufferOptions{Intent: compute.Readback})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	middle, err := b.Slice(2, 4)
	if err != nil {
		log.Fatal(err)
	}
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	if err := compute.Fill(ctx, stream, middle, 1); err != nil {
		log.Fatal(err)
	}
	if err := stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	values, err := b.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", values)
	// Output: [0 0 1010101 1010101 0 0]
}

// Structures lie in memory as Go lays them out, which package simd's types and blank fields make
// Metal's way. Launches compare field by field, and say what to do.
func ExampleBufferOf_structure() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
struct Particle { float3 position; float mass; };
kernel void weigh(device Particle *p, uint i [[thread_position_in_grid]]) { p[i].mass = p[i].position.x * 2; }`, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	weigh, err := program.Kernel("weigh")
	if err != nil {
		log.Fatal(err)
	}

	type particle struct {
		Position simd.Float3 // 16 bytes, as float3 has
		Mass     float32
		_        [12]byte // a structure is as long as a multiple of its alignment
	}
	particles, err := compute.BufferOf(ctx, acc, []particle{{Position: simd.Float3{X: 3}}, {Position: simd.Float3{X: 4}}})
	if err != nil {
		log.Fatal(err)
	}
	defer particles.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	if err := stream.Launch(ctx, weigh, compute.Threads1D(2), particles); err != nil {
		log.Fatal(err)
	}
	if err := stream.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	got, err := particles.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got[0].Mass, got[1].Mass)
	// Output: 6 8
}

// What a launch is given is checked before anything reaches the device.
func ExampleLaunchError() {
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
	x, err := compute.BufferOf(ctx, acc, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()

	_, err = saxpy.Bind(compute.Threads1D(1), x, x, 2.0) // a float64
	var launch *compute.LaunchError
	fmt.Println(errors.As(err, &launch), errors.Is(err, compute.ErrLayout))
	fmt.Println(err)
	// Output:
	// true true
	// compute: launch of saxpy: buffer 2 (a): float64: the Metal language has no double; use float32
}

// Source that does not compile comes back with what the compiler says of each place.
func ExampleCompileError() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	_, err = acc.Compile(ctx, "kernel void broken(device int *x) {\n    x[0] = y;\n}",
		compute.CompileOptions{Name: "broken.metal"})
	var compile *compute.CompileError
	if errors.As(err, &compile) {
		fmt.Println(compile.Name, "line", compile.Diagnostics[0].Line)
	}
	// Output: broken.metal line 2
}
