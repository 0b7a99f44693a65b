package ir

import "fmt"

// Op is an operation. Its name, operands, results and properties are a row of a table; see Info.
type Op uint16

// The operations. Each one's row describes it; the package comment defines the terms used there.
const (
	OpInvalid Op = iota

	// Values from outside.
	OpConst
	OpArg
	OpFConst
	OpFConstDefined
	OpIn
	OpGlobalAddr
	OpSharedAddr
	OpSamplerConst
	OpAlloca

	// Integers.
	OpAdd
	OpSub
	OpMul
	OpSDiv
	OpUDiv
	OpSRem
	OpURem
	OpSMulHi
	OpUMulHi
	OpSMin
	OpUMin
	OpSMax
	OpUMax
	OpSAddSat
	OpUAddSat
	OpSSubSat
	OpUSubSat
	OpSAbsDiff
	OpUAbsDiff
	OpSHAdd
	OpUHAdd
	OpSRHAdd
	OpURHAdd
	OpShl
	OpLShr
	OpAShr
	OpRotL
	OpNeg
	OpSAbs
	OpClz
	OpCtz
	OpPopcount
	OpBitReverse
	OpSExtract
	OpUExtract
	OpBitInsert

	// Integers and truth values.
	OpAnd
	OpOr
	OpXor
	OpNot

	// Floats.
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpFMod
	OpFMin
	OpFMax
	OpCopySign
	OpFDim
	OpNextAfter
	OpFNeg
	OpFAbs
	OpSqrt
	OpFloor
	OpCeil
	OpFTrunc
	OpRint
	OpRound
	OpFract
	OpFMA
	OpLdExp
	OpFrExp
	OpModF
	OpILogB

	// Mathematical functions, with the error that the package comment allows.
	OpRSqrt
	OpSin
	OpCos
	OpTan
	OpASin
	OpACos
	OpATan
	OpSinH
	OpCosH
	OpTanH
	OpASinH
	OpACosH
	OpATanH
	OpSinPi
	OpCosPi
	OpTanPi
	OpExp
	OpExp2
	OpExp10
	OpLog
	OpLog2
	OpLog10
	OpATan2
	OpPow
	OpPowR

	// Comparisons.
	OpEq
	OpNe
	OpSLT
	OpSLE
	OpULT
	OpULE
	OpFEq
	OpFNe
	OpFLT
	OpFLE
	OpSelect
	OpAnyTrue
	OpAllTrue

	// Conversions.
	OpTrunc
	OpZExt
	OpSExt
	OpSIToF
	OpUIToF
	OpFToSI
	OpFToUI
	OpFConv
	OpBitcast
	OpPtrToInt
	OpIntToPtr

	// Vectors.
	OpBuild
	OpSplat
	OpExtract
	OpInsert
	OpExtractDyn
	OpInsertDyn
	OpSwizzle

	// Memory.
	OpLoad
	OpStore
	OpCopy
	OpClear
	OpOffset
	OpField

	// Atomics: on one naturally aligned object of I1 to I64 or F32, indivisible.
	OpAtomicLoad
	OpAtomicStore
	OpAtomicXchg
	OpAtomicAdd
	OpAtomicSub
	OpAtomicSMin
	OpAtomicUMin
	OpAtomicSMax
	OpAtomicUMax
	OpAtomicAnd
	OpAtomicOr
	OpAtomicXor
	OpAtomicFAdd
	OpAtomicFSub
	OpAtomicFMin
	OpAtomicFMax
	OpAtomicCmpXchg
	OpFence

	// Meeting points.
	OpBarrier
	OpGridBarrier
	OpSimdBarrier

	// Simdgroup operations: over the active lanes of 32.
	OpSimdAdd
	OpSimdMul
	OpSimdSMin
	OpSimdUMin
	OpSimdSMax
	OpSimdUMax
	OpSimdFMin
	OpSimdFMax
	OpSimdAnd
	OpSimdOr
	OpSimdXor
	OpSimdScanAdd
	OpSimdScanMul
	OpSimdXScanAdd
	OpSimdXScanMul
	OpSimdBroadcast
	OpSimdFirst
	OpSimdShuffle
	OpSimdShuffleXor
	OpSimdShuffleUp
	OpSimdShuffleDown
	OpSimdRotateUp
	OpSimdRotateDown
	OpSimdFillUp
	OpSimdFillDown
	OpSimdBallot
	OpSimdActive
	OpSimdAll
	OpSimdAny
	OpSimdIsFirst
	OpSimdHold

	// Quad operations: the same over the four lanes 4n to 4n+3; a ballot's lowest bit is lane 4n.
	OpQuadAdd
	OpQuadMul
	OpQuadSMin
	OpQuadUMin
	OpQuadSMax
	OpQuadUMax
	OpQuadFMin
	OpQuadFMax
	OpQuadAnd
	OpQuadOr
	OpQuadXor
	OpQuadScanAdd
	OpQuadScanMul
	OpQuadXScanAdd
	OpQuadXScanMul
	OpQuadBroadcast
	OpQuadFirst
	OpQuadShuffle
	OpQuadShuffleXor
	OpQuadShuffleUp
	OpQuadShuffleDown
	OpQuadRotateUp
	OpQuadRotateDown
	OpQuadFillUp
	OpQuadFillDown
	OpQuadBallot
	OpQuadActive
	OpQuadAll
	OpQuadAny
	OpQuadIsFirst

	// Matrices of 8x8 elements, held by a simdgroup.
	OpMatFill
	OpMatDiag
	OpMatLoad
	OpMatStore
	OpMatGet
	OpMatSet
	OpMatMul
	OpMatMac

	// Textures. Layer is the array index, 6*index+face in a cube array, the face in a cube, 0
	// otherwise; level is the mipmap level, or the sample of a multisample texture.
	OpTexRead
	OpTexWrite
	OpTexSample
	OpTexSampleGrad
	OpTexGather
	OpTexCompare
	OpTexGatherCompare
	OpTexLOD
	OpTexQuery
	OpTexFence
	OpTexAtomic
	OpTexAtomicCmpXchg

	// Commands that a kernel encodes into an indirect command buffer.
	OpCommandCount
	OpCommandAt
	OpCommandSet

	// The rest.
	OpLogMessage

	// Control.
	OpIf
	OpLoop
	OpBlock
	OpYield
	OpBreak
	OpContinue
	OpReturn
	OpUnreachable

	numOps
)

// NumOps is one more than the last operation.
const NumOps = int(numOps)

func (op Op) String() string {
	if op < numOps {
		return opTable[op].Name
	}
	return fmt.Sprintf("op(%d)", uint16(op))
}
