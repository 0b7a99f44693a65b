package execmem

import "unsafe"

// address returns the address of mapped memory, which does not move.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
