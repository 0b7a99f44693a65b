package objc

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Driver names an implementation of the Objective-C runtime.
type Driver uint8

const (
	// DriverAuto is Apple's driver if there is a Metal device, else the software driver.
	DriverAuto Driver = iota
	// DriverApple is the Objective-C runtime and the frameworks of macOS.
	DriverApple
	// DriverSoftware is the Objective-C runtime in Go, on any machine.
	DriverSoftware
)

// String returns "auto", "apple" or "software".
func (d Driver) String() string {
	switch d {
	case DriverAuto:
		return "auto"
	case DriverApple:
		return "apple"
	case DriverSoftware:
		return "software"
	}
	return fmt.Sprintf("Driver(%d)", uint8(d))
}

// driverVariable is the environment variable that chooses the driver.
const driverVariable = "PUREMETAL_DRIVER"

// activeDriver is the driver in use. Exactly one of soft and apple is set.
type activeDriver struct {
	kind  Driver
	soft  *objcsoft.Runtime
	apple *appleRuntime
}

var (
	driverLock  sync.Mutex
	driverInUse atomic.Pointer[activeDriver]
)

// Use chooses the driver. It must come before the first use of a class or function; afterwards a
// choice that differs from the driver in use is an error wrapping [ErrDriver], since handles of two
// drivers must never mix. DriverAuto obeys the environment variable PUREMETAL_DRIVER (apple or
// software), and without it takes Apple's driver where a Metal device exists. A program that does
// not call Use gets DriverAuto.
func Use(d Driver) error {
	_, err := use(d)
	return err
}

// CurrentDriver returns the driver in use, choosing one if that has not happened yet.
func CurrentDriver() (Driver, error) {
	d, err := current()
	if err != nil {
		return DriverAuto, err
	}
	return d.kind, nil
}

func current() (*activeDriver, error) {
	if d := driverInUse.Load(); d != nil {
		return d, nil
	}
	return use(DriverAuto)
}

func use(want Driver) (*activeDriver, error) {
	driverLock.Lock()
	defer driverLock.Unlock()
	if d := driverInUse.Load(); d != nil {
		if want != DriverAuto && want != d.kind {
			return nil, fmt.Errorf("objc: cannot use the %v driver: the %v driver is in use already: %w", want, d.kind,
				ErrDriver)
		}
		return d, nil
	}
	if want > DriverSoftware {
		return nil, fmt.Errorf("objc: %v is not a driver: %w", want, ErrDriver)
	}
	named, err := environmentDriver(os.Getenv(driverVariable))
	if err != nil {
		return nil, err
	}
	if want == DriverAuto {
		want = named
	} else if named != DriverAuto && named != want {
		return nil, fmt.Errorf("objc: cannot use the %v driver: %s=%v chose another: %w", want, driverVariable, named,
			ErrDriver)
	}
	d, err := openDriver(want)
	if err != nil {
		return nil, err
	}
	startDebug(d)
	driverInUse.Store(d)
	return d, nil
}

func environmentDriver(value string) (Driver, error) {
	switch value {
	case "", "auto":
		return DriverAuto, nil
	case "apple":
		return DriverApple, nil
	case "software":
		return DriverSoftware, nil
	}
	return DriverAuto, fmt.Errorf("objc: %s=%q: want apple, software or auto: %w", driverVariable, value, ErrDriver)
}

func openDriver(want Driver) (*activeDriver, error) {
	if want != DriverSoftware {
		a, err := openApple()
		if err == nil && (want == DriverApple || a.hasMetalDevice()) {
			return &activeDriver{kind: DriverApple, apple: a}, nil
		}
		if want == DriverApple {
			return nil, err
		}
	}
	soft, err := openSoftware()
	if err != nil {
		return nil, err
	}
	return &activeDriver{kind: DriverSoftware, soft: soft}, nil
}

// SoftwareRuntime returns the Objective-C runtime behind the software driver, for the packages of
// this module that put classes into it. It is an error wrapping [ErrDriver] when Apple's driver is
// in use.
func SoftwareRuntime() (*objcsoft.Runtime, error) {
	d, err := current()
	if err != nil {
		return nil, err
	}
	if d.soft == nil {
		return nil, fmt.Errorf("objc: no software runtime: the %v driver is in use: %w", d.kind, ErrDriver)
	}
	return d.soft, nil
}
