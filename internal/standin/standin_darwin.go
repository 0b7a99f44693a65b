// Package standin tells tests whether they run against stand-ins of Apple's frameworks, which
// cannot do all that the frameworks can.
package standin

import "github.com/ebitengine/purego"

// Running reports whether Apple's frameworks are stand-ins.
func Running() bool {
	_, is, err := Library()
	return err == nil && is
}

// Library opens the Objective-C runtime and reports whether it is a stand-in: those export counters
// in addition to Apple's functions.
func Library() (lib uintptr, is bool, err error) {
	lib, err = purego.Dlopen("/usr/lib/libobjc.A.dylib", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return 0, false, err
	}
	_, err = purego.Dlsym(lib, "vmac_counter")
	return lib, err == nil, nil
}
