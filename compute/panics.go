package compute

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError is the error of a panic in a function that this package called on its own goroutine: a
// callback of a stream, an operation of a graph or a function of a group. If the panic's value is
// an error, PanicError wraps it.
type PanicError struct {
	What  string // for example "callback 7 of stream copies"
	Value any    // of the panic
	Stack []byte // of the goroutine that panicked
}

// Error names the function and the value, followed by the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("compute: %s panicked: %v\n%s", e.What, e.Value, e.Stack)
}

// Unwrap returns the value if it is an error, else nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// errExited is the value of a PanicError for a function that ended its goroutine instead of
// returning.
var errExited = errors.New("runtime.Goexit was called, as by testing.T.FailNow")

// protect calls fn, and then ended exactly once, with fn's error or a *PanicError. If fn ends its
// goroutine, protect does not return, but still calls ended.
func protect(what func() string, fn func() error, ended func(error)) {
	err, returned := error(nil), false
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{What: what(), Value: p, Stack: debug.Stack()}
		} else if !returned {
			err = &PanicError{What: what(), Value: errExited, Stack: debug.Stack()}
		}
		ended(err)
	}()
	err = fn()
	returned = true
}
