package graph_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
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

// A graph is recorded once and replayed often. An update gives the replays another value.
func ExampleGraph() {
	ctx := context.Background()
	n := newNumbers(ctx, `
kernel void scale(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] *= by; }
kernel void add(device float *x, constant float &by, uint i [[thread_position_in_grid]]) { x[i] += by; }`,
		[]float32{1, 2})
	defer n.close(ctx)
	g := graph.New(n.acc, "step")
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
		if err := step.Replay(ctx, n.stream); err != nil {
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
	if err := step.Replay(ctx, n.stream); err != nil {
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
	c, err := graph.NewCommands(n.acc, 2, graph.CommandsOptions{Label: "pair"})
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
	if err := c.Execute(ctx, n.stream, 0, 2); err != nil {
		log.Fatal(err)
	}
	n.show(ctx)
	// Output: [11 21]
}

// Operations of a graph run once those they depend on have ended, on several streams.
func ExampleTaskGraph() {
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
	var x [4]*compute.Buffer[float32]
	for i := range x {
		if x[i], err = compute.BufferOf(ctx, acc, []float32{float32(i)}); err != nil {
			log.Fatal(err)
		}
		defer x[i].Close()
	}
	add := func(from, to int) func(context.Context, *compute.Stream) error {
		return func(ctx context.Context, s *compute.Stream) error {
			return s.Launch(ctx, saxpy, compute.Threads1D(1), x[from], x[to], float32(1))
		}
	}
	g := graph.NewTaskGraph(acc)
	err = errors.Join(
		g.Add("left", add(1, 2)),
		g.Add("right", add(1, 3)),
		g.Add("join", add(2, 3), "left", "right"),
	)
	if err != nil {
		log.Fatal(err)
	}
	stats, err := g.Run(ctx, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range stats {
		fmt.Println(s.Name, s.Err)
	}
	values, err := x[3].Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)

	fmt.Println(g.Add("first", add(0, 1), "last"), g.Add("last", add(1, 0), "first"))
	_, err = g.Order()
	fmt.Println(err)
	// Output:
	// left <nil>
	// right <nil>
	// join <nil>
	// [7]
	// <nil> <nil>
	// compute: tasks wait for each other: first after last after first: bad graph
}

const saxpySource = `
kernel void saxpy(device const float *x [[buffer(0)]], device float *y [[buffer(1)]], constant float &a [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
    y[i] = a * x[i] + y[i];
}`
