package cookbook

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/compute/ops"
)

func Example_private() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
kernel void add(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] += by; }`, compute.CompileOptions{}))
	defer program.Close()

	// Memory that only the device can access may be faster; Go transfers data by copies.
	x := must(compute.NewBuffer[float32](acc, 3, compute.BufferOptions{Intent: compute.DeviceOnly, Label: "x"}))
	defer x.Close()
	must(0, x.Upload(ctx, []float32{1, 2, 3}))
	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("add")), compute.Threads1D(3), x, float32(10)))
	back := make([]float32, 3)
	must(0, x.Download(ctx, back)) // waits for the launch
	fmt.Println(back)

	// Output: [11 12 13]
}

func Example_events() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
kernel void add(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] += by; }
kernel void scale(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] *= by; }`, compute.CompileOptions{}))
	defer program.Close()
	x := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3}))
	defer x.Close()
	first, second := must(acc.NewStream(compute.StreamOptions{Label: "first"})),
		must(acc.NewStream(compute.StreamOptions{Label: "second"}))
	defer first.Close(ctx)
	defer second.Close(ctx)
	added := must(acc.NewEvent(compute.EventOptions{Label: "added"}))
	defer added.Close()

	// Streams run concurrently: without the event, the second could run first.
	must(0, first.Launch(ctx, must(program.Kernel("add")), compute.Threads1D(3), x, float32(1)))
	must(0, first.Record(ctx, added))
	must(0, second.WaitFor(ctx, added)) // the device waits, Go does not
	must(0, second.Launch(ctx, must(program.Kernel("scale")), compute.Threads1D(3), x, float32(10)))
	must(0, second.Sync(ctx))
	fmt.Println(must(x.Data()))

	// Output: [20 30 40]
}

func Example_graph() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
kernel void fill(device float *x, constant float &with, uint i [[thread_position_in_grid]]) { x[i] = with; }
kernel void add(device float *out, device const float *a, device const float *b, uint i [[thread_position_in_grid]]) {
    out[i] = a[i] + b[i];
}`, compute.CompileOptions{}))
	defer program.Close()
	fill, add := must(program.Kernel("fill")), must(program.Kernel("add"))
	var x [3]*compute.Buffer[float32]
	for i := range x {
		x[i] = must(compute.NewBuffer[float32](acc, 2, compute.BufferOptions{Intent: compute.Readback}))
		defer x[i].Close()
	}

	g := graph.NewTaskGraph(acc)
	must(0, g.Add("a", func(ctx context.Context, s *compute.Stream) error {
		return s.Launch(ctx, fill, compute.Threads1D(2), x[0], float32(1))
	}))
	must(0, g.Add("b", func(ctx context.Context, s *compute.Stream) error {
		return s.Launch(ctx, fill, compute.Threads1D(2), x[1], float32(41))
	}))
	must(0, g.Add("sum", func(ctx context.Context, s *compute.Stream) error {
		return s.Launch(ctx, add, compute.Threads1D(2), x[2], x[0], x[1])
	}, "a", "b")) // after both, which run concurrently
	stats := must(g.Run(ctx, 2))
	fmt.Println(len(stats), must(x[2].Data()))

	// Output: 3 [42 42]
}

func Example_replay() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
kernel void halve(device float *x, device uint &more, uint i [[thread_position_in_grid]]) {
    x[i] /= 2;
    more = x[i] > 1;
}
kernel void add(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] += by; }`,
		compute.CompileOptions{}))
	defer program.Close()
	halve, add := must(program.Kernel("halve")), must(program.Kernel("add"))
	x, y := must(compute.BufferOf(ctx, acc, []float32{10})), must(compute.BufferOf(ctx, acc, []float32{100}))
	defer x.Close()
	defer y.Close()
	more := must(compute.BufferOf(ctx, acc, []uint32{1}))
	defer more.Close()

	body := graph.New(acc, "body")
	must(body.Launch(halve, compute.Threads1D(1), x, more))
	g := graph.New(acc, "halve until at most 1")
	must(g.While(more, body, 10)) // the device decides how often, at most 10 times
	last := must(g.Launch(add, compute.Threads1D(1), x, float32(5)))
	halving := must(g.Instantiate(ctx))
	defer halving.Close()
	stream := must(acc.NextStream())
	must(0, halving.Replay(ctx, stream))
	must(0, stream.Sync(ctx))
	fmt.Println(must(x.Data()))

	must(0, g.SetLaunch(last, compute.Threads1D(1), y, float32(1))) // another buffer and value
	must(0, halving.Update(ctx, g))
	must(0, more.Upload(ctx, []uint32{1}))
	must(0, halving.Replay(ctx, stream))
	must(0, stream.Sync(ctx))
	fmt.Println(must(x.Data()), must(y.Data()))

	// Output:
	// [5.625]
	// [0.703125] [101]
}

func Example_matmul() {
	ctx, acc, end := start()
	defer end()
	o := ops.New(acc)
	defer o.Close()
	a := must(compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4, 5, 6}))
	defer a.Close()
	c := must(compute.NewBuffer[float32](acc, 4, compute.BufferOptions{Intent: compute.Readback}))
	defer c.Close()

	m := must(ops.Of(a, 2, 3)) // 2 rows of 3
	stream := must(acc.NextStream())
	must(0, ops.MatMul(ctx, o, stream, must(ops.Of(c, 2, 2)), m, m.Transposed()))
	must(0, stream.Sync(ctx))
	fmt.Println(must(c.Data()))

	// Output: [14 32 32 77]
}

func Example_profile() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
kernel void add(device float *x, uint i [[thread_position_in_grid]]) { x[i] += 1; }`, compute.CompileOptions{}))
	defer program.Close()
	x := must(compute.NewZeroed[float32](ctx, acc, 1<<16, compute.BufferOptions{Intent: compute.Readback}))
	defer x.Close()
	launch := must(must(program.Kernel("add")).Bind(compute.Threads1D(x.Len()), x))

	stream := must(acc.NewStream(compute.StreamOptions{Label: "measured"}))
	defer stream.Close(ctx)
	profile := must(stream.Measure(ctx, 20,
		func(ctx context.Context, s *compute.Stream) error { return s.Run(ctx, launch) }))
	bytesMoved := 2 * float64(x.Size()) // read and written
	gbs := bytesMoved / profile.P50.Seconds() / 1e9
	fmt.Println("timed runs:", profile.Runs, "bandwidth > 0:", gbs > 0)
	fmt.Println("runs including warm-up:", must(x.Data())[0])

	// Output:
	// timed runs: 20 bandwidth > 0: true
	// runs including warm-up: 21
}
