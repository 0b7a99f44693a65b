//go:build amd64 || arm64

package objcsoft

// goroutine returns a number that is unique to the running goroutine while it lives: the address of
// its descriptor, which is only ever compared.
func goroutine() uintptr

// stackUsed returns how many bytes of the running goroutine's stack are in use.
func stackUsed() uintptr
