//go:build amd64 || arm64

package objcsoft

// touch reads the byte at an address, which may be anything. It is assembly, so that the garbage
// collector never takes the address for a pointer.
func touch(addr uintptr) byte
