// Package guard is what package resilience and package compute know of each other: how the failures
// of an accelerator's streams reach a guard, and what the guard can have done about them.
//
// It is tested by way of package resilience.
package guard

import (
	"context"
	"errors"
	"time"
)

// Guard deals with the failures of an accelerator. Its methods are called by several goroutines at
// once.
type Guard interface {
	// Run executes the commands of a command buffer, as often as it takes, and returns their failure
	// in the end. ctx ends when they are canceled.
	Run(ctx context.Context, w Work) error
	// Do calls a function that uses the device and that may be called again, until it succeeds or
	// there is no point in calling it again.
	Do(ctx context.Context, what string, fn func() error) error
	// Copies reserves memory for a host copy, and gives it back if bytes is negative.
	Copies(bytes int64, name string) error
}

// Work is the commands of a command buffer.
type Work interface {
	Stream() string // the label
	Len() int       // the number of commands
	// Part returns the commands from to to-1.
	Part(from, to int) Work
	// Kernels returns the names of the kernels that the commands launch.
	Kernels() []string
	// Repeatable returns why the commands must not be executed again after they were executed in
	// part, nil if they may. lost: nothing is left but what has a host copy.
	Repeatable(lost bool) error
	// Run executes the commands once. If it fails, memory with a host copy will have its contents
	// again when it is used next.
	Run(ctx context.Context, how Manner) error
	// RunOn is Run on another accelerator, which has no guard.
	RunOn(ctx context.Context, accelerator any) error
	// Retries is the number of retries that are left to the stream.
	Retries() *float64
}

// Manner is how commands are executed.
type Manner struct {
	Part    time.Duration // of launches in parts; 0 for whole launches
	InParts func()        // called for each launch that runs in parts
	CPU     bool          // on the CPU, without the device
}

// Options configures [Hooks].Attach.
type Options struct {
	Commands int           // of a command buffer, at most
	Delay    time.Duration // that a command waits for others
	All      bool          // all memory gets a host copy
}

// Hooks is what package compute does for a guard. Accelerators and streams are those of package
// compute, behind pointers. While Adopt, Lose and ToHost run, nothing that the guard has called may
// run.
type Hooks struct {
	// Attach makes an accelerator that has no streams guarded.
	Attach func(accelerator any, g Guard, o Options)
	// Lose marks the contents of memory without a host copy as lost, and returns the names of what had
	// any. why is the failure of those who read it.
	Lose func(accelerator any, why func(name string) error) []string
	// ToHost moves all memory to the host's, because the device is gone.
	ToHost func(ctx context.Context, accelerator any) error
	// Adopt puts what another accelerator has just opened in the place of a device that is lost. If it
	// fails, it changes nothing.
	Adopt func(ctx context.Context, accelerator, opened any) error
	// NewStream makes a stream that is not guarded.
	NewStream func(accelerator any, label string) (any, error)
	// Hold keeps a stream's commands until there are enough for a command buffer or somebody waits
	// for them, and Discard forgets those.
	Hold, Discard func(stream any)
	// Leaked removes the list of open objects from the error of Close.
	Leaked func(error) error
}

// ErrLost is resilience.ErrLost.
var ErrLost = errors.New("contents lost")

// Compute is set by package compute before it opens an accelerator.
var Compute Hooks

// inside is the key of contexts in which a guard's functions run.
type inside struct{}

// Inside returns a context for calls by the guard itself, which the guard must not guard.
func Inside(ctx context.Context) context.Context { return context.WithValue(ctx, inside{}, true) }

// IsInside reports whether a context is one of [Inside].
func IsInside(ctx context.Context) bool { return ctx.Value(inside{}) != nil }
