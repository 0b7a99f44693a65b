package stream

import (
	"context"
	"errors"
	"fmt"
)

// ContextError is the error of a wait that ended because its context did.
func ContextError(ctx context.Context, what string) error {
	return fmt.Errorf("compute: waiting for %s: %w", what, CanceledBy(ctx))
}

// canceledError is the end of a context, as an error that wraps all of ErrCanceled.
type canceledError struct{ cause, err error }

// CanceledBy returns the error of what a context that has ended puts an end to.
func CanceledBy(ctx context.Context) error { return &canceledError{context.Cause(ctx), ctx.Err()} }

func (e *canceledError) Error() string { return e.cause.Error() }

func (e *canceledError) Unwrap() []error { return []error{ErrCanceled, e.cause, e.err} }

// Kinds of error that package compute has too.
var (
	ErrClosed      = errors.New("closed")
	ErrOutOfMemory = errors.New("out of device memory")
	ErrCanceled    = errors.New("canceled")
	ErrExecution   = errors.New("execution failed")
	ErrRange       = errors.New("out of range")
	ErrStorage     = errors.New("wrong storage mode")
	ErrAccelerator = errors.New("belongs to another accelerator")
	ErrGraph       = errors.New("bad graph")
	ErrIndirect    = errors.New("not possible in indirect commands")
	ErrNil         = errors.New("nil or zero argument")
)

// CheckCall returns an error for a missing receiver, a nil context, and a context that has already
// ended. what names the call, for example "stream: Record". Every exported function that takes a
// context begins with it, except Close.
func CheckCall(ctx context.Context, what string, missing bool) error {
	switch {
	case missing:
		return NilError(what)
	case ctx == nil:
		return fmt.Errorf("compute: %s: nil context: %w", what, ErrNil)
	case ctx.Err() != nil:
		return fmt.Errorf("compute: %s: the context has ended before the call: %w", what, CanceledBy(ctx))
	}
	return nil
}

// NilError is the error of a call on a missing handle.
func NilError(what string) error {
	return fmt.Errorf("compute: %s: the handle is nil or was never made: %w", what, ErrNil)
}
