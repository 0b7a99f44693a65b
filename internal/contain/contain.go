// Package contain calls functions of the program so that neither a panic nor the end of their
// goroutine takes anything of the library's with it.
package contain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Error is the error of a function that panicked, or that ended its goroutine. Package compute
// exports it as PanicError.
type Error struct {
	What  string // for example "callback 7 of stream copies"
	Value any    // of the panic
	Stack []byte // of the goroutine that panicked
}

// Error names the function and the value, followed by the stack.
func (e *Error) Error() string {
	return fmt.Sprintf("%s panicked: %v\n%s", e.What, e.Value, e.Stack)
}

// Unwrap returns the value if it is an error, else nil.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ErrExited is the value of an Error for a function that ended its goroutine instead of returning.
var ErrExited = errors.New("runtime.Goexit was called, as by testing.T.FailNow")

// Call calls fn on a goroutine of its own, which fn may end, and returns its error or an *Error.
// All functions of the program that a goroutine of the library or of the device needs to return are
// called in this way.
func Call(what func() string, fn func() error) error {
	ended := make(chan error, 1)
	go Protect(what, fn, func(err error) { ended <- err })
	return <-ended
}

// Protect calls fn, and then ended exactly once, with fn's error or an *Error. If fn ends its
// goroutine, Protect does not return, but still calls ended.
func Protect(what func() string, fn func() error, ended func(error)) {
	err, returned := error(nil), false
	defer func() {
		if p := recover(); p != nil {
			err = &Error{What: what(), Value: p, Stack: debug.Stack()}
		} else if !returned {
			err = &Error{What: what(), Value: ErrExited, Stack: debug.Stack()}
		}
		ended(err)
	}()
	err = fn()
	returned = true
}

// Logger returns a logger for a handler of the program. A record that the handler fails to take is
// lost: there is no other place for it.
func Logger(h slog.Handler) *slog.Logger { return slog.New(handler{h}) }

// handler is a log handler of the program.
type handler struct{ slog.Handler }

// Enabled implements slog.Handler. One that fails is asked to handle the record.
func (h handler) Enabled(ctx context.Context, l slog.Level) bool {
	enabled := true
	_ = h.call(func() error { enabled = h.Handler.Enabled(ctx, l); return nil })
	return enabled
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	return h.call(func() error { return h.Handler.Handle(ctx, r) })
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	_ = h.call(func() error { h.Handler = h.Handler.WithAttrs(attrs); return nil })
	return h
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	_ = h.call(func() error { h.Handler = h.Handler.WithGroup(name); return nil })
	return h
}

func (handler) call(fn func() error) error {
	return Call(func() string { return "the log handler" }, fn)
}
