package softmetal

import (
	"errors"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
)

// Usage is what a device holds for a program.
type Usage struct {
	Bytes   uint64 // of memory outside Go's heap
	Blocks  int    // that the bytes lie in
	Objects int    // that kernels reach by address, but for inline bytes that are kept for use
	Retired int    // things that are given up when the work that runs now has ended
}

// UsageOf returns what a device, an MTLDevice of the runtime, holds.
func UsageOf(rt *objcsoft.Runtime, id objcsoft.ID) (Usage, error) {
	d, ok := adapter.PayloadOf[*device.Device](rt, id)
	if !ok {
		return Usage{}, errors.New("softmetal: usage: not a device of the software driver")
	}
	m := d.Memory
	return Usage{Bytes: m.Used(), Blocks: m.Blocks(), Objects: m.Objects() - d.GPU().Kept(), Retired: m.Waiting()}, nil
}
