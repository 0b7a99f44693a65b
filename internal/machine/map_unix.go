//go:build unix && !linux

package machine

import "syscall"

// Map asks the system for n bytes of zeros, whole pages.
func Map(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// Unmap gives back all that one call of Map returned.
func Unmap(b []byte) error { return syscall.Munmap(b) }
