package vm

import "sync"

// hasAVX2 reports whether processor and system have AVX2.
func hasAVX2() bool

// hasVectors reports whether the loops in assembly can be used.
var hasVectors = sync.OnceValue(hasAVX2)
