package lir

import "github.com/puremetal/puremetal/internal/ir"

// Op is an operation: one of package ir, or one of those below.
type Op uint16

// The operations that package ir does not have.
const (
	// OpMov sets D to the value of A. D's class may share less than A's: Once to any, Simd to Lane,
	// Affine to Lane.
	OpMov Op = Op(ir.NumOps) + iota
	// OpMerge sets the lanes of Mask to the value of A; the others keep theirs.
	OpMerge
	// OpPos gives the thread's coordinate Imm (0 to 2) in the threadgroup: Affine.
	OpPos

	// OpMaskAnd gives the mask A where the truth value B (Simd or Lane) is true.
	OpMaskAnd
	// OpMaskAndNot gives the mask A where the truth value B (Simd or Lane) is false.
	OpMaskAndNot
	// OpMaskOr gives the lanes of mask A or mask B.
	OpMaskOr
	// OpMaskSub gives the lanes of mask A that are not in mask B.
	OpMaskSub
	// OpMaskCopy gives the mask A. 0 is the full mask.
	OpMaskCopy
	// OpMaskClear gives the empty mask.
	OpMaskClear

	// OpJump goes to Target.
	OpJump
	// OpJumpNone goes to Target if mask A is empty.
	OpJumpNone
	// OpJumpIf goes to Target if the truth value A (Once) is true.
	OpJumpIf
	// OpJumpUnless goes to Target if the truth value A (Once) is false.
	OpJumpUnless
	// OpBack goes back to Target if mask A has a lane; always if A is 0.
	OpBack
	// OpEnd ends the strip.
	OpEnd

	numOps
)

// NumOps is one more than the last operation.
const NumOps = int(numOps)

// opGroup is what one of the operations of this package works on.
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

// IR returns the operation of package ir, or OpInvalid for those of this package.
func (op Op) IR() ir.Op {
	if int(op) < ir.NumOps {
		return ir.Op(op)
	}
	return ir.OpInvalid
}

// IsJump reports whether the operation may go to Target.
func (op Op) IsJump() bool { return op < numOps && ownOps[op].group == jumpOps }

// OnMasks reports whether the operation gives a mask and does nothing else.
func (op Op) OnMasks() bool { return op < numOps && ownOps[op].group == maskOps }

// Ext is how a 32-bit index becomes 64 bits in an address.
type Ext uint8

// The extensions.
const (
	NoExt Ext = iota // the index has 64 bits
	ZExt             // zeros above
	SExt             // the sign above
)

var extNames = [...]string{"", "zext ", "sext "}
