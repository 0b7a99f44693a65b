//go:build unix

package memory

import "syscall"

// mapPages asks the system for n bytes of zeros, whole pages.
func mapPages(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// unmapPages gives them back.
func unmapPages(b []byte) error { return syscall.Munmap(b) }
