package softmps

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/mtl"
)

// Kernel is what the payloads of all subclasses of MPSKernel embed.
type Kernel struct {
	adapter.Label
	Device  mtl.Device
	options uint64

	properties map[string][]uintptr // those that were set, as words
	slopes     []float32            // the parameters of a PReLU, one for each column
}

// kernel returns the part that all kernels have.
func (k *Kernel) kernel() *Kernel { return k }

// kernelState is a payload that embeds Kernel.
type kernelState interface {
	adapter.Labeled
	kernel() *Kernel
}

// initKernel gives the receiver of an init method, whose first argument is the device, its payload.
func initKernel(c *objcsoft.Call, k kernelState) {
	d, ok := DeviceArg(c, 0)
	if !ok {
		return
	}
	d.Retain()
	k.kernel().Device = d
	Init(c, k)
}

// kernelClasses declares MPSKernel.
func kernelClasses() []adapter.Class {
	return []adapter.Class{{
		Name: "MPSKernel", Protocols: []string{"NSCopying"},
		Methods: adapter.WithLabel[kernelState](adapter.Methods{
			"initWithDevice:": func(c *objcsoft.Call) { initKernel(c, &Kernel{}) },
			"device": adapter.Method(func(k kernelState, c *objcsoft.Call) {
				c.ReturnShared(objcsoft.ID(k.kernel().Device.ID()))
			}),
			"options":     adapter.Method(func(k kernelState, c *objcsoft.Call) { c.ReturnUint(k.kernel().options) }),
			"setOptions:": adapter.Method(func(k kernelState, c *objcsoft.Call) { k.kernel().options = c.Uint(0) }),
		}),
		Dealloc: adapter.DeallocHook(func(k kernelState, o *objcsoft.Object) { k.kernel().Device.Release() }),
	}}
}
