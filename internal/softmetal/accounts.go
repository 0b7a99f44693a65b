package softmetal

import (
	"errors"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// Usage counts the resources that a device holds for a program.
type Usage struct {
	Bytes   uint64 // of memory outside Go's heap
	Blocks  int    // of memory that contain these bytes
	Objects int    // that kernels can address, without the memory kept for inline bytes
	Retired int    // resources that are freed once the running work has ended
}

// UsageOf returns the usage of a device, an MTLDevice of the runtime.
func UsageOf(rt *objcsoft.Runtime, id objcsoft.ID) (Usage, error) {
	d, ok := adapter.PayloadOf[*device.Device](rt, id)
	if !ok {
		return Usage{}, errors.New("softmetal: usage: not a device of the software driver")
	}
	m := d.Memory
	return Usage{Bytes: m.Used(), Blocks: m.Blocks(), Objects: m.Objects() - d.GPU().Kept(), Retired: m.Waiting()}, nil
}
