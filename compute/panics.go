package compute

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/contain"
)

// PanicError is the error of a panic in a function of the program that this package called: a
// callback of a stream, an operation of a graph, a function of a group, an observer, the function
// of [WithSanitizer], the one that frees adopted memory, or a log handler. Packages resilience and
// telemetry have it for the functions of their options. A function that ends its goroutine
// (runtime.Goexit, as testing.T.FailNow does) counts as one that panics, unless it is called on the
// caller's goroutine, as by Record of a graph, and so ends that. One that does not return holds up
// only what comes after it: waits end with their contexts. What names the function, Value is that
// of the panic and Stack that of its goroutine. If Value is an error, PanicError wraps it.
type PanicError = contain.Error

// stray logs the failure of a function of the program that no stream has called, and keeps it for
// [Accelerator.Sync].
func (a *Accelerator) stray(err error) {
	if err != nil {
		a.log.Error("compute: a function of the program failed", "error", err)
		a.strays.addLate(0, fmt.Errorf("compute: %w", err))
	}
}
