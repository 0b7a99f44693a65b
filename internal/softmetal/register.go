package softmetal

import (
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// frameworkName is the framework's name, for the runtime and in its messages.
const frameworkName = "Metal"

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
		w, err := newWorld(rt)
		if err != nil {
			return err
		}
		return w.register(append(allClasses(), captureClasses(w)))
	})
}

// allClasses lists the classes, one line for each file that has any.
func allClasses() [][]class {
	return [][]class{
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
func (w *world) functions() map[string]func(args, ret []uintptr) {
	return map[string]func(args, ret []uintptr){
		"MTLCreateSystemDefaultDevice":  w.createSystemDefaultDevice,
		"MTLCopyAllDevices":             w.copyAllDevices,
		"MTLCopyAllDevicesWithObserver": w.copyAllDevicesWithObserver,
		"MTLRemoveDeviceObserver":       w.removeDeviceObserver,
	}
}

// register adds protocols, classes, functions and constants to the runtime.
func (w *world) register(lists [][]class) error {
	if err := registerProtocols(w.rt); err != nil {
		return err
	}
	all, err := merged(lists...)
	if err != nil {
		return err
	}
	if err := registerClasses(w.rt, all, &w.objects); err != nil {
		return err
	}
	for name, fn := range w.functions() {
		enc, err := functionEncoding(name)
		if err != nil {
			return err
		}
		if err := w.rt.RegisterFunction(frameworkName, name, enc, fn); err != nil {
			return err
		}
	}
	for _, name := range zconstants {
		if err := w.rt.RegisterConstantString(frameworkName, name, constantValue(name)); err != nil {
			return err
		}
	}
	return w.makeDevices()
}

// registerProtocols registers all protocols that the bindings know, each after those it includes.
func registerProtocols(rt *objcsoft.Runtime) error {
	for i := range zowners {
		o := &zowners[i]
		if !o.protocol {
			continue
		}
		var above []string
		for _, name := range o.above {
			if rt.Protocol(name) == nil {
				return fmt.Errorf("softmetal: protocol %s includes %s, which the table has later", o.name, name)
			}
			above = append(above, name)
		}
		if _, err := rt.RegisterProtocol(o.name, above...); err != nil {
			return err
		}
	}
	return nil
}

// registerClasses registers classes, each after its superclass.
func registerClasses(rt *objcsoft.Runtime, all []*class, faults *objectFaults) error {
	ours := make(map[string]*class, len(all))
	for _, c := range all {
		ours[c.name] = c
	}
	done := make(map[string]bool, len(all))
	var add func(c *class, depth int) error
	add = func(c *class, depth int) error {
		if done[c.name] {
			return nil
		}
		if depth > len(all) {
			return fmt.Errorf("softmetal: class %s is above itself", c.name)
		}
		if super := ours[c.super]; super != nil {
			if err := add(super, depth+1); err != nil {
				return err
			}
			if c.record != nil {
				c.record.above = super.record
			}
		}
		done[c.name] = true
		return c.register(rt, faults)
	}
	for _, c := range all {
		if err := add(c, 0); err != nil {
			return err
		}
	}
	return nil
}
