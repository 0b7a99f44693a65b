package emit

import (
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Code is the code of a range, with or without its parts.
type Code struct {
	Bytes     []byte
	Resume    int   // offset in the code of what continues it
	Parts     []int // offsets of the parts; nil if they are not compiled
	Context   int   // bytes
	Constants []Constant
}

// Constant is a part of the context that does not change.
type Constant struct {
	At    int32
	Words []uint64
}

// Description is what the engine must know of a compiled range of instructions, and must provide
// for its code.
type Description struct {
	From, To int       // instructions
	Exits    []int     // instructions at which execution may continue
	Row      bool      // it executes rows of threadgroups
	Givens   []Given   // that it needs
	Objects  []Object  // that it accesses
	Textures []Texture // that it accesses by itself
	Calls    []Call    // of the engine
	Queries  []Query   // that it needs
	Lanes    int       // of a vector
	Thread   int32     // where the context has the thread memory, or 0
	Affine   []lir.Ref // variables whose headers must be valid
	Work     int64     // of all instructions, once each
	Solo     int       // loops that lanes run solo
	Pairs    int       // of functions that are computed together, in all blocks
	Waits    bool      // at barriers, for which no lane may have been passed over at another

	Listing string // its plan, and its instructions under those of the program
}

// Compiled is a range with its code.
type Compiled struct {
	*Description
	Code         Code
	CompileParts func() (Code, error) // compiles the parts too; nil if that has been done
}
