package memory

import "unsafe"

// View returns the n bytes at an address that is not in Go's heap.
//
//go:nocheckptr
func View(address uintptr, n int) []byte {
	// Through a variable, because to the compiler the address is not a Go pointer.
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), n)
}

// AddressOf returns the address of memory that does not move; 0 of none.
func AddressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
