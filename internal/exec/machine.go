package exec

import (
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// MachineCompiler compiles ranges of a program's instructions to machine code, for a Backend that
// interprets the other instructions. It is safe for concurrent use.
type MachineCompiler interface {
	// Available returns nil if this machine can run what Compile makes.
	Available() error
	// Compile compiles the ranges that it can, in the order of their instructions. There may be none.
	Compile(p *lir.Program) ([]*MachineRange, error)
}

// MachineRange is a range of a program's instructions as machine code. Outside of it, the values of
// all variables are in a strip's frame. The Backend executes its instructions by running the code
// with a MachineContext, for which it provides what the range lists; if it cannot, it interprets
// them.
type MachineRange struct {
	MachineCode

	From, To int       // instructions
	Exits    []int     // instructions at which execution may continue
	Row      bool      // it is all of the program, and executes rows of threadgroups
	Moves    bool      // it depends on the threadgroup's position
	Waits    bool      // at barriers, so no lane may have been passed over at another barrier
	Thread   bool      // it accesses thread memory
	Lanes    int       // in a vector
	Work     int64     // of all instructions, once each
	Affine   []lir.Ref // variables whose headers must be valid
	Givens   []MachineGiven
	Objects  []MachineObject
	Textures []MachineTexture
	Queries  []MachineQuery
	Calls    []MachineCall

	Listing string // the instructions in text, if that was requested
}

// MachineGiven is a number from outside of the program that a range needs.
type MachineGiven struct {
	Inst      *lir.Inst // yields the number
	Moves     bool      // it is a component of the threadgroup's position
	Simdgroup bool      // it is the number of the strip's first simdgroup
}

// MachineObject is an object that a range accesses.
type MachineObject struct {
	Pointer lir.Ref // a Once or Affine variable with an address in the object
	Space   ir.Space
	// Dynamic: the range itself computes the pointer, and asks for the object when it accesses it.
	Dynamic bool
}

// MachineTexture is a texture that a range reads, writes or samples without the Backend.
type MachineTexture struct {
	Handle       lir.Ref // a Once variable
	Sampler      lir.Ref // a Once variable with the sampler's handle; 0 if the range does not sample
	Type         ir.Type
	Layer, Level uint32     // unless the range samples
	Look         texel.Look // how it samples, without the position
}

// MachineQuery is a property of a texture that a range needs.
type MachineQuery struct {
	Handle   lir.Ref // a Once variable
	Type     ir.Type
	Property ir.TexProperty
	Level    uint32
}

// MachineCall is an operation that a range has the Backend execute for the lanes of a vector. Its
// variables are in the range's context.
type MachineCall struct {
	Inst     int   // the instruction
	Mask     int32 // where the mask is
	Operands []MachinePlace
	Results  []MachinePlace // At is negative if a result is not needed
}

// MachinePlace is where a context has the elements of a variable.
type MachinePlace struct {
	At    int32 // in bytes
	Class lir.Class
	Size  int // of an element
}

// MachineCode is the code of a MachineRange. It is safe for concurrent use.
type MachineCode interface {
	// Code returns the address and the size of the code that is compiled so far.
	Code() (address uintptr, size int)
	// ContextBytes returns the memory that a context takes.
	ContextBytes() int64
	// NewContext returns a context for a strip with a frame and, if the range accesses it, thread
	// memory of a number of lanes. The length of thread is a multiple of PieceAlign.
	NewContext(frame, thread []byte, lanes int) MachineContext
}

// PieceAlign is what the length of memory that machine code clears must be a multiple of.
const PieceAlign = 64

// MachineContext is the memory with which the code of a range runs for one strip. It is used by one
// goroutine. What has been set stays until it is set again.
type MachineContext interface {
	// Memory returns the context's memory, until Run is called.
	Memory() []byte
	// SetStrip sets the position in the threadgroup of the strip's first lane, and its lanes.
	SetStrip(first [3]int32, lanes *[lir.MaskWords]uint32)
	// SetGroups sets the position of the threadgroup, for a range that moves. If the range is a row,
	// Run executes n threadgroups from there, in a grid with a number of columns; each but the first
	// costs an amount of work, and finds the threadgroup memory cleared, whose length is a multiple of
	// PieceAlign.
	SetGroups(first *[3]int, n, work int64, shared []byte, columns int)
	// GroupsLeft returns how many threadgroups of a row have not ended. The work of the first of them
	// has been spent.
	GroupsLeft() int64
	// SetGiven sets a given number that does not move.
	SetGiven(n int, v uint64)
	// SetObject sets the memory of an object. Stores to a read-only one are discarded.
	SetObject(n int, data []byte, readOnly bool)
	// Forget makes the range ask for a dynamic object when it next accesses it.
	Forget(n int)
	// Asked returns the dynamic object that a suspended range asks for, and its handle; ok is false if
	// it was suspended for another reason. SetObject must set it before the range continues.
	Asked() (n int, handle uint64, ok bool)
	// SetTexture sets what the range accesses of a texture. Unless ok is set, the range calls the
	// Backend for each access.
	SetTexture(n int, v texel.View, ok bool)
	// SetSampled is SetTexture for a texture that the range samples.
	SetSampled(n int, v texel.SampleView, ok bool)
	// SetQuery sets the result of a query.
	SetQuery(n int, v uint32)
	// Run runs the code with an amount of fuel, from its begin or, if resume is set, from where it was
	// suspended. It returns the number of the exit; or -1 if the code is suspended, out of fuel or
	// because it asks for an object; or -2 minus the number of a call that the Backend must execute
	// before the code continues. left is the remaining fuel, which may be negative. After an error,
	// the code cannot continue.
	Run(fuel int64, resume bool) (exit int, left int64, err error)
}
