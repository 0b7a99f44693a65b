package softmetal

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// deviceObserver is the observer returned by MTLCopyAllDevicesWithObserver, +0: Metal keeps it
// until it is removed. Devices of this driver are removed and come back only by injected faults,
// without prior notice, so there are no removal requests.
type deviceObserver struct {
	block   objcsoft.ID
	removed atomic.Bool
}

// observers holds a driver's device observers that have not been removed.
type observers struct {
	mu    sync.Mutex
	list  []objcsoft.ID
	calls command.Listener // calls observers one at a time, in the order of the changes
}

func observerClasses() []adapter.Class {
	return []adapter.Class{{
		Name:    "PMSoftDeviceObserver",
		Dealloc: adapter.DeallocHook(func(s *deviceObserver, o *objcsoft.Object) { o.Drop(s.block) }),
	}}
}

// notify calls all observers when a device has been removed or has come back. It skips an observer
// that is removed before its turn.
func (s *observers) notify(d *device.Device, here bool) {
	change := "MTLDeviceWasRemovedNotification"
	if here {
		change = "MTLDeviceWasAddedNotification"
	}
	rt := d.Driver.RT
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.list {
		o, ok := adapter.PayloadOf[*deviceObserver](rt, id)
		if !ok || rt.Retain(id) != nil {
			continue
		}
		s.calls.Do(func() {
			adapter.InPool(rt, func() {
				if o.removed.Load() {
					return
				}
				name := rt.NewString(metal.ConstantValue(change))
				_, _ = rt.InvokeBlock(o.block, []uintptr{uintptr(d.ID), uintptr(name)}) // the runtime reports a panic
				adapter.Release(rt, name)
			})
			adapter.Release(rt, id)
		})
	}
}

// copyAllDevicesWithObserver is MTLCopyAllDevicesWithObserver.
func (in *installation) copyAllDevicesWithObserver(args, ret []uintptr) {
	block := objcsoft.ID(args[1])
	if err := in.driver.RT.Retain(block); err != nil {
		panic(err)
	}
	observer := in.driver.New("PMSoftDeviceObserver", &deviceObserver{block: block})
	if err := objcsoft.WriteWords(args[0], uintptr(observer)); err != nil {
		panic(err)
	}
	// Register before copying the list, so that no change between the two is missed.
	in.observers.mu.Lock()
	in.observers.list = append(in.observers.list, observer)
	in.observers.mu.Unlock()
	in.driver.CopyAllDevices(args, ret)
}

// removeDeviceObserver is MTLRemoveDeviceObserver. It releases Metal's reference, once.
func (in *installation) removeDeviceObserver(args, _ []uintptr) {
	id := objcsoft.ID(args[0])
	o, ok := adapter.PayloadOf[*deviceObserver](in.driver.RT, id)
	if !ok {
		panic("MTLRemoveDeviceObserver: the argument is not an observer")
	}
	if !o.removed.CompareAndSwap(false, true) {
		return
	}
	in.observers.mu.Lock()
	in.observers.list = slices.DeleteFunc(in.observers.list, func(other objcsoft.ID) bool { return other == id })
	in.observers.mu.Unlock()
	if err := in.driver.RT.Release(id); err != nil {
		panic(err)
	}
}
