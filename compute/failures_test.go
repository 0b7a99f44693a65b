package compute

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFailuresTaken: take returns the failures up to a number once, in order, and leaves the
// others.
func TestFailuresTaken(t *testing.T) {
	var f failures
	one, two, three := errors.New("one"), errors.New("two"), errors.New("three")
	f.add(4, one)
	f.add(7, two)
	f.add(9, three)
	require.NoError(t, f.take("s", 3))
	assert.Equal(t, errors.Join(one, two), f.take("s", 8))
	require.NoError(t, f.take("s", 8), "a second time")
	assert.Equal(t, errors.Join(three), f.take("s", 9))
}

// TestFailuresForgotten: a failure that a transfer returned is not returned by Sync, all others
// are.
func TestFailuresForgotten(t *testing.T) {
	var f failures
	one, two := errors.New("one"), errors.New("two")
	f.add(1, one)
	f.add(2, two)
	f.forget(one)
	f.forget(nil)
	assert.Equal(t, errors.Join(two), f.take("s", 2))
}

// TestManyFailures: when nobody calls Sync, the first failures are kept and the rest is counted.
// The count belongs to the latest command.
func TestManyFailures(t *testing.T) {
	var f failures
	failed := errors.New("failed")
	for n := range uint64(maxFailures + 10) {
		f.add(n+1, failed)
	}
	err := f.take("s", maxFailures+9)
	require.ErrorIs(t, err, failed)
	assert.Len(t, strings.Split(err.Error(), "\n"), maxFailures-1)
	assert.NotContains(t, err.Error(), "more")
	err = f.take("s", maxFailures+10)
	require.ErrorIs(t, err, ErrExecution)
	assert.Equal(t, "failed\ncompute: stream s: 10 more command buffers failed; see the log: execution failed",
		err.Error())
	require.NoError(t, f.take("s", maxFailures+10))
}

// TestFailuresForCallback: a callback gets the first failure since the previous one. A failure in a
// command buffer that goes on after the callback is reported to the next callback as well.
func TestFailuresForCallback(t *testing.T) {
	var f failures
	one, two := errors.New("one"), errors.New("two")
	require.NoError(t, f.forCallback(1))
	f.add(3, one)
	f.add(6, two)
	assert.Equal(t, one, f.forCallback(5))
	assert.Equal(t, one, f.forCallback(6))
	require.NoError(t, f.forCallback(7))
	assert.Equal(t, errors.Join(one, two), f.take("s", 6), "Sync returns them too")
}
