package exec

import (
	"errors"
	"fmt"
)

// Reasons for a launch to fail. An ended context is another: its own error is returned.
var (
	ErrFuel             = errors.New("exec: out of fuel")
	ErrDivergentBarrier = errors.New("exec: barrier in divergent control flow")
	ErrUnsupported      = errors.New("exec: not supported")
	ErrLaunch           = errors.New("exec: invalid launch")

	// ErrAbandoned ends a threadgroup whose result no longer matters, because an earlier one has
	// failed. Launches never return it.
	ErrAbandoned = errors.New("exec: an earlier threadgroup failed")
)

// PanicError is a panic in work that a Crew shared out, on whichever goroutine it happened.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
