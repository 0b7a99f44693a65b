// Package fuzztest is shared by the compiler's fuzzers. It provides time and memory bounds for one
// input, seed programs from the test data, and a generator of random programs, since the parser
// rejects most random bytes.
package fuzztest

import (
	"context"
	"flag"
	"fmt"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/budget"
)

const (
	// MaxTime is the time limit for one input.
	MaxTime = 5 * time.Second
	// MaxAlloc is the limit on bytes allocated for one input, including those already freed.
	MaxAlloc = 256 << 20
	// MaxSteps is the compiler's step budget for one input.
	MaxSteps = 1 << 20
	// MaxText is the maximum text length of one input.
	MaxText = 1 << 14
	// idle and perStep bound the time of an input: a fixed amount plus an amount per step spent.
	// Exceeding it means that some work does not spend steps.
	idle    = time.Second
	perStep = 5 * time.Microsecond
	// hang is when an input is considered endless and the process is ended, since a fuzzer records
	// the input of a process that dies. If it ran on, the fuzzer would kill it at the end of its
	// time and only report that the process hung.
	hang = 2 * MaxTime
	tick = 100 * time.Millisecond
)

// allocated returns the total number of bytes ever allocated by the process.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// fuzzing reports whether a fuzzer is running rather than the tests.
func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// Bound runs what a fuzzer does with one input. It fails the test if that allocates too much. Under
// a fuzzer, it also fails the test if that takes too long twice in a row (the machine may be busy
// with other work), and panics if it does not end or is about to exhaust memory. Tests do not
// measure time.
func Bound(t testing.TB, body func()) {
	t.Helper()
	if !fuzzing() {
		BoundAlloc(t, MaxAlloc, body)
		return
	}
	bound(t, func() int64 { body(); return MaxSteps })
}

// BoundAlloc fails the test if body allocates more than most bytes, including those already freed.
func BoundAlloc(t testing.TB, most uint64, body func()) {
	t.Helper()
	before := allocated()
	body()
	if alloc := allocated() - before; alloc > most {
		t.Fatalf("%d MiB were allocated; the limit is %d", alloc>>20, most>>20)
	}
}

// BoundSteps is Bound for a body that returns the budget steps it spent. Under a fuzzer, an input
// fails if it takes long for few steps: some work does not spend any.
func BoundSteps(t testing.TB, body func() (steps int64)) {
	t.Helper()
	if !fuzzing() {
		Bound(t, func() { body() })
		return
	}
	bound(t, body)
}

func bound(t testing.TB, body func() int64) {
	t.Helper()
	var steps int64
	once := func() { steps = body() }
	took, alloc := run(once)
	if alloc > MaxAlloc {
		t.Fatalf("%d MiB were allocated in %d steps", alloc>>20, steps)
	}
	if most := min(idle+time.Duration(steps)*perStep, MaxTime); took > most {
		if took, _ = run(once); took > most {
			t.Fatalf("the input took %v for %d steps; the limit is %v", took, steps, most)
		}
	}
}

// Budget returns the budget of one input.
func Budget() *budget.Budget {
	return budget.New(context.Background(), "the input", budget.Limits{Steps: MaxSteps, Bytes: MaxAlloc / 4})
}

func run(body func()) (time.Duration, uint64) {
	start, before := time.Now(), allocated()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		watch(done, start, before)
	}()
	func() {
		defer func() { close(done); <-ended }() // body may end the goroutine
		body()
	}()
	return time.Since(start), allocated() - before
}

// watch panics if the input does not end.
func watch(done <-chan struct{}, start time.Time, before uint64) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			took, alloc := time.Since(start), allocated()-before
			if took > hang || alloc > 8*MaxAlloc {
				panic(fmt.Sprintf("the input does not end: %v, %d MiB", took, alloc>>20))
			}
		}
	}
}
