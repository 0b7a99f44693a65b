//go:build windows

package machine

import (
	"syscall"
	"unsafe"
)

const (
	memCommitReserve = 0x3000
	memRelease       = 0x8000
	pageReadWrite    = 4
)

// Map asks the system for n bytes of zeros, whole pages.
func Map(n int) ([]byte, error) {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("VirtualAlloc")
	if err := proc.Find(); err != nil {
		return nil, err
	}
	p, _, err := proc.Call(0, uintptr(n), memCommitReserve, pageReadWrite)
	if p == 0 {
		return nil, err
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), n), nil
}

// Unmap gives back all that one call of Map returned.
func Unmap(b []byte) error {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("VirtualFree")
	if err := proc.Find(); err != nil {
		return err
	}
	if ok, _, err := proc.Call(uintptr(unsafe.Pointer(unsafe.SliceData(b))), 0, memRelease); ok == 0 {
		return err
	}
	return nil
}
