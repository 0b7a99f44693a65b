package objcsoft

import (
	"errors"
	"fmt"
)

// Faults of a message, for errors.Is.
var (
	// ErrReleased: the receiver, or the object to retain or release, is gone.
	ErrReleased = errors.New("object is released")
	// ErrNotObject: the word is not a handle of this runtime.
	ErrNotObject = errors.New("not an object")
	// ErrUnrecognized: the class has no such method.
	ErrUnrecognized = errors.New("unrecognized selector")
	// ErrEncoding: the message was built for another type encoding.
	ErrEncoding = errors.New("type encoding differs")
	// ErrPanic: Go code behind a method, a block or a function panicked.
	ErrPanic = errors.New("panic")
	// ErrException: the method raised what would be an exception on a Mac.
	ErrException = errors.New("exception")
	// ErrAddress: an address in a message is not mapped.
	ErrAddress = errors.New("bad address")
	// ErrPool: an autorelease pool was popped twice or by another goroutine.
	ErrPool = errors.New("autorelease pool")
	// ErrUnknown: no class, protocol, framework, function or constant of that name.
	ErrUnknown = errors.New("not found")
	// ErrDuplicate: the name is registered already.
	ErrDuplicate = errors.New("registered already")
)

// MessageError is a message that failed. Its text begins as Apple's does,
// "-[MTLFoo bar:]: unrecognized selector".
type MessageError struct {
	// Method is the message in brackets, with - for instances and + for classes.
	Method string
	// Fault is one of the sentinel errors or an error that wraps one.
	Fault error
	// Detail gives more information; it may be empty.
	Detail string
	// Site is the file and line that sent the message, outside the bindings.
	Site string
}

// Reason is the text without the message and its site.
func (e *MessageError) Reason() string {
	if e.Detail == "" {
		return e.Fault.Error()
	}
	return e.Fault.Error() + ": " + e.Detail
}

func (e *MessageError) Error() string {
	s := e.Method + ": " + e.Reason()
	if e.Site != "" {
		s += " (sent at " + e.Site + ")"
	}
	return s
}

// Unwrap returns the fault.
func (e *MessageError) Unwrap() error { return e.Fault }

// PanicError is a panic of Go code behind a method, a block or a function.
type PanicError struct {
	// Value is the argument of the call to panic.
	Value any
	// Stack is the goroutine's stack at the panic.
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Is makes errors.Is(err, ErrPanic) true.
func (e *PanicError) Is(target error) bool { return target == ErrPanic }

// Unwrap returns the value when it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Exception is an exception that a Foundation method would have thrown.
type Exception struct {
	// Name is the exception's name, such as NSRangeException.
	Name string
	// Reason says what was wrong, with the value and the limit.
	Reason string
}

func (e *Exception) Error() string { return e.Name + ": " + e.Reason }

// Is makes errors.Is(err, ErrException) true.
func (e *Exception) Is(target error) bool { return target == ErrException }

// Names of the exceptions that Foundation's methods raise.
const (
	rangeException           = "NSRangeException"
	invalidArgumentException = "NSInvalidArgumentException"
)
