package compute

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// errorLog logs failed command buffers: the first one of each cause immediately, and repetitions
// within a period as one line with their number when the period ends. Otherwise a kernel that fails
// a thousand times a second would flood the log.
//
// It has its own lock, a leaf.
type errorLog struct {
	log *slog.Logger

	mu     sync.Mutex
	causes map[failureCause]*repeatedFailure
}

// logPeriod is how long failures of one cause are counted before they are logged again.
const logPeriod = 10 * time.Second

// maxCauses is how many causes are counted separately. Further causes of one kind share a count.
const maxCauses = 64

// failureCause identifies a cause of failures: the stream, the kind of failure, and the first
// command in progress.
type failureCause struct {
	stream string
	kind   error
	form   string // of the command's summary
	name   string
	site   uintptr
}

// repeatedFailure is a cause during its period.
type repeatedFailure struct {
	more   int // failures since the last line
	last   *ExecutionError
	period *time.Timer
}

// add logs a failure, or counts it.
func (l *errorLog) add(cause failureCause, e *ExecutionError) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.causes[cause]
	if r == nil && len(l.causes) >= maxCauses {
		cause = failureCause{kind: cause.kind}
		r = l.causes[cause]
	}
	if r != nil {
		r.more++
		r.last = e
		return
	}
	l.log.Log(context.Background(), levelOf(e), "compute: a command buffer failed", "stream", e.Stream, "error", e)
	if l.causes == nil {
		l.causes = map[failureCause]*repeatedFailure{}
	}
	r = &repeatedFailure{}
	r.period = time.AfterFunc(logPeriod, func() { l.endPeriod(cause, r) })
	l.causes[cause] = r
}

// levelOf is the level at which a failure is logged. Work that the program itself canceled is not
// an error.
func levelOf(e *ExecutionError) slog.Level {
	if errors.Is(e, ErrCanceled) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// endPeriod logs the repetitions of a period. After a period without any, the next failure is
// logged immediately.
func (l *errorLog) endPeriod(cause failureCause, r *repeatedFailure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.causes[cause] != r {
		return // closed meanwhile
	}
	if !l.repeat(r) {
		delete(l.causes, cause)
		return
	}
	r.period.Reset(logPeriod)
}

// repeat logs failures that were only counted, and reports whether there were any. The lock is
// held.
func (l *errorLog) repeat(r *repeatedFailure) bool {
	if r.more == 0 {
		return false
	}
	l.log.Log(context.Background(), levelOf(r.last), "compute: command buffers failed again for the same cause",
		"stream", r.last.Stream, "times", r.more, "last", r.last)
	r.more, r.last = 0, nil
	return true
}

// close logs what was only counted.
func (l *errorLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.causes {
		r.period.Stop()
		l.repeat(r)
	}
	l.causes = nil
}
