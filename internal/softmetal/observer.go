package softmetal

import (
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// deviceObserver is what MTLCopyAllDevicesWithObserver hands out, +0: Metal keeps it until it is removed. No device of this driver comes or goes,
// so the block is kept and never called.
type deviceObserver struct {
	block   objcsoft.ID
	removed atomic.Bool
}

func observerClasses() []class {
	return []class{{
		name:    "PMSoftDeviceObserver",
		dealloc: freed(func(s *deviceObserver, o *objcsoft.Object) { o.Drop(s.block) }),
	}}
}

// copyAllDevicesWithObserver is MTLCopyAllDevicesWithObserver.
func (w *world) copyAllDevicesWithObserver(args, ret []uintptr) {
	block := objcsoft.ID(args[1])
	if err := w.rt.Retain(block); err != nil {
		panic(err)
	}
	observer := w.new("PMSoftDeviceObserver", &deviceObserver{block: block})
	if err := objcsoft.WriteWords(args[0], uintptr(observer)); err != nil {
		panic(err)
	}
	w.copyAllDevices(args, ret)
}

// removeDeviceObserver is MTLRemoveDeviceObserver. It gives up Metal's reference, once.
func (w *world) removeDeviceObserver(args, _ []uintptr) {
	id := objcsoft.ID(args[0])
	o, ok := payloadOf[*deviceObserver](w.rt, id)
	if !ok {
		panic("MTLRemoveDeviceObserver: the argument is no observer")
	}
	if o.removed.CompareAndSwap(false, true) {
		if err := w.rt.Release(id); err != nil {
			panic(err)
		}
	}
}
