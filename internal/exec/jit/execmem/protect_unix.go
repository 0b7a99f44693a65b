//go:build amd64 && (linux || darwin)

package execmem

import (
	"os"
	"syscall"
)

func supported() error { return nil }

// protect makes pages readable and executable.
func protect(pages []byte) error {
	return os.NewSyscallError("mprotect", syscall.Mprotect(pages, syscall.PROT_READ|syscall.PROT_EXEC))
}
