package ir

// MatrixSide is the number of rows and of columns of a simdgroup matrix.
const MatrixSide = 8

// MatrixPair returns which two elements of a matrix a lane of a simdgroup has: the number of the
// pair, row by row.
func MatrixPair(lane int) int { return (lane>>2&4+lane>>1&3)*4 + lane>>2&2 + lane&1 }

// ReadLane returns the lane whose value a lane takes in a shuffle by n among width lanes, or a
// number from width on if there is none. Other operations take their own.
func (op Op) ReadLane(lane, n, width uint32) uint32 {
	switch op {
	case OpSimdBroadcast, OpSimdShuffle:
		return n
	case OpSimdShuffleXor:
		return lane ^ n
	case OpSimdShuffleUp:
		if n <= lane {
			return lane - n
		}
	case OpSimdShuffleDown:
		if n < width-lane {
			return lane + n
		}
	case OpSimdRotateUp:
		return (lane - n) & (width - 1)
	case OpSimdRotateDown:
		return (lane + n) & (width - 1)
	}
	return lane
}

// Exchanges reports whether an operation gives a lane the value of another that operands name.
func (op Op) Exchanges() bool {
	switch op.OfSimdgroup() {
	case OpSimdBroadcast, OpSimdShuffle, OpSimdShuffleXor, OpSimdShuffleUp, OpSimdShuffleDown, OpSimdRotateUp,
		OpSimdRotateDown, OpSimdFillUp, OpSimdFillDown:
		return true
	}
	return false
}

// Exchanged returns the number of operands, from the first, whose values an operation that
// Exchanges takes from other lanes.
func (op Op) Exchanged() int {
	switch op.OfSimdgroup() {
	case OpSimdFillUp, OpSimdFillDown:
		return 2
	}
	return 1
}

// repeated maps reductions and scans of simdgroups to the operation that they repeat: sums and
// products to that of integers.
var repeated = [numOps]Op{
	OpSimdAdd: OpAdd, OpSimdScanAdd: OpAdd, OpSimdXScanAdd: OpAdd,
	OpSimdMul: OpMul, OpSimdScanMul: OpMul, OpSimdXScanMul: OpMul,
	OpSimdSMin: OpSMin, OpSimdUMin: OpUMin, OpSimdSMax: OpSMax, OpSimdUMax: OpUMax,
	OpSimdFMin: OpFMin, OpSimdFMax: OpFMax,
	OpSimdAnd: OpAnd, OpSimdOr: OpOr, OpSimdXor: OpXor,
}

// Repeats returns the operation on two numbers of a kind that a reduction or scan of simdgroups
// repeats, or OpInvalid.
func (op Op) Repeats(k Kind) Op {
	if op >= numOps {
		return OpInvalid
	}
	switch r := repeated[op]; {
	case r == OpAdd && k.IsFloat():
		return OpFAdd
	case r == OpMul && k.IsFloat():
		return OpFMul
	default:
		return r
	}
}
