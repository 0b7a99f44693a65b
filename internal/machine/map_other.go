//go:build !unix && !windows

package machine

// Map returns n bytes of Go's heap, which do not move as long as something refers to them.
func Map(n int) ([]byte, error) { return make([]byte, n), nil }

// Unmap does nothing: the garbage collector frees the memory.
func Unmap([]byte) error { return nil }
