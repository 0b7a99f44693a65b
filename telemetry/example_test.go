package telemetry_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/telemetry"
)

func Example() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	mon, err := telemetry.Watch(acc, telemetry.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer mon.Close()

	program, err := acc.Compile(ctx, `
		kernel void twice(device float* x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }`, compute.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()
	twice, err := program.Kernel("twice")
	if err != nil {
		log.Fatal(err)
	}
	x, err := compute.NewZeroed[float32](ctx, acc, 1000, compute.BufferOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := acc.NextStream()
	if err != nil {
		log.Fatal(err)
	}
	for range 5 {
		if err := s.Launch(ctx, twice, compute.Threads1D(1000), x); err != nil {
			log.Fatal(err)
		}
	}
	if err := s.Sync(ctx); err != nil {
		log.Fatal(err)
	}

	now := mon.Snapshot() // mon.Report().String() is the report for people
	fmt.Println(now.Value("puremetal_launches_total", "twice"), "launches")
	fmt.Println(now.Value("puremetal_threads_total"), "threads")
	answer := httptest.NewRecorder() // a program gives mon.Handler() to http.ListenAndServe
	mon.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/health", nil))
	fmt.Print(answer.Code, " ", answer.Body)
	// Output:
	// 5 launches
	// 5000 threads
	// 200 {"state":"healthy","alerts":[]}
}
