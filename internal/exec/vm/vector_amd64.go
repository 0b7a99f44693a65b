package vm

import (
	"github.com/puremetal/puremetal/internal/cpu"
	"github.com/puremetal/puremetal/internal/ir"
)

// hasVectors reports whether the loops in assembly can be used.
func hasVectors() bool { return cpu.Detect().AVX2 }

// vectorKey is what the tables of zvector_amd64.go are looked up by.
type vectorKey struct {
	op ir.Op
	k  ir.Kind
}
