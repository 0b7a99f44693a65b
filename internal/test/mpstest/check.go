package mpstest

import (
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
)

// Check compares an error with the one that is wanted, nil for none, and its text.
func Check(t *testing.T, err, want error, text string) {
	t.Helper()
	if want == nil {
		assert.NoError(t, err)
		return
	}
	assert.ErrorIs(t, err, want)
	assert.ErrorContains(t, err, text)
}

// FaultIn returns the fault of a method without an error result.
func FaultIn(call func()) (fault error) {
	defer objc.OnFault(func(f *objc.Fault) { fault = f })()
	call()
	return
}

// ErrorOf is the error of a constructor.
func ErrorOf[T any](_ T, err error) error { return err }

// Refused asserts that a call has a fault that contains each of some words.
func Refused(t *testing.T, call func(), words ...string) {
	t.Helper()
	text := FaultsOf(t, call)
	for _, w := range words {
		assert.Contains(t, text, w)
	}
}
