package vm

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/machine"
)

// hasVectors reports whether the assembly loops can be used.
func hasVectors() bool { return machine.DetectCPU().AVX2 }

// hasFused reports whether the assembly loops of fma can be used.
func hasFused() bool { return machine.DetectCPU().FMA }

// vectorKey is the key of the tables in zvector_amd64.go.
type vectorKey struct {
	op ir.Op
	k  ir.Kind
}

// vectorSelect returns the loop of a select.
func vectorSelect() func(*frame, *op) { return vectorSelectLanes }

// linkKey is the key of the table of links.
type linkKey struct {
	op   ir.Op
	form linkForm
}
