package objc

import "github.com/ebitengine/purego"

// platformLoader opens libraries with dlopen, through purego.
func platformLoader() *loader {
	return &loader{
		open: func(path string) (uintptr, error) {
			return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		},
		symbol:   purego.Dlsym,
		callback: func(fn any) uintptr { return purego.NewCallback(fn) },
	}
}
