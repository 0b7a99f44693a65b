package computetest

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// recorder is a test that records what it is told. Its subtests and context are those of the test
// that made it.
type recorder struct {
	testing.TB
	texts    []string // "error: ...", "fatal: ...", "skip: ...", "log: ..."
	failed   bool
	cleanups []func()
}

// record runs a function as a test and returns what the test was told.
func record(t *testing.T, test func(t testing.TB)) []string {
	r := &recorder{TB: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			for _, f := range slices.Backward(r.cleanups) {
				f()
			}
		}()
		test(r)
	}()
	<-ended
	return r.texts
}

func (r *recorder) Helper()          {}
func (r *recorder) Failed() bool     { return r.failed }
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) add(kind, format string, args []any) {
	r.texts = append(r.texts, kind+": "+fmt.Sprintf(format, args...))
}

func (r *recorder) Logf(format string, args ...any) { r.add("log", format, args) }

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = true
	r.add("error", format, args)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = true
	r.add("fatal", format, args)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.add("skip", format, args)
	runtime.Goexit()
}
