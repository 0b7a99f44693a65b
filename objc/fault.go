package objc

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Errors of messages, lookups and the choice of a driver. Returned errors wrap them; test with
// errors.Is.
var (
	// ErrReleased: the handle's object has been released.
	ErrReleased = objcsoft.ErrReleased
	// ErrNotObject: the word is not a handle from the driver in use.
	ErrNotObject = objcsoft.ErrNotObject
	// ErrUnrecognized: the receiver's class has no such method.
	ErrUnrecognized = objcsoft.ErrUnrecognized
	// ErrEncoding: the type encoding of a call differs from the one that the method or block was
	// registered with.
	ErrEncoding = objcsoft.ErrEncoding
	// ErrArguments: the number of argument words does not match the encoding.
	ErrArguments = errors.New("wrong number of argument words")
	// ErrOverRelease: the object was released more often than the program retained it.
	ErrOverRelease = errors.New("released more often than retained")
	// ErrPanic: a Go function panicked while Objective-C was calling it.
	ErrPanic = objcsoft.ErrPanic
	// ErrNotFound: a framework, class, protocol, function or constant is missing.
	ErrNotFound = errors.New("not found")
	// ErrDuplicate: a class of that name, or a method of that selector, exists already.
	ErrDuplicate = objcsoft.ErrDuplicate
	// ErrUnavailable: the running macOS is too old for the call.
	ErrUnavailable = errors.New("not available on this macOS")
	// ErrDriver: the driver cannot be used, or another one is already in use.
	ErrDriver = errors.New("driver unavailable")
	// ErrThread: the autorelease pool is not open on this goroutine. Another goroutine made it, or it
	// has been drained.
	ErrThread = errors.New("not open on this goroutine")
	// ErrShort: a slice has fewer elements than the call reads or writes.
	ErrShort = errors.New("slice too short")
	// ErrNil: a call returned nil or NO without an NSError.
	ErrNil = errors.New("returned neither a result nor an error")
)

// Fault is a misuse of an object by a call that has no error result: a message to a released
// object, a selector that the receiver does not respond to, an over-release. The call returned
// zero.
type Fault struct {
	Op   string // "-[MTLBuffer length]", "release", ...
	Err  error  // wraps one of the errors above
	Site string // file:line of the first caller outside this package and the bindings
}

// Error describes the fault in one line.
func (f *Fault) Error() string {
	if f.Site == "" {
		return fmt.Sprintf("objc: %s: %s", f.Op, f.cause())
	}
	return fmt.Sprintf("objc: %s: %s (called at %s)", f.Op, f.cause(), f.Site)
}

// cause is the text of Err, without the message and the site if they are Op and Site. The class may
// differ, as Op has the protocol's name.
func (f *Fault) cause() string {
	m, ok := f.Err.(*objcsoft.MessageError)
	if !ok {
		return f.Err.Error()
	}
	_, sent, _ := strings.Cut(m.Method, " ")
	_, called, _ := strings.Cut(f.Op, " ")
	if sent == "" || sent != called || m.Site != "" && !strings.HasSuffix(f.Site, m.Site) {
		return f.Err.Error()
	}
	return m.Reason()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

var faultHandler atomic.Pointer[func(*Fault)]

// OnFault sets the function called for every [Fault], and returns a function that restores the
// previous one. The default, which nil also selects, logs the fault with slog at level error. The
// handler may be called from any goroutine.
func OnFault(handler func(*Fault)) (restore func()) {
	var p *func(*Fault)
	if handler != nil {
		p = &handler
	}
	old := faultHandler.Swap(p)
	return func() { faultHandler.Store(old) }
}

func newFault(op string, err error) *Fault {
	return &Fault{Op: op, Err: err, Site: callSite()}
}

func report(op string, err error) {
	f := newFault(op, err)
	if h := faultHandler.Load(); h != nil {
		(*h)(f)
		return
	}
	slog.Error("objc fault", "op", f.Op, "error", f.cause(), "site", f.Site)
}

// callSite returns file:line of the nearest caller outside objc and the packages of bindings.
func callSite() string {
	var pcs [24]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if f.File != "" && !bindingFrame(f) {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

func bindingFrame(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	return strings.HasPrefix(f.Function, "runtime.") || objcsoft.InBindings(f.Function)
}
