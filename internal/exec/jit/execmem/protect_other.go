//go:build !amd64 || !(linux || darwin || windows)

package execmem

import (
	"fmt"
	"runtime"
)

// supported refuses every system without calls that this package knows.
func supported() error {
	if runtime.GOOS == "darwin" {
		return fmt.Errorf("%w: it needs MAP_JIT and a switch between writing and running for each thread", ErrUnsupported)
	}
	return ErrUnsupported
}

func protect([]byte, bool) error { return supported() }
