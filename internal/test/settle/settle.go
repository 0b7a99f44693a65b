// Package settle waits in tests for what other goroutines and threads still have to do, such as
// objects that a driver's thread releases after it has called a completion handler.
package settle

import (
	"cmp"
	"fmt"
	"os"
	"testing"
	"time"
)

// Limit returns how long a test may wait for something that must come: a quarter of the time to its
// deadline. A busy machine then fails no test, and a leak leaves time for other tests.
func Limit(t testing.TB) time.Duration {
	if t, has := t.(interface{ Deadline() (time.Time, bool) }); has {
		if at, has := t.Deadline(); has {
			return time.Until(at) / 4
		}
	}
	return time.Minute // for benchmarks, and tests without a deadline
}

// NoError waits until check returns nil and reports whether it did. After the test's Limit it fails
// the test with the last error.
func NoError(t testing.TB, check func() error) bool {
	t.Helper()
	limit := Limit(t)
	if err := wait(limit, check); err != nil {
		t.Errorf("after %v: %v", limit.Round(time.Second), err)
		return false
	}
	return true
}

// Until waits until ok returns true; see NoError.
func Until(t testing.TB, what string, ok func() bool) bool {
	t.Helper()
	return NoError(t, func() error {
		if !ok() {
			return fmt.Errorf("%s: not yet", what)
		}
		return nil
	})
}

// Equal waits until count returns want; see NoError.
func Equal[T comparable](t testing.TB, what string, want T, count func() T) bool {
	t.Helper()
	return NoError(t, func() error {
		if n := count(); n != want {
			return fmt.Errorf("%s: %v, want %v", what, n, want)
		}
		return nil
	})
}

// AtMost waits until count returns limit or less; see NoError.
func AtMost[T cmp.Ordered](t testing.TB, what string, limit T, count func() T) bool {
	t.Helper()
	return NoError(t, func() error {
		if n := count(); n > limit {
			return fmt.Errorf("%s: %v, want at most %v", what, n, limit)
		}
		return nil
	})
}

// Run runs a package's tests, for its TestMain. If all pass, each check must return nil within a
// minute. It returns the exit code.
func Run(m *testing.M, checks ...func() error) int {
	code := m.Run()
	for _, check := range checks {
		if code != 0 {
			break
		}
		if err := wait(time.Minute, check); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}

// wait calls check until it returns nil, or returns its last error after limit.
func wait(limit time.Duration, check func() error) error {
	pause := 10 * time.Microsecond
	for began := time.Now(); ; pause = min(2*pause, 10*time.Millisecond) {
		err := check()
		if err == nil || time.Since(began) > limit {
			return err
		}
		time.Sleep(pause)
	}
}
