package mtl

import (
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/objc"
)

// oldestOS is the oldest macOS that this package supports.
const oldestOS objc.Version = 13 << 8

// Devices returns every Metal device of the machine, each +1: release them with [ReleaseAll] or one
// by one. If there are none, the error wraps [ErrNoDevice].
func Devices() ([]Device, error) {
	if err := usable(); err != nil {
		return nil, err
	}
	var ds []Device
	var err error
	objc.Pool(func() { ds, err = CopyAllDevices() }) // which receives the list's elements at +0
	if err != nil {
		return nil, noDevice(err)
	}
	if len(ds) == 0 {
		return nil, fmt.Errorf("mtl: MTLCopyAllDevices returned no devices: %w", ErrNoDevice)
	}
	return ds, nil
}

// DefaultDevice returns the device that macOS chooses by default, +1. If there is none, the error
// wraps [ErrNoDevice] and gives the reason.
func DefaultDevice() (Device, error) {
	if err := usable(); err != nil {
		return Device{}, err
	}
	d, err := CreateSystemDefaultDevice()
	if err != nil {
		return Device{}, noDevice(err)
	}
	if d.IsNil() {
		return Device{}, fmt.Errorf("mtl: MTLCreateSystemDefaultDevice returned nil: %w", ErrNoDevice)
	}
	return d, nil
}

// DeviceNamed returns the first device with a name, +1. If there is none, the error wraps
// [ErrNoDevice] and lists the available names.
func DeviceNamed(name string) (Device, error) {
	return pickDevice(fmt.Sprintf("named %q", name), func(d Device) bool { return d.Name() == name })
}

// DeviceByRegistryID returns the device with an IORegistry ID, as returned by [Device.RegistryID],
// +1. If there is none, the error wraps [ErrNoDevice].
func DeviceByRegistryID(id uint64) (Device, error) {
	return pickDevice(fmt.Sprintf("with registry ID %#x", id), func(d Device) bool { return d.RegistryID() == id })
}

// pickDevice returns the first device that matches and releases the others.
func pickDevice(what string, fits func(Device) bool) (Device, error) {
	ds, err := Devices()
	if err != nil {
		return Device{}, err
	}
	i := slices.IndexFunc(ds, fits)
	if i >= 0 {
		ds[i].Retain()
	}
	names := make([]string, len(ds))
	for j, d := range ds {
		names[j] = fmt.Sprintf("%q (%#x)", d.Name(), d.RegistryID())
	}
	ReleaseAll(ds)
	if i < 0 {
		return Device{}, fmt.Errorf("mtl: no device %s among %v: %w", what, names, ErrNoDevice)
	}
	return ds[i], nil
}

// ReleaseAll releases the caller's reference to each object.
func ReleaseAll[T interface{ ID() objc.ID }](objects []T) {
	for _, o := range objects {
		objc.Release(o.ID())
	}
}

// usable returns the reason if Metal cannot be used at all: no driver, or a macOS that is too old.
func usable() error {
	if _, err := objc.CurrentDriver(); err != nil {
		return noDevice(err)
	}
	have, err := objc.OSVersion()
	if err != nil {
		return noDevice(err)
	}
	return checkOS(have)
}

// checkOS rejects a macOS older than oldestOS; 0 is the software driver, which has no version.
func checkOS(have objc.Version) error {
	if have != 0 && have < oldestOS {
		return fmt.Errorf("mtl: %w: %w", ErrNoDevice,
			&objc.UnavailableError{Name: "package mtl", Since: oldestOS, Have: have})
	}
	return nil
}

// noDevice turns the reason why there is no device into an error that wraps both it and
// ErrNoDevice.
func noDevice(reason error) error {
	if d, err := objc.CurrentDriver(); err == nil && d == objc.DriverSoftware && !errors.Is(reason, objc.ErrUnavailable) {
		return fmt.Errorf("mtl: %w: the software driver has no Metal device in this program: %w", ErrNoDevice, reason)
	}
	return fmt.Errorf("mtl: %w: %w", ErrNoDevice, reason)
}

// Families returns the GPU families that the device supports, in ascending order of their values.
func (o Device) Families() []GPUFamily {
	var out []GPUFamily
	for _, f := range allFamilies {
		if o.Supports(f) {
			out = append(out, f)
		}
	}
	return out
}

// Supports reports whether the device supports a GPU family.
func (o Device) Supports(f GPUFamily) bool { return o.SupportsFamily(f) }

// allFamilies are the families known to this package, ascending.
var allFamilies = [...]GPUFamily{
	GPUFamilyApple1, GPUFamilyApple2, GPUFamilyApple3, GPUFamilyApple4, GPUFamilyApple5,
	GPUFamilyApple6, GPUFamilyApple7, GPUFamilyApple8, GPUFamilyApple9, GPUFamilyApple10,
	GPUFamilyMac1, GPUFamilyMac2,
	GPUFamilyCommon1, GPUFamilyCommon2, GPUFamilyCommon3,
	GPUFamilyMacCatalyst1, GPUFamilyMacCatalyst2,
	GPUFamilyMetal3, GPUFamilyMetal4,
}

// receiver checks that the receiver of a message is not nil, is alive and responds to it.
func (c check) receiver(m *objc.Method, id objc.ID) error {
	if id.IsNil() {
		return c.fail(ErrNil, "receiver")
	}
	if err := m.Check(id); err != nil {
		return fmt.Errorf("mtl: %w", err)
	}
	return nil
}

// made turns a nil result of a message that creates an object into an error; kind is what nil
// means.
func (c check) made(id objc.ID, kind error, format string, args ...any) error {
	if id.IsNil() {
		return c.fail(kind, format, args...)
	}
	return nil
}

// inPool runs f, which uses +0 objects, inside an autorelease pool.
func inPool[T any](f func() (T, error)) (r T, err error) {
	objc.Pool(func() { r, err = f() })
	return r, err
}
