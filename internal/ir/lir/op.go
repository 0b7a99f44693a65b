package lir

import "github.com/puremetal/puremetal/internal/ir"

// Op is an operation: one of package ir's or one of those below.
type Op uint16

// The operations that package ir lacks.
const (
	// OpMov sets D to the value of A. The class of D may be narrower than that of A: Once to any,
	// Simd to Lane, Affine to Lane.
	OpMov Op = Op(ir.NumOps) + iota
	// OpMerge sets the lanes of Mask to the value of A and leaves the others unchanged.
	OpMerge
	// OpPos yields the thread's coordinate Imm (0 to 2) in the threadgroup: Affine.
	OpPos

	// OpMaskAnd yields the lanes of mask A for which the truth value B (Simd or Lane) is true.
	OpMaskAnd
	// OpMaskAndNot yields the lanes of mask A for which the truth value B (Simd or Lane) is false.
	OpMaskAndNot
	// OpMaskOr yields the lanes of mask A or mask B.
	OpMaskOr
	// OpMaskSub yields the lanes of mask A that are not in mask B.
	OpMaskSub
	// OpMaskCopy yields the mask A. 0 is the full mask.
	OpMaskCopy
	// OpMaskClear yields the empty mask.
	OpMaskClear

	// OpJump jumps to Target.
	OpJump
	// OpJumpNone jumps to Target if mask A is empty.
	OpJumpNone
	// OpJumpIf jumps to Target if the truth value A (Once) is true.
	OpJumpIf
	// OpJumpUnless jumps to Target if the truth value A (Once) is false.
	OpJumpUnless
	// OpBack jumps back to Target if mask A has a lane, or always if A is 0.
	OpBack
	// OpEnd ends the strip.
	OpEnd

	numOps
)

// NumOps is one more than the last operation.
const NumOps = int(numOps)

// opGroup is the category of an operation of this package.
type opGroup uint8

const (
	moveOps opGroup = iota + 1
	maskOps
	jumpOps
	endOps
)

// ownOps has a row for each operation that package ir does not have.
var ownOps = [numOps]struct {
	name  string
	group opGroup
}{
	OpMov:   {"mov", moveOps},
	OpMerge: {"merge", moveOps},
	OpPos:   {"pos", moveOps},

	OpMaskAnd:    {"mask.and", maskOps},
	OpMaskAndNot: {"mask.andnot", maskOps},
	OpMaskOr:     {"mask.or", maskOps},
	OpMaskSub:    {"mask.sub", maskOps},
	OpMaskCopy:   {"mask.copy", maskOps},
	OpMaskClear:  {"mask.clear", maskOps},

	OpJump:       {"jump", jumpOps},
	OpJumpNone:   {"jump.none", jumpOps},
	OpJumpIf:     {"jump.if", jumpOps},
	OpJumpUnless: {"jump.unless", jumpOps},
	OpBack:       {"back", jumpOps},
	OpEnd:        {"end", endOps},
}

func (op Op) String() string {
	if int(op) < ir.NumOps {
		return ir.Op(op).String()
	}
	if op < numOps {
		return ownOps[op].name
	}
	return "op?"
}

// IR returns the operation of package ir, or OpInvalid for an operation of this package.
func (op Op) IR() ir.Op {
	if int(op) < ir.NumOps {
		return ir.Op(op)
	}
	return ir.OpInvalid
}

// IsJump reports whether the operation may jump to Target.
func (op Op) IsJump() bool { return op < numOps && ownOps[op].group == jumpOps }

// OnMasks reports whether the operation produces a mask and does nothing else.
func (op Op) OnMasks() bool { return op < numOps && ownOps[op].group == maskOps }

// Ext says how a 32-bit index is extended to 64 bits in an address.
type Ext uint8

// The extensions.
const (
	NoExt Ext = iota // the index has 64 bits
	ZExt             // zero extension
	SExt             // sign extension
)

var extNames = [...]string{"", "zext ", "sext "}
