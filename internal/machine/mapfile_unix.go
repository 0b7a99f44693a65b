//go:build unix

package machine

import (
	"os"
	"syscall"
)

// MapFile maps n bytes of a file. The capacity of the result is whole pages. Writes to the memory
// stay in this process and never reach the file: a kernel that writes where it should only read
// harms nothing but its own result. The file may be closed. If it is truncated while it is mapped,
// reading the memory behind its end kills the process, as everywhere on Unix.
func MapFile(f *os.File, n int) ([]byte, error) {
	page := os.Getpagesize()
	whole := (n + page - 1) / page * page
	b, err := syscall.Mmap(int(f.Fd()), 0, whole, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	return b[:n], nil
}

// UnmapFile gives back what MapFile returned. It does nothing for nil.
func UnmapFile(b []byte) error {
	if b == nil {
		return nil
	}
	return syscall.Munmap(b[:cap(b)])
}
