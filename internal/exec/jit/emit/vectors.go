package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// scratchMasks are the mask registers from K1 on that hold values for one operation.
const scratchMasks = 3

// evex reports whether the code may have instructions of AVX-512.
func (c *compiler) evex() bool { return c.Width == plan.MaxWidth }

// bitOps returns the instructions that load and store the bits of a vector of a mask in the frame.
func (c *compiler) bitOps() (load, store amd64.Op) {
	if c.evex() {
		return amd64.MOVZX16To32, amd64.MOV16Store
	}
	return amd64.MOVZX8To32, amd64.MOV8Store
}

// bitsAt are the bits of vector j of a mask in the frame, or of the lanes that exist, as the
// assembler knows them.
func (c *compiler) bitsAt(m lir.Ref, j int) amd64.MaskBits {
	const full = -1 // for the mask of all lanes that exist, which has no place in the frame
	b := amd64.MaskBits{Mask: int32(m), Place: full, Vector: j}
	if m != 0 {
		b.Place = c.Program.Var(m).Off
	}
	return b
}

func vec(r uint8) amd64.Operand { return amd64.V(amd64.Vec(r)) }
