package mtl

import (
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDefaultLimits compares the limits assumed for a device that does not report any with those
// that devices report. The test of package internal/softmetal/limits compares the software device's
// reports with its limits.
func TestDefaultLimits(t *testing.T) {
	d := deviceOf(testDevice(t))
	f := deviceOf(Device{})
	assert.LessOrEqual(t, f.maxThreads.Width, d.maxThreads.Width)
	assert.LessOrEqual(t, f.maxThreadgroupMemory, d.maxThreadgroupMemory)
	driver, err := objc.CurrentDriver()
	require.NoError(t, err)
	if driver == objc.DriverSoftware {
		assert.Equal(t, d.maxThreads, f.maxThreads)
		assert.Equal(t, d.maxThreadgroupMemory, f.maxThreadgroupMemory)
	}
}
