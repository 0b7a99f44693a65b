package plan

import "github.com/puremetal/puremetal/internal/ir"

// Operations that every processor's emitter knows, on 32 bits and, those on integers, on 64. Their
// tables have an instruction for each.

// onIntegers reports whether an operation combines two integers and is neither a comparison, a
// shift nor a division.
func onIntegers(op ir.Op) bool {
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpSMin, ir.OpSMax, ir.OpUMin, ir.OpUMax:
		return true
	}
	return false
}

// isExtreme reports whether an operation returns the least or the greatest of integers.
func isExtreme(op ir.Op) bool {
	return op == ir.OpSMin || op == ir.OpSMax || op == ir.OpUMin || op == ir.OpUMax
}

// onFloats reports whether an operation combines two floats.
func onFloats(op ir.Op) bool {
	return op == ir.OpFAdd || op == ir.OpFSub || op == ir.OpFMul || op == ir.OpFDiv
}

// ComparesIntegers reports whether an operation compares integers.
func ComparesIntegers(op ir.Op) bool {
	switch op {
	case ir.OpEq, ir.OpNe, ir.OpULT, ir.OpULE, ir.OpSLT, ir.OpSLE:
		return true
	}
	return false
}

// comparesFloats reports whether an operation compares floats.
func comparesFloats(op ir.Op) bool {
	return op == ir.OpFEq || op == ir.OpFNe || op == ir.OpFLT || op == ir.OpFLE
}

// isShift reports whether an operation shifts by an amount that counts modulo the width.
func isShift(op ir.Op) bool { return op == ir.OpShl || op == ir.OpLShr || op == ir.OpAShr }

// IsDivision reports whether an operation is a quotient or a remainder of integers.
func IsDivision(op ir.Op) bool {
	return op == ir.OpUDiv || op == ir.OpURem || op == ir.OpSDiv || op == ir.OpSRem
}

// rounds reports whether an operation rounds a float to an integer.
func rounds(op ir.Op) bool {
	return op == ir.OpRint || op == ir.OpFloor || op == ir.OpCeil || op == ir.OpFTrunc
}
