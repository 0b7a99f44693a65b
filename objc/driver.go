package objc

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Driver names one of the two worlds that can answer messages.
type Driver uint8

const (
	// DriverAuto stands for Apple's driver where a Metal device exists, else the software driver.
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

// world is the driver in use. Exactly one of soft and apple is set.
type world struct {
	kind  Driver
	soft  *objcsoft.Runtime
	apple *appleRuntime
}

var (
	worldLock sync.Mutex
	theWorld  atomic.Pointer[world]
)

// Use chooses the driver. It must come before the first use of a class or function; afterwards a choice
// that differs from the driver in use is an error wrapping [ErrDriver], since handles of the two worlds must never meet.
// DriverAuto obeys the environment variable PUREMETAL_DRIVER (apple or software), and without it takes Apple's driver where a
// Metal device exists. A program that does not call Use gets DriverAuto.
func Use(d Driver) error {
	_, err := use(d)
	return err
}

// CurrentDriver returns the driver in use, choosing one if that has not happened yet.
func CurrentDriver() (Driver, error) {
	w, err := current()
	if err != nil {
		return DriverAuto, err
	}
	return w.kind, nil
}

func current() (*world, error) {
	if w := theWorld.Load(); w != nil {
		return w, nil
	}
	return use(DriverAuto)
}

func use(want Driver) (*world, error) {
	worldLock.Lock()
	defer worldLock.Unlock()
	if w := theWorld.Load(); w != nil {
		if want != DriverAuto && want != w.kind {
			return nil, fmt.Errorf("objc: cannot use the %v driver: the %v driver is in use already: %w", want, w.kind, ErrDriver)
		}
		return w, nil
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
		return nil, fmt.Errorf("objc: cannot use the %v driver: %s=%v chose another: %w", want, driverVariable, named, ErrDriver)
	}
	w, err := openWorld(want)
	if err != nil {
		return nil, err
	}
	startDebug(w)
	theWorld.Store(w)
	return w, nil
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

func openWorld(want Driver) (*world, error) {
	if want != DriverSoftware {
		a, err := openApple()
		if err == nil && (want == DriverApple || a.hasMetalDevice()) {
			return &world{kind: DriverApple, apple: a}, nil
		}
		if want == DriverApple {
			return nil, err
		}
	}
	soft, err := openSoftware()
	if err != nil {
		return nil, err
	}
	return &world{kind: DriverSoftware, soft: soft}, nil
}

// SoftwareRuntime returns the Objective-C runtime behind the software driver, for the packages of this module that put
// classes into it. It is an error wrapping [ErrDriver] when Apple's driver is in use.
func SoftwareRuntime() (*objcsoft.Runtime, error) {
	w, err := current()
	if err != nil {
		return nil, err
	}
	if w.soft == nil {
		return nil, fmt.Errorf("objc: no software runtime: the %v driver is in use: %w", w.kind, ErrDriver)
	}
	return w.soft, nil
}
