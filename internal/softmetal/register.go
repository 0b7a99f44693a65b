package softmetal

import (
	"slices"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/capture"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/encode"
	"github.com/puremetal/puremetal/internal/softmetal/library"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/metal4"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// opened is the runtime that Open made most recently.
var opened atomic.Pointer[objcsoft.Runtime]

// Open makes a runtime with the framework registered. It is called once, for the bindings.
func Open() (*objcsoft.Runtime, error) {
	rt := objcsoft.New()
	if err := Register(rt); err != nil {
		return nil, err
	}
	opened.Store(rt)
	return rt, nil
}

// Opened returns the runtime behind the bindings, or nil if another driver is in use. It is for
// tests, which inject faults and read accounts.
func Opened() *objcsoft.Runtime { return opened.Load() }

// Register registers the framework with a runtime. Classes and devices are made only when the
// framework is loaded, which happens when the bindings first use a class or function.
func Register(rt *objcsoft.Runtime) error {
	return rt.RegisterFramework(metal.FrameworkName, func(rt *objcsoft.Runtime) error {
		in, err := newInstallation(rt)
		if err != nil {
			return err
		}
		return in.register(in.classes())
	})
}

// installation is the framework in one runtime: the driver and the observers of its devices.
type installation struct {
	driver    *device.Driver
	observers observers
}

func newInstallation(rt *objcsoft.Runtime) (*installation, error) {
	f := adapter.NewFramework(rt, metal.FrameworkName, &metal.Tables)
	f.MakesObject = makesObject
	in := &installation{}
	var err error
	in.driver, err = device.NewDriver(f, in.observers.notify)
	return in, err
}

// classes lists the classes of all packages.
func (in *installation) classes() []adapter.Class {
	return slices.Concat(device.Classes(), observerClasses(), resource.Classes(), library.Classes(),
		encode.Classes(), metal4.Classes(), capture.Classes(in.driver))
}

// functions returns the framework's C functions.
func (in *installation) functions() map[string]func(args, ret []uintptr) {
	return map[string]func(args, ret []uintptr){
		"MTLCreateSystemDefaultDevice":  in.driver.CreateSystemDefaultDevice,
		"MTLCopyAllDevices":             in.driver.CopyAllDevices,
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
	for _, name := range metal.Constants {
		if err := f.RT.RegisterConstantString(metal.FrameworkName, name, metal.ConstantValue(name)); err != nil {
			return err
		}
	}
	if err := in.driver.MakeDevices(); err != nil {
		return err
	}
	injectFromEnvironment(in.driver.Devices)
	return nil
}
