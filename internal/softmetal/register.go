package softmetal

import (
	"slices"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// opened is the runtime that Open made last.
var opened atomic.Pointer[objcsoft.Runtime]

// Open makes a runtime that knows the framework. It is called once, for the bindings.
func Open() (*objcsoft.Runtime, error) {
	rt := objcsoft.New()
	if err := Register(rt); err != nil {
		return nil, err
	}
	opened.Store(rt)
	return rt, nil
}

// Opened returns the runtime behind the bindings, nil where another driver was chosen: for tests, which inject faults and look at accounts.
func Opened() *objcsoft.Runtime { return opened.Load() }

// Register makes the framework known to a runtime. Nothing is made until the framework is loaded, which the bindings
// do at their first use of a class or function.
func Register(rt *objcsoft.Runtime) error {
	return rt.RegisterFramework(frameworkName, func(rt *objcsoft.Runtime) error {
		in, err := newInstallation(rt)
		if err != nil {
			return err
		}
		return in.register(in.classes())
	})
}

// installation is the framework in one runtime: the driver and the observers of its devices.
type installation struct {
	driver    *driver
	observers observers
}

func newInstallation(rt *objcsoft.Runtime) (*installation, error) {
	f := adapter.NewFramework(rt, frameworkName, &metalTables)
	f.MakesObject = makesObject
	in := &installation{}
	var err error
	in.driver, err = newDriver(f, in.observers.notify)
	return in, err
}

// classes lists the classes of all packages.
func (in *installation) classes() []adapter.Class {
	return slices.Concat(devicePackageClasses(), observerClasses(), resourcePackageClasses(), libraryPackageClasses(),
		encodePackageClasses(), metal4PackageClasses(), captureClasses(in.driver))
}

// functions returns the C functions that the device has.
func (in *installation) functions() map[string]func(args, ret []uintptr) {
	return map[string]func(args, ret []uintptr){
		"MTLCreateSystemDefaultDevice":  in.driver.createSystemDefaultDevice,
		"MTLCopyAllDevices":             in.driver.copyAllDevices,
		"MTLCopyAllDevicesWithObserver": in.copyAllDevicesWithObserver,
		"MTLRemoveDeviceObserver":       in.removeDeviceObserver,
	}
}

// register adds protocols, classes, functions and constants to the runtime, and makes the devices.
func (in *installation) register(classes []adapter.Class) error {
	f := in.driver.Framework
	if err := f.RegisterProtocols(); err != nil {
		return err
	}
	if err := f.RegisterClasses(classes); err != nil {
		return err
	}
	for name, fn := range in.functions() {
		if err := f.RegisterFunction(name, fn); err != nil {
			return err
		}
	}
	for _, name := range zconstants {
		if err := f.RT.RegisterConstantString(frameworkName, name, constantValue(name)); err != nil {
			return err
		}
	}
	if err := in.driver.makeDevices(); err != nil {
		return err
	}
	injectFromEnvironment(in.driver.devices)
	return nil
}
