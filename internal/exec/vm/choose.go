package vm

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// choose picks the function that executes an instruction. Control flow and large copies are left to
// frame.run.
func (o *op) choose(p *program) error {
	irop := o.code.IR()
	info := irop.Info()
	switch {
	case info.Group == ir.MatrixOps,
		(o.code == lir.OpMov || o.code == lir.OpMerge) && p.lir.Var(o.in.D).Kind == ir.Matrix:
		o.fn = chooseMatrix(o, p)
	case o.code.IsJump(), o.code == lir.OpEnd, irop.IsBarrier():
	case o.code == lir.OpMov:
		o.fn = chooseMov(o, p)
	case o.code == lir.OpMerge:
		o.size = p.lir.Var(o.in.D).ElemSize()
		o.fn = chooseMerge(o)
	case o.code == lir.OpPos:
		o.fn = pos
	case o.code.OnMasks():
		o.fn = maskOps[o.code]
	case irop == ir.OpOffset:
		o.fn = offset
	case irop == ir.OpLoad:
		o.fn = chooseLoad(o)
	case irop == ir.OpStore:
		o.fn = chooseStore(o)
	case o.isLargeCopy():
	case o.in.IsCopy():
		o.fn = copyBytes
	case irop == ir.OpFence, irop == ir.OpTexFence, irop == ir.OpSimdBarrier:
		o.fn = func(*frame, *op) {}
	case irop == ir.OpIn, irop == ir.OpArg, irop == ir.OpFConst, irop == ir.OpFConstDefined, irop == ir.OpGlobalAddr,
		irop == ir.OpSharedAddr,
		irop == ir.OpSamplerConst, irop == ir.OpAlloca:
		o.fn = outside
	case info.Group == ir.TextureOps:
		o.fn = chooseTexture(o)
	case o.per == lir.Affine:
		o.fn = affineOp
	case info.Has(ir.Lanewise), irop == ir.OpSelect, irop == ir.OpBitcast:
		if p.vectors {
			o.fn = chooseVector(o)
		}
		if o.fn == nil {
			o.fn = chooseScalar(o)
		}
	case info.Has(ir.Atomic):
		o.fn = chooseAtomic(o)
	case irop.AmongLanes():
		o.fn = chooseSimd(o)
	case info.Group == ir.CommandOps:
		o.fn = command
	case irop == ir.OpLogMessage:
		o.fn = logMessage
	default:
		return fmt.Errorf("%w: %v", exec.ErrUnsupported, o.code)
	}
	return nil
}
