package device

import (
	"fmt"
	"os"
	"strconv"
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// Driver is the software driver in one runtime: its devices and what they share.
type Driver struct {
	*adapter.Framework
	Devices []*Device

	// attached is called when a device is removed from the machine, or comes back.
	attached func(d *Device, here bool)

	// engine runs kernels; made on first use.
	engine func() *exec.Engine

	// environmentLog is the log state of command buffers that have none; made on first use.
	environmentLog func() *logState
}

// The environment variables with the number of devices and with the peer group of each of them.
const (
	devicesVariable = "PUREMETAL_SOFTWARE_DEVICES"
	peersVariable   = "PUREMETAL_SOFTWARE_PEERS"
	maxDevices      = 16
	defaultDevices  = 1 // when the variable says nothing
)

// NewDriver returns the driver of a framework, with as many devices as the environment asks for.
// attached is called when a device is removed from the machine, or comes back.
func NewDriver(f *adapter.Framework, attached func(d *Device, here bool)) (*Driver, error) {
	n, err := deviceCount(os.Getenv(devicesVariable))
	if err != nil {
		return nil, err
	}
	groups, err := peerGroups(os.Getenv(peersVariable), n)
	if err != nil {
		return nil, err
	}
	drv := &Driver{Framework: f, attached: attached,
		engine:         sync.OnceValue(func() *exec.Engine { return exec.NewEngine(0) }),
		environmentLog: sync.OnceValue(func() *logState { return environmentLog(f.RT) })}
	for i := range n {
		drv.Devices = append(drv.Devices, newDevice(drv, i, n, groups[i]))
	}
	return drv, nil
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

// MakeDevices gives the devices their objects, which are never freed.
func (drv *Driver) MakeDevices() error {
	k := drv.RT.Class("PMSoftDevice")
	if k == nil {
		return fmt.Errorf("softmetal: class PMSoftDevice: %w", objcsoft.ErrUnknown)
	}
	for _, d := range drv.Devices {
		d.ID = drv.RT.NewImmortal(k, d)
	}
	return nil
}

// present lists the devices that are in the machine.
func (drv *Driver) present() []objcsoft.ID {
	ids := make([]objcsoft.ID, 0, len(drv.Devices))
	for _, d := range drv.Devices {
		if !d.gone.Load() {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// CreateSystemDefaultDevice is MTLCreateSystemDefaultDevice.
func (drv *Driver) CreateSystemDefaultDevice(_, ret []uintptr) {
	if ids := drv.present(); len(ids) > 0 {
		ret[0] = uintptr(ids[0])
	}
}

// CopyAllDevices is MTLCopyAllDevices.
func (drv *Driver) CopyAllDevices(_, ret []uintptr) {
	a, err := drv.RT.NewArray(drv.present())
	if err != nil {
		panic(err)
	}
	ret[0] = uintptr(a)
}
