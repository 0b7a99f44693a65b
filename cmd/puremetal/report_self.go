//go:build !puremetal_run

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/telemetry"
)

// The work of a test: rounds launches of a kernel over a buffer, downloaded after each.
const (
	testRounds = 20
	testLength = 1 << 14
	testSource = `
kernel void puremetal_test(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  x[i] = x[i] * 1664525u + 1013904223u;
}`
)

// test tests a device of this machine and reports how it worked.
func (c *reportCmd) test(a *app) (err error) {
	acc, err := a.open(c.Device)
	if err != nil {
		return err
	}
	defer func() {
		if e := closeDevice(a.ctx, acc); err == nil {
			err = e
		}
	}()
	monitor, err := telemetry.Watch(acc, telemetry.Options{Interval: -1})
	if err != nil {
		return err
	}
	defer monitor.Close()
	monitor.Check() // the rules compare with this state
	failure := testDevice(a.ctx, acc)
	health := monitor.Check()
	if c.JSON {
		err = writeJSON(a.out, monitor.Report())
	} else {
		_, err = io.WriteString(a.out, monitor.Report().String())
	}
	switch {
	case failure != nil: // the report, which shows it too, comes first
		return failure
	case err == nil && health.State == telemetry.Failing:
		return errFindings
	}
	return err
}

// testDevice launches a kernel on a device and checks the result.
func testDevice(ctx context.Context, acc *compute.Accelerator) error {
	program, err := acc.Compile(ctx, testSource, compute.CompileOptions{})
	if err != nil {
		return err
	}
	defer program.Close()
	kernel, err := program.Kernel("puremetal_test")
	if err != nil {
		return err
	}
	want := make([]uint32, testLength)
	for i := range want {
		want[i] = uint32(i)
	}
	x, err := compute.BufferOf(ctx, acc, want)
	if err != nil {
		return err
	}
	defer x.Close()
	stream, err := acc.NewStream(compute.StreamOptions{Label: "test"})
	if err != nil {
		return err
	}
	defer stream.Close(context.WithoutCancel(ctx))
	got := make([]uint32, testLength)
	for round := range testRounds {
		if err := stream.Launch(ctx, kernel, compute.Threads1D(testLength), x); err != nil {
			return err
		}
		if err := stream.Sync(ctx); err != nil {
			return err
		}
		if err := x.Download(ctx, got); err != nil {
			return err
		}
		for i := range want {
			if want[i] = want[i]*1664525 + 1013904223; got[i] != want[i] {
				return fmt.Errorf("report: launch %d of the test computed %d for element %d; want %d", round+1, got[i], i, want[i])
			}
		}
	}
	return nil
}
