package softmetal

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// deviceObserver is what MTLCopyAllDevicesWithObserver hands out, +0: Metal keeps it until it is removed. Devices of this driver go, and come back,
// when faults ask for it; nobody asks before whether they may, so that there are no requests for removal.
type deviceObserver struct {
	block   objcsoft.ID
	removed atomic.Bool
}

// observers are those of a world that have not been removed.
type observers struct {
	mu    sync.Mutex
	list  []objcsoft.ID
	calls command.Listener // one call after the other, in the order of the changes
}

func observerClasses() []class {
	return []class{{
		name:    "PMSoftDeviceObserver",
		dealloc: freed(func(s *deviceObserver, o *objcsoft.Object) { o.Drop(s.block) }),
	}}
}

// tell has all observers hear that a device has gone or come. An observer that is removed meanwhile hears nothing.
func (s *observers) tell(d *device, here bool) {
	change := "MTLDeviceWasRemovedNotification"
	if here {
		change = "MTLDeviceWasAddedNotification"
	}
	rt := d.world.rt
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.list {
		o, ok := payloadOf[*deviceObserver](rt, id)
		if !ok || rt.Retain(id) != nil {
			continue
		}
		s.calls.Do(func() {
			inPool(rt, func() {
				if o.removed.Load() {
					return
				}
				name := rt.NewString(constantValue(change))
				_, _ = rt.InvokeBlock(o.block, []uintptr{uintptr(d.id), uintptr(name)}) // a panic is told by the runtime
				release(rt, name)
			})
			release(rt, id)
		})
	}
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
	// A change after this is told; the list is of the devices that are there then or later.
	w.observers.mu.Lock()
	w.observers.list = append(w.observers.list, observer)
	w.observers.mu.Unlock()
	w.copyAllDevices(args, ret)
}

// removeDeviceObserver is MTLRemoveDeviceObserver. It gives up Metal's reference, once.
func (w *world) removeDeviceObserver(args, _ []uintptr) {
	id := objcsoft.ID(args[0])
	o, ok := payloadOf[*deviceObserver](w.rt, id)
	if !ok {
		panic("MTLRemoveDeviceObserver: the argument is no observer")
	}
	if !o.removed.CompareAndSwap(false, true) {
		return
	}
	w.observers.mu.Lock()
	w.observers.list = slices.DeleteFunc(w.observers.list, func(other objcsoft.ID) bool { return other == id })
	w.observers.mu.Unlock()
	if err := w.rt.Release(id); err != nil {
		panic(err)
	}
}
