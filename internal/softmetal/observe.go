package softmetal

import (
	"errors"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// Observe sets the observer that is called before each launch on a device, an MTLDevice of the
// runtime; nil removes it. The observer's hook sees the kernel without optimization.
func Observe(rt *objcsoft.Runtime, id objcsoft.ID, o command.Observer) error {
	d, ok := adapter.PayloadOf[*device.Device](rt, id)
	if !ok {
		return errors.New("softmetal: observe: not a device of the software driver")
	}
	d.GPU().Observe(o)
	return nil
}
