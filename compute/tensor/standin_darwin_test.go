package tensor_test

import "github.com/ebitengine/purego"

// standin reports whether the program runs against stand-in frameworks, whose runtime exports
// counters, and not on a Mac.
func standin() bool {
	lib, err := purego.Dlopen("/usr/lib/libobjc.A.dylib", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return false
	}
	_, err = purego.Dlsym(lib, "vmac_counter")
	return err == nil
}
