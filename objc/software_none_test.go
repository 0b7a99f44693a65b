//go:build puremetal_nosoftware

package objc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoSoftware: a program without the software device says so where it would have been used.
func TestNoSoftware(t *testing.T) {
	_, err := openDriver(DriverSoftware)
	require.ErrorIs(t, err, ErrDriver)
	require.ErrorContains(t, err, "left out by the build tag puremetal_nosoftware")
	if a, err := openApple(); err != nil || !a.hasMetalDevice() {
		_, err = openDriver(DriverAuto)
		require.ErrorContains(t, err, "left out by the build tag puremetal_nosoftware")
		require.ErrorContains(t, err, "objc: ")
	}
}
