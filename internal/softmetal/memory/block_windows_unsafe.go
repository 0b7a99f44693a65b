//go:build windows

package memory

import (
	"syscall"
	"unsafe"
)

const (
	memCommitReserve = 0x3000
	memRelease       = 0x8000
	pageReadWrite    = 4
)

// mapPages asks the system for n bytes of zeros, whole pages.
func mapPages(n int) ([]byte, error) {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("VirtualAlloc")
	if err := proc.Find(); err != nil {
		return nil, err
	}
	p, _, err := proc.Call(0, uintptr(n), memCommitReserve, pageReadWrite)
	if p == 0 {
		return nil, err
	}
	return View(p, n), nil
}

// unmapPages gives them back.
func unmapPages(b []byte) error {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("VirtualFree")
	if err := proc.Find(); err != nil {
		return err
	}
	if ok, _, err := proc.Call(uintptr(unsafe.Pointer(unsafe.SliceData(b))), 0, memRelease); ok == 0 {
		return err
	}
	return nil
}
