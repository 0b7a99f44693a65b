package computetest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/objc"
)

// The environment variables.
const (
	driverVariable  = "PUREMETAL_DRIVER"
	requireVariable = "PUREMETAL_REQUIRE_DEVICE"
)

// Open opens an accelerator and closes it when the test ends. The test fails if buffers, textures,
// programs, streams or events are still open then; each is listed with the line that made it. It
// also fails if work on the device failed and no Sync returned the error.
//
// If there is no device that meets the options, the test is skipped, or fails if
// PUREMETAL_REQUIRE_DEVICE=1 is set. Use compute.RequireHardware for a test that needs a GPU. The
// accelerator logs nothing, unless the options have a compute.WithLogger.
func Open(t testing.TB, options ...compute.Option) *compute.Accelerator {
	t.Helper()
	acc, err := compute.Open(append([]compute.Option{
		compute.WithLogger(slog.New(slog.DiscardHandler)), compute.WithLeakCheck()}, options...)...)
	switch {
	case errors.Is(err, compute.ErrNoDevice):
		noDevice(t, err)
	case err != nil:
		t.Fatalf("computetest: %v", err)
	}
	t.Cleanup(func() {
		if err := acc.Close(context.Background()); err != nil {
			t.Errorf("computetest: closing the accelerator: %v", err)
		}
	})
	return acc
}

// noDevice ends a test for which there is no device.
func noDevice(t testing.TB, err error) {
	t.Helper()
	if os.Getenv(requireVariable) == "1" {
		t.Fatalf("computetest: %s=1 and %v", requireVariable, err)
	}
	t.Skipf("computetest: %v; with %s=1 this is a failure", err, requireVariable)
}

// EachDriver runs a test on the GPU, as subtest "metal", and on the software device, as subtest
// "software". The subtests have an accelerator each, as [Open] opens it.
//
// A process has one driver. On a Mac with a GPU, "software" therefore runs the test binary again,
// in a process of its own, for this one subtest. On other machines "metal" is skipped, or fails if
// PUREMETAL_REQUIRE_DEVICE=1 is set. PUREMETAL_DRIVER=apple and PUREMETAL_DRIVER=software select
// one of the two.
//
// Options that only the software device supports, such as compute.WithSanitizer, are for the
// subtest "software": the other one runs without them.
func EachDriver(t *testing.T, test func(t *testing.T, acc *compute.Accelerator), options ...compute.Option) {
	t.Run("metal", func(t *testing.T) {
		test(t, Open(t, append(slices.Clip(options), compute.WithoutSoftwareOptions(), compute.RequireHardware())...))
	})
	t.Run("software", func(t *testing.T) {
		driver, err := objc.CurrentDriver()
		switch {
		case err != nil:
			t.Fatalf("computetest: %v", err)
		case driver == objc.DriverSoftware:
			test(t, Open(t, options...))
		case os.Getenv(driverVariable) == driver.String():
			t.Skipf("computetest: %s=%v selects the other driver", driverVariable, driver)
		default:
			runElsewhere(t)
		}
	})
}
