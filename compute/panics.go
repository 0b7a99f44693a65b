package compute

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// PanicError is the error of a panic in a function of the program that this package called: a
// callback of a stream, an operation of a graph, a function of a group, an observer, the function
// of [WithSanitizer], the one that frees adopted memory, or a log handler. A function that ends its
// goroutine (runtime.Goexit, as testing.T.FailNow does) counts as one that panics, unless it is
// called on the caller's goroutine, as by [Graph.Record], and so ends that. One that does not
// return holds up only what comes after it: waits end with their contexts. If the panic's value is
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

// contained calls fn on a goroutine of its own, which fn may end, and returns its error or a
// *PanicError. All functions of the program that a goroutine of this package or of the device needs
// to return are called in this way.
func contained(what func() string, fn func() error) error {
	ended := make(chan error, 1)
	go protect(what, fn, func(err error) { ended <- err })
	return <-ended
}

// stray logs the failure of a function of the program that no stream has called, and keeps it for
// [Accelerator.Sync].
func (a *Accelerator) stray(err error) {
	if err != nil {
		a.log.Error("compute: a function of the program failed", "error", err)
		a.strays.addLate(0, fmt.Errorf("compute: %w", err))
	}
}

// containedHandler is a log handler of the program.
type containedHandler struct{ slog.Handler }

// Handle implements slog.Handler. A record that the handler fails to take is lost: there is no
// other place for it.
func (h containedHandler) Handle(ctx context.Context, r slog.Record) error {
	return contained(func() string { return "the log handler" }, func() error { return h.Handler.Handle(ctx, r) })
}

// WithAttrs implements slog.Handler.
func (h containedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return containedHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h containedHandler) WithGroup(name string) slog.Handler {
	return containedHandler{h.Handler.WithGroup(name)}
}

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
