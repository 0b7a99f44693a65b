package compute

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// maxFailures is how many failures a stream keeps for a Sync that may never come.
const maxFailures = 64

// failure is a command buffer that failed.
type failure struct {
	number uint64 // of the last command that it covers
	err    error
	more   int // later failures that exceeded maxFailures; number is then the latest one's
}

// failures keeps a stream's failed command buffers until they are reported: once by Sync and once
// by a callback.
//
// It has its own lock, a leaf: no other lock is taken while it is held. Failures are added in the
// order of their commands, and before the stream counts those commands as completed, so a caller
// that has waited for a number finds all failures up to it.
type failures struct {
	mu sync.Mutex

	// unsynced holds the failures that Sync has not returned.
	unsynced []failure
	// uncalled joins the failures since the last callback: the first one's error and the latest
	// one's number.
	uncalled failure
}

// add keeps the failure of a command buffer, identified by the number of its last command.
func (f *failures) add(number uint64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep(number, err)
	f.uncalled.number = number
	if f.uncalled.err == nil {
		f.uncalled.err = err
	}
}

// keep adds a failure for Sync. The lock is held.
func (f *failures) keep(number uint64, err error) {
	n := len(f.unsynced)
	if n < maxFailures {
		f.unsynced = append(f.unsynced, failure{number: number, err: err})
		return
	}
	last := &f.unsynced[n-1]
	last.more++
	last.number = max(last.number, number)
}

// addLate keeps a failure of a callback, whose command has already been counted as completed. Only
// Sync reports it, because it affects no device memory.
func (f *failures) addLate(number uint64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep(number, err)
}

// forCallback returns, for the callback with this number, the first failure since the previous
// callback, or nil. A failure that also covers later commands is kept for the next callback.
func (f *failures) forCallback(number uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.uncalled.err
	if f.uncalled.number <= number {
		f.uncalled = failure{}
	}
	return err
}

// take removes the failures of commands up to a number and returns them joined, or nil if there are
// none. The label names the stream in errors.
func (f *failures) take(label string, number uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	kept := f.unsynced[:0]
	for _, x := range f.unsynced {
		if x.number > number {
			kept = append(kept, x)
			continue
		}
		errs = append(errs, x.err)
		if x.more > 0 {
			errs = append(errs, fmt.Errorf("compute: stream %s: %d more command buffers failed; see the log: %w",
				label, x.more, ErrExecution))
		}
	}
	clear(f.unsynced[len(kept):])
	f.unsynced = kept
	return errors.Join(errs...)
}

// forget drops a failure that was already returned to the caller, so that Sync does not return it
// again.
func (f *failures) forget(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unsynced = slices.DeleteFunc(f.unsynced, func(x failure) bool { return x.err == err })
}
