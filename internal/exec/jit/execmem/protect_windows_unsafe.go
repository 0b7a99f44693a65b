//go:build windows && amd64

package execmem

import (
	"os"
	"syscall"
	"unsafe"
)

const (
	pageReadWrite   = 4
	pageExecuteRead = 0x20
	thisProcess     = ^uintptr(0)
)

func supported() error { return nil }

// protect makes pages readable and either executable or writable.
func protect(memory []byte, executable bool) error {
	dll := syscall.NewLazyDLL("kernel32.dll")
	virtualProtect, flush := dll.NewProc("VirtualProtect"), dll.NewProc("FlushInstructionCache")
	for _, p := range []*syscall.LazyProc{virtualProtect, flush} {
		if err := p.Find(); err != nil {
			return err
		}
	}
	at, size := address(memory), uintptr(len(memory))
	mode := uintptr(pageReadWrite)
	if executable {
		mode = pageExecuteRead
	}
	var before uint32
	ok, _, err := virtualProtect.Call(at, size, mode, uintptr(unsafe.Pointer(&before)))
	if ok == 0 {
		return os.NewSyscallError("VirtualProtect", err)
	}
	if ok, _, err := flush.Call(thisProcess, at, size); ok == 0 {
		return os.NewSyscallError("FlushInstructionCache", err)
	}
	return nil
}
