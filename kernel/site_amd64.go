package kernel

// callers stores the innermost return addresses of the caller's stack and returns a hash of all
// of them up to root. It follows the frame pointers, which takes a hundredth of the time of
// runtime.Callers: threads do so at every barrier.
//
//go:noescape
func callers(pcs *[16]uintptr, root uintptr) uint64
