//go:build windows

package objcsoft

import (
	"syscall"
	"unsafe"
)

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	length, load                                          uint32
	totalPhys, availPhys, totalPage, availPage, totalVirt uint64
	availVirt, availExtended                              uint64
}

func physicalMemory() (uint64, error) {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	if err := proc.Find(); err != nil {
		return 0, err
	}
	status := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	if ok, _, err := proc.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0, err
	}
	return status.totalPhys, nil
}

func systemUptime() (float64, error) {
	proc := syscall.NewLazyDLL("kernel32.dll").NewProc("GetTickCount64")
	if err := proc.Find(); err != nil {
		return 0, err
	}
	ms, _, _ := proc.Call()
	return float64(ms) / 1000, nil
}
