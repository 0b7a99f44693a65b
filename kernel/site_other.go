//go:build !amd64

package kernel

import "runtime"

// callers stores the innermost return addresses of the caller's stack and returns a hash of all of
// them up to root.
func callers(pcs *[16]uintptr, root uintptr) uint64 {
	var all [256]uintptr
	n := runtime.Callers(2, all[:255])
	copy(pcs[:], all[:n+1]) // and a zero
	hash := uint64(0)
	for _, pc := range all[:n] {
		if pc == root {
			break
		}
		hash = (hash ^ uint64(pc)) * 0x9E3779B97F4A7C15
		hash = hash<<31 | hash>>33
	}
	return hash
}
