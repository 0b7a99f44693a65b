//go:build amd64 || arm64

package objcsoft

// goroutine returns a number that is the running goroutine's own while it
// lives: the address of its descriptor, which is only ever compared.
func goroutine() uintptr

// stackUsed returns how many bytes of the running goroutine's stack are in use.
func stackUsed() uintptr
