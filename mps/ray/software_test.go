package ray_test

import (
	"testing"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/ray"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// TestRefusedClasses: a class that the software device does not have is an error that names it.
func TestRefusedClasses(t *testing.T) {
	if d, err := objc.CurrentDriver(); err != nil || d != objc.DriverSoftware {
		t.Skipf("for the software device; in use is %v (%v)", d, err)
	}
	d, err := mtl.DefaultDevice()
	require.NoError(t, err)
	defer d.Release()
	_, err = ray.NewIntersectorWithDevice(d)
	require.ErrorIs(t, err, objc.ErrNotFound)
	require.ErrorContains(t, err, "MPSRayIntersector")
	ok, err := mps.SupportsMTLDevice(d)
	require.NoError(t, err)
	require.True(t, ok)
}
