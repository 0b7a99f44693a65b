package softmetal

import (
	"fmt"
	"os"
	"strconv"
	"sync"

	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/objcsoft"
)

// world is the framework in one runtime: its devices and the engine that they share.
type world struct {
	rt      *objcsoft.Runtime
	devices []*device

	observers observers
	objects   objectFaults

	// engine runs kernels; it is made when the first one asks.
	engine func() *vm.Engine

	// environmentLog is the log state of command buffers that have none; it is made when the first one asks.
	environmentLog func() *logState
}

// devicesVariable is the environment variable that says how many devices there are. Where there are several they are peers, as the
// GPUs of one machine can be.
const (
	devicesVariable = "PUREMETAL_SOFTWARE_DEVICES"
	maxDevices      = 16
	defaultDevices  = 1 // when the variable says nothing
)

func newWorld(rt *objcsoft.Runtime) (*world, error) {
	n, err := deviceCount(os.Getenv(devicesVariable))
	if err != nil {
		return nil, err
	}
	w := &world{rt: rt, engine: sync.OnceValue(func() *vm.Engine { return vm.NewEngine(0) }),
		environmentLog: sync.OnceValue(func() *logState { return environmentLog(rt) })}
	for i := range n {
		w.devices = append(w.devices, newDevice(w, i, n))
	}
	return w, nil
}

func deviceCount(value string) (int, error) {
	if value == "" {
		return defaultDevices, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > maxDevices {
		return 0, fmt.Errorf("softmetal: %s=%q: want a number from 0 to %d", devicesVariable, value, maxDevices)
	}
	return n, nil
}

// makeDevices gives the devices their objects, which are never freed.
func (w *world) makeDevices() error {
	k := w.rt.Class("PMSoftDevice")
	if k == nil {
		return fmt.Errorf("softmetal: class PMSoftDevice: %w", objcsoft.ErrUnknown)
	}
	for _, d := range w.devices {
		d.id = w.rt.NewImmortal(k, d)
		d.injectFromEnvironment()
	}
	return nil
}

// present lists the devices that are in the machine.
func (w *world) present() []objcsoft.ID {
	ids := make([]objcsoft.ID, 0, len(w.devices))
	for _, d := range w.devices {
		if !d.gone.Load() {
			ids = append(ids, d.id)
		}
	}
	return ids
}

// createSystemDefaultDevice is MTLCreateSystemDefaultDevice.
func (w *world) createSystemDefaultDevice(_, ret []uintptr) {
	if ids := w.present(); len(ids) > 0 {
		ret[0] = uintptr(ids[0])
	}
}

// copyAllDevices is MTLCopyAllDevices.
func (w *world) copyAllDevices(_, ret []uintptr) {
	a, err := w.rt.NewArray(w.present())
	if err != nil {
		panic(err)
	}
	ret[0] = uintptr(a)
}

// new makes an object of one of the framework's classes with a count of one.
func (w *world) new(class string, payload any) objcsoft.ID {
	k := w.rt.Class(class)
	if k == nil {
		panic(fmt.Errorf("softmetal: class %s: %w", class, objcsoft.ErrUnknown))
	}
	return w.rt.NewObject(k, payload)
}
