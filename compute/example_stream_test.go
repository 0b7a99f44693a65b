package compute_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
)

const incrementSource = `kernel void increment(device int *x, uint i [[thread_position_in_grid]]) { x[i] += 1; }`

// Functions of a group run side by side, each with a stream.
func ExampleAccelerator_NewStreamGroup() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, incrementSource, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	increment, err := program.Kernel("increment")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.BufferOf(ctx, acc, []int32{0, 10, 20, 30})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()

	group, err := acc.NewStreamGroup(ctx, 2)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 4 {
		group.Go(func(ctx context.Context, s *compute.Stream) error {
			one, err := x.Slice(i, i+1)
			if err != nil {
				return err
			}
			return s.Launch(ctx, increment, compute.Threads1D(1), one)
		})
	}
	if err := group.Wait(); err != nil {
		log.Fatal(err)
	}
	values, err := x.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [1 11 21 31]
}

// One stream waits for another on the device; the program goes on meanwhile.
func ExampleStream_WaitFor() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, incrementSource, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	increment, err := program.Kernel("increment")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.BufferOf(ctx, acc, []int32{1})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	var streams [2]*compute.Stream
	for i := range streams {
		if streams[i], err = acc.NewStream(compute.StreamOptions{Label: fmt.Sprint("stream ", i)}); err != nil {
			log.Fatal(err)
		}
		defer streams[i].Close(ctx)
	}
	ready, err := acc.NewEvent(compute.EventOptions{Label: "ready"})
	if err != nil {
		log.Fatal(err)
	}
	defer ready.Close()

	err = errors.Join(
		streams[0].Launch(ctx, increment, compute.Threads1D(1), x),
		streams[0].Record(ctx, ready),
		streams[1].WaitFor(ctx, ready),
		streams[1].Launch(ctx, increment, compute.Threads1D(1), x),
		streams[1].Sync(ctx),
	)
	if err != nil {
		log.Fatal(err)
	}
	values, err := x.Data()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values, streams[1].Stats().Launches)
	// Output: [3] 1
}

// Two timing events measure how long the device took for the work between them.
func ExampleElapsed() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	x, err := compute.NewBuffer[byte](acc, 1<<16, compute.BufferOptions{Intent: compute.DeviceOnly})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	var events [2]*compute.Event
	for i := range events {
		if events[i], err = acc.NewEvent(compute.EventOptions{Timing: true}); err != nil {
			log.Fatal(err)
		}
		defer events[i].Close()
	}
	err = errors.Join(stream.Record(ctx, events[0]), compute.Fill(ctx, stream, x, 7), stream.Record(ctx, events[1]))
	if err != nil {
		log.Fatal(err)
	}
	took, _, err := compute.Elapsed(ctx, events[0], events[1]) // waits for both
	fmt.Println(took > 0, err)
	// Output: true <nil>
}

// A callback runs once all earlier work of the stream has ended.
func ExampleStream_Callback() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	x, err := compute.NewBuffer[int32](acc, 2, compute.BufferOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	done := make(chan error)
	err = errors.Join(compute.Fill(ctx, stream, x, 1), stream.Callback(ctx, func(err error) { done <- err }))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-done)
	// Output: <nil>
}

// Measure runs work many times and returns the distribution of the device's times.
func ExampleStream_Measure() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, incrementSource, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	increment, err := program.Kernel("increment")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.NewZeroed[int32](ctx, acc, 1024, compute.BufferOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stream, err := acc.NewStream(compute.StreamOptions{Label: "profiled"})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close(ctx)
	p, err := stream.Measure(ctx, 20, func(ctx context.Context, s *compute.Stream) error {
		return s.Launch(ctx, increment, compute.Threads1D(x.Len()), x)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Runs, p.Min <= p.P50 && p.P50 <= p.P99 && p.P99 <= p.Max)
	// Output: 20 true
}

// Uploads and downloads can be commands of a stream: the program goes on meanwhile, and an event
// says when its slices are its own again.
func ExampleUploadAsync() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, incrementSource, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	increment, err := program.Kernel("increment")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.NewBuffer[int32](acc, 3, compute.BufferOptions{Intent: compute.DeviceOnly})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	stream, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	done, err := acc.NewEvent(compute.EventOptions{Label: "values are there"})
	if err != nil {
		log.Fatal(err)
	}
	defer done.Close()

	values := []int32{1, 10, 100}
	err = errors.Join(
		compute.UploadAsync(ctx, stream, x, values, nil),
		stream.Launch(ctx, increment, compute.Threads1D(3), x),
		compute.DownloadAsync(ctx, stream, values, x, done),
		done.Wait(ctx), // until here, the stream owns values
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values, stream.Sync(ctx))
	// Output: [2 11 101] <nil>
}
