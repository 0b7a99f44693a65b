//go:build !(amd64 || arm64)

package objcsoft

// touch reads the byte at an address, which may be anything.
func touch(addr uintptr) byte { return at[byte](addr, 1)[0] }
