package exec

import (
	"errors"
	"fmt"
)

// Reasons for a launch to fail. If a stopper stops it, the stopper's error is returned instead.
var (
	ErrFuel             = errors.New("exec: out of fuel")
	ErrDivergentBarrier = errors.New("exec: barrier in divergent control flow")
	ErrUnsupported      = errors.New("exec: not supported")
	ErrLaunch           = errors.New("exec: invalid launch")
	ErrGridSync         = errors.New("exec: grid barrier in control flow that differs within the grid")
	ErrScratch          = errors.New("exec: no working memory")

	// ErrAbandoned ends a threadgroup whose result no longer matters because an earlier one has
	// failed. Launches never return it.
	ErrAbandoned = errors.New("exec: an earlier threadgroup failed")
)

// BudgetError is the error of a launch that has used up its fuel. It wraps ErrFuel.
type BudgetError struct{ Work int64 }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of %d units of work is used up", e.Work)
}

// Unwrap returns ErrFuel.
func (e *BudgetError) Unwrap() error { return ErrFuel }

// AssertionError is the error of a launch in which a kernel's assertion failed.
type AssertionError struct {
	Text string // file, line, thread and expression
}

func (e *AssertionError) Error() string { return e.Text }

// PanicError is a panic in the work of a Crew, on any of its goroutines.
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
