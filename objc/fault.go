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

// Errors that a message, a lookup or a driver choice can end in. Returned errors wrap them; test
// with errors.Is.
var (
	// ErrReleased: the handle's object has been released.
	ErrReleased = objcsoft.ErrReleased
	// ErrNotObject: the word is not a handle of this driver.
	ErrNotObject = objcsoft.ErrNotObject
	// ErrUnrecognized: the receiver's class has no such method.
	ErrUnrecognized = objcsoft.ErrUnrecognized
	// ErrEncoding: a message's shape differs from the one its method is registered with.
	ErrEncoding = objcsoft.ErrEncoding
	// ErrArguments: a message has too few or too many argument words.
	ErrArguments = errors.New("wrong number of argument words")
	// ErrOverRelease: more references were given up than the program owns.
	ErrOverRelease = errors.New("released more often than retained")
	// ErrPanic: a Go function panicked while Objective-C was calling it.
	ErrPanic = objcsoft.ErrPanic
	// ErrNotFound: a framework, class, protocol, function or constant is missing.
	ErrNotFound = errors.New("not found")
	// ErrUnavailable: the running macOS is too old for the call.
	ErrUnavailable = errors.New("not available on this macOS")
	// ErrDriver: the driver cannot be used, or another one is in use already.
	ErrDriver = errors.New("driver not usable")
	// ErrThread: an autorelease pool was drained by another goroutine or thread than the one that
	// made it.
	ErrThread = errors.New("autorelease pool belongs to another thread")
	// ErrNil: a call answered nil or NO without saying why.
	ErrNil = errors.New("no result and no error given")
)

// Fault is a misuse of an object that a call without an error result could not report: a message to
// a released object, a selector that the receiver does not have, an over-release. The call answered
// zero.
type Fault struct {
	Op   string // "-[MTLBuffer length]", "release", ...
	Err  error  // wraps one of the errors above
	Site string // file:line of the first caller outside this package and the bindings
}

// Error returns the fault in one line.
func (f *Fault) Error() string {
	if f.Site == "" {
		return fmt.Sprintf("objc: %s: %v", f.Op, f.Err)
	}
	return fmt.Sprintf("objc: %s: %v (called at %s)", f.Op, f.Err, f.Site)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

var faultHandler atomic.Pointer[func(*Fault)]

// OnFault sets the function that is called with every [Fault] and returns a function that puts the
// earlier one back. The default, also set by a nil handler, logs the fault with slog at level
// error. The handler may be called from any goroutine.
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
	slog.Error("objc fault", "op", f.Op, "error", f.Err.Error(), "site", f.Site)
}

// modulePath is what the bindings' import paths begin with: their frames are not call sites.
const modulePath = "github.com/puremetal/puremetal/"

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
	rest, ok := strings.CutPrefix(f.Function, modulePath)
	if !ok {
		return strings.HasPrefix(f.Function, "runtime.")
	}
	for _, p := range []string{"objc.", "objc/", "mtl.", "mps.", "mpsgraph.", "internal/objcsoft."} {
		if strings.HasPrefix(rest, p) {
			return true
		}
	}
	return false
}
