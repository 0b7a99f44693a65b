package mps

import (
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kernels is framework for tests of kernels that the stand-in of MPS does not have.
func kernels(t *testing.T) mtl.Device {
	t.Helper()
	if standin.Running() {
		t.Skip("the stand-in of MPS does not have these kernels")
	}
	return framework(t)
}

// balanced runs f in a pool, twice, and fails if the second run leaves objects behind on the
// software device. The first one may fill caches.
func balanced(t *testing.T, f func()) {
	t.Helper()
	objc.Pool(f)
	driver, err := objc.CurrentDriver()
	require.NoError(t, err)
	if driver != objc.DriverSoftware {
		return
	}
	rt, err := objc.SoftwareRuntime()
	require.NoError(t, err)
	before := rt.LiveTotal()
	objc.Pool(f)
	assert.Equal(t, before, rt.LiveTotal(), "objects are left behind: %v", rt.LiveByClass())
}

// refused asserts that a call has a fault that contains each of some words.
func refused(t *testing.T, call func(), words ...string) {
	t.Helper()
	text := faultsOf(t, call)
	for _, w := range words {
		assert.Contains(t, text, w)
	}
}
