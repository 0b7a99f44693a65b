package softmetal

import (
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// frameworkName is the framework's name, for the runtime and in its messages.
const frameworkName = "Metal"

// metalTables are the encodings of Metal's messages and functions.
var metalTables = adapter.Tables{Owners: zowners[:], Functions: zfunctions[:]}

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
		drv, err := newDriver(rt)
		if err != nil {
			return err
		}
		return drv.register(append(allClasses(), captureClasses(drv)))
	})
}

// allClasses lists the classes, one line for each file that has any.
func allClasses() [][]adapter.Class {
	return [][]adapter.Class{
		deviceClasses(),
		observerClasses(),
		accelerationClasses(),
		programClasses(),
		bufferClasses(),
		heapClasses(),
		textureClasses(),
		samplerClasses(),
		residencyClasses(),
		commandClasses(),
	}
}

// functions returns the C functions that the device has.
func (drv *driver) functions() map[string]func(args, ret []uintptr) {
	return map[string]func(args, ret []uintptr){
		"MTLCreateSystemDefaultDevice":  drv.createSystemDefaultDevice,
		"MTLCopyAllDevices":             drv.copyAllDevices,
		"MTLCopyAllDevicesWithObserver": drv.copyAllDevicesWithObserver,
		"MTLRemoveDeviceObserver":       drv.removeDeviceObserver,
	}
}

// register adds protocols, classes, functions and constants to the runtime.
func (drv *driver) register(lists [][]adapter.Class) error {
	if err := drv.RegisterProtocols(); err != nil {
		return err
	}
	if err := drv.RegisterClasses(lists...); err != nil {
		return err
	}
	for name, fn := range drv.functions() {
		if err := drv.RegisterFunction(name, fn); err != nil {
			return err
		}
	}
	for _, name := range zconstants {
		if err := drv.RT.RegisterConstantString(frameworkName, name, constantValue(name)); err != nil {
			return err
		}
	}
	return drv.makeDevices()
}
