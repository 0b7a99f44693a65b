package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Outcome is how a case ended.
type Outcome string

// The outcomes. Crashed, Hung and NotRun are for callers that run cases in separate processes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
	Crashed Outcome = "crashed"
	Hung    Outcome = "hung"
	NotRun  Outcome = "not run"
)

// Result is what came of a case.
type Result struct {
	Case    string  `json:"case"`
	Outcome Outcome `json:"outcome"`
	MS      float64 `json:"ms"`
	Text    string  `json:"text,omitempty"` // failures, or why it was skipped
}

// Record runs a case without package testing. A case that panics ends the process.
func (c Case) Record(ctx context.Context) Result {
	r := &recorder{}
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithCancel(ctx)
	start := time.Now()
	done := make(chan struct{})
	go func() { // its own goroutine, which FailNow and Skip end
		defer close(done)
		defer r.cleanup()
		defer cancel()
		c.Run(r)
	}()
	<-done
	out := Result{Case: c.String(), Outcome: Passed, MS: float64(time.Since(start).Microseconds()) / 1000,
		Text: strings.Join(r.texts, "\n")}
	switch {
	case r.failed:
		out.Outcome = Failed
	case r.skipped:
		out.Outcome = Skipped
	}
	return out
}

// recorder is the T of Record.
type recorder struct {
	ctx      context.Context
	mu       sync.Mutex // guards what follows: checks also run on other goroutines
	cleanups []func()
	texts    []string
	failed   bool
	skipped  bool
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return r.ctx }

func (r *recorder) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

// cleanup runs the functions given to Cleanup, the last first, the rest also if one ends the
// goroutine.
func (r *recorder) cleanup() {
	r.mu.Lock()
	n := len(r.cleanups)
	if n == 0 {
		r.mu.Unlock()
		return
	}
	last := r.cleanups[n-1]
	r.cleanups = r.cleanups[:n-1]
	r.mu.Unlock()
	defer r.cleanup()
	last()
}

func (r *recorder) TempDir() string {
	dir, err := os.MkdirTemp("", "conformance-*")
	if err != nil {
		r.Fatalf("%v", err)
	}
	r.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			r.Errorf("%v", err)
		}
	})
	return dir
}

func (r *recorder) note(failed bool, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed, r.skipped = r.failed || failed, r.skipped || !failed
	r.texts = append(r.texts, text)
}

// caseLine returns the position in the case that a check was called from, as "file.go:7: ".
func caseLine() string {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for {
		f, more := frames.Next()
		file := filepath.Base(f.File)
		if file != "record.go" && file != "assert.go" && file != "rig.go" && file != "suite.go" && f.Line > 0 {
			return fmt.Sprintf("%s:%d: ", file, f.Line)
		}
		if !more {
			return ""
		}
	}
}

func (r *recorder) Error(args ...any) { r.note(true, caseLine()+fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) {
	r.note(true, caseLine()+fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.note(true, fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (r *recorder) FailNow() {
	r.mu.Lock()
	r.failed = true
	r.mu.Unlock()
	runtime.Goexit()
}

func (r *recorder) Skip(args ...any) {
	r.note(false, fmt.Sprint(args...))
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) { r.Skip(fmt.Sprintf(format, args...)) }
