//go:build unix

package jit

import (
	"syscall"
	"time"

	"github.com/ebitengine/purego"
)

// processorTime is the processor time used by the process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// openLibrary loads a C library.
func openLibrary(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

// hasSymbol reports whether a library has a function.
func hasSymbol(library uintptr, name string) bool {
	_, err := purego.Dlsym(library, name)
	return err == nil
}
