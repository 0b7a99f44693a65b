//go:build !amd64 && !arm64

package objcsoft

// goroutine returns the running goroutine's number, from the first line of its
// stack trace. It takes a microsecond.
func goroutine() uintptr { return goroutineFromStack() }

// stackUsed is not available here: infinite recursion is not caught.
func stackUsed() uintptr { return 0 }
