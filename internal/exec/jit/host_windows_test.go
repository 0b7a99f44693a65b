package jit

import (
	"errors"
	"syscall"
	"time"
)

// processorTime is the processor time used by the process.
func processorTime() time.Duration {
	var created, ended, kernel, user syscall.Filetime
	p, err := syscall.GetCurrentProcess()
	if err == nil {
		err = syscall.GetProcessTimes(p, &created, &ended, &kernel, &user)
	}
	if err != nil {
		return 0
	}
	// A Filetime that is a duration counts 100 ns; Nanoseconds would treat it as a date.
	span := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (span(kernel) + span(user)))
}

// openLibrary fails: the comparison with OpenCL is not supported on Windows.
func openLibrary(name string) (uintptr, error) {
	return 0, errors.New(name + " is not loaded on Windows")
}

// hasSymbol reports whether a library has a function.
func hasSymbol(uintptr, string) bool { return false }
