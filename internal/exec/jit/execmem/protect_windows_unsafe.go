//go:build windows && amd64

package execmem

import (
	"os"
	"syscall"
	"unsafe"
)

const (
	pageExecuteRead = 0x20
	thisProcess     = ^uintptr(0)
)

func supported() error { return nil }

// protect makes pages readable and executable.
func protect(pages []byte) error {
	dll := syscall.NewLazyDLL("kernel32.dll")
	virtualProtect, flush := dll.NewProc("VirtualProtect"), dll.NewProc("FlushInstructionCache")
	for _, p := range []*syscall.LazyProc{virtualProtect, flush} {
		if err := p.Find(); err != nil {
			return err
		}
	}
	at, size := address(pages), uintptr(len(pages))
	var before uint32
	ok, _, err := virtualProtect.Call(at, size, pageExecuteRead, uintptr(unsafe.Pointer(&before)))
	if ok == 0 {
		return os.NewSyscallError("VirtualProtect", err)
	}
	if ok, _, err := flush.Call(thisProcess, at, size); ok == 0 {
		return os.NewSyscallError("FlushInstructionCache", err)
	}
	return nil
}
