package vm

import (
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
)

// hasAVX2 reports whether processor and system have AVX2.
func hasAVX2() bool

// hasVectors reports whether the loops in assembly can be used.
var hasVectors = sync.OnceValue(hasAVX2)

// vectorKey is what the tables of zvector_amd64.go are looked up by.
type vectorKey struct {
	op ir.Op
	k  ir.Kind
}
