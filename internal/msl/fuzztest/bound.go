// Package fuzztest is what the fuzzers of the compiler share: bounds on the time and the memory of
// one input, the programs of the test data as seeds, and a writer of random programs, since the
// parser refuses most random bytes.
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
	// MaxTime is how long one input may take.
	MaxTime = 5 * time.Second
	// MaxAlloc is how many bytes may be allocated for one input, those that are free again included.
	MaxAlloc = 256 << 20
	// MaxSteps is how many steps of the compiler's budget one input gets.
	MaxSteps = 1 << 20
	// MaxText is how long the text of one input may be.
	MaxText = 1 << 14
	// idle and perStep are how long an input may take that spends nothing, and for each step that it
	// spends: who takes longer does something without spending steps for it.
	idle    = time.Second
	perStep = 5 * time.Microsecond
	// hang is when an input counts as one that never ends, which ends the process: a fuzzer records
	// the input of a process that dies. One that goes on for longer the fuzzer would kill at the end
	// of its time, and say only that the process hung.
	hang = 2 * MaxTime
	tick = 100 * time.Millisecond
)

// allocated returns how many bytes the process has allocated, ever.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// fuzzing reports whether a fuzzer runs, rather than the tests.
func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// Bound runs what a fuzzer does with one input. It fails the test when that allocates too much.
// Under a fuzzer, it also fails it when that takes too long, twice in a row since machines may be
// busy with other work, and panics when that does not end, or is about to take all memory; tests
// look at no clock.
func Bound(t testing.TB, body func()) {
	t.Helper()
	if !fuzzing() {
		BoundAlloc(t, MaxAlloc, body)
		return
	}
	bound(t, func() int64 { body(); return MaxSteps })
}

// BoundAlloc fails the test when a body allocates more than so many bytes, those that are free
// again included.
func BoundAlloc(t testing.TB, most uint64, body func()) {
	t.Helper()
	before := allocated()
	body()
	if alloc := allocated() - before; alloc > most {
		t.Fatalf("%d MiB were allocated, more than %d", alloc>>20, most>>20)
	}
}

// BoundSteps is Bound for a body that returns how many steps of a Budget it has spent. Under a
// fuzzer an input fails that takes long for so few steps: something goes on without spending any.
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
			t.Fatalf("the input took %v for %d steps, which is more than %v", took, steps, most)
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
		defer func() { close(done); <-ended }() // the body may end the goroutine
		body()
	}()
	return time.Since(start), allocated() - before
}

// watch panics when the input does not end.
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
