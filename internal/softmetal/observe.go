package softmetal

import (
	"errors"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// Observe has an observer called before each launch of a device, an MTLDevice of the runtime, from
// now on; nil ends that. What the observer's hook sees is the kernel as the compiler made it,
// without optimisation.
func Observe(rt *objcsoft.Runtime, id objcsoft.ID, o command.Observer) error {
	d, ok := adapter.PayloadOf[*device.Device](rt, id)
	if !ok {
		return errors.New("softmetal: observe: not a device of the software driver")
	}
	d.GPU().Observe(o)
	return nil
}
