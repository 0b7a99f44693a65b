//go:build amd64 && (linux || darwin)

package execmem

import (
	"os"
	"syscall"
)

func supported() error { return nil }

// protect makes pages readable and either executable or writable.
func protect(memory []byte, executable bool) error {
	mode := syscall.PROT_READ | syscall.PROT_WRITE
	if executable {
		mode = syscall.PROT_READ | syscall.PROT_EXEC
	}
	return os.NewSyscallError("mprotect", syscall.Mprotect(memory, mode))
}
