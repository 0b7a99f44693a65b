package softmetal

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// Faults configures failures that a device injects on demand, to test how programs handle them. The
// zero Faults injects none.
type Faults struct {
	// CommandEvery makes every n-th command buffer fail with CommandCode, an MTLCommandBufferError.
	CommandEvery int
	CommandCode  int
	// RemoveAfter removes the device once this many command buffers have begun: all later ones fail.
	RemoveAfter int
	// Slow is added to the duration of each command buffer.
	Slow time.Duration
	// AllocationEvery makes every n-th allocation of memory fail.
	AllocationEvery int
	// ObjectEvery makes every n-th request for a new object return nil, counted over all devices and
	// their queues, libraries, heaps and command buffers.
	ObjectEvery int
}

// check returns an error for invalid faults.
func (f Faults) check() error {
	for _, n := range []struct {
		name  string
		value int
	}{{"command", f.CommandEvery}, {"remove", f.RemoveAfter}, {"allocation", f.AllocationEvery},
		{"object", f.ObjectEvery}} {
		if n.value < 0 {
			return fmt.Errorf("%s is %d, want at least 0", n.name, n.value)
		}
	}
	if f.Slow < 0 {
		return fmt.Errorf("slow is %v, want at least 0s", f.Slow)
	}
	if f.CommandEvery > 0 && !command.Code(f.CommandCode).Known() {
		return fmt.Errorf("code is %d, which is not a command buffer error", f.CommandCode)
	}
	return nil
}

// Inject makes a device, an MTLDevice of the runtime, inject failures from now on. Counts start at
// zero. A device that was removed comes back.
func Inject(rt *objcsoft.Runtime, id objcsoft.ID, f Faults) error {
	d, ok := adapter.PayloadOf[*device.Device](rt, id)
	if !ok {
		return errors.New("softmetal: inject faults: not a device of the software driver")
	}
	if err := f.check(); err != nil {
		return fmt.Errorf("softmetal: inject faults: %w", err)
	}
	inject(d, f)
	return nil
}

// Attempts counts the operations that each kind of fault could have made fail, since that kind was
// injected.
type Attempts struct{ Allocations, Objects, CommandBuffers int }

// Attempted returns the attempts of a device, an MTLDevice of the runtime.
func Attempted(rt *objcsoft.Runtime, id objcsoft.ID) (a Attempts, err error) {
	d, ok := adapter.PayloadOf[*device.Device](rt, id)
	if !ok {
		return a, errors.New("softmetal: attempts: not a device of the software driver")
	}
	return Attempts{d.Memory.Attempts(), d.Driver.Faults.Attempts(), d.GPU().Begun()}, nil
}

func inject(d *device.Device, f Faults) {
	d.Memory.FailEvery(f.AllocationEvery)
	d.Driver.Faults.FailEvery(f.ObjectEvery)
	var c *command.Faults
	if f.CommandEvery != 0 || f.RemoveAfter != 0 || f.Slow != 0 {
		c = &command.Faults{CommandEvery: f.CommandEvery, CommandCode: command.Code(f.CommandCode),
			RemoveAfter: f.RemoveAfter, Slow: f.Slow}
	}
	d.GPU().Inject(c)
	d.GPU().Restore()
}

// faultVariable is the environment variable with the faults of all devices, for example
// "command=3:9,remove=100,slow=2ms,allocation=50,object=7": every third command buffer fails with
// code 9, and so on.
const faultVariable = "PUREMETAL_SOFTWARE_FAULTS"

func parseFaults(text string) (Faults, error) {
	var f Faults
	for _, part := range strings.Split(text, ",") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch name {
		case "command":
			every, code, _ := strings.Cut(value, ":")
			f.CommandEvery, err = strconv.Atoi(every)
			if err == nil {
				if f.CommandCode, err = strconv.Atoi(code); err != nil {
					err = fmt.Errorf("want a number and an error code, as in 3:9: %w", err)
				}
			}
		case "remove":
			f.RemoveAfter, err = strconv.Atoi(value)
		case "slow":
			f.Slow, err = time.ParseDuration(value)
		case "allocation":
			f.AllocationEvery, err = strconv.Atoi(value)
		case "object":
			f.ObjectEvery, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("fault %q, want command, remove, slow, allocation or object", name)
		}
		if err != nil {
			return Faults{}, fmt.Errorf("softmetal: %s: %q: %w", faultVariable, part, err)
		}
	}
	if err := f.check(); err != nil {
		return Faults{}, fmt.Errorf("softmetal: %s=%q: %w", faultVariable, text, err)
	}
	return f, nil
}

// injectFromEnvironment injects the faults of the environment variable into all devices. If it
// cannot parse the variable, it logs an error and injects nothing.
func injectFromEnvironment(devices []*device.Device) {
	text := os.Getenv(faultVariable)
	if text == "" {
		return
	}
	for _, d := range devices {
		f, err := parseFaults(text)
		if err != nil {
			slog.Error("software device", "error", err)
			return
		}
		inject(d, f)
	}
}

// makesObject reports whether a method synchronously makes an object for the program, other than a
// list or a description.
func makesObject(class, sel string) bool {
	if strings.Contains(class, "Encoder") || strings.Contains(sel, "completionHandler:") {
		return false // an encoder's commandBuffer already exists
	}
	for _, prefix := range []string{"new", "commandBuffer", "computeCommandEncoder", "blitCommandEncoder"} {
		if strings.HasPrefix(sel, prefix) {
			return true
		}
	}
	return false
}
