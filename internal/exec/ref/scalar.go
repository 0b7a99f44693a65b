package ref

import "github.com/puremetal/puremetal/internal/ir"

// Scalar carries out a Lanewise operation on numbers of kind from, with a result of kind to.
func Scalar(op ir.Op, from, to ir.Kind, x [4]uint64) [2]uint64 {
	in := ir.Instr{Op: op, Args: []*ir.Value{{Type: ir.Scalar(from)}}, Results: []*ir.Value{{Type: ir.Scalar(to)}}}
	return scalar(&in, x)
}
