package objc

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Driver names an implementation of the Objective-C runtime.
type Driver uint8

const (
	// DriverAuto is Apple's driver if there is a Metal device, otherwise the software driver.
	DriverAuto Driver = iota
	// DriverApple uses the Objective-C runtime and the frameworks of macOS.
	DriverApple
	// DriverSoftware uses an Objective-C runtime written in Go; it works on any machine.
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

// driverVariable is the environment variable that selects the driver.
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

// Use chooses the driver. Call it before the first use of a class or function: handles of two
// drivers must never mix, so choosing another driver later is an error wrapping [ErrDriver].
// DriverAuto obeys the environment variable PUREMETAL_DRIVER (apple or software); if that is not
// set, it takes Apple's driver if a Metal device exists. Programs that do not call Use get
// DriverAuto.
func Use(d Driver) error {
	_, err := use(d)
	return err
}

// CurrentDriver returns the driver in use, and chooses one if none is in use yet.
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
			return nil, fmt.Errorf("objc: cannot use the %v driver: the %v driver is already in use: %w", want, d.kind,
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
		return nil, fmt.Errorf("objc: cannot use the %v driver: %s=%v selects another: %w", want, driverVariable, named,
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
	var noApple error
	if want != DriverSoftware {
		a, err := openApple()
		if err == nil && want == DriverAuto && !a.hasMetalDevice() {
			err = fmt.Errorf("objc: this Mac has no Metal device: %w", ErrDriver)
		}
		if err == nil {
			return &activeDriver{kind: DriverApple, apple: a}, nil
		}
		if want == DriverApple {
			return nil, err
		}
		noApple = err
	}
	soft, err := openSoftware()
	if err != nil {
		return nil, errors.Join(noApple, err)
	}
	return &activeDriver{kind: DriverSoftware, soft: soft}, nil
}

// SoftwareRuntime returns the Objective-C runtime of the software driver, for packages of this
// module that register classes with it. If Apple's driver is in use, it returns an error wrapping
// [ErrDriver].
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
