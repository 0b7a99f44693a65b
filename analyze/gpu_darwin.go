package analyze

import (
	"fmt"
	"syscall"

	"github.com/ebitengine/purego"
)

// findGPU returns what the system tells. With an error, Chip can still be known.
func findGPU() (g chipGPU, err error) {
	if g.Chip, err = syscall.Sysctl("machdep.cpu.brand_string"); err != nil {
		return g, fmt.Errorf("%w: machdep.cpu.brand_string: %w", errUnknownGPU, err)
	}
	r, err := open()
	if err != nil {
		return g, err
	}
	g.Cores, err = r.cores()
	return g, err
}

const (
	utf8   = 0x08000100 // kCFStringEncodingUTF8
	sint64 = 4          // kCFNumberSInt64Type
)

// open loads IOKit and CoreFoundation, which stay loaded.
func open() (*registry, error) {
	var (
		match     func(class string) uintptr
		services  func(port uint32, matching uintptr, iterator *uint32) int32
		property  func(service uint32, key, allocator uintptr, options uint32) uintptr
		next      func(iterator uint32) uint32
		free      func(object uint32) int32
		text      func(allocator uintptr, s string, encoding uint32) uintptr
		typeOf    func(value uintptr) uint
		numbers   func() uint
		isFloat   func(value uintptr) bool
		getNumber func(value uintptr, kind int, to *int64) bool
		release   func(value uintptr)
	)
	for _, l := range []struct {
		path  string
		names map[string]any
	}{
		{"/System/Library/Frameworks/IOKit.framework/IOKit", map[string]any{"IOServiceMatching": &match,
			"IOServiceGetMatchingServices": &services, "IORegistryEntryCreateCFProperty": &property,
			"IOIteratorNext": &next, "IOObjectRelease": &free}},
		{"/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation", map[string]any{
			"CFStringCreateWithCString": &text, "CFGetTypeID": &typeOf, "CFNumberGetTypeID": &numbers,
			"CFNumberIsFloatType": &isFloat, "CFNumberGetValue": &getNumber, "CFRelease": &release}},
	} {
		handle, err := purego.Dlopen(l.path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUnknownGPU, err)
		}
		for name, f := range l.names {
			symbol, err := purego.Dlsym(handle, name)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", errUnknownGPU, err)
			}
			purego.RegisterFunc(f, symbol)
		}
	}
	return &registry{
		services: func(class string) (iterator uint32, status int32) {
			status = services(0, match(class), &iterator) // which takes the dictionary over
			return iterator, status
		},
		next: next,
		free: func(object uint32) { free(object) },
		property: func(service uint32, key string) uintptr {
			k := text(0, key, utf8)
			if k == 0 {
				return 0
			}
			defer release(k)
			return property(service, k, 0, 0)
		},
		number: func(value uintptr) (n int64, ok bool) {
			if typeOf(value) != numbers() || isFloat(value) {
				return 0, false
			}
			ok = getNumber(value, sint64, &n)
			return n, ok
		},
		release: release,
	}, nil
}
