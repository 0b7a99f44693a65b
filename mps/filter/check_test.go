package filter_test

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/filter"
)

// TestChecks: windows that a filter cannot have are errors that give them.
func TestFilterChecks(t *testing.T) {
	device := mpstest.Framework(t)
	weights := make([]float32, 54)
	mpstest.Check(t, mpstest.ErrorOf(filter.NewAreaMinWithDevice(device, 2, 3)), mps.ErrKernelSize, "2 x 3")
	mpstest.Check(t, mpstest.ErrorOf(filter.NewTentWithDevice(device, 3, 2)), mps.ErrKernelSize, "3 x 2")
	mpstest.Check(t, mpstest.ErrorOf(filter.NewConvolutionWithDeviceKernelWidth(device, 2, 3, weights)),
		mps.ErrKernelSize, "2 x 3")
	mpstest.Check(t, mpstest.ErrorOf(filter.NewGaussianPyramidWithDeviceKernelWidth(device, 4, 3, weights)),
		mps.ErrKernelSize, "4 x 3")
	mpstest.Check(t, mpstest.ErrorOf(filter.NewDilateWithDevice(device, 0, 3, weights)), mps.ErrKernelSize, "0 x 3")
	mpstest.Check(t, mpstest.ErrorOf(filter.NewErodeWithDevice(device, 3, 4, weights)), mps.ErrKernelSize, "3 x 4")
	mpstest.Check(t, mpstest.ErrorOf(filter.NewBoxWithDevice(device, 3, 4)), mps.ErrKernelSize, "3 x 4")
	mpstest.Check(t, mpstest.ErrorOf(filter.NewAreaMaxWithDevice(device, 2, 3)), mps.ErrKernelSize, "2 x 3")
	mpstest.Check(t, mpstest.ErrorOf(filter.NewMedianWithDevice(device, 4)), mps.ErrKernelSize, "4 x 4")
}
