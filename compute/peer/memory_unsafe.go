package peer

import "unsafe"

// aligned returns the offset of the first byte at a multiple of page.
func aligned(b []byte, page int) int {
	return -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (page - 1)
}
