package mps_test

import (
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
