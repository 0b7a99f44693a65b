package mtl

import (
	"fmt"

	"github.com/puremetal/puremetal/objc"
)

// Functions and methods that return an object through a pointer are bound by hand: see objc.Out.
var (
	copyAllDevicesWithObserver = objc.Function{
		Name: "MTLCopyAllDevicesWithObserver", Framework: "Metal", Encoding: "@^@@?", Since: 10<<8 | 13, Retained: true,
	}
	removeDeviceObserver = objc.Function{
		Name: "MTLRemoveDeviceObserver", Framework: "Metal", Encoding: "v@", Since: 10<<8 | 13,
	}
	argumentEncoderWithReflection = objc.Method{
		Class: "MTLFunction", Selector: "newArgumentEncoderWithBufferIndex:reflection:", Encoding: "@@:Q^@",
		Since: 10<<8 | 13, Retained: true, Protocol: true,
	}
)

// DeviceObserver observes devices that come and go, such as external GPUs. End it with Remove. It
// also has the methods of [objc.Object], such as Release.
type DeviceObserver struct{ objc.Object }

// ObserveDevices returns the machine's devices, each +1, and registers handler to be called, on one
// of Metal's threads, when a device is added, is about to be removed or has been removed. change is
// MTLDeviceWasAddedNotification, MTLDeviceRemovalRequestedNotification or
// MTLDeviceWasRemovedNotification. A nil handler is an error wrapping [ErrArgument].
func ObserveDevices(handler func(device Device, change string)) ([]Device, DeviceObserver, error) {
	if handler == nil {
		return nil, DeviceObserver{}, fmt.Errorf("mtl: MTLCopyAllDevicesWithObserver: the handler is nil: %w", ErrArgument)
	}
	block := objc.NewBlock("v@?@@", func(args []uintptr) uintptr {
		handler(DeviceFrom(objc.ID(args[0])), objc.GoString(objc.ID(args[1])))
		return 0
	})
	defer block.Release()
	out := objc.NewOut()
	defer out.Free()

	var devices []Device
	var observer DeviceObserver
	var err error
	objc.Pool(func() {
		var array uintptr
		if array, err = copyAllDevicesWithObserver.Call(out.Word(), block.Word()); err != nil {
			return
		}
		devices = objc.ArrayOf(objc.ID(array), DeviceFrom)
		for _, d := range devices {
			d.Retain()
		}
		objc.Release(objc.ID(array))
		observer = DeviceObserver{objc.ObjectFrom(out.Take())}
	})
	return devices, observer, err
}

// Remove ends the observation and releases the observer. Removing the zero observer does nothing.
func (o DeviceObserver) Remove() error {
	if o.IsNil() {
		return nil
	}
	defer o.Release()
	_, err := removeDeviceObserver.Call(o.Word())
	return err
}

// NewArgumentEncoderWithReflection creates an encoder, +1, for the argument buffer at an index of
// the function's buffers, and returns it with the buffer's reflection, +1.
//
// Deprecated: since macOS 13.0. NewArgumentEncoderWithBufferIndex makes the same encoder.
func (o Function) NewArgumentEncoderWithReflection(bufferIndex uint) (ArgumentEncoder, Argument, error) {
	call := check(argumentEncoderWithReflection.Name())
	if err := call.object("receiver", o.ID()); err != nil {
		return ArgumentEncoder{}, Argument{}, err
	}
	if err := call.atMost("buffer index", uint64(bufferIndex), MaxBufferSlots-1, ErrIndex); err != nil {
		return ArgumentEncoder{}, Argument{}, err
	}
	out := objc.NewOut()
	defer out.Free()
	var encoder ArgumentEncoder
	var reflection Argument
	var err error
	objc.Pool(func() {
		var id uintptr
		if id, err = argumentEncoderWithReflection.TryCall(o.ID(), uintptr(bufferIndex), out.Word()); err != nil {
			return
		}
		encoder, reflection = known(ArgumentEncoderFrom(objc.ID(id)), nil), ArgumentFrom(out.Take())
		if id == 0 {
			err = call.fail(ErrArgument, "buffer %d is not an argument buffer", bufferIndex)
		}
	})
	return encoder, reflection, err
}
