package kernel

import (
	"fmt"
	"runtime"
	"strings"
)

// caught ends the group if the fiber's thread did not return: it panicked with a value, or called
// runtime.Goexit. It must be called by a deferred function of the frame that called the thread.
func (f *fiber) caught(value any) {
	t, g := &f.thread, f.group
	if g.failed != nil {
		// The thread ends because another one failed, unless they run at the same time: then the
		// first of those counts that fail before any is released.
		if !raceDetector || g.aborted() || t.number() > g.failedBy {
			return
		}
	}
	g.failedBy = t.number()
	at := fmt.Sprintf("kernel: thread %v of threadgroup %v", t.Local, t.Group)
	switch v := value.(type) {
	case nil:
		g.failed = fmt.Errorf("%s: runtime.Goexit", at)
	case stop:
		g.failed = fmt.Errorf("%s: %s: %s", at, f.site.where(), v.reason)
	case error:
		g.failed = fmt.Errorf("%s: %s: %w", at, panicked(), v)
	default:
		g.failed = fmt.Errorf("%s: %s: panic: %v", at, panicked(), v)
	}
}

// stop is the value with which this package ends a thread that used it wrongly.
type stop struct{ reason string }

// stop ends the thread with an error at the place where it called this package.
func (f *fiber) stop(format string, args ...any) {
	panic(stop{fmt.Sprintf(format, args...)})
}

// panicked returns the file and line of the panic that a deferred function handles.
func panicked() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	raised := false
	for {
		f, more := frames.Next()
		internal := strings.HasPrefix(f.Function, "runtime.")
		switch {
		case f.Function == "runtime.gopanic" || f.Function == "runtime.sigpanic":
			raised = true
		case raised && !internal && !ours(f.Function):
			return position(f)
		}
		if !more {
			return "an unknown place"
		}
	}
}
