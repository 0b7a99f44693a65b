package compute

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// LeakError lists the objects that were still open when an accelerator was closed. Close has
// released them.
type LeakError struct {
	Objects []string // descriptions, with [WithLeakCheck] including where they were made
	lines   bool     // each has a line of its own
}

// Error lists the objects.
func (e *LeakError) Error() string {
	before, between := " ", ", "
	if e.lines {
		before, between = "\n    ", "\n    "
	}
	return fmt.Sprintf("compute: %d objects were open at Close:%s%s", len(e.Objects), before,
		strings.Join(e.Objects, between))
}

// WithLeakCheck is for tests: the [LeakError] of [Accelerator.Close] then contains the line of the
// program on which each object was made. Buffers and textures that become unreachable are not
// closed by the garbage collector, so that they are listed too.
func WithLeakCheck() Option {
	return func(c *config) error {
		c.leakCheck = true
		return nil
	}
}

// madeHere returns " made at file:line" for the program's call that is making an object, "" without
// WithLeakCheck.
func (a *Accelerator) madeHere() string {
	if !a.leakCheck {
		return ""
	}
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !ownFrame(f) {
			return fmt.Sprintf(" made at %s:%d", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// ownFrame reports whether a frame is of this package, of ops or of tensor, their tests aside.
func ownFrame(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	rest, ok := strings.CutPrefix(f.Function, reflect.TypeFor[Accelerator]().PkgPath())
	return ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/ops.") || strings.HasPrefix(rest, "/tensor."))
}
