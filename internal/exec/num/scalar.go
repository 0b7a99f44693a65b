package num

import "github.com/puremetal/puremetal/internal/ir"

// Scalar executes a Lanewise operation on numbers of kind from, with a result of kind to. Bits
// above a kind's width are zero in operands and results.
func Scalar(op ir.Op, from, to ir.Kind, x [4]uint64) [2]uint64 {
	if op.Group() == ir.ConversionOps {
		return [2]uint64{Convert(op, from, to, x[0])}
	}
	if from.IsFloat() {
		return Float(op, from, x)
	}
	w := from.Bits()
	bits := integer(op, w, x)
	if to == ir.I1 {
		w = 1
	}
	if w < 64 && w > 0 {
		bits &= 1<<w - 1
	}
	return [2]uint64{bits}
}

// Combine executes an operation on two numbers or truth values of kind k with a result of kind k.
func Combine(op ir.Op, k ir.Kind, x, y uint64) uint64 {
	return Scalar(op, k, k, [4]uint64{x, y})[0]
}

// Modify returns the new value of an object of kind k after an atomic operation.
func Modify(op ir.Op, k ir.Kind, old, v uint64) uint64 {
	if op == ir.OpAtomicXchg {
		return v
	}
	return Combine(modifies(op), k, old, v)
}

// modifies returns the operation that an atomic operation applies.
func modifies(op ir.Op) ir.Op {
	switch op {
	case ir.OpAtomicAdd:
		return ir.OpAdd
	case ir.OpAtomicSub:
		return ir.OpSub
	case ir.OpAtomicSMin:
		return ir.OpSMin
	case ir.OpAtomicUMin:
		return ir.OpUMin
	case ir.OpAtomicSMax:
		return ir.OpSMax
	case ir.OpAtomicUMax:
		return ir.OpUMax
	case ir.OpAtomicAnd:
		return ir.OpAnd
	case ir.OpAtomicOr:
		return ir.OpOr
	case ir.OpAtomicXor:
		return ir.OpXor
	case ir.OpAtomicFAdd:
		return ir.OpFAdd
	case ir.OpAtomicFSub:
		return ir.OpFSub
	case ir.OpAtomicFMin:
		return ir.OpFMin
	case ir.OpAtomicFMax:
		return ir.OpFMax
	}
	return ir.OpInvalid
}
